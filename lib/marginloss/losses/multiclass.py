r"""Losses of activations for several classes: two-temperature (amid2019) and its proper, Bregman sibling.

Activations have any number of axes, the last of which runs over the classes. Labels are class numbers, or distributions
over the classes (soft labels). What comes in single precision goes out in it; the arithmetic is in double.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp, softmax

from marginloss._validation import check_real
from marginloss.losses.base import power_loss
from marginloss.losses.log_partition import Array, check_temperature, excess, gaps_from, log_exp_t, scaled_log

__all__ = ["bitempered_loss", "two_temperature_hessian", "two_temperature_loss", "two_temperature_posterior"]


def two_temperature_loss(
    activations: ArrayLike,
    labels: ArrayLike,
    t1: float,
    t2: float,
    gradient: bool = False,
    label_smoothing: float = 0.0,
) -> Any:
    r"""Two-temperature loss :math:`-\log_{t_1} \exp_{t_2}(a_c - G_{t_2}(a))` of each row, equation (13).

    Parameters
    ----------
    activations : array_like of shape (..., C)
    labels : array_like of shape (...) or (..., C)
        Whole numbers from 0 to C − 1, or distributions :math:`y` over the classes, for the loss
        :math:`\sum_c y_c\,\xi(a, c)`.
    t1, t2 : float
        Temperatures of the logarithm and of the exponential, at least 0.
    gradient : bool, default=False
        Also return the gradient in the activations, equation (14) for one example:
        :math:`-\hat p_c^{\,t_2-t_1}(\mathbb 1_{k=c} - \hat q_k)`.
    label_smoothing : float, default=0.0
        Share :math:`\varepsilon` of the uniform distribution: labels become
        :math:`(1-\varepsilon)\,y + \varepsilon/C`.

    Returns
    -------
    losses : ndarray of shape (...)
    gradients : ndarray of shape (..., C), if asked for

    Examples
    --------
    >>> losses, slopes = two_temperature_loss([[1.0, 0.0, 0.0]], [0], 0.8, 1.3, gradient=True)
    >>> losses.round(4), slopes.round(4)
    (array([0.6311]), array([[-0.3113,  0.1557,  0.1557]]))
    """
    t1 = check_temperature("t1", t1)
    level, (row, c, share), t2, give = _prepare(activations, labels, t2, label_smoothing)
    n, own = len(level), level[row, c]
    with np.errstate(all="ignore"):
        losses = give(np.bincount(row, share * power_loss(own, 1 - t1), n))
        if not gradient:
            return losses
        log_q, pull = _log_escort(level, t2), share * _strength(own, t2 - t1, t1)
        total = np.bincount(row, pull, n)
        slopes = np.where(np.isneginf(log_q), 0.0, np.exp(np.log(total)[:, None] + log_q))
        q = np.exp(log_q[row, c])
        others = np.where(pull == total[row], 0.0, total[row] - pull)
        slopes[row, c] = np.where(q > 0, q * others, 0.0) - pull * (1 - q)
        # they add up to zero; as the sum of the others, the largest keeps its digits where q is almost one
        rows, top = np.arange(n), c if len(c) == n else level.argmax(axis=1)
        largest = slopes[rows, top]
        slopes[rows, top] = 0.0
        slopes[rows, top] = np.where(np.isfinite(total), -slopes.sum(axis=1), largest)
        return losses, give(slopes)


def two_temperature_hessian(
    activations: ArrayLike, labels: ArrayLike, t1: float, t2: float, diagonal: bool = False
) -> Array:
    r"""Hessian of the two-temperature loss in the activations, for each row, or its diagonal alone.

    .. math:: \sum_i u_i\,(e_i-\hat q)(e_i-\hat q)^\top,\qquad
              u_i = \frac{t_2\,\hat p_i^{\,2t_2-1}}{\sum_j \hat p_j^{t_2}} \sum_c y_c\,\hat p_c^{\,t_2-t_1}
              - (t_2-t_1)\,y_i\,\hat p_i^{\,2t_2-t_1-1}

    The first part is the Hessian of the log-partition, times the slope of the tempered logarithm.

    Returns
    -------
    ndarray of shape (..., C, C), or (..., C) if ``diagonal``

    Examples
    --------
    >>> two_temperature_hessian([[0.0, 0.0]], [0], 1.0, 1.0)[0]
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    t1 = check_temperature("t1", t1)
    level, (row, c, share), t2, give = _prepare(activations, labels, t2)
    n, classes = level.shape
    own = level[row, c]
    with np.errstate(all="ignore"):
        q = np.exp(_log_escort(level, t2))
        rest, rows, top = 1 - q, np.arange(n), q.argmax(axis=1)
        rest[rows, top] = 0.0
        rest[rows, top] = np.where(rest > 0, q, 0.0).sum(axis=1)  # keeps its digits where q is almost one
        slope = np.bincount(row, share * _strength(own, t2 - t1, t1), n)[:, None]
        # p^(2t-1) / sum p^t = q p^(t-1); classes outside the support of t < 1 have no part in it
        u = t2 * slope * np.where(np.isneginf(level), 0.0, q * np.exp(scaled_log(t2 - 1, level)))
        u[row, c] -= (t2 - t1) * share * _strength(own, 2 * t2 - t1 - 1, t1)
        others = u.sum(axis=1, keepdims=True) - u
        bend = u * rest**2 + q**2 * others
        if diagonal:
            return give(bend)
        pull = u * rest
        # off the diagonal: q_i q_j (the sum of u without u_i and u_j) - q_i u_j (1 - q_j) - q_j u_i (1 - q_i)
        half = q[:, None, :] * (q * others - pull)[:, :, None]
        hessian = half + half.swapaxes(1, 2) - (q * u.sum(axis=1, keepdims=True))[:, :, None] * q[:, None, :]
        hessian[:, np.arange(classes), np.arange(classes)] = bend
        return give(hessian)


