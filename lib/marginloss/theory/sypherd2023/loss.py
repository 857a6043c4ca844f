"""Claims about the margin α-loss itself: special cases, shape, derivatives, and the weights that boosting takes.

Each check takes the family of losses as an argument, so that a test can hand it a wrong one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.datasets import load_wine

from marginloss.boosting import AdaBoostAlphaClassifier
from marginloss.datasets import make_long_servedio
from marginloss.losses import AlphaLoss, MarginLoss
from marginloss.noise import flip_labels
from marginloss.theory import Array, Finding, claim, outcome
from marginloss.theory.sypherd2023.gradient_bounds import slope

Family = Callable[[float], MarginLoss]


def _thirty_stumps(alpha: float) -> AdaBoostAlphaClassifier:
    return AdaBoostAlphaClassifier(alpha, n_estimators=30)


ALPHAS = (0.3, 0.5, 0.77, 1.0, 1.1, 1.44, 2.0, 3.0, 8.0, 20.0, math.inf)
"""Values of α that the checks run over: those of Figure 2 and of the experiments."""


@claim("sypherd2023:definition-1")
def definition_1(family: Family = AlphaLoss) -> Finding:
    """Exponential at ½, logistic at 1, sigmoid at ∞, equation (3) elsewhere, and continuous in α."""
    z = np.linspace(-30, 30, 2401)
    cases = {
        "exponential": (0.5, np.exp(-z)),
        "logistic": (1.0, np.logaddexp(0.0, -z)),
        "sigmoid": (math.inf, expit(-z)),
    }
    errors = {name: _relative(family(alpha).value(z), exact) for name, (alpha, exact) in cases.items()}
    # equation (3), where its two terms do not cancel
    z = z[z < 5]
    formula = max(
        _relative(family(a).value(z), a / (a - 1) * (1 - expit(z) ** (1 - 1 / a))) for a in (0.3, 0.77, 1.44, 2.0, 8.0)
    )
    # a continuous function moves ten times less for a step ten times smaller; a jump stays what it is
    near = np.linspace(-10, 10, 201)

    def moved(alpha: float, step: float) -> float:
        return float(np.max(np.abs(family(alpha * (1 + step)).value(near) - family(alpha).value(near))))

    shrinkage = max(moved(a, h) / moved(a, 10 * h) for a in (0.5, 1.0, 1.44, 8.0) for h in (1e-6, -1e-6))
    limit = float(np.max(np.abs(family(1e9).value(near) - family(math.inf).value(near))))
    # next to 1, where (3) is 0/0, the loss is L - s L^2 / 2 with L the logistic loss and s = 1 - 1/alpha
    logistic, beside = np.logaddexp(0.0, -near), 0.0
    for alpha in (1 - 1e-6, 1 + 1e-6):
        expected = logistic - (alpha - 1) / alpha * logistic**2 / 2
        beside = max(beside, float(np.max(np.abs(family(alpha).value(near) - expected))))
    worst = max(errors.values())
    return outcome(
        1e-14 - worst,
        holds=worst <= 1e-14 and formula <= 1e-12 and shrinkage < 0.2 and limit < 1e-7 and beside < 1e-9,
        evidence={
            **errors,
            "formula": formula,
            "shrinkage": shrinkage,
            "distance_to_limit": limit,
            "error_beside_1": beside,
        },
    )


@claim("sypherd2023:proposition-1")
def proposition_1(family: Family = AlphaLoss) -> Finding:
    """Convex for α ≤ 1; for α > 1 decreasing, hence quasi-convex, and concave exactly below log(1 - 1/α)."""
    z = np.linspace(-30, 30, 6001)
    # convexity is read off the values: the middle of a chord lies above the loss
    chord = {a: _chord_gap(family(a), z) for a in ALPHAS}
    convex = min(float(chord[a].min()) for a in ALPHAS if a <= 1)
    decrease = min(float(-np.diff(family(a).value(z)).max()) for a in ALPHAS)
    dented = max(float(chord[a].min()) for a in ALPHAS if a > 1)
    inflection = max(_inflection_error(family(a), a) for a in ALPHAS if a > 1)
    return outcome(
        min(convex, decrease),
        holds=min(convex, decrease) >= -1e-12 and dented < -1e-7 and inflection < 1e-6,
        evidence={
            "smallest_chord_gap_convex": convex,
            "smallest_decrease": decrease,
            "largest_dent_above_1": dented,
            "inflection_error": inflection,
        },
    )


@claim("sypherd2023:section-2.1")
def section_2_1(family: Family = AlphaLoss) -> Finding:
    """From margin -1 to -5 the loss grows like an exponential at ½ and less than linearly at 1.44."""
    exponential, bounded = family(0.5), family(1.44)
    grown = {a: float(loss.value(-5.0) - loss.value(-1.0)) for a, loss in ((0.5, exponential), (1.44, bounded))}
    # an exponential multiplies by e for each unit of margin; a sub-linear function stays below its tangent
    per_unit = float(np.log(exponential.value(-5.0) / exponential.value(-1.0))) / 4
    below_tangent = 4 * float(bounded.weight(-1.0)) - grown[1.44]
    return outcome(
        below_tangent,
        holds=below_tangent > 0 and abs(per_unit - 1) < 1e-12,
        evidence={"growth_alpha_0.5": grown[0.5], "growth_alpha_1.44": grown[1.44], "log_growth_per_unit": per_unit},
    )


@claim("sypherd2023:calibration")
def calibration(family: Family = AlphaLoss) -> Finding:
    """A score on the wrong side costs more than the best score for every class probability, and α logit η is best."""
    slack, error, excess = math.inf, 0.0, -math.inf
    for alpha in ALPHAS:
        loss = family(alpha)
        reach = 20 * alpha if math.isfinite(alpha) else 1000.0
        z = np.linspace(-reach, reach, 8001)
        for eta in (0.01, 0.2, 0.45, 0.49, 0.51, 0.6, 0.9, 0.999):
            risk = eta * loss.value(z) + (1 - eta) * loss.value(-z)
            wrong = z * (2 * eta - 1) <= 0
            slack = min(slack, float(risk[wrong].min() - risk.min()))
            if math.isfinite(alpha):
                # stationary where the two weights are in the ratio of the two probabilities
                logit = math.log(eta / (1 - eta))
                ratio = loss.log_weight(-alpha * logit) - loss.log_weight(alpha * logit)
                error = max(error, abs(float(ratio) - logit))
                there = eta * loss.value(alpha * logit) + (1 - eta) * loss.value(-alpha * logit)
                excess = max(excess, float(there - risk.min()))
    return outcome(
        slack,
        holds=slack > 0 and error < 1e-12 and excess < 1e-14,
        evidence={"error_of_stationarity_at_alpha_logit": error, "excess_risk_at_alpha_logit": excess},
    )


@claim("sypherd2023:lemma-1")
def lemma_1(family: Family = AlphaLoss) -> Finding:
    """The printed derivatives (20) to (22) against differences of the loss; the library against the printed ones."""
    z = np.linspace(-8, 8, 641)
    differences, library = 0.0, 0.0
    for alpha in ALPHAS:
        printed, loss = _printed_derivatives(z, alpha), family(alpha)
        for order, values in enumerate(printed, start=1):
            lower = partial(loss.derivative, order=order - 1) if order > 1 else loss.value
            scale = np.abs(values) + np.abs(printed[0])
            differences = max(differences, float(np.max(np.abs(slope(lower, z) - values) / scale)))
            library = max(library, float(np.max(np.abs(loss.derivative(z, order) - values) / scale)))
    return outcome(
        1e-8 - differences,
        holds=differences < 1e-8 and library < 1e-12,
        evidence={"error_against_differences": differences, "error_of_library": library},
    )


@claim("sypherd2023:section-5.1-saturation")
def saturation(family: Family = AlphaLoss) -> Finding:
    """The largest distance of the derivative from that of the sigmoid loss, times α, never rises from α = 2 on."""
    z = np.linspace(-40, 40, 16001)
    sigmoid = family(math.inf).derivative(z)
    distance = {a: float(np.max(np.abs(family(a).derivative(z) - sigmoid))) for a in (1.0, 2.0, 5.0, 8.0, 20.0, 100.0)}
    scaled = np.array([alpha * d for alpha, d in distance.items() if alpha > 1])
    evidence = {f"distance_alpha_{a:g}": d for a, d in distance.items()}
    return outcome(float(np.min(-np.diff(scaled))), evidence=evidence)


@claim("sypherd2023:section-3.1")
def section_3_1(booster: Callable[[float], Any] = _thirty_stumps) -> Finding:
    """The booster's own rounds: its errors are those under AdaBoost's weights at ½, under logistic weights at 1."""
    X, y = make_long_servedio(400, 0)
    y = flip_labels(y, 0.1, 1, kind="count")
    found = {}
    for name, alpha in (("adaboost", 0.5), ("logistic", 1.0)):
        model = booster(alpha).fit(X, y)
        scores = np.array(list(model.staged_decision_function(X)))
        margin, weights, worst = np.zeros(len(y)), np.full(len(y), 1 / len(y)), 0.0
        for score, step, error in zip(scores, model.theta_, model.errors_, strict=True):
            vote = (y * score - margin) / step  # what the weak learner added, right or wrong
            wrong = float(weights[vote < 0].sum())
            worst = max(worst, abs(wrong - error), abs(0.5 * math.log((1 - wrong) / wrong) - step))
            margin = y * score
            # AdaBoost multiplies, as Freund and Schapire write it; logistic weights come from the margin
            weights = weights * np.exp(-step * vote) if name == "adaboost" else expit(-margin)
            weights /= weights.sum()
        found[name] = worst
    worst = max(found.values())
    return outcome(1e-9 - worst, evidence={f"difference_{name}": value for name, value in found.items()})


@claim("sypherd2023:section-3.1-multiclass")
def section_3_1_multiclass(booster: Callable[[float], Any] = _thirty_stumps) -> Finding:
    """Three kinds of wine, a fifth of them mislabelled: at ½ the rounds are those of SAMME, at 2 the weights are α's.

    SAMME multiplies the weight of a wrong example by exp(step); elsewhere it is the slope of the loss at the margin of
    the label's code, :math:`f_y/(K-1)` for scores that sum to zero.
    """
    X, y = load_wine(return_X_y=True)
    y = np.where(np.arange(len(y)) % 5 == 0, (y + 1) % 3, y)
    found = {}
    for name, alpha in (("samme", 0.5), ("alpha", 2.0)):
        model = booster(alpha).fit(X, y)
        before, weights, worst = np.zeros((len(y), 3)), np.full(len(y), 1 / len(y)), 0.0
        for score, step, error in zip(model.staged_decision_function(X), model.theta_, model.errors_, strict=True):
            missed = np.argmax((score - before) / step, axis=1) != y
            wrong, before = float(weights[missed].sum()), score.copy()
            worst = max(worst, abs(wrong - error))
            if name == "samme":
                weights = weights * np.exp(missed * (math.log((1 - wrong) / wrong) + math.log(2)))
            else:
                weights = AlphaLoss(2.0).weight(score[np.arange(len(y)), y] / 2)
            weights /= weights.sum()
        found[name] = worst
    evidence = {f"difference_{name}": value for name, value in found.items()}
    return outcome(1e-9 - max(found.values()), evidence=evidence)


@claim("sypherd2023:lemma-3")
def lemma_3(family: Family = AlphaLoss) -> Finding:
    """The logistic loss is at least as curved as the sigmoid loss at every margin, (44)."""
    z = np.linspace(-30, 30, 6001)
    logistic, sigmoid = (np.abs(family(a).derivative(z, 2)) for a in (1.0, math.inf))
    ratio = sigmoid / np.maximum(logistic, 1e-300)
    return outcome((logistic - sigmoid).min(), evidence={"largest_ratio": ratio.max()})


@claim("sypherd2023:lemma-4")
def lemma_4(family: Family = AlphaLoss) -> Finding:
    """Beyond |z| = log 2 the third derivative of the sigmoid loss is the smaller one, (49); inside it is the larger."""
    end = math.log(2)
    z = np.concatenate([np.linspace(-30, 30, 6001), [-end - 1e-6, 1e-6 - end, end - 1e-6, end + 1e-6]])
    gap = np.abs(family(1.0).derivative(z, 3)) - np.abs(family(math.inf).derivative(z, 3))
    at_end = np.abs(family(1.0).derivative(end, 3)) - np.abs(family(math.inf).derivative(end, 3))
    outside = np.abs(z) > end
    return outcome(
        gap[outside].min(),
        evidence={"gap_at_log_2": float(at_end), "largest_gap_inside": gap[~outside].max()},
    )


def _printed_derivatives(z: Array, alpha: float) -> tuple[Array, ...]:
    """Equations (20), (21) and (22) as they are printed, divided by α where it multiplies both sides of a fraction."""
    e, inverse = np.exp(z), 1 / alpha
    power = (1 + 1 / e) ** -inverse
    first = -expit(z) * expit(-z) * expit(z) ** -inverse
    second = e * (e - 1 + inverse) / (power * (e + 1) ** 3)
    third = (-(e**2) + 4 * e - 1 - (3 * e - 2) * inverse - inverse**2) / (power * (e + 1) ** 4 / e)
    return first, second, third


def _chord_gap(loss: MarginLoss, z: Array, width: float = 0.5) -> Array:
    """Middle of the chord over [z - width, z + width] minus the loss, relative: negative where not convex."""
    middle = loss.value(z)
    gap: Array = (loss.value(z - width) + loss.value(z + width)) / 2 - middle
    return gap / (1 + middle)


def _inflection_error(loss: MarginLoss, alpha: float) -> float:
    """Distance of the margin of the largest weight from log(1 - 1/α), by bisection on the slope of the weight."""
    low, high = -60.0, 5.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if float(loss.derivative(middle, 2)) < 0 else (low, middle)
    return abs(low - (math.log1p(-1 / alpha) if math.isfinite(alpha) else 0.0))


def _relative(found: Any, exact: Array) -> float:
    return float(np.max(np.abs(found - exact) / np.abs(exact)))
