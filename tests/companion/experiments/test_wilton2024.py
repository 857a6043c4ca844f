import numpy as np
import pandas as pd
import pytest

from marginloss.companion.experiments.wilton2024 import CONTROLS, OURS, PEERS, RATES, beside, learner_run, published


def test_published_numbers_are_those_of_two_models_eight_criteria_and_four_rates():
    table = published()
    assert len(table) == 2 * 8 * 4
    assert set(table.noise) == set(RATES)
    assert table.accuracy.between(0.5, 1).all()
    assert table.error.between(0, 0.02).all()


def test_two_standard_deviations_become_a_standard_error():
    row = published().set_index(["model", "criterion", "noise"]).loc[("tree", "Gini", 0.1)]
    assert row.accuracy == pytest.approx(0.8482)
    assert row.error == pytest.approx(0.0163 / 2 / np.sqrt(5))


def test_beside_tells_agreement_from_a_difference():
    def against(accuracies):
        runs = pd.DataFrame({"rate": 0.1, "accuracy": accuracies})
        return beside(runs, "tree", "Gini").loc[0.1]

    near, far = against([0.847, 0.849, 0.851]), against([0.880, 0.881, 0.882])
    assert near.agree
    assert not far.agree
    assert far.difference == pytest.approx(0.881 - 0.8482)
    assert far.error == pytest.approx(np.hypot(0.001 / np.sqrt(3), 0.0163 / 2 / np.sqrt(5)))


@pytest.mark.parametrize("words", ["columns", "numbers"])
def test_the_split_is_the_published_one_and_a_tree_tells_the_classes_apart(words, need):
    need("mushroom")
    found = learner_run("one tree", 0.0, words, np.random.default_rng(0))
    assert found["accuracy"] == 1


def test_flips_reach_the_training_labels_only(need):
    need("mushroom")
    noisy = learner_run("linear, α = 2", 0.3, "columns", np.random.default_rng(0))["accuracy"]
    assert 0.95 < noisy <= 1  # with flipped test labels it would be near 0.7


def test_controls_are_learners_of_the_page():
    known = {**OURS, **PEERS, "random forest, no bootstrap": None}
    assert {learner for learner, _, _ in CONTROLS.values()} <= set(known)
    assert {model for _, _, model in CONTROLS.values()} == {"tree", "forest"}
