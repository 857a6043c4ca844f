"""Wrong inputs: replaced instances, flipped bits, and the insider who knows which columns matter."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from marginloss._validation import check_integer, check_real, check_rng
from marginloss.noise.labels import with_rows

__all__ = ["flip_features", "insider_twist", "replace_instances", "swap_features"]


def replace_instances(
    X: ArrayLike, y: ArrayLike, rate: float, rng: Any, *, outliers: ArrayLike | None = None
) -> NDArray[Any]:
    """Replace ``round(rate * n)`` inputs by inputs that belong to another class; the labels stay.

    This is the instance noise of amid2019. There the inputs come from classes that take no part in the task: give
    them as ``outliers``. Without them, a row receives an input of the given data whose label differs from its own.

    Parameters
    ----------
    X : array-like of shape (n, ...)
        Inputs.
    y : array-like of shape (n,)
        Labels of any number of classes.
    rate : float
        Share of rows to replace, in [0, 1].
    rng : numpy.random.Generator or int
        Generator or seed.
    outliers : array-like of shape (m, ...), optional
        Inputs of other classes; each is used at most once.

    Returns
    -------
    ndarray of shape (n, ...)
        A changed copy of ``X``.

    Examples
    --------
    >>> X = np.array([[0.0], [0.0], [1.0], [1.0]])
    >>> replace_instances(X, [-1, -1, 1, 1], 1.0, rng=0).ravel().tolist()
    [1.0, 1.0, 0.0, 0.0]
    """
    generator = check_rng(rng)
    inputs, labels = np.asarray(X), np.asarray(y)
    if labels.ndim != 1 or inputs.shape[:1] != labels.shape:
        raise ValueError(f"X and y must be arrays with one row each per example, got {inputs.shape} and {labels.shape}")
    rows = generator.choice(len(labels), round(check_real("rate", rate, "[0, 1]") * len(labels)), replace=False)
    if outliers is not None:
        pool = np.asarray(outliers)
        if pool.shape[1:] != inputs.shape[1:]:
            raise ValueError(f"outliers must have rows of shape {inputs.shape[1:]}, got {pool.shape[1:]}")
        return with_rows(inputs, rows, pool[_draw(np.arange(len(pool)), len(rows), generator)])
    changed = inputs.copy()
    for label in np.unique(labels[rows]):
        own = rows[labels[rows] == label]
        changed[own] = inputs[_draw(np.flatnonzero(labels != label), len(own), generator)]
    return changed


def flip_features(X: ArrayLike, p_example: float, p_feature: float, rng: Any) -> NDArray[Any]:
    """Select each row with one probability, then exchange each of its two-valued features with another.

    The feature noise of sypherd2022, where both probabilities are the same: a single bit is then wrong with the
    *square* of it.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Features that take two values, such as 0 and 1 or −1 and +1; a table of ones alone is read as 0/1.
    p_example : float
        Probability that a row is selected, in [0, 1].
    p_feature : float
        Probability that a feature of a selected row is exchanged, in [0, 1].
    rng : numpy.random.Generator or int
        Generator or seed.

    Returns
    -------
    ndarray of shape (n, d)
        A changed copy.

    Examples
    --------
    >>> flip_features([[0, 1], [1, 1]], p_example=1.0, p_feature=1.0, rng=0).tolist()
    [[1, 0], [0, 0]]
    """
    features, flipped, _ = _selected(X, p_example, p_feature, rng)
    values = np.unique(features)
    if pd.isna(values).any():
        raise ValueError("X contains NaN")
    if np.isin(values, (0, 1)).all():
        values = np.array([0, 1])
    elif np.isin(values, (-1, 1)).all():
        values = np.array([-1, 1])
    elif len(values) != 2:
        raise ValueError(f"X must take two values, got {len(values)} different ones")
    low, high = values.astype(features.dtype)
    return np.where(flipped, np.where(features == low, high, low), features)


def swap_features(X: ArrayLike, p_example: float, p_feature: float, rng: Any) -> NDArray[Any]:
    """Select each row with one probability, then give each of its features with another the value of a random row.

    Feature noise for columns of any kind: every column keeps its values, and only their place is wrong.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Inputs.
    p_example : float
        Probability that a row is selected, in [0, 1].
    p_feature : float
        Probability that a feature of a selected row is replaced, in [0, 1].
    rng : numpy.random.Generator or int
        Generator or seed.

    Returns
    -------
    ndarray of shape (n, d)
        A changed copy.

    Examples
    --------
    >>> swap_features([[0, 1], [2, 3], [4, 5], [6, 7]], p_example=0.5, p_feature=1.0, rng=0).tolist()
    [[0, 1], [4, 1], [6, 5], [6, 1]]
    """
    features, wrong, generator = _selected(X, p_example, p_feature, rng)
    others = generator.integers(max(len(features), 1), size=features.shape)
    return np.where(wrong, np.take_along_axis(features, others, axis=0), features)


def insider_twist(
    X: ArrayLike, rng: Any, *, scale: Mapping[int, float] | None = None, symbols: Mapping[int, int] | None = None
) -> NDArray[np.float64]:
    """Spoil the three columns that matter most, as an insider would (sypherd2022, Figure 3).

    Gaussian noise is added to numeric columns; coded symbols are moved to the next code with probability ½, around the
    end. The defaults are those of the Online Shoppers data as :func:`marginloss.datasets.load_online_shoppers` codes
    them: PageValues (column 8) with standard deviation 60, Month (column 10, of 10 symbols) and VisitorType (column 15,
    of 3). The 60 is a standard deviation, not a variance: only so is the range that the paper prints within reach.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Inputs with coded symbols.
    rng : numpy.random.Generator or int
        Generator or seed.
    scale : mapping {column: standard deviation}, optional
        Numeric columns.
    symbols : mapping {column: number of symbols}, optional
        Columns that hold codes 0, 1, ….

    Returns
    -------
    ndarray of shape (n, d)
        A changed copy.

    Examples
    --------
    >>> X = np.zeros((4, 17))
    >>> sorted(np.flatnonzero((insider_twist(X, rng=1) != X).any(axis=0)).tolist())
    [8, 10, 15]
    """
    generator = check_rng(rng)
    scale = {8: 60.0} if scale is None else scale
    symbols = {10: 10, 15: 3} if symbols is None else symbols
    changed = np.array(X, dtype=np.float64)
    columns = [*scale, *symbols]
    if changed.ndim != 2 or not all(isinstance(c, Integral) and abs(c + 0.5) < changed.shape[1] for c in columns):
        raise ValueError(f"X must have the columns {columns}, got shape {changed.shape}")
    for column, deviation in scale.items():
        changed[:, column] += generator.normal(0.0, check_real(f"scale[{column}]", deviation, "[0, inf)"), len(changed))
    for column, count in symbols.items():
        codes = changed[:, column]
        if not np.isin(codes, np.arange(check_integer(f"symbols[{column}]", count, 1))).all():
            raise ValueError(f"column {column} must hold the codes 0 to {count - 1}")
        changed[:, column] = (codes + generator.integers(0, 2, len(codes))) % count
    return changed


def _selected(
    X: ArrayLike, p_example: float, p_feature: float, rng: Any
) -> tuple[NDArray[Any], NDArray[np.bool_], np.random.Generator]:
    """The table, the entries that are to be spoiled, and the generator that chose them."""
    generator, features = check_rng(rng), np.asarray(X)
    p_example = check_real("p_example", p_example, "[0, 1]")
    p_feature = check_real("p_feature", p_feature, "[0, 1]")
    if features.ndim != 2:
        raise ValueError(f"X must have rows and columns, got shape {features.shape}")
    selected = generator.random(len(features)) < p_example
    return features, selected[:, None] & (generator.random(features.shape) < p_feature), generator


def _draw(pool: NDArray[np.intp], count: int, generator: np.random.Generator) -> NDArray[np.intp]:
    if count > len(pool):
        raise ValueError(f"rate must be lower: {count} inputs of other classes are needed, got {len(pool)}")
    return generator.choice(pool, count, replace=False)
