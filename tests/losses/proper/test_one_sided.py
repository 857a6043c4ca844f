"""Focal loss and Super Loss: values against their definitions, minimisers against brute force."""

import warnings

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marginloss.losses.proper import AlphaCPELoss, FocalLoss, SuperLoss
from marginloss.theory.sypherd2022.clipped import clipped_inverse_link

mp.mp.dps = 80
GRID = np.linspace(0, 1, 200001)[1:-1]


def mp_super(tau, lam, u):
    base = -mp.log(u)
    half = max(-1 / mp.e, (base - tau) / (2 * mp.mpf(lam)))
    confidence = mp.exp(-mp.lambertw(half).real)
    return (base - tau) * confidence + lam * mp.log(confidence) ** 2


@pytest.mark.parametrize("gamma", [0, 0.1, 1, 2.5, 50])
def test_focal_values(gamma):
    u = np.array([1e-300, 1e-9, 0.2, 0.5, 0.9, 1 - 1e-9])
    expected = [float(-((1 - mp.mpf(p)) ** gamma) * mp.log(p)) for p in u]
    np.testing.assert_allclose(FocalLoss(gamma).partial(u, 1), expected, rtol=1e-11)


@pytest.mark.parametrize(("tau", "lam"), [(-3, 1), (0, 0.2), (1, 1), (1, 100), (5, 0.5)])
def test_super_values(tau, lam):
    u = np.array([1e-300, 1e-9, 0.2, 0.5, 0.9, 1 - 1e-9])
    expected = [float(mp_super(tau, lam, mp.mpf(p))) for p in u]
    np.testing.assert_allclose(SuperLoss(tau, lam).partial(u, 1), expected, rtol=1e-9, atol=1e-9)


LOSSES = [
    *(FocalLoss(g) for g in (0, 0.1, 0.5, 1, 2, 5, 50)),
    *(SuperLoss(t, lam) for t in (-3, 0, 1, 5) for lam in (0.1, 1, 10)),
]


@pytest.mark.parametrize("cpe", LOSSES, ids=repr)
def test_tilt_is_the_global_minimiser(cpe):
    for eta in (0.02, 0.1, 0.2, 0.45, 0.7, 0.95):
        risk = cpe.conditional_risk(GRID, eta)
        tilt = cpe.tilt(eta)
        assert cpe.conditional_risk(tilt, eta) <= risk.min() + 1e-12
        assert cpe.tilt(1 - eta) == pytest.approx(1 - tilt, abs=1e-12)
    np.testing.assert_array_equal(cpe.tilt([0, 0.5, 1]), [0, 0.5, 1])


def test_focal_minimisers_of_the_specification():
    published = {0: 0.2, 0.1: 0.2142, 0.5: 0.2654, 1: 0.3142, 2: 0.3734, 5: 0.4381, 10: 0.4671, 50: 0.4931}
    for gamma, value in published.items():
        assert FocalLoss(gamma).tilt(0.2) == pytest.approx(value, abs=6e-5)


@given(st.floats(0, 60), st.floats(1e-6, 0.4999))
@settings(deadline=None, max_examples=60)
def test_focal_only_blunts(gamma, eta):
    assert eta * (1 - 1e-9) <= FocalLoss(gamma).tilt(eta) <= 0.5


@given(st.floats(-4, 6), st.floats(0.05, 1e3), st.floats(1e-6, 0.4999))
@settings(deadline=None, max_examples=60)
def test_super_only_sharpens(tau, lam, eta):
    assert SuperLoss(tau, lam).tilt(eta) <= eta * (1 + 1e-9)


def test_untilt_inverts_tilt():
    eta = np.linspace(0.01, 0.99, 23)
    np.testing.assert_allclose(FocalLoss(2).untilt(FocalLoss(2).tilt(eta)), eta, rtol=1e-10)
    np.testing.assert_allclose(SuperLoss(0, 10).untilt(SuperLoss(0, 10).tilt(eta)), eta, rtol=1e-10)


def test_silent_at_the_ends():
    u = np.array([0, 1e-300, 0.5, 1 - 1e-16, 1, np.nan])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for cpe in LOSSES:
            for values in (cpe.partial(u, 1), cpe.partial(u, -1), cpe.bayes_risk(u), cpe.tilt(u)):
                np.testing.assert_array_equal(np.isnan(values), np.isnan(u))


def test_clipped_inverse_link_of_the_focal_loss_keeps_its_marks():
    z = np.linspace(-6, 6, 49)
    values = clipped_inverse_link(FocalLoss(2), z)
    assert (np.diff(values) > 0).all()
    np.testing.assert_allclose(values + values[::-1], 1, atol=1e-14)
    assert clipped_inverse_link(FocalLoss(2), 0.0) == 0.5
    with pytest.raises(ValueError, match="loss must have a partial loss"):
        clipped_inverse_link(SuperLoss(1, 1), 0.0)


@pytest.mark.parametrize(
    ("kind", "values", "name"),
    [(FocalLoss, [-1], "gamma"), (SuperLoss, [0, 0], "lam"), (SuperLoss, [np.inf, 1], "tau")],
)
def test_invalid_parameters(kind, values, name):
    with pytest.raises(ValueError, match=f"{name} must be a number in"):
        kind(*values)


def test_super_loss_around_another_loss():
    u, base = np.linspace(0.05, 0.95, 19), AlphaCPELoss(2)
    np.testing.assert_allclose(SuperLoss(0, 1e9, base).tilt(u), base.tilt(u), rtol=1e-6)
    np.testing.assert_allclose(SuperLoss(1, 2, AlphaCPELoss(1)).tilt(u), SuperLoss(1, 2).tilt(u), rtol=1e-14)
    with pytest.raises(ValueError, match="base must be"):
        SuperLoss(0, 1, "log")
