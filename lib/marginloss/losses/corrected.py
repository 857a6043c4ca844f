r"""Any loss of the margin, corrected for labels that are flipped at a known rate in each class."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from marginloss._validation import check_real
from marginloss.losses.base import Array, MarginLoss

__all__ = ["CorrectedLoss"]

#: Margins at which the weights of a loss on both sides are compared.
PROBE = np.linspace(0, 10, 21)


class Difference(MarginLoss):
    r"""The loss :math:`a\,\ell(z) - b\,\ell(-z)`; its weight :math:`a\,w(z) + b\,w(-z)` is never negative."""

    loss: MarginLoss

    @property
    @abstractmethod
    def coefficients(self) -> tuple[Any, Any]:
        """The pair (a, b), numbers or one for each margin."""

    @property
    def bound(self) -> float:
        """Supremum of the loss."""
        return float(np.max(self.coefficients[0]) * self.loss.bound)

    @property
    def is_convex(self) -> bool:
        """Convex if the loss is and its weights at opposite margins have one sum, as for the logistic loss."""
        sums = self.loss.weight(PROBE) + self.loss.weight(-PROBE)
        return self.loss.is_convex and bool(np.ptp(sums) <= 1e-12 * sums[0])

    @property
    def posterior_slope(self) -> float:
        """That of the loss itself."""
        return self.loss.posterior_slope

    def _value(self, z: Array) -> Array:
        a, b = self.coefficients
        return a * self.loss.value(z) - np.where(b > 0, b * self.loss.value(-z), 0.0)

    def _log_weight(self, z: Array) -> Array:
        a, b = self.coefficients
        flipped = np.where(b > 0, np.log(b) + self.loss.log_weight(-z), -np.inf)
        return np.logaddexp(np.log(a) + self.loss.log_weight(z), flipped)

    def _derivative(self, z: Array, order: int) -> Array:
        a, b = self.coefficients
        return a * self.loss.derivative(z, order) - (-1) ** order * b * self.loss.derivative(-z, order)

    def _posterior(self, z: Array) -> Array:
        return self.loss.posterior(z)


@dataclass(frozen=True, eq=False)
class _OfLabel(Difference):
    loss: MarginLoss
    own: Any
    opposite: Any

    @property
    def coefficients(self) -> tuple[Any, Any]:
        """The pair (a, b)."""
        return self.own, self.opposite


@dataclass(frozen=True)
class CorrectedLoss(Difference):
    r"""Loss whose mean over flipped labels is the mean of ``loss`` over the true ones (Natarajan et al., 2013).

    For an example with the given label :math:`\tilde y`, the rate :math:`\rho` at which its class is flipped and the
    rate :math:`\rho'` of the other class,

    .. math:: \tilde\ell(z) = \frac{(1-\rho')\,\ell(z) - \rho\,\ell(-z)}{1-\rho-\rho'}

    Use it for wrong labels in one class only, or in one more often than in the other, at rates that are known or
    estimated. :func:`marginloss.noise.estimate_flip_rates` estimates them. Below zero it has no bound unless ``loss``
    has one: with trees take a bounded loss such as ``AlphaLoss(2)``. Not for wrong labels that depend on the features,
    nor for outliers.

    Where the rates differ, the correction depends on the label and not on the margin alone: :meth:`on_label` gives the
    loss of examples with these labels. Learners that accept a loss ask for it. The posterior is that of ``loss``: the
    probability of the true label.

    Parameters
    ----------
    loss : MarginLoss
    rate_positive, rate_negative : float
        Share of the true +1 that are labelled −1, and of the true −1 labelled +1; together below 1.

    Examples
    --------
    >>> from marginloss.losses import AlphaLoss
    >>> loss, corrected = AlphaLoss(2), CorrectedLoss(AlphaLoss(2), 0.3, 0.1)
    >>> right, flipped = corrected.on_label(1).value(0.7), corrected.on_label(-1).value(-0.7)
    >>> bool(np.isclose(0.7 * right + 0.3 * flipped, loss.value(0.7)))
    True
    """

    loss: MarginLoss
    rate_positive: float
    rate_negative: float

    def __post_init__(self) -> None:
        if not isinstance(self.loss, MarginLoss):
            raise ValueError(f"loss must be a loss of the margin such as AlphaLoss(2), got {self.loss!r}")
        for name in ("rate_positive", "rate_negative"):
            object.__setattr__(self, name, check_real(name, getattr(self, name), "[0, 1)"))
        if self.rate_positive + self.rate_negative >= 1:
            raise ValueError(
                "rate_positive and rate_negative must add up to less than 1, else labels tell nothing; "
                f"got {self.rate_positive} and {self.rate_negative}"
            )

    def on_label(self, label: ArrayLike) -> Difference:
        """Loss of examples with the labels −1 or +1, one for each margin or one for all."""
        positive = np.asarray(label) > 0
        own = np.where(positive, self.rate_positive, self.rate_negative)
        other = np.where(positive, self.rate_negative, self.rate_positive)
        return _OfLabel(self.loss, (1 - other) / (1 - own - other), own / (1 - own - other))

    @property
    def coefficients(self) -> tuple[Any, Any]:
        """The pair (a, b) if both classes have the same."""
        if self.rate_positive != self.rate_negative:
            raise ValueError(
                f"the margin alone does not tell the loss where rates differ: ask {self!r}.on_label(label)"
            )
        return self.on_label(1).coefficients

    @property
    def bound(self) -> float:
        """Supremum of the loss over both labels."""
        return float(self.on_label([-1, 1]).bound)
