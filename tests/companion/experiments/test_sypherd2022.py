"""Experiments of sypherd2022: curves of the specification, the paper's AdaBoost against a plain loop, tables."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeRegressor

from marginloss.companion.experiments.sypherd2022 import (
    Method,
    accuracy,
    attained_bound,
    best_pilboost_alpha,
    bound_example,
    clean_log_loss,
    climb_of_best_alpha,
    falls_of_best_alpha,
    fixed_exponents,
    gain_landmarks,
    importances,
    lead_by_run,
    link_contest,
    link_seconds,
    majority_share,
    malevolent_twist,
    paper_methods,
    profile_entropy,
    published_gaps,
    step_families,
    step_response,
    step_spread,
    tune_steps,
    tuned_alphas,
)
from marginloss.companion.experiments.sypherd2022.boosters import RealTreeAdaBoost


def test_gains_of_figure_6():
    published = {
        1.1: (0.016209, 0.704582, 0.890317),
        1.4: (0.056826, 0.682072, 0.863670),
        2.0: (0.114283, 0.649778, 0.819808),
    }
    for alpha, (height, peak, zero) in published.items():
        marks = gain_landmarks(alpha, 0.9)
        assert (marks["height"], marks["peak"], marks["zero"]) == pytest.approx((height, peak, zero), abs=1e-6)


def test_bound_of_figure_8():
    raw, clipped = bound_example([-20, 20]), bound_example([-20, 20], clip=True)
    assert raw["edge"] == pytest.approx(0.05544, abs=1e-5) and raw["alpha"] == pytest.approx(0.0555, abs=1e-4)
    assert raw["risk"] == pytest.approx([17.79, 15.57], abs=5e-3) and raw["bound"] == pytest.approx(
        [21.11, 18.89], abs=5e-3
    )
    assert clipped["edge"] == pytest.approx(0.04392, abs=1e-5) and clipped["risk"] == pytest.approx(
        [14.89, 13.13], abs=5e-3
    )


def test_cross_entropies_of_figure_9():
    p = np.linspace(0, 1, 11)
    found = attained_bound(p)
    entropy = -p[1:-1] * np.log(p[1:-1]) - (1 - p[1:-1]) * np.log(1 - p[1:-1])
    np.testing.assert_allclose(found["tilted"], [0, *entropy, 0], atol=1e-14)
    np.testing.assert_allclose(found["untilted"], np.log(1 + np.e) - p, atol=1e-14)
    assert found["touch"] == pytest.approx(1 / (1 + np.exp(-1)), abs=1e-6) and abs(found["gap"]) < 1e-12


def test_fixed_exponents():
    found = fixed_exponents(0.2, np.linspace(1, 3, 201))
    assert found["at_best"] <= found["divergence"].min() <= found["at_one"]
    assert 1 < found["infimum"] < found["best"]


def test_links_are_compared_on_the_same_split():
    found = link_contest(2.0, 20, np.random.default_rng(0))
    assert found["time_ratio"] > 0 and 0.6 < found["same_time"] <= 1
    again = link_contest(2.0, 20, np.random.default_rng(0))
    assert (found["pseudo"], found["exact"]) == (again["pseudo"], again["exact"])
    assert abs(found["pseudo"] - found["exact"]) < 0.1


def test_the_step_is_chosen_on_held_out_noisy_data(tmp_path, monkeypatch):
    monkeypatch.setenv("MARGINLOSS_CACHE", str(tmp_path))
    by_step, tuned = tune_steps("breast_cancer", 0.2, step_families([0.5, 2.0], [0.3], 5)[:4], 2)
    assert set(tuned.columns) == {"logistic", "PILBoost 1.1"} and len(tuned) == 2
    for name in tuned.columns:
        steps = by_step.loc[name]
        assert list(steps.index) == [0.5, 2.0] and all(tuned.loc[run, name] in set(steps[run]) for run in tuned.index)


def test_majority_share_is_that_of_the_larger_class():
    _, y = load_breast_cancer(return_X_y=True)
    assert majority_share("breast_cancer") == pytest.approx(max(np.mean(y), 1 - np.mean(y)))


def test_link_seconds_are_positive():
    assert min(link_seconds(1.5, 50, 1).values()) > 0


def test_adaboost_of_the_paper():
    X, y = load_breast_cancer(return_X_y=True)
    y = np.where(np.random.default_rng(0).random(len(y)) < 0.1, -1, 1) * (2 * y - 1)
    model = RealTreeAdaBoost(rounds=25, depth=1).fit(X, y)
    weight, score = np.full(len(y), 1 / len(y)), np.zeros(len(y))
    for t in range(25):
        h = DecisionTreeRegressor(max_depth=1, random_state=0).fit(X, y, weight).predict(X)
        error = weight[np.sign(h) != y].sum()
        step = 0.5 * np.log((1 - error) / error)
        assert model.steps[t] == pytest.approx(step, rel=1e-6)
        score += step * h
        weight *= np.exp(-step * y * h)
        weight /= weight.sum()
    np.testing.assert_array_equal(model.predict(X), score > 0)


def test_methods_share_split_and_noise():
    one, two = Method("a", "PILBoost", 2.0, 1.0, 5), Method("b", "PILBoost", 2.0, 1.0, 5, "exact")
    same = [accuracy("xd6", "labels", 0.2, one, np.random.default_rng(3)) for _ in range(2)]
    assert same[0] == same[1] and same[0]["alpha"] == 2
    assert 0.5 < accuracy("xd6", "features", 0.2, two, np.random.default_rng(3))["accuracy"] <= 1
    adaptive = accuracy("xd6", "labels", 0.2, Method("c", "PILBoost", "adaptive", 1.0, 5), np.random.default_rng(3))
    assert 0 < adaptive["rate"] < 0.5 and adaptive["alpha"] >= 1
    response = step_response("breast_cancer", 0.3, Method("d", "AdaBoost", rounds=10), np.random.default_rng(0))
    assert response["test"] > response["validation"]  # the test part is clean, the validation part is not


@pytest.mark.parametrize("method", paper_methods("breast_cancer", 10), ids=lambda method: method.name)
def test_every_method_of_the_paper_learns(method):
    if method.kind == "XGBoost":
        pytest.importorskip("xgboost")
    assert accuracy("breast_cancer", "none", 0.0, method, np.random.default_rng(0))["accuracy"] > 0.85


def test_early_stopping_holds_out_noisy_data():
    pytest.importorskip("xgboost")
    method = Method("early", "XGBoost", step_size=0.3, rounds=300, early_stopping=True)
    assert accuracy("breast_cancer", "labels", 0.3, method, np.random.default_rng(0))["accuracy"] > 0.8


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="twister"):
        accuracy("xd6", "gamma rays", 0.1, paper_methods("xd6", 5)[0], np.random.default_rng(0))
    with pytest.raises(ValueError, match="kind"):
        accuracy("xd6", "labels", 0.1, Method("e", "LogitBoost"), np.random.default_rng(0))


def table():
    index = pd.MultiIndex.from_product([[0.0, 0.3], [0, 1]], names=["level", "run"])
    columns = {
        "AdaBoost": [1, 1, 0.6, 0.8],
        "XGBoost": [1, 1, 0.5, 0.5],
        "PILBoost 1.1": [0.9, 0.9, 0.8, 0.9],
        "PILBoost 4": [0.8, 0.8, 0.9, 1],
    }
    return pd.DataFrame(columns, index=index)


def test_summaries_of_a_table():
    assert [lead_by_run(table(), level).mean() for level in (0.0, 0.3)] == pytest.approx([-0.1, 0.25])
    assert [lead_by_run(table(), level, "worst").mean() for level in (0.0, 0.3)] == pytest.approx([-0.2, 0.15])
    assert climb_of_best_alpha(table()).tolist() == [1, 1] and falls_of_best_alpha(table()) == 0
    assert best_pilboost_alpha(table(), 0.3) == 4 and best_pilboost_alpha(table(), 0.0) == 1.1
    published = {"PILBoost_4": [0.82, 0.75], "sd_PILBoost_4": [0.0, 0.0], "runs": 2}
    gaps = published_gaps(table()[["PILBoost 4"]], published)["PILBoost 4"]
    units = np.hypot([0.005, np.std([0.9, 1], ddof=1)], 0.005) / np.sqrt(2)
    assert gaps.tolist() == pytest.approx([0.02 / units[0], 0.2 / units[1]])


def test_a_best_alpha_that_stays_or_falls_does_not_climb():
    columns = {"PILBoost 4": [1, 1, 0.7], "PILBoost 1.1": [1, 0.9, 0.8], "PILBoost 2": [1, 0.8, 0.8]}
    levels = pd.MultiIndex.from_product([[0.0, 0.1, 0.3], [0]], names=["level", "run"])
    falling = pd.DataFrame(columns, index=levels)
    assert climb_of_best_alpha(falling).tolist() == [-0.5]  # from the middle of all three to that of the first two
    assert falls_of_best_alpha(falling) == 1
    same = pd.concat({0.0: table().loc[0.3], 0.3: table().loc[0.3]}, names=["level"])
    assert climb_of_best_alpha(same).tolist() == [0, 0]


def test_tuned_alphas_choose_among_three_steps(tmp_path, monkeypatch):
    monkeypatch.setenv("MARGINLOSS_CACHE", str(tmp_path))
    found = tuned_alphas("breast_cancer", [0.0, 0.3], 3, 2)
    assert list(found.index) == [(level, run) for level in (0.0, 0.3) for run in (0, 1)]
    assert set(found.columns) == {"PILBoost 1.1", "PILBoost 2", "PILBoost 4"}


def test_untwisting_lowers_the_clean_log_loss():
    found = clean_log_loss("xd6", 0.2, 2.0, 50, np.random.default_rng(0))
    assert 0 < found["untwisted"] < found["twisted"]
    proper = clean_log_loss("xd6", 0.2, 1.1, 50, np.random.default_rng(0))
    assert abs(proper["untwisted"] - proper["twisted"]) < found["twisted"] - found["untwisted"]


def test_depth_of_the_paper_or_another():
    assert {method.depth for method in paper_methods("xd6", 5, 1)} == {1}
    X, y = load_breast_cancer(return_X_y=True)
    splits = [
        np.sum(Method("d", "PILBoost", 2.0, 1.0, 1, depth=depth).fit(X, 2 * y - 1, 1).estimators_.nodes.feature >= 0)
        for depth in (None, 2)
    ]
    assert splits == [1, 3]


def test_spread_of_steps():
    index = pd.MultiIndex.from_product([["p"], [1.0, 2.0, 4.0, 8.0]], names=["name", "step"])
    by_step = pd.DataFrame([[0.8, 0.9], [0.9, 0.9], [0.8, 0.7], [0.1, 0.1]], index=index)
    assert step_spread(by_step, "p", 1.0, 4.0).tolist() == pytest.approx([0.1, 0.2])


def test_importances_of_online_shoppers(need):
    need("online_shoppers")
    pytest.importorskip("xgboost")
    for method in (Method("p", "PILBoost", 1.1, 7.0, 10), Method("x", "XGBoost", step_size=0.3, rounds=10)):
        rows = pd.DataFrame(importances("none", method, np.random.default_rng(0)))
        assert len(rows) == 17 and rows[["average", "total"]].sum().tolist() == pytest.approx([1, 1])
        assert rows["total"].idxmax() == 8 and profile_entropy(rows["total"]) < 0.9


def test_a_malevolent_twist_needs_a_negative_exponent():
    found = malevolent_twist(0.8, 0.1, np.random.default_rng(1))
    assert found["exponent_inside"] < 0 < found["exponent_outside"]
    for name in ("log-loss", "focal", "Super Loss"):
        assert found[f"{name}_inside"] == pytest.approx(1 - found["alpha_inside"])
        assert found[f"{name}_outside"] == found["alpha_outside"]
    honest = malevolent_twist(0.2, 0.1, np.random.default_rng(1))
    assert honest["log-loss_inside"] == honest["alpha_inside"] > 0.5  # an honest majority needs no change of sign
