r"""The potentials behind smooth boosters: their weight is the measure that the algorithm keeps (servedio2003)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit

from marginloss._validation import check_real
from marginloss.losses.base import Array, MarginLoss

__all__ = ["CappedExponentialLoss", "SmoothBoostLoss"]


@dataclass(frozen=True)
class CappedExponentialLoss(MarginLoss):
    r"""Loss whose weight is one below margin 0, then decays exponentially.

    .. math:: w(N) = \min\{1, e^{-\beta N}\},\qquad \ell(N) = \frac{e^{-\beta\max(N,0)}}{\beta} + \max(-N, 0)

    Convex, once continuously differentiable, 1-Lipschitz. With :math:`\beta = 1` the potential of MadaBoost.

    Parameters
    ----------
    decay : float, default 1
        The rate :math:`\beta > 0`.

    Examples
    --------
    >>> CappedExponentialLoss(0.5).log_weight([-1.0, 0.0, 2.0])
    array([-0., -0., -1.])
    """

    decay: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "decay", check_real("decay", self.decay, "(0, inf)"))

    bound = math.inf  # it grows linearly on the wrong side
    is_convex = True

    def _value(self, z: Array) -> Array:
        return self._weight(z) / self.decay + np.maximum(-z, 0.0)

    def _log_weight(self, z: Array) -> Array:
        return -self.decay * np.maximum(z, 0.0)

    def _derivative(self, z: Array, order: int) -> Array:
        return np.where(z >= 0, -((-self.decay) ** (order - 1)) * self._weight(z), 0.0)

    def _posterior(self, z: Array) -> Array:
        return expit(self.decay * z)


@dataclass(frozen=True)
class SmoothBoostLoss(CappedExponentialLoss):
    r"""Loss whose weight is SmoothBoost's measure :math:`M`, line 8 of Figure 1 of servedio2003.

    .. math:: w(N) = M(N) = \min\{1, (1-\gamma)^{N/2}\},\qquad
              \ell(N) = \frac{e^{-\beta\max(N,0)}}{\beta} + \max(-N, 0),\quad \beta = -\tfrac12\log(1-\gamma)

    Parameters
    ----------
    gamma : float
        Advantage asked of the weak learner, in :math:`(0, ½)`.

    Examples
    --------
    >>> SmoothBoostLoss(0.36).weight([-3.0, 0.0, 1.0]).round(12)
    array([1. , 1. , 0.8])
    """

    decay: float = field(init=False, repr=False, compare=False)
    gamma: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", check_real("gamma", self.gamma, "(0, 0.5)"))
        object.__setattr__(self, "decay", -0.5 * math.log1p(-self.gamma))
