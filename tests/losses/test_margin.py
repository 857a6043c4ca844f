"""The α-loss and its relatives against closed forms and against many-digit arithmetic."""

import math

import mpmath as mp
import numpy as np
import pytest

from marginloss.losses import (
    AlphaLoss,
    ExponentialLoss,
    GeneralizedCrossEntropyLoss,
    LogisticLoss,
    SigmoidLoss,
    SmoothBoostLoss,
)

ALPHAS = [0.1, 0.3, 0.5, 0.77, 1 - 1e-6, math.nextafter(1, 0), 1, math.nextafter(1, 2), 1 + 1e-6, 1.1, 2, 20, math.inf]
MARGINS = [-700.0, -50.0, -5.0, -1.0, -1e-9, 0.0, 0.3, 1.0, 5.0, 50.0, 700.0]


def exact(alpha, z):
    """Definition 1 of sypherd2023, read literally."""
    sigma = 1 / (1 + mp.exp(-mp.mpf(z)))
    if math.isinf(alpha):
        return 1 - sigma
    if alpha == 1:
        return -mp.log(sigma)
    alpha = mp.mpf(alpha)
    return alpha / (alpha - 1) * (1 - sigma ** (1 - 1 / alpha))


@pytest.mark.parametrize("alpha", ALPHAS)
def test_alpha_loss_against_many_digits(alpha):
    with mp.workdps(400):  # exp(-700) cancels against 1 in the literal form
        for z in MARGINS:
            conditioning = 1 + abs((1 - 1 / alpha) * z)  # of exp
            expected = exact(alpha, z)
            if abs(expected) < 1e300:
                assert float(abs(AlphaLoss(alpha).value(z) - expected) / abs(expected)) <= 1e-15 * (5 + conditioning)


@pytest.mark.parametrize("alpha", [0.3, 0.77, 1, 1.44, 3, math.inf])
@pytest.mark.parametrize("order", [1, 2, 3])
def test_alpha_derivatives_against_many_digits(alpha, order):
    """Lemma 1, equations (20)-(22) of sypherd2023."""
    with mp.workdps(60):
        for z in (-9.0, -2.0, -0.5, 0.0, 0.7, 3.0, 9.0):
            expected = mp.diff(lambda x: exact(alpha, x), z, order)
            scale = max(abs(expected), mp.mpf(AlphaLoss(alpha).weight(z)))
            assert float(abs(AlphaLoss(alpha).derivative(z, order) - expected) / scale) < 1e-14


def test_closed_forms():
    z = np.linspace(-20, 20, 81)
    sigma = 1 / (1 + np.exp(-z))
    np.testing.assert_allclose(ExponentialLoss().value(z), np.exp(-z), rtol=2e-14)
    np.testing.assert_allclose(LogisticLoss().value(z), np.log1p(np.exp(-z)), rtol=1e-14)
    np.testing.assert_allclose(SigmoidLoss().value(z), 1 / (1 + np.exp(z)), rtol=1e-14)
    np.testing.assert_allclose(AlphaLoss(2).value(z), 2 * (1 - np.sqrt(sigma)), atol=1e-15)


def test_right_numbers_at_huge_margins():
    np.testing.assert_allclose(AlphaLoss(2).value([-1e6, 0, 1e6]), [2, 2 - math.sqrt(2), 0], rtol=1e-15)
    assert AlphaLoss(0.9).value(-1e6) == math.inf
    assert AlphaLoss(1).value(-1e6) == 1e6


@pytest.mark.parametrize(("alpha", "top"), [(1.1, 0.7313), (2, 0.3849), (math.inf, 0.25)])
def test_the_largest_weight_is_at_the_inflection(alpha, top):
    loss = AlphaLoss(alpha)
    s = loss.exponent
    assert loss.inflection == pytest.approx(math.log(s))
    assert loss.derivative(loss.inflection, 2) == pytest.approx(0, abs=1e-15)
    assert loss.weight(loss.inflection) == pytest.approx(s**s / (1 + s) ** (1 + s), rel=1e-14)
    assert loss.weight(loss.inflection) == pytest.approx(top, abs=5e-5)
    assert loss.weight(loss.inflection) == pytest.approx(loss.weight(np.linspace(-9, 9, 90001)).max(), rel=1e-7)


