"""The clipped inverse link of any symmetric class-probability loss: how the pseudo-inverse link is made."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from marginloss.losses.proper.base import ClassProbabilityLoss

__all__ = ["clipped_inverse_link"]


def clipped_inverse_link(loss: ClassProbabilityLoss, z: ArrayLike) -> Any:
    r"""Clipped inverse link of Lemma 17 of sypherd2022, elementwise.

    .. math:: \tilde f(z) = t^{-1}\bigl(\ell_1^{-1}(\ell_1(\tfrac12) - cz)\bigr)\quad(-\ell_1(0) < z \le 0),\qquad
              \tilde f(-z) = 1 - \tilde f(z)

    with :math:`c = 1 - \ell_1(\frac12)/\ell_1(0)`, and :math:`c = 1` for an unbounded loss. It equals the inverse
    canonical link at 0 and :math:`\pm\ell_1(0)`, and needs only one partial loss to be inverted (here by bisection).

    Parameters
    ----------
    loss : ClassProbabilityLoss
        With decreasing partial loss and :math:`\ell_1(1) = 0`.
    z : array_like
        Real scores.

    Examples
    --------
    >>> from marginloss.losses.proper import AlphaCPELoss
    >>> loss = AlphaCPELoss(2)
    >>> float(clipped_inverse_link(loss, -1.0)), float(loss.pseudo_inverse_link(-1.0))  # doctest: +ELLIPSIS
    (0.27429..., 0.27429...)
    """
    worst, half, best = (float(loss.partial(u, 1)) for u in (0.0, 0.5, 1.0))
    if best != 0 or not worst > half > 0:
        raise ValueError(f"loss must have a partial loss that decreases to 0 at u = 1, got {loss!r}")
    z = np.asarray(z, dtype=np.float64)
    size = np.abs(z)
    with np.errstate(all="ignore"):
        target = half + (1 - half / worst) * np.where(size < worst, size, 0.0)
        low, high = np.full(z.shape, -745.0), np.zeros(z.shape)
        for _ in range(80):
            middle = (low + high) / 2
            above = loss._value(middle) > target
            low, high = np.where(above, middle, low), np.where(above, high, middle)
        s = (low + high) / 2
        odds = np.where(size < worst, loss._log_slope(-s) - loss._log_slope(s), -np.inf)
        return np.where(np.isnan(z), np.nan, expit(np.where(z > 0, -odds, odds)))[()]
