"""Experiments of amid2019: shapes, choices and the numbers that the specification knows."""

import numpy as np
import pandas as pd
import pytest

from marginloss.companion.experiments import amid2019
from marginloss.companion.experiments.amid2019 import INSTANCE_NOISES, LABEL_NOISES, LOWEST, METHODS, PENALTIES
from marginloss.losses.tempered import escort


def test_accuracy_of_the_iterations():
    found = amid2019.partition_accuracy(10, 1.5)
    assert found["updates"] == 22
    assert found["newton"] <= 10
    assert found["newton_error"] < 1e-13
    assert amid2019.partition_accuracy(100, 2.0)["updates"] == 117


def test_what_five_updates_leave_is_the_worst_of_a_fine_scan():
    # worst sums of the specification, from a scan of 20 000 distances
    for t, worst in ((1.12, 1.005), (1.5, 1.289), (2.0, 1.669)):
        assert amid2019.partition_accuracy(1000, t)["five_total"] == pytest.approx(worst, abs=6e-4)


def test_curvature_is_negative_where_t1_is_smaller():
    grid = np.array([0.5, 1.0, 1.5])
    bent = amid2019.curvature_map(grid) < -1e-12
    np.testing.assert_array_equal(bent, grid[None, :] < grid[:, None])


def test_risk_on_the_simplex_is_least_at_the_escort():
    p = np.array([0.5, 0.3, 0.2])
    points, risk = amid2019.simplex_risk(p, 0.6, resolution=200)
    np.testing.assert_allclose(points[risk.argmin()], escort(p, 1 / 0.6), atol=0.006)
    x, y = amid2019.in_triangle(np.eye(3))
    np.testing.assert_allclose(np.hypot(np.diff(x), np.diff(y)), 1)


@pytest.fixture(scope="module")
def runs():
    functions = {"labels": amid2019.label_run, "inputs": amid2019.instance_run}
    tables = {name: pd.DataFrame(run("fonts", 400, np.random.default_rng(0))) for name, run in functions.items()}
    return {name: table.assign(dataset="fonts", run=0) for name, table in tables.items()}


@pytest.mark.parametrize(("name", "noises"), [("labels", LABEL_NOISES), ("inputs", INSTANCE_NOISES)])
def test_one_run_has_all_noises_methods_and_penalties(runs, name, noises):
    table = runs[name]
    assert len(table) == len(noises) * len(PENALTIES)
    assert set(amid2019.selected(table).index.get_level_values("noise")) == set(noises)
    for method in METHODS:
        assert table[f"{method} test"].between(0.4, 1).all()
        assert (table[f"{method} steps"] <= 150).all()


def test_lower_of_two_minima_is_for_wrong_labels_only(runs):
    assert f"{LOWEST} test" in runs["labels"]
    assert f"{LOWEST} test" not in runs["inputs"]


def test_a_strong_penalty_leaves_one_minimum(runs):
    # both solvers minimise the same objective, intercept and all: where it has one minimum they find one model
    strong = runs["labels"][runs["labels"].l2 >= 1e-2]
    np.testing.assert_allclose(strong[f"{LOWEST} test"], strong["two-temperature test"], atol=0.004)


def test_accuracy_at_every_penalty(runs):
    table = runs["inputs"]
    found = amid2019.by_penalty(table).loc[("fonts", "instance 20 %", 1e-2)]
    (row,) = table[(table.noise == table.noise.unique()[2]) & (table.l2 == 1e-2)].to_dict("records")
    assert {method: row[f"{method} test"] for method in METHODS} == found.to_dict()


def test_the_test_part_is_a_tenth_of_all_rows_at_every_size(runs):
    # 6 000 letters are rendered: accuracies are multiples of 1/600 although only 400 rows were trained on
    counts = 600 * runs["labels"]["logistic test"]
    np.testing.assert_allclose(counts, counts.round(), atol=1e-9)


def test_initial_weights_are_judged_on_clean_labels(need):
    need("fashion_mnist")
    found = amid2019.initialisation_run(1.0, 0.001, 500, np.random.default_rng(0))
    assert found["accuracy"] > 0.93  # more than the share of right labels in training
    assert 0 < found["objective"] < 0.2


def test_choice_of_the_penalty():
    rows = []
    for held, test, l2 in ((0.9, 0.5, 1e-5), (0.9, 0.6, 1e-3), (0.8, 0.9, 1e-2), (0.7, 0.7, 1e-1)):
        row = {"dataset": "a", "run": 0, "noise": LABEL_NOISES.index("random"), "l2": l2}
        rows.append(row | {f"{m} {k}": v for m in (*METHODS, LOWEST) for k, v in (("held", held), ("test", test))})
    line = amid2019.selected(pd.DataFrame(rows)).loc[("a", "random", "hinge")]
    assert line.honest == 0.6  # of equal held-out accuracies the stronger penalty
    assert line.oracle == 0.9
    assert line.l2_oracle == 1e-2


def test_unknown_data_set():
    with pytest.raises(ValueError, match="dataset must be one of"):
        amid2019.load_task("mnist", np.random.default_rng(0))
