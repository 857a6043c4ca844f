"""Properties that every loss of the margin must have."""

import math
import warnings
from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import logit
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

EXTREME = np.array([-np.inf, -1e308, -1e6, -750, -40, -1e-300, 0, 1e-300, 40, 750, 1e6, 1e308, np.inf])


def away_from(kinks, loss, z, gap=1e-2):
    near = [abs(z - kink) < gap for kind, points in kinks.items() if isinstance(loss, kind) for kink in points]
    return z[~np.any(near, axis=0)] if near else z


def test_derivatives_match_central_differences(loss, kinks):
    z, h = away_from(kinks, loss, np.linspace(-6, 6, 97)), 1e-5
    for order in (1, 2, 3):
        below = loss.value if order == 1 else lambda x, n=order - 1: loss.derivative(x, n)
        slope = (below(z + h) - below(z - h)) / (2 * h)
        np.testing.assert_allclose(loss.derivative(z, order), slope, rtol=2e-8, atol=2e-8 * max(1, np.abs(slope).max()))


def test_value_is_the_integral_of_the_weight(loss):
    """Independent of the step of a difference quotient: Gauss-Legendre on pieces that no kink crosses."""
    nodes, mass = np.polynomial.legendre.leggauss(40)
    for left, right in ((-4.0, -1.0), (-1.0, 0.0), (0.0, 1.0), (1.0, 5.0)):
        z = (right - left) / 2 * nodes + (right + left) / 2
        drop = (right - left) / 2 * mass @ loss.weight(z)
        assert loss.value(left) - loss.value(right) == pytest.approx(drop, rel=1e-12, abs=1e-13)


def test_silent_and_never_nan_at_extreme_margins(loss):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        results = [loss.value(EXTREME), loss.weight(EXTREME), loss.log_weight(EXTREME), loss.posterior(EXTREME)]
        results += [loss.derivative(EXTREME, order) for order in (1, 2, 3)]
    assert not np.isnan(results).any()


def test_nan_in_nan_out(loss):
    margins = np.array([np.nan, 0.0])
    for result in (loss.value(margins), loss.weight(margins), loss.posterior(margins), loss.derivative(margins, 3)):
        assert np.isnan(result[0])
        assert not np.isnan(result[1])


def test_shapes_and_scalars(loss):
    assert loss.value(np.zeros((2, 3))).shape == (2, 3)
    assert isinstance(loss.value(0), np.float64)
    assert loss.value([]).shape == (0,)
    assert loss.value(np.float32(0.5)).dtype == np.float64


def test_weight_is_minus_the_derivative_and_log_weight_its_logarithm(loss):
    z = np.linspace(-30, 30, 241)
    np.testing.assert_array_equal(loss.weight(z), -loss.derivative(z))
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(loss.log_weight(z), np.log(loss.weight(z)), rtol=1e-12, atol=1e-12)


def test_loss_never_increases_and_stays_below_its_bound(loss):
    values = loss.value(np.linspace(-60, 60, 2001))
    assert (np.diff(values) <= 1e-15 * np.abs(values[1:])).all()
    assert (values <= loss.bound).all()
    assert loss.value(-np.inf) == pytest.approx(loss.bound, rel=1e-15)
    assert (values >= 0).all()


def test_convexity_is_as_declared(loss):
    z = np.linspace(-25, 12, 741)
    values = loss.value(z)
    bends = values[:-2] - 2 * values[1:-1] + values[2:]
    assert loss.is_convex == bool((bends >= -1e-13 * np.abs(values[1:-1])).all())


@pytest.mark.parametrize("eta", [0.6, 0.9])
def test_posterior_is_the_probability_at_which_the_margin_is_optimal(loss, eta):
    def risk(z):
        return eta * loss.value(z) + (1 - eta) * loss.value(-z)

    grid = np.linspace(-1000, 1000, 20001)
    if risk(grid).min() >= risk(np.inf):  # no finite margin is optimal, so none may claim this probability
        assert (loss.posterior(grid) < eta).all()
        return
    start = grid[np.argmin(risk(grid))]
    best = minimize_scalar(risk, bounds=(start - 0.1, start + 0.1), method="bounded", options={"xatol": 1e-11}).x
    # left of the minimiser a smaller probability is served, right of it a larger one; a kink serves a whole range
    below, above = loss.posterior(best - 1e-3), loss.posterior(best + 1e-3)
    assert below - 1e-6 <= eta <= above + 1e-6
    if above - below < 1e-2:
        assert loss.posterior(best) == pytest.approx(eta, abs=1e-5)


def test_slope_of_the_posterior_is_that_of_its_log_odds(loss):
    h = 1e-6
    assert loss.posterior_slope == pytest.approx(logit(loss.posterior(h)) / h, rel=1e-4, abs=1e-6)


def test_posteriors_of_opposite_margins_add_to_one(loss, kinks):
    z = away_from(kinks, loss, np.linspace(0, 500, 1999), gap=1e-9)
    np.testing.assert_allclose(loss.posterior(z) + loss.posterior(-z), 1, atol=1e-15)


def test_losses_are_values(loss):
    same = type(loss)(**{f.name: getattr(loss, f.name) for f in fields(loss) if f.init})
    assert same == loss
    assert hash(same) == hash(loss)
    assert clone(LogisticRegression(class_weight=loss)).class_weight == loss
    with pytest.raises((FrozenInstanceError, AttributeError)):
        loss.alpha = 3


@pytest.mark.parametrize("order", [0, 4, "1", 1.5, math.nan])
def test_only_three_derivatives(loss, order):
    with pytest.raises(ValueError, match="order must be 1, 2 or 3, got"):
        loss.derivative(0.0, order)


@pytest.mark.parametrize("margin", [["right", "wrong"], [[0.0], [0.0, 1.0]]])
def test_margins_that_are_no_numbers_are_refused(loss, margin):
    with pytest.raises(ValueError, match=r"could not convert|inhomogeneous"):
        loss.value(margin)


def test_value_and_weight_together_are_those_apart(loss):
    z = np.concatenate([np.linspace(-60, 60, 241), [-math.inf, -1e300, -1e6, -1e-300, 1e6, math.inf, math.nan]])
    value, weight = loss.value_and_weight(z)
    np.testing.assert_allclose(value, loss.value(z), rtol=1e-14)
    np.testing.assert_allclose(weight, loss.weight(z), rtol=1e-12, atol=1e-300)
