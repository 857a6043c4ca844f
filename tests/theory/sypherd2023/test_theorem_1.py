"""The checks about the Long–Servedio points fail when they are handed something else."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

from marginalia.theory.sypherd2023 import theorem_1 as claims
from marginalia.theory.sypherd2023.long_servedio import Landscape


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


@pytest.mark.parametrize(
    ("function", "wrong"),
    [
        (claims.lemma_2_1, Flipped),
        (claims.lemma_2_2, Monotone),
        (claims.lemma_2_3, Monotone),
        (claims.lemma_2_4, Flipped),
        (claims.lemma_2_5, Flipped),
        (claims.lemma_2_6, OtherZero),
        (claims.lemma_2_6, Flipped),
        (claims.eq_40, Flipped),
    ],
)
def test_fails_for_a_wrong_function(function, wrong):
    if function is not claims.lemma_2_5:
        assert function(wrong).verdict == "fails as printed"
    else:
        assert function(wrong).slack < 0
    assert function().verdict.startswith("holds")


def test_printed_optima_can_be_wrong():
    assert claims.fig_3_logistic((0.80, 1.41)).verdict == "fails as printed"
    assert claims.fig_3_alpha((41.0, 2.2135e-10)).verdict == "fails as printed"
    assert claims.fig_3_alpha((41.59, 2.2135e-10)).verdict == "holds"


def test_theorem_1_reports_the_counterexample_and_the_repair():
    found = claims.theorem_1()
    assert found.verdict == "fails as printed" and found.slack == pytest.approx(-0.4175, abs=1e-4)
    assert found.evidence["perfect_minima_below_fold"] == 0
    assert found.evidence["repair_holds"] == 1
    assert found.evidence["smallest_second_coordinate"] > 0
    assert found.evidence["smallest_relative_gradient_on_axis"] > 0.1


def test_the_inequality_after_42_is_reversed():
    found = claims.eq_42()
    assert found.verdict == "fails as printed"
    assert found.evidence["reversed_inequality_slack"] > 0
    assert found.evidence["gap_alpha_3"] == pytest.approx(-8.854e-10, rel=1e-3)


def test_gamma_of_the_specification():
    found = claims.long_servedio().evidence
    assert found["wrong_cases"] == 0
    assert found["gamma_p_0.1_alpha_1"] == pytest.approx(0.057130, abs=1e-6)
    assert found["gamma_p_0.45_alpha_0.3"] == pytest.approx(0.083268, abs=1e-6)
