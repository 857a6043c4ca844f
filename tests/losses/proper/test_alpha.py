"""The α-loss of class-probability estimation against definitions evaluated with 60 digits."""

import math
import warnings

import mpmath as mp
import numpy as np
import pytest

from marginloss.losses import AlphaLoss
from marginloss.losses.proper import AlphaCPELoss, links
from marginloss.theory.sypherd2022.clipped import clipped_inverse_link

mp.mp.dps = 80
ALPHAS = [0.05, 0.3, 0.5, 0.9, 1 - 1e-12, 1, 1 + 1e-12, 1.005, 1.1, 1.5, 2, 2.7, 4, 8, 100.0, 1e6]
U = np.array([1e-30, 1e-12, 1e-3, 0.2, 0.4999, 0.5, 0.7, 0.999, 1 - 1e-12])
EXTREME = np.array([-np.inf, -1e308, -1e6, -750, -40, -1.25, -1e-300, 0, 1e-300, 1, 40, 750, 1e6, 1e308, np.inf])


def mp_partial(alpha, u, y):
    a, u = mp.mpf(alpha), mp.mpf(u)
    if a < 0:
        a, y = -a, -y
    u = u if y > 0 else 1 - u
    return -mp.log(u) if a == 1 else a / (a - 1) * (1 - u ** (1 - 1 / a))


def mp_tilt(alpha, v):
    return mp.mpf(v) ** alpha / (mp.mpf(v) ** alpha + (1 - mp.mpf(v)) ** alpha)


def mp_link(alpha, v):
    """Minus the derivative of the Bayes risk, from the partial losses at the tilted estimate."""
    a, v = mp.mpf(alpha), mp.mpf(v)
    odds = ((1 - v) / v) ** a
    log_t, log_1_t = -mp.log1p(odds), mp.log(odds) - mp.log1p(odds)
    if a == 1:
        return log_t - log_1_t
    beta = 1 - 1 / a
    return (mp.exp(beta * log_t) - mp.exp(beta * log_1_t)) / beta


@pytest.mark.parametrize("alpha", [*ALPHAS, -0.5, -1, -2, -30])
@pytest.mark.parametrize("y", [-1, 1])
def test_partial_loss_and_derivatives(alpha, y):
    cpe = AlphaCPELoss(alpha)
    expected = [float(mp_partial(alpha, u, y)) for u in U]
    np.testing.assert_allclose(cpe.partial(U, y), expected, rtol=3e-13)
    middle = U[(U > 1e-4) & (U < 1 - 1e-4)]
    for order in (1, 2, 3):
        expected = [float(mp.diff(lambda u: mp_partial(alpha, u, y), mp.mpf(u), order)) for u in middle]
        np.testing.assert_allclose(cpe.partial_derivative(middle, y, order), expected, rtol=1e-11)


@pytest.mark.parametrize(
    ("alpha", "at_zero", "at_half"),
    [(math.inf, 1, 0.5), (2, 2, 2 - 2**0.5), (1, math.inf, math.log(2)), (0, math.inf, math.inf)],
)
def test_ends_of_the_partial_loss(alpha, at_zero, at_half):
    cpe = AlphaCPELoss(alpha)
    np.testing.assert_allclose(cpe.partial([0, 0.5, 1], 1), [at_zero, at_half, 0], rtol=1e-15)
    np.testing.assert_allclose(cpe.partial([1, 0.5, 0], -1), [at_zero, at_half, 0], rtol=1e-15)


@pytest.mark.parametrize("alpha", [-math.inf, -8, -1, -0.3, 0, 0.2, 1, 3, math.inf])
def test_tilt_minimises_the_conditional_risk(alpha):
    cpe, grid = AlphaCPELoss(alpha), np.linspace(0, 1, 20001)
    for eta in (0.03, 0.31, 0.5, 0.6, 0.98):
        risk, tilt = cpe.conditional_risk(grid, eta), cpe.tilt(eta)
        assert cpe.conditional_risk(tilt, eta) <= risk.min() + 1e-15
        assert cpe.bayes_risk(eta) == pytest.approx(cpe.conditional_risk(tilt, eta), rel=1e-13)
        if not cpe.is_set_valued(eta):
            assert abs(grid[np.argmin(risk)] - tilt) <= 5.1e-5


