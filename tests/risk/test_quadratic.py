"""The inner loops of entropy-regularised LPBoost against the plain routes: a sort, the conditions of an optimum."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from marginloss.risk import cvar_weights
from marginloss.risk.quadratic import simplex_quadratic
from marginloss.risk.simplex import capped_tilt, relative_entropy


@pytest.mark.parametrize("beta", [1e-6, 0.3, 20.0, 1e3, 1e6])
@pytest.mark.parametrize("alpha", [0.001, 0.1, 0.3, 0.7, 1.0])
@pytest.mark.parametrize("kind", ["tied", "weighted", "ten"])
def test_tilt_equals_the_sorted_projection(kind, alpha, beta):
    rng = np.random.default_rng(0)
    n = 10 if kind == "ten" else 300  # alpha = 0.3 of ten samples: nothing is left, up to rounding
    z = rng.integers(0, 30, n) / 30 if kind == "tied" else rng.normal(size=n)
    mass = rng.integers(1, 9, n).astype(float) if kind == "weighted" else np.ones(n)
    mass /= mass.sum()
    weights = np.empty(n)
    price = capped_tilt(z, np.argsort(-z), mass, alpha, beta, weights)
    expected = cvar_weights(z, alpha, beta, mass)
    assert_allclose(weights, expected, rtol=1e-11, atol=1e-13)
    assert_allclose(price, relative_entropy(expected, mass), rtol=1e-9, atol=1e-26)
    assert_allclose(weights.sum(), 1.0, rtol=1e-13)
    assert (weights <= mass / alpha * (1 + 1e-12)).all()


@pytest.mark.parametrize("rank", [3, 12, 40])
@pytest.mark.parametrize("seed", range(4))
def test_quadratic_meets_the_conditions_of_its_optimum(rank, seed):
    rng = np.random.default_rng(seed)
    n = 12
    root = rng.normal(size=(rank, n))
    hessian, gradient = root.T @ root + 1e-6 * np.eye(n), rng.normal(size=n) * 3
    for start in (np.full(n, 1 / n), np.eye(n)[seed], rng.dirichlet(np.ones(n)) * (rng.random(n) < 0.5) + np.eye(n)[0]):
        point = start / start.sum()
        x = simplex_quadratic(hessian, gradient, point)
        assert (x >= 0).all()
        assert_allclose(x.sum(), 1.0, rtol=1e-14)
        # equal slopes on the support, none below outside it
        slope = gradient + hessian @ (x - point)
        level = slope[x > 0].mean()
        assert_allclose(slope[x > 0], level, atol=1e-9)
        assert (slope >= level - 1e-9).all()


def test_quadratic_of_repeated_coordinates():
    hessian = np.tile(np.eye(3), (2, 2)) + 1e-10 * np.eye(6)
    x = simplex_quadratic(hessian, np.zeros(6), np.eye(6)[0])
    assert_allclose(x, np.eye(6)[0], atol=1e-12)
    x = simplex_quadratic(hessian, np.array([0.0, -1, -1, 0, -1, -1]), np.eye(6)[0])
    assert_allclose(x[:3] + x[3:], np.full(3, 1 / 3), atol=1e-9)
