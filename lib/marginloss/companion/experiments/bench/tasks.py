"""What is on the bench: seven published data sets, and six ways to spoil their training rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from marginloss import datasets
from marginloss.noise import flip_by_margin, flip_labels

__all__ = ["CORRUPTIONS", "TASKS", "rows_of"]

Table = tuple[NDArray[Any], NDArray[Any]]


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
def rows_of(task: str) -> Table:
    """All rows of a data set of :data:`TASKS`; the last two are kept."""
    X, y = TASKS[task]()
    return np.asarray(X, dtype=float), np.asarray(y)


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
