"""Experiments of zhai2021 on small sizes: the numbers mean what their names say."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_digits

from marginloss.boosting import AdaLPBoostClassifier
from marginloss.companion.experiments.zhai2021 import ensembles, groups
from marginloss.companion.experiments.zhai2021.network import NetworkClassifier
from marginloss.risk import cvar, cvar_floor


def test_curves_of_a_table_by_hand():
    losses = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
    (row,) = ensembles._curves(losses, np.array([[0.5, 0.5]]), [0.25])
    assert_allclose([row["erm"], row["average"], row["lp"]], [1.0, 0.5, 0.5])
    assert_allclose([row["erm_mean"], row["lp_mean"], row["first_weight"], row["support"]], [0.25, 0.25, 0.5, 2])


@pytest.mark.parametrize(
    ("erm", "average", "expected"),
    [
        ([1.0, 0.8, 0.6, 0.4], [1.0, 0.7, 0.6, 0.5], 0.3),  # equal tails at 0.1 are no crossing, at 0.3 they are
        ([1.0, 0.6, 0.6, 0.4], [1.0, 0.7, 0.5, 0.5], 0.4),  # the last crossing counts
        ([0.5, 0.4, 0.3, 0.2], [0.6, 0.6, 0.6, 0.6], 0.1),
        ([1.0, 1.0, 1.0, 1.0], [0.9, 0.9, 0.9, 0.9], np.inf),
    ],
)
def test_crossing_is_where_erm_wins_for_good(erm, average, expected):
    assert ensembles.crossing([0.1, 0.2, 0.3, 0.4], erm, average) == expected


def test_prefixes_end_with_all_models():
    assert ensembles._prefixes(100) == [2, 5, 10, 20, 30, 50, 70, 100]
    assert ensembles._prefixes(30) == [2, 5, 10, 20, 30]
    assert ensembles._prefixes(1) == [1]


def test_compas_keeps_the_papers_order(need):
    need("compas")
    rows = ensembles.compas(4, np.random.default_rng(0))
    assert [row["alpha"] for row in rows] == ensembles.GRID
    for row in rows:
        assert_allclose(row["erm"], min(1.0, row["erm_mean"] / row["alpha"]))
        assert row["lp_on_test"] <= min(row["erm"], row["average"]) + 1e-9
        assert row["worst_training_loss"] <= row["guarantee"]
    # the test set is fitted by a program, and nothing is below the floor of its table
    floors = ensembles.compas_floor()["floor_test"]
    assert all(row["lp_on_test"] >= floor - 1e-9 for row, floor in zip(rows, floors, strict=True))


def test_compas_floor_of_the_specification(need):
    need("compas")
    found = ensembles.compas_floor()
    assert_allclose([found["conflict_train"], found["conflict_test"]], [0.515, 0.353], atol=5e-4)
    assert_allclose([found["minority_train"], found["minority_test"]], [0.1788, 0.1284], atol=5e-5)
    assert_allclose(found["floor_train"][39], 0.44712, atol=5e-6)


@pytest.mark.parametrize("settings", [{}, {"hidden": (4,)}, {"reweight": "adaboost"}, {"passes": 2.0}])
def test_images_follow_the_validation_set(settings, need):
    need("cifar10")
    rows = ensembles.images("colour", 3, np.random.default_rng(0), **settings)
    assert {row["used"] for row in rows} == {2.0, 3.0}
    assert all(row["valid_excess"] <= 1e-9 for row in rows)
    assert all(row["lp"] >= row["lp_mean"] - 1e-12 for row in rows)
    assert all(row["erm"] <= row["average"] for row in rows if row["above_crossing"])
    # the best of all models on the test set is the first one or better
    assert all(row["published"] <= row["erm"] + 1e-9 for row in rows)
    assert all(row["average_inside"] <= row["worst_training_loss"] + 1e-9 for row in rows if row["used"] == 3)


def test_the_split_is_that_of_the_paper(need):
    """Nine tenths of the published training part, one for validation, and the published test part."""
    need("cifar10")
    data = ensembles._pictures("colour")
    assert [len(y) for _, y in data.values()] == [4500, 500, 1000]
    assert all(len(X) == len(y) and X.dtype == np.float32 for X, y in data.values())


def test_schedule_has_the_fractions_of_appendix_b():
    """5000 steps with decays at 2000 and 4000, from one of 14.2 passes over 45 000 samples."""
    model = ensembles._recipe((), 14.2, 45_000)
    assert model.n_iterations == pytest.approx(5000, rel=0.01)
    assert model.decay_at == pytest.approx((2000, 4000), rel=0.01)


def test_regularised_returns_a_tail_above_its_mean(need):
    need("cifar10")
    row = ensembles.regularised("colour", 0.2, 2, np.random.default_rng(0))
    assert 0 < row["mean"] <= row["tail"] <= 1


def test_tuned_networks_remember_their_start():
    X, y = load_digits(return_X_y=True)
    settings = {"hidden_layer_sizes": (8,), "warmup_epochs": 2, "n_iterations": 3, "decay_at": ()}
    model = AdaLPBoostClassifier(estimator=NetworkClassifier(**settings), n_estimators=2, random_state=0).fit(X, y)
    first, second = model.estimators_
    assert first.start_ is second.start_
    assert not np.allclose(first.network_.parameters, first.start_.network_.parameters)


@pytest.mark.parametrize(("name", "n_test", "classes"), [("letter", 4000, 26), ("adult", 16_281, 2)])
def test_stand_ins_have_their_own_test_part(name, n_test, classes, need, monkeypatch):
    need(name)
    given = {}
    monkeypatch.setattr(ensembles, "boosted", lambda data, learner, *rest: given.update(data))
    ensembles.stand_in(name, 2, np.random.default_rng(0))
    assert len(given["test"][1]) == n_test and len(np.unique(given["test"][1])) == classes
    assert len(given["valid"][1]) == pytest.approx(len(given["train"][1]) / 9, abs=1)


def test_outside_counts_where_it_is_more_than_chance():
    ends = {"erm_mean": 0.2, "average_mean": 0.4}
    mean = {0.1: (0.3, 0.3, 0.3), 0.2: (0.19, 0.18, 0.17), 0.3: (0.1, 0.3, 0.19), 0.4: (0.5, 0.51, 0.52)}
    rows = [{"alpha": alpha, "lp_mean": each, **ends} for alpha, runs in mean.items() for each in runs]
    assert ensembles.outside_share(pd.DataFrame(rows)) == 0.5  # below at 0.2 and above at 0.4; at 0.3 the runs disagree


@pytest.mark.parametrize(
    ("name", "by", "smallest"), [("adult", ("sex", "truth"), 1769), ("compas", ("race", "sex"), 176)]
)
def test_groups_are_those_of_the_tables(name, by, smallest, need):
    need(name)
    group, names = groups.groups_of(name, by)
    sizes = np.bincount(group)
    assert len(names) == len(sizes) and (np.diff(sizes) <= 0).all() and sizes[-1] == smallest


def test_people_are_judged_by_group(need):
    need("compas")
    by = ("race", "truth")
    row = groups.people("compas", by, 4, np.random.default_rng(0))
    for mixture in groups.MIXTURES:
        each = [row[f"{mixture}_group_{g}"] for g in range(6)]
        assert max(each) == row[f"{mixture}_worst"]
        assert min(each) <= row[f"{mixture}_mean"] <= row[f"{mixture}_worst"] <= row[f"{mixture}_cvar"] + 0.05
    assert row["alpha"] == pytest.approx(410 / 7214)
    assert row["erm_coin"] == 0  # one model tosses no coin
    noisy = groups.people("compas", by, 4, np.random.default_rng(0), noise=0.1, trim=0.1)
    assert noisy["noise_weight"] > 1 and 0.1 < noisy["caught"] < 1


def test_floor_is_below_what_the_table_allows():
    X, y = np.array([[0], [0], [1], [1]]), np.array([0, 1, 1, 1])
    assert cvar_floor(X, y, 0.5) <= cvar([0.5, 0.5, 0.0, 0.0], 0.5)
