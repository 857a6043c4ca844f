"""Who is on the bench: every learner of the library, and the peers that a user would pick instead."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sklearn.ensemble import AdaBoostClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from marginloss import boosting, linear
from marginloss.losses import AlphaLoss

__all__ = ["LEARNERS", "Contender"]


@dataclass(frozen=True)
class Contender:
    """A learner on the bench.

    Parameters
    ----------
    name : str
    make : callable
        Makes the estimator from a setting.
    settings : tuple of dict
        The few settings among which cross-validation chooses.
    ours : bool, default True
        Whether it is a learner of this library.
    scaled : bool, default False
        Whether it sees standardised columns; true of the linear learners.
    rounds : str, default ""
        Name of the parameter that holds the number of boosting rounds; empty for a learner without rounds.
    share : float, default 1
        Fraction of the common number of rounds that it gets.
    """

    name: str
    make: Callable[..., Any]
    settings: tuple[dict[str, Any], ...]
    ours: bool = True
    scaled: bool = False
    rounds: str = ""
    share: float = 1.0

    def build(self, setting: dict[str, Any], n_rounds: int, seed: int) -> Any:
        """An unfitted estimator.

        Examples
        --------
        >>> pilboost = next(learner for learner in LEARNERS if learner.name == "PILBoost")
        >>> pilboost.build(pilboost.settings[0], n_rounds=20, seed=0)
        PILBoostClassifier(n_estimators=20, random_state=0)
        """
        length = {self.rounds: max(1, round(self.share * n_rounds))} if self.rounds else {}
        model = self.make(**setting, **length)
        if "random_state" in model.get_params():
            model.set_params(random_state=seed)
        return make_pipeline(StandardScaler(), model) if self.scaled else model


def _options(name: str, *values: Any, **fixed: Any) -> tuple[dict[str, Any], ...]:
    return tuple({name: value, **fixed} for value in values)


def _xgboost(**setting: Any) -> Any:
    import xgboost

    return xgboost.XGBClassifier(n_jobs=1, verbosity=0, **setting)


def _lightgbm(**setting: Any) -> Any:
    import lightgbm

    return lightgbm.LGBMClassifier(n_jobs=1, verbose=-1, **setting)


def _booster(
    name: str, make: Callable[..., Any], settings: tuple[dict[str, Any], ...], share: float = 1.0
) -> Contender:
    return Contender(name, make, settings, rounds="n_estimators", share=share)


def _linear(name: str, make: Callable[..., Any], settings: tuple[dict[str, Any], ...]) -> Contender:
    return Contender(name, make, settings, scaled=True)


_CAPS = _options("kappa", 0.05, 0.15, 0.3)

LEARNERS: tuple[Contender, ...] = (
    _booster("AdaBoost.alpha", boosting.AdaBoostAlphaClassifier, _options("alpha", 1.0, 2.0, 5.0)),
    _booster("PILBoost", boosting.PILBoostClassifier, _options("alpha", 1.1, 2.0, 4.0)),
    _booster(
        "SmoothBoost",
        boosting.SmoothBoostClassifier,
        _options("kappa", 0.05, 0.15, 0.3, gamma=0.05, on_failure="ignore"),
    ),
    _booster("MadaBoost", boosting.MadaBoostClassifier, _CAPS),
    _booster("BregmanBoost", boosting.BregmanBoostClassifier, _CAPS),
    _booster("AdaLPBoost", boosting.AdaLPBoostClassifier, _options("step_size", 0.3, 1.0), share=0.5),
    _booster("LPBoost", boosting.LPBoostClassifier, _options("beta", 20.0, 100.0), share=0.5),
    _linear(
        "alpha-loss, linear",
        linear.MarginClassifier,
        tuple({"loss": AlphaLoss(a), "l2": 1e-3} for a in (1.0, 2.0, 4.0)),
    ),
    _linear(
        "two-temperature",
        linear.TwoTemperatureClassifier,
        tuple({"t1": t1, "t2": t2, "l2": 1e-3} for t1, t2 in ((1.0, 1.0), (0.8, 1.2), (0.5, 1.5))),
    ),
    _linear("p-norm perceptron", linear.PNormPerceptron, _options("p", 2.0, 4.0)),
    _linear("Winnow", linear.Winnow, _options("step_size", 0.03, 0.3)),
    # its own bound on the rounds is for clean margins; on overlapping classes it would use all of them
    _linear("smooth halfspace", boosting.HalfspaceLearner, _options("epsilon", 0.2, 0.6, max_rounds=300)),
    Contender(
        "AdaBoost (scikit-learn)",
        AdaBoostClassifier,
        _options("learning_rate", 0.3, 1.0),
        ours=False,
        rounds="n_estimators",
    ),
    Contender(
        "logistic regression",
        LogisticRegression,
        _options("C", 0.03, 1.0, 30.0, max_iter=1000),
        ours=False,
        scaled=True,
    ),
    Contender(
        "histogram boosting",
        HistGradientBoostingClassifier,
        _options("learning_rate", 0.03, 0.1, early_stopping=False),
        ours=False,
        rounds="max_iter",
    ),
    Contender(
        "XGBoost", _xgboost, _options("learning_rate", 0.05, 0.3, max_depth=3), ours=False, rounds="n_estimators"
    ),
    Contender(
        "LightGBM", _lightgbm, _options("learning_rate", 0.05, 0.2, num_leaves=7), ours=False, rounds="n_estimators"
    ),
)
