"""Claims about the gradient, the bound and the curvature of the loss (Sections 3 and 4, Remark 1, Appendix B)."""

from __future__ import annotations

from itertools import product

import numpy as np

from marginalia.losses import AlphaLoss, GeneralizedCrossEntropyLoss, LogisticLoss, TLogisticLoss, TwoTemperatureLoss
from marginalia.losses.log_partition import Array
from marginalia.losses.tempered import (
    escort,
    log_partition_margin,
    softmax_t,
    two_temperature_loss,
)
from marginalia.theory import Outcome, claim, outcome

MARGINS = np.concatenate([-np.geomspace(1e-3, 400, 300)[::-1], [0.0], np.geomspace(1e-3, 400, 300)])
GRID = np.round(np.arange(0.1, 2.01, 0.1), 10)


def _inside(t2: float, margins: Array = MARGINS) -> Array:
    """Margins inside the support of a temperature below 1."""
    return margins if t2 >= 1 else margins[np.abs(margins) < 1 / (1 - t2)]


@claim("amid2019:c7")
def gradient_of_the_mean() -> Outcome:
    """Sum of the gradients of N = 7 examples, as (14) prints it, over the gradient of their mean loss (13)."""
    rng = np.random.default_rng(0)
    n, h = 7, 1e-5
    X, labels, W = rng.normal(size=(n, 3)), rng.integers(0, 4, n), rng.normal(size=(3, 4))
    _, slopes = two_temperature_loss(X @ W, labels, 0.6, 1.6, gradient=True)
    printed = X.T @ slopes

    def mean_loss(weights: Array) -> float:
        return float(two_temperature_loss(X @ weights, labels, 0.6, 1.6).mean())

    numeric = np.zeros_like(W)
    for i, j in product(range(3), range(4)):
        step = np.zeros_like(W)
        step[i, j] = h
        numeric[i, j] = (mean_loss(W + step) - mean_loss(W - step)) / (2 * h)
    ratio = float((printed * numeric).sum() / (numeric**2).sum())
    repaired = np.abs(printed / n - numeric).max()
    return outcome(
        -abs(ratio - 1), tolerance=1e-6, evidence={"ratio": ratio, "examples": n, "error_with_1_over_n": repaired}
    )


@claim("amid2019:c8")
def gradient_of_the_binary_loss() -> Outcome:
    """Differences of (16) against the printed gradient, from probabilities and escorts of the two activations."""
    a, h = np.linspace(-8, 8, 161), 1e-5
    worst = 0.0
    for t1, t2 in ((0.1, 1.12), (0.6, 1.6), (0.9, 1.3), (1.0, 2.0), (1.4, 1.2)):
        loss = TwoTemperatureLoss(t1, t2)
        p = softmax_t(np.stack([a / 2, -a / 2], axis=1), t2)
        q = escort(p, t2)
        printed = -0.5 * p[:, 0] ** (t2 - t1) * (1 - (q[:, 0] - q[:, 1]))
        worst = max(worst, np.abs((loss.value(a + h) - loss.value(a - h)) / (2 * h) - printed).max())
    return outcome(-worst, tolerance=1e-8, evidence={"largest_difference": worst})


@claim("amid2019:c9")
def cap_of_the_loss() -> Outcome:
    """Largest loss over margins down to -1e300, over the cap 1/(1-t1)."""
    pairs = list(product((0.1, 0.5, 0.9), (0.5, 1.0, 1.12, 1.6, 2.0)))
    ratios = {(t1, t2): TwoTemperatureLoss(t1, t2).value(-1e300) * (1 - t1) for t1, t2 in pairs}
    heavy = max(ratio for (_, t2), ratio in ratios.items())
    return outcome(
        1 - heavy, tolerance=1e-14, evidence={"largest_ratio": heavy, "smallest_ratio": min(ratios.values())}
    )


@claim("amid2019:c10")
def bounded_only_below_one() -> Outcome:
    """For t1 at least 1 the loss keeps growing; inside (0, 1) it stays below its cap."""

    def growth(t1: float, t2: float) -> float:
        """Gain of the loss over a doubling of the margin, over that of the doubling before: 1 or more without bound."""
        steps = np.diff(TwoTemperatureLoss(t1, t2).value([-150.0, -300.0, -600.0]))
        return float(steps[1] / steps[0])

    unbounded = min(growth(t1, t2) for t1, t2 in product((1.0, 1.1, 1.5), (1.0, 1.12, 1.6, 2.0)))
    below = min(1 / (1 - t1) - TwoTemperatureLoss(t1, 1.6).value(-1e200) for t1 in (0.1, 0.5, 0.9))
    return outcome(
        min(unbounded - 1, below),
        tolerance=1e-12,
        evidence={
            "smallest_growth_from_1_on": unbounded,
            "largest_growth_below_1": max(growth(t1, 1.6) for t1 in (0.1, 0.5, 0.9)),
            "supremum_at_t1_0": float(TwoTemperatureLoss(0, 1.6).value(-1e200)),
        },
    )


