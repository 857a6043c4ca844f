"""Tempered functions against 60-digit arithmetic, closed forms and other libraries' special cases."""

import warnings

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import log_softmax, logsumexp, rel_entr
from scipy.stats import entropy

from marginloss.losses import log_partition as internals
from marginloss.losses.tempered import (
    bitempered_loss,
    escort,
    exp_t,
    log_partition,
    log_partition_margin,
    log_softmax_t,
    log_t,
    softmax_t,
    tsallis_divergence,
    tsallis_entropy,
    two_temperature_hessian,
    two_temperature_loss,
)

mp.mp.dps = 60


def exact_log_exp_t(x, t):
    if t == 1:
        return x
    u = (1 - t) * x
    if u <= -1:
        return -mp.inf if t < 1 else mp.inf
    return mp.log1p(u) / (1 - t)


def exact_excess(gaps, t):
    """Root of sum exp_t(-(g + d)) = 1 by Newton from below, in 60 digits, one gap being 0."""
    gaps, t = sorted(mp.mpf(d) for d in gaps), mp.mpf(t)
    assert gaps[0] == 0
    g = mp.mpf(0)
    for _ in range(300):
        logs = [exact_log_exp_t(-(g + d), t) for d in gaps]
        delta = mp.expm1(logs[0]) + sum(mp.exp(v) for v in logs[1:])
        slope = sum(mp.exp(t * v) for v in logs if v > -mp.inf)
        height = mp.log1p(delta) if t == 1 else mp.expm1((t - 1) * mp.log1p(delta)) / (t - 1)
        step = (1 + delta) * height / slope
        g += step
        if abs(step) <= mp.mpf(10) ** -50 * g:
            return g
    raise AssertionError("the oracle did not converge")


def partition(activations, t):
    values = [mp.mpf(float(a)) for a in activations]
    top = max(values)
    return top + exact_excess([top - a for a in values], t)


def log_probabilities(activations, t):
    values = [mp.mpf(float(a)) for a in activations]
    g = partition(activations, t)
    return [exact_log_exp_t(a - g, mp.mpf(t)) for a in values]


TEMPERATURES = [0, 0.01, 0.3, 0.5, 0.9, 1 - 1e-9, 1, 1 + 1e-12, 1 + 1e-9, 1.0001, 1.12, 1.5, 1.9, 2, 3, 6]


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("t", TEMPERATURES)
def test_log_partition_agrees_with_sixty_digits(t):
    rng = np.random.default_rng(1)
    for classes in (2, 5, 40):
        for scale in (1e-8, 1e-2, 1, 10, 1e3, 1e6):
            a = np.clip(scale * rng.standard_normal(classes), -1e6, 1e6)
            exact = partition(a, t)
            # G itself may be near zero between its terms: relative to the larger of both
            size = max(abs(exact), abs(mp.mpf(float(a.max()))))
            assert abs(mp.mpf(float(log_partition(a, t))) - exact) <= 1e-14 * size


@pytest.mark.parametrize("t", [0.5, 1, 1.12, 2])
def test_a_thousand_classes(t):
    for scale in (0.01, 3, 1e6):
        a = scale * np.random.default_rng(11).uniform(-1, 1, 1000)
        exact = partition(a, t)
        assert abs(mp.mpf(float(log_partition(a, t))) - exact) <= 1e-14 * max(abs(exact), abs(a).max())


@pytest.mark.parametrize("t", TEMPERATURES)
def test_probabilities_keep_their_digits_however_small(t):
    rng = np.random.default_rng(2)
    for scale in (1e-2, 1, 30, 300):
        a = scale * rng.standard_normal(7)
        gaps = a.max() - a
        g = internals.excess(gaps, t)
        exact = exact_excess([mp.mpf(float(a.max())) - mp.mpf(float(v)) for v in a], t)
        assert abs(mp.mpf(float(g)) - exact) <= 1e-13 * exact + mp.mpf(10) ** -300
        for got, want in zip(log_softmax_t(a, t), log_probabilities(a, t), strict=True):
            assert got == want if want == -mp.inf else abs(mp.mpf(float(got)) - want) <= 1e-13 * max(1, abs(want))


