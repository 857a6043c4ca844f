"""Claims about Theorem 2, the upper bound on the noisy gradient, with the steps of its proof."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy.special import expit

from marginloss.losses import AlphaLoss, LogisticLoss, SigmoidLoss
from marginloss.theory import Array, Finding, claim, outcome
from marginloss.theory.sypherd2023.gradient_bounds import noisy_gradient, noisy_weight, replacement_bound

START = math.log(2 + math.sqrt(3))
"""The margin in (13), beyond which the paper takes both third derivatives to decrease."""


@claim("sypherd2023:theorem-2-proof")
def theorem_2_proof(start: float = START) -> Finding:
    """The third derivative of the logistic loss decreases from there on; that of the sigmoid loss first grows."""
    logistic = _increase(LogisticLoss(), start)
    sigmoid = _increase(SigmoidLoss(), start)
    peak = math.log(5 + 2 * math.sqrt(6))
    return outcome(
        -max(logistic, sigmoid),
        tolerance=1e-15,
        evidence={
            "increase_logistic": logistic,
            "increase_sigmoid": sigmoid,
            "sigmoid_at_start": float(SigmoidLoss().derivative(start, 3)),
            "sigmoid_at_peak": float(np.abs(SigmoidLoss().derivative(peak, 3))),
            "repaired_start": peak,
            "increase_sigmoid_from_repaired_start": _increase(SigmoidLoss(), peak),
        },
    )


@claim("sypherd2023:theorem-2")
def theorem_2(constant: float = 2.0) -> Finding:
    """The bound (14) where the hypothesis can be met, at α = 1; at α = ∞ no vector meets it: nothing is said."""
    slack, largest = _slack_of_14(constant)
    # what replaces the bound: the largest coordinate of the gradient over its bound, at most 1 and nearly attained
    rng = np.random.default_rng(0)
    ratio = 0.0
    for theta, signed, mass in _realizable_laws(rng, 400):
        p, bounded = float(rng.uniform(0.001, 0.499)), float(rng.choice([1.2, 2.0, 5.0, math.inf]))
        size = float(np.abs(noisy_gradient(theta, signed, mass, bounded, p)).max())
        ratio = max(ratio, size / replacement_bound(float((signed @ theta).min()), bounded, p))
    return outcome(
        slack,
        caveat=_slope_along(math.inf) < 0,
        evidence={
            "largest_left_side": largest,
            "slope_at_infinity": _slope_along(math.inf),
            "largest_ratio_to_replacement_bound": ratio,
            "replacement_at_margin_20": replacement_bound(20.0, 2.0, 0.1),
        },
    )


@claim("sypherd2023:eq-13-mild")
def assumption_13(alpha: float = math.inf) -> Finding:
    """A mild assumption is met by something: some law, noise rate and vector that is stationary with such margins."""
    steepest = _slope_along(alpha)
    return outcome(steepest, holds=steepest >= 0, evidence={"largest_p_at_alpha_1": float(expit(-START))})


@claim("sypherd2023:theorem-2-logistic")
def theorem_2_logistic() -> Finding:
    """Stationary with all margins above the constant for p up to just below 1/(3 + √3), never from just above on."""
    end = float(expit(-START))
    room, gradient = math.inf, 0.0
    for p in (0.01, 0.05, 0.1, 0.2, end - 1e-6):
        theta, signed, mass = _axis_law(p)
        gradient = max(gradient, float(np.abs(noisy_gradient(theta, signed, mass, 1.0, p)).max()))
        room = min(room, float((signed @ theta).min()) - START)
    # the derivative along the vector is E[(p - sigma(-m)) m]: positive term by term once p is above sigma(-start)
    margin = np.linspace(START, 60, 20001)
    above = min(float(np.min((p - expit(-margin)) * margin)) for p in (end + 1e-6, 0.22, 0.3, 0.45))
    return outcome(
        room,
        holds=room > 0 and gradient < 1e-15,
        caveat=above > 0,
        evidence={"largest_p": end, "gradient": gradient, "smallest_slope_above_largest_p": above},
    )


@claim("sypherd2023:eq-14")
def eq_14(constant: float = 2.0) -> Finding:
    """The upper bound at α = 1 on one point, where it is tightest, and the smallest constant that would still do."""
    slack, largest = _slack_of_14(constant)
    # the left side is proportional to 1/C: from what is left of the right side follows the constant that would do
    smallest = max(left / right for left, right in _sides_of_14(1.0))
    return outcome(slack, evidence={"largest_left_side": largest, "smallest_constant_that_holds": smallest})


@claim("sypherd2023:eq-15")
def eq_15() -> Finding:
    """The ratio of the two bounds is at least 1, so that it exceeds 1 - 2p."""
    rng = np.random.default_rng(0)
    n = 20_000
    first = START + rng.exponential(2.0, n)
    last = first + rng.exponential(2.0, n) * rng.integers(0, 2, n)
    radius = rng.integers(1, 50, n) ** 0.5 * rng.exponential(5.0, n)
    above, below = (
        radius * np.abs(loss.derivative(z, 2)) + radius**2 * np.abs(loss.derivative(z, 3))
        for loss, z in ((LogisticLoss(), first), (SigmoidLoss(), last))
    )
    ratio = above / below
    slack = float(np.min(ratio - (1 - 2 * rng.uniform(0, 0.5, n))))
    return outcome(
        slack,
        holds=slack > 0,
        evidence={"smallest_ratio": ratio.min(), "largest_ratio_at_one_margin": ratio[first == last].max()},
    )


def _slope_along(alpha: float) -> float:
    """The derivative of the noisy risk along a vector with all margins above the constant of (13), at most.

    It is the mean of -k(m) m over margins m, with k the noisy weight, and can only be 0 if -k(m) is at least 0 at some
    margin; taken relative to the weight of the clean example, which is positive.
    """
    margin = np.linspace(START, 60, 6001)
    weight = AlphaLoss(alpha).weight(margin)
    return max(float(np.max(-noisy_weight(margin, alpha, p) / weight)) for p in (0.01, 0.1, 0.3, 0.45))


def _sides_of_14(constant: float) -> Iterator[tuple[float, float]]:
    """Sides of (14) at α = 1 for one value of yx, stationary at margin log(1/p - 1), in the smallest ball."""
    for p in (0.01, 0.05, 0.1, 0.2, 0.21):
        z = math.log(1 / p - 1)
        second, third = (abs(float(LogisticLoss().derivative(z, order))) for order in (2, 3))
        for margin in z * np.geomspace(1.001, 30, 60):
            gradient = noisy_gradient([margin], [[1.0]], [1.0], 1.0, p)
            yield abs(float(gradient[0])) / constant, margin * second + margin**2 * third


def _slack_of_14(constant: float) -> tuple[float, float]:
    """Smallest distance of the sides of (14), and the largest left side."""
    sides = list(_sides_of_14(constant))
    return min(right - left for left, right in sides), max(left for left, _ in sides)


def _realizable_laws(rng: np.random.Generator, n: int) -> Iterator[tuple[Array, Array, Array]]:
    """Laws in [-1, 1]^d with a vector whose margins are all positive, from nearly 0 to far out; some on few points."""
    for _ in range(n):
        d, points = int(rng.integers(1, 6)), int(rng.integers(1, 6))
        theta = rng.normal(size=d) * rng.exponential(8.0)
        signed = rng.uniform(0, 1, (points, d)) * np.sign(theta)
        yield theta, signed, rng.dirichlet(np.ones(points))


def _axis_law(p: float) -> tuple[Array, Array, Array]:
    """Two values of yx on two axes; the logistic risk is stationary where both margins are log(1/p - 1)."""
    return math.log(1 / p - 1) * np.array([1.0, -1.0]), np.array([[1.0, 0.0], [0.0, -1.0]]), np.array([0.5, 0.5])


def _increase(loss: AlphaLoss, start: float) -> float:
    """Largest rise of the absolute third derivative beyond a margin, from its lowest value so far."""
    values = np.abs(loss.derivative(np.linspace(start, 40, 40001), 3))
    return float(np.max(values - np.minimum.accumulate(values)))
