r"""Entropy-regularised LPBoost by Newton steps on the model weights (zhai2021, equation 8)."""

from __future__ import annotations

import math
import warnings

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg.lapack import dposv
from sklearn.exceptions import ConvergenceWarning

from marginalia.risk.masses import Array, check_beta, check_losses, check_tail, masses, spread
from marginalia.risk.result import LPBoostResult
from marginalia.risk.simplex import capped_exponential
from marginalia.risk.smoothed import relative_entropy

__all__ = ["entropic_lpboost"]

_NEW_MODELS = 10  # models outside the support that one Newton step may bring in


def entropic_lpboost(
    losses: ArrayLike,
    alpha: float,
    beta: float,
    sample_weight: ArrayLike | None = None,
    *,
    start: ArrayLike | None = None,
    tol: float = 1e-9,
    max_iter: int = 200,
) -> LPBoostResult:
    r"""Model weights with the least smoothed CVaR for a tail fraction ``alpha``, with a certificate.

    .. math:: \min_{\lambda\in\Delta_T}\ \phi_{\alpha,\beta}(L\lambda)
              \;=\; \max_{w\in\mathcal C_\alpha}\ \min_s\,\langle w,\ell^s\rangle - \tfrac1\beta\mathrm{KL}(w\,\|\,p)

    Problem (8) of zhai2021 with the inequality turned round, which its authors surely meant. The objective is smooth
    with gradient :math:`L^\top w` and Hessian :math:`\beta L_F^\top(\mathrm{diag}(w_F) - w_Fw_F^\top/\sum_F w)L_F` on
    the samples :math:`F` below the cap; each Newton step is a small quadratic program on the simplex.

    Parameters
    ----------
    losses : array_like of shape (n, T)
        Loss of each of T models on each sample.
    alpha : float
        Tail fraction in (0, 1].
    beta : float
        Positive; the value is within :math:`\log(1/\alpha)/\beta` of plain LPBoost's.
    sample_weight : array_like of shape (n,), optional
        Weights of the samples; equal to repetition.
    start : array_like of shape (T,), optional
        Model weights to start from.
    tol : float
        Largest gap between the value and its certified lower bound.
    max_iter : int
        Newton steps; a ``ConvergenceWarning`` tells the gap when they do not suffice.

    Returns
    -------
    LPBoostResult
        ``value`` is the smoothed CVaR at ``model_weights``.

    Examples
    --------
    >>> import numpy as np
    >>> result = entropic_lpboost(np.eye(4), alpha=0.25, beta=10.0)
    >>> result.model_weights.round(6), round(result.value, 6)
    (array([0.25, 0.25, 0.25, 0.25]), 0.25)
    """
    matrix = check_losses(losses, ndim=2)
    alpha, beta = check_tail(alpha), check_beta(beta)
    mass = masses(sample_weight, len(matrix))
    present = mass > 0
    matrix, mass = matrix[present], mass[present]
    model_weights = _simplex_start(start, matrix.shape[1])
    # from flat to steep: each problem starts where the last one ended, and a rough answer is enough on the way
    smallest = 4.0 / max(float(np.ptp(matrix)), 1e-300)
    betas = (
        [beta / 8.0**k for k in range(math.ceil(math.log(max(beta / smallest, 1.0), 8.0)), 0, -1)]
        if start is None
        else []
    )
    for flatter in betas:
        model_weights = _descend(matrix, mass, alpha, flatter, model_weights, 0.3 / flatter, max_iter)[0]
    model_weights, weights, value, gap = _descend(matrix, mass, alpha, beta, model_weights, tol, max_iter)
    if gap > tol:
        warnings.warn(
            f"entropic_lpboost stopped at a gap of {gap:.1e}, tol is {tol:.1e}", ConvergenceWarning, stacklevel=2
        )
    return LPBoostResult(model_weights, spread(weights, present), value, gap)


def _simplex_start(start: ArrayLike | None, n_models: int) -> Array:
    if start is None:
        return np.full(n_models, 1.0 / n_models)
    weights = np.asarray(start, dtype=np.float64)
    if weights.shape != (n_models,) or not (weights >= 0).all() or not 0 < weights.sum() < np.inf:
        raise ValueError(f"start must hold {n_models} model weights that are not negative, got {start!r}")
    return weights / weights.sum()


