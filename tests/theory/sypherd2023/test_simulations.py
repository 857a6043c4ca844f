"""Checks that rest on runs fail when they are handed a wrong statement."""

from __future__ import annotations

import pytest
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier

from marginloss.theory.sypherd2023 import simulations


def test_a_booster_that_is_no_better_does_not_lead():
    def boosters(max_depth):
        return {"α = 2": DummyClassifier(), "α = 8": DummyClassifier(), "tree": DecisionTreeClassifier(max_depth=6)}

    assert simulations.depth(boosters).verdict == "fails as printed"


@pytest.mark.parametrize("published", [0.15, 0.4])
def test_another_gain_is_found_out(published):
    assert simulations.gain(published).verdict == "fails as printed"


def test_an_interval_is_not_wider_than_itself():
    assert simulations.intervals((2.0,)).verdict == "fails as printed"


def test_a_range_without_its_best_values_is_found_out():
    assert simulations.effective_range().verdict.startswith("holds")
    assert simulations.effective_range((0.5, 20.0), (1.0, 2.0, 5.0)).verdict == "fails as printed"


def test_the_logistic_loss_is_not_closer_than_itself():
    assert simulations.survey((1.0,)).verdict == "fails as printed"


def test_a_convex_loss_is_not_closer_to_the_bayes_line():
    assert simulations.mixture(0.6).verdict == "fails as printed"
    assert simulations.mixture(flat_from=1.5).verdict == "fails as printed"  # the error falls on from there


def test_accuracy_that_follows_the_error_is_seen(monkeypatch):
    assert simulations.survey_accuracy().verdict == "undecided"  # of the real survey a simulated one says nothing

    def fit(p, alpha, seed):
        return {"error": abs(alpha - 1.5), "right": 0.9 - 0.01 * abs(alpha - 1.5)}

    monkeypatch.setattr(simulations, "_survey_fit", fit)
    assert simulations.survey_accuracy().verdict == "holds"
    assert simulations.survey_accuracy((1.5,), start=1.5).verdict == "undecided"
