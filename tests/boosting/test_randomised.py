"""Draws of a model: their law, their memory, their keys."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.stats import chisquare

from marginloss.boosting.randomised import draw_models, frozen_models

WEIGHTS = np.array([0.5, 0.0, 0.3, 0.2])


def test_draws_follow_the_weights():
    chosen = draw_models(WEIGHTS, 20_000, np.random.RandomState(0))
    counts = np.bincount(chosen, minlength=4)
    assert counts[1] == 0
    assert chisquare(counts[[0, 2, 3]], 20_000 * WEIGHTS[[0, 2, 3]]).pvalue > 1e-4


def test_frozen_is_a_function_of_the_row_and_the_key():
    X = np.random.default_rng(0).normal(size=(500, 7))
    chosen = frozen_models(X, WEIGHTS, key=1)
    order = np.random.default_rng(1).permutation(500)
    assert (frozen_models(X[order], WEIGHTS, key=1) == chosen[order]).all()
    assert (frozen_models(sparse.csr_array(X), WEIGHTS, key=1) == chosen).all()
    assert (frozen_models(X, WEIGHTS, key=2) != chosen).mean() > 0.4
    assert (frozen_models(-X * 0.0, WEIGHTS, key=1) == frozen_models(X * 0.0, WEIGHTS, key=1)).all()
    assert (
        frozen_models(X.astype(np.float32), WEIGHTS, 1) == frozen_models(X.astype(np.float32).astype(float), WEIGHTS, 1)
    ).all()


def test_frozen_follows_the_weights_over_rows_and_over_keys():
    grid = np.array([[a, b] for a in range(100) for b in range(100)], dtype=float)  # neighbours that differ in a bit
    counts = np.bincount(frozen_models(grid, WEIGHTS, key=5), minlength=4)
    assert counts[1] == 0
    assert chisquare(counts[[0, 2, 3]], 10_000 * WEIGHTS[[0, 2, 3]]).pvalue > 1e-4
    over_keys = np.bincount([frozen_models(grid[:1], WEIGHTS, key)[0] for key in range(3000)], minlength=4)
    assert chisquare(over_keys[[0, 2, 3]], 3000 * WEIGHTS[[0, 2, 3]]).pvalue > 1e-4


def test_neighbouring_rows_are_independent():
    first = frozen_models(np.arange(20_000.0)[:, None], np.array([0.5, 0.5]), key=3)
    assert_allclose((first[1:] == first[:-1]).mean(), 0.5, atol=0.02)


def test_text_is_refused():
    with pytest.raises(ValueError, match="needs numbers"):
        frozen_models(np.array([["a"]], dtype=object), WEIGHTS, 0)