def test_a_convex_loss_has_no_inflection():
    assert AlphaLoss(1).inflection == -math.inf


@pytest.mark.parametrize("alpha", [0.5, 1, 1.44, 20])
def test_the_conditional_risk_is_smallest_at_alpha_times_the_logit(alpha):
    loss, eta = AlphaLoss(alpha), 0.73
    best = alpha * math.log(eta / (1 - eta))
    assert eta * loss.derivative(best) - (1 - eta) * loss.derivative(-best) == pytest.approx(0, abs=1e-15)
    assert loss.posterior(best) == pytest.approx(eta, rel=1e-14)


def test_generalised_cross_entropy_is_the_alpha_loss():
    z = np.linspace(-30, 30, 61)
    for q in (0.1, 0.5, 0.9):
        np.testing.assert_allclose(GeneralizedCrossEntropyLoss(q).value(z), AlphaLoss(1 / (1 - q)).value(z), rtol=3e-14)
    np.testing.assert_array_equal(GeneralizedCrossEntropyLoss(1).value(z), SigmoidLoss().value(z))
    np.testing.assert_array_equal(GeneralizedCrossEntropyLoss(0).value(z), LogisticLoss().value(z))


def test_smoothboost_weight_is_the_measure():
    gamma = 0.19
    loss = SmoothBoostLoss(gamma)
    assert loss.weight(-3) == loss.weight(0) == 1
    assert loss.weight(2) == pytest.approx(1 - gamma, rel=1e-15)
    assert loss.weight(7) == pytest.approx((1 - gamma) ** 3.5, rel=1e-14)
    beta = -math.log(1 - gamma) / 2
    assert loss.value(-4) == pytest.approx(1 / beta + 4, rel=1e-15)
    # at the kink, from the right
    assert loss.derivative(0, 2) == pytest.approx(beta, rel=1e-15)
    assert loss.derivative(0, 3) == pytest.approx(-(beta**2), rel=1e-15)
    assert loss.derivative(-1, 2) == 0


@pytest.mark.parametrize("alpha", [0, -1, math.nan, -math.inf, "two", None, True, [1, 2]])
def test_alpha_must_be_positive(alpha):
    with pytest.raises(ValueError, match=r"alpha must be a number in \(0, inf\], got"):
        AlphaLoss(alpha)


@pytest.mark.parametrize(
    ("make", "bad"), [(GeneralizedCrossEntropyLoss, 1.01), (SmoothBoostLoss, 0.5), (SmoothBoostLoss, 0)]
)
def test_other_parameters_are_checked(make, bad):
    with pytest.raises(ValueError, match=rf"got {bad}"):
        make(bad)


def test_repr_reads_like_code():
    assert repr(AlphaLoss(2)) == "AlphaLoss(alpha=2.0)"
    assert repr(ExponentialLoss()) == "ExponentialLoss()"


@pytest.mark.parametrize("alpha", [0.3, 0.5, 1.0, 1.0 + 1e-12, 1.7, 20.0, np.inf])
def test_value_and_weight_together(alpha):
    loss = AlphaLoss(alpha)
    z = np.concatenate([-np.geomspace(1e-320, 1e4, 400), [0.0, -np.inf, np.inf], np.geomspace(1e-320, 1e4, 400)])
    value, weight = loss.value_and_weight(z)
    np.testing.assert_allclose(value, loss.value(z), rtol=2e-15)
    np.testing.assert_allclose(weight, loss.weight(z), rtol=3e-13, atol=1e-300)
    assert np.isnan(loss.value_and_weight(np.nan)).all()


@pytest.mark.parametrize("alpha", [0.3, 1.0, 1.7, np.inf])
def test_log_weights_of_both_sides(alpha):
    loss, z = AlphaLoss(alpha), np.array([-np.inf, -800.0, -3.0, 0.0, 2.0, 900.0, np.inf])
    there, opposite = loss.log_weights(z)
    np.testing.assert_array_equal(there, loss.log_weight(z))
    np.testing.assert_array_equal(opposite, loss.log_weight(-z))
