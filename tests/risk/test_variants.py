"""Group weights, trimming and the constants of the theorems."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from marginloss.risk import (
    cvar,
    group_lpboost,
    hedge_excess,
    hedge_rounds,
    hedge_step,
    lpboost,
    lpboost_beta,
    lpboost_rounds,
    trimmed_cvar,
    trimmed_lpboost,
)


@pytest.mark.parametrize("seed", range(5))
def test_group_weights_beat_the_even_and_every_single_model(seed):
    rng = np.random.default_rng(seed)
    losses, groups = rng.random((60, 5)), rng.integers(0, 4, 60)
    means = np.array([losses[groups == k].mean(axis=0) for k in range(4)])
    result = group_lpboost(losses, groups)
    assert_allclose(result.value, (means @ result.model_weights).max(), rtol=1e-12)
    assert result.value <= min(means.mean(axis=1).max(), means.max(axis=0).min()) + 1e-12
    # brute force over a fine simplex of two models
    two = group_lpboost(losses[:, :2], groups).value
    grid = np.linspace(0, 1, 20001)
    assert_allclose(two, (means[:, :1] * grid + means[:, 1:2] * (1 - grid)).max(axis=0).min(), atol=1e-4)


def test_trimmed_cvar_is_the_cvar_of_the_rest():
    rng = np.random.default_rng(0)
    losses = rng.random(50)
    assert_allclose(trimmed_cvar(losses, 0.2, 0.0), cvar(losses, 0.2), rtol=1e-14)
    assert_allclose(trimmed_cvar(losses, 0.2, 0.1), cvar(np.sort(losses)[:45], 0.2))


@pytest.mark.parametrize("seed", range(5))
def test_trimming_is_never_worse_than_keeping(seed):
    rng = np.random.default_rng(seed)
    losses = (rng.random((200, 6)) < rng.beta(0.5, 1, 200)[:, None]).astype(float)
    trimmed = trimmed_lpboost(losses, 0.2, 0.1)
    assert_allclose(trimmed.value, trimmed_cvar(losses @ trimmed.model_weights, 0.2, 0.1), rtol=1e-12)
    assert trimmed.value <= trimmed_cvar(losses.mean(axis=1), 0.2, 0.1) + 1e-12
    assert_allclose(trimmed_lpboost(losses, 0.2, 0.0).value, lpboost(losses, 0.2).value, atol=1e-9)


def test_trimming_by_weight_equals_repetition():
    rng = np.random.default_rng(1)
    losses, counts = rng.random((40, 4)), rng.integers(1, 4, 40)
    # a fraction that ends between two samples, so that nothing is cut in two
    order = np.argsort(-losses[:, 0])
    trim = counts[order][:5].sum() / counts.sum()
    repeated = trimmed_cvar(np.repeat(losses[:, 0], counts), 0.3, trim)
    assert_allclose(trimmed_cvar(losses[:, 0], 0.3, trim, sample_weight=counts), repeated)


def test_constants():
    assert hedge_rounds(50_000, 0.1) == 541
    assert_allclose(hedge_excess(1000, 50), math.sqrt(math.log(1000) / 100))
    assert_allclose(hedge_step(1000, 50), math.sqrt(8 * math.log(1000) / 50))
    assert lpboost_rounds(1.0, 0.5) == 16
    assert lpboost_beta(1.0, 0.5) == 0.5
    assert hedge_excess(1, 10) == 0.0
    # any other step has a weaker guarantee
    assert all(hedge_excess(1000, 50, s) >= hedge_excess(1000, 50) for s in np.linspace(0.05, 5, 60))


def test_bad_input():
    with pytest.raises(ValueError, match="groups must have shape"):
        group_lpboost(np.eye(3), [0, 1])
    for trim in (-0.1, 1.0, np.nan):
        with pytest.raises(ValueError, match="trim must be a number"):
            trimmed_lpboost(np.eye(3), 0.5, trim)
    with pytest.raises(ValueError, match="delta"):
        lpboost_rounds(0.1, 0.0)
    with pytest.raises(ValueError, match="rounds"):
        hedge_step(10, 0)


def test_no_program_is_no_answer():
    with pytest.raises(ValueError, match="max_iter must be a whole number of at least 1, got 0"):
        trimmed_lpboost(np.eye(3), 0.5, 0.1, max_iter=0)
