"""Differences and spreads run by run, so that a chapter can record them with a standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

__all__ = ["ahead", "apart", "jackknife", "log_deviation_ratio"]

Array = NDArray[np.float64]


def ahead(runs: pd.DataFrame, columns: Iterable[Any], over: Iterable[Any]) -> Array:
    """The column with the best mean, run by run, less the best of those it is compared with; one row per run.

    Examples
    --------
    >>> runs = pd.DataFrame({"a": [0.5, 0.5], "b": [0.75, 1.0], "c": [0.5, 0.75]})
    >>> ahead(runs, ["b"], ["a", "c"]).tolist()
    [0.25, 0.25]
    """
    best, other = (runs[list(names)].mean().idxmax() for names in (columns, over))
    return np.asarray(runs[best] - runs[other])


def apart(runs: pd.DataFrame) -> Array:
    """The column with the best mean, run by run, less the one with the worst.

    Examples
    --------
    >>> apart(pd.DataFrame({"a": [0.5, 0.5], "b": [0.75, 1.0], "c": [0.5, 0.75]})).tolist()
    [0.25, 0.5]
    """
    mean = runs.mean()
    return np.asarray(runs[mean.idxmax()] - runs[mean.idxmin()])


def jackknife(statistic: Callable[[pd.DataFrame], float], runs: pd.DataFrame) -> Array:
    """One value per run whose mean and standard error are those of a statistic of all runs, by leaving each out.

    Examples
    --------
    >>> runs = pd.DataFrame({"a": [1.0, 2.0, 6.0]})
    >>> jackknife(lambda table: table["a"].mean(), runs).round(12).tolist()  # of a mean: the values themselves
    [1.0, 2.0, 6.0]
    """
    n, whole = len(runs), statistic(runs)
    return np.array([n * whole - (n - 1) * statistic(runs.drop(index=run)) for run in runs.index])


def log_deviation_ratio(runs: pd.DataFrame, wide: Any, narrow: Any) -> Array:
    """Logarithm of the ratio of two columns' standard deviations over the runs, each a mean over sub-columns if any.

    Above 0 where the first is wider; by :func:`jackknife`, because the runs of both are the same draws.

    Examples
    --------
    >>> runs = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [2.0, 4.0, 6.0]})
    >>> bool(np.isclose(log_deviation_ratio(runs, "b", "a").mean(), np.log(2)))
    True
    """
    return jackknife(lambda table: float(np.log(np.mean(table.std()[wide]) / np.mean(table.std()[narrow]))), runs)
