r"""Losses of activations for several classes: two-temperature (amid2019) and its proper, Bregman sibling."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from marginloss._validation import check_real
from marginloss.losses.base import power_loss
from marginloss.losses.log_partition import Array, check_temperature, excess, gaps_from, log_exp_t, scaled_log

__all__ = ["bitempered_loss", "two_temperature_hessian", "two_temperature_loss"]


def two_temperature_loss(
    activations: ArrayLike, labels: ArrayLike, t1: float, t2: float, gradient: bool = False
) -> Any:
    r"""Two-temperature loss :math:`-\log_{t_1} \exp_{t_2}(a_c - G_{t_2}(a))` of each row, equation (13).

    Parameters
    ----------
    activations : array_like of shape (n, C)
    labels : array_like of shape (n,)
        Whole numbers from 0 to C − 1.
    t1, t2 : float
        Temperatures of the logarithm and of the exponential, at least 0.
    gradient : bool, default=False
        Also return the gradient in the activations, equation (14) for one example:
        :math:`-\hat p_c^{\,t_2-t_1}(\mathbb 1_{k=c} - \hat q_k)`.

    Returns
    -------
    losses : ndarray of shape (n,)
    gradients : ndarray of shape (n, C), if asked for

    Examples
    --------
    >>> losses, slopes = two_temperature_loss([[1.0, 0.0, 0.0]], [0], 0.8, 1.3, gradient=True)
    >>> losses.round(4), slopes.round(4)
    (array([0.6311]), array([[-0.3113,  0.1557,  0.1557]]))
    """
    level, c, t1, t2 = _prepare(activations, labels, t1, t2)
    rows = np.arange(len(c))
    with np.errstate(all="ignore"):
        own = level[rows, c]
        losses = power_loss(own, 1 - t1)
        if not gradient:
            return losses
        log_q = _log_escort(level, t2)
        scale = scaled_log(t2 - t1, own)
        slopes = np.where(np.isneginf(log_q), 0.0, np.exp(scale[:, None] + log_q))
        # 1 - q_c as the sum of the others: it keeps its digits when q_c is almost one
        slopes[rows, c] = 0.0
        slopes[rows, c] = -slopes.sum(axis=1)
        slopes[np.isneginf(own) & (t1 < 1)] = 0.0
        return losses, slopes


def two_temperature_hessian(activations: ArrayLike, labels: ArrayLike, t1: float, t2: float) -> Array:
    r"""Hessian of the two-temperature loss in the activations, for each row.

    .. math:: \hat p_c^{t_2-t_1}\Bigl[\nabla^2 G - (t_2-t_1)\,\hat p_c^{t_2-1}(e_c-\hat q)(e_c-\hat q)^\top\Bigr],\quad
              \nabla^2 G = \frac{t_2}{\sum_j \hat p_j^{t_2}} \sum_i \hat p_i^{2t_2-1}(e_i-\hat q)(e_i-\hat q)^\top

    Returns
    -------
    ndarray of shape (n, C, C)

    Examples
    --------
    >>> two_temperature_hessian([[0.0, 0.0]], [0], 1.0, 1.0)[0]
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    level, c, t1, t2 = _prepare(activations, labels, t1, t2)
    n, classes = level.shape
    rows = np.arange(n)
    with np.errstate(all="ignore"):
        log_q = _log_escort(level, t2)
        q = np.exp(log_q)
        inside = ~np.isneginf(level)
        # p^(2t-1) / sum p^t = q p^(t-1); classes outside the support of t < 1 have no part in it
        v = np.where(inside, np.exp(log_q + scaled_log(t2 - 1, level)), 0.0)
        cross = v[:, :, None] * q[:, None, :]
        curvature = -cross - np.swapaxes(cross, 1, 2) + v.sum(axis=1)[:, None, None] * q[:, :, None] * q[:, None, :]
        curvature[:, np.arange(classes), np.arange(classes)] += v
        own = level[rows, c]
        towards = -q
        towards[rows, c] = q.sum(axis=1) - q[rows, c]
        damping = (t2 - t1) * np.exp(scaled_log(t2 - 1, own))
        hessian = t2 * curvature - damping[:, None, None] * towards[:, :, None] * towards[:, None, :]
        hessian *= np.exp(scaled_log(t2 - t1, own))[:, None, None]
        hessian[np.isneginf(own) & (t1 < 1)] = 0.0
        return hessian