@pytest.mark.parametrize("t", [1 + 1e-12, 1.001, 1.12, 1.3, 1.6, 2, 3, 10])
def test_table_of_margins_agrees_with_sixty_digits(t):
    rng = np.random.default_rng(3)
    margins = np.concatenate([3 * rng.standard_normal(30), 10 ** rng.uniform(-3, 7, 30), [0.0, -1e-9, 2e6, 3e6]])
    partitions, losers = log_partition_margin(margins, t), internals.log_loser(margins, t)
    for z, got, level in zip(margins, partitions, losers, strict=True):
        size = mp.mpf(abs(float(z)))
        g = exact_excess([0, size], t)
        assert abs(mp.mpf(float(got)) / (size / 2 + g) - 1) <= 1e-14
        exact = mp.log1p((mp.mpf(t) - 1) * (g + size)) / (1 - mp.mpf(t))
        assert abs(mp.mpf(float(level)) / exact - 1) <= 1e-14


def test_table_and_newton_agree_on_every_interval():
    rng = np.random.default_rng(4)
    margins = np.concatenate([rng.uniform(0, 40, 20000), 10 ** rng.uniform(0, 6.3, 20000)])
    for t in (1.01, 1.12, 1.7, 4):
        newton = margins / 2 + internals.excess(np.stack([np.zeros_like(margins), margins], axis=-1), t)
        np.testing.assert_allclose(log_partition_margin(margins, t), newton, rtol=2e-15)


@pytest.mark.parametrize("t", [0, 0.5, 1, 1.5, 2])
def test_closed_forms_are_the_root(t):
    for size in (0.0, 1e-9, 0.3, 0.999, 1.7, 2.5, 40.0, 1e5, 1e200):
        exact = exact_excess([0, mp.mpf(size)], t) if size < 1e6 else 0
        got = float(internals.excess_margin(np.array(size), t))
        assert got == pytest.approx(float(exact), rel=1e-14, abs=1e-150)


@pytest.mark.parametrize("t", [0, 0.3, 0.7, 1, 1.12, 1.5, 2, 3, 10])
@pytest.mark.parametrize("classes", [2, 10, 1000])
def test_newton_needs_at_most_fourteen_steps(t, classes):
    rng = np.random.default_rng(5)
    rows = [
        np.sort(rng.exponential(size=(200, classes)) ** power * scale) for power in (1, 6) for scale in (0.1, 10, 1e4)
    ]
    rows += [np.full((1, classes), distance) for distance in 10.0 ** np.arange(-3, 7, 0.1)]
    gaps = np.concatenate(rows)
    gaps[:, 0] = 0
    _, iterations = internals.excess(gaps, t, return_iterations=True)
    assert iterations.max() <= 14
    np.testing.assert_allclose(softmax_t(-gaps, t).sum(axis=1), 1, atol=1e-12)


def test_special_cases_of_other_libraries():
    a = 3 * np.random.default_rng(6).standard_normal((50, 6))
    np.testing.assert_allclose(log_partition(a, 1), logsumexp(a, axis=1), rtol=1e-15)
    np.testing.assert_allclose(log_softmax_t(a, 1), log_softmax(a, axis=1), rtol=1e-13)
    # sparsemax: the Euclidean projection on the simplex
    ordered = -np.sort(-a, axis=1)
    threshold = (np.cumsum(ordered, axis=1) - 1) / np.arange(1, 7)
    projected = np.maximum(a - threshold[np.arange(50), (ordered > threshold).sum(axis=1) - 1][:, None], 0)
    np.testing.assert_allclose(softmax_t(a, 0), projected, atol=1e-15)


def test_axis_shapes_and_one_class():
    a = np.random.default_rng(7).standard_normal((4, 3, 5))
    assert log_partition(a, 1.3).shape == (4, 3)
    np.testing.assert_array_equal(log_partition(a, 1.3, axis=0), log_partition(np.moveaxis(a, 0, -1), 1.3))
    np.testing.assert_allclose(softmax_t(a, 1.3, axis=1).sum(axis=1), 1, atol=1e-14)
    np.testing.assert_allclose(log_partition(a[..., :1], 1.3), a[..., 0])
    np.testing.assert_array_equal(two_temperature_loss(a[0, :, :1], [0, 0, 0], 0.5, 1.3), 0)
    assert isinstance(log_partition([0.0, 1.0], 1.5), np.float64)


