"""CVaR against exact rational arithmetic, its dual form and a linear program."""

from fractions import Fraction
from math import floor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import linprog

from marginloss.risk import cvar, cvar_curve, cvar_weights


def exact_cvar(losses, alpha):
    """The definition in rationals: fill mass alpha from the largest loss on, edge sample counted in part."""
    ordered = sorted((Fraction(x) for x in losses), reverse=True)
    k = Fraction(alpha) * len(ordered)
    m = floor(k)
    total = sum(ordered[:m], Fraction(0))
    if m < len(ordered):
        total += (k - m) * ordered[m]
    return total / k


def exact_weighted_cvar(losses, alpha, weights):
    alpha, total = Fraction(alpha), sum(map(Fraction, weights))
    left, area = alpha, Fraction(0)
    for loss, weight in sorted(zip(map(Fraction, losses), weights, strict=True), reverse=True):
        mass = min(left, Fraction(weight) / total)
        left, area = left - mass, area + mass * loss
    return area / alpha


LOSSES = st.lists(st.floats(-1e3, 1e3, width=32), min_size=1, max_size=40)
TAILS = st.floats(1e-3, 1.0)


@settings(deadline=None)
@given(LOSSES, TAILS)
def test_equals_exact_rationals(losses, alpha):
    exact = float(exact_cvar(losses, alpha))
    assert_allclose(cvar(losses, alpha), exact, rtol=1e-12, atol=1e-10)
    assert_allclose(cvar_curve(losses, [alpha])[0], exact, rtol=1e-12, atol=1e-10)
    assert_allclose(cvar_weights(losses, alpha) @ np.array(losses), exact, rtol=1e-12, atol=1e-10)


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(-1e3, 1e3, width=32), st.integers(0, 5)), min_size=1, max_size=20), TAILS)
def test_weights_equal_repetition(pairs, alpha):
    losses, weights = map(list, zip(*pairs, strict=True))
    if sum(weights) == 0:
        with pytest.raises(ValueError, match="sample_weight must not be all zero"):
            cvar(losses, alpha, sample_weight=weights)
        return
    exact = float(exact_weighted_cvar(losses, alpha, weights))
    assert_allclose(cvar(losses, alpha, sample_weight=weights), exact, rtol=1e-11, atol=1e-10)
    assert_allclose(cvar(np.repeat(losses, weights), alpha), exact, rtol=1e-11, atol=1e-10)
    found = cvar_weights(losses, alpha, sample_weight=weights)
    assert_allclose(found @ np.array(losses), exact, rtol=1e-11, atol=1e-10)
    assert (found[np.array(weights) == 0] == 0).all()