def test_tilt_is_temperature_scaling_with_its_symmetries():
    eta = np.linspace(0, 1, 41)
    for alpha in (-3.0, -0.4, 0.7, 1.0, 5.0):
        tilt = AlphaCPELoss(alpha).tilt(eta)
        np.testing.assert_allclose(AlphaCPELoss(alpha).tilt(1 - eta), 1 - tilt, atol=1e-15)
        np.testing.assert_allclose(AlphaCPELoss(-alpha).tilt(eta), 1 - tilt, atol=1e-15)
        np.testing.assert_allclose(AlphaCPELoss(2.5).tilt(tilt), AlphaCPELoss(2.5 * alpha).tilt(eta), atol=1e-12)
        inner = (tilt > 1e-9) & (tilt < 1 - 1e-9)
        np.testing.assert_allclose(AlphaCPELoss(alpha).untilt(tilt[inner]), eta[inner], rtol=1e-6)
    np.testing.assert_array_equal(AlphaCPELoss(math.inf).tilt([0.2, 0.5, 0.8]), [0, 0.5, 1])
    np.testing.assert_array_equal(AlphaCPELoss(-math.inf).tilt([0.2, 0.5, 0.8]), [1, 0.5, 0])
    assert AlphaCPELoss(math.inf).is_set_valued([0.5, 0.6]).tolist() == [True, False]


@pytest.mark.parametrize("alpha", ALPHAS)
def test_bayes_risk_is_the_arimoto_entropy(alpha):
    a = mp.mpf(alpha)
    for v in (1e-9, 0.1, 0.37, 0.5, 0.8, 1 - 1e-9):
        p, q = mp.mpf(v), 1 - mp.mpf(v)
        exact = -p * mp.log(p) - q * mp.log(q) if a == 1 else a / (a - 1) * (1 - (p**a + q**a) ** (1 / a))
        for sign in (1, -1):
            assert float(AlphaCPELoss(sign * alpha).bayes_risk(v)) == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_link_and_exact_inverse(alpha):
    cpe = AlphaCPELoss(alpha)
    v = np.array([1e-5, 0.01, 0.2, 0.45, 0.4999999, 0.5, 0.61, 0.9, 1 - 1e-5])
    exact = [mp_link(alpha, p) for p in v]
    with np.errstate(over="ignore"):
        np.testing.assert_allclose(cpe.link(v), np.array([float(z) for z in exact]), rtol=1e-12)
    # the inverse at the rounded link: no algorithm can beat the rounding of z, which the slope of V tells
    for p, z in zip(v, exact, strict=True):
        z = float(z)
        if math.isinf(z) or abs(z) >= cpe.clip:
            continue
        conditioning = abs(z) * float(cpe.surrogate_curvature(z)) * 4e-16
        assert abs(float(cpe.inverse_link(z)) - p) <= 3e-14 * min(p, 1 - p) + 1e-16 + 4 * conditioning


@pytest.mark.parametrize("alpha", [0.3, 0.5, 0.9, 1.005, 1.1, 1.5, 2, 4, 8, 100.0])
def test_inverse_link_against_a_high_precision_root(alpha):
    cpe = AlphaCPELoss(alpha)
    top = min(cpe.clip, 30.0)
    for z in np.array([1e-9, 0.01, 0.3, 0.7, 0.95, 0.9999]) * top:
        low, high = mp.mpf("1e-80"), mp.mpf("0.5")
        for _ in range(300):
            middle = mp.sqrt(low * high)
            low, high = (middle, high) if -mp_link(alpha, middle) > z else (low, middle)
        # next to the edge the rounding of 1 - beta z decides
        rounding = 4e-16 / ((alpha - 1) * (1 - z / top)) if alpha > 1 else 0
        assert float(cpe.inverse_link(-z)) == pytest.approx(float(low), rel=1e-13 + rounding, abs=0)
        assert float(cpe.inverse_link(z)) == pytest.approx(1 - float(low), rel=1e-15)


@pytest.mark.parametrize("alpha", [1 + 1e-9, 1.01, 1.1, 1.5, 2.1, 4, 30, 1000.0])
def test_a_few_newton_steps_are_enough(alpha, monkeypatch):
    cpe = AlphaCPELoss(alpha)
    z = -min(cpe.clip, 700.0) * np.concatenate([np.linspace(0, 1, 1001), 1 - np.geomspace(1e-15, 0.1, 100)])
    exact = cpe.inverse_link(z)
    monkeypatch.setattr(links, "_NEWTON_STEPS", 5)
    np.testing.assert_allclose(cpe.inverse_link(z), exact, rtol=1e-14)


