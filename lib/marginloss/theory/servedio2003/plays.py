r"""Weak learners without data: scripts that answer with the margins :math:`y h` directly.

The theorems about boosters hold for every weak learner, so they are checked against made-up ones: random, friendly, and
as hostile as the rules allow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from marginloss.boosting import BregmanBoostClassifier, SmoothBoostClassifier
from marginloss.boosting.bounds import theta_of
from marginloss.theory import Array

__all__ = [
    "STYLES",
    "Play",
    "Script",
    "deserter",
    "friendly",
    "nested_sinker",
    "play_bregman",
    "play_smoothboost",
    "random_play",
    "sinker",
]

Play = Callable[[Array], Array]  # distribution -> margins y h, each in [-1, 1]

STYLES = ("binary", "constant", "uniform", "sparse")


class Script(BaseEstimator):
    """A play as the ``estimator`` of a booster; ``seen`` collects the distributions if asked for."""

    def __init__(self, play: Play, watch: bool = False) -> None:
        self.play = play
        self.watch = watch

    def weak_learner(self, X: Any, codes: Any, weight: Array) -> Script:
        """The script itself; the data do not matter."""
        self.sample_weight = weight
        self.seen: list[Array] = []
        return self

    def fit(self, weight: Array) -> tuple[None, Array]:
        """Answer to a distribution."""
        if self.watch:
            self.seen.append(weight)
        return None, self.play(weight)


def random_play(style: str, gamma: float, rng: np.random.Generator) -> Play:
    """Random answers with an edge of at least ``2 * gamma``, in one of four styles."""

    def play(D: Array) -> Array:
        m, need = len(D), 2 * gamma
        if style == "constant":
            return np.full(m, rng.uniform(need, min(1.0, 2 * need)))
        if style == "uniform":
            answer = rng.uniform(-1, 1, m)
            edge = D @ answer
            # mixed with the perfect answer until the edge suffices
            return answer if edge >= need else answer + (need - edge) / (1 - edge) * (1 - answer)
        order = rng.permutation(m)
        before = np.cumsum(D[order]) - D[order]
        if style == "binary":
            wrong = order[before + D[order] <= (1 - need) / 2]
            return np.where(np.isin(np.arange(m), wrong), -1.0, 1.0)
        chosen = np.isin(np.arange(m), order[before < need])
        return np.where(chosen, min(1.0, need / D[chosen].sum()), 0.0)

    return play


def friendly(gamma: float) -> Play:
    """Exactly the advantage asked for, on every example alike."""
    return lambda D: np.full(len(D), 2 * gamma)


def sinker(gamma: float, size: int) -> Play:
    """Wrong on the first ``size`` examples as long as the others can make up for it; then friendly."""
    return nested_sinker(gamma, [size])


def nested_sinker(gamma: float, sizes: list[int]) -> Play:
    """A sinker that goes on with a smaller set when the present one can no longer be paid for."""
    left = list(sizes)

    def play(D: Array) -> Array:
        while left:
            sunk = D[: left[0]].sum()
            rest = (2 * gamma + sunk) / (1 - sunk) if sunk < 1 else np.inf
            if rest <= 1:
                answer = np.full(len(D), rest)
                answer[: left[0]] = -1.0
                return answer
            left.pop(0)
        return np.full(len(D), 2 * gamma)

    return play


def deserter(fraction: float, late: float) -> Play:
    """Wrong on the first examples while they weigh little, then right on them by ``late`` only; else always right."""

    def play(D: Array) -> Array:
        lost = np.arange(len(D)) < fraction * len(D)
        return np.where(lost, -1.0 if D[lost].sum() < 0.45 else late, 1.0)

    return play


def _labels(m: int) -> tuple[Array, Array]:
    """Any data with two classes."""
    return np.zeros((m, 1)), np.where(np.arange(m) % 2, 1.0, -1.0)


def play_smoothboost(
    play: Play, m: int, kappa: float, gamma: float, theta: float | None = None, watch: bool = False, **options: Any
) -> SmoothBoostClassifier:
    """SmoothBoost as in Figure 1 on ``m`` examples against a play; failures of the weak learner are ignored."""
    settings = {"n_estimators": None, "adaptive": False, "on_failure": "ignore", "early_stop": False}
    theta = theta_of(gamma) if theta is None else theta
    model = SmoothBoostClassifier(kappa, gamma, theta, estimator=Script(play, watch), **{**settings, **options})
    return model.fit(*_labels(m))


def play_bregman(play: Play, m: int, kappa: float, n_rounds: int, step_size: float) -> BregmanBoostClassifier:
    """Bregman boosting on ``m`` examples against a play."""
    return BregmanBoostClassifier(kappa, n_rounds, step_size, estimator=Script(play)).fit(*_labels(m))
