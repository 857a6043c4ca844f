"""Many linear models on the same rows at once: L-BFGS in lock-step, so that two matrix products serve all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve_triangular
from sklearn.utils import gen_batches

Array = NDArray[np.float64]

MEMORY = 10
MAX_BACKTRACKS = 30
BLOCK, MOST_ROWS = 2**22, 2048  # bytes and rows of a block, which stays in the cache between its two products


class Minima(NamedTuple):
    """Where K models ended, one row each."""

    coef: Array
    value: Array
    gradient: Array
    """Largest entry of each gradient."""
    n_iter: NDArray[np.intp]


def minimise_many(
    X: NDArray[Any],
    y: ArrayLike,
    losses: Sequence[Any],
    l2: float,
    root: Array | None = None,
    tol: float = 1e-4,
    max_iter: int = 150,
    start: Array | None = None,
) -> Minima:
    """Minimise K mean losses, each plus half the penalty times the squared weights.

    A backtracking line search; models that have converged drop out.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        The products run in its precision; an intercept is the weight of a constant column.
    y : array-like of shape (K, n)
        Labels −1/+1 of each model; a row with label 0 is left out.
    losses : sequence of K losses
        Of the margin, with ``value_and_weight``.
    l2 : float
    root : ndarray of shape (d, d), optional
        Cholesky factor of a likely Hessian, whose variables are used instead of the original ones. It changes the path
        only; where a loss is not convex, another path can end in another minimum.
    tol : float
        On the largest entry of the gradient.
    max_iter : int
        Accepted steps.
    start : ndarray of shape (K, d), optional
        Zero if left out.
    """
    y = np.asarray(y, dtype=float)
    count, size = len(y), X.shape[1]
    blocks = list(gen_batches(len(X), max(1, min(BLOCK // (size * X.itemsize), MOST_ROWS))))
    n = np.count_nonzero(y, axis=1)

    def expand(v: Array) -> Array:
        return v if root is None else solve_triangular(root, v.T, lower=True, trans="T", check_finite=False).T

    def evaluate(v: Array, models: NDArray[np.intp]) -> tuple[Array, Array, Array]:
        """Value, gradient in our variables, and its largest entry in the original ones."""
        coef = expand(v)
        value, slope, narrow = np.zeros(len(v)), np.zeros(v.shape), coef.astype(X.dtype)
        for rows in blocks:
            signs = y[models, rows]
            weights = signs * (narrow @ X[rows].T)
            for loss in dict.fromkeys(losses[k] for k in models):
                own = [i for i, k in enumerate(models) if losses[k] == loss]
                found, weights[own] = loss.value_and_weight(weights[own])
                value[own] += np.vecdot(found, np.abs(signs[own]))
            slope -= (weights * signs).astype(X.dtype) @ X[rows]
        value = value / n[models] + l2 / 2 * np.vecdot(coef, coef)
        slope = slope / n[models, None] + l2 * coef
        pulled = slope if root is None else solve_triangular(root, slope.T, lower=True, check_finite=False).T
        return value, pulled, np.abs(slope).max(axis=1)

    v = np.zeros((count, size))
    if start is not None:
        v = start if root is None else start @ root
    slope, direction = np.zeros((2, count, size))
    value, largest, length = np.full(count, np.inf), np.full(count, np.inf), np.ones(count)
    steps, shifts = np.zeros((2, MEMORY, count, size))
    inverse = np.zeros((MEMORY, count))
    # the first trial is the start itself: a step of length zero, better than the infinity before it
    n_iter, backtracks = np.full(count, -1), np.zeros(count, dtype=int)
    while (active := np.flatnonzero((largest > tol) & (n_iter < max_iter) & (backtracks <= MAX_BACKTRACKS))).size:
        trial = v[active] + length[active, None] * direction[active]
        new_value, new_slope, new_largest = evaluate(trial, active)
        allowed = value[active] + 1e-4 * length[active] * np.vecdot(slope[active], direction[active])
        # a difference below rounding is progress too, as long as the gradient says so
        fine = (new_value <= allowed) | ((new_value <= value[active] * (1 + 1e-13)) & (new_largest < largest[active]))
        missed, k = active[~fine], active[fine]
        backtracks[missed] += 1
        length[missed] *= 0.3
        step, shift = trial[fine] - v[k], new_slope[fine] - slope[k]
        bend = np.vecdot(step, shift)
        curved = bend > 1e-12 * np.vecdot(step, step)  # where the loss is concave, the pair would spoil the memory
        for memory, new in ((steps, step), (shifts, shift), (inverse, 1 / np.where(curved, bend, 1))):
            memory[:-1, k[curved]] = memory[1:, k[curved]]
            memory[-1, k[curved]] = new[curved]
        v[k], value[k], slope[k], largest[k] = trial[fine], new_value[fine], new_slope[fine], new_largest[fine]
        n_iter[k] += 1
        # nothing is known of the curvature at first: a step of length one at most, as in other codes
        first = 1 / np.maximum(1.0, np.linalg.norm(slope[k], axis=1))
        backtracks[k], length[k] = 0, np.where(n_iter[k] == 0, first, 1.0)
        direction[k] = -_two_loops(slope[k], steps[:, k], shifts[:, k], inverse[:, k])
        uphill = k[np.vecdot(direction[k], slope[k]) >= 0]
        direction[uphill], inverse[:, uphill] = -slope[uphill], 0.0
    return Minima(expand(v), value, largest, n_iter)


def _two_loops(slope: Array, steps: Array, shifts: Array, inverse: Array) -> Array:
    """Product of the inverse Hessian in memory with each row; empty places have an inverse curvature of 0."""
    q, shares = slope.copy(), np.empty_like(inverse)
    for i in reversed(range(len(inverse))):
        shares[i] = inverse[i] * np.vecdot(steps[i], q)
        q -= shares[i, :, None] * shifts[i]
    last = np.vecdot(shifts[-1], shifts[-1])
    q *= np.where(inverse[-1] > 0, 1 / np.maximum(inverse[-1] * last, 1e-300), 1.0)[:, None]
    for i in range(len(inverse)):
        q += (shares[i] - inverse[i] * np.vecdot(shifts[i], q))[:, None] * steps[i]
    return q
