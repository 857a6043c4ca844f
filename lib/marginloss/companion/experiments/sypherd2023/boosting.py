"""Boosting experiments of sypherd2023, Section 5.1 and Appendix B.1: one data set, one noise level, one seed at a time.

Each function is one task of a sweep: it draws the data once and runs all exponents, step rules, depths and baselines on
it, so that they are compared on the same draw and share its encoding. Labels of the training part are flipped, those of
the test part are clean. The paper does not state sizes and baseline settings; ours are arguments with defaults.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import t as student_t
from sklearn.model_selection import train_test_split

from marginloss.boosting import AdaBoostAlphaClassifier, PILBoostClassifier, encode
from marginloss.datasets import load_breast_cancer, make_long_servedio
from marginloss.noise import flip_labels

ALPHAS = (0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 20.0)
FEW_ALPHAS = (0.5, 1.0, 2.0, 8.0)
KINDS = ("large_margin", "puller", "penalizer")
PILBOOST_STEPS = {1.1: 7.0, 2.0: 8.0, 4.0: 15.0}  # α and a_f of the public code of sypherd2022
BOOSTERS = (*(f"α = {a:g}" for a in FEW_ALPHAS), *(f"PILBoost {a:g}" for a in PILBOOST_STEPS), "XGBoost")

Row = dict[str, Any]


def long_servedio_against_rounds(
    noise: float,
    rng: np.random.Generator,
    checkpoints: Sequence[int] = (1, 2, 5, 10, 20, 50, 100, 200, 300, 500, 700, 1000),
    step: str = "adaboost",
    alphas: Sequence[float] = ALPHAS,
    m: int = 1000,
    m_test: int = 2000,
) -> list[Row]:
    """Stumps on the 21 features of Long and Servedio: clean accuracy after some rounds, also for each kind of example.

    Figures 1, 5, 16 and 20 to 22. Rows: ``alpha``, ``rounds``, ``accuracy``, ``large_margin``, ``puller``,
    ``penalizer``.
    """
    X, y = make_long_servedio(m, rng)
    X_test, y_test, kind = make_long_servedio(m_test, rng, return_kind=True)
    data, noisy = encode(X), flip_labels(y, noise, rng, kind="count")
    rows = []
    for alpha in alphas:
        model = AdaBoostAlphaClassifier(alpha, n_estimators=max(checkpoints), step=step).fit(data, noisy)
        for t, score in zip(checkpoints, model.decision_at(X_test, checkpoints), strict=True):
            right = np.where(score > 0, 1, -1) == y_test
            by_kind = {name: float(right[kind == k].mean()) for k, name in enumerate(KINDS)}
            rows.append({"alpha": alpha, "rounds": t, "accuracy": float(right.mean()), **by_kind})
    return rows


def long_servedio_against_depth(
    noise: float,
    rng: np.random.Generator,
    depths: Sequence[int] = (1, 2, 3, 4),
    n_estimators: int = 100,
    exponents: Sequence[float] = tuple(PILBOOST_STEPS),
    m: int = 1000,
    m_test: int = 2000,
) -> list[Row]:
    """All boosters with 100 trees on the 21 features of Long and Servedio, by depth: Figures 4 and 17 to 19.

    ``exponents`` are those of PILBoost, each with the step of its authors.
    """
    X, y = make_long_servedio(m, rng)
    X_test, y_test = make_long_servedio(m_test, rng)
    noisy = flip_labels(y, noise, rng, kind="count")
    return list(_all_boosters(X, noisy, X_test, y_test, depths, n_estimators, exponents))


def breast_cancer_against_rounds(
    noise: float,
    rng: np.random.Generator,
    checkpoints: Sequence[int] = (1, 2, 5, 10, 20, 50, 100),
    alphas: Sequence[float] = ALPHAS,
) -> list[Row]:
    """Stumps on breast cancer, clean accuracy on the held-out 30 % after some rounds: Figures 6 and 26 to 28."""
    X, y, X_test, y_test = _split_breast_cancer(rng)
    data, noisy = encode(X), flip_labels(y, noise, rng, kind="count")
    rows = []
    for alpha in alphas:
        model = AdaBoostAlphaClassifier(alpha, n_estimators=max(checkpoints)).fit(data, noisy)
        for t, score in zip(checkpoints, model.decision_at(X_test, checkpoints), strict=True):
            rows.append({"alpha": alpha, "rounds": t, "accuracy": _accuracy(score, y_test)})
    return rows


def breast_cancer_against_depth(
    noise: float,
    rng: np.random.Generator,
    depths: Sequence[int] = (1, 2, 3, 5),
    n_estimators: int = 100,
    exponents: Sequence[float] = (1.1,),
) -> list[Row]:
    """All boosters with 100 trees on breast cancer, by depth: Figures 23 to 25; ``exponents`` are those of PILBoost."""
    X, y, X_test, y_test = _split_breast_cancer(rng)
    noisy = flip_labels(y, noise, rng, kind="count")
    return list(_all_boosters(X, noisy, X_test, y_test, depths, n_estimators, exponents))


def with_band(table: pd.DataFrame, by: Sequence[str], value: str = "accuracy") -> pd.DataFrame:
    """Mean of ``value`` over the runs, its standard deviation, and half the width of a 95 % confidence interval.

    Examples
    --------
    >>> runs = pd.DataFrame({"alpha": [1.0, 1.0, 2.0, 2.0], "accuracy": [0.7, 0.8, 0.9, 0.9]})
    >>> with_band(runs, ["alpha"])["mean"].tolist()
    [0.75, 0.9]
    """
    groups = table.groupby(list(by), dropna=False)[value]
    out = groups.agg(["mean", "std", "count"])
    out["band"] = student_t.ppf(0.975, out["count"] - 1) * out["std"] / np.sqrt(out["count"])
    return out.reset_index()


def lead(table: pd.DataFrame, alpha: float, over: Sequence[float], rounds: int) -> NDArray[np.float64]:
    """Accuracy of one exponent, run by run, less that of whichever of the others is best in the mean.

    Examples
    --------
    >>> rows = [(1.0, 0, 0.5), (1.0, 1, 0.5), (2.0, 0, 0.75), (2.0, 1, 1.0)]
    >>> runs = pd.DataFrame(rows, columns=["alpha", "run", "accuracy"]).assign(rounds=100)
    >>> lead(runs, 2.0, [1.0], 100).tolist()
    [0.25, 0.5]
    """
    wide = table[table.rounds == rounds].pivot(index="run", columns="alpha", values="accuracy")
    best = wide[list(over)].mean().idxmax()
    return np.asarray(wide[alpha] - wide[best])


def rise(table: pd.DataFrame, over: Sequence[float], first: int, last: int) -> NDArray[np.float64]:
    """Accuracy gained between two numbers of rounds, run by run, by whichever exponent is best at the last.

    Examples
    --------
    >>> rows = [(0, 1, 0.5), (0, 9, 0.75), (1, 1, 0.5), (1, 9, 0.5)]
    >>> runs = pd.DataFrame(rows, columns=["run", "rounds", "accuracy"]).assign(alpha=1.0)
    >>> rise(runs, [1.0], 1, 9).tolist()
    [0.25, 0.0]
    """
    at = {t: table[table.rounds == t].pivot(index="run", columns="alpha", values="accuracy") for t in (first, last)}
    best = at[last][list(over)].mean().idxmax()
    return np.asarray(at[last][best] - at[first][best])


def to_best_and_on(table: pd.DataFrame, alpha: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Accuracy gained from the first number of rounds to the best, and lost from there to the last, run by run.

    Which number is best is taken from the other half of the runs: the best of noisy means would seem a gain by itself.

    Examples
    --------
    >>> rows = [(0, 1, 0.5), (0, 5, 0.75), (0, 9, 0.5), (1, 1, 0.5), (1, 5, 0.75), (1, 9, 0.625)]
    >>> runs = pd.DataFrame(rows, columns=["run", "rounds", "accuracy"]).assign(alpha=0.5)
    >>> gained, lost = to_best_and_on(runs, 0.5)
    >>> gained.tolist(), lost.tolist()
    ([0.25, 0.25], [0.25, 0.125])
    """
    wide = table[table.alpha == alpha].pivot(index="run", columns="rounds", values="accuracy")
    halves = wide.iloc[::2], wide.iloc[1::2]
    best = np.concatenate([here[other.mean().idxmax()] for here, other in (halves, halves[::-1])])
    first, last = (np.concatenate([half.iloc[:, end] for half in halves]) for end in (0, -1))
    return best - first, best - last