@pytest.mark.parametrize("t", [0, 0.5, 1, 1.7, 2])
def test_infinities_and_nan(t):
    inf = np.inf
    np.testing.assert_array_equal(softmax_t([inf, 0.0, -inf], t), [1, 0, 0])
    np.testing.assert_allclose(softmax_t([inf, inf, 0.0], t), [0.5, 0.5, 0], atol=1e-15)
    np.testing.assert_allclose(softmax_t([0.0, 0.0, -inf], t), [0.5, 0.5, 0], atol=1e-15)
    assert np.isnan(softmax_t([[-inf, -inf], [np.nan, inf]], t)).all()
    assert log_partition([1e308, -1e308], t) == 1e308
    np.testing.assert_array_equal(log_partition_margin([-inf, inf, np.nan], t), [inf, inf, np.nan])


@pytest.mark.parametrize("t", [-0.1, np.nan, np.inf, "1", None])
def test_temperatures_that_make_no_sense_are_refused(t):
    for function in (log_t, exp_t, log_partition, softmax_t, escort, log_partition_margin, tsallis_entropy):
        with pytest.raises(ValueError, match=r"t must be a number in \[0, inf\), got"):
            function([0.5, 0.5], t)
    with pytest.raises(ValueError, match="t2 must be a number"):
        two_temperature_loss([[0.0, 1.0]], [0], 1, t)


def test_bad_arrays_are_refused():
    with pytest.raises(ValueError, match="at least one class"):
        log_partition(np.zeros((3, 0)), 1.5)
    with pytest.raises(ValueError, match="overflows at t=2000"):
        log_partition([0.0, 0.0], 2000)
    with pytest.raises(ValueError, match="negative value"):
        escort([-0.1, 1.1], 2)
    for labels in ([2], [-1], [0.5], [0, 1], [np.nan], ["a"]):
        with pytest.raises(ValueError, match="labels must be whole numbers from 0 to 1"):
            two_temperature_loss([[0.0, 1.0]], labels, 1, 1)
    with pytest.raises(ValueError, match="or distributions in one of shape"):
        bitempered_loss([[0.0, 1.0]], [[0.7, 0.7]], 1, 1)


@pytest.mark.parametrize("t", [0, 0.4, 1 - 1e-12, 1, 1 + 1e-12, 1.6, 3])
def test_tempered_logarithm_and_exponential(t):
    x = np.array([1e-200, 1e-3, 0.5, 1.0, 3.0, 1e5])
    exact = [mp.log(v) if t == 1 else (mp.mpf(float(v)) ** (1 - mp.mpf(t)) - 1) / (1 - mp.mpf(t)) for v in x]
    np.testing.assert_allclose(log_t(x, t), np.array(exact, dtype=float), rtol=2e-13)
    middle = np.array([0.2, 1.0, 3.0])
    np.testing.assert_allclose(exp_t(log_t(middle, t), t), middle, rtol=1e-13)
    assert log_t(0.0, t) == (-1 / (1 - t) if t < 1 else -np.inf)
    assert exp_t(-1e300, t) == pytest.approx(0, abs=1e-80)
    if t > 1:
        assert exp_t(1 / (t - 1) + 1, t) == np.inf
    assert np.isnan(log_t(-1.0, t))


simplex = arrays(float, 4, elements=st.floats(0.01, 1)).map(lambda v: v / v.sum())


@settings(deadline=None, max_examples=60)
@given(p=simplex, q=simplex, t=st.floats(0, 3))
def test_tsallis_identities(p, q, t):
    if abs(t - 1) > 1e-3:
        assert tsallis_entropy(p, t) == pytest.approx(((p**t).sum() - 1) / (1 - t), rel=1e-9, abs=1e-12)
    cross = -tsallis_entropy(p, t) - (p**t * log_t(q, t)).sum()
    assert tsallis_divergence(p, q, t) == pytest.approx(cross, rel=1e-9, abs=1e-11)
    assert tsallis_divergence(p, q, t) >= -1e-12
    np.testing.assert_allclose(escort(p, t), p**t / (p**t).sum(), rtol=1e-12)


def test_tsallis_at_one_and_with_zeros():
    p, q = np.array([0.7, 0.3, 0.0]), np.array([0.2, 0.3, 0.5])
    assert tsallis_entropy(p, 1) == pytest.approx(entropy(p), rel=1e-15)
    assert tsallis_divergence(p, q, 1) == pytest.approx(rel_entr(p, q).sum(), rel=1e-14)
    assert tsallis_divergence(q, p, 0.5) == pytest.approx(2 * (1 - np.sqrt(p * q).sum()))
    assert tsallis_divergence(q, p, 1.5) == np.inf
    np.testing.assert_array_equal(escort(p, 0), [0.5, 0.5, 0])


