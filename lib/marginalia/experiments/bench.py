"""All learners on one bench: the same data, the same corruptions, and the same honest tuning for everybody.

Nothing clean reaches a learner: parameters are chosen by cross-validation on the corrupted training labels. Only the
score is taken on clean test rows.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata, studentized_range
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from marginalia import boosting, datasets, linear
from marginalia.losses import AlphaLoss
from marginalia.noise import flip_by_margin, flip_labels
from marginalia.risk import cvar

__all__ = ["CORRUPTIONS", "LEARNERS", "TASKS", "Contender", "contest", "critical_difference", "mean_ranks"]

Table = tuple[NDArray[Any], NDArray[Any]]


@dataclass(frozen=True)
class Contender:
    """A learner on the bench: how to make it, and the few settings among which cross-validation chooses."""

    name: str
    make: Callable[..., Any]
    settings: tuple[dict[str, Any], ...]
    ours: bool = True
    scaled: bool = False

    def build(self, setting: dict[str, Any]) -> Any:
        """An unfitted estimator, with standardised columns where the learner is linear."""
        model = self.make(**setting)
        return make_pipeline(StandardScaler(), model) if self.scaled else model


def _options(name: str, *values: Any, **fixed: Any) -> tuple[dict[str, Any], ...]:
    return tuple({name: value, **fixed} for value in values)


def _xgboost(**setting: Any) -> Any:
    import xgboost

    return xgboost.XGBClassifier(n_estimators=100, n_jobs=1, verbosity=0, **setting)


def _lightgbm(**setting: Any) -> Any:
    import lightgbm

    return lightgbm.LGBMClassifier(n_estimators=100, n_jobs=1, verbose=-1, **setting)


LEARNERS: tuple[Contender, ...] = (
    Contender("AdaBoost.alpha", boosting.AdaBoostAlphaClassifier, _options("alpha", 1.0, 2.0, 5.0, max_depth=1)),
    Contender("PILBoost", boosting.PILBoostClassifier, _options("alpha", 1.1, 2.0, 4.0, n_estimators=100)),
    Contender(
        "SmoothBoost",
        boosting.SmoothBoostClassifier,
        _options("kappa", 0.05, 0.15, 0.3, gamma=0.05, n_estimators=100, on_failure="ignore"),
    ),
    Contender("MadaBoost", boosting.MadaBoostClassifier, _options("kappa", 0.05, 0.15, 0.3, n_estimators=100)),
    Contender("AdaLPBoost", boosting.AdaLPBoostClassifier, _options("step_size", 0.3, 1.0, n_estimators=50)),
    Contender("LPBoost", boosting.LPBoostClassifier, _options("beta", 20.0, 100.0, n_estimators=50)),
    Contender(
        "alpha-loss, linear",
        linear.MarginClassifier,
        tuple({"loss": AlphaLoss(a), "l2": 1e-3} for a in (1.0, 2.0, 4.0)),
        scaled=True,
    ),
    Contender(
        "two-temperature",
        linear.TwoTemperatureClassifier,
        tuple({"t1": t1, "t2": t2, "l2": 1e-3} for t1, t2 in ((1.0, 1.0), (0.8, 1.2), (0.5, 1.5))),
        scaled=True,
    ),
    Contender("p-norm perceptron", linear.PNormPerceptron, _options("p", 2.0, 4.0), scaled=True),
    Contender(
        "AdaBoost (scikit-learn)", AdaBoostClassifier, _options("learning_rate", 0.3, 1.0, n_estimators=100), False
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
        _options("learning_rate", 0.03, 0.1, max_iter=100, early_stopping=False),
        ours=False,
    ),
    Contender("XGBoost", _xgboost, _options("learning_rate", 0.05, 0.3, max_depth=3), ours=False),
    Contender("LightGBM", _lightgbm, _options("learning_rate", 0.05, 0.2, num_leaves=7), ours=False),
)


# ------------------------------------------------------------------------------------------------------------- data
def _covid() -> Table:
    """All positive tests of Carbon Health and three times as many negative ones: at 1.6 % accuracy says nothing."""
    X, y = datasets.load_covid_carbon(return_X_y=True)
    negative = np.random.default_rng(0).choice(np.flatnonzero(y < 0), 3 * int((y > 0).sum()), replace=False)
    rows = np.sort(np.concatenate([np.flatnonzero(y > 0), negative]))
    return X[rows], y[rows]


def _shirts() -> Table:
    """T-shirts against shirts, the hardest pair of Fashion-MNIST, at half the resolution."""
    X, y = datasets.load_fashion_mnist(return_X_y=True)
    rows = np.isin(y, (0, 6))
    images = X[rows].reshape(-1, 14, 2, 14, 2).mean(axis=(2, 4)).reshape(-1, 196)
    return images, np.where(y[rows] == 6, 1, -1)


TASKS: dict[str, Callable[[], Table]] = {
    "breast_cancer": lambda: datasets.load_breast_cancer(return_X_y=True),
    "pima": lambda: datasets.load_pima(return_X_y=True),
    "xd6": lambda: datasets.load_xd6(return_X_y=True),
    "online_shoppers": lambda: datasets.load_online_shoppers(return_X_y=True),
    "compas": lambda: datasets.load_compas(return_X_y=True),
    "covid_carbon": _covid,
    "fashion_mnist": _shirts,
}


@lru_cache(maxsize=2)
def _table(task: str) -> Table:
    X, y = TASKS[task]()
    return np.asarray(X, dtype=float), np.asarray(y)


# ------------------------------------------------------------------------------------------------------- corruptions
def _clean_margin(X: NDArray[Any], y: NDArray[Any]) -> NDArray[np.float64]:
    """Margins of a logistic regression on the clean rows: what an informed adversary goes by."""
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)).fit(X, y)
    margin: NDArray[np.float64] = y * model.decision_function(X)
    return margin


def _spoil_features(X: NDArray[Any], y: NDArray[Any], rng: np.random.Generator) -> Table:
    """Each entry of three rows in ten is, with probability one half, that of another row."""
    wrong = (rng.random(len(X)) < 0.3)[:, None] & (rng.random(X.shape) < 0.5)
    return np.where(wrong, np.take_along_axis(X, rng.integers(len(X), size=X.shape), axis=0), X), y


def _plant_fakes(X: NDArray[Any], y: NDArray[Any], rng: np.random.Generator) -> Table:
    """Five rows in a hundred become copies of the clearest example, with the wrong label."""
    clearest = int(np.argmax(_clean_margin(X, y)))
    rows = rng.choice(len(X), round(0.05 * len(X)), replace=False)
    X, y = X.copy(), y.copy()
    X[rows], y[rows] = X[clearest], -y[clearest]
    return X, y


CORRUPTIONS: dict[str, Callable[[NDArray[Any], NDArray[Any], np.random.Generator], Table]] = {
    "clean": lambda X, y, rng: (X, y),
    "flips 20 %": lambda X, y, rng: (X, flip_labels(y, 0.2, rng)),
    "flips of one class": lambda X, y, rng: (X, flip_labels(y, {1: 0.3, -1: 0.05}, rng)),
    "large-margin flips 10 %": lambda X, y, rng: (X, flip_by_margin(y, _clean_margin(X, y), 0.1, where="large")),
    "feature noise": _spoil_features,
    "malicious 5 %": _plant_fakes,
}


# ----------------------------------------------------------------------------------------------------------- contest
def contest(task: str, corruption: str, n_rows: int, folds: int, rng: np.random.Generator) -> list[dict[str, float]]:
    """One run of all learners on one data set and one corruption.

    Parameters
    ----------
    task : str
        One of :data:`TASKS`.
    corruption : str
        One of :data:`CORRUPTIONS`; spoils the training rows only.
    n_rows : int
        At most so many training rows, and as many test rows.
    folds : int
        Folds of the cross-validation that chooses a learner's setting, on the corrupted labels.
    rng : numpy.random.Generator

    Returns
    -------
    list of dict
        A row for each learner: ``learner`` (place in :data:`LEARNERS`), ``accuracy``, ``log_loss`` (NaN without
        probabilities), ``cvar`` (of the expected 0-1 loss at a tail of 10 %), ``seconds`` of the final fit.
    """
    X, y = _table(task)
    seed = int(rng.integers(2**31))
    size = min(n_rows, len(y) // 2)
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, train_size=size, test_size=size, random_state=seed, stratify=y
    )
    X_train, y_train = CORRUPTIONS[corruption](X_train, y_train, rng)
    inner = StratifiedKFold(folds, shuffle=True, random_state=seed)
    # 0/1 for the peers that insist on it; the order of the classes is the same
    labels, truth = (y_train > 0).astype(int), (y_test > 0).astype(int)
    rows = []
    for place, contender in enumerate(LEARNERS):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # convergence on noisy data, weak learners without an edge
            model, seconds = _tuned(contender, X_train, labels, inner, seed)
            rows.append({"learner": place, "seconds": seconds, **_scores(model, X_test, truth)})
    return rows


def _tuned(
    contender: Contender, X: NDArray[Any], y: NDArray[Any], inner: StratifiedKFold, seed: int
) -> tuple[Any, float]:
    """The learner at its best setting, fitted to all training rows, and the seconds of that fit."""
    from time import process_time

    candidates = [_seeded(contender.build(setting), seed) for setting in contender.settings]
    found = [cross_val_score(model, X, y, cv=inner, scoring="accuracy").mean() for model in candidates]
    best = clone(candidates[int(np.argmax(found))])
    start = process_time()
    best.fit(X, y)
    return best, process_time() - start


def _seeded(model: Any, seed: int) -> Any:
    names = [name for name in model.get_params() if name == "random_state" or name.endswith("__random_state")]
    return model.set_params(**dict.fromkeys(names, seed))


def _scores(model: Any, X: NDArray[Any], y: NDArray[Any]) -> dict[str, float]:
    wrong = (model.predict(X) != y).astype(float)
    # a randomised classifier errs with a probability, which is what its tail is about
    loss = np.asarray(model.expected_loss(X, y)) if hasattr(model, "expected_loss") else wrong
    probability = model.predict_proba(X)[:, 1] if hasattr(model, "predict_proba") else None
    return {
        "accuracy": 1 - float(wrong.mean()),
        "log_loss": math.nan if probability is None else float(log_loss(y, np.clip(probability, 1e-6, 1 - 1e-6))),
        "cvar": cvar(loss, 0.1),
    }


# ----------------------------------------------------------------------------------------------------------- ranking
def mean_ranks(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean rank of each column over the rows; 1 is the largest score, ties share.

    Examples
    --------
    >>> mean_ranks(np.array([[0.9, 0.8, 0.8], [0.7, 0.9, 0.6]]))
    array([1.5 , 1.75, 2.75])
    """
    ranks: NDArray[np.float64] = np.mean([rankdata(-row) for row in scores], axis=0)
    return ranks


def critical_difference(n_learners: int, n_rows: int, level: float = 0.05) -> float:
    r"""Difference of mean ranks below which Nemenyi's test does not tell two learners apart.

    .. math:: q_{level}\sqrt{\frac{k(k+1)}{6N}}

    with :math:`k` learners, :math:`N` comparisons, and :math:`q` the studentised range over :math:`\sqrt2`.

    Examples
    --------
    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    quantile = float(studentized_range.ppf(1 - level, n_learners, math.inf)) / math.sqrt(2)
    return quantile * math.sqrt(n_learners * (n_learners + 1) / (6 * n_rows))