@claim("amid2019:c11")
def importance_factor() -> Outcome:
    """The factor p^(t2 - t1) rises with p for t2 > t1, and is one for equal temperatures."""
    p = np.linspace(0.001, 1, 1000)
    rises = [np.diff(p ** (t2 - t1)).min() for t1, t2 in product(GRID, GRID) if t2 > t1]
    flat = max(np.abs(p ** (t - t) - 1).max() for t in GRID)
    return outcome(min(min(rises), -flat), evidence={"smallest_rise": min(rises), "deviation_when_equal": flat})


@claim("amid2019:c12")
def convex_region() -> Outcome:
    """Sign of the second derivative over 400 pairs of temperatures, inside the support."""
    smallest, elsewhere, infinite = np.inf, -np.inf, 0
    for t1, t2 in product(GRID, GRID):
        loss = TwoTemperatureLoss(t1, t2)
        bends = loss.derivative(_inside(t2), 2)
        if loss.is_convex:
            smallest = min(smallest, bends.min())
            infinite += int(np.isinf(loss.value(-1 / (1 - t2) - 1e-9)) if t2 < 1 else 0)
        elif t1 < t2:
            elsewhere = max(elsewhere, bends.min())
    equal = max(
        np.abs(TwoTemperatureLoss(t, t).value(MARGINS) - (log_partition_margin(MARGINS, t) - MARGINS / 2)).max()
        for t in (1.0, 1.3, 1.7, 2.0)
    )
    return outcome(
        min(smallest, 1e-11 - equal),
        tolerance=1e-14,
        caveat=infinite > 0,
        evidence={
            "smallest_curvature": smallest,
            "largest_minimum_for_t1_below_t2": elsewhere,
            "pairs_with_infinite_loss": infinite,
            "error_of_the_form_for_equal_temperatures": equal,
        },
    )


@claim("amid2019:c13")
def curvature_and_the_gap() -> Outcome:
    """Change of the curvature when t1 grows at fixed t2, and when t2 falls at fixed t1."""
    steps = np.round(np.arange(1.0, 2.01, 0.1), 10)
    first, second, where = np.inf, np.inf, 0.0
    for fixed in steps:
        raised = [t for t in steps if t >= fixed]
        bends = np.array([TwoTemperatureLoss(t, fixed).derivative(MARGINS, 2) for t in raised])
        if len(raised) > 1:
            # relative to the size of the curvature, which spans many orders of magnitude
            first = min(first, (np.diff(bends, axis=0) / np.maximum(bends[:-1], 1e-300)).min())
        lowered = [t for t in steps[::-1] if t <= fixed]
        bends = np.array([TwoTemperatureLoss(fixed, t).derivative(MARGINS, 2) for t in lowered])
        if len(lowered) > 1:
            change = np.diff(bends, axis=0)
            if change.min() < second:
                second, where = change.min(), float(MARGINS[change.min(axis=0).argmin()])
    return outcome(
        first,
        tolerance=1e-9,
        caveat=second < -1e-6,
        evidence={"smallest_relative_change_in_t1": first, "largest_fall_in_t2": second, "at_margin": where},
    )


@claim("amid2019:c14")
def quasi_convex() -> Outcome:
    """Monotone in the margin; for several classes, never above both ends on random segments; for all temperatures."""
    rise = max(
        np.diff(TwoTemperatureLoss(t1, t2).value(MARGINS)).max()
        for t1, t2 in product(GRID[::2], GRID[::2])
        if not t2 < 1 <= t1
    )
    rng = np.random.default_rng(4)
    excess = -np.inf
    for t1, t2 in ((0.1, 1.12), (0.6, 1.6), (0.5, 0.5), (0.9, 0.4), (1.5, 1.2)):
        a, b = rng.normal(scale=4, size=(2, 4000, 4))
        labels, share = rng.integers(0, 4, 4000), rng.random((4000, 1))
        ends = np.maximum(two_temperature_loss(a, labels, t1, t2), two_temperature_loss(b, labels, t1, t2))
        excess = max(excess, (two_temperature_loss(share * a + (1 - share) * b, labels, t1, t2) - ends).max())
    return outcome(-max(rise, excess), tolerance=1e-12, evidence={"largest_rise": rise, "largest_excess": excess})


@claim("amid2019:c15")
def single_inflection() -> Outcome:
    """Second derivative at the root of the printed equation, and its number of sign changes."""
    worst, changes = 0.0, []
    for t1, t2 in product((0.1, 0.4, 0.6, 0.9, 1.0), (1.0, 1.12, 1.3, 1.6, 2.0)):
        if t1 < t2:
            loss = TwoTemperatureLoss(t1, t2)
            worst = max(worst, abs(float(loss.derivative(loss.inflection, 2))))
            bends = loss.derivative(np.linspace(-60, 60, 6001), 2)
            changes.append(int((np.diff(np.sign(bends)) != 0).sum()))
    return outcome(
        -worst,
        holds=worst <= 1e-13 and set(changes) == {1},
        evidence={"largest_curvature_there": worst, "most_sign_changes": max(changes), "fewest": min(changes)},
    )