@pytest.mark.parametrize(("t1", "t2"), [(1, 1), (0.6, 1.6), (0.1, 1.12), (1.5, 1.2), (0, 1), (0.3, 0.7), (0.8, 0.8)])
def test_multiclass_gradient_and_hessian_by_differences(t1, t2):
    rng = np.random.default_rng(8)
    a, labels, h = rng.standard_normal((6, 4)) * 0.4, rng.integers(0, 4, 6), 1e-5
    losses, gradient = two_temperature_loss(a, labels, t1, t2, gradient=True)
    np.testing.assert_array_equal(losses, two_temperature_loss(a, labels, t1, t2))
    hessian = two_temperature_hessian(a, labels, t1, t2)
    for k in range(4):
        e = h * np.eye(4)[k]
        up, slope_up = two_temperature_loss(a + e, labels, t1, t2, gradient=True)
        down, slope_down = two_temperature_loss(a - e, labels, t1, t2, gradient=True)
        np.testing.assert_allclose(gradient[:, k], (up - down) / (2 * h), atol=2e-9)
        np.testing.assert_allclose(hessian[:, :, k], (slope_up - slope_down) / (2 * h), atol=5e-8)


@pytest.mark.parametrize(("t1", "t2"), [(0.3, 0.5), (0.6, 1.6), (1, 1), (0.5, 0.5), (0.9, 0.2), (1, 2)])
def test_multiclass_loss_is_finite_at_extreme_activations(t1, t2):
    a = np.array([[1e6, -1e6, 0.0], [-1e300, 1e300, 0.0], [50.0, 0.0, 0.0]])
    for labels in ([0, 0, 0], [1, 1, 1], [2, 2, 2]):
        losses, gradient = two_temperature_loss(a, labels, t1, t2, gradient=True)
        assert not np.isnan(losses).any()
        assert np.isfinite(gradient).all()
        assert np.isfinite(two_temperature_hessian(a, labels, t1, t2)).all()


def test_bitempered_loss_is_proper_and_its_gradient_right():
    p = np.array([[0.5, 0.3, 0.2]])
    a, h = np.array([[0.4, -0.2, 0.1]]), 1e-6
    _, gradient = bitempered_loss(a, p, 0.6, 1.6, gradient=True)
    slopes = [
        (bitempered_loss(a + h * e, p, 0.6, 1.6) - bitempered_loss(a - h * e, p, 0.6, 1.6)) / (2 * h) for e in np.eye(3)
    ]
    np.testing.assert_allclose(gradient[0], np.ravel(slopes), atol=1e-9)
    # properness: at the activations whose probabilities are p, the loss and its gradient vanish
    loss, gradient = bitempered_loss(log_t(p, 1.6), p, 0.6, 1.6, gradient=True)
    assert abs(loss[0]) < 1e-15
    assert np.abs(gradient).max() < 1e-15
    assert bitempered_loss([[-1e200, 1e200]], [0], 0.6, 1.6)[0] == pytest.approx(2.5)
    np.testing.assert_allclose(bitempered_loss(a, [1], 1, 1), -log_softmax(a, axis=1)[:, 1])


@pytest.mark.parametrize("of_rows", [two_temperature_loss, bitempered_loss], ids=lambda f: f.__name__)
@pytest.mark.parametrize(("t1", "t2"), [(1, 1), (0.6, 1.6), (1.5, 1.2), (0.3, 0.7)])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_slopes_for_soft_labels_by_differences(of_rows, t1, t2, smoothing):
    rng = np.random.default_rng(10)
    a, y, h = rng.normal(size=(2, 3, 4)) * 0.4, rng.dirichlet(np.ones(4), (2, 3)), 1e-5
    y[0] = np.eye(4)[:3]
    losses, gradient = of_rows(a, y, t1, t2, gradient=True, label_smoothing=smoothing)
    assert losses.shape == (2, 3) and gradient.shape == (2, 3, 4)
    for k, e in enumerate(h * np.eye(4)):
        rise = of_rows(a + e, y, t1, t2, label_smoothing=smoothing) - of_rows(
            a - e, y, t1, t2, label_smoothing=smoothing
        )
        np.testing.assert_allclose(gradient[..., k], rise / (2 * h), atol=5e-9)
    if of_rows is two_temperature_loss and not smoothing:
        hessian = two_temperature_hessian(a, y, t1, t2)
        for k, e in enumerate(h * np.eye(4)):
            up, down = (of_rows(b, y, t1, t2, gradient=True)[1] for b in (a + e, a - e))
            np.testing.assert_allclose(hessian[..., k], (up - down) / (2 * h), atol=5e-8)
        np.testing.assert_array_equal(
            two_temperature_hessian(a, y, t1, t2, diagonal=True), np.diagonal(hessian, axis1=-2, axis2=-1)
        )


