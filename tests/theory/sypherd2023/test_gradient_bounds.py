"""Noisy gradients against differences of the risk; the checks of Theorems 2 and 3 against the specification."""

from __future__ import annotations

import math

import numpy as np
import pytest

from marginloss.losses import AlphaLoss
from marginloss.theory.sypherd2023 import gradient_bounds, theorem_2, theorem_3


@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0, math.inf])
def test_noisy_gradient_is_the_gradient_of_the_noisy_risk(alpha):
    rng, p, h = np.random.default_rng(0), 0.2, 1e-5
    signed, mass, theta = rng.uniform(-1, 1, (6, 3)), rng.dirichlet(np.ones(6)), rng.normal(size=3)
    loss = AlphaLoss(alpha)

    def risk(theta):
        return mass @ ((1 - p) * loss.value(signed @ theta) + p * loss.value(-signed @ theta))

    slope = [(risk(theta + e) - risk(theta - e)) / (2 * h) for e in np.eye(3) * h]
    np.testing.assert_allclose(gradient_bounds.noisy_gradient(theta, signed, mass, alpha, p), slope, atol=1e-9)


def test_chi_has_the_closed_forms_of_19():
    for radius in (0.1, 0.8):
        sigmoid = 1 / (1 + math.exp(-radius))
        assert gradient_bounds.chi(radius, 1, 0.1) == pytest.approx(sigmoid - 0.1, abs=1e-15)
        assert gradient_bounds.chi(radius, math.inf, 0.1) == pytest.approx(
            0.8 * (1 - sigmoid * (1 - sigmoid)), abs=1e-15
        )


def test_replacement_bound_holds_on_random_laws_and_says_something():
    rng = np.random.default_rng(1)
    for _ in range(300):
        d, p, alpha = int(rng.integers(1, 6)), rng.uniform(0.01, 0.49), 1 + rng.exponential(2)
        theta = rng.normal(size=d) * 5
        signed = rng.uniform(0, 1, (10, d)) * np.sign(theta)
        margin, mass = float((signed @ theta).min()), rng.dirichlet(np.ones(10))
        size = np.abs(gradient_bounds.noisy_gradient(theta, signed, mass, alpha, p)).max()
        assert size <= gradient_bounds.replacement_bound(margin, alpha, p)
    # on one point, with hardly any noise and with much of it, each of its two terms is nearly attained
    for p in (1e-9, 0.4):
        size = abs(gradient_bounds.noisy_weight(10.0, 1.2, p))
        assert 0.99 < size / gradient_bounds.replacement_bound(10.0, 1.2, p) <= 1
    assert gradient_bounds.replacement_bound(50.0, 2.0, 0.3) < 1e-10
    assert gradient_bounds.replacement_bound(50.0, 1.0, 0.3) == pytest.approx(0.3)


def test_theorem_2_is_true_of_nothing_and_its_assumption_not_mild():
    found = theorem_2.theorem_2()
    assert found.verdict == "holds with a caveat"
    assert 0.9 < found.evidence["largest_ratio_to_replacement_bound"] <= 1
    mild = theorem_2.assumption_13()
    assert mild.verdict == "fails as printed" and mild.slack == pytest.approx(-0.1)  # -(1 - 2p) at p = 0.45
    assert theorem_2.assumption_13(alpha=1.0).verdict == "holds"


@pytest.mark.parametrize("check", [theorem_2.theorem_2, theorem_2.eq_14])
def test_a_constant_of_14_that_is_too_small_is_found_out(check):
    needed = theorem_2.eq_14().evidence["smallest_constant_that_holds"]
    assert check(constant=1.001 * needed).verdict.startswith("holds")
    assert check(constant=0.999 * needed).verdict == "fails as printed"


def test_a_domain_with_both_signs_has_a_skew_symmetric_law():
    assert theorem_3.theorem_3_domain().verdict == "fails as printed"
    assert theorem_3.theorem_3_domain(lowest=-1.0).verdict == "holds"


def test_theorem_3_by_hand():
    found = theorem_3.theorem_3()
    assert found.verdict == "fails as printed"
    assert found.evidence["by_hand_gradient"] == pytest.approx(0.4)
    assert found.evidence["by_hand_bound"] == pytest.approx(0.57502, abs=1e-5)  # the theorem asks for r > 0
    assert found.evidence["violated_share"] > 0.5
    assert found.evidence["repaired_slack"] > 0
    assert theorem_3.theorem_3(shrink=2.0).verdict == "holds"


