"""Claims about the curvature of the loss (Remark 1, Appendix B)."""

from __future__ import annotations

from itertools import product

import numpy as np

from marginloss.losses import TwoTemperatureLoss
from marginloss.losses.tempered import escort, log_partition_margin, softmax_t
from marginloss.theory import Array, Finding, claim, outcome

MARGINS = np.concatenate([-np.geomspace(1e-3, 400, 300)[::-1], [0.0], np.geomspace(1e-3, 400, 300)])
GRID = np.round(np.arange(0.1, 2.01, 0.1), 10)


def _inside(t2: float, margins: Array = MARGINS) -> Array:
    """Margins inside the support of a temperature below 1."""
    return margins if t2 >= 1 else margins[np.abs(margins) < 1 / (1 - t2)]


@claim("amid2019:c12")
def convex_region() -> Finding:
    """Sign of the second derivative over 400 pairs of temperatures, inside the support."""
    smallest, elsewhere, infinite = np.inf, -np.inf, 0
    for t1, t2 in product(GRID, GRID):
        loss = TwoTemperatureLoss(t1, t2)
        bends = loss.derivative(_inside(t2), 2)
        if t1 >= t2 and t1 >= 1:
            smallest = min(smallest, bends.min())
            infinite += int(np.isinf(loss.value(-1 / (1 - t2) - 1e-9)) if t2 < 1 else 0)
        elif t1 < t2:
            elsewhere = max(elsewhere, bends.min())
    equal = max(
        np.abs(TwoTemperatureLoss(t, t).value(MARGINS) - (log_partition_margin(MARGINS, t) - MARGINS / 2)).max()
        for t in (1.0, 1.3, 1.7, 2.0)
    )
    # no cancellation in the formula for these pairs: not even rounding may make the curvature negative
    return outcome(
        min(smallest, 1e-11 - equal),
        caveat=infinite > 0,
        evidence={
            "smallest_curvature": smallest,
            "largest_minimum_for_t1_below_t2": elsewhere,
            "pairs_with_infinite_loss": infinite,
            "error_of_the_form_for_equal_temperatures": equal,
        },
    )


@claim("amid2019:c13")
def curvature_and_the_gap() -> Finding:
    """Change of the curvature when t1 grows at fixed t2, and when t2 falls at fixed t1."""
    steps = np.round(np.arange(1.0, 2.01, 0.1), 10)
    middle = np.abs(MARGINS) <= 10
    first, strictly, second, where = np.inf, np.inf, np.inf, 0.0
    for fixed in steps:
        raised = [t for t in steps if t >= fixed]
        bends = np.array([TwoTemperatureLoss(t, fixed).derivative(MARGINS, 2) for t in raised])
        if len(raised) > 1:
            # relative to the size of the curvature, which spans many orders of magnitude
            change = np.diff(bends, axis=0) / np.maximum(bends[:-1], 1e-300)
            # at a large positive margin t1 no longer matters, and the change is rounding
            first, strictly = min(first, change.min()), min(strictly, change[:, middle].min())
        lowered = [t for t in steps[::-1] if t <= fixed]
        bends = np.array([TwoTemperatureLoss(fixed, t).derivative(MARGINS, 2) for t in lowered])
        if len(lowered) > 1:
            change = np.diff(bends, axis=0)
            if change.min() < second:
                second, where = change.min(), float(MARGINS[change.min(axis=0).argmin()])
    return outcome(
        first,
        holds=first >= -1e-12 and strictly > 0,
        caveat=second < -1e-6,
        evidence={
            "smallest_relative_change_in_t1": first,
            "smallest_within_10": strictly,
            "largest_fall_in_t2": second,
            "at_margin": where,
        },
    )


@claim("amid2019:c14")
def quasi_convex() -> Finding:
    """No value of the binary loss above both of two others around it, for all temperatures that the remark names.

    For t1 < t2 it must be quasi-convex and no more: somewhere the second derivative is negative.
    """
    bump, dent, pairs = -np.inf, -np.inf, 0
    for t1, t2 in product(GRID[::2], GRID[::2]):
        if t1 < t2 or t1 < 1:
            pairs += 1
            values = TwoTemperatureLoss(t1, t2).value(MARGINS)
            left, right = np.minimum.accumulate(values), np.minimum.accumulate(values[::-1])[::-1]
            bump = max(bump, float((values - np.maximum(left, right)).max()))
        if t1 < t2:
            dent = max(dent, float(TwoTemperatureLoss(t1, t2).derivative(_inside(t2), 2).min()))
    return outcome(
        -bump,
        holds=bump <= 1e-12 and dent < 0,
        evidence={"largest_bump": bump, "largest_of_the_smallest_curvatures": dent, "pairs": pairs},
    )


