"""Label noise: how many rows change, which may change, and what stays as it was."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marginloss.noise import flip_by_margin, flip_labels

LABELS = [(-1, 1), (0, 1), ("ham", "spam"), (False, True), (2.0, 7.0)]
labels = st.sampled_from(LABELS)
bits = st.lists(st.booleans(), min_size=2, max_size=60).filter(lambda b: len(set(b)) == 2)
rates = st.floats(0, 1)
seeds = st.integers(0, 2**32)
kinds = st.sampled_from(["iid", "count", "stratified"])


def as_labels(pair, b):
    return np.array([pair[int(x)] for x in b])


@given(labels, bits, rates, seeds)
@settings(deadline=None)
def test_exact_count(pair, b, rate, seed):
    y = as_labels(pair, b)
    before = y.copy()
    noisy = flip_labels(y, rate, seed, kind="count")
    assert (noisy != y).sum() == round(rate * len(y))
    assert np.isin(noisy, pair).all() and noisy.dtype == y.dtype
    np.testing.assert_array_equal(y, before)


@given(labels, bits, rates, seeds)
@settings(deadline=None)
def test_stratified_count_in_each_class(pair, b, rate, seed):
    y = as_labels(pair, b)
    wanted = int(rate * len(y) / 2)
    sizes = [int((y == label).sum()) for label in pair]
    if wanted > min(sizes):
        with pytest.raises(ValueError, match=f"asks for {wanted} flips"):
            flip_labels(y, rate, seed, kind="stratified")
        return
    changed = flip_labels(y, rate, seed, kind="stratified") != y
    assert [int(changed[y == label].sum()) for label in pair] == [wanted, wanted]


@given(labels, bits, seeds, kinds)
@settings(deadline=None)
def test_rate_zero_is_clean(pair, b, seed, kind):
    y = as_labels(pair, b)
    np.testing.assert_array_equal(flip_labels(y, 0, seed, kind=kind), y)


@given(labels, bits, seeds, st.sampled_from(["iid", "count"]))
@settings(deadline=None)
def test_rate_one_is_an_involution(pair, b, seed, kind):
    y = as_labels(pair, b)
    once = flip_labels(y, 1, seed, kind=kind)
    assert (once != y).all()
    np.testing.assert_array_equal(flip_labels(once, 1, seed + 1, kind=kind), y)


@given(labels, bits, rates, seeds, st.sampled_from(["iid", "count"]))
@settings(deadline=None)
def test_class_conditional_leaves_the_other_class(pair, b, rate, seed, kind):
    y = as_labels(pair, b)
    changed = flip_labels(y, {pair[1]: rate}, seed, kind=kind) != y
    assert not changed[y == pair[0]].any()
    if kind == "count":
        assert changed.sum() == round(rate * (y == pair[1]).sum())


def test_iid_rates_are_met():
    y = np.repeat([-1, 1], [30_000, 10_000])
    changed = flip_labels(y, 0.1, 0) != y
    # five standard deviations of a binomial share
    assert abs(changed.mean() - 0.1) < 5 * np.sqrt(0.09 / len(y))
    by_class = flip_labels(y, {-1: 0.05, 1: 0.4}, 0) != y
    assert abs(by_class[y == -1].mean() - 0.05) < 5 * np.sqrt(0.05 * 0.95 / 30_000)
    assert abs(by_class[y == 1].mean() - 0.4) < 5 * np.sqrt(0.24 / 10_000)


def test_seed_repeats_and_generator_goes_on():
    y = np.repeat([-1, 1], 50)
    np.testing.assert_array_equal(flip_labels(y, 0.3, 5), flip_labels(y, 0.3, np.random.default_rng(5)))
    rng = np.random.default_rng(5)
    assert (flip_labels(y, 0.3, rng) != flip_labels(y, 0.3, rng)).any()


def test_one_class_needs_both_named():
    with pytest.raises(ValueError, match="classes="):
        flip_labels(np.ones(4), 0.5, 0)
    assert flip_labels(np.ones(4), 1, 0, classes=(-1, 1)).tolist() == [-1] * 4


@given(bits, rates, st.sampled_from(["small", "large"]), st.randoms(use_true_random=False))
@settings(deadline=None)
@pytest.mark.filterwarnings("ignore:.*flips were asked for")
def test_margin_flips_take_the_extreme_of_the_right_side(b, rate, where, random):
    y = as_labels((-1, 1), b)
    margin = np.array([random.choice([-1.0, 0.5, 1.0, 2.0, random.random()]) for _ in y])
    changed = flip_by_margin(y, margin, rate, where=where) != y
    right = margin > 0
    assert changed.sum() == min(round(rate * len(y)), right.sum())
    assert not changed[~right].any()
    kept, sign = right & ~changed, 1 if where == "small" else -1
    if changed.any() and kept.any():
        assert (sign * margin[changed]).max() <= (sign * margin[kept]).min()


def test_margin_ties_go_in_order_and_shortage_warns():
    y = np.array([1, 1, -1, -1])
    assert (flip_by_margin(y, [1, 1, 1, 1], 0.5) != y).tolist() == [True, True, False, False]
    with pytest.warns(UserWarning, match="3 flips were asked for, only 1 rows"):
        assert (flip_by_margin(y, [1, -1, -1, 0], 0.75) != y).tolist() == [True, False, False, False]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: flip_labels([-1, 1], 1.5, 0), r"rate must be a number in \[0, 1\], got 1.5"),
        (lambda: flip_labels([-1, 1], float("nan"), 0), "rate must be a number"),
        (lambda: flip_labels([-1, 1], 0.1, 0, kind="some"), "kind must be .* got 'some'"),
        (lambda: flip_labels([-1, 1], {3: 0.1}, 0), "rate names the label 3"),
        (lambda: flip_labels([-1, 1], {1: -0.1}, 0), r"rate\[1\] must be"),
        (lambda: flip_labels([-1, 1], {1: 0.1}, 0, kind="stratified"), "single rate"),
        (lambda: flip_labels([0, 1, 2], 0.1, 0), r"two labels are needed .* \[0, 1, 2\]"),
        (lambda: flip_labels([[0, 1]], 0.1, 0), "vector of labels"),
        (lambda: flip_labels([0.0, np.nan], 0.1, 0), "NaN"),
        (lambda: flip_labels([0, 5], 0.1, 0, classes=(0, 1)), r"y has the labels \[0, 5\]"),
        (lambda: flip_labels([-1, 1], 0.1, None), "rng must be .* got None"),
        (lambda: flip_by_margin([-1, 1], [1.0], 0.1), "one value per label"),
        (lambda: flip_by_margin([-1, 1], [1.0, np.nan], 0.1), "margin contains NaN"),
        (lambda: flip_by_margin([-1, 1], [1.0, 1.0], 0.1, where="middle"), "where must be .* got 'middle'"),
        (lambda: flip_by_margin([-1, 1], [1.0, 1.0], -1), r"rate must be a number in \[0, 1\], got -1"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (np.array(["a", "a"]), ["a", "long"]),
        (np.array([b"a", b"a"]), [b"a", b"long"]),
        (np.array([1, 1], dtype=np.uint8), [-1, 1]),
        (np.array([1, 1], dtype=np.int8), [1, 300]),
        (np.array([1, 1]), [0.5, 1.0]),
    ],
    ids=lambda value: str(getattr(value, "dtype", "")),
)
def test_the_other_label_is_never_cut_off(y, classes):
    other = next(label for label in classes if label != y[0])
    assert flip_labels(y, 1.0, rng=0, classes=classes).tolist() == [other] * 2
    assert flip_by_margin(y, [1.0, 2.0], 0.5, classes=classes).tolist() == [other, y[1]]


@pytest.mark.parametrize("y", [["a", None, "b"], ["a", np.nan, "b"], [0, pd.NA, 1]], ids=repr)
def test_missing_labels_are_refused(y):
    for labels in (np.array(y, dtype=object), pd.Series(y, dtype=object)):
        with pytest.raises(ValueError, match="y contains missing labels"):
            flip_labels(labels, 0.5, rng=0)


def test_labels_of_a_frame_are_exchanged_in_their_order():
    y = pd.Series(["no", "yes", "no"], index=[7, 3, 5])
    for kind in ("category", "string", object):
        assert flip_labels(y.astype(kind), 1.0, rng=0).tolist() == ["yes", "no", "yes"]
    assert y.tolist() == ["no", "yes", "no"]