def bitempered_loss(activations: ArrayLike, labels: ArrayLike, t1: float, t2: float, gradient: bool = False) -> Any:
    r"""Bregman ("bi-tempered") sibling of the two-temperature loss: the same bound for one label, but proper.

    .. math:: \sum_i \Bigl[ y_i(\log_{t_1} y_i - \log_{t_1} \hat p_i)
              - \frac{y_i^{2-t_1} - \hat p_i^{2-t_1}}{2-t_1} \Bigr]

    Its expectation under :math:`p` is least at :math:`\hat p = p`, where that of the two-temperature loss is least at
    :math:`\hat p \propto p^{1/t_1}`.

    Parameters
    ----------
    activations : array_like of shape (n, C)
    labels : array_like of shape (n,) or (n, C)
        Class numbers, or one distribution over the classes a row.
    t1, t2 : float
        Temperatures; :math:`0 \le t_1 < 2`.
    gradient : bool, default=False
        Also return the gradient in the activations.

    Examples
    --------
    >>> bitempered_loss([[1.0, 0.0], [0.0, 0.0]], [0, 1], 1.0, 1.0).round(4)
    array([0.3133, 0.6931])
    """
    t1, t2 = check_real("t1", t1, "[0, 2)"), check_temperature("t2", t2)
    a = _activations(activations)
    y = np.asarray(labels)
    if y.ndim == 1:
        y = np.eye(a.shape[1])[_class_numbers(y, a)]
    elif y.shape != a.shape or (y < 0).any() or not np.allclose(y.sum(axis=1), 1):
        raise ValueError(f"labels must be class numbers or one distribution per row, got an array of shape {y.shape}")
    with np.errstate(all="ignore"):
        level = _log_probabilities(a, t2)
        p = np.exp(level)
        # y (log_t y - log_t p) = y (y^(1-t) - p^(1-t)) / (1-t), from logarithms; 0 where y is 0
        log_y = np.log(y)
        difference = power_loss(level, 1 - t1) - power_loss(log_y, 1 - t1)
        terms = np.where(y > 0, y * difference, 0.0) - (y ** (2 - t1) - np.exp((2 - t1) * level)) / (2 - t1)
        losses = terms.sum(axis=1)
        if not gradient:
            return losses
        pull = np.where(p > 0, (p - y) * np.exp(scaled_log(t2 - t1, level)), 0.0)
        return losses, pull - np.exp(_log_escort(level, t2)) * pull.sum(axis=1, keepdims=True)


def _prepare(
    activations: ArrayLike, labels: ArrayLike, t1: float, t2: float
) -> tuple[Array, NDArray[np.intp], float, float]:
    t1, t2 = check_temperature("t1", t1), check_temperature("t2", t2)
    a = _activations(activations)
    with np.errstate(all="ignore"):
        return _log_probabilities(a, t2), _class_numbers(np.asarray(labels), a), t1, t2


def _log_probabilities(a: Array, t: float) -> Array:
    _, gaps = gaps_from(a)
    return log_exp_t(-(excess(gaps, t)[:, None] + gaps), t)


def _log_escort(level: Array, t: float) -> Array:
    powered = np.where(np.isneginf(level), -np.inf, t * level)
    return powered - logsumexp(powered, axis=1, keepdims=True)


def _activations(activations: ArrayLike) -> Array:
    a = np.asarray(activations, dtype=np.float64)
    if a.ndim != 2 or a.shape[1] == 0:
        raise ValueError(f"activations must have shape (n, C) with at least one class, got shape {a.shape}")
    return a


def _class_numbers(labels: NDArray[Any], a: Array) -> NDArray[np.intp]:
    numbers = labels.astype(np.intp)
    if labels.shape != (len(a),) or (numbers != labels).any() or ((numbers < 0) | (numbers >= a.shape[1])).any():
        raise ValueError(f"labels must be {len(a)} whole numbers from 0 to {a.shape[1] - 1}, got {labels!r}")
    return numbers
