"""Many linear models on the same rows at once: L-BFGS in lock-step, so that two matrix products serve all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marginloss.companion.experiments.amid2019.shared_rows import Replaced, SharedRows
from marginloss.linear.factor import DesignFactor
from marginloss.linear.solver import BUDGET, CONVERGED, Solution

Array = NDArray[np.float64]

MEMORY = 10
MAX_BACKTRACKS = 30
WAITING = "waits for another problem"


@dataclass(frozen=True, eq=False)
class Problem:
    """One model, and how it is to be fitted.

    Parameters
    ----------
    y : ndarray of shape (n,)
        Labels −1/+1; a row with label 0 is left out.
    loss : MarginLoss or SmoothedHinge
    l2 : float
    start : Problem or (coef, intercept), optional
        Zero if left out; another problem of the same batch: its solution.
    factor : DesignFactor, optional
        Of these or similar rows; it changes the path only. Without it the original variables, which is slower; where a
        loss is not convex, another path can end in another minimum.
    tol : float
        On the largest entry of the gradient.
    max_iter : int
        Accepted steps.
    replaced : Replaced, optional
        Rows in which the inputs of this model are others.
    """

    y: NDArray[Any]
    loss: Any
    l2: float
    start: Problem | tuple[Array, Array] | None = None
    factor: DesignFactor | None = None
    tol: float = 1e-4
    max_iter: int = 150
    replaced: Replaced | None = None


def minimise_many(X: Any, problems: Sequence[Problem], penalise_intercept: bool = False) -> list[Solution]:
    """Minimise all problems, each with an intercept, until no entry of its gradient exceeds its ``tol``.

    The same variables as in :func:`marginloss.linear.solver.minimise`, with a backtracking line search. A matrix of
    scores is one product for all problems, which runs at the speed of the processor and not of the memory; problems
    that have converged drop out.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n, d)
        The products run in its precision.
    problems : sequence of Problem
    penalise_intercept : bool
        Whether the penalty is on the intercept too, as it is when data have a constant feature in its place.
    """
    batch = _Batch(X, problems, penalise_intercept)
    size, count = X.shape[1] + 1, len(problems)
    tol, max_iter = (np.array([getattr(problem, name) for problem in problems]) for name in ("tol", "max_iter"))
    v, slope, direction = (np.zeros((count, size)) for _ in range(3))
    value, largest, length = np.full(count, np.inf), np.full(count, np.inf), np.ones(count)
    steps, shifts = np.zeros((MEMORY, count, size)), np.zeros((MEMORY, count, size))
    inverse = np.zeros((MEMORY, count))
    # the first trial is the start itself: a step of length zero, better than the infinity before it
    n_iter, backtracks = np.full(count, -1), np.zeros(count, dtype=int)
    reason = np.full(count, WAITING, dtype=object)
    while True:
        for j in map(int, np.flatnonzero(reason == WAITING)):
            if (before := batch.before[j]) is None or reason[before] not in (WAITING, ""):
                v[j], reason[j] = batch.start(j, v), ""
        if not (active := np.flatnonzero(reason == "")).size:
            break
        trial = v[active] + length[active, None] * direction[active]
        new_value, new_slope, new_largest = batch.evaluate(trial, active)
        descent = np.vecdot(slope[active], direction[active])
        allowed = value[active] + 1e-4 * length[active] * descent
        # a difference below rounding is progress too, as long as the gradient says so
        fine = (new_value <= allowed) | ((new_value <= value[active] * (1 + 1e-13)) & (new_largest < largest[active]))
        missed, k = active[~fine], active[fine]
        backtracks[missed] += 1
        length[missed] *= 0.3
        reason[missed[backtracks[missed] > MAX_BACKTRACKS]] = "the line search found no better point"
        step, shift = trial[fine] - v[k], new_slope[fine] - slope[k]
        bend = np.vecdot(step, shift)
        curved = bend > 1e-12 * np.vecdot(step, step)  # where the loss is concave, the pair would spoil the memory
        c = k[curved]
        for memory, pair in ((steps, step), (shifts, shift)):
            memory[:-1, c] = memory[1:, c]
            memory[-1, c] = pair[curved]
        inverse[:-1, c], inverse[-1, c] = inverse[1:, c], 1 / bend[curved]
        v[k], value[k], slope[k], largest[k] = trial[fine], new_value[fine], new_slope[fine], new_largest[fine]
        n_iter[k] += 1
        # nothing is known of the curvature at first: a step of length one at most, as in other codes
        first = 1 / np.maximum(1.0, np.linalg.norm(slope[k], axis=1))
        backtracks[k], length[k] = 0, np.where(n_iter[k] == 0, first, 1.0)
        reason[k] = np.where(largest[k] <= tol[k], CONVERGED, np.where(n_iter[k] >= max_iter[k], BUDGET, ""))
        direction[k] = -_two_loops(slope[k], steps[:, k], shifts[:, k], inverse[:, k])
        uphill = k[np.vecdot(direction[k], slope[k]) >= 0]
        direction[uphill], inverse[:, uphill] = -slope[uphill], 0.0
    coef, intercept = batch.expand(v, np.arange(count))
    return [
        Solution(coef[j, :, None], intercept[[j]], float(value[j]), int(n_iter[j]), float(largest[j]), str(reason[j]))
        for j in range(count)
    ]


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


class _OriginalVariables:
    """No change of variables, instead of a :class:`DesignFactor`: for those who want the path of plain L-BFGS."""

    def expand(self, v: Array) -> tuple[Array, Array]:
        """Coefficients and intercepts of variables of shape (d + 1, K)."""
        return v[:-1], v[-1]

    def whiten(self, coef: Array, intercept: Array) -> Array:
        """Inverse of ``expand``."""
        return np.vstack([coef, intercept])

    pull = whiten


class _Batch:
    """Objectives of all problems in whitened variables, one row each."""

    def __init__(self, X: Any, problems: Sequence[Problem], penalise_intercept: bool) -> None:
        self.rows = SharedRows(X, [problem.replaced for problem in problems])
        self.problems, self.penalise_intercept = problems, penalise_intercept
        self.y = np.stack([problem.y for problem in problems]).astype(np.float64)
        self.l2 = np.array([problem.l2 for problem in problems])
        self.count = np.count_nonzero(self.y, axis=1)
        at_zero = np.array([float(problem.loss.value_and_weight(np.zeros(1))[0][0]) for problem in problems])
        #: What rows that are left out, of margin zero, would add to the sum of the losses.
        self.surplus = (self.y.shape[1] - self.count) * at_zero
        numbers = {problem: j for j, problem in enumerate(problems)}
        #: The problem at whose solution each one begins, if any.
        self.before = [numbers[p.start] if isinstance(p.start, Problem) else None for p in problems]
        self._zero = np.zeros((X.shape[1], 1)), np.zeros(1)
        original = _OriginalVariables()
        self.variables = [p.factor.whitening(p.l2) if p.factor else original for p in problems]
        # problems that share their variables, and those that share their loss
        self.spaces, self.losses = _Groups(self.variables), _Groups([problem.loss for problem in problems])

    def start(self, model: int, v: Array) -> Array:
        """Where a problem begins, in its own variables; ``v`` has the solutions that are known."""
        before, start = self.before[model], self.problems[model].start
        if before is not None:
            start = self.variables[before].expand(v[[before]].T)
        coef, intercept = start if isinstance(start, tuple) else self._zero
        return self.variables[model].whiten(coef, intercept)[:, 0]

    def expand(self, v: Array, models: NDArray[np.intp]) -> tuple[Array, Array]:
        coef, intercept = np.empty((len(v), v.shape[1] - 1)), np.empty(len(v))
        for space, own in self.spaces.among(models):
            columns, intercept[own] = space.expand(v[own].T)
            coef[own] = columns.T
        return coef, intercept

    def evaluate(self, v: Array, models: NDArray[np.intp]) -> tuple[Array, Array, Array]:
        """Value, gradient in whitened variables and largest entry of the gradient in the original ones."""
        coef, intercept = self.expand(v, models)
        l2, n = self.l2[models], self.count[models]
        value, tilt = np.zeros(len(models)), np.zeros(len(models))
        groups = list(self.losses.among(models))

        def weigh(rows: slice, scores: Array) -> Array:
            y = self.y[models, rows]
            scores += intercept[:, None]
            scores *= y
            for loss, own in groups:
                losses, scores[own] = loss.value_and_weight(scores[own])
                value[own] += losses.sum(axis=1)
            scores *= y
            tilt[:] -= scores.sum(axis=1)
            return scores

        slope = l2[:, None] * coef - self.rows.sums(coef, models, weigh) / n[:, None]
        value = (value - self.surplus[models]) / n + l2 / 2 * np.vecdot(coef, coef)
        tilt /= n
        if self.penalise_intercept:
            value += l2 / 2 * intercept**2
            tilt += l2 * intercept
        largest = np.maximum(np.abs(slope).max(axis=1), np.abs(tilt))
        pulled = np.empty_like(v)
        for space, own in self.spaces.among(models):
            pulled[own] = space.pull(slope[own].T, tilt[own]).T
        return value, pulled, largest


class _Groups:
    """Problems that have something in common."""

    def __init__(self, keys: Sequence[Any]) -> None:
        self._keys = list(dict.fromkeys(keys))
        self._numbers = np.array([self._keys.index(key) for key in keys])

    def among(self, models: NDArray[np.intp]) -> Iterator[tuple[Any, Any]]:
        """Places in ``models`` of each group that has any there; neighbours as a slice, to copy nothing."""
        numbers = self._numbers[models]
        for number, key in enumerate(self._keys):
            own = np.flatnonzero(numbers == number)
            if own.size:
                yield key, slice(own[0], own[-1] + 1) if own[-1] - own[0] < own.size else own
