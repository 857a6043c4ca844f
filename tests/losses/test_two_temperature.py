"""The two-temperature loss of the margin: published values, tails, finite support and its members."""

import warnings

import mpmath as mp
import numpy as np
import pytest

from marginloss.losses import AlphaLoss, LogisticLoss, TLogisticLoss, TwoTemperatureLoss
from marginloss.losses.tempered import two_temperature_loss


def test_values_behind_figure_1c():
    margins = np.array([-6, -4, -2, -1, 0, 1, 2, 4, 6])
    tempered = [2.56123, 2.08000, 1.44214, 1.06118, 0.693147, 0.42472, 0.26974, 0.13345, 0.08035]
    bounded = [1.60255, 1.41205, 1.09584, 0.86471, 0.605354, 0.39060, 0.25570, 0.12995, 0.07908]
    np.testing.assert_allclose(TLogisticLoss(1.6).value(margins), tempered, atol=6e-6)
    np.testing.assert_allclose(TwoTemperatureLoss(0.6, 1.6).value(margins), bounded, atol=6e-6)


@pytest.mark.parametrize(("t1", "t2"), [(0.1, 1.12), (0.6, 1.6), (1, 2), (0.3, 0.7), (1.4, 1.4), (0.5, 1)])
def test_values_and_weights_at_the_exact_margin_of_a_probability(t1, t2):
    """The inverse link needs no solver: the margin of p is log_t2 p - log_t2 (1 - p)."""

    def log_t(x, t):
        return mp.log(x) if t == 1 else (x ** (1 - mp.mpf(t)) - 1) / (1 - mp.mpf(t))

    loss = TwoTemperatureLoss(t1, t2)
    with mp.workdps(60):
        for p in (mp.mpf("0.02"), mp.mpf("0.3"), mp.mpf("0.5"), mp.mpf("0.8"), mp.mpf("0.97")):
            z = float(log_t(p, t2) - log_t(1 - p, t2))
            escort = (1 - p) ** t2 / (p**t2 + (1 - p) ** t2)
            # the margin is rounded to double; the loss changes with it at most at the rate of its weight
            assert loss.value(z) == pytest.approx(float(-log_t(p, t1)), rel=1e-14, abs=2e-16 * max(1, abs(z)))
            assert loss.weight(z) == pytest.approx(float(p ** (t2 - mp.mpf(t1)) * escort), rel=2e-14)


@pytest.mark.parametrize("alpha", [0.5, 0.8, 1, 1.5, 4, 1e6, np.inf])
def test_alpha_loss_is_the_case_of_t2_one(alpha):
    z = np.linspace(-40, 40, 161)
    ours, alpha_loss = TwoTemperatureLoss(1 / alpha if alpha < np.inf else 0, 1), AlphaLoss(alpha)
    np.testing.assert_allclose(ours.value(z), alpha_loss.value(z), rtol=1e-12, atol=0)
    for order in (1, 2, 3):
        peak = np.abs(alpha_loss.derivative(z, order)).max()
        np.testing.assert_allclose(
            ours.derivative(z, order), alpha_loss.derivative(z, order), rtol=1e-10, atol=1e-15 * peak
        )
    np.testing.assert_allclose(ours.posterior(z), alpha_loss.posterior(z), rtol=1e-12)
    if alpha > 1:
        assert ours.inflection == pytest.approx(alpha_loss.inflection, abs=1e-14)
    assert ours.is_convex == alpha_loss.is_convex


def test_margin_and_two_classes_agree():
    z = np.linspace(-9, 9, 37)
    activations = np.stack([z / 2, -z / 2], axis=1)
    for t1, t2 in ((0.6, 1.6), (0.3, 0.5), (1.2, 1.0)):
        multi, gradient = two_temperature_loss(activations, np.zeros(37, dtype=int), t1, t2, gradient=True)
        loss = TwoTemperatureLoss(t1, t2)
        np.testing.assert_allclose(loss.value(z), multi, rtol=1e-12, atol=1e-300)
        np.testing.assert_allclose(loss.derivative(z), gradient[:, 0], rtol=1e-10, atol=1e-300)


