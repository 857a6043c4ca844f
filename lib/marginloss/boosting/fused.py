"""One pass over the data a round: exponential weights and linear hypotheses in the same sweep.

A round needs the scores of its hypothesis and the weighted average for the next one, two products with the matrix.
When the weight of a row depends on that row's margin alone, both can be done while the row is in the cache.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marginloss.boosting.loop import BoostRecord, Round, Rows, WeakLearner, boost
from marginloss.boosting.one_pass import best, judge, rounds, sweep, weigh
from marginloss.boosting.pnorm import LinearHypothesis, LinearLearner
from marginloss.boosting.rules import NO_EDGE, EdgeStep

__all__ = ["CappedExponential", "CappedRows", "Course", "FusedRows", "boost_exponential", "rows_for"]

Array = NDArray[np.float64]

LEAP = 512  # rounds done at once, at most: bounds the memory for what they leave behind


def _nowhere(number: int) -> float:
    return 0.0


class CappedExponential:
    r"""Log-weights of all smooth boosters that cap an exponential: :math:`-\beta\max\{z - s, 0\}`.

    Parameters
    ----------
    decay : float
        Rate :math:`\beta`: :math:`-\frac12\log(1-\gamma)` for SmoothBoost, 1 for MadaBoost.
    shift : callable, optional
        ``shift(number)`` is the margin :math:`s` that an example should have after so many rounds; 0 if not given.
    lowest : float, default 0
        What stands in place of the 0 above; minus infinity for no cap, the weights of AdaBoost.

    Examples
    --------
    >>> CappedExponential(0.5, lambda number: 0.1 * number)(np.array([-1.0, 0.2, 2.2]), 2)
    array([-0., -0., -1.])
    """

    def __init__(self, decay: float, shift: Callable[[int], float] = _nowhere, lowest: float = 0.0) -> None:
        self.decay, self.shift, self.lowest = decay, shift, lowest

    def __call__(self, margin: Array, number: int) -> Array:
        """Log-weights of rows with these margins after ``number`` rounds."""
        return -self.decay * np.maximum(margin - self.shift(number), self.lowest)


@dataclass
class Course:
    """How a booster goes on while nothing has to be decided; other rounds are left to its step rule and its watcher.

    Attributes
    ----------
    n_rounds : int
        Rounds that may be done without a question.
    step : EdgeStep, optional
        Its step rule; ``None``: all steps are one.
    aim : float
        Margin aimed at per unit of step: weights fall from ``aim * committed`` on.
    density : float
        Smallest mean weight with which it goes on.
    edge : float
        It goes on if the edge is above this.
    behind : float
        Smallest share of the examples with a margin of at most ``aim * committed`` with which it goes on.
    committed : float
        Sum of the steps so far.
    """

    n_rounds: int
    step: EdgeStep | None = None
    aim: float = 0.0
    density: float = 0.0
    edge: float = NO_EDGE
    behind: float = 0.0
    committed: float = 0.0


class FusedRound(Round):
    """A round whose distribution is worked out when somebody asks for it, which must be before the step is added."""

    def __init__(self, number: int, margin: Array, measure: Array, total: float, density: float, kappa: float) -> None:
        self._total = total
        super().__init__(number, margin, measure, density, kappa)

    @property
    def weight(self) -> Array:
        """The distribution."""
        return self._measure / self._total

    @weight.setter
    def weight(self, measure: Array) -> None:
        self._measure = measure


class CappedRows(Rows):
    """Rows of any learner under :class:`CappedExponential` weights; the arithmetic of a round in machine code."""

    weigh: CappedExponential

    def __init__(self, learner: Any, weigh: Any) -> None:
        super().__init__(learner, weigh)
        self._count = float(learner.sample_weight.sum())

    def weighted(self, number: int) -> Round:
        """The distribution of round ``number``."""
        weight, shift = np.empty(len(self.margin)), self.weigh.shift(number)
        decay, lowest = self.weigh.decay, self.weigh.lowest
        total, low, _ = weigh(self.margin, self.learner.sample_weight, shift, lowest, decay, weight)
        weight /= total
        density = total / self._count
        return Round(number, self.margin, weight, density, density / math.exp(-decay * max(low - shift, lowest)))

    def fit(self, now: Round) -> Any:
        """Fit the learner to the distribution; complete ``now`` and return the hypothesis."""
        hypothesis, now.gain = self.learner.fit(now.weight)
        now.edge, now.error = judge(now.weight, now.gain)
        return hypothesis


class FusedRows(Rows):
    """Rows of a :class:`LinearLearner` under :class:`CappedExponential` weights; each round reads the matrix once.

    The edge of a round is known before its hypothesis has seen the data, so a step rule may use it; the gains and the
    error are filled in when the step is added. With a :class:`Course`, rounds in which nothing has to be decided are
    done all at once.
    """

    learner: LinearLearner
    weigh: CappedExponential

    def __init__(self, learner: Any, weigh: Any, course: Course | None = None) -> None:
        super().__init__(learner, weigh)
        self.course = course
        X = learner.X if course is None else _compact(learner.X)
        n, d = X.shape
        self._data = X, learner.sign, learner.sample_weight
        self._weight, self._gain, self._z = learner.sample_weight.copy(), np.empty(n), np.zeros(d)
        self._v = np.zeros(d, dtype=learner.X.dtype)
        self._count = float(learner.sample_weight.sum())
        self._total = self._low = self._behind = self._shift = 0.0
        self._sweep(0.0, 0)

    def weighted(self, number: int) -> Round:
        """The distribution of this round; already there, from the sweep before."""
        density = self._total / self._count
        if self.weigh.lowest < 0:
            with np.errstate(over="ignore"):
                density *= float(np.exp(-self.weigh.decay * self._shift))
        largest = math.exp(-self.weigh.decay * max(self._low - self._shift, self.weigh.lowest))
        kappa = self._total / (self._count * largest)
        return FusedRound(number, self.margin, self._weight, self._total, density, kappa)

    def fit(self, now: Round) -> LinearHypothesis:
        """The best hypothesis for these weights, without a look at the data."""
        coef, learner = np.empty(len(self._z)), self.learner
        now.edge = best(self._z, self._total, learner.p, learner.R, learner.ties == "first", coef)
        self._v[:] = coef
        return LinearHypothesis(coef)

    def add(self, now: Round, theta: float) -> None:
        """Add the hypothesis to the margins, and prepare the next round in the same sweep."""
        now.error = self._sweep(theta, now.number + 1)
        now.gain = self._gain

    def leap(self, hypotheses: list[Any], steps: list[float], record: list[tuple[float, ...]]) -> bool:
        """Do rounds in which nothing has to be decided, in machine code; whether there were any."""
        course, learner = self.course, self.learner
        if course is None or len(steps) >= course.n_rounds:
            return False
        step = course.step or EdgeStep()
        room = min(LEAP, course.n_rounds - len(steps))
        coefs, rows = np.empty((room, len(self._z))), np.empty((5, room))
        done, state = rounds(
            self._data,
            (learner.p, learner.R, learner.ties == "first", self._v),
            (self.weigh.decay, self.weigh.lowest),
            (course.aim, course.step is None, step.factor, step.margin, course.density, course.edge, course.behind),
            (self._total, self._low, self._behind, self._shift, course.committed),
            self.margin,
            self._gain,
            self._weight,
            self._z,
            coefs,
            rows,
        )
        self._total, self._low, self._behind, self._shift, course.committed = state
        hypotheses.extend(map(LinearHypothesis, coefs[:done]))
        steps.extend(rows[0, :done].tolist())
        record.extend(rows[1:, :done].T.tolist())
        return done > 0

    def _sweep(self, theta: float, number: int) -> float:
        """Add ``theta`` times the hypothesis and weigh the rows again; the error of the hypothesis before that."""
        before = self._total
        # without a cap the weights are relative to the smallest margin of the round before: none can overflow
        self._shift = self._low if self.weigh.lowest < 0 else self.weigh.shift(number)
        wrong, self._total, self._low, self._behind = sweep(
            self._data,
            self._v,
            theta,
            self._shift,
            self.weigh.lowest,
            self.weigh.decay,
            self.margin,
            self._gain,
            self._weight,
            self._z,
        )
        return wrong / before if before else math.nan


def rows_for(learner: WeakLearner, course: Course) -> Callable[[Any, Any], Rows]:
    """The rows to boost with under these weights: one pass a round where hypotheses are linear."""
    return partial(FusedRows, course=course) if isinstance(learner, LinearLearner) else CappedRows


def boost_exponential(learner: LinearLearner, step: EdgeStep, n_rounds: int) -> BoostRecord:
    """AdaBoost: what ``boost(learner, LossWeights(ExponentialLoss()), step, n_rounds)`` returns."""
    course = Course(n_rounds, step, edge=step.margin + NO_EDGE)
    return boost(learner, CappedExponential(1.0, lowest=-math.inf), step, n_rounds, rows=rows_for(learner, course))


def _compact(X: NDArray[Any]) -> NDArray[Any]:
    """The same numbers in half the bytes if single precision holds them all, as it does signs: half the traffic."""
    for part in (X[:8], X):  # most tables that it does not hold show this in their first rows
        single = part.astype(np.float32)
        if not (single == part).all():
            return X
    return single