def _pieces(a: Array, t1: float, t2: float) -> tuple[Array, Array, Array, Array]:
    """Probability of the label, derivatives of G and the second derivative of the loss, from (B.2) and (B.3)."""
    p = softmax_t(np.stack([a / 2, -a / 2], axis=1), t2)
    q = escort(p, t2)
    slope = (q[:, 0] - q[:, 1]) / 2
    bend = t2 * (p ** (2 * t2 - 1) * (np.array([0.5, -0.5]) - slope[:, None]) ** 2).sum(axis=1) / (p**t2).sum(axis=1)
    return p[:, 0], slope, bend, TwoTemperatureLoss(t1, t2).derivative(a, 2)


@claim("amid2019:c16")
def second_derivative_b1() -> Outcome:
    """(B.1) as printed, with 1/2 - G, and with 1/2 - dG in its place."""
    a = np.linspace(-6, 6, 241)
    printed, repaired = 0.0, 0.0
    for t1, t2 in ((0.1, 1.12), (0.6, 1.6), (0.9, 1.3)):
        p, slope, bend, exact = _pieces(a, t1, t2)
        for value, kind in ((log_partition_margin(a, t2), "printed"), (slope, "repaired")):
            formula = p ** (t2 - t1) * (bend - (t2 - t1) * p ** (t2 - 1) * (0.5 - value) ** 2)
            error = np.abs(formula - exact).max()
            if kind == "printed":
                printed = max(printed, error)
            else:
                repaired = max(repaired, error)
    return outcome(-printed, tolerance=1e-9, evidence={"error_as_printed": printed, "error_repaired": repaired})


@claim("amid2019:c17")
def second_derivative_in_lambda() -> Outcome:
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
def finite_support() -> Outcome:
    """Value on the flat part, and convexity beyond it, for t2 ≤ t1 < 1."""
    worst, bend = 0.0, np.inf
    for t1, t2 in ((0.8, 0.5), (0.5, 0.5), (0.9, 0.3)):
        loss = TwoTemperatureLoss(t1, t2)
        edge = 1 / (1 - t2)
        worst = max(worst, abs(float(loss.value(-edge - 1)) + 1 / (1 - t1)))
        bend = min(bend, loss.derivative(np.linspace(-edge, edge, 2003)[1:-1], 2).min())
    value = float(TwoTemperatureLoss(0.8, 0.5).value(-3.0))
    return outcome(
        -worst,
        tolerance=1e-9,
        evidence={
            "value_at_0.8_0.5": value,
            "printed_value": -1 / (1 - 0.8),
            "smallest_curvature_beyond": bend,
            "slope_near_the_edge": float(TwoTemperatureLoss(0.8, 0.5).derivative(-2 + 1e-6)),
        },
    )


@claim("amid2019:c30")
def special_cases() -> Outcome:
    """Logistic, t-logistic, generalised cross entropy and α-loss as pairs of temperatures; entmax below one."""
    a = np.linspace(-30, 30, 601)
    logistic = np.abs(TwoTemperatureLoss(1, 1).value(a) / LogisticLoss().value(a) - 1).max()
    tempered = np.abs(TwoTemperatureLoss(1, 1.6).value(a) - TLogisticLoss(1.6).value(a)).max()
    # the definition of the t-logistic loss, from the probabilities themselves
    direct = -np.log(softmax_t(np.stack([a / 2, -a / 2], axis=1), 1.6)[:, 0])
    tempered = max(tempered, np.abs(TLogisticLoss(1.6).value(a) / direct - 1).max())
    crossed = max(
        np.abs(TwoTemperatureLoss(1 - q, 1).value(a) / GeneralizedCrossEntropyLoss(q).value(a) - 1).max()
        for q in (0.1, 0.5, 0.9, 1.0)
    )
    tilted = max(
        np.abs(TwoTemperatureLoss(1 / alpha, 1).value(a) / AlphaLoss(alpha).value(a) - 1).max()
        for alpha in (0.5, 1, 1.44, 2, 10)
    )
    sparse = max(_entmax_gap(t) for t in (0.0, 0.3, 0.5, 0.8))
    return outcome(
        -max(logistic, tempered, crossed, tilted, sparse),
        tolerance=1e-11,
        evidence={
            "logistic": logistic,
            "t_logistic": tempered,
            "generalised_cross_entropy": crossed,
            "alpha_loss": tilted,
            "entmax_gap": sparse,
        },
    )


def _entmax_gap(t: float) -> float:
    r"""How far :math:`\hat p` is from the maximiser of :math:`\langle p, a\rangle + H_\alpha(p)`, with α = 2 - t.

    That maximiser defines α-entmax, sparsemax at α = 2. The largest entry of the gradient minus its mean under
    :math:`\hat p` bounds what any other distribution could gain.
    """
    activations = 3 * np.random.default_rng(0).normal(size=(50, 6))
    p = softmax_t(activations, t)
    gradient = activations - p ** (1 - t) / (1 - t)
    return float((gradient.max(axis=1) - (p * gradient).sum(axis=1)).max())
