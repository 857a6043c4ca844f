"""The floor set by conflicting labels, against a linear program over all look-up classifiers."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import linprog

from marginloss.risk import coin_cvar, cvar, cvar_floor, cvar_floor_curve, label_conflicts


def lookup_optimum(cells, y, n_classes, alpha):
    """Least CVaR over all tables of label probabilities: variables q (cell, label), eta, xi."""
    n, kinds = len(y), cells.max() + 1
    width = kinds * n_classes
    cost = np.concatenate([np.zeros(width), [1.0], np.full(n, 1 / (alpha * n))])
    rows = np.zeros((n, width + 1 + n))
    rows[np.arange(n), cells * n_classes + y] = -1.0  # 1 - q - eta <= xi
    rows[:, width] = -1.0
    rows[np.arange(n), width + 1 + np.arange(n)] = -1.0
    sums = np.zeros((kinds, width + 1 + n))
    for kind in range(kinds):
        sums[kind, kind * n_classes : (kind + 1) * n_classes] = 1.0
    bounds = [(0, 1)] * width + [(None, None)] + [(0, None)] * n
    return linprog(cost, A_ub=rows, b_ub=-np.ones(n), A_eq=sums, b_eq=np.ones(kinds), bounds=bounds).fun


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("seed", range(4))
def test_equals_the_best_lookup_table(n_classes, seed):
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, 6, 40)
    cells = np.unique(cells, return_inverse=True)[1]
    y = rng.choice(n_classes, 40, p=rng.dirichlet(np.ones(n_classes)))
    X = rng.normal(size=(cells.max() + 1, 2))[cells]
    for alpha in (0.01, 0.1, 0.2, 0.35, 0.6, 1.0):
        assert_allclose(cvar_floor(X, y, alpha), lookup_optimum(cells, y, n_classes, alpha), atol=1e-9)


def test_two_classes_closed_form():
    X, y = [[0], [0], [0], [1], [1], [2]], ["a", "a", "b", "b", "b", "a"]
    minority = 1 / 6
    for alpha in (0.05, 1 / 3, 0.5, 1.0):
        assert_allclose(cvar_floor(X, y, alpha), min(0.5, minority / alpha))
    assert cvar_floor([[0], [1]], [0, 1], 0.1) == 0.0
    assert cvar_floor([[0], [0]], [1, 1], 0.1) == 0.0


def test_weights_equal_repetition():
    rng = np.random.default_rng(0)
    X, y, counts = rng.integers(0, 3, (30, 2)), rng.integers(0, 3, 30), rng.integers(0, 4, 30)
    repeated = cvar_floor(np.repeat(X, counts, axis=0), np.repeat(y, counts), 0.3)
    assert_allclose(cvar_floor(X, y, 0.3, sample_weight=counts), repeated)


def test_curve_is_the_floor_at_each_level():
    rng = np.random.default_rng(1)
    X, y, weight = rng.integers(0, 4, (60, 2)), rng.integers(0, 3, 60), rng.random(60)
    levels = [0.5, 0.03, 1.0]
    curve = cvar_floor_curve(X, y, levels, weight)
    assert curve.tolist() == [cvar_floor(X, y, level, weight) for level in levels]
    for wrong in (0.5, [0.2, 0.0]):
        with pytest.raises(ValueError, match="alphas"):
            cvar_floor_curve(X, y, wrong)


def test_coin_is_the_even_mixture_of_constants():
    for n_classes in (1, 2, 7):
        y = np.arange(50) % n_classes
        losses = (y[:, None] != np.arange(n_classes)).astype(float)
        assert_allclose(cvar(losses.mean(axis=1), 0.13), coin_cvar(n_classes))
    with pytest.raises(ValueError, match="n_classes"):
        coin_cvar(0)


def test_bad_input():
    with pytest.raises(ValueError, match="alpha"):
        cvar_floor([[0], [1]], [0, 1], 0.0)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        cvar_floor([[0], [1]], [0], 0.5)
    with pytest.raises(ValueError, match="Unknown label type"):
        cvar_floor([[0], [1]], [0.5, 1.2], 0.5)


@pytest.mark.parametrize("kind", ["str", "category", object])
def test_the_floor_of_a_table_with_words(kind):
    numbers = np.array([[0, 1], [0, 1], [0, 1], [1, 1], [1, 2]])
    y = [0, 0, 1, 1, 0]
    table = pd.DataFrame({"word": pd.Series(np.array(["x", "y"])[numbers[:, 0]]).astype(kind), "number": numbers[:, 1]})
    assert cvar_floor(table, y, 0.3) == cvar_floor(numbers, y, 0.3)
    assert label_conflicts(table, y) == label_conflicts(numbers, y) == (0.6, pytest.approx(0.2))
