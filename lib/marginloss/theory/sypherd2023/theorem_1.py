"""Claims about the Long–Servedio points: Lemma 2, the convex failure, Theorem 1 and the equations of its proof.

Each check takes the landscape as an argument, so that a test can hand it a wrong one.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize

from marginloss.theory import Array, Finding, claim, outcome
from marginloss.theory.sypherd2023.bifurcation import global_minimum, minima, thresholds
from marginloss.theory.sypherd2023.long_servedio import Landscape, fair_coin_margin

Make = Callable[..., Landscape]  # of alpha, the odds and the data margin

ODDS = (1.1, 2.0, 9.0, 99.0)
CONVEX = (0.3, 0.5, 0.77, 1.0)
BOUNDED = (1.05, 1.1, 1.44, 2.0, 3.0, 10.0)
TESTED = (1.001, 1.01, 1.1, 1.3, 1.44, 1.8, 2.0, 3.0, 10.0)
"""Values of α at which Theorem 1 is tested; it says something about every α between 1 and ∞."""


@claim("sypherd2023:lemma-2.1")
def lemma_2_1(make: Make = Landscape) -> Finding:
    """B never decreases for α ≤ 1: its slope, and its values from one point to the next."""
    x = np.linspace(-40, 40, 4001)
    slope = min(float(np.min(it.drive_slope(x))) for it in _landscapes(make, CONVEX))
    rise = min(float(np.min(np.diff(it.drive(x)) / np.abs(it.drive(x[1:])))) for it in _landscapes(make, CONVEX))
    evidence = {"smallest_slope": slope, "smallest_relative_rise": rise}
    return outcome(min(slope, rise), tolerance=1e-14, evidence=evidence)


@claim("sypherd2023:lemma-2.2")
def lemma_2_2(make: Make = Landscape) -> Finding:
    """B decreases somewhere for every α > 1, α = ∞ included."""
    x = np.linspace(-100, 100, 8001)
    fall = min(float(np.max(-np.diff(it.drive(x)))) for it in _landscapes(make, (*BOUNDED, math.inf)))
    return outcome(fall, holds=fall > 0)


@claim("sypherd2023:lemma-2.3")
def lemma_2_3(make: Make = Landscape) -> Finding:
    """The distance of B from its limit falls about tenfold for a tenfold α."""
    x = np.linspace(-30, 30, 6001)
    even = np.exp(-np.logaddexp(0, x) - np.logaddexp(0, -x))  # the derivative of the sigmoid
    errors = {a: float(np.max(np.abs(make(a, 2.0).drive(x) + even))) for a in (10.0, 100.0, 1000.0)}
    worst = max(errors[100.0] / errors[10.0], errors[1000.0] / errors[100.0])
    return outcome(0.2 - worst, evidence={f"error_alpha_{a:g}": error for a, error in errors.items()})


@claim("sypherd2023:lemma-2.4")
def lemma_2_4(make: Make = Landscape) -> Finding:
    """B comes down to 0 from above at +∞ and up to 0 from below at -∞, for every finite α > 1; not at α = ∞."""
    return _limits(make, lambda landscape, x: landscape.drive(x), (1, -1))


@claim("sypherd2023:lemma-2.5")
def lemma_2_5(make: Make = Landscape, signs: tuple[int, int] = (-1, 1)) -> Finding:
    """-B comes up to 0 from below at +∞ and down to 0 from above at -∞, for every finite α > 1; not at α = ∞."""
    return _limits(make, lambda landscape, x: -landscape.drive(x), signs)


@claim("sypherd2023:lemma-2.6")
def lemma_2_6(make: Make = Landscape) -> Finding:
    """B is positive exactly beyond α log N, near there and far out; at α = ∞ that is nowhere."""
    slack, wide = math.inf, np.linspace(-300, 300, 2401)
    for landscape in _landscapes(make, (*CONVEX, *BOUNDED)):
        zero = landscape.alpha * math.log(landscape.odds)
        x = np.concatenate([zero - np.geomspace(1e-9, 30, 200), zero + np.geomspace(1e-9, 30, 200), wide])
        # relative to the two terms of B, which span hundreds of orders of magnitude
        size = landscape.loss.weight(-x) + landscape.odds * landscape.loss.weight(x)
        slack = min(slack, float(np.min(landscape.drive(x) * np.sign(x - zero) / size)))
    nowhere = max(float(np.max(it.drive(wide))) for it in _landscapes(make, (math.inf,)))
    return outcome(slack, holds=slack > 0 and nowhere < 0, evidence={"largest_at_infinity": nowhere})


@claim("sypherd2023:long-servedio")
def long_servedio(make: Make = Landscape) -> Finding:
    """A data margin below 1/6 for every noise rate; the minimiser is a fair coin below it and perfect above."""
    evidence, wrong = {}, 0
    for p in (0.01, 0.05, 0.1, 0.2, 1 / 3, 0.45):
        for alpha in CONVEX:
            gamma = fair_coin_margin(p, alpha)
            evidence[f"gamma_p_{p:.2g}_alpha_{alpha:g}"] = gamma
            for factor, expected in ((0.9, 0.5), (1.1, 1.0)):
                landscape = make(alpha, 1 / p - 1, factor * gamma)
                best = minimize(landscape.risk, [1.0, 0.1], jac=landscape.gradient, tol=1e-13).x
                wrong += landscape.accuracy(best) != expected
    slack = 1 / 6 - max(evidence.values())
    return outcome(
        slack,
        holds=wrong == 0 and slack > 0 and min(evidence.values()) > 0,
        evidence={"wrong_cases": wrong, **evidence},
    )


@claim("sypherd2023:long-servedio-clean")
def long_servedio_clean(make: Make = Landscape) -> Finding:
    """Without noise a wrong point costs at least the loss at 0, and the risk along (t, 0) falls below that.

    It falls for ever: what is optimal lies at infinity, and no vector attains it.
    """
    slack, fall = math.inf, math.inf
    for alpha in CONVEX:
        for gamma in (0.01, 0.05, 0.16):
            landscape = make(alpha, 2.0, gamma)
            clean = landscape.loss.value(landscape.margins((40 / gamma, 0.0))) @ landscape.multiplicity
            slack = min(slack, float(landscape.loss.value(0.0) - clean))
            # along the axis every clean margin grows, and the loss still falls at the far end
            margins = landscape.margins((20 / gamma, 0.0))
            fall = min(fall, float(landscape.loss.weight(margins) @ (landscape.multiplicity * margins)))
    accuracy = make(1.0, 2.0, 0.05).accuracy((1.0, 0.0))
    return outcome(
        slack,
        holds=slack > 0 and accuracy == 1,
        caveat=fall > 0,
        evidence={"accuracy_along_the_axis": accuracy, "fall_far_out": fall},
    )


@claim("sypherd2023:fig-3-logistic")
def fig_3_logistic(printed: tuple[float, float] = (0.79, 1.41)) -> Finding:
    """The optimum of the logistic loss at p = 1/3, γ = 1/20, to the two digits that are printed."""
    point = global_minimum(Landscape(1.0))
    error = max(abs(found - value) for found, value in zip(point.theta, printed, strict=True))
    return outcome(
        0.005 - error,
        holds=error <= 0.005 and point.accuracy == 0.5,
        evidence={"theta_1": point.theta[0], "theta_2": point.theta[1], "accuracy": point.accuracy},
    )


@claim("sypherd2023:fig-3-alpha")
def fig_3_alpha(printed: tuple[float, float] = (41.59, -1.19e-11)) -> Finding:
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
def theorem_1(odds: float = 2.0, gamma: float = 0.05, alphas: tuple[float, ...] = TESTED) -> Finding:
    r"""A perfect minimum for every α, with second coordinate 0: the most accurate minimum at each of several α.

    The slack is the accuracy that the worst α lacks. Where no α lacks any, what is left is the second coordinate: no
    point of the axis is stationary, because there the second equation asks for :math:`\theta_1 = \alpha\log N/\gamma`,
    at which the first is positive.
    """
    best = {a: max(point.accuracy for point in minima(Landscape(a, odds, gamma))) for a in alphas}
    missed = [a for a in alphas if best[a] < 1]
    on_axis = min(_smallest_gradient_on_axis(Landscape(a, odds, gamma)) for a in alphas)
    evidence = {"alphas_without_perfect_minimum": len(missed), "largest_alpha_without": max(missed, default=1.0)}
    evidence["smallest_relative_gradient_on_axis"] = on_axis
    if gamma < fair_coin_margin(1 / (odds + 1), 1.0):
        evidence |= _repaired_theorem_1(odds, gamma)
    slack = min(best.values()) - 1
    return outcome(slack, caveat=on_axis > 1e-12, evidence=evidence)


@claim("sypherd2023:eq-42")
def eq_42(make: Make = Landscape, gamma: float = 0.05, alphas: tuple[float, ...] = (1.1, 1.5, 2.0, 3.0)) -> Finding:
    """The largest root for each α > 1 minus α log N / γ, which should be positive: it is negative."""
    slack, inside, left, right = math.inf, math.inf, -math.inf, math.inf
    numbers: dict[str, float] = {}
    for alpha in alphas:
        for odds in (2.0, 9.0):
            landscape = make(alpha, odds, gamma)
            zero, end = landscape.zero, landscape.zero / gamma
            offsets = landscape.axis_offsets()
            gap = float(max(offsets, default=-math.inf))  # a root must be there at all
            slack = min(slack, gap)
            inside = min(inside, *-offsets, *(end - zero + offsets))
            if odds == 2.0:
                numbers |= {f"roots_alpha_{alpha:g}": len(offsets), f"gap_alpha_{alpha:g}": gap}
            # both terms have one sign on either side of the roots; from 0 on to five times the end
            t = np.linspace(0, 5 * end, 5001)[1:]
            value = landscape.reduced(np.column_stack([t, np.zeros_like(t)]))
            left = max(left, float(value[t <= zero].max()))
            right = min(right, float(value[t > end * (1 + 1e-9)].min()))
    return outcome(
        slack,
        holds=slack > 0,
        evidence={
            "reversed_inequality_slack": inside,
            "largest_value_up_to_alpha_log_N": left,
            "smallest_value_beyond_the_end": right,
            **numbers,
        },
    )


@claim("sypherd2023:eq-40")
def eq_40(make: Make = Landscape) -> Finding:
    """At α = ∞ the left side is negative and the right side positive for all parameters."""
    x = np.linspace(-30, 30, 1201)
    slack = min(float(np.min(-it.drive(x))) for it in _landscapes(make, (math.inf,)))
    return outcome(slack, holds=slack > 0)


def _landscapes(make: Make, alphas: tuple[float, ...]) -> list[Landscape]:
    """One for each of several α and all of :data:`ODDS`."""
    return [make(alpha, odds) for alpha in alphas for odds in ODDS]


def _smallest_gradient_on_axis(landscape: Landscape) -> float:
    """Smallest size of the gradient at points (t, 0), relative to the sizes of its terms."""
    t = np.geomspace(1e-3, 3 * landscape.zero / landscape.gamma, 4001)
    theta = np.column_stack([t, np.zeros_like(t)])
    size = np.abs(landscape.multiplicity * landscape.drive(landscape.margins(theta))) @ np.abs(landscape.points)
    return float(np.min(np.max(np.abs(landscape.gradient(theta)) / size, axis=1)))


def _repaired_theorem_1(odds: float, gamma: float) -> dict[str, float]:
    """Where the perfect minimum appears, and what is true above that: its place to first order, and where flow ends."""
    found = thresholds(odds, gamma)
    perfect, second, shift = True, math.inf, 0.0
    for alpha in (1.02 * found.fold, *(a for a in (2.0, 3.0, 10.0) if a > 1.02 * found.fold)):
        landscape = Landscape(alpha, odds, gamma)
        far = minima(landscape)[-1]
        perfect &= far.accuracy == 1
        second = min(second, far.theta[1])
        if alpha >= 3:
            pull = float(landscape.drive(landscape.zero / gamma))
            predicted = pull / (24 * gamma**2 * float(landscape.drive_slope(landscape.zero)))
            shift = max(shift, abs(far.theta[1] / predicted - 1))
    below = minima(Landscape(1 + 0.9 * (found.fold - 1), odds, gamma))
    flow = {a: Landscape(a, odds, gamma) for a in (2.0, 3.0)}
    return {
        "fold": found.fold,
        "global_switch": found.switch,
        "fair_coin_ends": found.end,
        "perfect_minima_below_fold": sum(point.accuracy == 1 for point in below),
        "repair_holds": perfect,
        "smallest_second_coordinate": second,
        "error_of_first_order_formula": shift,
        **{f"flow_accuracy_alpha_{a:g}": float(it.accuracy(it.descend((0.0, 0.0)))) for a, it in flow.items()},
    }


def _limits(make: Make, function: Callable[[Landscape, Array], Array], signs: tuple[int, int]) -> Finding:
    """The limits of a function at +∞ and -∞ are 0, from the sides that two signs name; also at α = ∞."""
    smallest, largest, ratio = math.inf, 0.0, 0.0
    for it in _landscapes(make, BOUNDED):
        # far enough for |B| to be below 1e-11, near enough not to underflow
        far = np.array([1, -1]) * min(it.alpha * math.log(it.odds) + 40 / it.loss.exponent, 650.0)
        ends, nearer = function(it, far), function(it, far - 5 * np.sign(far))
        smallest = min(smallest, float(np.min(ends * signs)))
        largest = max(largest, float(np.max(np.abs(ends))))
        ratio = max(ratio, float(np.max(np.abs(ends / nearer))))
    ends = np.array([40.0, -40.0])
    at_infinity = min(float(np.min(function(it, ends) * signs)) for it in _landscapes(make, (math.inf,)))
    return outcome(
        smallest,
        holds=smallest > 0 and largest < 1e-11 and ratio < 1,
        caveat=at_infinity <= 0,
        evidence={
            "largest_size_far_out": largest,
            "largest_ratio_five_further_out": ratio,
            "wrong_side_at_40_alpha_infinity": at_infinity,
        },
    )
