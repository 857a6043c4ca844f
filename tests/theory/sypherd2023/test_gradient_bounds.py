"""Noisy gradients against differences of the risk; the checks of Theorems 2 and 3 against the specification."""

from __future__ import annotations

import math

import numpy as np
import pytest

from marginalia.losses import AlphaLoss
from marginalia.theory.sypherd2023 import gradient_bounds, theorem_2, theorem_3


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
    assert gradient_bounds.replacement_bound(50.0, 2.0, 0.3) < 1e-10
    assert gradient_bounds.replacement_bound(50.0, 1.0, 0.3) == pytest.approx(0.3)


def test_theorem_3_by_hand():
    found = theorem_3.theorem_3()
    assert found.verdict == "fails as printed"
    assert found.evidence["by_hand_gradient"] == pytest.approx(0.4)
    assert found.evidence["by_hand_bound"] == pytest.approx(0.6)
    assert found.evidence["violated_share"] > 0.5
    assert found.evidence["repaired_slack"] > 0


def test_the_repair_is_not_vacuous():
    """With a smaller deduction the repaired bound fails too: 2p is what is needed."""
    assert theorem_3.theorem_3_repaired().verdict == "holds"
    assert theorem_3.theorem_3_repaired(shrink=1.0).verdict == "fails as printed"


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
    bound = theorem_2.eq_14()
    assert bound.slack == pytest.approx(0.91, abs=0.005) and bound.evidence["largest_left_side"] <= 0.05
    assert theorem_2.eq_15().evidence["smallest_ratio"] >= 1