@pytest.mark.parametrize(
    ("alpha", "radius", "gradient", "bound"),
    [(1.0, 0.0, 0.4, 0.6), (math.inf, 0.0, 0.2, 0.4), (1.0, 0.1, 0.4, 0.57502), (math.inf, 0.1, 0.2, 0.39950)],
)
def test_more_cases_by_hand(alpha, radius, gradient, bound):
    point = theorem_3.Trial(np.zeros(1), np.ones((1, 1)), np.ones(1), radius, alpha, 0.1)
    assert point.gradient == pytest.approx(gradient, abs=1e-12)
    assert point.bound(shrink=0.0) == pytest.approx(bound, abs=5e-6)


def test_trials_meet_the_hypotheses_of_theorem_3():
    for trial in theorem_3._trials():
        sigmoid = 1 / (1 + math.exp(-trial.radius))
        mean, size = np.linalg.norm(trial.mass @ trial.signed), trial.mass @ np.linalg.norm(trial.signed, axis=1)
        assert (1 - 2 * trial.p) * (1 - sigmoid * (1 - sigmoid)) < mean / size  # (16)
        assert gradient_bounds.condition_17(trial.radius, 1.0) < 1 / trial.p - 1  # (17)
        assert np.linalg.norm(trial.theta) * math.sqrt(len(trial.theta)) <= trial.radius * (1 + 1e-12)
        assert np.abs(trial.signed).max() <= 1


def test_the_repair_is_not_vacuous():
    """With a smaller deduction the repaired bound fails, with a larger one it is not attained: 2p is what is needed."""
    found = theorem_3.theorem_3_repaired()
    assert found.verdict == "holds"
    assert found.evidence["slack_of_sharper_bound"] > 0
    assert found.evidence["smallest_gain_of_sharper_bound"] >= -1e-14
    assert (
        found.evidence["smallest_bound_under_repaired_16"]
        > 0
        > found.evidence["largest_bound_otherwise_alpha_infinity"]
    )
    for shrink in (1.0, 1.95, 2.05, 3.0):
        assert theorem_3.theorem_3_repaired(shrink).verdict == "fails as printed"


@pytest.mark.parametrize("alpha", [1.0, 1.5, 3.0, math.inf])
def test_the_repaired_bound_is_attained(alpha):
    gradient = np.linalg.norm(gradient_bounds.noisy_gradient([0.7], [[1.0]], [1.0], alpha, 0.1))
    bound = gradient_bounds.lower_bound([[1.0]], [1.0], 0.7, alpha, 0.1, factor=0.8)
    assert gradient == pytest.approx(bound, abs=1e-14)


def test_chi_is_monotone_under_17_only():
    assert theorem_3.chi_monotone().verdict == "holds"
    assert theorem_3.chi_monotone(beyond=3.0).verdict == "fails as printed"


def test_the_constant_of_the_proof():
    assert theorem_2.theorem_2_proof().verdict == "fails as printed"
    assert theorem_2.theorem_2_proof(start=math.log(5 + 2 * math.sqrt(6))).verdict == "holds"
    assert theorem_2.theorem_2_proof().evidence["sigmoid_at_peak"] == pytest.approx(1 / 24)


def test_numbers_of_the_specification():
    misprint = theorem_3.eq_19().evidence
    assert misprint["printed_at_1"] == pytest.approx(0.58485, abs=1e-5)
    assert misprint["derived_at_1"] == pytest.approx(0.63106, abs=1e-5)
    assert theorem_2.theorem_2_logistic().evidence["largest_p"] == pytest.approx(1 / (3 + math.sqrt(3)))
    assert theorem_3.eq_113().evidence["falls_from_x"] == pytest.approx(5.8, abs=0.05)
    assert theorem_2.eq_14().evidence["largest_left_side"] == pytest.approx(0.105, abs=1e-5)  # p / 2
    ratio = theorem_2.eq_15().evidence
    # with the second derivatives alone the ratio at one margin would be at most sqrt(3), at log(2 + sqrt(3))
    assert ratio["smallest_ratio"] >= 1 and ratio["largest_ratio_at_one_margin"] > 2


@pytest.mark.parametrize(("factor", "check"), [(0.99, theorem_3.eq_114), (1.01, theorem_3.eq_109)])
def test_another_chi_is_found_out(monkeypatch, factor, check):
    chi = theorem_3.chi
    monkeypatch.setattr(theorem_3, "chi", lambda radius, alpha, p: factor * chi(radius, alpha, p))
    assert check().verdict == "fails as printed"
