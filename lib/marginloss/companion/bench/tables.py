"""What is on the bench: published tables with two classes, how they are split, and how every learner sees them."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from marginloss import datasets

__all__ = ["TABLES", "TEST_ROWS", "Split", "encoder", "is_here", "split"]

#: Largest number of clean test rows.
TEST_ROWS = 4000

#: Tables of KEEL; crx, which is australian once more, is left out.
KEEL = (
    "australian",
    "bupa",
    "chess",
    "german",
    "magic",
    "mammographic",
    "phoneme",
    "ring",
    "spambase",
    "titanic",
    "twonorm",
)


def _covertype() -> Any:
    """The two large classes of Covertype."""
    bunch = datasets.load_covertype()
    pair = bunch.target <= 1
    bunch.data, bunch.target = bunch.data[pair], np.where(bunch.target[pair] == 1, 1, -1)
    return bunch


TABLES: dict[str, Callable[[], Any]] = {
    **{name: partial(datasets.load_keel, name) for name in KEEL},
    "adult": datasets.load_adult,
    "compas": datasets.load_compas,
    "covertype": _covertype,
    "mushroom": datasets.load_mushroom,
    "online_shoppers": datasets.load_online_shoppers,
}


class Split(NamedTuple):
    """Training and test rows of a table, labels −1/+1; ``words`` are the columns whose numbers stand for words."""

    X: NDArray[Any]
    y: NDArray[Any]
    X_test: NDArray[Any]
    y_test: NDArray[Any]
    words: list[int]


def is_here(table: str) -> bool:
    """Whether a table of :data:`TABLES` is on this machine."""
    return bool(datasets.available("keel" if table in KEEL else table))


@lru_cache(maxsize=2)
def _rows(table: str) -> tuple[NDArray[Any], NDArray[Any], list[int]]:
    bunch = TABLES[table]()
    coded = bunch.get("codes", {})
    words = [j for j, name in enumerate(bunch.feature_names) if name in coded]
    return np.asarray(bunch.data, dtype=float), np.asarray(bunch.target), words


def split(table: str, rows: int, seed: int) -> Split:
    """At most ``rows`` training rows, six in ten of a small table, and at most 4,000 of the others as a test."""
    X, y, words = _rows(table)
    size = min(rows, round(0.6 * len(y)))
    others = min(TEST_ROWS, len(y) - size)
    X, X_test, y, y_test = train_test_split(X, y, train_size=size, test_size=others, random_state=seed, stratify=y)
    return Split(X, y, X_test, y_test, words)


def encoder(X: NDArray[Any], words: list[int]) -> Any:
    """Fitted to training rows: words as indicators, missing numbers as the median, all columns standardised.

    Words in fewer than one row of a hundred share a column.
    """
    numbers = [j for j in range(X.shape[1]) if j not in words]
    rare = OneHotEncoder(min_frequency=0.01, handle_unknown="infrequent_if_exist", sparse_output=False)
    columns = ColumnTransformer([("words", rare, words), ("numbers", SimpleImputer(strategy="median"), numbers)])
    return make_pipeline(columns, StandardScaler()).fit(X)
