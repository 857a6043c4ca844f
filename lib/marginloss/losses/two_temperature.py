r"""The two-temperature loss of the margin and t-logistic regression's loss (amid2019, section 4)."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import expit

from marginloss.losses.base import Array, MarginLoss, power_loss
from marginloss.losses.log_partition import check_temperature, log_loser, scaled_log

__all__ = ["TLogisticLoss", "TemperedMarginLoss", "TwoTemperatureLoss"]

Term = Callable[[int, int], Array]
Formula = Callable[[Term, Array, Array], Array]


class TemperedMarginLoss(MarginLoss):
    r"""The family :math:`\xi(z) = -\log_{t_1}\exp_{t_2}(z/2 - G_{t_2}(z))`.

    With the probability :math:`\hat p` of the label, :math:`m` of the other class, escorts :math:`q_\pm` of order
    :math:`t_2`, and the rates :math:`P = (\log\hat p)' = \hat p^{t_2-1} q_-`, :math:`M = -(\log m)' = m^{t_2-1} q_+`:
    :math:`w = \hat p^{t_2-t_1} q_-` and :math:`(\log w)' = (t_2-t_1) P - t_2 q_+ (P + M)`.
    """

    @property
    @abstractmethod
    def temperatures(self) -> tuple[float, float]:
        """Temperatures of the logarithm and of the exponential."""

    @property
    def bound(self) -> float:
        r"""Supremum of the loss, :math:`1/(1-t_1)` for :math:`t_1 < 1`; attained only if :math:`t_2 < 1` too."""
        t1, _ = self.temperatures
        return 1 / (1 - t1) if t1 < 1 else math.inf

    @property
    def is_convex(self) -> bool:
        r"""Convex exactly for :math:`t_1 \ge t_2` and :math:`t_1 \ge 1` (Remark 1)."""
        t1, t2 = self.temperatures
        return t1 >= t2 and t1 >= 1

    @property
    def inflection(self) -> float:
        r"""Margin of the largest weight, ``-inf`` for a convex loss (Appendix B).

        With :math:`\lambda = m/\hat p` the root of :math:`t_2(1 + 1/\lambda) = (t_2 - t_1)(1 + \lambda^{t_2})`; for
        :math:`t_2 \le t_1 < 1` the end :math:`-1/(1-t_2)` of the flat part, where the loss has a kink.
        """
        t1, t2 = self.temperatures
        if self.is_convex:
            return -math.inf
        if t1 >= t2 or t2 == 0:
            return -1 / (1 - t2)
        if t1 == 0:
            return 0.0
        offset = math.log(t2) - math.log(t2 - t1)

        def balance(x: float) -> float:
            return offset + float(np.logaddexp(0.0, -x) - np.logaddexp(0.0, t2 * x))

        high = (offset + math.log(4)) / t2 + 1
        x = brentq(balance, 0.0, high, xtol=1e-15, rtol=8.9e-16, maxiter=200)
        right, wrong = -np.logaddexp(0.0, x), -np.logaddexp(0.0, -x)  # log p and log(1 - p)
        return float(power_loss(wrong, 1 - t2) - power_loss(right, 1 - t2))

    def log_probabilities(self, margin: Array) -> tuple[Array, Array]:
        r"""Log-probability :math:`\log\hat p` of the label and of the other class at each margin."""
        z = np.asarray(margin, dtype=np.float64)
        with np.errstate(all="ignore"):
            loser = log_loser(z, self.temperatures[1])
            winner = np.log1p(-np.exp(loser))
            return np.where(z >= 0, winner, loser), np.where(z >= 0, loser, winner)

    def value_and_weight(self, margin: ArrayLike) -> tuple[Array, Array]:
        """Loss and weight from one look-up of the probabilities."""
        z = np.asarray(margin, dtype=np.float64)
        t1, t2 = self.temperatures
        if t2 < 1:
            return super().value_and_weight(z)
        with np.errstate(all="ignore"):
            level, other = self.log_probabilities(z)
            odds = self._log_odds(z, level, other)
            weight = np.exp(scaled_log(t2 - t1, level)) * expit(-t2 * odds)
            return power_loss(level, 1 - t1)[()], weight[()]

    def _value(self, z: Array) -> Array:
        return power_loss(self.log_probabilities(z)[0], 1 - self.temperatures[0])

    def _log_weight(self, z: Array) -> Array:
        return self._on_support(z, lambda term, right, wrong: term(0, 0), np.inf, logarithm=True)

    def _derivative(self, z: Array, order: int) -> Array:
        t1, t2 = self.temperatures
        s = t2 - 1

        def second(term: Term, right: Array, wrong: Array) -> Array:
            return (t2 * right - (t2 - t1)) * np.exp(term(1, 0)) + t2 * right * np.exp(term(0, 1))

        def third(term: Term, right: Array, wrong: Array) -> Array:
            a, b, spread = (t2 - t1) - t2 * right, -t2 * right, t2**2 * right * wrong
            pp = a**2 + a * (s - t2 * right) - spread
            pm = 2 * a * b - a * t2 * right + b * t2 * wrong - 2 * spread
            mm = b**2 + b * (t2 * wrong - s) - spread
            return -(pp * np.exp(term(2, 0)) + pm * np.exp(term(1, 1)) + mm * np.exp(term(0, 2)))

        return self._on_support(z, second if order == 2 else third, np.inf if order == 2 else -np.inf)

    def _on_support(self, z: Array, formula: Formula, infinite: float, logarithm: bool = False) -> Array:
        r"""Evaluate a formula in :math:`\log(w P^i M^j)`, each one sum of logs: the factors may be 0 and infinity.

        Beyond the finite support of :math:`t_2 < 1` the loss is constant, and infinite on the wrong side if
        :math:`t_1 \ge 1`; ``infinite`` is the derivative to give there.
        """
        t1, t2 = self.temperatures
        level, other = self.log_probabilities(z)
        right, wrong = scaled_log(t2, level), scaled_log(t2, other)
        total = np.logaddexp(right, wrong)

        def term(i: int, j: int) -> Array:
            own = t2 - t1 + i * (t2 - 1) + j * t2
            return scaled_log(own, level) + scaled_log(j * (t2 - 1) + (1 + i) * t2, other) - (1 + i + j) * total

        out = formula(term, np.exp(right - total), np.exp(wrong - total))
        flat = -np.inf if logarithm else 0.0
        out = np.where(np.isneginf(other), flat, out)
        if t2 < 1:
            out = np.where(np.isneginf(level), flat if t1 < 1 else infinite, out)
        return out

    def _posterior(self, z: Array) -> Array:
        t1, _ = self.temperatures
        if t1 == 0:
            return np.full_like(z, 0.5)
        return expit(t1 * self._log_odds(z, *self.log_probabilities(z)))

    def _log_odds(self, z: Array, level: Array, other: Array) -> Array:
        """Return ``log(p / m)``; the margin itself at ``t2 = 1``, where both logarithms have lost its last digits."""
        return z if self.temperatures[1] == 1 else level - other


@dataclass(frozen=True)
class TwoTemperatureLoss(TemperedMarginLoss):
    r"""Two-temperature loss of the margin, equation (16) of amid2019.

    .. math:: \xi(z) = -\log_{t_1}\exp_{t_2}\bigl(\tfrac z2 - G_{t_2}(z)\bigr)

    :math:`t_1 < 1` bounds the loss of an example by :math:`1/(1-t_1)`, :math:`t_2 > 1` gives the class probabilities a
    heavy tail. Logistic at (1, 1), t-logistic at (1, t), the α-loss at (1/α, 1).

    Parameters
    ----------
    t1 : float
        Temperature of the logarithm, at least 0.
    t2 : float
        Temperature of the exponential, at least 0. Below 1 the probabilities have finite support, and with
        :math:`t_1 \ge 1` the loss is infinite beyond it.

    Examples
    --------
    >>> loss = TwoTemperatureLoss(0.6, 1.6)
    >>> loss.value([-1e300, 0.0, 4.0]).round(5)
    array([2.5    , 0.60535, 0.12995])
    >>> round(loss.inflection, 4)
    -0.5271
    """

    t1: float
    t2: float

    def __post_init__(self) -> None:
        for name in ("t1", "t2"):
            object.__setattr__(self, name, check_temperature(name, getattr(self, name)))

    @property
    def temperatures(self) -> tuple[float, float]:
        """The pair (t1, t2)."""
        return self.t1, self.t2


@dataclass(frozen=True)
class TLogisticLoss(TemperedMarginLoss):
    r"""Loss of t-logistic regression, :math:`-\log\exp_t(z/2 - G_t(z))`: heavy tail, but no bound.

    Parameters
    ----------
    t : float
        Temperature of the exponential, at least 0.

    Examples
    --------
    >>> TLogisticLoss(1.6).value([-4.0, 0.0, 4.0]).round(5)
    array([2.08   , 0.69315, 0.13345])
    """

    t: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "t", check_temperature("t", self.t))

    @property
    def temperatures(self) -> tuple[float, float]:
        """The pair (1, t)."""
        return 1.0, self.t
