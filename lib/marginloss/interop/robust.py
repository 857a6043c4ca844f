"""Complete classifiers around the engines of XGBoost and LightGBM, with our losses."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Sequence
from importlib import import_module
from typing import Any, ClassVar, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.preprocessing import LabelEncoder
from sklearn.utils import check_consistent_length
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from marginloss._rows import best_parameters
from marginloss._validation import ClassWeight, MarginlossClassifier
from marginloss.interop.objectives import MarginObjective, temperatures
from marginloss.losses import AlphaLoss, LogisticLoss, MarginLoss, TwoTemperatureLoss
from marginloss.losses.base import with_posterior
from marginloss.losses.tempered import two_temperature_posterior
from marginloss.losses.two_temperature import TemperedMarginLoss

__all__ = ["RobustLGBMClassifier", "RobustXGBClassifier"]

Array = NDArray[np.float64]

#: Parameters α among which ``loss="cv"`` chooses; the logistic loss first, so that ties go to it.
ALPHAS = (1, 1.5, 2, 4)


class RobustClassifier(MarginlossClassifier):
    """What both engines share. Parameters other than our three are attributes that are handed to the engine."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "loss": [MarginLoss, StrOptions({"cv"}), None],
        "cv": ["cv_object"],
    }

    loss_: MarginLoss

    def __init__(
        self,
        loss: MarginLoss | Literal["cv"] | None = None,
        *,
        cv: Any = 5,
        class_weight: ClassWeight = None,
        **parameters: Any,
    ) -> None:
        self.loss = loss
        self.cv = cv
        self.class_weight = class_weight
        self.__dict__.update(parameters)

    @abstractmethod
    def _engine(self, **parameters: Any) -> Any:
        """Classifier of the engine, not fitted."""

    @abstractmethod
    def _fit_engine(
        self, X: Any, codes: Any, weight: Any, eval_set: Any, objective: MarginObjective, options: dict[str, Any]
    ) -> Any:
        """Classifier of the engine, fitted to classes 0 to K − 1."""

    @abstractmethod
    def _raw(self, X: Any) -> Any:
        """Raw scores of the engine."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters, those of the engine included."""
        given = {name: value for name, value in vars(self).items() if name[0] != "_" and name[-1] != "_"}
        ours = {"objective", "base_score"}
        return {k: v for k, v in self._engine().get_params().items() if k not in ours} | given

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters, those of the engine included."""
        self.__dict__.update(parameters)
        return self

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        eval_set: Sequence[tuple[Any, ArrayLike]] | None = None,
        **options: Any,
    ) -> Self:
        """Fit the trees.

        Parameters
        ----------
        X : array_like, sparse matrix or DataFrame of shape (n, d)
            Missing values are NaN; columns of the type ``category`` are split as such.
        y : array_like of shape (n,)
            Labels of any kind.
        sample_weight : array_like of shape (n,), optional
        eval_set : list of (X, y), optional
            For early stopping, by the mean loss on the last pair.
        **options
            For the ``fit`` of the engine, such as ``callbacks``.
        """
        self._validate_params()
        check_consistent_length(X, y)
        X, codes, weight = self._check_training(X, y, sample_weight, **_checks(X))
        self._need_two_classes()
        known = LabelEncoder().fit(self.classes_)
        pairs = None if eval_set is None else [(self._check_new(A), known.transform(b)) for A, b in eval_set]
        several = len(self.classes_) > 2
        if self.loss == "cv":
            candidates = [{"loss": TwoTemperatureLoss(1 / a, 1) if several else AlphaLoss(a)} for a in ALPHAS]
            best = best_parameters(self, candidates, X, codes, weight, sample_weight, eval_set=pairs, **options)
            self.loss_ = best["loss"]
        elif self.loss is None:
            self.loss_ = TwoTemperatureLoss(1, 1) if several else LogisticLoss()
        else:
            self.loss_ = self.loss
        if several:
            temperatures(self.loss_)
        self.engine_ = self._fit_engine(X, codes, weight, pairs, MarginObjective(self.loss_), options)
        return self

    def _check_new(self, X: Any) -> Any:
        return validate_data(self, X, reset=False, **_checks(X))

    def decision_function(self, X: Any) -> Array:
        """Raw score of ``classes_[1]``, or one column per class if there are more than two."""
        check_is_fitted(self)
        return np.asarray(self._raw(self._check_new(X)), dtype=np.float64)

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of the largest score; for two classes its sign, a score of 0 being ``classes_[0]``."""
        scores = self.decision_function(X)
        return self._labels(scores)

    @with_posterior
    def predict_proba(self, X: Any) -> Array:
        """Class probabilities at which the scores would be optimal for the loss: its posterior."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return self.loss_.posterior(np.stack([-scores, scores], axis=1))
        return two_temperature_posterior(scores, *temperatures(self.loss_))

    @property
    def feature_importances_(self) -> Array:
        """Those of the engine."""
        check_is_fitted(self)
        return self.engine_.feature_importances_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        margin_only = isinstance(self.loss, MarginLoss) and not isinstance(self.loss, TemperedMarginLoss)
        tags.classifier_tags.multi_class = not margin_only
        tags.input_tags.sparse = tags.input_tags.allow_nan = tags.input_tags.categorical = True
        return tags


class RobustXGBClassifier(RobustClassifier):
    r"""XGBoost with a loss of ours: trees for labels that may be wrong.

    Use it for tables with some labels wrong at random, where you would take XGBoost: ``loss="cv"``, or a loss such as
    ``AlphaLoss(2)`` that gives up on hopeless examples, with trees of depth 2 to 4. With clean labels, and often with
    shallow trees, the engine alone is as good. If labels of one class are wrong, take
    :class:`~marginloss.losses.CorrectedLoss` with the rates of :func:`~marginloss.noise.estimate_flip_rates`; if both
    are, finding them first (cleanlab) does better, above all with this fitted to the rest.

    Missing values, categorical columns, constraints, GPUs and SHAP values come with the engine, ``engine_`` after
    ``fit``. For training on a cluster see :func:`xgboost_objective`.

    Parameters
    ----------
    loss : MarginLoss or "cv", optional
        Logistic if None. More than two classes need a :class:`~marginloss.losses.TwoTemperatureLoss`. ``"cv"``
        chooses an α-loss by cross-validated accuracy on the given, possibly noisy, labels.
    cv : int, splitter or iterable of splits, default=5
        For ``loss="cv"``.
    class_weight : dict or "balanced", optional
        Weights of the classes, multiplied with those of the examples.
    **parameters
        Those of ``xgboost.XGBClassifier``, such as ``max_depth``, ``n_estimators`` and ``early_stopping_rounds``; all
        but ``objective`` and ``base_score``, which the loss decides. Scores start at 0.

    Attributes
    ----------
    classes_ : ndarray
    loss_ : MarginLoss
    engine_ : xgboost.XGBClassifier
        Its labels are positions in ``classes_``, its own ``predict_proba`` that of the logistic loss.
    feature_importances_ : ndarray of shape (d,)

    Notes
    -----
    The engine reads absent entries of a sparse matrix as missing values, not as zeros.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from marginloss.losses import AlphaLoss
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = RobustXGBClassifier(AlphaLoss(2), max_depth=2, n_estimators=50).fit(X, y)
    >>> model.predict_proba(X[:2]).round(1)
    array([[0.9, 0.1],
           [0.9, 0.1]])
    """

    def _engine(self, **parameters: Any) -> Any:
        return _package(self, "xgboost").XGBClassifier(**parameters)

    def _fit_engine(
        self, X: Any, codes: Any, weight: Any, eval_set: Any, objective: MarginObjective, options: dict[str, Any]
    ) -> Any:
        settings = _settings(self)
        if eval_set is not None and settings.get("eval_metric") is None:
            settings |= {"eval_metric": objective.mean_loss, "disable_default_eval_metric": True}
        if any(isinstance(kind, pd.CategoricalDtype) for kind in getattr(X, "dtypes", ())):
            settings["enable_categorical"] = True
        # a probability for two classes
        engine = self._engine(**settings, objective=objective, base_score=0.5 if len(self.classes_) == 2 else 0.0)
        return engine.fit(X, codes, sample_weight=weight, eval_set=eval_set, **{"verbose": False} | options)

    def _raw(self, X: Any) -> Any:
        return self.engine_.predict(X, output_margin=True)


class RobustLGBMClassifier(RobustClassifier):
    """LightGBM with a loss of ours: trees for labels that may be wrong.

    Use it for large tables with label noise where you would take LightGBM; otherwise as :class:`RobustXGBClassifier`.

    Parameters
    ----------
    loss, cv, class_weight
        As in :class:`RobustXGBClassifier`.
    **parameters
        Those of ``lightgbm.LGBMClassifier``, such as ``num_leaves``, ``n_estimators`` and ``early_stopping_round``; all
        but ``objective``, which the loss decides. Scores start at 0.

    Attributes
    ----------
    classes_ : ndarray
    loss_ : MarginLoss
    engine_ : lightgbm.LGBMClassifier
        Its labels are positions in ``classes_``; its own ``predict`` and ``predict_proba`` return raw scores.
    feature_importances_ : ndarray of shape (d,)
    """

    def _engine(self, **parameters: Any) -> Any:
        return _package(self, "lightgbm").LGBMClassifier(**parameters)

    def _fit_engine(
        self, X: Any, codes: Any, weight: Any, eval_set: Any, objective: MarginObjective, options: dict[str, Any]
    ) -> Any:
        def mean_loss(labels: Any, scores: Any, weight: Any) -> tuple[str, float, bool]:
            return "mean_loss", objective.mean_loss(labels, scores, weight), False

        settings = {"verbose": -1} | _settings(self)
        if eval_set is not None:
            options = {"eval_set": eval_set, "eval_metric": mean_loss} | options
            settings = {"metric": "None"} | settings
        with warnings.catch_warnings():  # its successor is too new
            warnings.filterwarnings("ignore", "The argument 'eval_set' is deprecated")
            return self._engine(**settings, objective=objective).fit(X, codes, sample_weight=weight, **options)

    def _raw(self, X: Any) -> Any:
        return self.engine_.predict(X, raw_score=True)


def _package(model: RobustClassifier, name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(f"{type(model).__name__} needs {name}, which is in the extra 'bench'") from error


def _settings(model: RobustClassifier) -> dict[str, Any]:
    """Parameters for the engine."""
    given = model.get_params()
    for name in {"objective", "base_score"} & given.keys():
        raise ValueError(f"{name} is decided by loss, got {name}={given[name]!r}")
    return {name: value for name, value in given.items() if name not in ("loss", "cv", "class_weight")}


def _checks(X: Any) -> dict[str, Any]:
    """Checks of a table: columns of a frame of numbers and categories are for the engine to read."""
    if isinstance(X, pd.DataFrame) and all(
        isinstance(kind, pd.CategoricalDtype) or pd.api.types.is_numeric_dtype(kind) for kind in X.dtypes
    ):
        return {"skip_check_array": True}
    return {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "ensure_all_finite": "allow-nan"}