def _descend(
    losses: Array, mass: Array, alpha: float, beta: float, model_weights: Array, tol: float, max_iter: int
) -> tuple[Array, Array, float, float]:
    """Newton's method from given model weights; the best point found and its certificate."""
    log_mass, caps = np.log(mass), mass / alpha

    def evaluate(candidate: Array) -> tuple[Array, Array, float, float]:
        z = losses @ candidate
        weights = capped_exponential(beta * (z - z.max()) + log_mass, caps)
        price = relative_entropy(weights, mass) / beta
        gradient = weights @ losses
        # both bounds carry the same price, so the gap is a difference of two averages of losses
        return weights, gradient, float(weights @ z - price), max(float(gradient @ candidate - gradient.min()), 0.0)

    weights, gradient, value, gap = evaluate(model_weights)
    for _ in range(max_iter):
        if gap <= tol:
            break
        target = _newton_target(losses, caps, weights, gradient, model_weights, beta)
        direction = target - model_weights
        slope = float(gradient @ direction)
        step = 1.0
        while step > 1e-10:
            candidate = model_weights + step * direction
            trial = evaluate(candidate)
            # near the optimum values agree to rounding; there a smaller gap is the progress that can be seen
            if trial[2] <= value + 1e-4 * step * slope or (
                trial[3] < 0.9 * gap and trial[2] <= value + 1e-13 * abs(value)
            ):
                break
            step *= 0.5
        else:
            break
        model_weights = candidate
        weights, gradient, value, gap = trial
    return model_weights, weights, value, gap


def _newton_target(losses: Array, caps: Array, weights: Array, gradient: Array, start: Array, beta: float) -> Array:
    """Minimiser on the simplex of the quadratic model, over the support and the most promising models outside it."""
    outside = np.flatnonzero(start == 0)
    columns = np.concatenate([np.flatnonzero(start > 0), outside[np.argsort(gradient[outside])[:_NEW_MODELS]]])
    # the cap's own rounding decides who is free; weights too small to matter are left out of the sum
    free = (weights < caps * (1 - 1e-12)) & (weights > 1e-18)
    part, share = losses[np.ix_(free, columns)], weights[free]
    if len(share):
        centred = (part - share @ part / share.sum()) * np.sqrt(beta * share)[:, None]
        hessian = centred.T @ centred
    else:
        hessian = np.zeros((len(columns), len(columns)))
    # a ridge of relative size 1e-10: repeated models make the Hessian singular
    scale = max(float(np.trace(hessian)) / len(columns), beta * 1e-12, 1e-12)
    hessian.flat[:: len(columns) + 1] += 1e-10 * scale
    target = np.zeros(len(start))
    target[columns] = _simplex_quadratic(hessian, gradient[columns], start[columns])
    return target


def _simplex_quadratic(hessian: Array, gradient: Array, start: Array) -> Array:
    """Minimise ``g.(x - s) + (x - s)' H (x - s) / 2`` on the simplex from ``s``, by an active set."""
    x = start.copy()
    free = x > 0
    for _ in range(20 * len(x) + 20):
        slope = gradient + hessian @ (x - start)
        inside = np.flatnonzero(free)
        # stationarity on the free coordinates with their sum unchanged; slopes agree to many digits near the optimum,
        # so their common part is taken off before the system is solved
        common = slope[inside].mean()
        sides = np.column_stack([slope[inside] - common, np.ones(len(inside))])
        _, solved, failed = dposv(hessian[np.ix_(inside, inside)], sides)
        if failed:  # the ridge was too small for the rounding of this matrix
            solved = np.linalg.lstsq(hessian[np.ix_(inside, inside)], sides, rcond=None)[0]
        shift = solved[:, 0].sum() / solved[:, 1].sum()
        move, level = shift * solved[:, 1] - solved[:, 0], common + shift
        shrinking = move < 0
        ratios = np.where(shrinking, -x[inside] / np.where(shrinking, move, 1.0), np.inf)
        blocking = int(np.argmin(ratios))
        if ratios[blocking] < 1.0:
            x[inside] += ratios[blocking] * move
            x[inside[blocking]] = 0.0
            free[inside[blocking]] = False
            continue
        x[inside] += move
        slope = gradient + hessian @ (x - start)
        entering = int(np.argmin(np.where(free, np.inf, slope)))
        if free.all() or slope[entering] >= level - 1e-12 * max(1.0, abs(level)):
            break
        free[entering] = True
    x = np.maximum(x, 0.0)
    return x / x.sum()
