r"""Entropy-regularised LPBoost by Newton steps on the model weights (zhai2021, equation 8)."""

from __future__ import annotations

import math
import warnings

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from marginloss._validation import check_integer, check_real
from marginloss.risk.masses import Array, check_beta, check_losses, check_tail, masses, mix, price, spread
from marginloss.risk.quadratic import simplex_quadratic
from marginloss.risk.result import LPBoostResult
from marginloss.risk.simplex import capped_tilt

__all__ = ["descend", "entropic_lpboost"]

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
    tol, max_iter = check_real("tol", tol, "(0, inf)"), check_integer("max_iter", max_iter, 1)
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
        model_weights = descend(matrix, mass, alpha, flatter, model_weights, 0.3 / flatter, max_iter)[0]
    model_weights, weights, value, gap = descend(matrix, mass, alpha, beta, model_weights, tol, max_iter)
    if gap > max(tol, 1e-15 * float(np.abs(matrix).max())):  # no gap can be seen below the rounding of large losses
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


def descend(
    losses: Array, mass: Array, alpha: float, beta: float, model_weights: Array, tol: float, max_iter: int
) -> tuple[Array, Array, float, float]:
    """Newton's method from given model weights; the best point found and its certificate."""

    def evaluate(candidate: Array) -> tuple[Array, Array, float, float]:
        z, weights = mix(losses, candidate), np.empty(len(losses))
        toll = capped_tilt(z, np.argsort(-z), mass, alpha, beta, weights) / beta
        gradient = price(weights, losses)
        # both bounds carry the same toll, so the gap is a difference of two averages of losses
        return weights, gradient, float(weights @ z - toll), max(float(gradient @ candidate - gradient.min()), 0.0)

    weights, gradient, value, gap = evaluate(model_weights)
    for _ in range(max_iter):
        if gap <= tol:
            break
        target = _newton_target(losses, mass / alpha, weights, gradient, model_weights, beta)
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
    free = np.flatnonzero((weights < caps * (1 - 1e-12)) & (weights > 1e-18))
    part, share = losses.take(free, axis=0).take(columns, axis=1).astype(np.float64, copy=False), weights[free]
    if len(share):
        part -= share @ part / share.sum()
        part *= np.sqrt(beta * share)[:, None]
    hessian = part.T @ part
    # a ridge of relative size 1e-10: repeated models make the Hessian singular
    scale = max(float(np.trace(hessian)) / len(columns), beta * 1e-12, 1e-12)
    hessian.flat[:: len(columns) + 1] += 1e-10 * scale
    target = np.zeros(len(start))
    target[columns] = simplex_quadratic(hessian, gradient[columns], start[columns])
    return target
