r"""The margin α-loss with its named members, generalised cross entropy, and the hinge.

All but the hinge are one formula, :math:`(1 - \sigma(z)^s)/s`, with another name for the exponent; their weight is
:math:`\sigma(z)^s\sigma(-z)`.
"""

from __future__ import annotations

import math
import sys
from abc import abstractmethod
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from marginloss._compiled import helper
from marginloss._validation import check_real
from marginloss.losses.base import Array, MarginLoss, power_loss, softplus
from marginloss.losses.elementary import FAR, exp_and_expm1, log1p

__all__ = [
    "AlphaLoss",
    "ExponentialLoss",
    "GeneralizedCrossEntropyLoss",
    "HingeLoss",
    "LogisticLoss",
    "SigmoidLoss",
    "SigmoidPowerLoss",
    "alpha_weight_at_odds",
    "alpha_weight_at_odds_scalar",
    "log_alpha_weight",
    "log_alpha_weight_scalar",
]


def log_alpha_weight(wrong: Array, right: Array, s: float) -> Array:
    r"""Logarithm of :math:`w(z) = \sigma(z)^s\,\sigma(-z)` from :math:`\log(1 + e^{-z})` and :math:`\log(1 + e^z)`.

    Examples
    --------
    >>> float(np.exp(log_alpha_weight(softplus(1.0), softplus(-1.0), s=0.5)).round(4))
    0.3791
    >>> float(AlphaLoss(2).weight(-1).round(4))
    0.3791
    """
    # at s = 0 the first term must not become 0 * inf
    return -right if s == 0 else -s * wrong - right


@helper
def log_alpha_weight_scalar(wrong: float, right: float, s: float) -> float:
    """One number of :func:`log_alpha_weight`."""
    return -right if s == 0 else -s * wrong - right


def alpha_weight_at_odds(odds: Array, s: float) -> Array:
    r"""The weight :math:`\sigma(z)^s\,\sigma(-z) = g\,(1 + g)^{-(1+s)}` from the odds :math:`g = e^{-z}`.

    Examples
    --------
    >>> float(alpha_weight_at_odds(np.exp(1.0), s=0.5).round(4))
    0.3791
    """
    return odds * (1 + odds) ** -(1 + s)


@helper
def alpha_weight_at_odds_scalar(odds: float, s: float) -> float:
    """One number of :func:`alpha_weight_at_odds`; closed powers for the common losses."""
    if s == -1:
        return odds
    if s == 0:
        return odds / (1 + odds)
    if s == 0.5:
        return odds / ((1 + odds) * math.sqrt(1 + odds))
    return odds * exp_and_expm1(min(max(-(1 + s) * log1p(odds), -FAR), FAR))[0]


class SigmoidPowerLoss(MarginLoss):
    r"""The family :math:`\ell(z) = (1 - \sigma(z)^s)/s`, with :math:`\log(1 + e^{-z})` at :math:`s = 0`."""

    @property
    @abstractmethod
    def exponent(self) -> float:
        r"""The exponent :math:`s` in :math:`(-\infty, 1]`."""

    @property
    def bound(self) -> float:
        r"""Supremum of the loss: :math:`1/s` if :math:`s > 0`, else ``inf``."""
        return 1 / self.exponent if self.exponent > 0 else math.inf

    @property
    def is_convex(self) -> bool:
        r"""Convex for :math:`s \le 0`; only quasi-convex above."""
        return self.exponent <= 0

    @property
    def inflection(self) -> float:
        r"""Margin of the largest weight, :math:`\log s`; ``-inf`` for a convex loss (sypherd2023, Proposition 1)."""
        return math.log(self.exponent) if self.exponent > 0 else -math.inf

    def value_and_weight(self, margin: ArrayLike) -> tuple[Array, Array]:
        """Loss and weight, which share two logarithms."""
        z = np.asarray(margin, dtype=np.float64)
        with np.errstate(all="ignore"):
            wrong, right = self._log_losses(z)
            weight = np.exp(log_alpha_weight(wrong, right, self.exponent))
            return power_loss(-wrong, self.exponent)[()], weight[()]

    def log_weights(self, margin: ArrayLike) -> tuple[Array, Array]:
        """Logarithms of the weights at each margin and at its opposite, which share theirs."""
        z = np.asarray(margin, dtype=np.float64)
        with np.errstate(all="ignore"):
            wrong, right = self._log_losses(z)
            return log_alpha_weight(wrong, right, self.exponent), log_alpha_weight(right, wrong, self.exponent)

    @staticmethod
    def _log_losses(z: Array) -> tuple[Array, Array]:
        """Log-loss at each margin and at its opposite."""
        bend = np.log1p(np.exp(-np.abs(z)))
        return bend - np.minimum(z, 0.0), bend + np.maximum(z, 0.0)

    def _value(self, z: Array) -> Array:
        return power_loss(-softplus(-z), self.exponent)

    def _log_weight(self, z: Array) -> Array:
        return log_alpha_weight(*self._log_losses(z), self.exponent)

    def _derivative(self, z: Array, order: int) -> Array:
        right, wrong = expit(z), expit(-z)
        slope = right - self.exponent * wrong
        if order == 2:
            return self._weight(z) * slope
        return self._weight(z) * ((1 + self.exponent) * right * wrong - slope**2)

    def _posterior(self, z: Array) -> Array:
        # w(-z)/w(z) = exp((1 - s) z); at s = 1 the weight is even and no margin is optimal for a single probability
        return expit((1 - self.exponent) * z) if self.exponent < 1 else np.full_like(z, 0.5)


