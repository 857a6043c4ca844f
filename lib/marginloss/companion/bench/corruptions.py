"""Six ways in which training rows of the bench are wrong; test rows never are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from marginloss.companion.bench.tables import encoder
from marginloss.noise import flip_by_margin, flip_labels, swap_features

__all__ = ["CORRUPTIONS"]

Rows = tuple[NDArray[Any], NDArray[Any]]


def _surest(X: NDArray[Any], y: NDArray[Any], words: list[int], rng: np.random.Generator) -> Rows:
    """One label in ten is flipped: those of which a logistic regression on the clean rows is surest."""
    seen = encoder(X, words).transform(X)
    margin = y * LogisticRegression(max_iter=1000).fit(seen, y).decision_function(seen)
    return X, flip_by_margin(y, margin, 0.1, where="large")


CORRUPTIONS: dict[str, Callable[[NDArray[Any], NDArray[Any], list[int], np.random.Generator], Rows]] = {
    "none": lambda X, y, words, rng: (X, y),
    "symmetric 20 %": lambda X, y, words, rng: (X, flip_labels(y, 0.2, rng)),
    "symmetric 40 %": lambda X, y, words, rng: (X, flip_labels(y, 0.4, rng)),
    "one-sided 40 %": lambda X, y, words, rng: (X, flip_labels(y, {1: 0.4}, rng)),
    "surest 10 %": _surest,
    "features": lambda X, y, words, rng: (swap_features(X, 0.5, 0.5, rng), y),
}
