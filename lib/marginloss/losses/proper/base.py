r"""What every symmetric class-probability loss offers, computed from the score :math:`s = \operatorname{logit} u`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit

from marginloss.losses.base import Array

__all__ = ["ClassProbabilityLoss"]

# scores at which the conditional risk is compared before the best one is refined; sinh: dense where it matters
_GRID = np.sinh(np.linspace(-7.3, 7.3, 601))


def as_probability(name: str, value: ArrayLike) -> Array:
    """Return ``value`` as ``float64`` if every entry lies in [0, 1] or is NaN, else raise ``ValueError``."""
    array = np.asarray(value, dtype=np.float64)
    outside = (array < 0) | (array > 1)
    if outside.any():
        raise ValueError(f"{name} must be in [0, 1], got {array[outside].flat[0].item()!r}")
    return array


def as_sign(y: ArrayLike) -> Array:
    """Return labels as ``float64`` if every one is -1 or +1, else raise ``ValueError``."""
    array = np.asarray(y, dtype=np.float64)
    wrong = np.abs(array) != 1
    if wrong.any():
        raise ValueError(f"y must be -1 or +1, got {array[wrong].flat[0].item()!r}")
    return array


def times(weight: Array, value: Array) -> Array:
    r"""The product of measure theory, :math:`0 \cdot \infty = 0`."""
    return np.where(weight == 0, 0.0, weight * np.where(weight == 0, 0.0, value))


def elementwise(formula: Callable[[Any, Array], Array]) -> Callable[[Any, ArrayLike], Any]:
    """Make a method for arrays silent, with NaN for NaN and a number for a number."""

    @wraps(formula)
    def method(self: Any, x: ArrayLike) -> Any:
        given = np.asarray(x, dtype=np.float64)
        with np.errstate(all="ignore"):
            return np.where(np.isnan(given), np.nan, formula(self, given))[()]

    return method


@dataclass(frozen=True)
class ClassProbabilityLoss(ABC):
    r"""A symmetric loss of an estimate ``u`` of a class probability, :math:`\ell_{-1}(u) = \ell_1(1-u)`.

    Methods are elementwise and broadcast, silent, and give NaN for NaN. Estimates and posteriors outside [0, 1] and
    labels other than -1 and +1 are a ``ValueError``.

    A subclass writes ``_value`` and ``_log_slope``, functions of the score: a rounded :math:`1 - u` never appears.
    """

    @abstractmethod
    def _value(self, s: Array) -> Array:
        r"""Partial loss :math:`\ell_1(\sigma(s))`."""

    @abstractmethod
    def _log_slope(self, s: Array) -> Array:
        r"""Logarithm of :math:`-\ell_1'(u)` at :math:`u = \sigma(s)`."""

    def partial(self, u: ArrayLike, y: ArrayLike) -> Any:
        r"""Partial loss :math:`\ell_y(u)` of the estimate ``u`` when the label is ``y``, -1 or +1."""
        u, y = as_probability("u", u), as_sign(y)
        with np.errstate(all="ignore"):
            return np.where(np.isnan(u), np.nan, self._value(y * logit(u)))[()]

    def conditional_risk(self, u: ArrayLike, eta: ArrayLike) -> Any:
        r"""Expected loss :math:`L(u, \eta) = \eta\ell_1(u) + (1-\eta)\ell_{-1}(u)`, with :math:`0\cdot\infty = 0`."""
        u, eta = as_probability("u", u), as_probability("eta", eta)
        with np.errstate(all="ignore"):
            return np.where(np.isnan(u + eta), np.nan, self._risk(logit(u), eta))[()]

    @elementwise
    def bayes_risk(self, eta: Array) -> Array:
        r"""Smallest conditional risk, :math:`\underline L(\eta) = \min_u L(u, \eta)`."""
        return self._risk(self._tilted_score(as_probability("eta", eta)), eta)

    @elementwise
    def tilt(self, eta: Array) -> Array:
        r"""Minimiser of the conditional risk, :math:`t(\eta) = \arg\min_u L(u, \eta)`; ½ where that is a set."""
        return expit(self._tilted_score(as_probability("eta", eta)))

    @elementwise
    def untilt(self, u: Array) -> Array:
        r"""Posterior at which the estimate ``u`` is stationary, with odds :math:`\ell_1'(1-u)/\ell_1'(u)`."""
        s = logit(as_probability("u", u))
        return np.where(np.isfinite(s), expit(self._log_slope(-s) - self._log_slope(s)), u)

    def _risk(self, s: Array, eta: Array) -> Array:
        return times(eta, self._value(s)) + times(1 - eta, self._value(-s))

    def _tilted_score(self, eta: Array) -> Array:
        """Score of the minimiser: the best point of a grid, then bisection on the sign of the derivative around it."""
        flat = eta.reshape(-1)
        inside = (flat > 0) & (flat < 1) & (flat != 0.5)
        score = np.where(flat == 0.5, 0.0, logit(flat))
        if inside.any():
            score[inside] = self._search(flat[inside])
        return score.reshape(eta.shape)

    def _search(self, eta: NDArray[np.float64]) -> Array:
        best = np.argmin(self._risk(_GRID, eta[:, None]), axis=1)
        low, high = _GRID[np.maximum(best - 1, 0)], _GRID[np.minimum(best + 1, len(_GRID) - 1)]
        target = logit(eta)
        for _ in range(64):
            middle = (low + high) / 2
            falling = self._log_slope(-middle) - self._log_slope(middle) < target
            low, high = np.where(falling, middle, low), np.where(falling, high, middle)
        return (low + high) / 2
