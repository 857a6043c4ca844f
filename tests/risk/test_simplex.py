"""KL projection onto the capped simplex: optimality conditions, extreme log-weights, a generic solver."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from marginloss.losses import SmoothBoostLoss
from marginloss.risk import cvar_weights, project_capped_simplex


@settings(deadline=None)
@given(
    st.lists(st.floats(-2000, 2000), min_size=1, max_size=60),
    st.floats(1.0, 50.0),
)
def test_optimality_conditions(log_weights, factor):
    s = np.array(log_weights)
    cap = factor / len(s)
    w = project_capped_simplex(s, cap)
    assert_allclose(w.sum(), 1.0, rtol=1e-13)
    assert (w >= 0).all()
    assert (w <= cap * (1 + 1e-12)).all()
    # inside, log w - s is one number; at the cap it is at most that number
    inside = (w < cap * (1 - 1e-9)) & (w > 1e-290)
    if inside.any():
        level = np.log(w[inside]) - s[inside]
        assert np.ptp(level) <= 1e-9
        capped = w >= cap * (1 - 1e-9)
        assert (np.log(w[capped]) - s[capped] <= level.max() + 1e-8).all()


@pytest.mark.parametrize("seed", range(3))
def test_equals_a_generic_solver(seed):
    rng = np.random.default_rng(seed)
    n = 8
    s, cap = rng.normal(size=n) * 2, rng.uniform(1.2, 4) / n
    q = np.exp(s) / np.exp(s).sum()
    found = minimize(
        lambda w: np.sum(w * np.log(np.maximum(w, 1e-300) / q)),
        np.full(n, 1 / n),
        jac=lambda w: np.log(np.maximum(w, 1e-300) / q) + 1,
        bounds=[(0, cap)] * n,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert_allclose(project_capped_simplex(s, cap), found.x, atol=2e-5)


def test_thousands_apart():
    # a cumulative sum of exponentials underflows here and stops too early
    w = project_capped_simplex([1000.0, 0.0, -1000.0, -2000.0], cap=0.4)
    assert_allclose(w, [0.4, 0.4, 0.2, 0.0], atol=1e-15)


def test_smoothboost_distribution_is_a_projection():
    rng = np.random.default_rng(0)
    loss = SmoothBoostLoss(0.2)
    margins = rng.normal(size=200) * 5
    measure = loss.weight(margins)
    projected = project_capped_simplex(-loss.decay * margins, 1 / measure.sum())
    assert_allclose(projected, measure / measure.sum(), atol=1e-15)


def test_caps_of_each_sample():
    rng = np.random.default_rng(1)
    losses, counts = rng.random(30), rng.integers(1, 6, 30)
    merged = cvar_weights(losses, 0.2, beta=20.0, sample_weight=counts)
    repeated = cvar_weights(np.repeat(losses, counts), 0.2, beta=20.0)
    assert_allclose(np.repeat(merged / counts, counts), repeated, rtol=1e-12)


def test_zero_weights_stay_zero():
    assert_allclose(project_capped_simplex([0.0, -np.inf, 0.0], 0.6), [0.5, 0.0, 0.5])
    with pytest.raises(ValueError, match="caps sum to"):
        project_capped_simplex([0.0, -np.inf, -np.inf], 0.6)


def test_cap_of_one_over_n_up_to_rounding():
    for n in range(1, 200):
        assert_allclose(project_capped_simplex(np.arange(n, dtype=float), 1 / n), np.full(n, 1 / n), rtol=1e-12)


def test_bad_input():
    for log_weights, cap, message in [
        ([], 0.5, "non-empty"),
        ([np.nan], 1.0, "finite or -inf"),
        ([np.inf], 1.0, "finite or -inf"),
        ([0.0, 0.0], 0.4, "cap must be at least 1 / 2"),
        ([0.0, 0.0], 0.0, "cap must be positive"),
        ([0.0, 0.0], np.nan, "cap must be positive"),
        ([0.0, 0.0], [1.0], "cap must be a number or have shape"),
    ]:
        with pytest.raises(ValueError, match=message):
            project_capped_simplex(log_weights, cap)


def test_weights_that_are_all_zero_are_refused():
    with pytest.raises(ValueError, match="log_weights must not all be -inf"):
        project_capped_simplex([-np.inf, -np.inf], 1.0)