def mp_pseudo(alpha, z):
    """Equation (160) as printed, with the signs restored."""
    a, z = mp.mpf(alpha), mp.mpf(z)
    c = a / (a - 1)
    top, rest = (c + z) ** (1 / (a - 1)), (2 * c**c - (c + z) ** c) ** (1 / a)
    return top / (top + rest)


@pytest.mark.parametrize("alpha", [1.005, 1.1, 1.2, 1.5, 2, 2.7, 4, 8, 100.0])
def test_pseudo_inverse_link_is_equation_160(alpha):
    cpe = AlphaCPELoss(alpha)
    z = -np.array([0, 1e-9, 0.01, 0.3, 0.7, 0.95, 0.999]) * cpe.clip
    expected = np.array([float(mp_pseudo(alpha, x)) for x in z])
    np.testing.assert_allclose(cpe.pseudo_inverse_link(z), expected, rtol=1e-12 * max(1, 1 / (alpha - 1)))
    np.testing.assert_allclose(cpe.pseudo_inverse_link(-z), 1 - expected, rtol=1e-14)
    np.testing.assert_array_equal(cpe.pseudo_inverse_link([-cpe.clip, 0, cpe.clip]), [0, 0.5, 1])
    slope = [float(mp.diff(lambda x: mp_pseudo(alpha, x), mp.mpf(x))) for x in z[2:6]]
    np.testing.assert_allclose(cpe.pseudo_inverse_link_slope(z[2:6]), slope, rtol=1e-10)
    assert cpe.pseudo_inverse_link_slope(0) == pytest.approx(1 / (2 * alpha), rel=1e-14)


def test_pseudo_inverse_link_at_the_limits():
    z = np.linspace(-4, 4, 33)
    laplace = np.where(z < 0, np.exp(z) / 2, 1 - np.exp(-z) / 2)
    np.testing.assert_allclose(AlphaCPELoss(1).pseudo_inverse_link(z), laplace, atol=1e-15)
    np.testing.assert_allclose(AlphaCPELoss(1 + 1e-13).pseudo_inverse_link(z), laplace, atol=1e-12)
    np.testing.assert_allclose(AlphaCPELoss(1 - 1e-13).pseudo_inverse_link(z), laplace, atol=1e-12)
    np.testing.assert_array_equal(
        AlphaCPELoss(math.inf).pseudo_inverse_link([-1, -0.9, 0, 0.9, 1]), [0, 0.5, 0.5, 0.5, 1]
    )
    below_one = AlphaCPELoss(0.6)
    assert below_one.pseudo_inverse_link_slope(0) == pytest.approx(2 ** (-1 / 0.6) / 0.6, rel=1e-13)
    h = 1e-6
    z = z[z != 0]
    ratio = (below_one.pseudo_inverse_link(z + h) - below_one.pseudo_inverse_link(z - h)) / (2 * h)
    np.testing.assert_allclose(below_one.pseudo_inverse_link_slope(z), ratio, atol=1e-9)


@pytest.mark.parametrize("alpha", [0.4, 1, 1.1, 2, 4])
def test_pseudo_inverse_link_is_the_clipped_inverse_link(alpha):
    cpe = AlphaCPELoss(alpha)
    z = np.linspace(-1.19, 1.21, 49) * min(cpe.clip, 5)
    np.testing.assert_allclose(clipped_inverse_link(cpe, z), cpe.pseudo_inverse_link(z), atol=1e-12)


@pytest.mark.parametrize("alpha", [0.3, 0.5, 1, 1.1, 1.5, 2, 4, 100.0])
def test_surrogate_is_the_conjugate_of_the_bayes_risk(alpha):
    cpe = AlphaCPELoss(alpha)
    z, u = np.linspace(-3, 3, 25), np.linspace(0, 1, 100001)
    brute = np.array([(cpe.bayes_risk(u) - x * u).max() for x in z])
    # the maximum over a grid of step 1e-5 is too small by at most half the curvature of the risk times the step squared
    value = cpe.surrogate(z)
    assert np.all(value >= brute - 1e-12)
    np.testing.assert_allclose(value, brute, atol=1e-5)
    np.testing.assert_allclose(cpe.surrogate(-z), value + z, atol=1e-13)
    h = 1e-5
    kinks = np.abs(np.abs(z) - cpe.clip) < 1e-2
    slope = (cpe.surrogate(z + h) - cpe.surrogate(z - h)) / (2 * h)
    np.testing.assert_allclose(slope[~kinks], -cpe.inverse_link(-z)[~kinks], atol=1e-8)
    curvature = (cpe.inverse_link(z + h) - cpe.inverse_link(z - h)) / (2 * h)
    np.testing.assert_allclose(cpe.surrogate_curvature(z)[~kinks], curvature[~kinks], atol=1e-6)
    assert cpe.surrogate_curvature(0) == pytest.approx(2 ** (-1 - 1 / alpha) / alpha, rel=1e-13)


