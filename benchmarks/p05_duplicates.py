"""P5: a categorical survey, whose identical rows are merged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from benchmarks import Comparison, Scaling
from marginloss.boosting import AdaBoostAlphaClassifier
from marginloss.datasets import make_symptom_survey

GOAL = "P5"
TITLE = "AdaBoost.α, categorical survey 864 000 × 8, T = 100, duplicate rows merged, merging included"


def comparisons() -> Iterator[Comparison]:
    from xgboost import XGBClassifier

    X, y = make_symptom_survey(864_000, 0)
    y = (y > 0).astype(int)
    peer = XGBClassifier(n_estimators=100, max_depth=1, tree_method="hist", n_jobs=1)
    yield Comparison(
        "fit, α = 2, depth 1",
        "XGBoost hist",
        lambda: peer.fit(X, y),
        lambda: AdaBoostAlphaClassifier(2.0, n_estimators=100).fit(X, y),
        20,
        repeats=3,
    )


def scalings() -> Iterator[Scaling]:
    yield Scaling("AdaBoost.α on the survey, T = 100", "m", (10_000, 100_000, 864_000), fit_m, bytes_m)


def fit_m(m: int) -> Callable[[], Any]:
    X, y = make_symptom_survey(m, 0)
    return lambda: AdaBoostAlphaClassifier(2.0, n_estimators=100).fit(X, y)


def bytes_m(m: int) -> int:
    return 8 * 8 * m