def test_two_temperatures_of_a_soft_label_are_the_mean_over_its_classes():
    rng = np.random.default_rng(11)
    a, y = rng.normal(size=(7, 3)) * 30, rng.dirichlet(np.ones(3), 7)
    by_class = [two_temperature_loss(a, np.full(7, c), 0.6, 1.6) for c in range(3)]
    np.testing.assert_allclose(two_temperature_loss(a, y, 0.6, 1.6), (y * np.transpose(by_class)).sum(axis=1))


@pytest.mark.parametrize("of_rows", [two_temperature_loss, bitempered_loss], ids=lambda f: f.__name__)
def test_label_smoothing_mixes_with_the_uniform_distribution(of_rows):
    rng = np.random.default_rng(12)
    a, c = rng.normal(size=(7, 4)), rng.integers(0, 4, 7)
    mixed = 0.8 * np.eye(4)[c] + 0.2 / 4
    np.testing.assert_allclose(of_rows(a, c, 0.6, 1.6, label_smoothing=0.2), of_rows(a, mixed, 0.6, 1.6))
    # the definition of other libraries: cross entropy with the mixed label
    entropy_of_label = (mixed * np.log(mixed)).sum(axis=1) if of_rows is bitempered_loss else 0
    expected = -(mixed * log_softmax(a, axis=1)).sum(axis=1) + entropy_of_label
    np.testing.assert_allclose(of_rows(a, c, 1, 1, label_smoothing=0.2), expected)
    with pytest.raises(ValueError, match=r"label_smoothing must be a number in \[0, 1\], got 2"):
        of_rows(a, c, 1, 1, label_smoothing=2)


@pytest.mark.parametrize("of_rows", [two_temperature_loss, bitempered_loss], ids=lambda f: f.__name__)
def test_shapes_and_precision_are_those_of_the_activations(of_rows):
    a = np.random.default_rng(13).normal(size=(2, 3, 5))
    single = [out.dtype for out in of_rows(a.astype(np.float32), np.zeros((2, 3), int), 0.6, 1.6, gradient=True)]
    assert single == [np.float32, np.float32]
    np.testing.assert_array_equal(of_rows(a, np.ones((2, 3), int), 0.6, 1.6)[1, 2], of_rows(a[1, 2], 1, 0.6, 1.6))
    assert isinstance(of_rows(a[0, 0], 1, 0.6, 1.6), np.float64)
    assert of_rows(np.zeros((0, 3)), np.zeros(0, int), 0.6, 1.6).shape == (0,)


@pytest.mark.parametrize("of_rows", [two_temperature_loss, bitempered_loss], ids=lambda f: f.__name__)
def test_beyond_the_support_an_infinite_loss_has_no_zero_slope(of_rows):
    losses, gradient = of_rows([[0.0, 9.0, 9.0]], [0], 1.0, 0.5, gradient=True)
    assert losses[0] == np.inf
    np.testing.assert_array_equal(gradient, [[-np.inf, np.inf, np.inf]])
    losses, gradient = of_rows([[0.0, 9.0, 9.0]], [0], 0.8, 0.5, gradient=True)  # bounded, and constant there
    assert np.isfinite(losses[0]) and (np.abs(gradient[0, 0]) == 0)


def test_slopes_keep_their_digits_where_the_label_is_almost_certain():
    _, gradient = two_temperature_loss([[60.0, 0.0, 1.0]], [0], 1, 1, gradient=True)
    exact = -(mp.exp(-60) + mp.exp(-59)) / (1 + mp.exp(-60) + mp.exp(-59))
    assert gradient[0, 0] == pytest.approx(float(exact), rel=1e-14, abs=0)
    soft = two_temperature_loss([[60.0, 0.0, 1.0]], [[1.0, 0.0, 0.0]], 1, 1, gradient=True)[1]
    np.testing.assert_array_equal(soft, gradient)
