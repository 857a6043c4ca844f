"""Smoothed CVaR against 40-digit arithmetic, finite differences, its bounds and its limits."""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import logsumexp

from marginloss.risk import cvar, cvar_weights, smoothed_cvar


def precise(losses, alpha, beta):
    """Bisection for the normaliser in 40 digits."""
    with mp.workdps(40):
        n = len(losses)
        z = [mp.mpf(float(x)) for x in losses]
        top, cap = max(z), 1 / (mp.mpf(alpha) * n)

        def weights(theta):
            return [min(cap, mp.exp(beta * (x - top) - theta)) for x in z]

        # at the low end every weight is at its cap, at the high end the sum is below one
        low, high = beta * (min(z) - top) - mp.log(cap) - 1, mp.log(n) + 1
        for _ in range(160):
            middle = (low + high) / 2
            low, high = (middle, high) if sum(weights(middle)) >= 1 else (low, middle)
        w = weights(low)
        entropy = sum(x * mp.log(x * n) for x in w if x > 0)
        return float(sum(x * y for x, y in zip(w, z, strict=True)) - entropy / beta)


@pytest.mark.parametrize("beta", [1e-6, 0.01, 1.0, 30.0, 1e4, 1e6])
@pytest.mark.parametrize("alpha", [0.05, 0.3, 0.77])
def test_forty_digits(alpha, beta):
    losses = np.random.default_rng(7).random(20)
    assert_allclose(smoothed_cvar(losses, alpha, beta), precise(losses, alpha, beta), rtol=3e-14)


@settings(deadline=None)
@given(st.lists(st.floats(0, 1, width=32), min_size=1, max_size=30), st.floats(0.01, 1.0), st.floats(1e-3, 1e5))
def test_bounds(losses, alpha, beta):
    tail, smooth = cvar(losses, alpha), smoothed_cvar(losses, alpha, beta)
    assert smooth <= tail + 1e-12
    assert smooth >= tail - np.log(1 / alpha) / beta - 1e-12


def test_gradient_is_the_weights():
    rng = np.random.default_rng(2)
    losses, h = rng.random(15), 1e-6
    for alpha, beta in [(0.2, 5.0), (0.5, 50.0), (1.0, 3.0)]:
        slope = [
            (smoothed_cvar(losses + h * e, alpha, beta) - smoothed_cvar(losses - h * e, alpha, beta)) / (2 * h)
            for e in np.eye(15)
        ]
        assert_allclose(slope, cvar_weights(losses, alpha, beta), atol=2e-8)


def test_limits():
    losses = np.random.default_rng(3).random(40)
    assert_allclose(smoothed_cvar(losses, 0.3, 1e9), cvar(losses, 0.3), rtol=1e-8)
    assert_allclose(smoothed_cvar(losses, 0.3, 1e-8), losses.mean(), rtol=1e-8)
    assert_allclose(smoothed_cvar(losses, 1.0, 17.0), losses.mean(), rtol=1e-13)
    # no cap: the log-mean-exp of AdaBoost with an l1 constraint
    assert_allclose(smoothed_cvar(losses, 1 / 40, 9.0), logsumexp(9.0 * losses, b=1 / 40) / 9.0, rtol=1e-13)


def test_weights_equal_repetition():
    rng = np.random.default_rng(4)
    losses, counts = rng.random(12), rng.integers(0, 4, 12)
    assert_allclose(
        smoothed_cvar(losses, 0.25, 8.0, sample_weight=counts),
        smoothed_cvar(np.repeat(losses, counts), 0.25, 8.0),
        rtol=1e-13,
    )


@pytest.mark.parametrize("beta", [0.0, -1.0, np.nan, np.inf, None])
def test_bad_beta(beta):
    with pytest.raises(ValueError, match="beta must be a number in"):
        smoothed_cvar([1.0, 0.0], 0.5, beta)
