"""What the experiments on smooth boosting share: the data, the boosters, and a quiet fit."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from marginloss.boosting import AdaBoostAlphaClassifier, MadaBoostClassifier, PNormLearner, SmoothBoostClassifier
from marginloss.boosting.bounds import theta_of
from marginloss.boosting.loop import BoostRecord
from marginloss.noise import DenseHalfspace, GoodDistribution, SparseMajority
from marginloss.theory.servedio2003.bounds import additive_measure, until_smooth

Array = NDArray[np.float64]

KAPPA = 0.05
SOURCES: dict[str, GoodDistribution] = {
    "sparse": SparseMajority(100, 3),
    "dense": DenseHalfspace(20, 0.1),
    "wide": DenseHalfspace(40, 0.1),
}
TEST_SIZE = 20_000
LONG_SERVEDIO_GAMMA = 1 / 42  # half the best minimum margin, 1/21


def boosters(p: float, R: float, gamma: float, kappa: float = KAPPA, ties: str = "uniform") -> dict[str, Any]:
    """SmoothBoost, MadaBoost and AdaBoost with the p-norm learner, with as many rounds as each is given throughout."""
    weak = PNormLearner(p=p, R=R, ties=ties)
    return {
        "smooth": smoothboost(weak, gamma, kappa, n_estimators=1500),
        "mada": MadaBoostClassifier(kappa, n_estimators=500, estimator=weak),
        "ada": AdaBoostAlphaClassifier(0.5, n_estimators=500, step="edge", estimator=weak),
    }


def smoothboost(weak: Any, gamma: float, kappa: float = KAPPA, **options: Any) -> SmoothBoostClassifier:
    """SmoothBoost as in Figure 1 and Theorem 2 of the paper, with every setting of theirs given."""
    settings = {"theta": theta_of(gamma), "adaptive": False, "early_stop": False, "on_failure": "ignore"}
    return SmoothBoostClassifier(kappa, gamma, estimator=weak, **{"n_estimators": None, **settings, **options})


def impagliazzo(weak: PNormLearner, gamma: float, X: Array, y: Array, n_rounds: int) -> tuple[BoostRecord, Array]:
    """Impagliazzo's booster: a measure that falls linearly, no θ, an unweighted vote; what it did, and the vote."""
    learner = weak.weak_learner(X, (y > 0).astype(np.intp), np.ones(len(y)))
    done = until_smooth(learner, additive_measure(KAPPA, gamma), KAPPA, n_rounds)
    return done, np.mean([hypothesis.coef for hypothesis in done.hypotheses], axis=0).ravel()


def fit_quietly(model: Any, *data: Array) -> Any:
    """Fit quietly: a run beyond the guarantee is expected not to stop."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*data)


def error_of(model: Any, X: Array, y: Array) -> float:
    """Share of rows that a fitted model labels wrongly."""
    return float(1 - model.score(X, y))