def two_temperature_posterior(activations: ArrayLike, t1: float, t2: float) -> Array:
    r"""Class probabilities at which these activations are optimal: the escort of order :math:`t_1` of the model's own.

    Where the fit is best, :math:`\hat p = \exp_{t_2}(a - G)` is proportional to :math:`p^{1/t_1}` (section 5).

    Examples
    --------
    >>> two_temperature_posterior([1.0, 0.0], 0.5, 1.0).round(4)
    array([0.6225, 0.3775])
    """
    t1, t2 = check_temperature("t1", t1), check_temperature("t2", t2)
    with np.errstate(all="ignore"):
        return softmax(scaled_log(t1, _log_probabilities(np.asarray(activations, dtype=np.float64), t2)), axis=-1)


def bitempered_loss(
    activations: ArrayLike,
    labels: ArrayLike,
    t1: float,
    t2: float,
    gradient: bool = False,
    label_smoothing: float = 0.0,
) -> Any:
    r"""Bregman ("bi-tempered") sibling of the two-temperature loss: the same bound for one label, but proper.

    .. math:: \sum_i \Bigl[ y_i(\log_{t_1} y_i - \log_{t_1} \hat p_i)
              - \frac{y_i^{2-t_1} - \hat p_i^{2-t_1}}{2-t_1} \Bigr]

    Its expectation under :math:`p` is least at :math:`\hat p = p`, where that of the two-temperature loss is least at
    :math:`\hat p \propto p^{1/t_1}`.

    Parameters
    ----------
    activations : array_like of shape (..., C)
    labels : array_like of shape (...) or (..., C)
        Class numbers, or distributions over the classes.
    t1, t2 : float
        Temperatures; :math:`0 \le t_1 < 2`.
    gradient : bool, default=False
        Also return the gradient in the activations; infinite with the loss, where :math:`t_2 < 1 \le t_1` gives a
        label no probability.
    label_smoothing : float, default=0.0
        As in :func:`two_temperature_loss`.

    Examples
    --------
    >>> bitempered_loss([[1.0, 0.0], [0.0, 0.0]], [0, 1], 1.0, 1.0).round(4)
    array([0.3133, 0.6931])
    """
    t1 = check_real("t1", t1, "[0, 2)")
    level, (row, c, share), t2, give = _prepare(activations, labels, t2, label_smoothing)
    y = np.zeros_like(level)
    y[row, c] = share
    with np.errstate(all="ignore"):
        p = np.exp(level)
        # y (log_t y - log_t p) = y (y^(1-t) - p^(1-t)) / (1-t), from logarithms; 0 where y is 0
        difference = power_loss(level, 1 - t1) - power_loss(np.log(y), 1 - t1)
        terms = np.where(y > 0, y * difference, 0.0) - (y ** (2 - t1) - np.exp((2 - t1) * level)) / (2 - t1)
        losses = give(terms.sum(axis=1))
        if not gradient:
            return losses
        q = np.exp(_log_escort(level, t2))
        flat = (p == y) | (np.isneginf(level) & (t1 < 1))
        pull = np.where(flat, 0.0, (p - y) * np.exp(scaled_log(t2 - t1, level)))
        return losses, give(pull - np.where(q > 0, q * pull.sum(axis=1, keepdims=True), 0.0))


