"""The checks about the Long–Servedio points fail when they are handed something else."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

from marginloss.theory.sypherd2023 import theorem_1 as claims
from marginloss.theory.sypherd2023.long_servedio import Landscape


@dataclass(frozen=True)
class Flipped(Landscape):
    """B with the other sign."""

    def _drive(self, x, exponent):
        return -super()._drive(x, exponent)

    def drive_slope(self, x):
        return -super().drive_slope(x)


@dataclass(frozen=True)
class OtherZero(Landscape):
    """B of twice the odds: its zero is elsewhere."""

    def _drive(self, x, exponent):
        return super()._drive(x, exponent) - self.odds * self.loss.weight(x)


@dataclass(frozen=True)
class Monotone(Landscape):
    """A B that only rises."""

    def drive(self, x):
        return np.arctan(np.asarray(x) - self.alpha * math.log(self.odds))


@dataclass(frozen=True)
class Rippled(Landscape):
    """B with a small wave on it."""

    def drive(self, x):
        return super().drive(x) + 1e-3 * np.sin(7 * np.asarray(x))


@dataclass(frozen=True)
class Offset(Landscape):
    """B with the right signs and limits that are not quite 0."""

    def drive(self, x):
        return super().drive(x) + (0.0 if math.isinf(self.alpha) else 1e-6 * np.tanh(x))


@dataclass(frozen=True)
class PositiveFarOut(Landscape):
    """B that changes its sign once more, far to the left."""

    def drive(self, x):
        return np.where((np.asarray(x) < -35) & math.isfinite(self.alpha), 1e-3, super().drive(x))


@dataclass(frozen=True)
class PositiveAtInfinity(Landscape):
    """B with another sign at α = ∞ only."""

    def drive(self, x):
        return super().drive(x) * (-1 if math.isinf(self.alpha) else 1)


@dataclass(frozen=True)
class Blind(Landscape):
    """Calls everything a fair coin."""

    def accuracy(self, theta):
        return 0.5


@pytest.mark.parametrize(
    ("function", "wrong"),
    [
        (claims.lemma_2_1, Flipped),
        (claims.lemma_2_1, Rippled),
        (claims.lemma_2_2, Monotone),
        (claims.lemma_2_3, Monotone),
        (claims.lemma_2_4, Flipped),
        (claims.lemma_2_4, Offset),
        (claims.lemma_2_5, Flipped),
        (claims.lemma_2_5, Offset),
        (claims.lemma_2_6, OtherZero),
        (claims.lemma_2_6, Flipped),
        (claims.lemma_2_6, PositiveFarOut),
        (claims.lemma_2_6, PositiveAtInfinity),
        (claims.long_servedio, Blind),
        (claims.long_servedio_clean, Blind),
        (claims.eq_40, Flipped),
    ],
)
def test_fails_for_a_wrong_function(function, wrong):
    assert function(wrong).verdict == "fails as printed"
    assert function().verdict.startswith("holds")


@pytest.mark.parametrize("function", [claims.lemma_2_4, claims.lemma_2_5])
def test_the_limits_have_no_caveat_but_infinity(function):
    assert function().verdict == "holds with a caveat"
    assert function(lambda alpha, odds: Landscape(min(alpha, 10.0), min(odds, 9.0))).verdict == "holds"


def test_limits_that_are_not_reversed_are_found_out():
    assert claims.lemma_2_5(signs=(1, -1)).verdict == "fails as printed"


def test_printed_optima_can_be_wrong():
    assert claims.fig_3_logistic((0.80, 1.41)).verdict == "fails as printed"
    assert claims.fig_3_alpha((41.0, 2.2135e-10)).verdict == "fails as printed"
    assert claims.fig_3_alpha((41.59, 2.2135e-10)).verdict == "holds"


def test_theorem_1_reports_the_counterexample_and_the_repair():
    found = claims.theorem_1()
    assert found.verdict == "fails as printed" and found.slack == -0.5
    assert found.evidence["largest_alpha_without"] < found.evidence["fold"] == pytest.approx(1.4175, abs=1e-4)
    assert found.evidence["alphas_without_perfect_minimum"] == sum(a < found.evidence["fold"] for a in claims.TESTED)
    assert found.evidence["perfect_minima_below_fold"] == 0
    assert found.evidence["repair_holds"] == 1
    assert found.evidence["smallest_second_coordinate"] > 0
    assert found.evidence["error_of_first_order_formula"] < 1e-7
    assert found.evidence["smallest_relative_gradient_on_axis"] > 0.1
    assert found.evidence["flow_accuracy_alpha_2"] == 0.5
    assert found.evidence["flow_accuracy_alpha_3"] == 1


def test_theorem_1_depends_on_the_data_margin_and_on_alpha():
    """Above γ* a minimum is perfect for every α, as the logistic optimum is; only it does not lie on the axis."""
    easy = claims.theorem_1(2.0, 0.1)
    assert easy.verdict == "holds with a caveat" and easy.slack == 0 and "fold" not in easy.evidence
    assert claims.theorem_1(alphas=(1.42, 2.0, 10.0)).verdict == "holds with a caveat"
    assert claims.theorem_1(alphas=(1.41, 2.0, 10.0)).verdict == "fails as printed"


def test_the_inequality_after_42_is_reversed():
    found = claims.eq_42()
    assert found.verdict == "fails as printed"
    assert found.slack == pytest.approx(1.01026 - 1.1 * 20 * math.log(2), abs=1e-5)
    assert found.evidence["reversed_inequality_slack"] > 0
    assert found.evidence["gap_alpha_3"] == pytest.approx(-8.854e-10, rel=1e-3)
    assert [found.evidence[f"roots_alpha_{a}"] for a in (1.1, 1.5, 2, 3)] == [1, 3, 3, 1]
    assert found.evidence["largest_value_up_to_alpha_log_N"] < 0 < found.evidence["smallest_value_beyond_the_end"]


def test_the_inequality_after_42_could_have_come_out_as_printed():
    """A B whose zero is farther out has its root beyond α log N / γ, and the check says so."""
    found = claims.eq_42(OtherZero, alphas=(3.0,))
    assert found.verdict == "holds" and found.slack == pytest.approx(60 * math.log(2), rel=1e-6)
    assert found.evidence["smallest_value_beyond_the_end"] < 0


def test_gamma_of_the_specification():
    found = claims.long_servedio().evidence
    assert found["wrong_cases"] == 0
    assert found["gamma_p_0.1_alpha_1"] == pytest.approx(0.057130, abs=1e-6)
    assert found["gamma_p_0.45_alpha_0.3"] == pytest.approx(0.083268, abs=1e-6)
