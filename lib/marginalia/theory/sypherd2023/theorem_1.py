"""Claims about the Long–Servedio points: Lemma 2, the convex failure, Theorem 1 and the equations of its proof.

Each check takes the landscape as an argument, so that a test can hand it a wrong one.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize

from marginalia.theory import Outcome, claim, outcome
from marginalia.theory.sypherd2023.bifurcation import global_minimum, minima, thresholds
from marginalia.theory.sypherd2023.long_servedio import Landscape, fair_coin_margin

Make = Callable[[float, float], Landscape]

ODDS = (1.1, 2.0, 9.0, 99.0)
CONVEX = (0.3, 0.5, 0.77, 1.0)
BOUNDED = (1.05, 1.1, 1.44, 2.0, 3.0, 10.0)


@claim("sypherd2023:lemma-2.1")
def lemma_2_1(make: Make = Landscape) -> Outcome:
    """B never decreases for α ≤ 1: its slope, and its values from one point to the next."""
    x = np.linspace(-40, 40, 4001)
    slope = min(float(np.min(make(a, n).drive_slope(x))) for a in CONVEX for n in ODDS)
    rise = min(
        float(np.min(np.diff(make(a, n).drive(x)) / np.abs(make(a, n).drive(x[1:])))) for a in CONVEX for n in ODDS
    )
    return outcome(
        min(slope, rise), tolerance=1e-14, evidence={"smallest_slope": slope, "smallest_relative_rise": rise}
    )


@claim("sypherd2023:lemma-2.2")
def lemma_2_2(make: Make = Landscape) -> Outcome:
    """B decreases somewhere for every α > 1, α = ∞ included."""
    x = np.linspace(-100, 100, 8001)
    fall = min(float(np.max(-np.diff(make(a, n).drive(x)))) for a in (*BOUNDED, math.inf) for n in ODDS)
    return outcome(fall, holds=fall > 0)


@claim("sypherd2023:lemma-2.3")
def lemma_2_3(make: Make = Landscape) -> Outcome:
    """The distance of B from its limit falls about tenfold for a tenfold α."""
    x = np.linspace(-30, 30, 6001)
    even = np.exp(-np.logaddexp(0, x) - np.logaddexp(0, -x))  # the derivative of the sigmoid
    errors = {a: float(np.max(np.abs(make(a, 2.0).drive(x) + even))) for a in (10.0, 100.0, 1000.0)}
    worst = max(errors[100.0] / errors[10.0], errors[1000.0] / errors[100.0])
    return outcome(0.2 - worst, evidence={f"error_alpha_{a:g}": error for a, error in errors.items()})


@claim("sypherd2023:lemma-2.4")
def lemma_2_4(make: Make = Landscape) -> Outcome:
    """B comes down to 0 from above at +∞ and up to 0 from below at -∞, for every finite α > 1; not at α = ∞."""
    smallest, ratio = _tails(make, sign=1)
    return _limits(make, smallest, ratio)


@claim("sypherd2023:lemma-2.5")
def lemma_2_5(make: Make = Landscape) -> Outcome:
    """For -B the two limits are reversed; not at α = ∞."""
    smallest, ratio = _tails(make, sign=-1)
    return _limits(make, smallest, ratio)


@claim("sypherd2023:lemma-2.6")
def lemma_2_6(make: Make = Landscape) -> Outcome:
    """B is positive exactly beyond α log N; at α = ∞ that is nowhere."""
    slack = math.inf
    for alpha in (*CONVEX, *BOUNDED):
        for odds in ODDS:
            landscape = make(alpha, odds)
            zero = alpha * math.log(odds)
            x = zero + np.concatenate([-np.geomspace(1e-9, 30, 200), np.geomspace(1e-9, 30, 200)])
            slack = min(slack, float(np.min(landscape.drive(x) * np.sign(x - zero) / landscape.loss.weight(x))))
    nowhere = max(float(np.max(make(math.inf, n).drive(np.linspace(-30, 30, 601)))) for n in ODDS)
    return outcome(
        slack,
        holds=slack > 0 and nowhere < 0,
        evidence={"largest_at_infinity": nowhere},
    )


@claim("sypherd2023:long-servedio")
def long_servedio() -> Outcome:
    """A data margin below 1/6 for every noise rate; the minimiser is a fair coin below it and perfect above."""
    evidence, wrong = {}, 0
    for p in (0.01, 0.05, 0.1, 0.2, 1 / 3, 0.45):
        for alpha in CONVEX:
            gamma = fair_coin_margin(p, alpha)
            evidence[f"gamma_p_{p:.2g}_alpha_{alpha:g}"] = gamma
            for factor, expected in ((0.9, 0.5), (1.1, 1.0)):
                landscape = Landscape(alpha, 1 / p - 1, factor * gamma)
                best = minimize(landscape.risk, [1.0, 0.1], jac=landscape.gradient, tol=1e-13).x
                wrong += landscape.accuracy(best) != expected
    slack = 1 / 6 - max(evidence.values())
    return outcome(
        slack,
        holds=wrong == 0 and slack > 0 and min(evidence.values()) > 0,
        evidence={"wrong_cases": wrong, **evidence},
    )


@claim("sypherd2023:long-servedio-clean")
def long_servedio_clean() -> Outcome:
    """Without noise a wrong point costs at least the loss at 0, and the risk along (t, 0) falls below that."""
    slack = math.inf
    for alpha in CONVEX:
        for gamma in (0.01, 0.05, 0.16):
            landscape = Landscape(alpha, gamma=gamma)
            clean = landscape.loss.value(landscape.margins((40 / gamma, 0.0))) @ landscape.multiplicity
            slack = min(slack, float(landscape.loss.value(0.0) - clean))
    accuracy = Landscape(1.0).accuracy((1.0, 0.0))
    return outcome(slack, holds=slack > 0 and accuracy == 1, evidence={"accuracy_along_the_axis": accuracy})


@claim("sypherd2023:fig-3-logistic")
def fig_3_logistic(printed: tuple[float, float] = (0.79, 1.41)) -> Outcome:
    """The optimum of the logistic loss at p = 1/3, γ = 1/20, to the two digits that are printed."""
    point = global_minimum(Landscape(1.0))
    error = max(abs(found - value) for found, value in zip(point.theta, printed, strict=True))
    return outcome(
        0.005 - error,
        holds=error <= 0.005 and point.accuracy == 0.5,
        evidence={"theta_1": point.theta[0], "theta_2": point.theta[1], "accuracy": point.accuracy},
    )


@claim("sypherd2023:fig-3-alpha")
def fig_3_alpha(printed: tuple[float, float] = (41.59, -1.19e-11)) -> Outcome:
    """The optimum at α = 3: first coordinate and accuracy as printed, second of another sign and size."""
    point = global_minimum(Landscape(3.0))
    error = abs(point.theta[0] - printed[0])
    return outcome(
        0.005 - error,
        holds=error <= 0.005 and point.accuracy == 1,
        caveat=not math.isclose(point.theta[1], printed[1], rel_tol=0.01),
        evidence={"theta_1": point.theta[0], "theta_2": point.theta[1], "accuracy": point.accuracy},
    )


@claim("sypherd2023:theorem-1")
def theorem_1(odds: float = 2.0, gamma: float = 0.05) -> Outcome:
    """The range of α begins at a fold, not at 1; no point of the axis is stationary; above the fold a repair holds."""
    found = thresholds(odds, gamma)
    # the axis: never stationary, because the second equation asks for a first coordinate at which the first is positive
    on_axis = math.inf
    for alpha in (1.1, 2.0, 3.0):
        landscape = Landscape(alpha, odds, gamma)
        theta = np.column_stack([np.geomspace(1e-3, 3 * landscape.zero / gamma, 4001), np.zeros(4001)])
        size = np.abs(landscape.multiplicity * landscape.drive(landscape.margins(theta))) @ np.abs(landscape.points)
        on_axis = min(on_axis, float(np.min(np.max(np.abs(landscape.gradient(theta)) / size, axis=1))))
    # the repair: above the fold a strict local minimum with perfect accuracy, where the first-order formula puts it
    perfect, second, shift = True, math.inf, 0.0
    for alpha in (found.fold + 0.02, 2.0, 3.0, 10.0):
        landscape = Landscape(alpha, odds, gamma)
        good = [point for point in minima(landscape) if point.accuracy == 1]
        perfect &= len(good) == 1
        second = min(second, *(point.theta[1] for point in good))
        if alpha >= 3:
            far = float(landscape.drive(landscape.zero / gamma))
            predicted = far / (24 * gamma**2 * float(landscape.drive_slope(landscape.zero)))
            shift = max(shift, abs(good[0].theta[1] / predicted - 1))
    below = sum(point.accuracy == 1 for point in minima(Landscape(1 + 0.9 * (found.fold - 1), odds, gamma)))
    flow = {
        a: float(Landscape(a, odds, gamma).accuracy(Landscape(a, odds, gamma).descend((0.0, 0.0)))) for a in (2.0, 3.0)
    }
    return outcome(
        1 - found.fold,
        evidence={
            "fold": found.fold,
            "global_switch": found.switch,
            "fair_coin_ends": found.end,
            "perfect_minima_below_fold": below,
            "smallest_relative_gradient_on_axis": on_axis,
            "repair_holds": perfect,
            "smallest_second_coordinate": second,
            "error_of_first_order_formula": shift,
            "flow_accuracy_alpha_2": flow[2.0],
            "flow_accuracy_alpha_3": flow[3.0],
        },
    )


@claim("sypherd2023:eq-42")
def eq_42(gamma: float = 0.05) -> Outcome:
    """Roots exist for every α > 1, and all of them lie below α log N / γ: the printed inequality is reversed."""
    slack, inside, numbers = math.inf, math.inf, {}
    for alpha in (1.1, 1.5, 2.0, 3.0):
        for odds in (2.0, 9.0):
            landscape = Landscape(alpha, odds, gamma)
            roots = landscape.axis_roots()
            gap = landscape.axis_gap()  # of the largest root, also where doubles cannot tell it from the end
            slack = min(slack, -gap)
            inside = min(inside, gap, float(roots[0] - landscape.zero))
            if odds == 2.0:
                numbers[f"roots_alpha_{alpha:g}"] = len(roots)
    return outcome(
        slack,
        evidence={
            "reversed_inequality_slack": inside,
            "gap_alpha_3": -Landscape(3.0, 2.0, gamma).axis_gap(),
            **numbers,
        },
    )


@claim("sypherd2023:eq-40")
def eq_40(make: Make = Landscape) -> Outcome:
    """At α = ∞ the left side is negative and the right side positive for all parameters."""
    x = np.linspace(-30, 30, 1201)
    slack = min(float(np.min(-make(math.inf, n).drive(x))) for n in ODDS)
    return outcome(slack, holds=slack > 0)


def _tails(make: Make, sign: int) -> tuple[float, float]:
    """Smallest value of ±B with the claimed sign far out, and the largest ratio of |B| to its value half as far out."""
    smallest, ratio = math.inf, 0.0
    for alpha in BOUNDED:
        for odds in ODDS:
            landscape = make(alpha, odds)
            far = min(alpha * math.log(odds) + 40 / landscape.loss.exponent, 650.0)
            ends = sign * landscape.drive(np.array([far, -far]))
            smallest = min(smallest, sign * float(ends[0]), -sign * float(ends[1]))
            half = np.abs(landscape.drive(np.array([far, -far]) - np.array([5.0, -5.0])))
            ratio = max(ratio, float(np.max(np.abs(ends) / half)))
    return smallest, ratio


def _limits(make: Make, smallest: float, ratio: float) -> Outcome:
    at_infinity = max(float(make(math.inf, n).drive(40.0)) for n in ODDS)
    return outcome(
        smallest,
        holds=smallest > 0 and ratio < 1,
        caveat=at_infinity <= 0,
        evidence={"largest_ratio_five_further_out": ratio, "B_at_40_alpha_infinity": at_infinity},
    )
