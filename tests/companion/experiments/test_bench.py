import math
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import marginloss
from marginloss.companion.experiments.bench import (
    CORRUPTIONS,
    LEARNERS,
    TASKS,
    Comparison,
    compare_sides,
    contest,
    contests,
    critical_difference,
    groups,
    mean_ranks,
    schedule,
)
from marginloss.companion.experiments.bench.tasks import rows_of

SMALL = {"n_rows": 80, "n_rounds": 30}


@pytest.fixture(scope="module")
def rows():
    return contest("breast_cancer", "flips 20 %", **SMALL, folds=2, rng=np.random.default_rng(0))


def test_every_learner_gets_a_row_of_sane_scores(rows):
    assert [row["learner"] for row in rows] == list(range(len(LEARNERS)))
    for row in rows:
        assert 0.5 < row["accuracy"] <= 1
        assert 0 <= row["cvar"] <= 1
        assert row["cvar"] >= (1 - row["accuracy"]) - 1e-12 or row["log_loss"] == row["log_loss"]
        assert np.isnan(row["log_loss"]) or 0 < row["log_loss"] < 14


def test_runs_repeat_exactly_but_for_the_clock(rows):
    again = contest("breast_cancer", "flips 20 %", **SMALL, folds=2, rng=np.random.default_rng(0))
    for row, other in zip(rows, again, strict=True):
        row, other = row | {"seconds": 0}, other | {"seconds": 0}
        assert str(row) == str(other)  # NaN included


def test_every_classifier_of_the_library_is_on_the_bench():
    public = {
        getattr(module, name)
        for module in (marginloss.boosting, marginloss.linear)
        for name in module.__all__
        if hasattr(getattr(module, name), "fit") and hasattr(getattr(module, name), "predict")
    }
    playing = {learner.make for learner in LEARNERS if learner.ours}
    assert {thing.__name__ for thing in public - playing} <= {"PNormLearner"}  # which learns for a booster
    assert sum(not learner.ours for learner in LEARNERS) == 5


@pytest.mark.parametrize("name", CORRUPTIONS)
def test_corruptions_leave_the_clean_rows_alone(name):
    X, y = rows_of("breast_cancer")
    before = X.copy(), y.copy()
    X_bad, y_bad = CORRUPTIONS[name](X, y, np.random.default_rng(0))
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(y, before[1])
    changed = np.mean((X_bad != X).any(axis=1) | (y_bad != y))
    expected = {
        "clean": 0,
        "flips 20 %": 0.2,
        "large-margin flips 10 %": 0.1,
        "feature noise": 0.3,
        "malicious 5 %": 0.05,
    }
    share = expected.get(name, 0.3 * np.mean(y > 0) + 0.05 * np.mean(y < 0))
    assert changed == pytest.approx(share, abs=0.05)


@pytest.mark.parametrize("folds", [1, 2])
def test_tuning_sees_the_corrupted_labels_only(monkeypatch, folds):
    seen = {}
    for corruption in ("flips 20 %", "clean"):
        monkeypatch.setattr(
            contests, "_tuned", lambda c, X, y, *rest, key=corruption: (seen.update({key: y}), (_Constant(), 0.0))[1]
        )
        contest("breast_cancer", corruption, **SMALL, folds=folds, rng=np.random.default_rng(0))
    assert 0.05 < np.mean(seen["flips 20 %"] != seen["clean"]) < 0.4


class _Constant:
    def predict(self, X):
        return np.zeros(len(X), dtype=int)


def test_the_short_schedule_is_balanced_and_the_long_one_complete():
    assert all(met == list(CORRUPTIONS) for met in schedule(everything=True).values())
    short = schedule(everything=False)
    assert list(short) == list(TASKS)
    meets = {name: {task for task, met in short.items() if name in met} for name in CORRUPTIONS}
    assert {len(tasks) for tasks in meets.values()} == {3}
    assert {len(meets[a] & meets[b]) for a, b in combinations(meets, 2)} == {1}


