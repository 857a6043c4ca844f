"""Many linear models on the same rows at once: L-BFGS in lock-step, so that two matrix products serve all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marginalia.linear.factor import DesignFactor, OriginalVariables
from marginalia.linear.solver import BUDGET, CONVERGED, Solution

__all__ = ["Problem", "minimise_many"]

Array = NDArray[np.float64]

MEMORY = 10
MAX_BACKTRACKS = 30
FEW = 3  # up to so many columns, products with each of them are faster than one with the narrow matrix


@dataclass(frozen=True)
class Problem:
    """One model: labels −1/+1, loss, penalty and start (zero if None)."""

    y: Array
    loss: Any
    l2: float
    start: tuple[Array, Array] | None = None


def minimise_many(
    X: Any,
    problems: Sequence[Problem],
    factor: DesignFactor | None,
    tol: float = 1e-4,
    max_iter: int = 150,
    penalise_intercept: bool = False,
) -> list[Solution]:
    """Minimise all problems, each with an intercept, until no entry of its gradient exceeds ``tol``.

    The same variables as in :func:`marginalia.linear.solver.minimise`, with a backtracking line search. A matrix of
    scores is one product for all problems, which runs at the speed of the processor and not of the memory; problems
    that have converged drop out.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n, d)
        The products run in its precision.
    problems : sequence of Problem
    factor : DesignFactor or None
        Of these or similar rows; it changes the path only. None: the original variables, which is slower; where a loss
        is not convex, another path can end in another minimum.
    tol : float
    max_iter : int
        Accepted steps of each problem.
    penalise_intercept : bool
        Whether the penalty is on the intercept too, as it is when data have a constant feature in its place.
    """
    batch = _Batch(X, problems, factor, penalise_intercept)
    size, count = X.shape[1] + 1, len(problems)
    active = np.arange(count)
    v = batch.starts()
    value, slope, largest = batch.evaluate(v, active)
    steps, shifts = np.zeros((MEMORY, size, count)), np.zeros((MEMORY, size, count))
    inverse = np.zeros((MEMORY, count))
    # nothing is known of the curvature yet: a first step of length one at most, as in other codes
    direction, length = -slope, 1 / np.maximum(1.0, np.linalg.norm(slope, axis=0))
    n_iter, backtracks = np.zeros(count, dtype=int), np.zeros(count, dtype=int)
    reason = np.where(largest <= tol, CONVERGED, "").astype(object)
    while (active := np.flatnonzero(reason == "")).size:
        trial = v[:, active] + length[active] * direction[:, active]
        new_value, new_slope, new_largest = batch.evaluate(trial, active)
        descent = (slope[:, active] * direction[:, active]).sum(axis=0)
        allowed = value[active] + 1e-4 * length[active] * descent
        # a difference below rounding is progress too, as long as the gradient says so
        fine = (new_value <= allowed) | ((new_value <= value[active] * (1 + 1e-13)) & (new_largest < largest[active]))
        missed, k = active[~fine], active[fine]
        backtracks[missed] += 1
        length[missed] *= 0.3
        reason[missed[backtracks[missed] > MAX_BACKTRACKS]] = "the line search found no better point"
        step, shift = trial[:, fine] - v[:, k], new_slope[:, fine] - slope[:, k]
        bend = (step * shift).sum(axis=0)
        curved = bend > 1e-12 * (step**2).sum(axis=0)  # where the loss is concave, the pair would spoil the memory
        c = k[curved]
        for memory, pair in ((steps, step), (shifts, shift)):
            memory[:-1, :, c] = memory[1:, :, c]
            memory[-1][:, c] = pair[:, curved]
        inverse[:-1, c], inverse[-1, c] = inverse[1:, c], 1 / bend[curved]
        v[:, k], value[k], slope[:, k], largest[k] = (
            trial[:, fine],
            new_value[fine],
            new_slope[:, fine],
            new_largest[fine],
        )
        n_iter[k] += 1
        backtracks[k], length[k] = 0, 1.0
        reason[k] = np.where(largest[k] <= tol, CONVERGED, np.where(n_iter[k] >= max_iter, BUDGET, ""))
        direction[:, k] = -_two_loops(slope[:, k], steps[:, :, k], shifts[:, :, k], inverse[:, k])
        uphill = k[(direction[:, k] * slope[:, k]).sum(axis=0) >= 0]
        direction[:, uphill], inverse[:, uphill] = -slope[:, uphill], 0.0
    coef, intercept = batch.expand(v, np.arange(count))
    return [
        Solution(coef[:, [j]], intercept[[j]], float(value[j]), int(n_iter[j]), float(largest[j]), str(reason[j]))
        for j in range(count)
    ]


def _two_loops(slope: Array, steps: Array, shifts: Array, inverse: Array) -> Array:
    """Product of the inverse Hessian in memory with each column; empty places have an inverse curvature of 0."""
    q, shares = slope.copy(), np.empty_like(inverse)
    for i in reversed(range(len(inverse))):
        shares[i] = inverse[i] * (steps[i] * q).sum(axis=0)
        q -= shares[i] * shifts[i]
    last = (shifts[-1] ** 2).sum(axis=0)
    q *= np.where(inverse[-1] > 0, 1 / np.maximum(inverse[-1] * last, 1e-300), 1.0)
    for i in range(len(inverse)):
        q += (shares[i] - inverse[i] * (shifts[i] * q).sum(axis=0)) * steps[i]
    return q


def _scores(X: Any, coef: Array) -> Array:
    """Product with all columns, in the precision of ``X``."""
    narrow = coef.astype(X.dtype)
    if coef.shape[1] <= FEW:
        return np.stack([X @ column for column in narrow.T], axis=1, dtype=np.float64)
    return np.asarray(X @ narrow, dtype=np.float64)


def _slopes(X: Any, slopes: Array) -> Array:
    """Product of the transposed ``X`` with all columns, in its precision."""
    narrow = np.ascontiguousarray(slopes.T, dtype=X.dtype)
    if len(narrow) <= FEW:
        return np.stack([row @ X for row in narrow], axis=1, dtype=np.float64)
    return np.asarray(narrow @ X, dtype=np.float64).T


class _Batch:
    """Objectives of all problems in whitened variables, one column each."""

    def __init__(
        self, X: Any, problems: Sequence[Problem], factor: DesignFactor | None, penalise_intercept: bool
    ) -> None:
        self.X, self.problems, self.penalise_intercept = X, problems, penalise_intercept
        self.y = np.stack([problem.y for problem in problems], axis=1).astype(np.float64)
        self.l2 = np.array([problem.l2 for problem in problems])
        self.whitening = {l2: factor.whitening(l2) if factor else OriginalVariables() for l2 in np.unique(self.l2)}
        self.groups: dict[Any, list[int]] = {}
        for j, problem in enumerate(problems):
            self.groups.setdefault(problem.loss, []).append(j)

    def starts(self) -> Array:
        d = self.X.shape[1]
        zero = np.zeros((d, 1)), np.zeros(1)
        return np.hstack([self.whitening[p.l2].whiten(*(p.start or zero)) for p in self.problems])

    def expand(self, v: Array, columns: NDArray[np.intp]) -> tuple[Array, Array]:
        coef, intercept = np.empty((v.shape[0] - 1, v.shape[1])), np.empty(v.shape[1])
        for l2, whitening in self.whitening.items():
            own = self.l2[columns] == l2
            coef[:, own], intercept[own] = whitening.expand(v[:, own])
        return coef, intercept

    def evaluate(self, v: Array, columns: NDArray[np.intp]) -> tuple[Array, Array, Array]:
        """Value, gradient in whitened variables and largest entry of the gradient in the original ones."""
        coef, intercept = self.expand(v, columns)
        y, l2, n = self.y[:, columns], self.l2[columns], len(self.y)
        margin = y * (_scores(self.X, coef) + intercept)
        value, slopes = np.empty(len(columns)), np.empty_like(margin)
        for loss, members in self.groups.items():
            own = np.isin(columns, members)
            losses, weights = loss.value_and_weight(margin[:, own])
            value[own], slopes[:, own] = losses.mean(axis=0), weights
        slopes *= -y / n
        slope = _slopes(self.X, slopes) + l2 * coef
        tilt = slopes.sum(axis=0)
        value += l2 / 2 * (coef**2).sum(axis=0)
        if self.penalise_intercept:
            value += l2 / 2 * intercept**2
            tilt += l2 * intercept
        largest = np.maximum(np.abs(slope).max(axis=0), np.abs(tilt))
        pulled = np.empty_like(v)
        for l2_, whitening in self.whitening.items():
            own = l2 == l2_
            pulled[:, own] = whitening.pull(slope[:, own], tilt[own])
        return value, pulled, largest
