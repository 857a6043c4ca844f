"""The capped simplex: distributions in which no sample weighs more than its cap (zhai2021, servedio2003)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from marginloss._compiled import helper, kernel
from marginloss.losses.elementary import exp, log1p
from marginloss.risk.masses import Array, spread

__all__ = [
    "capped_exponential",
    "capped_tilt",
    "entropy_term",
    "entropy_term_scalar",
    "project_capped_simplex",
    "relative_entropy",
]

_ROUNDING = 1e-12  # caps that sum to one up to this are read as summing to one


def project_capped_simplex(log_weights: ArrayLike, cap: ArrayLike) -> Array:
    r"""Distribution nearest to given weights, in relative entropy, among those below a cap.

    .. math:: \arg\min_w \mathrm{KL}(w \,\|\, q)\quad\text{s.t.}\quad \sum_i w_i = 1,\ 0 \le w_i \le c_i,
              \qquad w_i = \min\{c_i,\, e^{s_i - \theta}\}

    where :math:`q_i \propto e^{s_i}`. The weights above the cap are cut, the others keep their proportions; found
    exactly with one sort. This one projection gives SmoothBoost's distribution (servedio2003, with cap
    :math:`1/|M|`), the lazily projected Hedge, and the weights of entropy-regularised LPBoost (zhai2021, equation 8).

    Parameters
    ----------
    log_weights : array_like of shape (n,)
        Logarithms :math:`s_i` of the weights, up to a constant. ``-inf`` is a weight of zero and stays zero.
    cap : float or array_like of shape (n,)
        Largest weight allowed, one number or one a sample. The caps of the samples of positive weight must sum to at
        least one.

    Returns
    -------
    ndarray of shape (n,)
        Weights that sum to one.

    Examples
    --------
    >>> import numpy as np
    >>> project_capped_simplex(np.log([8.0, 1.0, 1.0]), cap=0.5)
    array([0.5 , 0.25, 0.25])
    """
    s = np.asarray(log_weights, dtype=np.float64)
    if s.ndim != 1 or s.size == 0:
        raise ValueError(f"log_weights must be a non-empty vector, got an array of shape {s.shape}")
    if np.isnan(s).any() or (s == np.inf).any():
        raise ValueError("log_weights must be finite or -inf")
    if s.max() == -np.inf:
        raise ValueError("log_weights must not all be -inf: there is no weight to share")
    caps = np.asarray(cap, dtype=np.float64)
    if caps.ndim > 1 or (caps.ndim == 1 and caps.shape != s.shape):
        raise ValueError(f"cap must be a number or have shape {s.shape}, got shape {caps.shape}")
    if not (caps > 0).all():
        raise ValueError(f"cap must be positive, got {cap!r}")
    present = s > -np.inf
    if not present.all():
        return spread(project_capped_simplex(s[present], caps if caps.ndim == 0 else caps[present]), present)
    caps = np.broadcast_to(caps, s.shape)
    total = caps.sum()
    if total < 1 - _ROUNDING:
        raise ValueError(
            f"cap must be at least 1 / {len(s)} for {len(s)} samples, got {cap!r}: the caps sum to {total}"
        )
    return capped_exponential(s, caps)


def capped_exponential(s: Array, caps: Array) -> Array:
    """The projection for finite log-weights and caps that sum to at least one (up to rounding); nothing is checked."""
    excess = s - np.log(caps)
    order = np.argsort(-excess, kind="stable")
    ordered, ordered_caps = s[order], caps[order]
    # left[j]: what the first j samples, at their caps, leave for the others; it can be -2e-16 where it should be 0
    left = np.empty(len(s))
    left[0] = 1.0
    np.subtract(1.0, np.cumsum(ordered_caps[:-1]), out=left[1:])
    # a plain cumulative sum of exponentials underflows when log-weights are a thousand apart
    tail = np.logaddexp.accumulate(ordered[::-1])[::-1]
    # where nothing is left all mass is capped; the logarithm is not asked for
    fits = np.log(np.maximum(left, 1e-300)) - tail + excess[order] <= 0.0
    fits[left <= 0.0] = True
    capped = int(np.argmax(fits)) if fits.any() else len(s)
    weights = np.empty(len(s))
    at_cap, rest = order[:capped], order[capped:]
    weights[at_cap] = caps[at_cap]
    if len(rest):
        share = np.exp(s[rest] - s[rest].max())
        remaining = max(1.0 - float(weights[at_cap].sum()), 0.0)
        weights[rest] = np.minimum(share * (remaining / share.sum()), caps[rest])
    return weights / weights.sum()


@kernel
def capped_tilt(z: Any, order: Any, mass: Any, alpha: float, beta: float, weights: Any) -> float:
    r"""Write the weights that attain a smoothed CVaR and return their relative entropy to ``mass``.

    .. math:: w_i = p_i\min\Big\{\frac1\alpha,\, e^{\beta z_i-\theta}\Big\},\qquad \sum_i w_i = 1

    :func:`capped_exponential` at :math:`s_i = \beta z_i + \log p_i` with caps :math:`p_i/\alpha`, for solvers that ask
    for hundreds of small ones; ``order`` makes the losses ``z`` decreasing. The first
    sample below the cap is the first at which the masses before it and the tilted ones from it on,
    :math:`\sum_{i\ge j}p_ie^{\beta(z_i-z_j)}`, make up :math:`\alpha`. The latter come from the end by a recurrence
    whose exponents are not positive: nothing overflows, and beta may be a million.
    """
    n = len(z)
    before, tilted, total, capped = 0.0, 0.0, 1.0, n
    for i in range(n):
        before += mass[i]
    for j in range(n - 1, -1, -1):
        here = order[j]
        tilted = mass[here] + (tilted * exp(beta * (z[order[j + 1]] - z[here])) if j < n - 1 else 0.0)
        before -= mass[here]
        if before + tilted < alpha:
            break
        total, capped = tilted, j
    left, edge = alpha, z[order[min(capped, n - 1)]]  # the mass left below the cap, free of the rounding of ``before``
    for j in range(capped):
        weights[order[j]] = mass[order[j]]
        left -= mass[order[j]]
    for j in range(capped, n):
        here = order[j]
        weights[here] = mass[here] * min(max(left, 0.0) / total * exp(beta * (z[here] - edge)), 1.0)
    total, price = 0.0, 0.0
    for i in range(n):
        total += weights[i]
    for i in range(n):
        weights[i] /= total
        price += mass[i] * entropy_term_scalar(weights[i] / mass[i] - 1.0)
    return price


def relative_entropy(weights: Array, mass: Array) -> float:
    r""":math:`\mathrm{KL}(w\,\|\,p) = \sum_i p_i\,(r_i\log r_i - r_i + 1)` with :math:`r_i = w_i/p_i`.

    No term is negative, so nothing cancels between samples; a smoothed CVaR divides this by a small ``beta``.

    Examples
    --------
    >>> relative_entropy(np.array([0.5, 0.5]), np.array([0.5, 0.5]))
    0.0
    """
    p = mass[mass > 0]
    return float(p @ entropy_term(weights[mass > 0] / p - 1.0))


def entropy_term(d: Array) -> Array:
    r"""The term :math:`r\log r - r + 1` at :math:`r = 1 + d`; by its series for small ``d``, where it cancels."""
    series = d * d * (1 / 2 - d * (1 / 6 - d * (1 / 12 - d * (1 / 20 - d * (1 / 30 - d / 42)))))
    with np.errstate(divide="ignore", invalid="ignore"):
        term = np.where(d > -1.0, (1.0 + d) * np.log1p(d) - d, 1.0)
    return np.where(np.abs(d) < 1e-3, series, term)


@helper
def entropy_term_scalar(d: float) -> float:
    """One number of :func:`entropy_term`."""
    if abs(d) < 1e-3:
        return d * d * (1 / 2 - d * (1 / 6 - d * (1 / 12 - d * (1 / 20 - d * (1 / 30 - d / 42)))))
    return (1.0 + d) * log1p(d) - d if d > -1.0 else 1.0
