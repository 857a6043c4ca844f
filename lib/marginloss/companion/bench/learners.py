"""Who is on the bench: learners of the library as a user gets them and tuned, and the peers in the same two ways."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

from marginloss.boosting import AdaBoostAlphaClassifier, PILBoostClassifier, SmoothBoostClassifier
from marginloss.interop import RobustXGBClassifier
from marginloss.linear import MarginClassifier, TwoTemperatureClassifier
from marginloss.losses import AlphaLoss, CorrectedLoss
from marginloss.noise import estimate_flip_rates

__all__ = ["LEARNERS", "Contender", "Corrected"]

Setting = dict[str, Any]


@dataclass(frozen=True)
class Contender:
    """A learner on the bench.

    Parameters
    ----------
    name : str
    make : callable
        Makes the estimator from a setting.
    settings : tuple of dict
        One, or the six among which three folds of the training labels as they are given choose.
    ours : bool
        Whether it is a learner of this library.
    like : str, default ""
        Name of the learner whose choice this one takes over: a method around a learner is not tuned a second time.
    draft : dict
        Parameters that hold while a setting is chosen, to save time.
    """

    name: str
    make: Callable[..., Any]
    settings: tuple[Setting, ...]
    ours: bool
    like: str = ""
    draft: tuple[tuple[str, Any], ...] = ()

    def build(self, setting: Setting, seed: int) -> Any:
        """An unfitted estimator with this seed.

        Examples
        --------
        >>> LEARNERS["PILBoost"].build({}, seed=0)
        PILBoostClassifier(random_state=0)
        """
        model = self.make(**setting)
        names = {"random_state", "seed", "clf__random_state"} & model.get_params().keys()
        return model.set_params(**dict.fromkeys(names, seed))


class Corrected(ClassifierMixin, BaseEstimator):
    """Trees with an α-loss, corrected for flips at rates that plain trees estimate from the given labels."""

    def __init__(
        self,
        alpha: float = 2.0,
        max_depth: int = 2,
        learning_rate: float = 0.1,
        n_estimators: int = 100,
        random_state: Any = None,
    ) -> None:
        self.alpha = alpha
        self.max_depth = max_depth
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.random_state = random_state

    def fit(self, X: NDArray[Any], y: NDArray[Any]) -> Corrected:
        """Estimate the rates over three folds, then fit with the corrected loss."""
        trees = self.get_params()
        loss = AlphaLoss(trees.pop("alpha"))
        p = cross_val_predict(_xgboost(**trees), X, y, cv=3, method="predict_proba")[:, 1]
        rates = np.array(estimate_flip_rates(y, p))
        rates *= min(1.0, 0.9 / max(rates.sum(), 0.9))  # from a sum of 1 on labels tell nothing
        self.model_ = RobustXGBClassifier(CorrectedLoss(loss, *rates.tolist()), n_jobs=1, **trees).fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        """Labels."""
        return self.model_.predict(X)

    def predict_proba(self, X: NDArray[Any]) -> NDArray[np.float64]:
        """Probabilities of the true labels."""
        return self.model_.predict_proba(X)


def _xgboost(**setting: Any) -> Any:
    import xgboost

    return xgboost.XGBClassifier(n_jobs=1, **setting)


def _robust(alpha: float = 2, **setting: Any) -> Any:
    return RobustXGBClassifier(AlphaLoss(alpha), n_jobs=1, **setting)


def _linear(alpha: float = 2, **setting: Any) -> Any:
    return MarginClassifier(AlphaLoss(alpha), **setting)


def _two_temperatures(temperatures: tuple[float, float] = (0.8, 1.2), **setting: Any) -> Any:
    return TwoTemperatureClassifier(*temperatures, **setting)


def _cleaned(make: Callable[..., Any]) -> Callable[..., Any]:
    def make_cleaned(**setting: Any) -> Any:
        from cleanlab.classification import CleanLearning

        return CleanLearning(make(**setting), find_label_issues_kwargs={"n_jobs": 1})

    return make_cleaned


def _grid(**values: tuple[Any, ...]) -> tuple[Setting, ...]:
    return tuple(dict(zip(values, point, strict=True)) for point in product(*values.values()))


PLAIN: tuple[Setting, ...] = ({},)
SHALLOW: tuple[Setting, ...] = ({"max_depth": 2, "learning_rate": 0.1},)
TREES = _grid(max_depth=(1, 2, 4), learning_rate=(0.1, 0.3))

LEARNERS: dict[str, Contender] = {
    learner.name: learner
    for learner in (
        Contender("AdaBoost.α", AdaBoostAlphaClassifier, PLAIN, True),
        Contender("AdaBoost.α tuned", AdaBoostAlphaClassifier, _grid(alpha=(1.0, 2.0, 4.0), max_depth=(1, 2)), True),
        Contender("PILBoost", PILBoostClassifier, PLAIN, True),
        Contender("PILBoost tuned", PILBoostClassifier, _grid(alpha=(1.1, 2.0, 4.0), n_estimators=(50, 150)), True),
        Contender("SmoothBoost", SmoothBoostClassifier, PLAIN, True),
        Contender("SmoothBoost tuned", SmoothBoostClassifier, _grid(kappa=(0.05, 0.15, 0.3), max_depth=(1, 2)), True),
        Contender("two temperatures", _two_temperatures, PLAIN, True),
        Contender(
            "two temperatures tuned",
            _two_temperatures,
            _grid(temperatures=((1.0, 1.0), (0.8, 1.2), (0.5, 1.5)), l2=(1e-4, 1e-2)),
            True,
        ),
        Contender("linear α = 2", _linear, PLAIN, True),
        Contender("linear α tuned", _linear, _grid(alpha=(1.0, 2.0, 4.0), l2=(1e-4, 1e-2)), True),
        Contender("XGBoost with α = 2", _robust, PLAIN, True),
        Contender(
            "XGBoost with α tuned",
            _robust,
            _grid(alpha=(1.5, 2.0, 4.0), max_depth=(2, 4), learning_rate=(0.2,), n_estimators=(50,)),
            True,
        ),
        Contender("corrected α = 2", Corrected, PLAIN, True),
        Contender("corrected α tuned", Corrected, PLAIN, True, like="XGBoost with α tuned"),
        Contender("random forest", RandomForestClassifier, PLAIN, False),
        Contender("random forest leaf 10", RandomForestClassifier, _grid(min_samples_leaf=(10,)), False),
        Contender(
            "random forest tuned",
            RandomForestClassifier,
            _grid(min_samples_leaf=(1, 3, 5, 10, 20, 40)),
            False,
            draft=(("n_estimators", 20),),
        ),
        Contender("histogram boosting", HistGradientBoostingClassifier, PLAIN, False),
        Contender(
            "histogram boosting tuned",
            HistGradientBoostingClassifier,
            _grid(max_leaf_nodes=(4, 8), learning_rate=(0.03, 0.1, 0.3)),
            False,
        ),
        Contender("XGBoost", _xgboost, PLAIN, False),
        Contender("XGBoost shallow", _xgboost, SHALLOW, False),
        Contender("XGBoost tuned", _xgboost, TREES, False),
        Contender("logistic", LogisticRegression, PLAIN, False),
        Contender("logistic tuned", LogisticRegression, _grid(C=(0.003, 0.01, 0.03, 0.1, 1.0, 10.0)), False),
        Contender("cleanlab + logistic", _cleaned(LogisticRegression), PLAIN, False),
        Contender("cleanlab + logistic tuned", _cleaned(LogisticRegression), PLAIN, False, like="logistic tuned"),
        Contender("cleanlab + XGBoost shallow", _cleaned(_xgboost), SHALLOW, False),
        Contender("cleanlab + XGBoost tuned", _cleaned(_xgboost), PLAIN, False, like="XGBoost tuned"),
    )
}
