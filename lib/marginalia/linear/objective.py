"""Mean losses of linear models with their gradients: a margin loss for two classes, two temperatures for more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from marginalia.losses.base import MarginLoss
from marginalia.losses.multiclass import two_temperature_loss

__all__ = ["ActivationObjective", "MarginObjective", "Objective", "SmoothedHinge"]

Array = NDArray[np.float64]
Evaluation = tuple[float, Array, Array]


class Objective(Protocol):
    """Mean loss as a function of coefficients (d, K) and intercepts (K,)."""

    outputs: int
    fit_intercept: bool

    def __call__(self, coef: Array, intercept: Array) -> Evaluation:
        """Value, gradient in the coefficients and gradient in the intercepts."""
        ...


class _LinearObjective:
    """Scores and their transpose; the two products run in the precision of ``X``, everything else in double."""

    def __init__(self, X: Any, weight: Array, fit_intercept: bool) -> None:
        self.X, self.weight, self.fit_intercept = X, weight / weight.sum(), fit_intercept

    def _scores(self, coef: Array, intercept: Array) -> Array:
        return np.asarray(self.X @ coef.astype(self.X.dtype), dtype=np.float64) + intercept

    def _pull(self, slopes: Array) -> tuple[Array, Array]:
        total = slopes.sum(axis=0) if self.fit_intercept else np.zeros(slopes.shape[1])
        return np.asarray(self.X.T @ slopes.astype(self.X.dtype), dtype=np.float64), total


class MarginObjective(_LinearObjective):
    """Mean of a margin loss; ``y`` holds −1 and +1."""

    outputs = 1

    def __init__(self, X: Any, y: Array, weight: Array, loss: MarginLoss, fit_intercept: bool = True) -> None:
        super().__init__(X, weight, fit_intercept)
        self.y, self.loss = y, loss
        self._signed_weight = -self.weight * y

    def __call__(self, coef: Array, intercept: Array) -> Evaluation:
        """Value and gradients."""
        with np.errstate(
            over="ignore", invalid="ignore"
        ):  # a value that is not finite ends the solver, with its reason
            margin = self.y * self._scores(coef[:, 0], intercept[0])
            losses, weights = self.loss.value_and_weight(margin)
            return float(self.weight @ losses), *self._pull((self._signed_weight * weights)[:, None])


class ActivationObjective(_LinearObjective):
    """Mean two-temperature loss of several classes; ``codes`` holds 0 to C − 1."""

    def __init__(
        self,
        X: Any,
        codes: NDArray[np.intp],
        weight: Array,
        temperatures: tuple[float, float],
        fit_intercept: bool = True,
    ) -> None:
        super().__init__(X, weight, fit_intercept)
        self.codes, self.temperatures, self.outputs = codes, temperatures, int(codes.max()) + 1

    def __call__(self, coef: Array, intercept: Array) -> Evaluation:
        """Value and gradients."""
        with np.errstate(
            over="ignore", invalid="ignore"
        ):  # a value that is not finite ends the solver, with its reason
            activations = self._scores(coef, intercept)
            losses, slopes = two_temperature_loss(activations, self.codes, *self.temperatures, gradient=True)
            return float(self.weight @ losses), *self._pull(self.weight[:, None] * slopes)


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
