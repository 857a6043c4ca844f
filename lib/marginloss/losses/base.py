"""What every loss of the margin offers, and the care about infinities and NaN that all of them need."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.utils.metaestimators import available_if

from marginloss._compiled import helper
from marginloss.losses.elementary import FAR, exp_and_expm1

__all__ = ["MarginLoss", "power_loss", "power_loss_scalar", "softplus", "with_posterior"]

Array = NDArray[np.float64]
Method = TypeVar("Method", bound=Callable[..., Any])


def softplus(z: Array) -> Array:
    r"""``log(1 + exp(z))`` without overflow: :math:`-\log\sigma(-z)`."""
    # np.logaddexp has no vectorised code: ten times as slow
    return np.maximum(z, 0.0) + np.log1p(np.exp(-np.abs(z)))


def power_loss(log_p: Array, s: float) -> Array:
    r"""Loss :math:`(1 - p^s)/s` of a probability, from its logarithm; :math:`-\log p` at :math:`s = 0`.

    This is minus the tempered logarithm of temperature :math:`t = 1 - s`, with all digits near :math:`s = 0`.

    Examples
    --------
    >>> [float(power_loss(np.log(0.25), s)) for s in (0.5, 1.0)]
    [1.0, 0.75]
    """
    if s == 0:
        return -log_p
    power = s * log_p
    # a power in the subnormal range has lost its digits; there the loss is that of s = 0
    return np.where(np.abs(power) < 1e-290, -log_p, -np.expm1(power) / s)


@helper
def power_loss_scalar(log_p: float, s: float) -> float:
    """One number of :func:`power_loss`."""
    level = s * log_p
    if abs(level) < 1e-290:
        return -log_p
    return exp_and_expm1(max(level, -FAR))[1] / -s if level < FAR else inf


@dataclass(frozen=True)
class MarginLoss(ABC):
    r"""A loss :math:`\ell(z)` of the margin :math:`z = y H(x)`.

    Public methods are elementwise, take anything that converts to ``float64`` and return an array of that shape (a
    NumPy scalar for a scalar). They are silent: what overflows is the mathematically right infinity. NaN gives NaN.

    A subclass writes ``_value``, ``_derivative``, ``_log_weight``, ``bound`` and ``is_convex``.
    """

    def on_label(self, label: ArrayLike) -> MarginLoss:
        """Loss of examples with the labels −1 or +1: itself, unless it is corrected for noise that depends on them."""
        return self

    def value(self, margin: ArrayLike) -> Array:
        r"""Loss :math:`\ell(z)` at each margin."""
        return self._silently(self._value, margin)

    def derivative(self, margin: ArrayLike, order: int = 1) -> Array:
        r"""Derivative of :math:`\ell` of order 1, 2 or 3; at a kink, the one from the right."""
        if order not in (1, 2, 3):
            raise ValueError(f"order must be 1, 2 or 3, got {order!r}")
        if order == 1:
            return -self.weight(margin)
        return self._silently(self._derivative, margin, order)

    def weight(self, margin: ArrayLike) -> Array:
        r"""Weight :math:`w(z) = -\ell'(z)` that a learner gives to an example of this margin."""
        return self._silently(self._weight, margin)

    def value_and_weight(self, margin: ArrayLike) -> tuple[Array, Array]:
        """Loss and weight together, for solvers: a subclass may share work between them."""
        return self.value(margin), self.weight(margin)

    def log_weight(self, margin: ArrayLike) -> Array:
        r"""Logarithm of the weight, finite where the weight itself would underflow or overflow."""
        return self._silently(self._log_weight, margin)

    def posterior(self, margin: ArrayLike) -> Array:
        r"""Class probability :math:`\eta` at which this margin is optimal.

        .. math:: \eta(z) = \frac{w(-z)}{w(z) + w(-z)}
        """
        return self._silently(self._posterior, margin)

    @property
    def posterior_slope(self) -> float:
        r"""Slope of the posterior's log-odds at margin 0; 0 if the posterior does not tell margins near 0 apart.

        .. math:: \frac{\ell''(0^-) + \ell''(0^+)}{w(0)}
        """
        left, right = self.derivative([-np.finfo(float).tiny, 0.0], 2)  # they differ at a kink of the weight
        return float((left + right) / self.weight(0.0))

    @property
    @abstractmethod
    def bound(self) -> float:
        """Supremum of the loss, ``inf`` if there is none."""

    @property
    @abstractmethod
    def is_convex(self) -> bool:
        """Whether the loss is a convex function of the margin."""

    @abstractmethod
    def _value(self, z: Array) -> Array: ...

    @abstractmethod
    def _derivative(self, z: Array, order: int) -> Array:
        """Order 2 or 3; the first order is minus the weight."""

    @abstractmethod
    def _log_weight(self, z: Array) -> Array: ...

    def _weight(self, z: Array) -> Array:
        return np.exp(self._log_weight(z))

    def _posterior(self, z: Array) -> Array:
        towards, away = self._log_weight(-z), self._log_weight(z)
        # where both sides weigh the same (two equal infinities included) neither class is preferred
        return np.where(towards == away, 0.5, expit(towards - away))

    @staticmethod
    def _silently(function: Any, margin: ArrayLike, *args: Any) -> Any:
        z = np.asarray(margin, dtype=np.float64)
        with np.errstate(all="ignore"):
            out = np.asarray(function(z, *args), dtype=np.float64)
            out = np.where(np.isnan(z), np.nan, out)
        return out[()]


def _has_posterior(model: Any) -> bool:
    loss = getattr(model, "loss_", model.loss)
    if getattr(loss, "posterior_slope", 1) == 0:
        raise AttributeError(f"predict_proba is not available when loss={loss!r}: the loss is not one of probabilities")
    return True


def with_posterior(method: Method) -> Method:
    """Offer a method if the loss, fitted or to be fitted, has class probabilities to go with its scores."""
    return available_if(_has_posterior)(method)