@claim("amid2019:c15")
def single_inflection() -> Finding:
    """Second derivative at the inflection point, its number of sign changes, and the printed equation there."""
    worst, residual, changes = 0.0, 0.0, []
    for t1, t2 in product((0.1, 0.4, 0.6, 0.9, 1.0), (1.0, 1.12, 1.3, 1.6, 2.0)):
        if t1 < t2:
            loss = TwoTemperatureLoss(t1, t2)
            worst = max(worst, abs(float(loss.derivative(loss.inflection, 2))))
            p = softmax_t([loss.inflection / 2, -loss.inflection / 2], t2)
            ratio = p[1] / p[0]
            residual = max(residual, abs(t2 * (1 + 1 / ratio) / ((t2 - t1) * (1 + ratio**t2)) - 1))
            bends = loss.derivative(np.linspace(-60, 60, 6001), 2)
            changes.append(int((np.diff(np.sign(bends)) != 0).sum()))
    return outcome(
        -worst,
        holds=worst <= 1e-13 and residual <= 1e-11 and set(changes) == {1},
        evidence={
            "largest_curvature_there": worst,
            "residual_of_the_equation": residual,
            "most_sign_changes": max(changes),
            "fewest": min(changes),
        },
    )


def _pieces(a: Array, t1: float, t2: float) -> tuple[Array, Array, Array, Array]:
    """Probability of the label, derivatives of G and the second derivative of the loss, from (B.2) and (B.3)."""
    p = softmax_t(np.stack([a / 2, -a / 2], axis=1), t2)
    q = escort(p, t2)
    slope = (q[:, 0] - q[:, 1]) / 2
    bend = t2 * (p ** (2 * t2 - 1) * (np.array([0.5, -0.5]) - slope[:, None]) ** 2).sum(axis=1) / (p**t2).sum(axis=1)
    return p[:, 0], slope, bend, TwoTemperatureLoss(t1, t2).derivative(a, 2)


@claim("amid2019:c16")
def second_derivative_b1() -> Finding:
    """(B.1) as printed, with 1/2 - G, and with 1/2 - dG in its place."""
    a = np.linspace(-6, 6, 241)
    printed, repaired = 0.0, 0.0
    for t1, t2 in ((0.1, 1.12), (0.6, 1.6), (0.9, 1.3)):
        p, slope, bend, exact = _pieces(a, t1, t2)
        squares = (0.5 - np.stack([log_partition_margin(a, t2), slope])) ** 2
        formulas = p ** (t2 - t1) * (bend - (t2 - t1) * p ** (t2 - 1) * squares)
        printed, repaired = np.maximum((printed, repaired), np.abs(formulas - exact).max(axis=1))
    return outcome(
        -printed,
        tolerance=1e-9,
        certain=False,  # the sign of the derivative may be lost in our text
        evidence={"error_as_printed": printed, "error_repaired": repaired},
    )


@claim("amid2019:c17")
def second_derivative_in_lambda() -> Finding:
    """The form in λ as printed, and with the missing positive factor p^(t2-t1) λ^(2 t2)."""
    a = np.linspace(-6, 6, 241)
    printed, repaired, sign = 0.0, 0.0, True
    for t1, t2 in ((0.1, 1.12), (0.6, 1.6), (0.9, 1.3)):
        p, _, _, exact = _pieces(a, t1, t2)
        ratio = (1 - p) / p
        bracket = t2 * (1 + 1 / ratio) / (1 + ratio**t2) - (t2 - t1)
        formula = p ** (t2 - 1) / (1 + ratio**t2) ** 2 * bracket
        printed = max(printed, np.abs(formula - exact).max())
        repaired = max(repaired, np.abs(p ** (t2 - t1) * ratio ** (2 * t2) * formula - exact).max())
        sign &= bool((np.sign(formula) == np.sign(exact)).all())
    return outcome(
        -printed,
        tolerance=1e-9,
        evidence={"error_as_printed": printed, "error_repaired": repaired, "sign_is_right": sign},
    )


@claim("amid2019:c18")
def finite_support() -> Finding:
    """Value on the flat part, and convexity beyond it, for t2 ≤ t1 < 1."""
    worst, bend = 0.0, np.inf
    for t1, t2 in ((0.8, 0.5), (0.5, 0.5), (0.9, 0.3)):
        loss = TwoTemperatureLoss(t1, t2)
        edge = 1 / (1 - t2)
        worst = max(worst, np.abs(loss.value(-edge - np.linspace(0, 10, 11)) + 1 / (1 - t1)).max())
        bend = min(bend, loss.derivative(np.linspace(-edge, edge, 2003)[1:-1], 2).min())
    value = float(TwoTemperatureLoss(0.8, 0.5).value(-3.0))
    return outcome(
        min(-worst, bend),
        tolerance=1e-9,
        evidence={
            "value_at_0.8_0.5": value,
            "printed_value": -1 / (1 - 0.8),
            "smallest_curvature_beyond": bend,
            "slope_near_the_edge": float(TwoTemperatureLoss(0.8, 0.5).derivative(-2 + 1e-6)),
        },
    )
