from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks import Comparison, Scaling
from marginloss.boosting import PNormLearner
from marginloss.boosting.bounds import theta_of
from marginloss.boosting.loop import boost
from marginloss.boosting.rules import LossWeights, UnitStep
from marginloss.losses import SmoothBoostLoss

GOAL = "P12"
TITLE = "SmoothBoost with the p-norm learner: five rounds"

GAMMA = 0.05
ROUNDS = 5


def _data(m: int, n: int, kind: type) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((m, n), dtype=np.float32).astype(kind)
    X /= np.sqrt(np.einsum("ij,ij->i", X, X))[:, None] * kind(1.001)
    return X, (X @ rng.standard_normal(n).astype(kind) > 0).astype(np.intp)


class Rounds:
    """Rounds of SmoothBoost: weights, hypothesis, step."""

    def __init__(self, X: np.ndarray, codes: np.ndarray) -> None:
        self.learner = PNormLearner(p=2.0, R=1.0).weak_learner(X, codes, np.ones(len(X)))

    def __call__(self) -> None:
        boost(self.learner, LossWeights(SmoothBoostLoss(GAMMA), theta_of(GAMMA)), UnitStep(), ROUNDS)


class TwoPasses:
    """What the rounds cost at least: a product for the scores and one for the average in each."""

    def __init__(self, X: np.ndarray) -> None:
        self.X, self.v = X, np.full(X.shape[1], 0.01, dtype=X.dtype)
        self.share = np.full(len(X), 1 / len(X), dtype=X.dtype)

    def __call__(self) -> None:
        for _ in range(ROUNDS):
            self.X @ self.v
            self.X.T @ self.share


def comparisons() -> Iterator[Comparison]:
    m, n = 1_000_000, 100
    double, codes = _data(m, n, np.float64)
    yield Comparison(
        workload="1 000 000 × 100, float64",
        peer="two passes in numpy, float64",
        theirs=TwoPasses(double),
        ours=Rounds(double, codes),
        goal=0.8,
    )
    single = double.astype(np.float32)
    yield Comparison(
        workload="1 000 000 × 100, float32",
        peer="two passes in numpy, float64",
        theirs=TwoPasses(double),
        ours=Rounds(single, codes),
        goal=0.8,
    )


def _rounds(m: int) -> Rounds:
    return Rounds(*_data(m, 100, np.float64))


def scalings() -> Iterator[Scaling]:
    yield Scaling("five rounds, 100 features", "m", (10_000, 100_000, 1_000_000), _rounds, lambda m: 800 * m)
