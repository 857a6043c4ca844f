"""Weight functions and step rules for :func:`marginloss.boosting.loop.boost` that several boosters use."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from marginloss._compiled import helper
from marginloss.boosting.loop import Round, Stop
from marginloss.losses import MarginLoss
from marginloss.losses.elementary import log
from marginloss.losses.proper import AlphaCPELoss

__all__ = [
    "EdgeStep",
    "ErrorStep",
    "GradientStep",
    "LineSearchStep",
    "LinkWeights",
    "LossWeights",
    "adaboost_step",
    "adaboost_step_scalar",
    "gradient_step",
    "gradient_step_scalar",
]

Array = NDArray[np.float64]

CLIP = 1e-10  # a perfect weak learner gets a finite step, 11.5 for two classes
NO_EDGE = 1e-12
LONGEST_STEP = 20.0
GRID = np.linspace(0, LONGEST_STEP, 65)


@dataclass(frozen=True)
class LossWeights:
    r"""Weight of an example: minus the slope of a loss at :math:`N = z - \theta\sum_s\alpha_s`.

    N says how far its margin z is ahead of the margin θ that each step asks for; with θ = 0, the default, it is z.

    Parameters
    ----------
    loss : MarginLoss
    theta : float
        Margin aimed at per unit of step.

    Examples
    --------
    The measure of SmoothBoost, here :math:`\min\{1, 0.64^{N/2}\}`, after two steps of one:

    >>> from marginloss.losses import SmoothBoostLoss
    >>> np.exp(LossWeights(SmoothBoostLoss(0.36), theta=0.1)(np.array([-1.0, 0.2, 1.2]), 2.0)).round(12)
    array([1. , 1. , 0.8])
    """

    loss: MarginLoss
    theta: float = 0.0

    def __call__(self, margin: Array, total: float) -> Array:
        """Log-weights at these margins after steps that sum to ``total``."""
        return self.loss.log_weight(margin - self.theta * total if self.theta else margin)


@dataclass(frozen=True)
class LinkWeights:
    r"""Weight of an example: the probability :math:`\tilde f(-z)` that a link gives to the other class.

    Parameters
    ----------
    loss : AlphaCPELoss
    link : {"pseudo", "exact"}
        The pseudo-inverse link of sypherd2022, or the inverse of the canonical link.
    """

    loss: AlphaCPELoss
    link: str = "pseudo"

    def inverse(self, score: Array) -> Array:
        """Probability of the positive class at these scores."""
        return self.loss.pseudo_inverse_link(score) if self.link == "pseudo" else self.loss.inverse_link(score)

    def __call__(self, margin: Array, total: float) -> Array:
        """Log-weights at these margins, the same in every round."""
        with np.errstate(divide="ignore"):  # an example beyond the clip has no weight
            return np.log(self.inverse(-margin))


@dataclass(frozen=True)
class GradientStep:
    r"""PILBoost's step: a factor times the unnormalised edge :math:`\frac1m\sum_i w_i y_i h(x_i)`.

    An edge of at most 0 stops the loop (``"no_edge"``), and so does a round without weight (``"no_weight"``).
    """

    factor: float

    def __call__(self, now: Round) -> float:
        """Step of this round."""
        if now.density == 0:
            raise Stop("no_weight")
        if now.edge <= 0:
            raise Stop("no_edge")
        return gradient_step(self.factor, now.density, now.edge)


def gradient_step(factor: float, density: float, edge: float) -> float:
    r"""Factor times the unnormalised edge, which is the edge under D times the mean weight.

    Examples
    --------
    >>> gradient_step(7.0, 0.5, 0.2)
    0.7000000000000001
    """
    return factor * density * edge


@helper
def gradient_step_scalar(factor: float, density: float, edge: float) -> float:
    """The same for kernels."""
    return factor * density * edge


def adaboost_step(error: float, n_classes: int) -> float:
    """Step of AdaBoost at this weighted error, or of SAMME; 0 where there is no edge.

    Examples
    --------
    >>> round(adaboost_step(0.25, 2), 4), round(adaboost_step(0.25, 3), 4), adaboost_step(0.5, 2)
    (0.5493, 2.389, 0.0)
    """
    others, clipped = n_classes - 1, min(max(error, CLIP), 1 - CLIP)
    theta = others**2 / n_classes * (math.log((1 - clipped) / clipped) + math.log(others))
    return 0.0 if (abs(error - 0.5) < NO_EDGE if n_classes == 2 else theta < NO_EDGE) else theta


@helper
def adaboost_step_scalar(error: float, n_classes: int) -> float:
    """The same for kernels."""
    others, clipped = n_classes - 1, min(max(error, CLIP), 1 - CLIP)
    theta = others**2 / n_classes * (log((1 - clipped) / clipped) + log(float(others)))
    return 0.0 if (abs(error - 0.5) < NO_EDGE if n_classes == 2 else theta < NO_EDGE) else theta


@dataclass(frozen=True)
class ErrorStep:
    r"""AdaBoost's step, from the weighted error alone.

    .. math:: \theta = \frac c2\log\frac{1-\epsilon}{\epsilon},\qquad
              \theta = c\,\frac{(K-1)^2}{K}\Bigl(\log\frac{1-\epsilon}{\epsilon} + \log(K-1)\Bigr)

    The second form is for K classes (SAMME). Errors are clipped to :math:`[10^{-10}, 1 - 10^{-10}]`. Two classes: a
    learner below chance gets a negative step, one at chance stops the loop; more classes: both stop it (``"no_edge"``).
    So does one without an error, after its round (``"perfect"``).

    Parameters
    ----------
    factor : float
        The factor c: shrinkage, or 2α for the step :math:`\alpha\log\frac{1-\epsilon}{\epsilon}`.
    n_classes : int
        K.

    Examples
    --------
    >>> round(ErrorStep().of_error(0.25), 4), round(ErrorStep(n_classes=3).of_error(0.25), 4)
    (0.5493, 2.389)
    """

    factor: float = 1.0
    n_classes: int = 2

    def of_error(self, error: float) -> float:
        """Step at this weighted error; 0 where there is no edge."""
        return self.factor * adaboost_step(error, self.n_classes)

    def __call__(self, now: Round) -> float:
        """Step of this round."""
        theta = self.of_error(now.error)
        if theta == 0:
            raise Stop("no_edge")
        return _last_if_perfect(now, theta)


def _last_if_perfect(now: Round, theta: float) -> float:
    """The step; a hypothesis without an error is the last one, because every later round would find it again."""
    if (now.gain > 0).all():  # an error of 0 could also mean that the weight of the rows in error underflows
        raise Stop("perfect", theta)
    return theta


@dataclass(frozen=True)
class UnitStep:
    """All hypotheses count alike: the step is one. An edge of at most 0 stops the loop (``"no_edge"``)."""

    def __call__(self, now: Round) -> float:
        """Step of this round."""
        if now.edge <= 0:
            raise Stop("no_edge")
        return 1.0


@dataclass(frozen=True)
class EdgeStep:
    r"""Step of boosters whose weak hypotheses answer in [−1, 1], from the edge r; two classes.

    .. math:: \theta_t = \frac c2\ln\frac{(1+r)(1-\mu)}{(1-r)(1+\mu)}

    With :math:`\mu = 0` the confidence-rated step of AdaBoost and MadaBoost; with :math:`\mu > 0` the step of a
    booster that aims at margin μ. An edge of at most μ stops the loop (``"no_edge"``); edges are clipped to
    :math:`1 - 10^{-12}`.

    Parameters
    ----------
    factor : float
        The factor c, a shrinkage.
    margin : float
        The margin μ in [0, 1).

    Examples
    --------
    >>> round(EdgeStep().of_edge(0.5), 6), EdgeStep(margin=0.2).of_edge(0.2)
    (0.549306, 0.0)
    """

    factor: float = 1.0
    margin: float = 0.0

    def of_edge(self, edge: float) -> float:
        """Step at this edge."""
        return self.factor * (math.atanh(min(edge, 1 - NO_EDGE)) - math.atanh(self.margin))

    def __call__(self, now: Round) -> float:
        """Step of this round."""
        if now.edge - self.margin < NO_EDGE:
            raise Stop("no_edge")
        return self.of_edge(now.edge)


@dataclass(frozen=True)
class LineSearchStep:
    """The step that makes the mean loss smallest along the new hypothesis, at most 20.

    For a loss that is not convex the mean may have several minima on the line; the best of a grid is refined.

    Parameters
    ----------
    loss : MarginLoss
    sample_weight : ndarray
        Multiplicities of the rows.
    factor : float
        Shrinkage.
    """

    loss: MarginLoss
    sample_weight: Array
    factor: float = 1.0

    def __call__(self, now: Round) -> float:
        """Step of this round; against the hypothesis if it is below chance."""
        gain = math.copysign(1.0, now.edge) * now.gain

        def risk(length: float) -> float:
            return float(self.sample_weight @ self.loss.value(now.margin + length * gain))

        def slope(length: float) -> float:
            return -float(self.sample_weight @ (self.loss.weight(now.margin + length * gain) * gain))

        best = int(np.argmin([risk(length) for length in GRID]))
        low, high = float(GRID[max(best - 1, 0)]), float(GRID[min(best + 1, len(GRID) - 1)])
        length = brentq(slope, low, high, xtol=1e-13) if slope(low) < 0 < slope(high) else float(GRID[best])
        if length < NO_EDGE:
            raise Stop("no_edge")
        return _last_if_perfect(now, math.copysign(self.factor * length, now.edge))
