"""Mean losses of linear models with their gradients: a margin loss for two classes, two temperatures for more."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marginloss.losses.base import MarginLoss
from marginloss.losses.multiclass import two_temperature_loss
from marginloss.losses.two_temperature import TwoTemperatureLoss

__all__ = ["ActivationObjective", "MarginObjective", "Objective", "SmoothedHinge"]

Array = NDArray[np.float64]


class Objective(ABC):
    """Mean loss as a function of coefficients (d, K) and intercepts (K,).

    Two products with ``X`` are in its precision, everything else is in double; ``rounding`` says which differences of
    the objective are not resolved.
    """

    outputs: int

    def __init__(self, X: Any, weight: Array, fit_intercept: bool) -> None:
        self.X, self.weight, self.fit_intercept = X, weight / weight.sum(), fit_intercept
        self.rounding = 1e-14 if X.dtype == np.float64 else 1e-8

    @property
    @abstractmethod
    def is_convex(self) -> bool:
        """Whether a point without slope is a minimum."""

    @property
    def curvature(self) -> float:
        """Largest curvature of the loss at a score of zero, relative to that of the logistic loss; at least 1."""
        return 1.0

    def __call__(self, coef: Array, intercept: Array) -> tuple[float, Array, Array]:
        """Value, gradient in the coefficients and gradient in the intercepts."""
        # a value that is not finite ends the solver, with its reason
        with np.errstate(over="ignore", invalid="ignore"):
            # the first point is mostly zero, and its scores need no product
            scores = self.X @ coef.astype(self.X.dtype) if coef.any() else np.zeros((self.X.shape[0], self.outputs))
            total, slopes = self._losses(np.asarray(scores, dtype=np.float64) + intercept)
            slope = np.asarray(self.X.T @ slopes.astype(self.X.dtype, copy=False), dtype=np.float64)
            tilt = slopes.sum(axis=0) if self.fit_intercept else np.zeros_like(intercept)
        return total, slope, tilt

    @abstractmethod
    def _losses(self, scores: Array) -> tuple[float, Array]:
        """Weighted sum of the losses, and its slopes in the scores."""


class MarginObjective(Objective):
    """Mean of a margin loss; ``y`` holds −1 and +1."""

    outputs = 1

    def __init__(self, X: Any, y: Array, weight: Array, loss: MarginLoss, fit_intercept: bool = True) -> None:
        super().__init__(X, weight, fit_intercept)
        self.y, self.loss = y, loss
        self._signed_weight = -self.weight * y

    @property
    def is_convex(self) -> bool:
        """Whether the loss is."""
        return self.loss.is_convex

    @property
    def curvature(self) -> float:
        """At least that of the logistic loss, a quarter, which the default step of gradient descent rests on."""
        return max(1.0, 4 * float(np.max(self.loss.derivative(0.0, 2))))

    def _losses(self, scores: Array) -> tuple[float, Array]:
        losses, weights = self.loss.value_and_weight(self.y * scores[:, 0])
        return float(self.weight @ losses), (self._signed_weight * weights)[:, None]


class ActivationObjective(Objective):
    """Mean two-temperature loss of several classes; ``codes`` holds 0 to C − 1."""

    def __init__(
        self, X: Any, codes: NDArray[np.intp], weight: Array, temperatures: tuple[float, float], fit_intercept: bool
    ) -> None:
        super().__init__(X, weight, fit_intercept)
        self.codes, self.temperatures, self.outputs = codes, temperatures, int(codes.max()) + 1

    @property
    def is_convex(self) -> bool:
        """Whether the two-temperature loss is."""
        return TwoTemperatureLoss(*self.temperatures).is_convex

    def _losses(self, scores: Array) -> tuple[float, Array]:
        losses, slopes = two_temperature_loss(scores, self.codes, *self.temperatures, gradient=True)
        return float(self.weight @ losses), self.weight[:, None] * slopes


@dataclass(frozen=True)
class SmoothedHinge:
    """Hinge with a parabola of the given width in place of its kink; below it by at most half the width."""

    width: float
    is_convex: bool = True

    def value_and_weight(self, margin: Array) -> tuple[Array, Array]:
        """Loss and minus its derivative at each margin."""
        gap = np.maximum(0.0, 1 - margin)
        weight = np.minimum(gap / self.width, 1.0)
        return weight * (gap - self.width * weight / 2), weight
