"""Products with shared rows are those with a table of each model's own."""

import numpy as np
import pytest
from scipy import sparse

from marginloss.companion.experiments.amid2019 import shared_rows
from marginloss.companion.experiments.amid2019.shared_rows import FEW, Replaced, SharedRows


@pytest.fixture
def tables():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(97, 5))
    first, second = X.copy(), X.copy()
    first[[0, 13, 96]], second[20:60] = 1.0, 2.0
    return X, first, second


def test_what_is_replaced(tables):
    X, first, _ = tables
    replaced = Replaced.between(X, first)
    assert replaced.rows.tolist() == [0, 13, 96]
    np.testing.assert_array_equal(replaced.inputs, np.ones((3, 5)))


@pytest.mark.parametrize("models", [range(1), range(FEW), range(FEW + 2), [1, 2], [2, 5], [0, 3, 6, 7], range(8)])
def test_sums_are_those_of_each_table(tables, models, monkeypatch):
    monkeypatch.setattr(shared_rows, "MOST_ROWS", 10)  # several blocks, some without replaced rows
    X, first, second = tables
    one, two = Replaced.between(X, first), Replaced.between(X, second)
    shared = SharedRows(X, [None, one, two, None, one, two, None, one])
    models = np.array(models)
    coef = np.random.default_rng(1).normal(size=(len(models), 5))
    found = shared.sums(coef, models, lambda rows, scores: np.tanh(scores) + np.arange(97)[rows])
    for j, model in enumerate(models):
        own = [X, first, second, X, first, second, X, first][model]
        np.testing.assert_allclose(found[j], (np.tanh(own @ coef[j]) + np.arange(97)) @ own, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("count", [1, FEW + 1])
def test_sparse_and_single_precision(tables, count):
    X, *_ = tables
    coef = np.random.default_rng(1).normal(size=(count, 5))
    expected = (coef @ X.T) ** 2 @ X
    for table, rtol in ((sparse.csr_array(X), 1e-11), (X.astype(np.float32), 1e-4)):
        found = SharedRows(table, [None] * count).sums(coef, np.arange(count), lambda rows, scores: scores**2)
        assert found.dtype == np.float64
        np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol)
