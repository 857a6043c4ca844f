"""Mean ranks of learners, and which of them a bench can tell apart."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata, studentized_range

__all__ = ["critical_difference", "groups", "mean_ranks"]


def mean_ranks(scores: ArrayLike) -> NDArray[np.float64]:
    """Mean rank of each column over the rows; 1 is the largest score, ties share.

    Examples
    --------
    >>> mean_ranks(np.array([[0.9, 0.8, 0.8], [0.7, 0.9, 0.6]]))
    array([1.5 , 1.75, 2.75])
    """
    ranks: NDArray[np.float64] = rankdata(-np.asarray(scores, dtype=float), axis=1).mean(axis=0)
    return ranks


def critical_difference(n_learners: int, n_rows: int, level: float = 0.05) -> float:
    r"""Difference of mean ranks below which Nemenyi's test does not tell two learners apart.

    .. math:: q_{level}\sqrt{\frac{k(k+1)}{6N}}

    with :math:`k` learners, :math:`N` comparisons, and :math:`q` the studentised range over :math:`\sqrt2`.

    Examples
    --------
    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    quantile = float(studentized_range.ppf(1 - level, n_learners, math.inf)) / math.sqrt(2)
    return quantile * math.sqrt(n_learners * (n_learners + 1) / (6 * n_rows))


def groups(ranks: ArrayLike, gap: float) -> list[tuple[int, int]]:
    """The bars of a critical-difference plot: maximal runs of sorted ranks that span at most ``gap``.

    Returns
    -------
    list of (int, int)
        First and last place, from 0, of each run of at least two learners.

    Examples
    --------
    >>> groups([1.0, 1.5, 2.2, 4.0], gap=1.0)
    [(0, 1), (1, 2)]
    """
    ordered = np.sort(np.asarray(ranks, dtype=float))
    found: list[tuple[int, int]] = []
    for first, rank in enumerate(ordered):
        last = int(np.searchsorted(ordered, rank + gap, side="right")) - 1
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return found
