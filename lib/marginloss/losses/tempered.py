r"""Tempered logarithm, exponential, probabilities and Tsallis quantities (amid2019, sections 2 to 4).

Every function works through log-probabilities and is silent; NaN gives NaN. Temperatures are numbers :math:`t \ge 0`;
:math:`t = 1` gives the ordinary functions, and nothing special happens near 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from marginloss.losses.base import power_loss
from marginloss.losses.log_partition import (
    Array,
    check_temperature,
    excess,
    gaps_from,
    log_exp_t,
    partition_margin,
    partition_rows,
)
from marginloss.losses.multiclass import (
    bitempered_loss,
    two_temperature_hessian,
    two_temperature_loss,
    two_temperature_posterior,
)

__all__ = [
    "bitempered_loss",
    "escort",
    "exp_t",
    "log_partition",
    "log_partition_margin",
    "log_softmax_t",
    "log_t",
    "softmax_t",
    "tsallis_divergence",
    "tsallis_entropy",
    "two_temperature_hessian",
    "two_temperature_loss",
    "two_temperature_posterior",
]


def log_t(x: ArrayLike, t: float) -> Any:
    r"""Tempered logarithm :math:`\log_t x = (x^{1-t} - 1)/(1 - t)`, equation (1).

    At least :math:`-1/(1-t)` for :math:`t < 1`, at most :math:`1/(t-1)` for :math:`t > 1`; NaN for negative ``x``.

    Examples
    --------
    >>> log_t([0.0, 1.0, 4.0], 0.5)
    array([-2.,  0.,  2.])
    """
    t = check_temperature("t", t)
    with np.errstate(all="ignore"):
        return -power_loss(np.log(np.asarray(x, dtype=np.float64)), 1 - t)[()]


def exp_t(x: ArrayLike, t: float) -> Any:
    r"""Tempered exponential :math:`\exp_t x = [1 + (1-t)x]_+^{1/(1-t)}`, equation (4).

    Exactly 0 for :math:`x \le -1/(1-t)` if :math:`t < 1`; infinite from the pole :math:`1/(t-1)` on if :math:`t > 1`.

    Examples
    --------
    >>> exp_t([-3.0, 0.0, 2.0], 0.5)
    array([0., 1., 4.])
    """
    t = check_temperature("t", t)
    with np.errstate(all="ignore"):
        return np.exp(log_exp_t(np.asarray(x, dtype=np.float64), t))[()]


def log_partition(activations: ArrayLike, t: float, axis: int = -1) -> Any:
    r"""Log-partition :math:`G_t(a)`, the root of :math:`\sum_c \exp_t(a_c - G) = 1`.

    Newton's method on :math:`\log_t` of the sum, which is convex for every :math:`t \ge 0`: fourteen steps at most, to
    rounding, where the fixed point of the paper (Algorithm 1) needs up to hundreds. :math:`t = 0` is the threshold of
    sparsemax, :math:`t = 1` the log-sum-exp.

    Parameters
    ----------
    activations : array_like
        One per class along ``axis``. Several :math:`+\infty` count as tied; a slice of :math:`-\infty` gives NaN.
    t : float
        Temperature in :math:`[0, \infty)`.
    axis : int, default=-1
        Axis of the classes; it is reduced.

    Examples
    --------
    >>> float(log_partition([0.5, -0.5], 2.0)) == 1.25**0.5
    True
    >>> log_partition([[1.0, 1.0], [3.0, 3.0]], 1.0).round(6)
    array([1.693147, 3.693147])
    """
    t = check_temperature("t", t)
    with np.errstate(all="ignore"):
        return np.asarray(partition_rows(_classes_last(activations, axis), t))[()]


def log_partition_margin(margin: ArrayLike, t: float) -> Any:
    r"""Log-partition of two classes, activations (margin/2, −margin/2); even in the margin.

    For :math:`t > 1` a table of quintics, made once for each temperature: exact to rounding.

    Examples
    --------
    >>> float(log_partition_margin(3.0, 2.0).round(12)), 3.25**0.5
    (1.802775637732, 1.8027756377319946)
    """
    t = check_temperature("t", t)
    with np.errstate(all="ignore"):
        return partition_margin(np.asarray(margin, dtype=np.float64), t)[()]


def log_softmax_t(activations: ArrayLike, t: float, axis: int = -1) -> Any:
    r"""Logarithm of the tempered probabilities, ``-inf`` for a class outside the support of :math:`t < 1`.

    Examples
    --------
    >>> log_softmax_t([0.0, 0.0], 1.3).round(6)
    array([-0.693147, -0.693147])
    """
    t = check_temperature("t", t)
    with np.errstate(all="ignore"):
        _, gaps = gaps_from(_classes_last(activations, axis))
        return np.moveaxis(log_exp_t(-(excess(gaps, t)[..., None] + gaps), t), -1, axis)


def softmax_t(activations: ArrayLike, t: float, axis: int = -1) -> Any:
    r"""Tempered probabilities :math:`\hat p_c = \exp_t(a_c - G_t(a))`, equation (6); sparsemax at 0, softmax at 1.

    Examples
    --------
    >>> softmax_t([2.0, 0.5, 0.0], 0.0)
    array([1., 0., 0.])
    >>> softmax_t([1.0, 0.0], 2.0).round(4)
    array([0.618, 0.382])
    """
    return np.exp(log_softmax_t(activations, t, axis))


def escort(p: ArrayLike, t: float, axis: int = -1) -> Any:
    r"""Escort distribution :math:`p_c^t / \sum_j p_j^t`; what has probability 0 keeps it, also at :math:`t = 0`.

    Examples
    --------
    >>> escort([0.5, 0.3, 0.2], 2.0).round(4)
    array([0.6579, 0.2368, 0.1053])
    """
    t = check_temperature("t", t)
    p = _non_negative("p", p)
    with np.errstate(all="ignore"):
        power = np.where(p > 0, (p / p.max(axis=axis, keepdims=True)) ** t, p)  # p: zero stays zero, NaN stays NaN
        return power / power.sum(axis=axis, keepdims=True)


def tsallis_entropy(p: ArrayLike, t: float, axis: int = -1) -> Any:
    r"""Tsallis entropy :math:`H_t(p) = \sum_c p_c \log_t(1/p_c)`, equation (2); Shannon's at :math:`t = 1`.

    Examples
    --------
    >>> float(tsallis_entropy([0.5, 0.5], 2.0))
    0.5
    """
    t = check_temperature("t", t)
    p = _non_negative("p", p)
    with np.errstate(all="ignore"):
        return np.where(p == 0, 0.0, -p * power_loss(-np.log(p), 1 - t)).sum(axis=axis)[()]


def tsallis_divergence(p: ArrayLike, q: ArrayLike, t: float, axis: int = -1) -> Any:
    r"""Tsallis divergence :math:`D_t(p \| q) = -\sum_c p_c \log_t(q_c / p_c)`, equation (3); Kullback–Leibler at 1.

    Examples
    --------
    >>> float(tsallis_divergence([0.5, 0.5], [0.5, 0.5], 1.4))
    0.0
    >>> float(tsallis_divergence([0.5, 0.5], [1.0, 0.0], 0.5).round(6))
    0.585786
    """
    t = check_temperature("t", t)
    p, q = np.broadcast_arrays(_non_negative("p", p), _non_negative("q", q))
    with np.errstate(all="ignore"):
        terms = p * power_loss(np.log(q) - np.log(p), 1 - t)
        return np.where((p == 0) & ~np.isnan(q), 0.0, terms).sum(axis=axis)[()]


def _classes_last(activations: ArrayLike, axis: int) -> Array:
    a = np.moveaxis(np.asarray(activations, dtype=np.float64), axis, -1)
    if a.shape[-1] == 0:
        raise ValueError("activations must hold at least one class, got an empty axis")
    return a


def _non_negative(name: str, p: ArrayLike) -> Array:
    p = np.asarray(p, dtype=np.float64)
    if (p < 0).any():
        raise ValueError(f"{name} must hold probabilities, got the negative value {np.nanmin(p):g}")
    return p