def test_surrogate_named_members():
    z = np.linspace(-5, 5, 41)
    np.testing.assert_allclose(AlphaCPELoss(1).surrogate(z), AlphaLoss(1).value(z), rtol=1e-15)
    np.testing.assert_allclose(AlphaCPELoss(math.inf).surrogate(z), np.maximum(np.maximum(0, (1 - z) / 2), -z))
    inside = z[np.abs(z) < 2]
    np.testing.assert_allclose(
        AlphaCPELoss(2).inverse_link(inside), (1 + inside / np.sqrt(8 - inside**2)) / 2, rtol=1e-14
    )
    np.testing.assert_allclose(AlphaCPELoss(2).surrogate_curvature(inside), 4 * (8 - inside**2) ** -1.5, rtol=1e-13)


def test_curvature_bound():
    published = {1.0: 0.25, 1.1: 0.2421, 1.2: 0.2338, 1.5: 0.2100, 1.75: 0.2479, 1.9: 0.3404, 2.0: 0.5, 2.1: math.inf}
    for alpha, value in published.items():
        assert AlphaCPELoss(alpha).curvature_bound == pytest.approx(value, abs=6e-5)
        z = np.linspace(-1, 1, 4001)[1:-1] * min(AlphaCPELoss(alpha).clip, 20)
        assert AlphaCPELoss(alpha).surrogate_curvature(z).max() <= AlphaCPELoss(alpha).curvature_bound + 1e-12


@pytest.mark.parametrize(
    "alpha", [-math.inf, -5, -1e-300, 0, 5e-324, 1e-300, 1e-4, 0.2, 0.5, 1, 1 + 2.3e-16, 1.1, 2, 4, 1e300, math.inf]
)
def test_silent_ordered_and_never_nan(alpha):
    cpe = AlphaCPELoss(alpha)
    u = np.array([0, 5e-324, 1e-300, 1e-16, 0.25, 0.5, 0.75, 1 - 1e-16, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for y in (-1, 1):
            assert not np.isnan(cpe.partial(u, y)).any()
            assert not np.isnan(cpe.partial_derivative(u, y)).any()
        assert not np.isnan(cpe.conditional_risk(u[:, None], u)).any()
        for method in (cpe.bayes_risk, cpe.tilt, cpe.untilt, cpe.link):
            assert not np.isnan(method(u)).any(), method
        for method in (cpe.inverse_link, cpe.pseudo_inverse_link):
            values = method(EXTREME)
            assert (np.diff(values) >= 0).all()
            assert values[0] == 0 and values[-1] == 1 and values[EXTREME == 0] == 0.5
        surrogate = cpe.surrogate(EXTREME)
        assert not np.isnan(surrogate).any()
        finite = surrogate[np.isfinite(surrogate)]
        assert (np.diff(finite) <= 0).all()
        assert not np.isnan(cpe.surrogate_curvature(EXTREME)).any()
        assert not np.isnan(cpe.pseudo_inverse_link_slope(EXTREME)).any()
        assert cpe.curvature_bound >= 0
        for method in (cpe.bayes_risk, cpe.tilt, cpe.link, cpe.inverse_link, cpe.pseudo_inverse_link, cpe.surrogate):
            assert np.isnan(method(np.nan))
            assert isinstance(method(0.5), np.float64)


@pytest.mark.parametrize("alpha", [math.nan, "2", None, True])
def test_invalid_alpha(alpha):
    with pytest.raises(ValueError, match=r"alpha must be a number in \[-inf, inf\]"):
        AlphaCPELoss(alpha)


def test_invalid_arguments():
    cpe = AlphaCPELoss(2)
    with pytest.raises(ValueError, match=r"u must be in \[0, 1\], got 1\.5"):
        cpe.partial([0.5, 1.5], 1)
    with pytest.raises(ValueError, match=r"eta must be in \[0, 1\], got -0\.1"):
        cpe.tilt(-0.1)
    with pytest.raises(ValueError, match=r"y must be -1 or \+1, got 0\.0"):
        cpe.partial(0.5, 0)
    with pytest.raises(ValueError, match="order must be 1, 2 or 3"):
        cpe.partial_derivative(0.5, 1, order=4)
