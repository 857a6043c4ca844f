"""Weak learners that are not ours: any scikit-learn classifier that takes ``sample_weight``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import has_fit_parameter

__all__ = ["EstimatorHypothesis", "EstimatorLearner", "margin_of_classes", "seeded"]

Array = NDArray[np.float64]


def margin_of_classes(predicted: NDArray[Any], y: NDArray[np.integer], n_classes: int) -> Array:
    r"""Margin that predicted classes give per unit of step.

    :math:`1/(K-1)` where right and :math:`-1/(K-1)^2` where wrong: the coding of SAMME, ±1 for two classes.

    Examples
    --------
    >>> margin_of_classes(np.array([0, 1, 2]), np.array([0, 1, 1]), 3)
    array([ 0.5 ,  0.5 , -0.25])
    """
    others = n_classes - 1
    return np.where(predicted == y, 1 / others, -1 / others**2)


def seeded(model: Any, random: np.random.RandomState) -> Any:
    """The model with a seed of its own, and one for each part inside of it that takes one."""
    names = [name for name in sorted(model.get_params()) if name.split("__")[-1] == "random_state"]
    return model.set_params(**{name: random.randint(np.iinfo(np.int32).max) for name in names})


class EstimatorHypothesis:
    """A fitted classifier that answers like our trees: -1/+1 for two classes, else a class ``0 .. K - 1``."""

    def __init__(self, estimator: Any, n_classes: int) -> None:
        self.estimator, self.n_classes = estimator, n_classes

    def predict(self, X: Any) -> Array:
        """Answer for each row of ``X``."""
        classes = np.asarray(self.estimator.predict(X), dtype=float)
        return 2 * classes - 1 if self.n_classes == 2 else classes


class EstimatorLearner:
    """Weak learner for :func:`marginloss.boosting.loop.boost` around a scikit-learn classifier.

    Parameters
    ----------
    estimator : classifier
        Cloned for each round; its ``fit`` must take ``sample_weight``.
    X : array or sparse matrix of shape (n, d)
    y : ndarray of shape (n,)
        Classes ``0 .. n_classes - 1``.
    sample_weight : ndarray of shape (n,)
    n_classes : int
    random_state : int, RandomState or None
        Gives every clone its own seed, and also what is inside of it.
    """

    def __init__(
        self,
        estimator: Any,
        X: Any,
        y: NDArray[Any],
        sample_weight: Array,
        n_classes: int = 2,
        random_state: Any = None,
    ) -> None:
        self.estimator, self.X, self.y, self.n_classes = estimator, X, y, n_classes
        self.sample_weight = sample_weight
        self.random = check_random_state(random_state)

    def fit(self, weight: Array) -> tuple[EstimatorHypothesis, Array]:
        """Fit a model to weights that sum to one; return it and the margin it gives to each row."""
        model = self._model(weight)
        hypothesis = EstimatorHypothesis(model, self.n_classes)
        return hypothesis, margin_of_classes(model.predict(self.X), self.y, self.n_classes)

    def _model(self, weight: Array) -> Any:
        if not has_fit_parameter(self.estimator, "sample_weight"):
            raise ValueError(f"estimator must take sample_weight in fit, got {self.estimator!r}")
        model = seeded(clone(self.estimator), self.random)
        # scaled to mean one: some learners stop when the weights are small in absolute terms
        model.fit(self.X, self.y, sample_weight=weight * len(weight))
        return model
