"""Entropy-regularised LPBoost against a conic solver and its own certificate."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

from marginloss.risk import cvar_weights, entropic_lpboost, lpboost, smoothed_cvar


def bits(n, n_models, seed):
    rng = np.random.default_rng(seed)
    return (rng.random((n, n_models)) < rng.beta(0.5, 1, n)[:, None]).astype(float)


def conic_optimum(losses, alpha, beta):
    cp = pytest.importorskip("cvxpy")
    n, _ = losses.shape
    w, level = cp.Variable(n, nonneg=True), cp.Variable()
    entropy = cp.sum(cp.kl_div(w, np.full(n, 1 / n)))
    problem = cp.Problem(
        cp.Maximize(level - entropy / beta), [losses.T @ w >= level, cp.sum(w) == 1, w <= 1 / (alpha * n)]
    )
    return problem.solve(solver="CLARABEL")


@pytest.mark.parametrize(("alpha", "beta"), [(0.1, 1.0), (0.1, 30.0), (0.4, 100.0), (0.001, 10.0), (1.0, 5.0)])
def test_equals_a_conic_solver(alpha, beta):
    losses = bits(150, 8, 0)
    result = entropic_lpboost(losses, alpha, beta)
    assert_allclose(result.value, conic_optimum(losses, alpha, beta), atol=2e-7)
    assert 0 <= result.gap <= 1e-9


@pytest.mark.parametrize("beta", [0.1, 10.0, 100.0, 1000.0])
def test_certificate(beta):
    losses, alpha = bits(800, 25, 1), 0.1
    result = entropic_lpboost(losses, alpha, beta)
    z = losses @ result.model_weights
    assert_allclose(result.model_weights.sum(), 1, rtol=1e-12)
    assert (result.model_weights >= 0).all()
    assert_allclose(result.sample_weights, cvar_weights(z, alpha, beta), atol=1e-12)
    assert_allclose(result.value, smoothed_cvar(z, alpha, beta), rtol=1e-12)
    assert 0 <= result.gap <= 1e-9
    rng = np.random.default_rng(2)
    for other in rng.dirichlet(np.full(25, 0.3), size=100):
        assert smoothed_cvar(losses @ other, alpha, beta) >= result.value - result.gap - 1e-12


def test_near_plain_lpboost():
    losses, alpha = bits(400, 10, 2), 0.2
    plain = lpboost(losses, alpha).value
    for beta in (10.0, 100.0, 1000.0):
        smooth = entropic_lpboost(losses, alpha, beta).value
        assert plain - np.log(1 / alpha) / beta - 1e-9 <= smooth <= plain + 1e-9


def test_warm_start_reaches_the_same_value():
    losses = bits(500, 15, 3)
    cold = entropic_lpboost(losses, 0.1, 100.0)
    start = np.append(entropic_lpboost(losses[:, :-1], 0.1, 100.0).model_weights, 0.0)
    warm = entropic_lpboost(losses, 0.1, 100.0, start=start)
    assert_allclose(warm.value, cold.value, atol=2e-9)


def test_repeated_models_and_weights():
    losses = bits(100, 5, 4)
    doubled = entropic_lpboost(np.hstack([losses, losses]), 0.2, 50.0)
    assert_allclose(doubled.value, entropic_lpboost(losses, 0.2, 50.0).value, atol=2e-9)
    counts = np.random.default_rng(0).integers(0, 3, 100)
    weighted = entropic_lpboost(losses, 0.2, 50.0, sample_weight=counts)
    assert_allclose(weighted.value, entropic_lpboost(np.repeat(losses, counts, axis=0), 0.2, 50.0).value, atol=2e-9)


def test_real_losses_and_one_model():
    rng = np.random.default_rng(5)
    losses = rng.normal(size=(80, 6))
    result = entropic_lpboost(losses, 0.3, 4.0)
    assert_allclose(result.value, conic_optimum(losses, 0.3, 4.0), atol=1e-6)
    assert_allclose(entropic_lpboost(losses[:, :1], 0.3, 4.0).value, smoothed_cvar(losses[:, 0], 0.3, 4.0))
    assert_allclose(entropic_lpboost(np.full((7, 3), 0.25), 0.3, 4.0).value, 0.25)


def test_steps_that_do_not_suffice_are_told():
    with pytest.warns(ConvergenceWarning, match="gap of"):
        entropic_lpboost(bits(300, 20, 6), 0.1, 1000.0, start=np.eye(20)[0], max_iter=1)


def test_bad_input():
    for keywords, message in [
        ({"beta": 0.0}, "beta"),
        ({"beta": 1.0, "start": [1.0]}, "start"),
        ({"beta": np.inf}, "beta"),
    ]:
        with warnings.catch_warnings(), pytest.raises(ValueError, match=message):
            entropic_lpboost(np.eye(3), 0.5, **keywords)


def test_large_losses_converge_without_a_warning():
    losses = 1e9 * np.random.default_rng(1).random((50, 4))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = entropic_lpboost(losses, 0.1, 1e-7)
    assert_allclose(result.value, 1e9 * entropic_lpboost(losses / 1e9, 0.1, 100.0).value, rtol=1e-9)


@pytest.mark.parametrize("parameters", [{"tol": -1.0}, {"max_iter": 0}, {"max_iter": "many"}], ids=str)
def test_the_limits_of_the_search_are_checked(parameters):
    with pytest.raises(ValueError, match=f"{next(iter(parameters))} must be"):
        entropic_lpboost(np.eye(3), 0.5, 10.0, **parameters)
