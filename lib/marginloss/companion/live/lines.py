"""Lines fitted to points that the reader moves: the losses, and a descent in three numbers.

All kernels of live figures write into arrays that they are given, and allocate nothing: that keeps the pages small.
"""

from __future__ import annotations

import math
from typing import Any

from marginloss._compiled import helper, kernel
from marginloss.losses.base import power_loss_scalar
from marginloss.losses.elementary import LN2, exp, exp_and_expm1, log1p
from marginloss.losses.margin import log_alpha_weight_scalar
from marginloss.losses.newton import log_partition_step_scalar, tempered_powers_scalar

__all__ = ["alpha_loss", "fit_line", "loss_curve"]

ALPHA, TWO_TEMPERATURES = 0, 1  # families of losses: their parameters are (alpha, -) and (t1, t2)


@helper
def alpha_loss(z: float, alpha: float) -> Any:
    """Value, weight and curvature of the α-loss."""
    s = (alpha - 1.0) / alpha
    bend = log1p(exp(-abs(z)))
    wrong, good = bend + max(-z, 0.0), bend + max(z, 0.0)
    weight = exp(log_alpha_weight_scalar(wrong, good, s))
    return power_loss_scalar(-wrong, s), weight, weight * (exp(-wrong) - s * exp(-good))


@helper
def _excess(gap: float, s: float) -> float:
    """Log-partition of two classes beyond the larger activation: at least that of equal ones, less half the gap."""
    top = exp_and_expm1(s * LN2)[1] / s if s > 0.0 else LN2
    g = max(0.0, top - gap / 2.0)
    for _ in range(30):
        p, less, r = tempered_powers_scalar(g, s)
        q, _, u = tempered_powers_scalar(g + gap, s)
        step = log_partition_step_scalar(less + q, p * r + q * u, p * r * r + q * u * u, s)
        g = max(g + step, 0.0)
        if abs(step) <= 1e-15 * g:
            break
    return g


@helper
def _two_temperatures(z: float, t1: float, t2: float) -> Any:
    """Value and weight of the two-temperature loss, from the logarithms of both probabilities."""
    gap, s = abs(z), t2 - 1.0
    g = _excess(gap, s)
    winner, loser = (-log1p(s * g) / s, -log1p(s * (g + gap)) / s) if s > 0.0 else (-g, -g - gap)
    odds = exp(t2 * (loser - winner))  # of the escort probabilities
    own = winner if z >= 0.0 else loser
    weight = exp((t2 - t1) * own) * ((odds if z >= 0.0 else 1.0) / (1.0 + odds))
    return power_loss_scalar(own, 1.0 - t1), weight


@kernel
def loss_curve(margin: Any, family: int, first: float, second: float, value: Any, weight: Any) -> None:
    """Loss and weight at some margins."""
    for i in range(len(margin)):
        if family == ALPHA:
            value[i], weight[i], _ = alpha_loss(margin[i], first)
        else:
            value[i], weight[i] = _two_temperatures(margin[i], first, second)


@kernel
def _line_risk(x: Any, y: Any, family: int, first: float, second: float, l2: float, theta: Any, slope: Any,
               margin: Any, value: Any, weight: Any) -> float:  # fmt: skip
    """Mean loss plus penalty of a line, ``theta = (w1, w2, b)``, and its gradient."""
    n, total = len(y), 0.0
    for i in range(n):
        margin[i] = y[i] * (x[0, i] * theta[0] + x[1, i] * theta[1] + theta[2])
    loss_curve(margin, family, first, second, value, weight)
    slope[0], slope[1], slope[2] = 0.0, 0.0, 0.0
    for i in range(n):
        total += value[i]
        pull = -weight[i] * y[i]
        slope[0] += pull * x[0, i]
        slope[1] += pull * x[1, i]
        slope[2] += pull
    for j in range(3):
        slope[j] /= n
    slope[0] += l2 * theta[0]
    slope[1] += l2 * theta[1]
    return total / n + l2 / 2.0 * (theta[0] * theta[0] + theta[1] * theta[1])


@kernel
def _descend_line(x: Any, y: Any, family: int, first: float, second: float, l2: float, theta: Any, margin: Any,
                  value: Any, weight: Any, room: Any) -> Any:  # fmt: skip
    """Quasi-Newton steps of Broyden, Fletcher, Goldfarb and Shanno from ``theta``, in place; the risk, and how many."""
    slope, fresh, trial, step, bend, inverse = room[0], room[1], room[2], room[3], room[4], room[5:8]
    for a in range(3):
        for b in range(3):
            inverse[a, b] = 1.0 if a == b else 0.0
    risk = _line_risk(x, y, family, first, second, l2, theta, slope, margin, value, weight)
    for k in range(300):
        if max(abs(slope[0]), abs(slope[1]), abs(slope[2])) <= 1e-7:
            return risk, k
        descent = 0.0
        for a in range(3):
            step[a] = -(inverse[a, 0] * slope[0] + inverse[a, 1] * slope[1] + inverse[a, 2] * slope[2])
            descent += step[a] * slope[a]
        length, found = 1.0, math.inf
        while length > 1e-14:
            for j in range(3):
                trial[j] = theta[j] + length * step[j]
            found = _line_risk(x, y, family, first, second, l2, trial, fresh, margin, value, weight)
            if found <= risk + 1e-4 * length * descent:
                break
            length *= 0.4
        if not found < risk:  # rounding hides what is left to gain
            return risk, k
        risk, curvature, across = found, 0.0, 0.0
        for j in range(3):
            step[j], bend[j] = trial[j] - theta[j], fresh[j] - slope[j]
            theta[j], slope[j] = trial[j], fresh[j]
            curvature += step[j] * bend[j]
        if curvature > 1e-14:
            for a in range(3):
                trial[a] = inverse[a, 0] * bend[0] + inverse[a, 1] * bend[1] + inverse[a, 2] * bend[2]
            for a in range(3):
                across += trial[a] * bend[a]
            for a in range(3):
                for b in range(3):
                    gained = (1.0 + across / curvature) * step[a] * step[b] - trial[a] * step[b] - step[a] * trial[b]
                    inverse[a, b] += gained / curvature
    return risk, 300


@kernel
def fit_line(x: Any, y: Any, family: int, first: float, second: float, l2: float, theta: Any, margin: Any, value: Any,
             weight: Any, room: Any) -> int:  # fmt: skip
    """The better of two descents, from zero and from the logistic line; the number of steps of both.

    Parameters
    ----------
    x, y : ndarray of shapes (2, n), (n,)
        Points and labels −1/+1.
    family, first, second
        The loss: 0 and α, or 1 and two temperatures.
    l2 : float
        Penalty.
    theta : ndarray of shape (2, 3)
        Filled with the line ``(w1, w2, b)``; the second row is room.
    margin, value, weight : ndarray of shape (n,)
        Filled with margin, loss and weight of each point.
    room : ndarray of shape (8, 3)
    """
    convex, best = theta[1], theta[0]
    for j in range(3):
        convex[j], best[j] = 0.0, 0.0
    _, steps = _descend_line(x, y, ALPHA, 1.0, 0.0, l2, convex, margin, value, weight, room)
    risk, more = _descend_line(x, y, family, first, second, l2, best, margin, value, weight, room)
    other, last = _descend_line(x, y, family, first, second, l2, convex, margin, value, weight, room)
    for j in range(3):
        best[j] = convex[j] if other < risk else best[j]
    _line_risk(x, y, family, first, second, l2, best, room[0], margin, value, weight)
    return steps + more + last
