"""What the two boosters of the tail share: a mixture of models, its weights, and how it answers (zhai2021)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from marginloss._validation import POSITIVE
from marginloss.boosting.base import Booster
from marginloss.boosting.loop import BoostRecord, Round, Watch, WeakLearner, boost
from marginloss.boosting.randomised import draw_models, frozen_models
from marginloss.boosting.resampling import ResamplingLearner, starts_warm
from marginloss.boosting.watching import together
from marginloss.risk import cvar, entropic_lpboost, lpboost, lpboost_path, trimmed_lpboost
from marginloss.risk.masses import check_tail, check_tails, mix

__all__ = ["AlphaPath", "MixtureClassifier"]

Array = NDArray[np.float64]

FITTED = ("lp", "smoothed", "bagged")  # model weights that depend on the validation losses
BOOTSTRAPS = 5
FEW = 100  # validation samples in the tail below which the weights of a program begin to overfit


@dataclass(frozen=True)
class AlphaPath:
    """Model weights and validation risk for many tail fractions.

    Attributes
    ----------
    alphas, values : ndarray of shape (A,)
        Tail fractions, and the validation CVaR of the mixture at each.
    model_weights : ndarray of shape (A, T)
    """

    alphas: Array
    values: Array
    model_weights: Array


class MixtureClassifier(Booster):
    """Base of boosters whose result is a randomised classifier: models and the probability of each."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Booster._parameter_constraints,
        "alpha": [Interval(Real, 0, 1, closed="right")],
        "beta": [POSITIVE, None],
        "sampling": [StrOptions({"per_sample", "per_call", "frozen"}), None],
        "resample": ["boolean", None],
        "model_weights": [StrOptions({*FITTED, "uniform", "first"})],
    }

    alpha: float
    beta: float | None
    sampling: str | None
    resample: bool | None
    model_weights: str
    trim: float = 0.0

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        X_val: Any = None,
        y_val: ArrayLike | None = None,
    ) -> Any:
        """Train the models, then weigh them.

        Parameters
        ----------
        X : array of shape (n, d), or EncodedMatrix
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            A weight of 2 equals two copies of the example, a weight of 0 its absence.
        X_val, y_val : arrays, optional
            Samples on which the model weights are chosen; the training samples if not given, which is right only for
            models that do not interpolate them.

        Returns
        -------
        self
        """
        if (X_val is None) != (y_val is None):
            raise ValueError("X_val and y_val must be given together")
        self._fit(X, y, sample_weight)
        if X_val is None:
            self.validation_losses_ = self.training_losses_
            if self.model_weights in FITTED and not self.validation_losses_.any(axis=0).all():
                warnings.warn(
                    "a model makes no error on the training samples, so that the model weights chosen on them are its "
                    "alone, whatever alpha is: give X_val and y_val",
                    UserWarning,
                    stacklevel=3,
                )
        else:
            if not np.isin(np.asarray(y_val), self.classes_).any():
                raise ValueError(f"y_val must hold labels seen in fit, {self.classes_.tolist()}, got none of them")
            self.validation_losses_ = self._losses(X_val, y_val, "y_val")
            self.validation_weight_ = np.ones(len(self.validation_losses_))
            in_tail = float(self.alpha) * len(self.validation_losses_)
            if self.model_weights == "lp" and in_tail < FEW:
                warnings.warn(
                    f"alpha={self.alpha!r} of the validation samples are {in_tail:.0f}, fewer than {FEW}: weights "
                    'fitted to so small a tail overfit; model_weights="bagged" or "uniform" may do better',
                    UserWarning,
                    stacklevel=3,
                )
        return self.set_alpha(self.alpha)

    def set_alpha(self, alpha: float) -> Any:
        """Choose the model weights for another tail fraction; no model is trained again.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        self.alpha_ = check_tail(alpha)
        if len(self.classes_) > 1:
            self.model_weights_ = self._weights_for(self.validation_losses_, self.alpha_)
            self.value_ = self._validation_risk(self.model_weights_, self.alpha_)
        return self

    def alpha_path(self, alphas: ArrayLike | None = None) -> AlphaPath:
        """Model weights for many tail fractions (0.01, 0.02, ..., 0.5 if not given), from one chain of programs."""
        check_is_fitted(self)
        levels = np.arange(1, 51) / 100 if alphas is None else check_tails(alphas)
        if len(self.classes_) == 1:
            return AlphaPath(levels, np.zeros(len(levels)), np.empty((len(levels), 0)))
        if self.model_weights == "lp" and not self.trim:
            found = lpboost_path(self.validation_losses_, levels, self.validation_weight_)
            weights = np.array([result.model_weights for result in found])
        else:
            weights = np.array([self._weights_for(self.validation_losses_, float(level)) for level in levels])
        values = [self._validation_risk(row, float(level)) for row, level in zip(weights, levels, strict=True)]
        return AlphaPath(levels, np.array(values), weights)

    def predict_proba(self, X: Any) -> Array:
        """Probability that the randomised classifier answers each class: the mixture of the models' votes."""
        X = self._check_new(X)
        if len(self.classes_) == 1:
            return np.ones((X.shape[0], 1))
        return self._mixture(X, self.model_weights_)

    def predict(self, X: Any) -> NDArray[Any]:
        """Label of each row: the most probable one, or that of a drawn model, as ``sampling`` says."""
        X = self._check_new(X)
        if len(self.classes_) == 1:
            return np.repeat(self.classes_, X.shape[0])
        if self.sampling is None:
            return self.classes_[self._mixture(X, self.model_weights_).argmax(axis=1)]
        self._check_parameters()  # sampling may have been set after the fit
        n = X.shape[0]
        if self.sampling == "frozen":
            chosen = frozen_models(X, self.model_weights_, self.key_)
        elif self.sampling == "per_call":
            chosen = np.repeat(draw_models(self.model_weights_, 1, self._random), n)
        else:
            chosen = draw_models(self.model_weights_, n, self._random)
        answer = np.empty(n, dtype=np.intp)
        for model in np.unique(chosen).tolist():
            rows = chosen == model
            answer[rows] = self._answers(X[rows], model)
        return self.classes_[answer]

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Most probable labels after 1, 2, ... models, weighed anew on the validation samples for each number."""
        X = self._check_new(X)
        answers = np.array([self._answers(X, model) for model in range(len(self.estimators_))])
        for count in range(1, len(answers) + 1):
            weights = self._weights_for(self.validation_losses_[:, :count], self.alpha_)
            probabilities = [(weights[:, None] * (answers[:count] == c)).sum(axis=0) for c in range(len(self.classes_))]
            yield self.classes_[np.argmax(probabilities, axis=0)]

    def expected_loss(self, X: Any, y: ArrayLike) -> Array:
        """Probability that the randomised classifier errs on each sample."""
        labels = np.asarray(y)
        probabilities = self.predict_proba(X)
        if labels.shape != (len(probabilities),):
            raise ValueError(f"y must have shape ({len(probabilities)},), got {labels.shape}")
        return 1.0 - (probabilities * (labels[:, None] == self.classes_)).sum(axis=1)

    def cvar(self, X: Any, y: ArrayLike, alpha: float | None = None) -> float:
        """CVaR of the expected loss at a tail fraction, ``alpha_`` if not given."""
        return cvar(self.expected_loss(X, y), self.alpha_ if alpha is None else alpha)

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Accuracy of ``predict``; where it draws models, the expected accuracy, which has no noise."""
        if self.sampling is None:
            return float(super().score(X, y, sample_weight))
        weights = None if sample_weight is None else np.asarray(sample_weight)
        return float(1.0 - np.average(self.expected_loss(X, y), weights=weights))

    def model_losses(self, X: Any, y: ArrayLike) -> NDArray[np.bool_]:
        """0/1 loss of each model on each sample, shape (n, T): what programs for other weights are made of."""
        check_is_fitted(self)
        return self._losses(X, y)

    def _losses(self, X: Any, y: Any, name: str = "y") -> NDArray[np.bool_]:
        X = self._check_new(X)
        labels = np.asarray(y)
        if labels.shape != (X.shape[0],):
            raise ValueError(f"{name} must have shape ({X.shape[0]},), got {labels.shape}")
        answers = [self.classes_[self._answers(X, model)] != labels for model in range(len(self.estimators_))]
        return _table(answers, len(labels))

    def _answers(self, X: Any, model: int) -> NDArray[np.intp]:
        """Class that one model gives to each row."""
        return self._named(self._voters[model].predict(X))

    def _named(self, answer: Array) -> NDArray[np.intp]:
        return (answer > 0).astype(np.intp) if len(self.classes_) == 2 else answer.astype(np.intp)

    def _mixture(self, X: Any, weights: Array) -> Array:
        probabilities = np.zeros((X.shape[0], len(self.classes_)))
        rows = np.arange(X.shape[0])
        for model in np.flatnonzero(weights).tolist():
            probabilities[rows, self._answers(X, model)] += weights[model]
        return probabilities

    def _weights_for(self, losses: NDArray[np.bool_], alpha: float) -> Array:
        """Model weights by the method of ``model_weights``, from a table of 0/1 losses."""
        self._check_parameters()  # they may have been set after the fit
        n_models, mass = losses.shape[1], self.validation_weight_
        if self.model_weights == "uniform":
            return np.full(n_models, 1.0 / n_models)
        if self.model_weights == "first":
            return np.eye(n_models)[0]
        if self.trim:
            return trimmed_lpboost(losses, alpha, self.trim, sample_weight=mass).model_weights
        if self.model_weights == "smoothed":
            beta = 100.0 if self.beta is None else self.beta
            return entropic_lpboost(losses, alpha, beta, mass).model_weights
        if self.model_weights == "bagged":
            random = np.random.RandomState(self.key_)
            copies = [random.multinomial(len(mass), mass / mass.sum()) for _ in range(BOOTSTRAPS)]
            return np.mean([lpboost(losses, alpha, sample_weight=copy).model_weights for copy in copies], axis=0)
        return lpboost(losses, alpha, sample_weight=mass).model_weights

    def _validation_risk(self, weights: Array, alpha: float) -> float:
        return cvar(mix(self.validation_losses_, weights), alpha, self.validation_weight_)

    def _choose_parameters(
        self, data: Any, codes: NDArray[np.intp], weight: Array, sample_weight: ArrayLike | None
    ) -> None:
        self._random = check_random_state(self.random_state)
        self.key_ = int(self._random.randint(np.iinfo(np.int32).max))
        self.training_losses_, self.validation_weight_ = np.zeros((len(codes), 0), dtype=bool), weight
        self.model_weights_, self.value_ = np.empty(0), 0.0  # of one class

    def _weak_learner(self, data: Any, codes: NDArray[np.intp], weight: Array) -> WeakLearner:
        resample = self.resample
        if resample is None and self.estimator is not None:
            resample = starts_warm(self.estimator) or not has_fit_parameter(self.estimator, "sample_weight")
        if not resample:
            return super()._weak_learner(data, codes, weight)
        if self.estimator is None:
            raise ValueError("resample=True needs an estimator: our trees take the weights as they are")
        return ResamplingLearner(self.estimator, data, codes, weight, len(self.classes_), self._random)

    def _run(self, learner: WeakLearner, watchers: list[Watch]) -> BoostRecord:
        self.validation_weight_ = learner.sample_weight
        columns: list[NDArray[np.bool_]] = []
        rules = self._weigher(learner, columns), self._collector(columns)
        record = boost(learner, *rules, self.n_estimators, together(watchers))
        self.training_losses_ = _table(columns[: len(record.steps)], len(learner.sample_weight))
        return record

    def _held_out_risk(self, X: Any, codes: NDArray[np.intp], weight: Array) -> Callable[[Any, float, int], float]:
        wrong = np.zeros(len(codes))

        def tail(hypothesis: Any, step: float, number: int) -> float:
            wrong[...] += self._named(hypothesis.predict(X)) != codes
            return cvar(wrong / number, self.alpha, weight)

        return tail

    def _importance_of_members(self) -> Array:
        return self.model_weights_

    def _weigher(self, learner: WeakLearner, columns: list[NDArray[np.bool_]]) -> Callable[[Array, float], Array]:
        """The function of margins and round that gives the logarithms of the sample weights."""
        raise NotImplementedError

    def _collector(self, columns: list[NDArray[np.bool_]]) -> Callable[[Round], float]:
        """Step rule: all models count alike in the margins; the 0/1 losses of each are kept."""

        def step(now: Round) -> float:
            columns.append(now.gain <= 0)
            return 1.0

        return step

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.trim and self.model_weights in ("smoothed", "bagged"):
            raise ValueError(f"trim={self.trim!r} has no version of model_weights={self.model_weights!r}: take 'lp'")


def _table(columns: list[NDArray[np.bool_]], n: int) -> NDArray[np.bool_]:
    """One table of these columns, which are given up: there is never more than one copy."""
    table = np.empty((n, len(columns)), dtype=np.bool_, order="F")
    for t in reversed(range(len(columns))):
        table[:, t] = columns.pop()
    return table
