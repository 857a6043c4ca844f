"""The landscape against differences, 50-digit arithmetic, an independent integrator and the specification's tables."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import minimize

from marginloss.theory.sypherd2023.bifurcation import global_minimum, minima, stationary_points, thresholds
from marginloss.theory.sypherd2023.long_servedio import Landscape, fair_coin_margin

ALPHAS = [0.3, 0.77, 1.0, 1.3, 2.0, 10.0, math.inf]


@pytest.mark.parametrize("alpha", ALPHAS)
def test_gradient_and_hessian_are_derivatives_of_the_risk(alpha):
    landscape, h = Landscape(alpha, 3.0, 0.1), 1e-4
    theta = np.random.default_rng(0).normal(scale=2, size=(20, 2))
    unit = np.eye(2) * h
    slope = np.stack([(landscape.risk(theta + e) - landscape.risk(theta - e)) / (2 * h) for e in unit], axis=-1)
    np.testing.assert_allclose(landscape.gradient(theta), slope, rtol=1e-5, atol=1e-6)
    curvature = np.stack([(landscape.gradient(theta + e) - landscape.gradient(theta - e)) / (2 * h) for e in unit], -1)
    np.testing.assert_allclose(landscape.hessian(theta), curvature, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("alpha", [0.5, 1.0, 1.1, 3.0, 50.0])
@pytest.mark.parametrize("odds", [1.1, 2.0, 99.0])
def test_drive_keeps_its_digits(alpha, odds):
    landscape = Landscape(alpha, odds)
    x = np.concatenate([np.linspace(-60, 60, 25), landscape.zero + np.array([-1e-6, 0.0, 1e-9, 0.3])])
    with mpmath.workdps(250):
        a, n = mpmath.mpf(alpha), mpmath.mpf(odds)

        def weight(x):
            sigma = 1 / (1 + mpmath.exp(-mpmath.mpf(x)))
            return sigma ** (1 - 1 / a) * (1 - sigma)

        exact = np.array([float(weight(-t) - n * weight(t)) for t in x])
        scale = np.array([float(n * weight(t)) for t in x]) * (1 + np.abs(x) / alpha)
    assert np.all(np.abs(landscape.drive(x) - exact) <= 4e-15 * np.maximum(scale, np.abs(exact) * (1 + np.abs(x))))


def test_drive_far_out_is_silent_and_has_the_right_sign():
    assert Landscape(3).drive([-2000.0, 2000.0]).tolist() == [0.0, 0.0]
    assert Landscape(3).drive(-60.0) < 0 < Landscape(3).drive(60.0)
    assert Landscape(0.5).drive([-2000.0, 2000.0]).tolist() == [-math.inf, math.inf]


# specification, "Theorem 1 in detail", N = 2, gamma = 1/20
PERFECT = {
    1.44: (18.4082, 0.17081, 8.3014),
    1.8: (24.94292372, 0.00115263580, 6.96739),
    2: (27.72508724, 8.8886248e-5, 6.58359),
    3: (41.5888308316, 2.2135204843e-10, 5.63962),
    10: (138.6294361, 5.5785854e-50, 4.44379),
}


@pytest.mark.parametrize("alpha", PERFECT)
def test_perfect_minimum(alpha):
    theta_1, theta_2, risk = PERFECT[alpha]
    (point,) = [p for p in minima(Landscape(alpha)) if p.accuracy == 1]
    assert point.theta[0] == pytest.approx(theta_1, rel=1e-5)
    assert point.theta[1] == pytest.approx(theta_2, rel=1e-4)
    assert point.risk == pytest.approx(risk, abs=1e-4)


def test_second_coordinate_shifts_the_first_by_nine_times_as_much():
    landscape = Landscape(3)
    theta = global_minimum(landscape).theta
    assert (theta[0] - landscape.zero / landscape.gamma) / theta[1] == pytest.approx(-9, rel=1e-2)


# the same table: the other local minimum, its accuracy and its risk
OTHER = {
    1: (0.78893, 1.41221, 0.5, None),
    1.1: (0.87034, 1.54606, 0.5, 7.7790),
    1.3: (1.03598, 1.80691, 0.5, 7.3858),
    1.44: (1.15472, 1.98344, 0.5, 7.1810),
    1.8: (1.47531, 2.41123, 0.5, 6.80597),
    2: (1.66734, 2.63095, 0.5, 6.65571),
    3: (2.10178, -36.1830, 0.75, 7.13404),
    10: (6.93147, -131.698, 0.75, 5.55490),
}


@pytest.mark.parametrize("alpha", OTHER)
def test_other_minimum(alpha):
    theta_1, theta_2, accuracy, risk = OTHER[alpha]
    (point,) = [p for p in minima(Landscape(alpha)) if p.accuracy < 1]
    assert point.theta == pytest.approx((theta_1, theta_2), rel=1e-5)
    assert point.accuracy == accuracy
    assert risk is None or point.risk == pytest.approx(risk, abs=1e-4)


def test_perfect_minimum_is_found_where_its_second_coordinate_underflows():
    assert global_minimum(Landscape(100)).theta == pytest.approx((Landscape(100).zero / 0.05, 0.0))


@pytest.mark.parametrize("alpha", [1.0, 1.1, 1.3, 1.4, 1.417])
def test_only_the_fair_coin_below_the_fold(alpha):
    (point,) = stationary_points(Landscape(alpha))
    assert point.kind == "minimum" and point.accuracy == 0.5


@pytest.mark.parametrize("alpha", [1.2, 1.6, 2.5, 3.0, 5.0])
@pytest.mark.parametrize(("odds", "gamma"), [(2.0, 0.05), (2.0, 0.02), (4.0, 0.1)])
def test_every_point_is_stationary_and_none_is_missed(alpha, odds, gamma):
    landscape = Landscape(alpha, odds, gamma)
    points = stationary_points(landscape)
    for point in points:
        rounding = 1e-13 * np.abs(landscape.hessian(point.theta)).max() * np.abs(point.theta).max()
        size = np.abs(landscape.multiplicity * landscape.drive(landscape.margins(point.theta))) @ np.abs(
            landscape.points
        )
        assert np.all(np.abs(landscape.gradient(point.theta)) <= 1e-8 * size + rounding)
    # minima and saddles of a smooth function that falls towards no infinity: as many saddles as minima, less one
    kinds = [point.kind for point in points]
    assert kinds.count("minimum") == kinds.count("saddle") + 1
    # descent from many places, among them far below the axis, ends in the listed minima
    starts = np.random.default_rng(1).uniform([0, -1.2], [1, 0.2], size=(30, 2)) * landscape.zero / gamma
    ends = landscape.descend(starts)
    known = np.array([point.theta for point in points if point.kind == "minimum"])
    rest = np.linalg.norm(landscape.gradient(ends), axis=1) > 1e-9  # still on their way to infinity
    distance = np.linalg.norm(ends[:, None] - known, axis=2).min(axis=1)
    assert np.all((distance < 1e-2) | rest)


@pytest.mark.parametrize(
    ("odds", "gamma", "expected"),
    [
        (1.5, 1 / 20, (1.82486, 2.94571, 4.76257)),
        (2, 1 / 50, (1.19426, 1.89211, 3.82450)),
        (2, 1 / 20, (1.41750, 1.92831, 2.92085)),
        (4, 1 / 20, (1.16132, 1.27658, 1.63029)),
        (9, 1 / 20, (1.07533, 1.09154, 1.17034)),
        (9, 1 / 50, (1.04210, 1.08664, 1.42202)),
    ],
)
def test_thresholds_of_the_specification(odds, gamma, expected):
    found = thresholds(odds, gamma)
    assert (found.fold, found.switch, found.end) == pytest.approx(expected, abs=6e-6)


@pytest.mark.parametrize(("odds", "share"), [(2, 0.5), (2, 0.97), (9, 0.02), (99, 0.1), (99, 0.5), (999, 0.8)])
def test_thresholds_are_where_the_list_of_points_changes(odds, share):
    gamma = share * fair_coin_margin(1 / (odds + 1), 1.0)
    found = thresholds(odds, gamma)
    before, after = 1e-5 * (found.fold - 1), 1e-5 * (found.end - found.fold)

    def upper(alpha):  # a third minimum with its saddles lies far below the axis
        return [point for point in stationary_points(Landscape(alpha, odds, gamma)) if point.theta[1] >= 0]

    alphas = found.fold - before, found.fold + before, found.end - after, found.end + after
    assert [len(upper(alpha)) for alpha in alphas] == [1, 3, 3, 1]
    near, _, far = upper(found.switch)
    assert near.risk == pytest.approx(far.risk, rel=1e-6) and far.accuracy == 1


def test_points_next_to_a_fold():
    fold = thresholds().fold
    assert [len(stationary_points(Landscape(fold + step))) for step in (-1e-6, 1e-6)] == [1, 3]


@pytest.mark.parametrize(("odds", "gamma"), [(2, 0.1), (2, 0.0804), (99, 0.01)])
def test_no_thresholds_where_a_convex_loss_is_right(odds, gamma):
    with pytest.raises(ValueError, match=f"gamma must be below .*, got {gamma}"):
        thresholds(odds, gamma)


def test_no_thresholds_without_a_fold():
    """With one label in a hundred wrong, and γ at nine tenths of γ*, one minimum moves all the way."""
    gamma = 0.9 * fair_coin_margin(0.01, 1.0)
    for alpha, accuracy in ((1.001, 0.5), (1.004, 1.0), (1.02, 1.0)):
        assert [p.accuracy for p in stationary_points(Landscape(alpha, 99, gamma))] == [accuracy]
    with pytest.raises(ValueError, match=r"no fold found .* at odds=99, gamma=0\.00765"):
        thresholds(99, gamma)


@pytest.mark.parametrize("alpha", [1.9, 1.95])
def test_global_minimum_switches(alpha):
    assert global_minimum(Landscape(alpha)).accuracy == (0.5 if alpha < 1.92831 else 1.0)


@pytest.mark.parametrize(("alpha", "accuracy"), [(1.44, 0.5), (2.0, 0.5), (2.9, 0.5), (2.95, 1.0), (3.0, 1.0)])
def test_descend_follows_the_gradient_flow(alpha, accuracy):
    landscape = Landscape(alpha)
    # the flow in logarithmic time, by an implicit integrator that knows the Hessian
    flow = solve_ivp(
        lambda s, theta: -np.exp(s) * landscape.gradient(theta),
        (-5, 35),
        [0.0, 0.0],
        method="Radau",
        jac=lambda s, theta: -np.exp(s) * landscape.hessian(theta),
        rtol=1e-8,
        atol=1e-8,
    ).y[:, -1]
    end = landscape.descend([0.0, 0.0])
    assert landscape.accuracy(end) == landscape.accuracy(flow) == accuracy
    np.testing.assert_allclose(end, flow, atol=1e-3)


# specification, the table of the data margin below which the optimum is a fair coin
MARGINS = {
    0.01: (0.055734, 0.050489, 0.034758, 0.0085034),
    0.05: (0.070111, 0.066723, 0.056214, 0.040176),
    0.1: (0.075711, 0.073554, 0.066607, 0.057130),
    0.2: (0.080237, 0.079298, 0.076146, 0.071858),
    1 / 3: (0.082553, 0.082309, 0.081470, 0.080303),
    0.45: (0.083268, 0.083247, 0.083175, 0.083075),
}


@pytest.mark.parametrize("p", MARGINS)
def test_fair_coin_margin(p):
    found = [fair_coin_margin(p, alpha) for alpha in (0.3, 0.5, 0.77, 1.0)]
    assert found == pytest.approx(MARGINS[p], abs=6e-7)


@pytest.mark.parametrize("alpha", [0.3, 0.5, 0.77, 1.0])
def test_fair_coin_margin_grows_to_a_twelfth(alpha):
    rates = [1e-5, 0.001, 0.1, 0.3, 0.45, 0.49, 0.4999]
    found = [fair_coin_margin(p, alpha) for p in rates]
    assert np.all(np.diff(found) > 0) and found[-1] < 1 / 12
    assert found[-1] == pytest.approx(1 / 12, rel=1e-6)


@pytest.mark.parametrize(("p", "alpha"), [(0.01, 1.0), (0.1, 0.77), (1 / 3, 0.3)])
def test_optimum_on_either_side_of_the_fair_coin_margin(p, alpha):
    for factor, accuracy in ((0.9, 0.5), (1.1, 1.0)):
        landscape = Landscape(alpha, 1 / p - 1, factor * fair_coin_margin(p, alpha))
        best = minimize(landscape.risk, [1.0, 0.1], jac=landscape.gradient, tol=1e-14).x
        assert landscape.accuracy(best) == accuracy


def test_a_margin_of_zero_is_an_error():
    assert Landscape(2).accuracy([[0.0, 0.0], [1.0, 1.0], [-1.0, 0.0]]).tolist() == [0.0, 0.5, 0.0]


def test_axis_roots_of_the_specification():
    assert Landscape(1.1).axis_roots() == pytest.approx([1.01026], abs=1e-5)
    assert Landscape(2).axis_roots() == pytest.approx([2.23294, 4.26807, 27.72553], abs=1e-5)
    assert Landscape(3).axis_roots() == pytest.approx([41.58883083271131], abs=1e-12)
    assert Landscape(3).axis_offsets() == pytest.approx([-8.854e-10], rel=1e-3)
    on_axis = np.column_stack([Landscape(2).axis_roots(), np.zeros(3)])
    assert Landscape(2).reduced(on_axis) == pytest.approx(0, abs=1e-12)


def test_roots_on_the_axis_are_found_however_close_to_the_end():
    for alpha, odds in ((10, 2.0), (10, 9.0)):
        (offset,) = Landscape(alpha, odds).axis_offsets()
        with mpmath.workdps(400):
            n, a = mpmath.mpf(odds), mpmath.mpf(alpha)
            end, s = 20 * a * mpmath.log(n), 1 - 1 / a
            # to first order B(end) / (6 gamma^2 B'(zero)), with B' = N w(zero) / alpha there
            ratio = mpmath.exp(-s * end) / (n * mpmath.exp(-a * mpmath.log(n)) * (1 + n**-a) ** (-1 - s) / a)
            expected = -float(ratio * 400 / 6)
        assert offset == pytest.approx(expected, rel=1e-6)
    assert Landscape(100).axis_roots() == pytest.approx([Landscape(100).zero / 0.05])  # where doubles underflow


@pytest.mark.parametrize(("name", "value"), [("alpha", 0.0), ("odds", 1.0), ("gamma", 0.2)])
def test_bad_parameters_are_named(name, value):
    with pytest.raises(ValueError, match=f"{name} must be a number in"):
        Landscape(**{"alpha": 2.0, name: value})


def test_no_stationary_point_at_infinity():
    with pytest.raises(ValueError, match="alpha must be finite"):
        stationary_points(Landscape(math.inf))
