"""The capped simplex: distributions in which no sample weighs more than its cap (zhai2021, servedio2003)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from marginloss.risk.masses import Array

__all__ = ["capped_exponential", "project_capped_simplex"]

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
        inner = project_capped_simplex(s[present], caps if caps.ndim == 0 else caps[present])
        weights = np.zeros(len(s))
        weights[present] = inner
        return weights
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
