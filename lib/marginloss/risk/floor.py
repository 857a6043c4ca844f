r"""What no classifier can beat: the fair coin, and the floor that conflicting labels set."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d

from marginloss._validation import check_integer
from marginloss.risk.masses import Array, check_tail, check_tails, masses

__all__ = ["coin_cvar", "cvar_floor", "cvar_floor_curve", "label_conflicts"]


def coin_cvar(n_classes: int) -> float:
    r"""Expected 0/1 loss :math:`1 - 1/K` of guessing among K classes: its CVaR at every tail fraction, on any data.

    The even mixture of the constant classifiers loses the same on every sample. A deterministic classifier with error
    rate R has CVaR :math:`\min(1, R/\alpha)`, so for two classes the coin wins whenever :math:`\alpha < 2R`.

    Examples
    --------
    >>> coin_cvar(2), coin_cvar(10)
    (0.5, 0.9)
    """
    return 1.0 - 1.0 / check_integer("n_classes", n_classes, 1)


def cvar_floor(X: ArrayLike, y: ArrayLike, alpha: float, sample_weight: ArrayLike | None = None) -> float:
    r"""Least CVaR of the expected 0/1 loss that any randomised classifier can have on this table.

    .. math:: \min_{1\le j\le K}\ \Big(1 - \frac1j\Big) + \frac{1 - M_j}{j\,\alpha}

    with :math:`M_j` the mass of the rows whose label is among the :math:`j` most frequent ones for their features. For
    two classes this is :math:`\min(\tfrac12, \mu/\alpha)`, :math:`\mu` the mass of the minority labels. A classifier
    sees rows with equal features as one; where their labels differ it must share its loss between them. It says before
    training whether there is anything to gain in the tail.

    Parameters
    ----------
    X : array_like of shape (n, d)
        Features; rows that agree in all of them cannot be told apart.
    y : array_like of shape (n,)
        Labels.
    alpha : float
        Tail fraction in (0, 1].
    sample_weight : array_like of shape (n,), optional
        Weights of the samples; equal to repetition.

    Examples
    --------
    >>> X, y = [[0], [0], [0], [1]], [0, 0, 1, 1]
    >>> cvar_floor(X, y, alpha=0.25), cvar_floor(X, y, alpha=1.0)
    (0.5, 0.25)
    """
    return float(cvar_floor_curve(X, y, [check_tail(alpha)], sample_weight)[0])


def cvar_floor_curve(X: ArrayLike, y: ArrayLike, alphas: ArrayLike, sample_weight: ArrayLike | None = None) -> Array:
    r"""The floor of a table at many tail fractions, for the price of one look at its rows.

    Parameters
    ----------
    X, y, sample_weight
        As for :func:`cvar_floor`.
    alphas : array_like of shape (A,)
        Tail fractions in (0, 1], in any order.

    Returns
    -------
    ndarray of shape (A,)

    Examples
    --------
    >>> cvar_floor_curve([[0], [0], [0], [1]], [0, 0, 1, 1], [0.25, 1.0])
    array([0.5 , 0.25])
    """
    table = check_array(X, dtype=None, ensure_min_features=1)
    labels = column_or_1d(y)
    check_consistent_length(table, labels)
    check_classification_targets(labels)
    levels = check_tails(alphas)
    mass = masses(sample_weight, len(labels))
    row = _kinds(table)
    _, label = np.unique(labels, return_inverse=True)
    n_classes = int(label.max()) + 1
    cell, inverse = np.unique(row * n_classes + label, return_inverse=True)
    weight = np.bincount(inverse, weights=mass)
    # cells of one row in decreasing order of mass, then their rank within the row
    order = np.lexsort((-weight, cell // n_classes))
    owner = (cell // n_classes)[order]
    starts = np.flatnonzero(np.append(True, np.diff(owner) != 0))
    rank = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))
    reached = np.cumsum(np.bincount(rank, weights=weight[order]))
    j = np.arange(1, len(reached) + 1)
    return np.min(1.0 - 1.0 / j + np.maximum(1.0 - reached, 0.0) / (j * levels[:, None]), axis=1)


def label_conflicts(X: ArrayLike, y: ArrayLike) -> tuple[float, float]:
    r"""Share of rows whose features also occur with another label, and share of rows outside the majority label.

    The second number is the least training error of any deterministic classifier on this table; for two classes it is
    the :math:`\mu` of :func:`cvar_floor`.

    Examples
    --------
    >>> label_conflicts([[0], [0], [0], [1]], [0, 0, 1, 1])
    (0.75, 0.25)
    """
    table, labels = check_array(X, dtype=None, ensure_min_features=1), column_or_1d(y)
    check_consistent_length(table, labels)
    row = _kinds(table)
    _, label = np.unique(labels, return_inverse=True)
    counts = np.zeros((int(row.max()) + 1, int(label.max()) + 1))
    np.add.at(counts, (row, label), 1.0)
    shared = (counts > 0).sum(axis=1) > 1
    n = len(labels)
    return float(counts[shared].sum() / n), float(1.0 - counts.max(axis=1).sum() / n)


def _kinds(table: NDArray[Any]) -> NDArray[np.intp]:
    """Number of the kind of each row; rows are of one kind if they agree in all columns."""
    if table.dtype == object:  # words among the numbers: each column has its own type
        table = np.column_stack([np.unique(column, return_inverse=True)[1] for column in table.T])
    return np.unique(table, axis=0, return_inverse=True)[1].reshape(-1)