Labels = tuple[NDArray[np.intp], NDArray[np.intp], Array]


def _prepare(
    activations: ArrayLike, labels: ArrayLike, t2: float, label_smoothing: float = 0.0
) -> tuple[Array, Labels, float, Callable[[NDArray[Any]], Any]]:
    """Table of log-probabilities; row, class and share of each label; temperature; the way back to the given shape."""
    t2, smoothing = check_temperature("t2", t2), check_real("label_smoothing", label_smoothing, "[0, 1]")
    given, y = np.asarray(activations), np.asarray(labels)
    if given.ndim == 0 or given.shape[-1] == 0:
        raise ValueError(f"activations must have shape (..., C) with at least one class, got shape {given.shape}")
    classes, precision = given.shape[-1], np.float32 if given.dtype == np.float32 else np.float64
    table = given.reshape(-1, classes).astype(np.float64, copy=False)
    if y.shape == given.shape[:-1] and np.isin(y, np.arange(classes)).all():
        row, c, share = np.arange(len(table)), y.reshape(-1).astype(np.intp), np.ones(len(table))
        y = np.eye(classes)[c] if smoothing else y
    elif y.shape != given.shape or y.dtype.kind not in "iuf" or not ((y >= 0).all() and np.allclose(y.sum(-1), 1)):
        raise ValueError(
            f"labels must be whole numbers from 0 to {classes - 1} in an array of shape {given.shape[:-1]}, or "
            f"distributions in one of shape {given.shape}, got {y!r}"
        )
    if y.shape != given.shape[:-1]:
        soft = (1 - smoothing) * y.reshape(-1, classes) + smoothing / classes
        row, c = np.nonzero(soft)
        share = soft[row, c]

    def give(out: NDArray[Any]) -> Any:
        return out.reshape(given.shape[:-1] + out.shape[1:]).astype(precision, copy=False)[()]

    with np.errstate(all="ignore"):
        return _log_probabilities(table, t2), (row, c, share), t2, give


def _strength(own: Array, exponent: float, t1: float) -> Array:
    """Power of the probability of a label; 0 beyond the finite support, where the loss of ``t1 < 1`` is constant."""
    power = np.exp(scaled_log(exponent, own))
    return np.where(np.isneginf(own), 0.0, power) if t1 < 1 else power


def _log_probabilities(a: Array, t: float) -> Array:
    _, gaps = gaps_from(a)
    return log_exp_t(-(excess(gaps, t)[..., None] + gaps), t)


def _log_escort(level: Array, t: float) -> Array:
    powered = np.where(np.isneginf(level), -np.inf, t * level)
    return powered - logsumexp(powered, axis=1, keepdims=True)
