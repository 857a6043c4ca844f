"""P4: histogram splits on a large table, encoding done before on both sides."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks import Comparison, Scaling
from marginloss.boosting import AdaBoostAlphaClassifier, encode

GOAL = "P4"
TITLE = "AdaBoost.α, 100 000 × 50, T = 20, histogram splits, prebuilt matrices, depth 1 and 3"

TRIED = (
    "siblings share a histogram by subtraction, class weights are added up in registers without branches, row numbers "
    "are unsigned."
)


def table(m: int, d: int = 50) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(m, d))
    y = X[:, :5].sum(axis=1) + X[:, 5] * X[:, 6] + rng.normal(size=m) > 0
    return X, y.astype(int)


def comparisons() -> Iterator[Comparison]:
    import xgboost

    X, y = table(100_000)
    for depth, goal in ((1, 1.5), (3, 1.2)):
        settings = {"objective": "binary:logistic", "tree_method": "hist", "max_bin": 127, "nthread": 1}
        theirs = xgboost.QuantileDMatrix(X, y, max_bin=127, nthread=1)
        ours = encode(X, max_bins=127)
        model = AdaBoostAlphaClassifier(2.0, n_estimators=20, max_depth=depth)
        yield Comparison(
            f"fit, α = 2, depth {depth}, 127 bins",
            "XGBoost hist",
            lambda d=depth, s=settings, m=theirs: xgboost.train({**s, "max_depth": d}, m, 20),
            lambda model=model, ours=ours: model.fit(ours, y),
            goal,
            repeats=3,
        )


def scalings() -> Iterator[Scaling]:
    yield Scaling("AdaBoost.α, depth 3, 50 features, T = 5, encoding included", "m", (10_000, 30_000, 100_000, 300_000),
                  fit_m, bytes_m)  # fmt: skip


def fit_m(m: int) -> Callable[[], Any]:
    X, y = table(m)
    return lambda: AdaBoostAlphaClassifier(2.0, n_estimators=5, max_depth=3).fit(X, y)


def bytes_m(m: int) -> int:
    return 8 * 50 * m
