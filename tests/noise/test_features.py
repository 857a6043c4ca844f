"""Input noise: what may change, how often, and that nothing else does."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse

from marginloss.noise import flip_features, insider_twist, replace_instances, swap_features

seeds = st.integers(0, 2**32)
rates = st.floats(0, 1)


@given(st.integers(4, 40), st.floats(0, 0.5), seeds)
@settings(deadline=None)
def test_replaced_inputs_come_from_another_class(half, rate, seed):
    X = np.arange(2 * half, dtype=float)[:, None]
    y = np.repeat([0, 1], half)
    before = X.copy()
    out = replace_instances(X, y, rate, seed)
    changed = (out != X).ravel()
    assert changed.sum() == round(rate * len(y))
    origin = out[changed].ravel().astype(int)
    assert (y[origin] != y[changed]).all()
    for label in (0, 1):  # without replacement
        mine = out[changed & (y == label)].ravel()
        assert len(np.unique(mine)) == len(mine)
    np.testing.assert_array_equal(X, before)


@given(st.integers(1, 30), rates, seeds)
@settings(deadline=None)
def test_outliers_are_used_once(n, rate, seed):
    X, outliers = np.zeros((n, 2)), np.arange(1, 2 * n + 1).reshape(n, 2)
    out = replace_instances(X, np.zeros(n), rate, seed, outliers=outliers)
    used = out[out.any(axis=1)]
    assert len(used) == round(rate * n) == len(np.unique(used, axis=0))
    assert {tuple(row) for row in used} <= {tuple(row) for row in outliers.astype(float)}


@given(st.sampled_from([(0, 1), (-1, 1), (3, 8)]), st.integers(1, 20), rates, rates, seeds)
@settings(deadline=None)
def test_feature_flips(values, n, p_example, p_feature, seed):
    X = np.random.default_rng(seed).choice(values, (n, 6))
    X[0, :2] = values  # both values occur
    out = flip_features(X, p_example, p_feature, seed)
    assert np.isin(out, values).all() and out.dtype == X.dtype
    if 0 in (p_example, p_feature):
        np.testing.assert_array_equal(out, X)
    assume(len(np.unique(out)) == 2)  # a table of ones alone is read as 0/1, whatever it was before
    again = flip_features(out, 1, 1, seed)
    assert (again != out).all()
    np.testing.assert_array_equal(flip_features(again, 1, 1, seed), out)


def test_feature_flips_choose_rows_first():
    X = np.zeros((20_000, 9))
    out = flip_features(X, 0.3, 0.5, 0)
    touched = out.any(axis=1)
    # a selected row stays clean with probability 2^-9
    assert abs(touched.mean() - 0.3 * (1 - 2**-9)) < 5 * np.sqrt(0.21 / 20_000)
    assert abs(out.mean() - 0.15) < 5 * np.sqrt(0.15 * 0.85 / 20_000)  # rows are the independent units
    assert out[touched].mean() > 0.45


@given(st.integers(0, 2**32 - 1))
def test_swapped_entries_come_from_their_own_column(seed):
    X = np.arange(60.0).reshape(20, 3)
    out = swap_features(X, 0.5, 0.5, seed)
    assert all(set(new) <= set(old) for new, old in zip(out.T, X.T, strict=True))
    np.testing.assert_array_equal(X, np.arange(60.0).reshape(20, 3))


def test_swaps_hit_as_many_rows_and_entries_as_they_should():
    X = np.arange(40_000.0).reshape(10_000, 4)
    wrong = swap_features(X, 0.3, 0.5, 0) != X
    assert wrong.any(axis=1).mean() == pytest.approx(0.3 * (1 - 0.5**4), abs=0.01)
    assert wrong[wrong.any(axis=1)].mean() == pytest.approx(0.5 / (1 - 0.5**4), abs=0.01)
    words = np.array([["red", None], ["blue", "x"]], dtype=object)
    assert swap_features(words, 0.0, 1.0, 0).tolist() == words.tolist()
    assert swap_features(np.empty((0, 3)), 1.0, 1.0, 0).shape == (0, 3)


def test_boolean_features_keep_their_type():
    assert flip_features(np.array([[True, False]]), 1, 1, 0).tolist() == [[False, True]]


def test_insider_moves_three_columns():
    rng = np.random.default_rng(3)
    X = rng.random((40_000, 17))
    X[:, 10], X[:, 15] = rng.integers(0, 10, len(X)), rng.integers(0, 3, len(X))
    before = X.copy()
    out = insider_twist(X, 0)
    np.testing.assert_array_equal(X, before)
    others = np.setdiff1d(np.arange(17), (8, 10, 15))
    np.testing.assert_array_equal(out[:, others], X[:, others])
    added = out[:, 8] - X[:, 8]
    assert abs(added.std() - 60) < 5 * 60 / np.sqrt(2 * len(X)) and abs(added.mean()) < 5 * 60 / np.sqrt(len(X))
    for column, count in ((10, 10), (15, 3)):
        step = (out[:, column] - X[:, column]) % count
        assert set(np.unique(step)) == {0, 1}
        assert abs(step.mean() - 0.5) < 5 * 0.5 / np.sqrt(len(X))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: replace_instances(np.zeros((2, 1)), [0, 1], 2, 0), r"rate must be a number in \[0, 1\], got 2"),
        (lambda: replace_instances(np.zeros((3, 1)), [0, 1], 0.5, 0), "one row each per example"),
        (
            lambda: replace_instances(np.zeros((4, 1)), [0, 0, 0, 1], 1, 0),
            "3 inputs of other classes are needed, got 1",
        ),
        (lambda: replace_instances(np.zeros((4, 1)), [0, 0, 0, 1], 1, 0, outliers=np.ones((4, 2))), "outliers must"),
        (
            lambda: replace_instances(np.zeros((4, 1)), [0, 0, 0, 1], 1, 0, outliers=np.ones((2, 1))),
            "4 inputs .* got 2",
        ),
        (lambda: flip_features([[0, 1, 2]], 0.5, 0.5, 0), "two values, got 3"),
        (lambda: flip_features([0, 1], 0.5, 0.5, 0), "rows and columns"),
        (lambda: flip_features([[0, 1]], -0.5, 0.5, 0), "p_example must"),
        (lambda: flip_features([[0, 1]], 0.5, 1.5, 0), "p_feature must"),
        (lambda: swap_features([0, 1], 0.5, 0.5, 0), "rows and columns"),
        (lambda: swap_features([[0, 1]], -0.5, 0.5, 0), "p_example must"),
        (lambda: swap_features([[0, 1]], 0.5, 1.5, 0), "p_feature must"),
        (lambda: insider_twist(np.zeros((3, 9)), 0), r"columns \[8, 10, 15\], got shape \(3, 9\)"),
        (lambda: insider_twist(np.full((3, 17), 4.0), 0), "column 15 must hold the codes 0 to 2"),
        (lambda: insider_twist(np.zeros((3, 17)), 0, scale={8: -1.0}), r"scale\[8\] must"),
        (lambda: insider_twist(np.zeros((3, 17)), "seed"), "rng must be .* got 'seed'"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_outliers_are_never_cut_off():
    X = np.arange(4).reshape(2, 2)
    assert replace_instances(X, [0, 1], 1.0, rng=0, outliers=np.full((2, 2), 0.5)).tolist() == [[0.5, 0.5]] * 2
    words = replace_instances(np.array([["a"], ["b"]]), [0, 1], 1.0, rng=0, outliers=np.array([["long"], ["long"]]))
    assert words.tolist() == [["long"], ["long"]]
    single = replace_instances(X.astype(np.float32), [0, 1], 0.5, rng=0, outliers=np.full((2, 2), 0.1))
    assert single.dtype == np.float32


def test_too_few_inputs_of_other_classes_blame_the_rate():
    with pytest.raises(ValueError, match="rate must be lower: 3 inputs of other classes are needed, got 1"):
        replace_instances(np.eye(4), [0, 1, 1, 1], 1.0, rng=0)


def test_sparse_inputs_are_refused_by_name():
    with pytest.raises(ValueError, match="X and y must be arrays"):
        replace_instances(sparse.csr_array(np.eye(2)), [0, 1], 0.5, rng=0)


def test_a_missing_feature_is_no_second_value():
    with pytest.raises(ValueError, match="X contains NaN"):
        flip_features([[0.0, np.nan]], 1.0, 1.0, rng=0)


@pytest.mark.parametrize("scale", [{"a": 1.0}, {2: 1.0}, {-3: 1.0}], ids=str)
def test_an_insider_names_columns_by_number(scale):
    with pytest.raises(ValueError, match="X must have the columns"):
        insider_twist(pd.DataFrame({"a": [0.0], "b": [0.0]}), rng=0, scale=scale, symbols={})


@pytest.mark.parametrize("count", [0, 2.5, "two"])
def test_the_number_of_symbols_is_checked(count):
    with pytest.raises(ValueError, match=r"symbols\[1\] must be a whole number"):
        insider_twist(np.zeros((2, 2)), rng=0, scale={}, symbols={1: count})
