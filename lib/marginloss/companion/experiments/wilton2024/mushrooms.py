"""Mushrooms with flipped training labels, on the split of wilton2024, beside the numbers that are printed there."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from importlib import import_module
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from marginloss.boosting import AdaBoostAlphaClassifier, PILBoostClassifier, SmoothBoostClassifier
from marginloss.datasets import load_mushroom
from marginloss.datasets.folders import data_folder
from marginloss.interop import RobustXGBClassifier
from marginloss.linear import MarginClassifier, TwoTemperatureClassifier
from marginloss.losses import AlphaLoss
from marginloss.noise import flip_labels

#: Rates of uniform noise, as in the published tables.
RATES = (0.1, 0.2, 0.3, 0.4)

N_DRAWS = 5  # of the noise behind each published number


def _xgboost(**parameters: Any) -> Any:
    return import_module("xgboost").XGBClassifier(n_jobs=1, **parameters)


SHALLOW: dict[str, Any] = {"max_depth": 2, "learning_rate": 0.1}

OURS: Mapping[str, Callable[[], Any]] = {
    "AdaBoost.α": AdaBoostAlphaClassifier,
    "PILBoost": PILBoostClassifier,
    "SmoothBoost": SmoothBoostClassifier,
    "XGBoost, shallow, with α = 2": lambda: RobustXGBClassifier(AlphaLoss(2), n_jobs=1, **SHALLOW),
    "linear, α = 2": partial(MarginClassifier, AlphaLoss(2), l2=1e-3),
    "two temperatures": TwoTemperatureClassifier,
}
"""Learners of this library as a user gets them."""

PEERS: Mapping[str, Callable[[], Any]] = {
    "logistic": partial(LogisticRegression, max_iter=1000),
    "random forest, leaf 10": partial(RandomForestClassifier, min_samples_leaf=10),
    "XGBoost, shallow": partial(_xgboost, **SHALLOW),
    "XGBoost": _xgboost,
    "histogram boosting": HistGradientBoostingClassifier,
    "random forest": RandomForestClassifier,
    "one tree": DecisionTreeClassifier,
}
"""What a user would take instead."""

_ALL: dict[str, Callable[[], Any]] = {
    **OURS,
    **PEERS,
    "random forest, no bootstrap": partial(RandomForestClassifier, bootstrap=False),
}

CONTROLS: Mapping[str, tuple[str, str, str]] = {
    "one tree": ("one tree", "columns", "tree"),
    "one tree, words as numbers": ("one tree", "numbers", "tree"),
    "random forest": ("random forest", "columns", "forest"),
    "random forest, words as numbers": ("random forest", "numbers", "forest"),
    "random forest, no bootstrap": ("random forest, no bootstrap", "columns", "forest"),
}
"""scikit-learn's trees in several ways: the learner, how it sees words, the published model that it should equal."""


@lru_cache
def published() -> pd.DataFrame:
    """Accuracies that the paper prints for Mushrooms under uniform noise, and their standard errors.

    Returns
    -------
    DataFrame
        ``model`` (tree or forest of 100), ``criterion``, ``noise``, ``accuracy``, ``error``.

    Examples
    --------
    >>> table = published().set_index(["model", "criterion", "noise"])
    >>> table.loc[("forest", "Gini", 0.4)].round(3).to_dict()
    {'accuracy': 0.629, 'error': 0.002}
    """
    table = pd.read_csv(data_folder() / "published" / "wilton2024_mushrooms.csv", comment="#")
    # "±" is two standard deviations over the draws
    error = table.two_sd / 200 / math.sqrt(N_DRAWS)
    return table.assign(accuracy=table.accuracy / 100, error=error).drop(columns="two_sd")


@lru_cache
def _rows(words: str) -> list[NDArray[Any]]:
    """Their split: ``X_train, X_test, y_train, y_test``."""
    X, y = load_mushroom(return_X_y=True)
    X = np.nan_to_num(X, nan=-1)  # a missing stalk root is a word of its own
    if words == "columns":
        X = OneHotEncoder(sparse_output=False).fit_transform(X)
    parts: list[NDArray[Any]] = train_test_split(X, (y > 0).astype(int), train_size=0.8, random_state=0)
    return parts


def learner_run(learner: str, rate: float, words: str, rng: np.random.Generator) -> dict[str, float]:
    """One learner on one draw of the noise.

    Parameters
    ----------
    learner : str
        Of :data:`OURS` or :data:`PEERS`, or ``"random forest, no bootstrap"``.
    rate : float
        Share of the training labels that is flipped.
    words : {"columns", "numbers"}
        An indicator column for each word, or the place of the word in the alphabet.
    rng : numpy.random.Generator

    Returns
    -------
    dict
        ``accuracy`` on the clean test rows, and ``seconds`` of the fit.
    """
    X_train, X_test, y_train, y_test = _rows(words)
    noisy = flip_labels(y_train, rate, rng)
    model = _ALL[learner]()
    if "random_state" in model.get_params():
        model.set_params(random_state=int(rng.integers(2**31)))
    start = process_time()
    model.fit(X_train, noisy)
    seconds = process_time() - start
    return {"accuracy": float(model.score(X_test, y_test)), "seconds": seconds}


def beside(runs: pd.DataFrame, model: str, criterion: str) -> pd.DataFrame:
    """Mean over our draws beside a published one, by rate.

    Parameters
    ----------
    runs : DataFrame
        Of :func:`learner_run` for one learner, with the columns ``rate`` and ``accuracy``.
    model, criterion : str
        Row of the published tables.

    Returns
    -------
    DataFrame
        By ``rate``: ``ours``, ``published``, their ``difference`` with its standard ``error``, and whether they
        ``agree``: by no more than two of them.
    """
    table = published()
    theirs = table[(table.model == model) & (table.criterion == criterion)].set_index("noise")
    ours = runs.groupby("rate").accuracy.agg(["mean", "sem"])
    found = pd.DataFrame({"ours": ours["mean"], "published": theirs.accuracy.reindex(ours.index)})
    found["difference"] = found.ours - found.published
    found["error"] = np.hypot(ours["sem"], theirs.error.reindex(ours.index))
    found["agree"] = found.difference.abs() <= 2 * found.error
    return found
