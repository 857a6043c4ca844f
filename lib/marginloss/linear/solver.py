"""Minimisers of a mean loss plus penalty: L-BFGS in whitened variables, gradient descent with a budget, a norm ball."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from marginloss.linear.factor import DesignFactor
from marginloss.linear.objective import Objective

__all__ = ["Solution", "best_of", "descend", "minimise", "minimise_in_ball"]

Array = NDArray[np.float64]

#: The ball is reached when the norm is within this relative distance of the radius.
RADIUS_TOL = 1e-6
CONVERGED = "gradient below tol"
EXACT = "objective exact to rounding"
BUDGET = "max_iter reached"
PLATEAU = "zero gradient at the start: every example is on the flat part of the loss"


@dataclass(frozen=True)
class Solution:
    """Where a solver stopped, and why."""

    coef: Array
    intercept: Array
    value: float
    n_iter: int
    gradient: float
    reason: str

    @property
    def converged(self) -> bool:
        """Whether no entry of the gradient exceeds the tolerance, or no smaller objective can be told apart."""
        return self.reason in (CONVERGED, EXACT)

    @property
    def norm(self) -> float:
        """Euclidean norm of the coefficients."""
        return float(np.linalg.norm(self.coef))


def best_of(solutions: Iterable[Solution]) -> Solution:
    """The solution with the smallest objective; the iterations of all are counted."""
    tried = list(solutions)
    best = min(tried, key=lambda s: (s.value, not s.converged))
    return replace(best, n_iter=sum(s.n_iter for s in tried))


def minimise(
    objective: Objective,
    start: tuple[Array, Array],
    factor: DesignFactor,
    l2: float,
    tol: float = 1e-6,
    max_iter: int = 1000,
) -> Solution:
    """L-BFGS in the variables of ``factor``, until no entry of the gradient exceeds ``tol``.

    Parameters
    ----------
    objective : Objective
    start : (coef, intercept)
    factor : DesignFactor
        Changes the path only.
    l2 : float
        Penalty ``l2 / 2 * |coef|^2`` is added to the objective.
    tol : float
        On the largest entry of the gradient in the original variables.
    max_iter : int
    """
    whitening = factor.whitening(l2, centred=objective.fit_intercept)
    shape = (factor.n_features + 1, objective.outputs)
    best = Solution(*start, np.inf, 0, np.inf, "the objective is not finite")
    latest = best
    iterations = 0

    def evaluate(v: Array) -> tuple[float, Array]:
        nonlocal latest
        coef, intercept = whitening.expand(v.reshape(shape))
        value, slope, tilt = objective(coef, intercept)
        value += l2 / 2 * float((coef**2).sum())
        slope = slope + l2 * coef
        largest = max(np.abs(slope).max(initial=0.0), np.abs(tilt).max())
        latest = Solution(coef, intercept, value, iterations, float(largest), "")
        return value, whitening.pull(slope, tilt).ravel()

    def step(v: Array) -> None:
        nonlocal iterations, best
        iterations += 1
        if np.isfinite(latest.value) and latest.value <= best.value:
            best = replace(latest, n_iter=iterations)
        if best.gradient <= tol:
            raise StopIteration

    v = whitening.whiten(*start).ravel()
    first = evaluate(v)
    best = latest
    if best.gradient <= tol:
        return replace(best, reason=CONVERGED if objective.is_convex or best.gradient > 0 else PLATEAU)
    # the test on the gradient is ours, in the original variables
    options = {"maxiter": max_iter, "maxfun": 20 * max_iter, "maxcor": 20, "ftol": 0.0, "gtol": 0.0, "maxls": 40}
    known = [first]  # the solver asks for the start again
    result = minimize(
        lambda v: known.pop() if known else evaluate(v), v, jac=True, method="L-BFGS-B", callback=step, options=options
    )
    if best.gradient <= tol:
        return replace(best, reason=CONVERGED)
    if not np.isfinite(latest.value):
        return replace(best, reason="the objective is not finite")
    # in whitened variables the squared gradient is about twice what is left to gain
    _, v_slope = evaluate(whitening.whiten(best.coef, best.intercept).ravel())
    if v_slope @ v_slope <= objective.rounding * max(1.0, abs(best.value)):
        return replace(best, reason=EXACT)
    return replace(best, reason=BUDGET if result.status == 1 else "the line search found no better point")


def minimise_in_ball(
    objective: Objective,
    start: tuple[Array, Array],
    factor: DesignFactor,
    l2: float,
    radius: float | None,
    tol: float = 1e-6,
    max_iter: int = 1000,
) -> Solution:
    """Like :func:`minimise`, under ``|coef| <= radius``: the multiplier of the ball is found by a secant on 1/norm.

    The solution at a multiplier ``m`` is that of the penalty ``l2 + m``; its norm falls with ``m``. Intercepts are
    free.
    """
    if radius is None:
        return minimise(objective, start, factor, l2, tol, max_iter)
    start = start[0] * (radius / max(float(np.linalg.norm(start[0])), radius)), start[1]  # inside of the ball
    _, slope, _ = objective(*start)
    first = max(l2, float(np.linalg.norm(slope)) / radius)  # there the norm is at most about the radius
    low, high = l2, first
    inside = minimise(objective, start, factor, high, tol, max_iter)
    used = max(1, inside.n_iter)
    tol = tol / 100  # the norm has to follow small changes of the multiplier
    while inside.norm > radius and used < max_iter:
        low, high = high, max(4 * high, tol / radius)
        inside = minimise(objective, (inside.coef, inside.intercept), factor, high, tol, max_iter)
        used += max(1, inside.n_iter)
    # towards the ball from inside: lower the multiplier until the norm is the radius, or the multiplier is gone
    outside: Solution | None = None
    while high > l2 and inside.norm < radius * (1 - RADIUS_TOL) and high - low > 1e-13 * high and used < max_iter:
        if outside is None:
            trial = high / 30 if high > max(30 * l2, 1e-7 * first) else l2
        else:
            # 1/norm is almost linear in the multiplier; keep away from the ends of the bracket
            share = (1 / inside.norm - 1 / radius) / (1 / inside.norm - 1 / outside.norm) if inside.norm > 0 else 0.5
            trial = high - (high - low) * min(max(share, 0.01), 0.99)
        near = inside if outside is None or radius - inside.norm < outside.norm - radius else outside
        found = minimise(objective, (near.coef, near.intercept), factor, trial, tol, max_iter)
        used += max(1, found.n_iter)
        if found.norm > radius:
            outside, low = found, trial
        else:
            inside, high = found, trial
    value, _, _ = objective(inside.coef, inside.intercept)
    reason = inside.reason
    if high > l2 and inside.norm < radius * (1 - RADIUS_TOL):
        reason = BUDGET if used >= max_iter else "the norm of the solution jumps across the radius"
    elif inside.norm > radius * (1 + RADIUS_TOL):
        reason = BUDGET
    return replace(inside, value=value + l2 / 2 * inside.norm**2, n_iter=used, reason=reason)


def descend(
    objective: Objective,
    start: tuple[Array, Array],
    l2: float,
    step_size: float,
    radius: float | None = None,
    tol: float = 1e-6,
    max_iter: int = 1000,
) -> Solution:
    """Gradient descent with a fixed step and a budget, projected on the ball of ``radius`` if there is one."""
    coef, intercept = (part.copy() for part in start)

    for k in range(max_iter + 1):
        value, slope, tilt = objective(coef, intercept)
        value, slope = value + l2 / 2 * float((coef**2).sum()), slope + l2 * coef
        if not np.isfinite(slope).all():
            reason = "the objective is not finite: step_size is too large"
            return Solution(coef, intercept, value, k, np.inf, reason)
        moved = coef - step_size * slope
        norm = np.linalg.norm(moved)
        if radius is not None and norm > radius:
            moved *= radius / norm
        # what a step of length one would move, which on the ball is the projected gradient
        largest = float(max(np.abs(coef - moved).max(initial=0.0) / step_size, np.abs(tilt).max()))
        if largest <= tol:
            flat = k == largest == 0 and not objective.is_convex
            return Solution(coef, intercept, value, k, largest, PLATEAU if flat else CONVERGED)
        if k == max_iter:
            break
        coef, intercept = moved, intercept - step_size * tilt
    return Solution(coef, intercept, value, max_iter, largest, BUDGET)