def test_ranks_share_ties_and_the_difference_is_the_published_one():
    np.testing.assert_allclose(mean_ranks(np.array([[0.5, 0.5, 0.1]])), [1.5, 1.5, 3.0])
    # Demsar's table of the studentised range over the root of two: 2.569 for four classifiers
    assert critical_difference(4, 14) == pytest.approx(2.569 * np.sqrt(4 * 5 / (6 * 14)), abs=2e-3)


def test_bars_join_exactly_what_cannot_be_told_apart():
    ranks = np.random.default_rng(0).uniform(1, 16, 16)
    ordered, bars = np.sort(ranks), groups(ranks, 4.0)
    for i, j in combinations(range(16), 2):
        joined = any(first <= i and j <= last for first, last in bars)
        assert joined == (ordered[j] - ordered[i] <= 4.0)
    assert all(not (a[0] <= b[0] and b[1] <= a[1]) for a, b in combinations(bars, 2))


OURS = next(place for place, learner in enumerate(LEARNERS) if learner.ours)
OTHER = next(place for place, learner in enumerate(LEARNERS) if learner.ours and place != OURS)
PEER = next(place for place, learner in enumerate(LEARNERS) if not learner.ours)


def made_up(scores: dict[int, list[float]], seconds: dict[int, float]) -> pd.DataFrame:
    return pd.DataFrame(
        {"task": f"t{i}", "learner": place, "accuracy": value, "seconds": seconds[place]}
        for place, column in scores.items()
        for i, value in enumerate(column)
    )


def test_the_advice_follows_the_numbers():
    seconds = {OURS: 0.1, PEER: 0.2}
    win = compare_sides(made_up({OURS: [0.9, 0.8, 0.7], PEER: [0.85, 0.75, 0.65]}, seconds))
    assert (win.verdict, win.time_ratio) == ("ahead", pytest.approx(0.5))
    assert win.lead == pytest.approx(0.05) and f"Take **{LEARNERS[OURS].name}**" in win.advice
    loss = compare_sides(made_up({OURS: [0.85, 0.75, 0.65], PEER: [0.9, 0.8, 0.7]}, seconds))
    assert loss.verdict == "behind" and f"Take **{LEARNERS[PEER].name}**" in loss.advice
    draw = compare_sides(made_up({OURS: [0.9, 0.7, 0.8], PEER: [0.8, 0.8, 0.8]}, seconds))
    assert draw.verdict == "level" and draw.advice.startswith("Take what you have")
    costs = compare_sides(made_up({OURS: [0.9, 0.8, 0.7], PEER: [0.85, 0.75, 0.65]}, seconds), larger_is_better=False)
    assert costs.lead == pytest.approx(-0.05) and costs.verdict == "behind"


def test_a_pick_is_tested_on_data_that_did_not_make_it():
    # each of ours shines on one data set only: who picks by the others gets the one that fails here
    scores = {OURS: [0.9, 0.5], OTHER: [0.5, 0.9], PEER: [0.6, 0.6]}
    found = compare_sides(made_up(scores, dict.fromkeys(scores, 1.0)))
    assert found.lead == pytest.approx(-0.1)


def test_learners_without_the_score_are_left_out_and_one_data_set_is_refused():
    scores = {OURS: [math.nan, math.nan, math.nan], OTHER: [0.7, 0.6, 0.5], PEER: [0.6, 0.6, 0.6]}
    assert compare_sides(made_up(scores, dict.fromkeys(scores, 1.0))).ours == LEARNERS[OTHER].name
    with pytest.raises(ValueError, match="at least two data sets, got 1"):
        compare_sides(made_up({OURS: [0.9], PEER: [0.8]}, {OURS: 1.0, PEER: 1.0}))


def test_an_unclear_lead_is_level():
    assert Comparison("a", "b", math.nan, math.nan, 1.0, 1).verdict == "level"
    assert Comparison("a", "b", 0.02, 0.01, 1.0, 4).verdict == "level"
