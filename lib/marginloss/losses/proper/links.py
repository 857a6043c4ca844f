r"""The canonical link of the α-loss in the score :math:`s = \alpha\operatorname{logit} u`, and both its inverses.

With :math:`\beta = 1 - 1/\alpha` it is :math:`g(s) = (\sigma(s)^\beta - \sigma(-s)^\beta)/\beta`, odd, increasing,
of range :math:`(-1/\beta, 1/\beta)` if :math:`\beta > 0` and all reals otherwise. The inverses work on ``|z|``.
"""

from __future__ import annotations

import math

import numpy as np

from marginloss._compiled import helper
from marginloss.losses.base import Array, power_loss, softplus
from marginloss.losses.elementary import LN2, exp, log1p

__all__ = [
    "link_score",
    "log_link_slope",
    "log_pseudo_tail",
    "log_pseudo_tail_scalar",
    "pseudo_score",
    "pseudo_score_scalar",
    "score_link",
]

_NEWTON_STEPS = 60  # a ceiling that is never reached
_SMALL = 1e-8  # convergence is quadratic: after a step this small the error is below rounding
_LOG2 = math.log(2)


def score_link(s: Array, beta: float) -> Array:
    r"""Canonical link :math:`g(s)`, without the cancellation of its two powers near zero."""
    size = np.abs(s)
    # at zero a large negative beta would give 0 * inf
    return np.where(s == 0, 0.0, np.sign(s) * power_loss(-size, beta) * np.exp(-beta * np.log1p(np.exp(-size))))


def log_link_slope(s: Array, beta: float) -> Array:
    r"""Logarithm of :math:`g'(s) = \sigma(s)^\beta\sigma(-s) + \sigma(-s)^\beta\sigma(s)`."""
    return np.logaddexp(-beta * softplus(-s) - softplus(s), -beta * softplus(s) - softplus(-s))


def link_score(size: Array, beta: float) -> Array:
    r"""Exact inverse: the score :math:`s \ge 0` with :math:`g(s) = z`, for z ≥ 0; ``inf`` from :math:`1/\beta` on.

    Closed forms at α = 1, 2 and ½ (β = 0, ½, -1), else Newton steps inside a proved bracket.
    """
    if beta == 0:
        return size
    if beta == -1:
        return np.arcsinh(size / 2)
    if beta == 0.5:
        root = np.sqrt(np.maximum(8 - size**2, 4.0))
        # log((root + z) / (root - z)) with root - z = 2 (2 - z)(2 + z) / (root + z)
        score = 2 * np.log1p(size * (root + size) / ((2 - size) * (2 + size)))
        return np.where(size < 2, score, np.inf)
    return _solve_bounded(size, beta) if beta > 0 else _solve_unbounded(size, beta)


def _solve_bounded(size: Array, beta: float) -> Array:
    r"""β > 0: Newton on :math:`\log(\sigma(-s)^\beta + 1 - \sigma(s)^\beta) = \log(1 - \beta z)`.

    The root lies within :math:`\log 2` below the score of the pseudo-inverse link; Newton is clipped to that bracket.
    """
    inside = beta * size < 1
    z = np.where(inside, size, 0.0)
    log_rest = np.log1p(-beta * z)
    high = pseudo_score(z, beta)
    low = np.maximum(high - _LOG2, 0.0)
    s = (low + high) / 2
    for _ in range(_NEWTON_STEPS):
        shrink = np.exp(-s)
        log_right = np.log1p(shrink)  # minus the logarithm of sigma(s)
        lost, kept = np.exp(-beta * (s + log_right)), np.expm1(-beta * log_right)
        rest = lost - kept
        # close to 1 the logarithm of the sum has no digits left: it is taken of the sum minus one
        log_now = np.where(log_rest < -_LOG2, np.log(rest), np.log1p(np.expm1(-beta * (s + log_right)) - kept))
        slope = ((1 + kept) * shrink + lost) / (1 + shrink)
        new = np.clip(s + (log_now - log_rest) * rest / (beta * slope), low, high)
        step, s = np.abs(new - s), new
        if not (step > _SMALL * np.maximum(s, 1)).any():
            break
    return np.where(inside, s, np.inf)


def _solve_unbounded(size: Array, beta: float) -> Array:
    r"""β < 0: Newton on :math:`\log g(s) = \log z` as a function of :math:`\log s`, from the right of the root."""
    c = -beta
    solvable = (size > 0) & np.isfinite(size)
    log_z = np.log(np.where(solvable, size, 1.0))
    # g is convex, so g(s) >= g'(0) s; and sigma(-s)^beta <= c z + 2^c
    chord = log_z - c * _LOG2
    log_odds = np.logaddexp(math.log(c) + log_z, c * _LOG2) / c
    cap = np.log(log_odds + np.log(-np.expm1(-log_odds)))
    x = np.where(np.exp(chord) * (1 + c) < 0.01, chord, np.fmin(chord, cap))
    for _ in range(_NEWTON_STEPS):
        s = np.exp(x)
        residual = c * softplus(s) + np.log(power_loss(-s, c)) - log_z
        # for s far below the smallest double both terms of the slope are at their limit, 1
        residual = np.where(s < 1e-290, c * _LOG2 + x - log_z, residual)
        slope = np.where(
            c * s < 1e-290, 1.0, s * (c * np.exp(-softplus(-s)) + 1 / np.maximum(power_loss(-s, -c), 1e-300))
        )
        step = residual / slope
        x = x - step
        if not (np.abs(step) > _SMALL * np.maximum(np.abs(x), 1)).any():
            break
    return np.where(solvable, np.exp(x), size)


def log_pseudo_tail(size: Array, beta: float) -> Array:
    r"""Logarithm of :math:`t = \tfrac12(1 - \beta z)^{1/\beta}` for z ≥ 0: equation (160) of sypherd2022 at α = 1.

    Without its powers, which overflow below α ≈ 1.007. For β < 0, beyond the paper, the same construction puts the
    factor :math:`2^\beta` before ``z``.
    """
    if beta == 0:
        return -size - _LOG2
    scale = beta if beta > 0 else beta * 2.0**beta
    return np.log1p(np.maximum(-scale * size, -1.0)) / beta - _LOG2


@helper
def log_pseudo_tail_scalar(size: float, beta: float) -> float:
    """One number of :func:`log_pseudo_tail`; beyond the clip that of a small ``t``, where the paper has 0."""
    if beta == 0:
        return -size - LN2
    scale = beta if beta > 0 else beta * exp(beta * LN2)
    return log1p(max(-scale * size, 1e-16 - 1.0)) / beta - LN2


def pseudo_score(size: Array, beta: float) -> Array:
    r"""Score of the pseudo-inverse link for z ≥ 0: minus the logit of :math:`t`.

    With it :math:`1 - \tilde f(z) = \tilde f(-z) = \sigma(-s/\alpha)`.
    """
    log_t = log_pseudo_tail(size, beta)
    return np.log1p(-np.exp(log_t)) - log_t


@helper
def pseudo_score_scalar(size: float, beta: float) -> float:
    """One number of :func:`pseudo_score`."""
    log_t = log_pseudo_tail_scalar(size, beta)
    return log1p(-exp(log_t)) - log_t
