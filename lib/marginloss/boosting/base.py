"""What boosters share outside the loop: their data, their weak learner, and the vote of the hypotheses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import get_tags
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import _check_n_features, check_is_fitted, validate_data

from marginloss._validation import COUNT, MarginlossClassifier, check_integer
from marginloss.boosting.encode import PRECISIONS, EncodedMatrix, encode
from marginloss.boosting.forest import Forest
from marginloss.boosting.learners import EstimatorLearner
from marginloss.boosting.loop import BoostRecord, WeakLearner
from marginloss.boosting.pnorm import LinearHypothesis, LinearVote
from marginloss.boosting.trees import TreeLearner

__all__ = ["TREE", "Booster", "BoostingClassifier"]

Array = NDArray[np.float64]

#: Constraints of the parameters of our trees.
TREE = {"max_depth": [COUNT], "criterion": [StrOptions({"error", "gini"})], "random_state": ["random_state"]}


class Booster(MarginlossClassifier):
    """Base of all boosters: their data, their weak learner and what they keep of a run of the loop.

    ``X`` may be an :class:`~marginloss.boosting.EncodedMatrix` wherever a matrix is expected.
    Subclasses may have a parameter ``estimator``, the weak learner (``None``: our trees).
    """

    estimator: Any = None
    classes_: NDArray[Any]
    estimators_: Sequence[Any]
    theta_: Array

    def _check_data(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> tuple[Any, NDArray[np.intp], Array]:
        """Validated data, classes as 0 .. K-1, and weights; the data are encoded when our trees will see them."""
        if isinstance(X, EncodedMatrix):
            if self.estimator is not None:
                raise ValueError(f"X must be a matrix, not encoded for our trees, with estimator={self.estimator!r}")
            row, codes, weight = self._check_training(np.arange(X.shape[0]).reshape(-1, 1), y, sample_weight)
            self.n_features_in_ = X.shape[1]
            return (X if len(row) == X.shape[0] else X.take(row[:, 0])), codes, weight
        trees = self.estimator is None
        X, codes, weight = self._check_training(X, y, sample_weight, **self._kinds())
        return (encode(X) if trees and len(self.classes_) > 1 else X), codes, weight

    def _check_new(self, X: Any) -> Any:
        """Validated data to predict for."""
        check_is_fitted(self)
        if isinstance(X, EncodedMatrix):
            _check_n_features(self, X, reset=False)
            return X.decode()
        return validate_data(self, X, reset=False, **self._kinds())

    def _kinds(self) -> dict[str, Any]:
        """What our trees take, or what is left to another weak learner to judge."""
        return {"dtype": PRECISIONS} if self.estimator is None else {"dtype": None, "accept_sparse": "csr"}

    def _forget(self, *names: str) -> None:
        """Drop attributes of an earlier fit that this one may not set, since its parameters differ."""
        for name in names:
            self.__dict__.pop(name, None)

    def _weak_learner(
        self, data: Any, codes: NDArray[np.intp], weight: Array, random_state: Any = None, **tree: Any
    ) -> WeakLearner:
        """The learner of ``estimator``, or of our trees with the parameters ``tree``."""
        n_classes = len(self.classes_)
        if self.estimator is None:
            return TreeLearner(data, codes, weight, n_classes, **tree)
        if hasattr(self.estimator, "weak_learner"):  # a learner of ours that answers in [-1, 1]
            return self.estimator.weak_learner(data, codes, weight)
        return EstimatorLearner(self.estimator, data, codes, weight, n_classes, random_state)

    def _keep(self, record: BoostRecord) -> None:
        """Store what the loop found under its fitted names."""
        hypotheses = record.hypotheses
        if self.estimator is None and not isinstance(hypotheses, Forest):
            hypotheses = Forest.join(hypotheses)
        elif len(hypotheses) and isinstance(hypotheses[0], LinearHypothesis):
            hypotheses = LinearVote.join(hypotheses)
        self.estimators_ = hypotheses
        self.theta_, self.errors_, self.kappa_ = record.steps, record.errors, record.kappas
        self.n_estimators_, self.stop_reason_ = len(record.steps), record.stop_reason

    def _keep_constant(self) -> None:
        """With one class there is nothing to vote on: no hypotheses, and the only label is the answer."""
        nothing = np.empty(0)
        self._keep(BoostRecord([], nothing, nothing, nothing, nothing, nothing, nothing, "one_class"))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.estimator is not None and get_tags(self.estimator).input_tags.sparse
        return tags


class BoostingClassifier(Booster):
    """Base of boosters that vote: ``fit`` sets ``estimators_`` and ``theta_``, the rest follows from them."""

    def _staged_scores(self, X: Any) -> Iterator[Array]:
        """Scores after each round; the same array is updated in place and yielded again."""
        score = self._zero_score(len(X) if not hasattr(X, "shape") else X.shape[0])
        for hypothesis, theta in zip(self.estimators_, self.theta_, strict=True):
            score += theta * self._ballot(hypothesis.predict(X))
            yield score

    @property
    def feature_importances_(self) -> Array:
        """Share of each feature in what the splits of our trees gain, each tree counted with its step."""
        check_is_fitted(self)
        if not isinstance(self.estimators_, Forest):
            raise AttributeError("feature_importances_ are those of our trees; this booster has other weak learners")
        total = self.estimators_.importances(np.abs(self.theta_), self.n_features_in_)
        return total / total.sum() if total.sum() > 0 else total

    def _zero_score(self, n: int) -> Array:
        return np.zeros(n) if len(self.classes_) <= 2 else np.zeros((n, len(self.classes_)))

    def _ballot(self, answer: Array) -> Array:
        """One vote: the answer for two classes; for K classes 1 for the class named and -1/(K-1) for the others."""
        n_classes = len(self.classes_)
        if n_classes <= 2:
            return answer
        named = answer[:, None] == np.arange(n_classes)
        return np.where(named, 1.0, -1 / (n_classes - 1))

    def decision_function(self, X: Any) -> Array:
        """Weighted vote: shape (n,) for two classes (positive means ``classes_[1]``), else (n, n_classes)."""
        X = self._check_new(X)
        if isinstance(self.estimators_, Forest | LinearVote) and len(self.classes_) == 2:
            return self.estimators_.vote(X, self.theta_)
        score = self._zero_score(X.shape[0])
        for score in self._staged_scores(X):  # noqa: B007 the last one is the answer
            pass
        return score

    def staged_decision_function(self, X: Any) -> Iterator[Array]:
        """Scores after 1, 2, ... rounds, one array per round."""
        for score in self._staged_scores(self._check_new(X)):
            yield score.copy()

    def decision_at(self, X: Any, rounds: Sequence[int]) -> Array:
        """Scores after each of some increasing numbers of rounds, first axis; the last score where fewer were done.

        Much faster than :meth:`staged_decision_function` for our trees.

        Parameters
        ----------
        X : array-like of shape (n, d)
        rounds : sequence of int
            Numbers of rounds, at least 1, in increasing order.
        """
        X, rounds = self._check_new(X), [check_integer("rounds", number, 1) for number in rounds]
        if any(later <= earlier for earlier, later in pairwise(rounds)):
            raise ValueError(f"rounds must increase, got {rounds!r}")
        score = self._zero_score(X.shape[0])
        out, done = [], 0
        for end in rounds:
            theta = self.theta_[done:end]
            if isinstance(self.estimators_, Forest) and len(self.classes_) == 2:
                score = score + self.estimators_.vote(X, theta, done)
            else:
                for hypothesis, step in zip(self.estimators_[done:end], theta, strict=True):
                    score = score + step * self._ballot(hypothesis.predict(X))
            out.append(score)
            done = end
        return np.array(out)

    def predict(self, X: Any) -> NDArray[Any]:
        """Label with the larger score; at a score of exactly 0, ``classes_[0]``."""
        return self._labels(self.decision_function(X))

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Labels after 1, 2, ... rounds."""
        for score in self._staged_scores(self._check_new(X)):
            yield self._labels(score)

    def staged_score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Iterator[float]:
        """Accuracy after 1, 2, ... rounds."""
        y = np.asarray(y)
        for label in self.staged_predict(X):
            yield float(np.average(label == y, weights=None if sample_weight is None else np.asarray(sample_weight)))

    def _labels(self, score: Array) -> NDArray[Any]:
        return self._labels_from_score(score) if score.ndim == 1 else self.classes_[score.argmax(axis=1)]
