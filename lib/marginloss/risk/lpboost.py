r"""Which mixture of T models has the best tail? LPBoost's linear program, exactly and fast (zhai2021, section 3)."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from marginloss._validation import check_choice, check_real
from marginloss.risk.cvar import cvar
from marginloss.risk.entropic import descend
from marginloss.risk.masses import BLOCK, Array, check_losses, check_tail, check_tails, masses, mix, price, spread
from marginloss.risk.program import DualProgram
from marginloss.risk.reference import primal_by_cvxpy
from marginloss.risk.result import LPBoostResult

__all__ = ["lpboost", "lpboost_path"]

_FIRST = 8  # samples a model with which sifting starts, and the most it takes in at a time


def lpboost(
    losses: ArrayLike, alpha: float, solver: str = "highs", tol: float = 1e-9, sample_weight: ArrayLike | None = None
) -> LPBoostResult:
    r"""Model weights whose mixture has the least CVaR at a tail fraction ``alpha``, with a certificate.

    .. math:: \min_{\lambda\in\Delta_T}\ \mathrm{CVaR}_\alpha(L\lambda)
              \;=\; \max_{w\in\mathcal C_\alpha}\ \min_s\ \langle w,\ell^s\rangle

    Problems (6) and (5) of zhai2021; by its Proposition 3 the value is :math:`1-\rho_*`, one minus the optimum of the
    soft-margin LPBoost program. The default route sifts: most samples end at their cap or at zero, so HiGHS is given
    those near the edge of the tail, the others are held at their bounds and taken in when their price has the wrong
    sign. A rough answer to the smoothed problem (8) tells which these are and where the simplex method begins.
    ``solver="cvxpy"`` is the readable route, the primal problem as printed, for comparison.

    Parameters
    ----------
    losses : array_like of shape (n, T)
        Loss of each of T models on each sample, finite. A table of booleans is never made one of numbers.
    alpha : float
        Tail fraction in (0, 1].
    solver : {"highs", "cvxpy"}
        The second needs the extra ``bench``.
    tol : float
        Largest gap, in units of the range of the losses.
    sample_weight : array_like of shape (n,), optional
        Weights of the samples; equal to repetition.

    Returns
    -------
    LPBoostResult
        A ``ConvergenceWarning`` tells when ``gap`` exceeds ``tol``.

    Examples
    --------
    Five models, each wrong on its own fifth of the samples: one model fails the worst fifth altogether, the even
    mixture loses 0.2 everywhere.

    >>> import numpy as np
    >>> result = lpboost(np.repeat(np.eye(5), 2, axis=0), alpha=0.2)
    >>> result.model_weights.round(12), round(result.value, 12)
    (array([0.2, 0.2, 0.2, 0.2, 0.2]), 0.2)
    """
    is_table = solver == "highs" and isinstance(losses, np.ndarray) and losses.dtype == bool
    matrix: NDArray[Any] = np.asarray(losses) if is_table else check_losses(losses, ndim=2)
    alpha, tol = check_tail(alpha), check_real("tol", tol, "(0, inf)")
    check_choice("solver", solver, ("highs", "cvxpy"))
    mass = masses(sample_weight, len(matrix))
    scaled = _Scaled(matrix, mass)
    if solver == "cvxpy":
        model_weights, weights = primal_by_cvxpy(scaled.losses, scaled.mass, alpha, tol)
    else:
        model_weights, weights = _sift(scaled.losses, scaled.mass, alpha, tol)
    result = scaled.result(model_weights, weights, alpha)
    _warn_if_short(result.gap, tol * scaled.range)
    return result


def lpboost_path(
    losses: ArrayLike, alphas: ArrayLike, sample_weight: ArrayLike | None = None, tol: float = 1e-9
) -> list[LPBoostResult]:
    r"""LPBoost's optimum for many tail fractions, each solved from the last one's basis.

    With :math:`v = \alpha n w` only the sum of :math:`v` depends on :math:`\alpha`: the program is parametric in one
    right-hand side, so :math:`\alpha\min_\lambda\mathrm{CVaR}_\alpha` is concave and piecewise linear, and there are
    finitely many optimal model weights on the whole path.

    Parameters
    ----------
    losses : array_like of shape (n, T)
        Loss of each of T models on each sample, finite.
    alphas : array_like of shape (A,)
        Tail fractions in (0, 1], in any order.
    sample_weight : array_like of shape (n,), optional
        Weights of the samples; equal to repetition.
    tol : float
        Largest gap, in units of the range of the losses.

    Returns
    -------
    list of LPBoostResult
        In the order of ``alphas``.

    Examples
    --------
    >>> import numpy as np
    >>> [round(r.value, 12) for r in lpboost_path(np.repeat(np.eye(5), 2, axis=0), [0.1, 0.5])]
    [0.2, 0.2]
    """
    matrix = check_losses(losses, ndim=2)
    levels = check_tails(alphas)
    scaled = _Scaled(matrix, masses(sample_weight, len(matrix)))
    n = len(scaled.mass)
    program = DualProgram(scaled.losses, scaled.mass * n, 0.0)
    results: dict[int, LPBoostResult] = {}
    for position in np.argsort(levels, kind="stable"):
        # a tail within the lightest sample is that sample; its sum may be below the tolerances of the solver
        alpha = max(float(levels[position]), float(scaled.mass.min()))
        # never more than the bounds hold: at alpha = 1 rounding would make the program infeasible
        program.set_total(min(alpha, 1.0) * n * (1 - 1e-15))
        weights, model_weights, _ = program.solve()
        results[int(position)] = result = scaled.result(model_weights, weights / (alpha * n), alpha)
        _warn_if_short(result.gap, tol * scaled.range)
    return [results[i] for i in range(len(levels))]


class _Scaled:
    """Losses on the unit interval with equal rows merged, and the way back."""

    def __init__(self, matrix: NDArray[Any], mass: Array) -> None:
        self._original, self._mass = matrix, mass
        self._present = mass > 0
        present, p = (matrix, mass) if self._present.all() else (matrix[self._present], mass[self._present])
        merged = _distinct_rows(present)
        self._kind = None if merged is None else merged[1]
        self.mass: Array = p if merged is None else np.bincount(merged[1], weights=p).astype(np.float64)
        self.losses: NDArray[Any] = present if merged is None else present[merged[0]]
        self.range = 1.0
        if matrix.dtype != bool:
            low, self.range = float(present.min()), float(np.ptp(present))
            self.losses = (self.losses - low) / (self.range or 1.0)

    def result(self, model_weights: Array, weights: Array, alpha: float) -> LPBoostResult:
        """Repair rounding, undo merging and compute the certificate on the losses as they were given."""
        total = model_weights.sum()
        n_models = len(model_weights)
        model_weights = model_weights / total if total > 0 else np.full(n_models, 1.0 / n_models)
        weights = _into_capped_simplex(weights, self.mass / alpha)
        if self._kind is not None:
            weights = (weights / self.mass)[self._kind] * self._mass[self._present]
        full = spread(weights, self._present)
        value = cvar(mix(self._original, model_weights), alpha, self._mass)
        lower = float(price(full, self._original).min())
        return LPBoostResult(model_weights, full, value, max(value - lower, 0.0))


def _distinct_rows(matrix: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
    """Index of one row of each kind and the kind of each row, or ``None`` if more than half of the rows are left."""
    n = len(matrix)
    # one random number a row sorts equal rows together; rows are then compared for real
    key = mix(matrix, np.random.default_rng(0).random((matrix.shape[1],)))
    order = np.argsort(key, kind="stable")
    alike = np.flatnonzero(np.diff(key[order]) == 0)
    if 2 * len(alike) < n:
        return None
    same = np.empty(len(alike), dtype=bool)
    for first in range(0, len(alike), BLOCK):
        pair = alike[first : first + BLOCK]
        same[first : first + BLOCK] = (matrix[order[pair]] == matrix[order[pair + 1]]).all(axis=1)
    new = np.ones(n, dtype=bool)
    new[alike[same] + 1] = False
    if 2 * new.sum() > n:
        return None
    inverse = np.empty(n, dtype=np.intp)
    inverse[order] = np.cumsum(new) - 1
    return order[new], inverse


def _into_capped_simplex(weights: Array, caps: Array) -> Array:
    """Remove the rounding of a solver: a feasible point next to one that is feasible up to its tolerance."""
    weights = np.clip(weights, 0.0, caps)
    missing = 1.0 - weights.sum()
    if missing <= 0:
        return weights / weights.sum()
    room = caps - weights
    return weights + room * (missing / max(float(room.sum()), missing))


def _sift(losses: NDArray[Any], mass: Array, alpha: float, tol: float) -> tuple[Array, Array]:
    """Model weights and sample weights; the program holds only the samples whose weight is in question."""
    n, n_models = losses.shape
    caps = mass / alpha
    at_once = min(n, _FIRST * (n_models + 1))
    model_weights = np.full(n_models, 1.0 / n_models)
    if n > at_once:
        # a rough answer to the smoothed problem shows where the edge of the tail will be; the more samples make up the
        # tail, the sharper its edge is worth drawing
        beta = math.sqrt(20.0 * alpha * n)
        model_weights = descend(losses, mass, alpha, beta, model_weights, 1.0 / beta, max_iter=4)[0]
    z = mix(losses, model_weights)
    # samples around the edge are free, those above it at the cap
    order = np.argsort(-z, kind="stable")
    edge = min(int(np.searchsorted(np.cumsum(caps[order]), 1.0)), n - 1)
    first = min(max(edge - at_once // 2, 0), n - at_once)
    free = order[first : first + at_once]
    capped, held = np.zeros(n, dtype=bool), np.ones(n, dtype=bool)
    capped[order[:first]] = True
    held[free] = False

    def outside() -> tuple[float, Array]:
        return 1.0 - float(caps[capped].sum()), price(caps[capped], losses[capped])

    program = DualProgram(losses[free], caps[free], *outside())
    if n > at_once:
        program.begin_at(model_weights, z[free] - z[order[edge]])
    while True:
        inside, model_weights, level = program.solve()
        weights = np.where(capped, caps, 0.0)
        weights[free] = np.clip(inside, 0.0, caps[free])
        z = mix(losses, model_weights)
        wrong = np.flatnonzero(held & np.where(capped, z < level - tol, z > level + tol))
        # a sample on the wrong side costs at most its distance from the edge times its cap
        if float(caps[wrong] @ np.abs(z[wrong] - level)) <= tol:
            return model_weights, weights
        if len(wrong) > at_once:
            wrong = wrong[np.argpartition(-np.abs(z[wrong] - level), at_once)[:at_once]]
        at_upper = capped[wrong]
        capped[wrong] = held[wrong] = False
        free = np.concatenate([free, wrong])
        program.extend(losses[wrong], caps[wrong], at_upper, *outside())


def _warn_if_short(gap: float, tol: float) -> None:
    # a range of zero leaves only rounding
    if gap > max(tol, 1e-14):
        warnings.warn(f"LPBoost stopped at a gap of {gap:.1e}, tol allows {tol:.1e}", ConvergenceWarning, stacklevel=3)