@pytest.mark.parametrize(
    ("t1", "t2", "margin"),
    [(0.1, 1.12, -0.09564420), (0.6, 1.6, -0.52710206), (1, 1.6, -1.08753460), (0.9, 1.3, -1.22877023), (0, 1.4, 0.0)],
)
def test_inflection_point(t1, t2, margin):
    loss = TwoTemperatureLoss(t1, t2)
    assert loss.inflection == pytest.approx(margin, abs=6e-9)
    assert abs(loss.derivative(loss.inflection, 2)) < 1e-14
    assert loss.derivative(loss.inflection - 0.01, 2) < 0 < loss.derivative(loss.inflection + 0.01, 2)
    assert loss.weight(loss.inflection) <= 1


def test_inflection_of_convex_and_finitely_supported_losses():
    assert LogisticLoss().inflection == TwoTemperatureLoss(1, 1).inflection == -np.inf
    assert TwoTemperatureLoss(0.8, 0.5).inflection == -2


@pytest.mark.parametrize(("t1", "t2"), [(0.3, 0.5), (0.8, 0.5), (0.5, 0.5), (0.2, 0), (0.4, 0.9)])
def test_finite_support(t1, t2):
    edge = 1 / (1 - t2)
    loss = TwoTemperatureLoss(t1, t2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        outside = np.array([-np.inf, -1e300, -edge - 1e-9, edge + 1e-9, 1e300, np.inf])
        np.testing.assert_allclose(loss.value(outside), [1 / (1 - t1)] * 3 + [0] * 3, rtol=1e-14)
        for order in (1, 2, 3):
            np.testing.assert_array_equal(loss.derivative(outside, order), 0)
            assert np.isfinite(loss.derivative(np.linspace(-0.999 * edge, 0.999 * edge, 101), order)).all()
            near = loss.derivative([-edge, np.nextafter(-edge, 0), np.nextafter(edge, 0), edge], order)
            assert not np.isnan(near).any()
    z, h = np.linspace(-0.9 * edge, 0.9 * edge, 41), 1e-5 * edge
    for order, below in ((1, loss.value), (2, loss.derivative), (3, lambda x: loss.derivative(x, 2))):
        slope = (below(z + h) - below(z - h)) / (2 * h)
        np.testing.assert_allclose(loss.derivative(z, order), slope, rtol=1e-6, atol=1e-6 * np.abs(slope).max())


def test_infinite_beyond_the_support_when_t1_is_at_least_one():
    loss = TwoTemperatureLoss(1, 0.5)
    assert loss.value(-3.0) == np.inf
    assert loss.weight(-3.0) == np.inf
    assert loss.value(3.0) == 0
    assert loss.is_convex


@pytest.mark.parametrize(("t1", "t2"), [(0.1, 1.12), (0.6, 1.6), (1, 1.6), (0.9, 1.3)])
def test_tails(t1, t2):
    """Polynomial tails of weight and loss; the relative error falls like one over the margin."""
    z, s = 1e9, t2 - 1
    loss = TwoTemperatureLoss(t1, t2)
    assert loss.log_weight(-z) == pytest.approx(-(t2 - t1) / s * np.log(s * z), abs=1e-6)
    assert np.log(loss.value(z)) == pytest.approx(-np.log(s * z) / s, abs=1e-6)


@pytest.mark.parametrize("kind", ["t1", "t2"])
@pytest.mark.parametrize("value", [-1, np.nan, np.inf, "a"])
def test_bad_temperatures(kind, value):
    with pytest.raises(ValueError, match=f"{kind} must be a number in"):
        TwoTemperatureLoss(**{"t1": 1, "t2": 1, kind: value})
    with pytest.raises(ValueError, match="t must be a number in"):
        TLogisticLoss(value)


@pytest.mark.parametrize(("t1", "t2"), [(0.1, 1.12), (1, 1.6), (1.5, 1.2), (0.5, 1), (0.3, 0.6)])
def test_value_and_weight_together(t1, t2):
    loss = TwoTemperatureLoss(t1, t2)
    z = np.concatenate([np.linspace(-50, 50, 101), [-1e6, 1e6]])
    value, weight = loss.value_and_weight(z)
    np.testing.assert_allclose(value, loss.value(z), rtol=2e-15)
    np.testing.assert_allclose(weight, loss.weight(z), rtol=1e-12, atol=1e-300)
