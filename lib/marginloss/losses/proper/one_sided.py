"""Two losses that tilt a posterior in one direction only: the focal loss blunts, the Super Loss sharpens."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import lambertw

from marginloss._validation import check_real
from marginloss.losses.base import Array, softplus
from marginloss.losses.proper.base import ClassProbabilityLoss

__all__ = ["FocalLoss", "SuperLoss"]


@dataclass(frozen=True)
class FocalLoss(ClassProbabilityLoss):
    r"""Focal loss :math:`\ell_1(u) = -(1-u)^\gamma\log u`, which only ever moves an estimate towards ½.

    Not twist-proper (Lemma 6 of sypherd2022): no ``gamma`` undoes a twist that blunted the posterior.

    Parameters
    ----------
    gamma : float
        In :math:`[0, \infty)`; 0 is the log-loss.

    Examples
    --------
    >>> [float(FocalLoss(gamma).tilt(0.2).round(4)) for gamma in (0, 1, 5)]
    [0.2, 0.3142, 0.4381]
    """

    gamma: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", check_real("gamma", self.gamma, "[0, inf)"))

    def _value(self, s: Array) -> Array:
        log_loss = softplus(-s)
        focus = np.exp(-self.gamma * softplus(s)) if self.gamma else 1.0
        return np.where(np.isinf(log_loss), np.inf, focus * log_loss)

    def _log_slope(self, s: Array) -> Array:
        # beyond s = 30 log(softplus(-s)) is -s to double precision, and softplus itself soon underflows
        log_log_loss = np.where(s > 30, -s, np.log(softplus(-np.minimum(s, 30))))
        log_gamma = math.log(self.gamma) if self.gamma else -math.inf
        return (1 - self.gamma) * softplus(s) + np.logaddexp(log_gamma + log_log_loss, -s)


@dataclass(frozen=True)
class SuperLoss(ClassProbabilityLoss):
    r"""Super Loss around a loss :math:`\ell`; around the log-loss it only ever moves an estimate away from ½.

    .. math:: (\ell - \tau)\varsigma + \lambda\log^2\varsigma,\qquad
              \varsigma = \exp\bigl\{-W\bigl(\tfrac12\max(-\tfrac2e, \tfrac{\ell-\tau}{\lambda})\bigr)\bigr\}

    with Lambert's function ``W``: the confidence :math:`\varsigma` is large for examples that are easier than
    :math:`\tau`. Not twist-proper (Lemma 13 of sypherd2022).

    Parameters
    ----------
    tau : float
        Loss that separates easy from hard examples, any real number.
    lam : float
        Strength :math:`\lambda > 0` of the pull towards confidence 1; the loss :math:`\ell` itself as it grows.
    base : ClassProbabilityLoss, optional
        The loss :math:`\ell`; the log-loss if not given.

    Examples
    --------
    >>> [float(SuperLoss(1.0, lam).tilt(0.1).round(4)) for lam in (1, 10, 1e6)]
    [0.0196, 0.0903, 0.1]
    """

    tau: float
    lam: float
    base: ClassProbabilityLoss | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "tau", check_real("tau", self.tau, "(-inf, inf)"))
        object.__setattr__(self, "lam", check_real("lam", self.lam, "(0, inf)"))
        if not isinstance(self.base, ClassProbabilityLoss | None):
            raise ValueError(f"base must be a class-probability loss or None, got {self.base!r}")

    @property
    def _base(self) -> ClassProbabilityLoss:
        return FocalLoss(0) if self.base is None else self.base

    def _log_confidence(self, loss: Array) -> Array:
        argument = (loss - self.tau) / (2 * self.lam)
        clipped = argument <= -1 / math.e  # the branch point, where the library's W is NaN
        w = np.maximum(lambertw(np.where(clipped, 0.0, argument)).real, -1.0)
        return -np.where(clipped, -1.0, np.where(np.isinf(argument), np.inf, w))

    def _value(self, s: Array) -> Array:
        loss = self._base._value(s)
        w = -self._log_confidence(loss)
        # above the clip W e^W = (l - tau)/(2 lambda), so the first term is 2 lambda W
        clipped = (loss - self.tau) / (2 * self.lam) <= -1 / math.e
        return np.where(clipped, (loss - self.tau) * math.e + self.lam, self.lam * w * (w + 2))

    def _log_slope(self, s: Array) -> Array:
        return self._base._log_slope(s) + self._log_confidence(self._base._value(s))
