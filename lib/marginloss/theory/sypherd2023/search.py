"""Claims about finding a good solution on the Long–Servedio points: strips, descent from zero, stopping early."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq, minimize

from marginloss.theory import Finding, claim, outcome
from marginloss.theory.sypherd2023.bifurcation import minima, thresholds
from marginloss.theory.sypherd2023.long_servedio import Landscape


@claim("sypherd2023:eq-43")
def eq_43(alpha: float = 3.0, reach: float = 0.5) -> Finding:
    """A solution of (43) for each small second coordinate, right on all points; of the strip one point is stationary.

    The slack is the smallest accuracy on the strip, less 1. The Hessian says whether the perfect minimum is alone.
    """
    landscape = Landscape(alpha)
    end = landscape.zero / landscape.gamma
    accuracy, gradient = [], []
    for second in np.linspace(-reach, reach, 21):
        guess = end - 5 * second  # where the margin of the puller is as on the axis
        pair = guess - 1, guess + 1
        first = brentq(lambda t, second=second: float(landscape.reduced([t, second])), *pair, xtol=1e-13)
        theta = np.array([first, second])
        accuracy.append(float(landscape.accuracy(theta)))
        gradient.append(float(np.abs(landscape.gradient(theta)).max()))
    best = [point for point in minima(landscape) if point.accuracy == 1]
    lowest = min(float(np.linalg.eigvalsh(landscape.hessian(point.theta))[0]) for point in best)
    return outcome(
        min(accuracy) - 1,
        caveat=len(best) == 1 and lowest > 0,
        evidence={
            "perfect_minima": len(best),
            "smallest_curvature_there": lowest,
            "largest_gradient_on_the_strip": max(gradient),
        },
    )


@claim("sypherd2023:fig-12-search")
def descent_from_zero(alphas: tuple[float, ...] = (3.0, 10.0)) -> Finding:
    """Gradient flow from zero is perfect at the α of Figure 12 that have a good solution; not at every α that has one.

    It ends in the fair coin as long as there is one, also where the perfect minimum is global already.
    """
    found = thresholds()
    accuracy = {a: float(Landscape(a).accuracy(Landscape(a).descend((0.0, 0.0)))) for a in (2.0, *alphas)}
    return outcome(
        min(accuracy[a] for a in alphas) - 1,
        caveat=found.switch < 2 and accuracy[2.0] < 1,
        evidence={
            "global_from": found.switch,
            "fair_coin_until": found.end,
            **{f"accuracy_alpha_{a:g}": value for a, value in accuracy.items()},
        },
    )


@claim("sypherd2023:section-3.2-stopped")
def regularised_or_stopped(alpha: float = 1.0, penalties: tuple[float, ...] = (0.0, 1e-4, 1e-3)) -> Finding:
    """The convex optimum is a fair coin under weak ridge penalties; strong ones, and an early stop, leave it perfect.

    Penalties are relative to the mean risk. The slack is what the most accurate of them has above a fair coin, negated.
    """
    landscape = Landscape(alpha)
    copies = float(landscape.multiplicity.sum() * (landscape.odds + 1))

    def accuracy(penalty: float) -> float:
        def risk(theta: np.ndarray) -> tuple[float, np.ndarray]:
            value, slope = landscape.risk(theta) / copies, landscape.gradient(theta) / copies
            return float(value + penalty / 2 * theta @ theta), slope + penalty * theta

        return float(landscape.accuracy(minimize(risk, [0.5, 0.1], jac=True, tol=1e-14).x))

    weak = {penalty: accuracy(penalty) for penalty in penalties}
    strong = {penalty: accuracy(penalty) for penalty in (1e-2, 1e-1)}
    theta, steps = np.zeros(2), 0
    theta -= landscape.gradient(theta) / copies
    while landscape.accuracy(theta) == 1 and steps < 100_000:
        theta -= landscape.gradient(theta) / copies
        steps += 1
    return outcome(
        0.5 - max(weak.values()),
        caveat=max(strong.values()) == 1 or steps > 0,
        evidence={
            "steps_with_all_points_right": steps,
            **{f"accuracy_penalty_{p:g}": value for p, value in (weak | strong).items()},
        },
    )
