"""Claims about Theorem 3, the lower bound on the noisy gradient, with the steps of its proof."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy.special import expit

from marginloss.losses import AlphaLoss
from marginloss.theory import Array, Finding, claim, outcome
from marginloss.theory.sypherd2023.gradient_bounds import (
    chi,
    condition_17,
    largest_radius,
    lower_bound,
    noisy_gradient,
    noisy_weight,
    slope,
)
from marginloss.theory.sypherd2023.long_servedio import Landscape

ALPHAS = (1.0, 1.2, 1.5, 2.0, 3.0, 5.0, 10.0, math.inf)


@claim("sypherd2023:theorem-3")
def theorem_3(shrink: float = 0.0) -> Finding:
    """The printed lower bound against random laws that meet (16) and (17), and one that can be done by hand.

    The factor before the norm of the mean is 1 - ``shrink`` p: 1 in print, and 1 - 2p after the repair.
    """
    gaps = np.array([trial.gradient - trial.bound(shrink) for trial in _trials()])
    point = Trial(np.zeros(1), np.ones((1, 1)), np.ones(1), 0.1, 1.0, 0.1)  # in a ball of radius 0.1, not 0
    return outcome(
        gaps.min(),
        tolerance=1e-14,
        evidence={
            "violated_share": float(np.mean(gaps < 0)),
            "by_hand_gradient": point.gradient,
            "by_hand_bound": point.bound(shrink),
            "repaired_slack": min(trial.gradient - trial.bound() for trial in _trials()),
        },
    )


@claim("sypherd2023:theorem-3-repaired")
def theorem_3_repaired(shrink: float = 2.0) -> Finding:
    """With (1 - 2p) in front of the mean the lower bound holds and is attained; what follows from it holds as well.

    Under (16) without its factor 1 - 2p the bound is positive, and at α = ∞ only then. A sharper bound comes from the
    range of the noisy weight on the ball.
    """
    slack, sharper, gain, positive, negative = math.inf, math.inf, math.inf, math.inf, -math.inf
    for trial in _trials():
        bound = trial.bound(shrink)
        slack = min(slack, trial.gradient - bound)
        sharper = min(sharper, trial.gradient - trial.sharper_bound())
        gain = min(gain, trial.sharper_bound() - bound)
        if 1 - expit(trial.radius) * expit(-trial.radius) < trial.ratio:
            positive = min(positive, bound)
        else:
            negative = max(negative, replace(trial, alpha=math.inf).bound(shrink))
    # one value of X, and the longest vector along it: all margins are r and the two sides are equal
    alone = [Trial(np.array([0.7]), np.ones((1, 1)), np.ones(1), 0.7, alpha, 0.1) for alpha in ALPHAS]
    attained = max(abs(trial.gradient - trial.bound(shrink)) for trial in alone)
    return outcome(
        slack,
        holds=min(slack, sharper, gain) >= -1e-14 and positive > 0 >= negative and attained < 1e-14,
        evidence={
            "gap_where_attained": attained,
            "smallest_bound_under_repaired_16": positive,
            "largest_bound_otherwise_alpha_infinity": negative,
            "slack_of_sharper_bound": sharper,
            "smallest_gain_of_sharper_bound": gain,
        },
    )


@claim("sypherd2023:eq-19")
def eq_19() -> Finding:
    """The middle line of (19) against (114), and its jump at α = 1."""

    def printed(radius: float, alpha: float, p: float) -> float:
        tilde = float(AlphaLoss(alpha).weight(radius)) - 1
        return p * tilde - (1 - p) * tilde

    cases = [(radius, alpha, p) for radius in (0.2, 0.5, 1.0) for alpha in (1.2, 2.0, 5.0) for p in (0.05, 0.1, 0.3)]
    difference = max(abs(printed(*case) - chi(*case)) for case in cases)
    return outcome(
        -difference,
        tolerance=1e-14,
        certain=False,  # an argument of the second function may be lost in our text
        evidence={
            "printed_at_1": printed(1.0, 1 + 1e-9, 0.1),
            "derived_at_1": chi(1.0, 1 + 1e-9, 0.1),
            "derived_right_at_1": chi(1.0, 1.0, 0.1),
        },
    )


@claim("sypherd2023:chi-monotone")
def chi_monotone(beyond: float = 1.0) -> Finding:
    """Under (17) the constant increases with α; beyond it this fails."""
    slack = math.inf
    for p in np.linspace(0.01, 0.49, 25):
        for share in (0.05, 0.5, 0.999):
            values = [chi(beyond * share * largest_radius(p), alpha, p) for alpha in ALPHAS]
            slack = min(slack, float(np.min(np.diff(values))))
    return outcome(slack, tolerance=1e-15, evidence={"change_from_1_to_2_at_radius_1": chi(1, 2, 0.1) - chi(1, 1, 0.1)})


@claim("sypherd2023:eq-109")
def eq_109() -> Finding:
    """The derivative (109) against differences of f, and its sign against (112)."""
    rng = np.random.default_rng(0)
    error, mismatches = 0.0, 0
    for x, alpha, p in zip(
        rng.uniform(0.01, 6, 400), 1 + rng.exponential(3, 400), rng.uniform(0.01, 0.49, 400), strict=True
    ):
        difference = slope(partial(chi, x, p=p), alpha, 1e-3 * alpha)
        loss = AlphaLoss(alpha)
        # (109), its two fractions written with the weights at x and -x
        printed = (
            (1 - p) * float(loss.weight(x)) * math.log1p(math.exp(-x))
            - p * float(loss.weight(-x)) * math.log1p(math.exp(x))
        ) / alpha**2
        error = max(error, abs(difference - printed))
        mismatches += (printed > 0) != (1 / p - 1 > condition_17(x, alpha))
    return outcome(
        1e-9 - error, holds=error < 1e-9 and mismatches == 0, evidence={"error": error, "mismatches": mismatches}
    )


@claim("sypherd2023:eq-113")
def eq_113() -> Finding:
    """The function f increases up to the radius of (17) for α from 1 to ∞; for α = 2 and p = 0.1 not for all x."""
    slack = math.inf
    for p in np.linspace(0.01, 0.49, 25):
        x = np.linspace(0, largest_radius(p), 301)[1:]
        slack = min(slack, *(float(np.min(_slope_of_f(x, alpha, p))) for alpha in ALPHAS))
    x = np.linspace(0.01, 30, 3000)
    ends = min(float(np.min(_slope_of_f(x, alpha, p))) for alpha in (1.0, math.inf) for p in (0.01, 0.1, 0.45))
    falls = x[_slope_of_f(x, 2.0, 0.1) < 0]
    return outcome(
        slack,
        holds=slack > 0 and ends > 0,
        caveat=len(falls) > 0,
        evidence={"smallest_slope_alpha_1_and_infinity": ends, "falls_from_x": falls[0] if len(falls) else math.inf},
    )


@claim("sypherd2023:eq-114")
def eq_114() -> Finding:
    """|f| is at most χ on all of [-ρ, ρ], negative margins included."""
    slack = math.inf
    for p in np.linspace(0.01, 0.49, 25):
        for share in (0.1, 0.5, 1.0):
            radius = share * largest_radius(p)
            x = np.linspace(-radius, radius, 201)
            for alpha in ALPHAS:
                f = 1 - 2 * p - noisy_weight(x, alpha, p)
                slack = min(slack, chi(radius, alpha, p) - float(np.max(np.abs(f))))
    return outcome(slack, tolerance=1e-14)


@claim("sypherd2023:theorem-3-domain")
def theorem_3_domain(lowest: float = 0.0) -> Finding:
    """The largest mean that a feature can have if it and its mirror image, the other class, both lie in [lowest, 1]."""
    values = np.linspace(lowest, 1, 1001)
    both = values[(-values >= lowest) & (-values <= 1)]
    largest = float(both.max(initial=-math.inf))  # all mass on the largest value has the largest mean
    return outcome(largest, holds=largest > 0, evidence={"values_left": len(both)})


@dataclass(frozen=True)
class Trial:
    """A skew-symmetric law, a parameter in the ball, a loss and a noise rate."""

    theta: Array
    signed: Array
    mass: Array
    radius: float
    alpha: float
    p: float

    @property
    def gradient(self) -> float:
        """Norm of the noisy gradient."""
        return float(np.linalg.norm(noisy_gradient(self.theta, self.signed, self.mass, self.alpha, self.p)))

    @property
    def ratio(self) -> float:
        """Norm of the mean over the mean of the norm, the right side of (16)."""
        return float(np.linalg.norm(self.mass @ self.signed) / (self.mass @ np.linalg.norm(self.signed, axis=1)))

    def bound(self, shrink: float = 2.0) -> float:
        """Right side of (18) with a factor 1 - ``shrink`` p before the norm of the mean."""
        return lower_bound(self.signed, self.mass, self.radius, self.alpha, self.p, 1 - shrink * self.p)

    def sharper_bound(self) -> float:
        """Lower bound from the largest and the smallest noisy weight on the ball."""
        k = noisy_weight(np.linspace(-self.radius, self.radius, 201), self.alpha, self.p)
        mean, size = np.linalg.norm(self.mass @ self.signed), self.mass @ np.linalg.norm(self.signed, axis=1)
        return float((k.max() + k.min()) / 2 * mean - (k.max() - k.min()) / 2 * size)


def _trials(n: int = 400) -> Iterator[Trial]:
    """Random laws on [-1, 1]^d that meet (16) and (17); every other vector is as long as it may be, along the mean."""
    rng = np.random.default_rng(0)
    while n:
        d, p, alpha = int(rng.integers(1, 6)), float(rng.uniform(0.02, 0.4)), float(rng.choice(ALPHAS))
        radius = float(rng.uniform(0.01, 0.99)) * largest_radius(p)
        signed = np.clip(rng.uniform(-1, 1, d) + rng.uniform(0, 0.7) * rng.uniform(-1, 1, (8, d)), -1, 1)
        mass = rng.dirichlet(np.ones(8))
        direction, length = (rng.normal(size=d), float(rng.uniform(0, 1))) if n % 2 else (mass @ signed, 1.0)
        theta = direction / np.linalg.norm(direction) * radius / math.sqrt(d) * length
        trial = Trial(theta, signed, mass, radius, alpha, p)
        if (1 - 2 * p) * (1 - expit(radius) * expit(-radius)) < trial.ratio:
            yield trial
            n -= 1


def _slope_of_f(x: Array, alpha: float, p: float) -> Any:
    """Derivative of f = (1 - 2p) - k in x."""
    return p * Landscape(alpha, 1 / p - 1).drive_slope(x)
