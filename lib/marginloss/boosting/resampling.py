"""Base learners that see weights as a sample: any classifier on rows drawn by weight, some from a warm start."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.dummy import DummyClassifier

from marginloss.boosting.learners import EstimatorLearner, seeded

__all__ = ["ResamplingLearner", "starts_warm"]

Array = NDArray[np.float64]


def starts_warm(estimator: Any) -> bool:
    """Whether an estimator is warmed up once and tuned in every round."""
    return hasattr(estimator, "warm_up") and hasattr(estimator, "tuned")


class ResamplingLearner(EstimatorLearner):
    """Weak learner for :func:`marginloss.boosting.loop.boost` that draws rows by weight instead of weighing them.

    An estimator with two more methods starts warm: ``warm_up(X, y, n_classes, random)`` is called once, and in every
    round ``tuned(X, y, weight, random)`` returns a copy of it that was trained further, on minibatches drawn by weight.
    Any other classifier is fitted to as many rows as there are, drawn with replacement.

    Parameters
    ----------
    estimator : classifier
        Cloned; its ``fit`` need not take ``sample_weight``.
    X : array or sparse matrix of shape (n, d)
    y : ndarray of shape (n,)
        Classes ``0 .. n_classes - 1``.
    sample_weight : ndarray of shape (n,)
    n_classes : int
    random_state : int, RandomState or None
    """

    def __init__(
        self, estimator: Any, X: Any, y: NDArray[Any], sample_weight: Array, n_classes: int, random_state: Any
    ) -> None:
        super().__init__(clone(estimator), X, y, sample_weight, n_classes, random_state)
        if starts_warm(self.estimator):
            self.estimator.warm_up(X, y, n_classes, self.random)

    def _model(self, weight: Array) -> Any:
        if starts_warm(self.estimator):
            return self.estimator.tuned(self.X, self.y, weight, self.random)
        rows = self.random.choice(len(weight), size=len(weight), p=weight / weight.sum())
        labels = self.y[rows]
        # a sample of one class has one answer, which many classifiers refuse to learn
        model = clone(self.estimator) if (labels != labels[0]).any() else DummyClassifier(strategy="most_frequent")
        return seeded(model, self.random).fit(self.X[rows], labels)
