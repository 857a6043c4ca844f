import numpy as np
import pytest

from marginalia.experiments import bench
from marginalia.experiments.bench import CORRUPTIONS, LEARNERS, contest, critical_difference, mean_ranks


@pytest.fixture(scope="module")
def rows():
    return contest("breast_cancer", "flips 20 %", n_rows=80, folds=2, rng=np.random.default_rng(0))


def test_every_learner_gets_a_row_of_sane_scores(rows):
    assert [row["learner"] for row in rows] == list(range(len(LEARNERS)))
    for row in rows:
        assert 0.5 < row["accuracy"] <= 1
        assert 0 <= row["cvar"] <= 1
        assert row["cvar"] >= (1 - row["accuracy"]) - 1e-12 or row["log_loss"] == row["log_loss"]
        assert np.isnan(row["log_loss"]) or 0 < row["log_loss"] < 14


def test_runs_repeat_exactly_but_for_the_clock(rows):
    again = contest("breast_cancer", "flips 20 %", n_rows=80, folds=2, rng=np.random.default_rng(0))
    for row, other in zip(rows, again, strict=True):
        row, other = row | {"seconds": 0}, other | {"seconds": 0}
        assert str(row) == str(other)  # NaN included


@pytest.mark.parametrize("name", CORRUPTIONS)
def test_corruptions_leave_the_clean_rows_alone(name):
    X, y = bench._table("breast_cancer")
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


def test_tuning_sees_the_corrupted_labels_only(monkeypatch):
    seen = []
    monkeypatch.setattr(bench, "_tuned", lambda c, X, y, inner, seed: (seen.append(y), (_Constant(), 0.0))[1])
    contest("breast_cancer", "flips 20 %", n_rows=100, folds=2, rng=np.random.default_rng(0))
    clean = []
    monkeypatch.setattr(bench, "_tuned", lambda c, X, y, inner, seed: (clean.append(y), (_Constant(), 0.0))[1])
    contest("breast_cancer", "clean", n_rows=100, folds=2, rng=np.random.default_rng(0))
    assert 0.05 < np.mean(seen[0] != clean[0]) < 0.4


class _Constant:
    def predict(self, X):
        return np.zeros(len(X), dtype=int)


def test_ranks_share_ties_and_the_difference_is_the_published_one():
    np.testing.assert_allclose(mean_ranks(np.array([[0.5, 0.5, 0.1]])), [[1.5, 1.5, 3.0]][0])
    # Demsar's table of the studentised range over the root of two: 2.569 for four classifiers
    assert critical_difference(4, 14) == pytest.approx(2.569 * np.sqrt(4 * 5 / (6 * 14)), abs=2e-3)
