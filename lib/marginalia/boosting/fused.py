"""One pass over the data a round: capped exponential weights and linear hypotheses in the same sweep.

A round needs the scores of its hypothesis and the weighted average for the next one, two products with the matrix.
When the weight of a row depends on that row's margin alone, both can be done while the row is in the cache.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from marginalia.boosting.loop import Round, Rows
from marginalia.boosting.pnorm import LinearHypothesis, LinearLearner

__all__ = ["CappedExponential", "FusedRows"]

Array = NDArray[np.float64]


class CappedExponential:
    r"""Log-weights of all smooth boosters that cap an exponential: :math:`-\beta\max\{z - s, 0\}`.

    Parameters
    ----------
    decay : float
        Rate :math:`\beta`: :math:`-\frac12\log(1-\gamma)` for SmoothBoost, 1 for MadaBoost.
    shift : callable
        ``shift(number)`` is the margin :math:`s` that an example should have after so many rounds.

    Examples
    --------
    >>> CappedExponential(0.5, lambda number: 0.1 * number)(np.array([-1.0, 0.2, 2.2]), 2)
    array([-0., -0., -1.])
    """

    def __init__(self, decay: float, shift: Callable[[int], float]) -> None:
        self.decay, self.shift = decay, shift

    def __call__(self, margin: Array, number: int) -> Array:
        """Log-weights of rows with these margins after ``number`` rounds."""
        return -self.decay * np.maximum(margin - self.shift(number), 0.0)


class FusedRows(Rows):
    """Rows of a :class:`LinearLearner` under :class:`CappedExponential` weights; each round reads the matrix once.

    The edge of a round is known before its hypothesis has seen the data, so a step rule may use it; the gains and the
    error are filled in when the step is added.
    """

    learner: LinearLearner
    weigh: CappedExponential

    def __init__(self, learner: Any, weigh: Any) -> None:
        super().__init__(learner, weigh)
        rows, features = learner.X.shape
        self._weight, self._gain, self._z = learner.sample_weight.copy(), np.empty(rows), np.zeros(features)
        self._total = self._count = float(learner.sample_weight.sum())
        self._hypothesis = LinearHypothesis(np.zeros(features))
        self._sweep(0.0, 0)

    def weighted(self, number: int) -> Round:
        """The distribution of this round; already there, from the sweep before."""
        density = self._total / self._count
        return Round(number, self.margin, self._weight / self._total, density, density / self._largest)

    def fit(self, now: Round) -> LinearHypothesis:
        """The best hypothesis for these weights, without a look at the data."""
        self._hypothesis, now.edge = self.learner.best(self._z / self._total)
        return self._hypothesis

    def add(self, now: Round, theta: float) -> None:
        """Add the hypothesis to the margins, and prepare the next round in the same sweep."""
        now.error = self._sweep(theta, now.number + 1)
        now.gain = self._gain

    def _sweep(self, theta: float, number: int) -> float:
        """Add ``theta`` times the hypothesis and weigh the rows again; the error of the hypothesis before that."""
        data = self.learner
        self._z[:] = 0.0
        before = self._total
        wrong, self._total, self._largest = _sweep(
            data.X,
            data.sign,
            data.sample_weight,
            self._hypothesis.coef.astype(data.X.dtype, copy=False),
            theta,
            self.weigh.shift(number),
            self.weigh.decay,
            self.margin,
            self._gain,
            self._weight,
            self._z,
        )
        return wrong / before


# reassociation lets the compiler use vector registers for the sums; NaN and infinities are kept
@njit(nogil=True, cache=True, fastmath={"reassoc", "contract", "arcp", "nsz"})
def _sweep(X, sign, sample_weight, v, theta, shift, decay, margin, gain, weight, z):  # type: ignore[no-untyped-def]
    n, d = X.shape
    wrong, total, largest = 0.0, 0.0, 0.0
    zero = X.dtype.type(0)
    part = np.zeros(d, X.dtype)
    for i in range(n):
        score = zero
        for j in range(d):
            score += X[i, j] * v[j]
        gain[i] = sign[i] * score
        margin[i] += theta * gain[i]
        measure = 1.0
        if margin[i] > shift:
            measure = math.exp(-decay * (margin[i] - shift))  # the formula of CappedExponential, one row at a time
        largest = max(largest, measure)
        if gain[i] <= 0:
            wrong += weight[i]
        weight[i] = sample_weight[i] * measure
        total += weight[i]
        share = X.dtype.type(weight[i] * sign[i])
        for j in range(d):
            part[j] += share * X[i, j]
        # short partial sums keep single precision exact enough for any number of rows
        if i % 64 == 63:
            for j in range(d):
                z[j] += part[j]
                part[j] = zero
    for j in range(d):
        z[j] += part[j]
    return wrong, total, largest