@pytest.mark.parametrize("seed", range(5))
def test_curve_equals_single_calls_in_any_order(seed):
    rng = np.random.default_rng(seed)
    losses = rng.choice([rng.normal(size=57), rng.integers(0, 3, 57).astype(float)])
    alphas = rng.permutation(np.concatenate([np.arange(1, 58) / 57, rng.random(20), [1e-6, 1.0]]))
    alphas = np.clip(alphas, 1e-9, 1)
    expected = [float(exact_cvar(losses, a)) for a in alphas]
    assert_allclose(cvar_curve(losses, alphas), expected, rtol=1e-12, atol=1e-13)
    assert_allclose(cvar_curve(losses, alphas, sample_weight=np.full(57, 3.0)), expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("seed", range(5))
def test_equals_linear_program(seed):
    rng = np.random.default_rng(seed)
    n, alpha = 23, rng.uniform(0.01, 1)
    losses = rng.integers(0, 5, n) / 4
    program = linprog(
        -losses, A_eq=np.ones((1, n)), b_eq=[1.0], bounds=(0, 1 / (alpha * n)) if alpha * n > 1 else (0, 1)
    )
    assert_allclose(cvar(losses, alpha), -program.fun, rtol=1e-9)


def test_fractional_tail_by_hand():
    # k = 2.5: two whole samples and half of the third
    assert cvar([5.0, 1.0, 3.0, 0.0, 0.0], 0.5) == pytest.approx((5 + 3 + 0.5 * 1) / 2.5, rel=1e-15)


def test_ends():
    losses = [0.3, 0.1, 0.8]
    assert cvar(losses, 1e-9) == 0.8
    assert cvar(losses, 1 / 3) == 0.8
    assert_allclose(cvar(losses, 1.0), 0.4, rtol=1e-15)
    assert cvar([2.0], 0.7) == 2.0
    assert cvar([np.inf, 0.0, 0.0], 1.0) == np.inf
    assert (cvar_curve([np.inf, 0.0], [0.1, 1.0]) == np.inf).all()
    assert cvar([np.inf, 1.0], 1.0, sample_weight=[0.0, 1.0]) == 1.0


def test_weights_are_capped_and_ties_shared():
    losses = np.array([1, 0, 1, 1, 0, 0, 0, 0, 0, 0], float)
    weights = cvar_weights(losses, 0.2)
    assert_allclose(weights, np.where(losses == 1, 1 / 3, 0))
    weights = cvar_weights(losses, 0.5)
    assert_allclose(weights, np.where(losses == 1, 0.2, 0.4 / 7))
    # alpha n is a whole number in exact arithmetic and 3.0000000000000004 in floating point
    assert_allclose(cvar_weights(losses, 0.3), np.where(losses == 1, 1 / 3, 0), atol=1e-15)


@settings(deadline=None)
@given(LOSSES, TAILS)
def test_weights_lie_in_the_capped_simplex(losses, alpha):
    weights = cvar_weights(losses, alpha)
    assert (weights >= 0).all()
    assert weights.max() <= max(1.0 / (alpha * len(losses)), 0) * (1 + 1e-12)
    assert_allclose(weights.sum(), 1, rtol=1e-13)


def test_entropic_weights_tend_to_the_maximiser():
    losses = np.array([0.9, 0.5, 0.5, 0.5, 0.1])
    assert_allclose(cvar_weights(losses, 0.4, beta=1e6), cvar_weights(losses, 0.4), atol=1e-12)
    assert_allclose(cvar_weights(losses, 0.4, beta=1e-9), np.full(5, 0.2), atol=1e-9)


def test_weights_keep_the_order_of_samples():
    rng = np.random.default_rng(3)
    losses, shuffle = rng.random(50), rng.permutation(50)
    for beta in (None, 10.0):
        assert_allclose(
            cvar_weights(losses[shuffle], 0.13, beta), cvar_weights(losses, 0.13, beta)[shuffle], atol=1e-15
        )


@pytest.mark.parametrize("alpha", [0.0, -0.1, 1.0001, np.nan, "0.1", None, True])
def test_bad_tail_fraction(alpha):
    for function in (cvar, cvar_weights):
        with pytest.raises(ValueError, match="alpha must be a number in"):
            function([1.0, 2.0], alpha)


def test_bad_losses():
    for losses, message in [
        ([], "empty"),
        ([np.nan, 1.0], "above -inf"),
        ([-np.inf, 1.0], "above -inf"),
        ([[1.0, 2.0]], "1 axis"),
        (["a"], "array of numbers"),
    ]:
        for function in (lambda x: cvar(x, 0.5), lambda x: cvar_weights(x, 0.5), lambda x: cvar_curve(x, [0.5])):
            with pytest.raises(ValueError, match=message):
                function(losses)
    with pytest.raises(ValueError, match="must be finite"):
        cvar_weights([np.inf, 1.0], 0.5, beta=1.0)
    with pytest.raises(ValueError, match="alphas must be a number in"):
        cvar_curve([1.0], [0.5, 0.0])
    with pytest.raises(ValueError, match="alphas must be a sequence"):
        cvar_curve([1.0], 0.5)
    for weight, message in [([1.0], "shape"), ([1.0, -1.0], "not negative"), ([np.nan, 1.0], "finite")]:
        with pytest.raises(ValueError, match=message):
            cvar([1.0, 2.0], 0.5, sample_weight=weight)
