r"""Claims about the noisy gradient of linear models: Theorems 2 and 3 with the steps of their proofs.

The gradient at margins :math:`m = \langle yx, \theta\rangle` is :math:`-\mathbb{E}[k(m)\,yx]` with the noisy weight
:math:`k(m) = (1-p)\,w(m) - p\,w(-m)`; equations (9) to (12) of sypherd2023.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import expit

from marginalia.losses import AlphaLoss, LogisticLoss, SigmoidLoss
from marginalia.theory import Outcome, claim, outcome
from marginalia.theory.sypherd2023.long_servedio import Landscape

__all__ = ["chi", "largest_radius", "lower_bound", "noisy_gradient", "noisy_weight", "replacement_bound"]

Array = NDArray[np.float64]

START = math.log(2 + math.sqrt(3))
"""The margin in (13), beyond which the paper takes both third derivatives to decrease."""
ALPHAS = (1.0, 1.2, 1.5, 2.0, 3.0, 5.0, 10.0, math.inf)


def noisy_weight(margin: ArrayLike, alpha: float, p: float) -> Any:
    r"""Weight :math:`k(m) = (1-p)\,w(m) - p\,w(-m)` of an example whose label is flipped with probability p.

    Up to the factor :math:`-p` the function B of Lemma 2 with :math:`N = 1/p - 1`.

    Examples
    --------
    >>> round(float(noisy_weight(0.0, alpha=1, p=0.1)), 12)
    0.4
    """
    return -p * Landscape(alpha, 1 / p - 1).drive(margin)


def noisy_gradient(theta: ArrayLike, signed: ArrayLike, mass: ArrayLike, alpha: float, p: float) -> Array:
    r"""Gradient (12) of the noisy risk at :math:`\theta` for a law with finitely many values of :math:`yx`.

    Parameters
    ----------
    theta : array-like of shape (d,)
    signed : array-like of shape (n, d)
        The values :math:`yx`.
    mass : array-like of shape (n,)
        Their probabilities.
    alpha, p : float
        Parameter of the loss, noise rate.
    """
    signed = np.asarray(signed, dtype=float)
    weight = noisy_weight(signed @ np.asarray(theta, dtype=float), alpha, p)
    out: Array = -(np.asarray(mass) * weight) @ signed
    return out


def replacement_bound(margin: float, alpha: float, p: float) -> float:
    r"""What Theorem 2 wants to say, without a stationary point: :math:`(1-p)e^{-\mu} + p\,e^{-(1-1/\alpha)\mu}`.

    If no feature exceeds 1 in absolute value and all margins are at least :math:`\mu > 0`, this bounds every coordinate
    of the noisy gradient. It vanishes as margins grow for :math:`\alpha > 1`, and tends to p at :math:`\alpha = 1`.

    Examples
    --------
    >>> replacement_bound(20.0, alpha=2, p=0.1) < 1e-4 < replacement_bound(20.0, alpha=1, p=0.1)
    True
    """
    return (1 - p) * math.exp(-margin) + p * math.exp(-AlphaLoss(alpha).exponent * margin)


def chi(radius: float, alpha: float, p: float) -> float:
    r"""Constant of Theorem 3, :math:`\chi = (1-2p) - k(r\sqrt d)`, from (114); ``radius`` is :math:`r\sqrt d`.

    Examples
    --------
    >>> round(chi(1.0, alpha=1, p=0.1), 5)
    0.63106
    """
    return 1 - 2 * p - float(noisy_weight(radius, alpha, p))


def largest_radius(p: float) -> float:
    r"""The :math:`r\sqrt d` at which condition (17) ends, at α = 1 where it is hardest.

    Examples
    --------
    >>> round(largest_radius(0.1), 4)
    0.8716
    """
    root: float = brentq(lambda x: _condition_17(x, 1.0) - (1 / p - 1), 1e-12, 50.0, xtol=1e-13)
    return root


def lower_bound(signed: ArrayLike, mass: ArrayLike, radius: float, alpha: float, p: float, factor: float) -> float:
    r"""Right side of (18), :math:`c\,|\mathbb{E}X| - \chi\,\mathbb{E}|X|`: printed with c = 1, right with 1 - 2p."""
    signed, mass = np.asarray(signed, dtype=float), np.asarray(mass, dtype=float)
    mean = np.linalg.norm(mass @ signed)
    return float(factor * mean - chi(radius, alpha, p) * (mass @ np.linalg.norm(signed, axis=1)))


# ------------------------------------------------------------------------------------------------------- Theorem 2


@claim("sypherd2023:theorem-2-proof")
def theorem_2_proof(start: float = START) -> Outcome:
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
def theorem_2() -> Outcome:
    """With all margins above the constant the sigmoid risk falls along the vector itself; what replaces the bound."""
    rng = np.random.default_rng(0)
    steepest, replaced = -math.inf, math.inf
    for p in (0.01, 0.1, 0.3, 0.45):
        for theta, signed, mass in _realizable_laws(rng, 50, START, 10.0):
            steepest = max(steepest, float(noisy_gradient(theta, signed, mass, math.inf, p) @ theta))
            lowest = float((signed @ theta).min())
            for alpha in (1.2, 2.0, 5.0, math.inf):
                size = float(np.abs(noisy_gradient(theta, signed, mass, alpha, p)).max())
                replaced = min(replaced, replacement_bound(lowest, alpha, p) - size)
    # the derivative along the vector is -(1 - 2p) E[m w(m)] for the even weight of this loss: never 0
    return outcome(
        steepest,
        holds=steepest >= 0,
        evidence={
            "slack_of_replacement_bound": replaced,
            "replacement_at_margin_20": replacement_bound(20.0, 2.0, 0.1),
        },
    )


@claim("sypherd2023:theorem-2-logistic")
def theorem_2_logistic() -> Outcome:
    """Stationary with all margins above the constant for p below 1/(3 + √3), never above."""
    end = float(expit(-START))
    room, gradient = math.inf, 0.0
    for p in (0.01, 0.05, 0.1, 0.2):
        theta, signed, mass = _axis_law(p)
        gradient = max(gradient, float(np.abs(noisy_gradient(theta, signed, mass, 1.0, p)).max()))
        room = min(room, float((signed @ theta).min()) - START)
    # the derivative along the vector is E[(p - sigma(-m)) m]: positive term by term once p is above sigma(-start)
    margin = np.linspace(START, 60, 20001)
    above = min(float(np.min((p - expit(-margin)) * margin)) for p in (0.22, 0.3, 0.45))
    return outcome(
        room,
        holds=room > 0 and gradient < 1e-15,
        caveat=above > 0,
        evidence={"largest_p": end, "gradient": gradient, "smallest_slope_above_largest_p": above},
    )


@claim("sypherd2023:theorem-2-support")
def theorem_2_support() -> Outcome:
    """The smaller of the two margins of one input under its two labels is never positive."""
    rng = np.random.default_rng(0)
    margins = np.einsum("ij,ij->i", rng.uniform(-1, 1, (1000, 5)), rng.normal(size=(1000, 5)))
    return outcome(float(np.max(np.minimum(margins, -margins))) - START, evidence={"asked": START})


@claim("sypherd2023:eq-14")
def eq_14() -> Outcome:
    """The upper bound at α = 1, on laws where the stationary point is known in closed form."""
    slack, largest = math.inf, 0.0
    for p in (0.01, 0.05, 0.1, 0.2):
        theta, signed, mass = _axis_law(p)
        z = float((signed @ theta).min())
        for stretch in (1.0, 1.5, 3.0, 10.0):
            radius = math.sqrt(2) * float(np.linalg.norm(stretch * theta))
            second, third = (abs(float(LogisticLoss().derivative(z, order))) for order in (2, 3))
            size = float(np.abs(noisy_gradient(stretch * theta, signed, mass, 1.0, p)).max())
            slack = min(slack, radius * second + radius**2 * third - size / 2)  # C = 2 at alpha = 1
            largest = max(largest, size / 2)
    return outcome(slack, evidence={"largest_left_side": largest})


@claim("sypherd2023:eq-15")
def eq_15() -> Outcome:
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
    return outcome(slack, holds=slack > 0, evidence={"smallest_ratio": ratio.min()})


# ------------------------------------------------------------------------------------------------------- Theorem 3


@claim("sypherd2023:theorem-3")
def theorem_3() -> Outcome:
    """The printed lower bound against random laws that meet (16) and (17), and one that can be done by hand."""
    gaps = np.array([trial.gradient - trial.bound(1.0) for trial in _trials()])
    point = Trial(np.zeros(1), np.ones((1, 1)), np.ones(1), 0.0, 1.0, 0.1)
    return outcome(
        gaps.min(),
        evidence={
            "violated_share": float(np.mean(gaps < 0)),
            "by_hand_gradient": point.gradient,
            "by_hand_bound": point.bound(1.0),
            "repaired_slack": min(trial.gradient - trial.bound(1 - 2 * trial.p) for trial in _trials()),
        },
    )


@claim("sypherd2023:theorem-3-repaired")
def theorem_3_repaired(shrink: float = 2.0) -> Outcome:
    """With (1 - 2p) in front of the mean the lower bound holds; a sharper one from the range of the noisy weight."""
    slack, sharper, gain = math.inf, math.inf, math.inf
    for trial in _trials():
        slack = min(slack, trial.gradient - trial.bound(1 - shrink * trial.p))
        sharper = min(sharper, trial.gradient - trial.sharper_bound())
        gain = min(gain, trial.sharper_bound() - trial.bound(1 - 2 * trial.p))
    return outcome(
        slack, tolerance=1e-14, evidence={"slack_of_sharper_bound": sharper, "smallest_gain_of_sharper_bound": gain}
    )


@claim("sypherd2023:eq-19")
def eq_19() -> Outcome:
    """The middle line of (19) against (114), and its jump at α = 1."""

    def printed(radius: float, alpha: float, p: float) -> float:
        tilde = float(AlphaLoss(alpha).weight(radius)) - 1
        return p * tilde - (1 - p) * tilde

    cases = [(radius, alpha, p) for radius in (0.2, 0.5, 1.0) for alpha in (1.2, 2.0, 5.0) for p in (0.05, 0.1, 0.3)]
    difference = max(abs(printed(*case) - chi(*case)) for case in cases)
    return outcome(
        -difference,
        tolerance=1e-14,
        evidence={
            "printed_at_1": printed(1.0, 1 + 1e-9, 0.1),
            "derived_at_1": chi(1.0, 1 + 1e-9, 0.1),
            "derived_right_at_1": chi(1.0, 1.0, 0.1),
        },
    )


@claim("sypherd2023:chi-monotone")
def chi_monotone(beyond: float = 1.0) -> Outcome:
    """Under (17) the constant increases with α; beyond it this fails."""
    slack = math.inf
    for p in np.linspace(0.01, 0.49, 25):
        for share in (0.05, 0.5, 0.999):
            values = [chi(beyond * share * largest_radius(p), alpha, p) for alpha in ALPHAS]
            slack = min(slack, float(np.min(np.diff(values))))
    return outcome(slack, tolerance=1e-15, evidence={"change_from_1_to_2_at_radius_1": chi(1, 2, 0.1) - chi(1, 1, 0.1)})


@claim("sypherd2023:eq-109")
def eq_109() -> Outcome:
    """The derivative (109) against differences of f, and its sign against (112)."""
    rng = np.random.default_rng(0)
    error, mismatches = 0.0, 0
    for x, alpha, p in zip(
        rng.uniform(0.01, 6, 400), 1 + rng.exponential(3, 400), rng.uniform(0.01, 0.49, 400), strict=True
    ):
        h = 1e-3 * alpha
        near, middle, far = ((chi(x, alpha + i * h, p) - chi(x, alpha - i * h, p)) for i in (1, 2, 3))
        difference = (45 * near - 9 * middle + far) / (60 * h)
        loss = AlphaLoss(alpha)
        # (109), its two fractions written with the weights at x and -x
        printed = (
            (1 - p) * float(loss.weight(x)) * math.log1p(math.exp(-x))
            - p * float(loss.weight(-x)) * math.log1p(math.exp(x))
        ) / alpha**2
        error = max(error, abs(difference - printed))
        mismatches += (printed > 0) != (1 / p - 1 > _condition_17(x, alpha))
    return outcome(
        1e-9 - error, holds=error < 1e-9 and mismatches == 0, evidence={"error": error, "mismatches": mismatches}
    )


@claim("sypherd2023:eq-113")
def eq_113() -> Outcome:
    """The function f increases up to the radius of (17) for α from 1 to ∞; for α = 2 and p = 0.1 not beyond 5.8."""
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
def eq_114() -> Outcome:
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
def theorem_3_domain() -> Outcome:
    """A law in the unit cube whose mean is not 0: its mirror image, which must be the other class, leaves the cube."""
    rng = np.random.default_rng(0)
    mirrored = [float((-rng.uniform(0, 1, (20, d)) * rng.integers(0, 2, (20, d))).min()) for d in range(1, 21)]
    return outcome(max(mirrored), evidence={"smallest_feature_of_the_other_class": min(mirrored)})


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

    def bound(self, factor: float) -> float:
        """Right side of (18) with a factor before the norm of the mean."""
        return lower_bound(self.signed, self.mass, self.radius, self.alpha, self.p, factor)

    def sharper_bound(self) -> float:
        """Lower bound from the largest and the smallest noisy weight on the ball."""
        k = noisy_weight(np.linspace(-self.radius, self.radius, 201), self.alpha, self.p)
        mean, size = np.linalg.norm(self.mass @ self.signed), self.mass @ np.linalg.norm(self.signed, axis=1)
        return float((k.max() + k.min()) / 2 * mean - (k.max() - k.min()) / 2 * size)


def _trials(n: int = 400) -> Iterator[Trial]:
    """Random laws on [-1, 1]^d that meet (16) and (17)."""
    rng = np.random.default_rng(0)
    while n:
        d, p, alpha = int(rng.integers(1, 6)), float(rng.uniform(0.02, 0.4)), float(rng.choice(ALPHAS))
        radius = float(rng.uniform(0.01, 0.99)) * largest_radius(p)
        signed = np.clip(rng.uniform(-1, 1, d) + rng.uniform(0, 0.7) * rng.uniform(-1, 1, (8, d)), -1, 1)
        mass = rng.dirichlet(np.ones(8))
        ratio = np.linalg.norm(mass @ signed) / (mass @ np.linalg.norm(signed, axis=1))
        if (1 - 2 * p) * (1 - expit(radius) * expit(-radius)) >= ratio:
            continue
        direction = rng.normal(size=d)
        theta = direction / np.linalg.norm(direction) * radius / math.sqrt(d) * rng.uniform(0, 1)
        yield Trial(theta, signed, mass, radius, alpha, p)
        n -= 1


def _realizable_laws(rng: np.random.Generator, n: int, low: float, high: float) -> Iterator[tuple[Array, Array, Array]]:
    """Laws in [-1, 1]^d with a vector whose margins all lie between two values."""
    for _ in range(n):
        d = int(rng.integers(1, 8))
        theta = rng.uniform(0.5, 1, d) * rng.choice([-1, 1], d)
        signed = rng.uniform(0.2, 1, (12, d)) * np.sign(theta)
        margins = signed @ theta
        theta = theta * low * 1.0001 / margins.min()
        signed = signed * np.minimum(1.0, high / (signed @ theta))[:, None]
        yield theta, signed, rng.dirichlet(np.ones(12))


def _axis_law(p: float) -> tuple[Array, Array, Array]:
    """Two values of yx on two axes; the logistic risk is stationary where both margins are log(1/p - 1)."""
    return math.log(1 / p - 1) * np.array([1.0, -1.0]), np.array([[1.0, 0.0], [0.0, -1.0]]), np.array([0.5, 0.5])


def _condition_17(x: float, alpha: float) -> float:
    """The left side of (112), whose value at r√d condition (17) compares with 1/p - 1."""
    return math.exp(x / alpha) * math.log1p(math.exp(x)) / math.log1p(math.exp(-x))


def _slope_of_f(x: Array, alpha: float, p: float) -> Any:
    """Derivative of f = (1 - 2p) - k in x."""
    return p * Landscape(alpha, 1 / p - 1).drive_slope(x)


def _increase(loss: AlphaLoss, start: float) -> float:
    """Largest rise of the absolute third derivative beyond a margin, from its lowest value so far."""
    values = np.abs(loss.derivative(np.linspace(start, 40, 40001), 3))
    return float(np.max(values - np.minimum.accumulate(values)))