@dataclass(frozen=True)
class AlphaLoss(SigmoidPowerLoss):
    r"""Margin α-loss: exponential at ½, logistic at 1, sigmoid at ∞ (``alpha`` is the parameter of the loss).

    .. math:: \tilde\ell^\alpha(z) = \frac{\alpha}{\alpha-1}\bigl(1 - \sigma(z)^{1-1/\alpha}\bigr)

    Definition 1, equation (3) of sypherd2023. Convex for :math:`\alpha \le 1`. For :math:`\alpha > 1` the loss is
    bounded by :math:`\alpha/(\alpha-1)` and its weight falls again below the margin :math:`\log(1 - 1/\alpha)`:
    the learner gives up on examples that are far on the wrong side.

    Parameters
    ----------
    alpha : float
        In :math:`(0, \infty]`.

    Examples
    --------
    >>> from marginloss.losses import AlphaLoss
    >>> AlphaLoss(2).value([-1e6, 0, 1e6]).round(4)
    array([2.    , 0.5858, 0.    ])
    >>> AlphaLoss(2).weight([-5.0, -1.0, 1.0]).round(3)
    array([0.081, 0.379, 0.23 ])
    """

    alpha: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", check_real("alpha", self.alpha, "(0, inf]"))

    @property
    def exponent(self) -> float:
        r"""The exponent :math:`s = 1 - 1/\alpha`, computed so that it keeps its digits near :math:`\alpha = 1`."""
        if math.isinf(self.alpha):
            return 1.0
        return max((self.alpha - 1) / self.alpha, -sys.float_info.max)  # subnormal alpha would divide to -inf

    def _posterior(self, z: Array) -> Array:
        return expit(z / self.alpha) if math.isfinite(self.alpha) else np.full_like(z, 0.5)


@dataclass(frozen=True)
class ExponentialLoss(AlphaLoss):
    r"""Exponential loss :math:`e^{-z}` of AdaBoost, the α-loss at :math:`\alpha = ½`.

    Examples
    --------
    >>> float(ExponentialLoss().value(0.0))
    1.0
    """

    alpha: float = field(default=0.5, init=False, repr=False)


@dataclass(frozen=True)
class LogisticLoss(AlphaLoss):
    r"""Logistic loss :math:`\log(1 + e^{-z})`, the α-loss at :math:`\alpha = 1`.

    Examples
    --------
    >>> float(LogisticLoss().weight(0.0))
    0.5
    """

    alpha: float = field(default=1.0, init=False, repr=False)


@dataclass(frozen=True)
class SigmoidLoss(AlphaLoss):
    r"""Sigmoid loss :math:`\sigma(-z)`, a smooth 0-1 loss, the α-loss at :math:`\alpha = \infty`.

    Examples
    --------
    >>> float(SigmoidLoss().value(0.0))
    0.5
    """

    alpha: float = field(default=math.inf, init=False, repr=False)


@dataclass(frozen=True)
class GeneralizedCrossEntropyLoss(SigmoidPowerLoss):
    r"""Generalised cross entropy :math:`(1 - \sigma(z)^q)/q`, the α-loss with :math:`q = 1 - 1/\alpha`.

    Parameters
    ----------
    q : float
        In :math:`[0, 1]`: the log-loss at 0, the sigmoid loss at 1.

    Examples
    --------
    >>> float(GeneralizedCrossEntropyLoss(0.5).value(0.0)) == float(AlphaLoss(2).value(0.0))
    True
    """

    q: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "q", check_real("q", self.q, "[0, 1]"))

    @property
    def exponent(self) -> float:
        """The exponent :math:`s = q`."""
        return self.q


@dataclass(frozen=True)
class HingeLoss(MarginLoss):
    r"""Hinge loss :math:`\max\{0, 1 - z\}` of support vector machines.

    Examples
    --------
    >>> HingeLoss().value([-1.0, 0.0, 2.0])
    array([2., 1., 0.])
    """

    bound = math.inf
    is_convex = True

    def _value(self, z: Array) -> Array:
        return np.maximum(0.0, 1 - z)

    def _weight(self, z: Array) -> Array:
        return (z < 1).astype(float)

    def _log_weight(self, z: Array) -> Array:
        return np.where(z < 1, 0.0, -np.inf)

    def _derivative(self, z: Array, order: int) -> Array:
        return np.zeros_like(z)