def _all_boosters(
    X: NDArray[np.float64],
    y: NDArray[Any],
    X_test: NDArray[np.float64],
    y_test: NDArray[Any],
    depths: Sequence[int],
    n_estimators: int,
    exponents: Sequence[float],
) -> Iterator[Row]:
    """One row a depth: ``depth``, and the accuracy of each booster under its name in ``BOOSTERS``."""
    import xgboost

    data, matrix = encode(X), xgboost.QuantileDMatrix(X, y > 0)  # each bins the data once for all depths
    for depth in depths:
        row: Row = {"depth": depth}
        for alpha in FEW_ALPHAS:
            ours = AdaBoostAlphaClassifier(alpha, n_estimators=n_estimators, max_depth=depth).fit(data, y)
            row[f"α = {alpha:g}"] = _accuracy(ours.decision_function(X_test), y_test)
        for alpha in exponents:
            pil = PILBoostClassifier(alpha, PILBOOST_STEPS[alpha], n_estimators=n_estimators, max_depth=depth)
            row[f"PILBoost {alpha:g}"] = _accuracy(pil.fit(data, y).decision_function(X_test), y_test)
        settings = {"objective": "binary:logistic", "max_depth": depth, "nthread": 1}  # all else as it comes
        peer = xgboost.train(settings, matrix, n_estimators)
        row["XGBoost"] = _accuracy(peer.inplace_predict(X_test, predict_type="margin"), y_test)
        yield row


def _accuracy(score: NDArray[Any], y: NDArray[Any]) -> float:
    """Share of scores with the sign of the label ±1; a score of 0 counts as -1."""
    return float((np.where(score > 0, 1, -1) == y).mean())


def _split_breast_cancer(rng: np.random.Generator) -> tuple[NDArray[Any], ...]:
    """A stratified split of 70 % and 30 %."""
    X, y = _breast_cancer()
    seed = int(rng.integers(2**31))
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=seed)
    return X, y, X_test, y_test


@cache
def _breast_cancer() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Read once in each process, not in each task."""
    X, y = load_breast_cancer(return_X_y=True)
    return X, y
