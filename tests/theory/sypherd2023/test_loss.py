"""Each check about the loss fails when it is handed a wrong formula."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.special import expit

from marginloss.boosting import AdaBoostAlphaClassifier
from marginloss.losses import AlphaLoss
from marginloss.theory.sypherd2023 import loss as claims


@dataclass(frozen=True)
class ScaledArgument(AlphaLoss):
    """The sigmoid of twice the margin: a right loss of another family."""

    def _value(self, z):
        return super()._value(2 * z)

    def _weight(self, z):
        return 2 * super()._weight(2 * z)

    def _log_weight(self, z):
        return math.log(2) + super()._log_weight(2 * z)


@dataclass(frozen=True)
class Jump(AlphaLoss):
    """Right at the three named values of α, and 1 % off everywhere else."""

    def _value(self, z):
        return super()._value(z) * (1.0 if self.alpha in (0.5, 1.0, math.inf) else 1.01)


@dataclass(frozen=True)
class JumpBesideOne(AlphaLoss):
    """Away from its limit by three millionths next to α = 1."""

    def _value(self, z):
        return super()._value(z) + (3e-6 if 0 < abs(self.alpha - 1) < 1e-3 else 0.0)


@dataclass(frozen=True)
class JumpInside(AlphaLoss):
    """Right at α = 1.44 and 1 % off next to it."""

    def _value(self, z):
        return super()._value(z) * (1.01 if 0 < abs(self.alpha - 1.44) < 1e-3 else 1.0)


@dataclass(frozen=True)
class OtherPath(AlphaLoss):
    """Right at the three named values of α and smooth, on another path between them."""

    @property
    def exponent(self):
        s = super().exponent
        return s + 1e-3 * (s * (1 - s) * (1 + s)) ** 2


@dataclass(frozen=True)
class NoLimit(AlphaLoss):
    """Tends to something else than the sigmoid loss."""

    def _value(self, z):
        return super()._value(z) * (1.01 if 1e6 < self.alpha < math.inf else 1.0)


@dataclass(frozen=True)
class Bent(AlphaLoss):
    """With a wave that breaks convexity."""

    def _value(self, z):
        return super()._value(z) + 0.3 * np.sin(2 * z)


@dataclass(frozen=True)
class Skewed(AlphaLoss):
    """A minimiser on the wrong side for probabilities near one half."""

    def _value(self, z):
        return super()._value(z) + 0.5 * expit(4 * z)


@dataclass(frozen=True)
class OtherOptimum(AlphaLoss):
    """Weights whose ratio asks for another score, on the right side."""

    def _log_weight(self, z):
        return 2 * super()._log_weight(z)


@dataclass(frozen=True)
class OtherInflection(AlphaLoss):
    """A second derivative that vanishes elsewhere."""

    def _derivative(self, z, order):
        return super()._derivative(np.asarray(z) + 0.01, order)


@dataclass(frozen=True)
class WrongSecond(AlphaLoss):
    """The second and third derivatives without the factor that Lemma 1 prints."""

    def _derivative(self, z, order):
        return super()._derivative(z, order) * (1 + 1e-6)


@dataclass(frozen=True)
class Linear(AlphaLoss):
    """Grows like the margin at α = 1.44."""

    def _value(self, z):
        return np.maximum(0.0, 1 - 2 * z)


@dataclass(frozen=True)
class NeverSaturates(AlphaLoss):
    """Weights that stay away from those of the sigmoid loss."""

    def _weight(self, z):
        return super()._weight(z) + (0.0 if math.isinf(self.alpha) else 0.1 * expit(z) * expit(-z))


@dataclass(frozen=True)
class OtherPower(AlphaLoss):
    """The power 1/α instead of 1 - 1/α."""

    @property
    def exponent(self):
        return 1.0 if math.isinf(self.alpha) else 1 / self.alpha - 1


WRONG = {
    claims.definition_1: [ScaledArgument, Jump, JumpBesideOne, JumpInside, OtherPath, NoLimit],
    claims.proposition_1: [Bent, OtherPower, OtherInflection],
    claims.section_2_1: [ScaledArgument, Linear],
    claims.calibration: [Skewed, OtherOptimum],
    claims.lemma_1: [WrongSecond, ScaledArgument],
    claims.saturation: [NeverSaturates],
}


@pytest.mark.parametrize("function", WRONG, ids=lambda function: function.__name__)
def test_holds_for_the_loss_of_the_paper(function):
    assert function().verdict == "holds"


@pytest.mark.parametrize(
    ("function", "family"),
    [(function, family) for function, families in WRONG.items() for family in families],
    ids=lambda thing: thing.__name__,
)
def test_fails_for_a_wrong_formula(function, family):
    assert function(family).verdict == "fails as printed"


@dataclass(frozen=True)
class SlowApproach(AlphaLoss):
    """Approaches the sigmoid loss, like one over the root of α."""

    def _weight(self, z):
        extra = 0.0 if math.isinf(self.alpha) else 0.5 / math.sqrt(self.alpha)
        return super()._weight(z) + extra * expit(z) * expit(-z)


def test_a_slow_approach_is_not_quick():
    assert claims.saturation(SlowApproach).verdict == "fails as printed"


@pytest.mark.parametrize("check", [claims.section_3_1, claims.section_3_1_multiclass])
def test_the_booster_itself_is_looked_at(check):
    assert check().verdict == "holds"

    def exponent_off(alpha):
        return AdaBoostAlphaClassifier(1.01 * alpha, n_estimators=30)

    def longer_steps(alpha):
        return AdaBoostAlphaClassifier(alpha, n_estimators=30, learning_rate=1.01)

    assert check(exponent_off).verdict == "fails as printed"
    assert check(longer_steps).verdict == "fails as printed"


def test_comparisons_of_two_losses_fail_when_they_are_exchanged():
    def exchanged(alpha):
        return AlphaLoss(math.inf if alpha == 1 else 1.0)

    assert claims.lemma_3(exchanged).verdict == "fails as printed"
    assert claims.lemma_4(exchanged).verdict == "fails as printed"


def test_log_2_is_where_the_two_third_derivatives_meet():
    found = claims.lemma_4().evidence
    assert found["gap_at_log_2"] == pytest.approx(0, abs=1e-16)
    assert found["largest_gap_inside"] < 0


def test_numbers_of_the_specification():
    grown = claims.section_2_1().evidence
    assert grown["growth_alpha_0.5"] == pytest.approx(145.69, abs=0.005)
    assert grown["growth_alpha_1.44"] == pytest.approx(1.482, abs=0.0005)
    distance = claims.saturation().evidence
    found = [distance[f"distance_alpha_{alpha}"] for alpha in (2, 5, 8, 20)]
    assert found == pytest.approx([0.202, 0.061, 0.036, 0.0135], abs=5e-4)
