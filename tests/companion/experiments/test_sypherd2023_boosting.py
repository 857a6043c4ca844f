"""Boosting experiments of sypherd2023: what a task returns, and the findings on one small draw."""

import math

import numpy as np
import pandas as pd
import pytest

from marginloss.companion.experiments.sypherd2023.boosting import (
    BOOSTERS,
    breast_cancer_against_depth,
    breast_cancer_against_rounds,
    long_servedio_against_depth,
    long_servedio_against_rounds,
    with_band,
)


@pytest.fixture(scope="module")
def rounds():
    """One noisy draw, three exponents, at the numbers of rounds of the exhibit's condition and before."""
    rng = np.random.default_rng(0)
    rows = long_servedio_against_rounds(0.1, rng, checkpoints=(1, 100, 500), alphas=(0.5, 1.0, 2.0))
    return pd.DataFrame(rows).set_index(["alpha", "rounds"])


def test_one_stump_scores_what_one_feature_can(rounds):
    # a feature of the first eleven is right with probability 1/4 + 1/4 + 5/22
    first = rounds.xs(1, level="rounds")["accuracy"]
    assert first.nunique() == 1
    assert abs(first.iloc[0] - (0.5 + 5 / 22)) < 4 * math.sqrt(0.2 / 2000)


def test_giving_up_wins_the_penalizers(rounds):
    late = rounds.xs(500, level="rounds")
    assert late.loc[2.0, "accuracy"] - late.loc[[0.5, 1.0], "accuracy"].max() > 0.2
    assert late.loc[2.0, "penalizer"] > 0.9 > 0.55 > late.loc[[0.5, 1.0], "penalizer"].max()
    assert (late[["large_margin", "puller"]] == 1).all(axis=None)


def test_accuracy_is_the_mean_over_the_kinds(rounds):
    # a quarter, a quarter and a half of the examples, up to the draw of the test set
    mixed = rounds["large_margin"] / 4 + rounds["puller"] / 4 + rounds["penalizer"] / 2
    assert (mixed - rounds["accuracy"]).abs().max() < 0.05


def test_the_longer_step_needs_fewer_rounds():
    rows = long_servedio_against_rounds(
        0.1, np.random.default_rng(0), checkpoints=(100,), step="alpha", alphas=(2.0, 20.0)
    )
    fast, collapsed = (row["accuracy"] for row in rows)
    assert fast > 0.95 > 0.8 > collapsed


def test_shallow_trees_need_giving_up_and_deep_ones_do_not():
    pytest.importorskip("xgboost")
    rows = long_servedio_against_depth(0.1, np.random.default_rng(0), depths=(1, 3), n_estimators=60)
    table = pd.DataFrame(rows).set_index("depth")
    assert tuple(table.columns) == BOOSTERS
    ours = list(BOOSTERS[:4])
    assert table.loc[1, "α = 2"] > max(table.loc[1, "α = 0.5"], table.loc[1, "XGBoost"])
    assert np.ptp(table.loc[3, ours]) < 0.05 and table.loc[3, ours].min() > table.loc[1, ours].max()


def test_breast_cancer_tasks():
    pytest.importorskip("xgboost")
    rows = breast_cancer_against_rounds(0.3, np.random.default_rng(1), checkpoints=(10, 100), alphas=(0.5, 3.0))
    assert [(row["alpha"], row["rounds"]) for row in rows] == [(0.5, 10), (0.5, 100), (3.0, 10), (3.0, 100)]
    assert rows[3]["accuracy"] > rows[1]["accuracy"] + 0.03
    (row,) = breast_cancer_against_depth(0.0, np.random.default_rng(1), depths=(2,), n_estimators=20)
    named = {name for name in BOOSTERS if name not in ("PILBoost 2", "PILBoost 4")}
    assert set(row) == {"depth", *named}
    for name in named:  # on the same 171 test examples
        assert row[name] > 0.9 and row[name] * 171 == pytest.approx(round(row[name] * 171))


def test_same_seed_same_task():
    calls = [breast_cancer_against_rounds(0.2, np.random.default_rng(7), (5,), (1.0,)) for _ in range(2)]
    assert calls[0] == calls[1]


def test_band_is_the_interval_of_student():
    table = with_band(pd.DataFrame({"run": range(4), "accuracy": [0.7, 0.8, 0.9, 0.8], "alpha": 1.0}), ["alpha"])
    # t quantile with 3 degrees of freedom, 3.18245, times the standard error
    assert table["band"].item() == pytest.approx(3.182446 * np.std([0.7, 0.8, 0.9, 0.8], ddof=1) / 2, rel=1e-6)
    assert table["mean"].item() == pytest.approx(0.8) and table["count"].item() == 4
