"""LPBoost's programs: scipy and cvxpy optima, certificates, whole paths, bad input."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import linprog

from marginloss.risk import cvar, lpboost, lpboost_path
from marginloss.risk.program import DualProgram


def primal_optimum(losses, alpha, weight=None):
    """Problem (6) row by row in scipy: variables lambda, eta, xi."""
    n, n_models = losses.shape
    p = np.full(n, 1 / n) if weight is None else weight / weight.sum()
    cost = np.concatenate([np.zeros(n_models), [1.0], p / alpha])
    rows = np.hstack([losses, -np.ones((n, 1)), -np.eye(n)])
    total = np.concatenate([np.ones(n_models), np.zeros(n + 1)])[None]
    bounds = [(0, None)] * n_models + [(None, None)] + [(0, None)] * n
    return linprog(cost, A_ub=rows, b_ub=np.zeros(n), A_eq=total, b_eq=[1.0], bounds=bounds).fun


def table(kind, n, n_models, seed):
    rng = np.random.default_rng(seed)
    if kind == "bits":
        return (rng.random((n, n_models)) < rng.beta(0.5, 1, n)[:, None]).astype(float)
    if kind == "few kinds":
        return rng.integers(0, 2, (6, n_models))[rng.integers(0, 6, n)].astype(float)
    return rng.normal(size=(n, n_models)) * 50 - 7


def check_certificate(result, losses, alpha, tol, weight=None):
    p = np.full(len(losses), 1 / len(losses)) if weight is None else weight / weight.sum()
    assert_allclose(result.model_weights.sum(), 1, rtol=1e-12)
    assert (result.model_weights >= 0).all()
    assert_allclose(result.sample_weights.sum(), 1, rtol=1e-12)
    assert (result.sample_weights >= 0).all()
    assert (result.sample_weights <= p / alpha * (1 + 1e-12)).all()
    assert_allclose(result.value, cvar(losses @ result.model_weights, alpha, weight), rtol=1e-12)
    assert 0 <= result.gap <= tol
    assert_allclose(result.value - result.gap, (result.sample_weights @ losses).min(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", ["bits", "few kinds", "reals"])
@pytest.mark.parametrize("alpha", [0.003, 0.1, 0.37, 1.0])
def test_equals_the_primal_optimum(kind, alpha):
    losses = table(kind, 120, 9, 0)
    result = lpboost(losses, alpha)
    scale = np.ptp(losses)
    check_certificate(result, losses, alpha, 1e-9 * scale)
    assert_allclose(result.value, primal_optimum(losses, alpha), atol=1e-8 * scale)


@pytest.mark.parametrize("solver", ["highs", "cvxpy"])
def test_both_solvers_certify(solver):
    if solver == "cvxpy":
        pytest.importorskip("cvxpy")
    losses = table("bits", 300, 12, 3)
    result = lpboost(losses, 0.15, solver=solver)
    check_certificate(result, losses, 0.15, 1e-9)
    assert_allclose(result.value, lpboost(losses, 0.15).value, atol=2e-9)


@pytest.mark.parametrize("seed", range(3))
def test_sifting_equals_the_whole_program(seed):
    # 3000 samples and 10 models: sifting starts from 88 of them and has to take in others
    losses = table("bits", 3000, 10, seed) + np.random.default_rng(seed).random((3000, 10)) / 100
    alpha = 0.07
    weights, model_weights, _ = DualProgram(losses, np.full(3000, 1 / (alpha * 3000)), 1.0).solve()
    result = lpboost(losses, alpha)
    check_certificate(result, losses, alpha, 2e-9)
    assert_allclose(result.value, (weights @ losses).min(), atol=1e-9)
    assert_allclose(cvar(losses @ model_weights, alpha), result.value, atol=1e-9)


def test_weights_equal_repetition():
    losses, counts = table("bits", 60, 7, 1), np.random.default_rng(1).integers(0, 4, 60)
    merged, repeated = lpboost(losses, 0.2, sample_weight=counts), lpboost(np.repeat(losses, counts, axis=0), 0.2)
    check_certificate(merged, losses, 0.2, 1e-9, counts.astype(float))
    assert_allclose(merged.value, repeated.value, atol=1e-9)
    assert (merged.sample_weights[counts == 0] == 0).all()


@pytest.mark.parametrize("kind", ["bits", "few kinds", "reals"])
def test_path_equals_single_programs_in_any_order(kind):
    losses = table(kind, 150, 8, 2)
    alphas = np.random.default_rng(0).permutation([0.001, 0.01, 0.05, 0.1, 1 / 3, 0.5, 0.9, 1.0])
    scale = np.ptp(losses)
    for alpha, result in zip(alphas, lpboost_path(losses, alphas), strict=True):
        check_certificate(result, losses, alpha, 1e-9 * scale)
        assert_allclose(result.value, lpboost(losses, alpha).value, atol=2e-9 * scale)


def test_path_is_concave_and_has_few_model_weights():
    losses = table("bits", 500, 20, 5)
    alphas = np.arange(1, 101) / 100
    results = lpboost_path(losses, alphas)
    area = alphas * np.array([r.value for r in results])
    assert (np.diff(area, 2) <= 1e-12).all()
    assert (np.diff([r.value for r in results]) <= 1e-12).all()
    assert len({tuple(r.model_weights.round(9)) for r in results}) < 60


def test_one_model_and_equal_losses():
    losses = np.array([[1.0], [0.0], [0.0], [0.0]])
    result = lpboost(losses, 0.5)
    assert_allclose([result.value, result.model_weights[0]], [0.5, 1.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same = lpboost(np.full((5, 3), 0.4), 0.3)
    assert_allclose(same.value, 0.4, rtol=1e-14)


def test_never_worse_than_any_mixture():
    rng = np.random.default_rng(8)
    losses = table("bits", 200, 6, 8)
    best = lpboost(losses, 0.1).value
    for model_weights in rng.dirichlet(np.full(6, 0.5), size=200):
        assert cvar(losses @ model_weights, 0.1) >= best - 1e-12


def test_scale_and_shift():
    losses = table("bits", 200, 6, 9)
    base, moved = lpboost(losses, 0.1), lpboost(1e6 * losses - 5e5, 0.1)
    assert_allclose(moved.value, 1e6 * base.value - 5e5, atol=1e-2)
    assert moved.gap <= 1e-3


def test_bad_input():
    good = np.eye(3)
    for arguments, message in [
        ((np.zeros((0, 3)), 0.5), "empty"),
        ((np.zeros((3, 0)), 0.5), "empty"),
        ((np.zeros(3), 0.5), "2 axes"),
        ((np.full((2, 2), np.nan), 0.5), "finite"),
        ((np.full((2, 2), np.inf), 0.5), "finite"),
        ((good, 0.0), "alpha must be a number in"),
        ((good, 1.5), "alpha must be a number in"),
        ((good, 0.5, "simplex"), "solver must be one of 'highs', 'cvxpy'"),
        ((good, 0.5, "highs", 0.0), "tol must be a number"),
        ((good, 0.5, "highs", 1e-9, [1, 1]), "sample_weight must have shape"),
        ((good, 0.5, "highs", 1e-9, [0, 0, 0]), "all zero"),
    ]:
        with pytest.raises(ValueError, match=message):
            lpboost(*arguments)
    with pytest.raises(ValueError, match="alphas must be a number in"):
        lpboost_path(good, [0.5, 2.0])
    with pytest.raises(ValueError, match="alphas must be a sequence"):
        lpboost_path(good, 0.5)


@pytest.mark.parametrize(
    ("n", "n_models", "alpha"), [(900, 100, 0.1), (2000, 40, 0.002), (2000, 40, 0.9), (700, 3, 0.3)]
)
def test_a_guess_at_the_basis_changes_no_optimum(n, n_models, alpha):
    # more samples than sifting starts with, so that it starts from the smoothed problem; models that err together
    rng = np.random.default_rng(n)
    losses = (rng.random((n, 1)) * 0.7 + rng.random((n, n_models)) * 0.5 > 0.7).astype(float)
    result = lpboost(losses, alpha)
    check_certificate(result, losses, alpha, 1e-9)
    assert_allclose(result.value, primal_optimum(losses, alpha), atol=1e-8)


def test_any_basis_to_begin_with_leads_to_the_optimum():
    losses, alpha = table("bits", 60, 80, 4), 0.2  # more models than samples
    caps = np.full(60, 1 / (alpha * 60))
    expected = DualProgram(losses, caps, 1.0).solve()[0]
    for model_weights in (np.full(80, 1 / 80), np.eye(80)[0]):
        program = DualProgram(losses, caps, 1.0)
        program.begin_at(model_weights, losses @ model_weights - 0.5)
        assert_allclose((program.solve()[0] @ losses).min(), (expected @ losses).min(), atol=1e-9)


def test_a_sample_without_weight_changes_nothing_however_large_its_losses():
    losses = np.random.default_rng(1).random((50, 4))
    weight, spoiled = np.append(0.0, np.ones(49)), losses.copy()
    spoiled[0] = 1e12  # the tolerance is a fraction of the range of the losses
    value = lpboost(losses[1:], 0.1).value
    assert_allclose(lpboost(spoiled, 0.1, sample_weight=weight).value, value, rtol=1e-9)
    assert_allclose(lpboost_path(spoiled, [0.1], weight)[0].value, value, rtol=1e-9)


@pytest.mark.parametrize("alpha", [1e-9, 1e-12, 1e-15, 1e-320])
def test_the_path_reaches_tails_smaller_than_any_sample(alpha):
    losses = np.random.default_rng(1).random((50, 4))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tiny, whole = lpboost_path(losses, [alpha, 1.0])
    assert_allclose(tiny.value, lpboost(losses, 0.02).value, rtol=1e-9)
    assert_allclose(whole.value, losses.mean(axis=0).min(), rtol=1e-9)


@pytest.mark.parametrize("alphas", [["a"], 0.5, [[0.5]], [0.5, 2.0]], ids=repr)
def test_a_path_names_its_parameter(alphas):
    with pytest.raises(ValueError, match="alphas must be"):
        lpboost_path(np.eye(3), alphas)


def test_weights_without_a_finite_sum_are_refused():
    with pytest.raises(ValueError, match="sample_weight must have a finite sum"):
        lpboost(np.eye(3), 0.5, sample_weight=[1e308] * 3)
