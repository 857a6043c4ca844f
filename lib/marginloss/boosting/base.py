"""What boosters share outside the loop: one way to fit, their data, their weak learner, and the vote of hypotheses."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_n_features, check_is_fitted, validate_data

from marginloss._validation import COUNT, SHARE, MarginlossClassifier, check_integer
from marginloss.boosting.encode import PRECISIONS, EncodedMatrix, encode
from marginloss.boosting.forest import Forest
from marginloss.boosting.learners import EstimatorHypothesis, EstimatorLearner
from marginloss.boosting.loop import BoostRecord, Watch, WeakLearner, boost
from marginloss.boosting.pnorm import LinearHypothesis, LinearVote
from marginloss.boosting.trees import TreeLearner
from marginloss.boosting.watching import hold_out, report, together

__all__ = ["Booster", "BoostingClassifier"]

Array = NDArray[np.float64]


class Booster(MarginlossClassifier):
    """Base of all boosters: one way to fit, their data, their weak learner and what they keep of a run of the loop.

    ``X`` may be an :class:`~marginloss.boosting.EncodedMatrix` wherever a matrix is expected. Our trees take missing
    values (NaN): they are sent to the side of a split where they do better, and where there were none in training, to
    the side of the large values. Of sparse matrices they make a few rows or columns dense at a time.
    Subclasses have the parameters of our trees, or some of them, and ``estimator``, the weak learner in their place.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_estimators": [COUNT],
        "max_depth": [COUNT],
        "criterion": [StrOptions({"error", "gini"})],
        "n_iter_no_change": [COUNT, None],
        "validation_fraction": [SHARE],
        "tol": [Interval(Real, 0, None, closed="left")],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "cv": ["cv_object"],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    _random: Any = None
    estimator: Any = None
    n_estimators: Any
    max_depth: int
    criterion: str = "gini"
    n_iter_no_change: int | None = None
    validation_fraction: float = 0.1
    tol: float = 1e-4
    random_state: Any = None
    verbose: int = 0
    classes_: NDArray[Any]
    estimators_: Sequence[Any]
    theta_: Array

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """Fit the booster.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or EncodedMatrix
            A matrix made by :func:`marginloss.boosting.encode` is taken as it is, so that many fits share the encoding.
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
            A weight of 2 equals two copies of the example, a weight of 0 its absence.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight)

    def _fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> Any:
        self._check_parameters()
        for name in [name for name in vars(self) if name.endswith("_")]:  # nothing of an earlier fit stays
            delattr(self, name)
        data, codes, weight = self._check_data(X, y, sample_weight)
        self._choose_parameters(data, codes, weight, sample_weight)
        if len(self.classes_) == 1:  # nothing to vote on: no hypotheses, and the only label is the answer
            nothing = np.empty(0)
            self._keep(BoostRecord([], nothing, nothing, nothing, nothing, nothing, nothing, "one_class"))
            return self
        watchers: list[Watch] = []
        if self.n_iter_no_change is not None:
            data, codes, weight, watcher = hold_out(self, data, codes, weight)
            watchers.append(watcher)
        learner = self._weak_learner(data, codes, weight)
        if self.verbose:
            watchers.append(report(self, learner.sample_weight))
        self._keep(self._run(learner, watchers))
        if not len(self) or (isinstance(self.estimators_, Forest) and (self.estimators_.nodes.feature < 0).all()):
            warnings.warn(
                f"{type(self).__name__} has learned nothing ({self.stop_reason_}): no weak hypothesis is better than "
                "chance, and all answers are the same",
                ConvergenceWarning,
                stacklevel=4,
            )
        return self

    def _check_parameters(self) -> None:
        """Raise ``ValueError`` for parameters that are wrong, alone or together."""
        self._validate_params()

    def _choose_parameters(
        self, data: Any, codes: NDArray[np.intp], weight: Array, sample_weight: ArrayLike | None
    ) -> None:
        """Set the parameters in use, for boosters that choose some."""

    def _rules(self, learner: WeakLearner) -> tuple[Any, Any]:
        """Weight function and step rule for the loop."""
        raise NotImplementedError

    def _run(self, learner: WeakLearner, watchers: list[Watch]) -> BoostRecord:
        return boost(learner, *self._rules(learner), self.n_estimators, together(watchers))

    def _held_out_risk(self, X: Any, codes: NDArray[np.intp], weight: Array) -> Callable[[Any, float, int], float]:
        """A function of the last hypothesis, its step and the round: what must fall on these examples."""
        raise NotImplementedError

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
        finite = "allow-nan" if get_tags(self).input_tags.allow_nan else True
        dtype = PRECISIONS if self.estimator is None else None
        return {"dtype": dtype, "accept_sparse": "csr", "ensure_all_finite": finite}

    def _weak_learner(self, data: Any, codes: NDArray[np.intp], weight: Array) -> WeakLearner:
        """The learner of ``estimator``, or of our trees."""
        n_classes = len(self.classes_)
        if self.estimator is None:
            return TreeLearner(data, codes, weight, n_classes, self.max_depth, self.criterion)
        if hasattr(self.estimator, "weak_learner"):  # a learner of ours that answers in [-1, 1]
            return self.estimator.weak_learner(data, codes, weight)
        return EstimatorLearner(self.estimator, data, codes, weight, n_classes, self._random or self.random_state)

    def _keep(self, record: BoostRecord) -> None:
        """Store what the loop found under its fitted names."""
        hypotheses = record.hypotheses
        if self.estimator is None and not isinstance(hypotheses, Forest):
            hypotheses = Forest.join(hypotheses)
        elif len(hypotheses) and isinstance(hypotheses[0], LinearHypothesis):
            hypotheses = LinearVote.join(hypotheses)
        self._voters = self.estimators_ = hypotheses
        if len(hypotheses) and isinstance(hypotheses[0], EstimatorHypothesis):
            self.estimators_ = [hypothesis.estimator for hypothesis in hypotheses]
        self.theta_, self.errors_, self.kappa_ = record.steps, record.errors, record.kappas
        self.n_estimators_, self.stop_reason_ = len(record.steps), record.stop_reason

    def __len__(self) -> int:
        """Number of weak hypotheses."""
        check_is_fitted(self)
        return len(self.estimators_)

    @property
    def feature_importances_(self) -> Array:
        """Share of each feature in what the splits of the trees gain, each tree counted with its weight in the vote.

        Of another ``estimator`` it is the mean of its own ``feature_importances_``, with the same weights.
        """
        check_is_fitted(self)
        weights = self._importance_of_members()
        if isinstance(self.estimators_, Forest):
            total = self.estimators_.importances(weights, self.n_features_in_)
        elif len(self) and all(hasattr(member, "feature_importances_") for member in self.estimators_):
            total = weights @ np.array([member.feature_importances_ for member in self.estimators_])
        else:
            raise AttributeError(f"feature_importances_ are those of trees, got estimator={self.estimator!r}")
        return total / total.sum() if total.sum() > 0 else total

    def _importance_of_members(self) -> Array:
        return np.abs(self.theta_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = None if self.estimator is None else get_tags(self.estimator).input_tags
        tags.input_tags.sparse = inner is None or inner.sparse
        tags.input_tags.allow_nan = inner is None or inner.allow_nan
        return tags


class BoostingClassifier(Booster):
    """Base of boosters that vote: ``fit`` sets ``estimators_``, ``theta_`` and ``loss_``, all else follows from it."""

    loss_: Any

    def _staged_scores(self, X: Any) -> Iterator[Array]:
        """Scores after each round; the same array is updated in place and yielded again."""
        score = self._zero_score(X.shape[0])
        for hypothesis, theta in zip(self._voters, self.theta_, strict=True):
            score += theta * self._ballot(hypothesis.predict(X))
            yield score

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
        return self._score(self._check_new(X))

    def _score(self, X: Any, begin: int = 0, end: int | None = None) -> Array:
        """What the rounds from ``begin`` to ``end`` add to the score."""
        theta = self.theta_[begin:end]
        if isinstance(self._voters, Forest | LinearVote) and len(self.classes_) == 2:
            return self._voters.vote(X, theta, begin)
        score = self._zero_score(X.shape[0])
        for hypothesis, step in zip(self._voters[begin:end], theta, strict=True):
            score += step * self._ballot(hypothesis.predict(X))
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
            score, done = score + self._score(X, done, end), end
            out.append(score)
        return np.array(out)

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Labels after 1, 2, ... rounds."""
        for score in self._staged_scores(self._check_new(X)):
            yield self._labels(score)

    def predict_proba(self, X: Any) -> Array:
        """Class probabilities: those at which the scores are the best ones for the loss, its posterior."""
        return self._probabilities(self._score(self._check_new(X)))

    def staged_predict_proba(self, X: Any) -> Iterator[Array]:
        """Class probabilities after 1, 2, ... rounds."""
        for score in self._staged_scores(self._check_new(X)):
            yield self._probabilities(score)

    def _probabilities(self, score: Array) -> Array:
        if len(self.classes_) == 1:
            return np.ones((len(score), 1))
        second = self._posterior(score)
        return np.column_stack([1 - second, second]) if second.ndim == 1 else second

    def _posterior(self, score: Array) -> Array:
        """Probability of the second class, or of each of several ones, at these sums of votes."""
        return self.loss_.posterior(score)

    def _held_out_risk(self, X: Any, codes: NDArray[np.intp], weight: Array) -> Callable[[Any, float, int], float]:
        score, y = self._zero_score(len(codes)), self.classes_[codes]

        def error(hypothesis: Any, step: float, number: int) -> float:
            score[...] += step * self._ballot(hypothesis.predict(X))
            return float(np.average(self._labels(score) != y, weights=weight))

        return error

    def staged_score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Iterator[float]:
        """Accuracy after 1, 2, ... rounds."""
        y = np.asarray(y)
        for label in self.staged_predict(X):
            yield float(np.average(label == y, weights=None if sample_weight is None else np.asarray(sample_weight)))
