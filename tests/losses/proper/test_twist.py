"""Untwisting exponents, divergences of tilted posteriors, best and constructive exponents."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import logit

from marginloss.losses.proper import AlphaCPELoss, blunts, flip_posterior, unflip_posterior, untwisting_alpha
from marginloss.theory.sypherd2022.tilting import (
    best_alpha,
    binary_entropy,
    constructive_alpha,
    tilted_cross_entropy,
    tilted_divergence,
)


def test_untwisting_alpha_on_a_grid_with_all_corners():
    grid = np.concatenate([[0, 1e-9], np.linspace(0.05, 0.95, 19), [1 - 1e-9, 1]])
    for clean in grid:
        for twisted in grid:
            alpha = float(untwisting_alpha(clean, twisted))
            cpe = AlphaCPELoss(alpha)
            if cpe.is_set_valued(twisted) or (alpha == 0 and not 0 < twisted < 1):
                continue  # every estimate is a minimiser, the clean one among them
            assert cpe.tilt(twisted) == pytest.approx(clean, rel=1e-9), (clean, twisted, alpha)


def test_untwisting_alpha_corners():
    cases = {
        (0.9, 0.5): math.inf,
        (0.1, 0.5): -math.inf,
        (0.5, 0.3): 0,
        (0.4, 1): 0,
        (1, 0.8): math.inf,
        (1, 0.2): -math.inf,
    }
    cases |= {(1, 1): 1, (1, 0): -1, (0.5, 0.5): 1}
    for (clean, twisted), alpha in cases.items():
        assert untwisting_alpha(clean, twisted) == alpha
    assert np.isnan(untwisting_alpha(np.nan, 0.3))


@given(st.floats(0, 1), st.floats(0, 0.49))
@settings(deadline=None)
def test_label_flips_blunt_and_can_be_undone(eta, rate):
    twisted = flip_posterior(eta, rate)
    assert blunts(eta, np.clip(twisted, min(eta, 0.5), max(eta, 0.5)))
    assert unflip_posterior(twisted, rate) == pytest.approx(eta, abs=1e-13)
    assert not blunts(0.9, flip_posterior(0.9, 0.6))


def posteriors(seed, n=40):
    rng = np.random.default_rng(seed)
    return rng.uniform(0.01, 0.99, n), rng.uniform(0.01, 0.99, n), rng.random(n)


@pytest.mark.parametrize("seed", range(5))
def test_best_alpha_against_a_search(seed):
    clean, twisted, weight = posteriors(seed)
    found = minimize_scalar(
        lambda a: tilted_divergence(a, clean, twisted, weight),
        bounds=(-20, 20),
        method="bounded",
        options={"xatol": 1e-10},
    )
    best = best_alpha(clean, twisted, weight)
    assert best == pytest.approx(found.x, abs=1e-5)
    assert tilted_divergence(best, clean, twisted, weight) <= found.fun + 1e-14


def test_divergence_is_the_average_relative_entropy():
    clean, twisted, weight = posteriors(1)
    tilted = AlphaCPELoss(1.7).tilt(twisted)
    direct = clean * np.log(clean / tilted) + (1 - clean) * np.log((1 - clean) / (1 - tilted))
    assert tilted_divergence(1.7, clean, twisted, weight) == pytest.approx(
        np.average(direct, weights=weight), rel=1e-12
    )
    assert tilted_divergence(untwisting_alpha(clean, twisted), clean, twisted) == pytest.approx(0, abs=1e-14)


def test_divergence_and_best_alpha_at_the_corners():
    assert tilted_cross_entropy(math.inf, [1.0, 0.0], [0.7, 0.2]) == 0
    assert tilted_cross_entropy(math.inf, [0.9], [0.7]) == math.inf
    assert tilted_cross_entropy(math.inf, [0.9], [0.5]) == pytest.approx(math.log(2))
    assert best_alpha([1, 0], [0.7, 0.4]) == math.inf
    assert best_alpha([0, 1], [0.7, 0.4]) == -math.inf
    assert best_alpha([0.3, 0.9], [0.5, 0.5]) == 1
    assert binary_entropy([0, 1]).tolist() == [0, 0]
    with pytest.raises(ValueError, match=r"eta_twisted must be in \(0, 1\), got 1\.0"):
        best_alpha([0.5], [1.0])


@pytest.mark.parametrize("seed", range(5))
def test_constructive_alpha_minimises_its_bound(seed):
    clean, twisted, weight = posteriors(seed)
    for bound in (1.0, 6.0):
        found = constructive_alpha(clean, twisted, bound, weight)
        inside = np.abs(logit(twisted)) <= bound
        edge = np.average(((2 * clean - 1) * logit(twisted))[inside], weights=weight[inside]) / bound
        assert found.edge == pytest.approx(edge, rel=1e-12)
        nearby = found.inside_bound(found.alpha + np.array([-1e-3, 0, 1e-3]))
        assert nearby.argmin() == 1
        assert nearby[1] == pytest.approx(binary_entropy(found.q), rel=1e-12)
        assert tilted_cross_entropy(found.alpha, clean, twisted, weight) <= found.guarantee
    one_for_all = constructive_alpha(0.9, [0.74, 0.7], 2.0)
    assert one_for_all == constructive_alpha([0.9, 0.9], [0.74, 0.7], 2.0)
    assert constructive_alpha([0.9, 0.1], [0.74, 0.26], math.nextafter(logit(0.74), 0)).inside == 1
    with pytest.raises(ValueError, match="bound must leave"):
        constructive_alpha([0.5], [0.9], 0.1)
