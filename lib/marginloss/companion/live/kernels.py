"""The compiled functions that the live figures call, made of the library's formulas; imported for a build, or by tests.

All of them write into arrays that they are given, and allocate nothing: that keeps the modules of the pages small.
"""

from __future__ import annotations

import math
from typing import Any

from marginloss._compiled import helper, kernel
from marginloss.boosting.stump_rounds import stump_rounds, weigh_odds
from marginloss.losses.base import power_loss_scalar
from marginloss.losses.elementary import LN2, exp, exp_and_expm1, log1p
from marginloss.losses.margin import log_alpha_weight_scalar
from marginloss.losses.newton import log_partition_step_scalar, tempered_powers_scalar

__all__ = ["FIGURES"]

ALPHA, TWO_TEMPERATURES = 0, 1  # families of losses: their parameters are (alpha, -) and (t1, t2)


@helper
def _alpha_loss(z: float, alpha: float) -> Any:
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
            value[i], weight[i], _ = _alpha_loss(margin[i], first)
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


@kernel
def replay(signs: Any, label: Any, truth: Any, kind: Any, record: Any, begin: int, end: int, exponent: float,
           score: Any, weight: Any, right: Any) -> None:  # fmt: skip
    """Add rounds of a booster over stumps to the scores, and look at all examples after each.

    Parameters
    ----------
    signs : ndarray of shape (d, n)
        Features −1/+1.
    label, truth : ndarray of shape (n,)
        Labels −1/+1 that the booster saw, and true ones.
    kind : ndarray of shape (n,)
        Which of the kinds of examples each is.
    record : ndarray of shape (10, T + 1)
        What :func:`~marginloss.boosting.stump_rounds.stump_rounds` wrote.
    begin, end : int
        Rounds to add.
    exponent : float
        Of the loss, ``1 - 1/alpha``.
    score : ndarray of shape (n,)
        Changed.
    weight : ndarray of shape (n,)
        Filled with the weights after the last round.
    right : ndarray of shape (k, T)
        Filled with the number of examples of each kind on the right side of their true label.
    """
    for t in range(begin, end):
        theta, feature = record[0, t], int(record[5, t])
        low, high = theta * record[7, t], theta * record[8, t]
        if feature < 0:
            feature, low, high = 0, theta * record[6, t], theta * record[6, t]
        for k in range(len(right)):
            right[k, t] = 0.0
        for i in range(len(score)):
            score[i] += high if signs[feature, i] > 0 else low
            right[kind[i], t] += 1.0 if score[i] * truth[i] > 0.0 else 0.0
    for i in range(len(score)):
        weight[i] = _alpha_loss(label[i] * score[i], 1.0 / (1.0 - exponent))[1]


@kernel
def _landscape(theta1: float, theta2: float, alpha: float, odds: float, gamma: float, out: Any) -> float:
    """Risk on the Long–Servedio points times 4(N+1); its gradient and Hessian into ``out``, five numbers."""
    risk = 0.0
    for j in range(5):
        out[j] = 0.0
    for k in range(3):  # large margin, puller, two penalizers
        a, b = (1.0, 0.0) if k == 0 else (gamma, 5.0 * gamma if k == 1 else -gamma)
        count = 2.0 if k == 2 else 1.0
        margin = a * theta1 + b * theta2
        value, weight, bend = _alpha_loss(margin, alpha)
        wrong, pull, back = _alpha_loss(-margin, alpha)
        risk += count * (odds * value + wrong)
        slope, curve = count * (pull - odds * weight), count * (odds * bend + back)
        out[0] += slope * a
        out[1] += slope * b
        out[2] += curve * a * a
        out[3] += curve * a * b
        out[4] += curve * b * b
    return risk


@kernel
def surface(alpha: float, odds: float, gamma: float, theta1: Any, theta2: Any, out: Any) -> None:
    """Risk at all points of a grid; the last five places of the last row are room."""
    room = out[len(theta2)]
    for i in range(len(theta2)):
        for j in range(len(theta1)):
            out[i, j] = _landscape(theta1[j], theta2[i], alpha, odds, gamma, room)


@kernel
def roll(alpha: float, odds: float, gamma: float, path: Any, room: Any) -> int:
    """Follow the gradient flow from ``path[:, 0]`` to where it ends; the number of points of the path.

    The linearly implicit steps of ``marginloss.theory.sypherd2023.long_servedio.Landscape.descend``.
    """
    x, y, h, reach, count = path[0, 0], path[1, 0], 0.1, 0.25, 1
    risk = _landscape(x, y, alpha, odds, gamma, room)
    for _ in range(20000):
        a, b, d = room[2], room[3], room[4]
        lowest = (a + d) / 2.0 - math.sqrt((a - d) * (a - d) / 4.0 + b * b)
        damping = max(1.0 / h, -2.0 * lowest if lowest < 0.0 else 0.0)
        a, d = a + damping, d + damping
        det = max(a * d - b * b, 1e-300)
        u, v = (b * room[1] - d * room[0]) / det, (b * room[0] - a * room[1]) / det
        length = math.sqrt(u * u + v * v)
        short = min(1.0, reach / max(length, 1e-300))
        then = _landscape(x + short * u, y + short * v, alpha, odds, gamma, room)
        if then <= risk + 1e-14 * abs(risk):  # at rest, rounding must not look like a rise
            x, y, risk = x + short * u, y + short * v, then
            if length < reach:
                if length < 1e-7 and h > 1e6:
                    break
                h = min(h * 1.5, 1e60)
            if count < path.shape[1]:
                path[0, count], path[1, count] = x, y
                count += 1
        else:
            h /= 4.0
            _landscape(x, y, alpha, odds, gamma, room)
            if h < 1e-12:
                break
    path[0, count - 1], path[1, count - 1] = x, y
    return count


@kernel
def anneal(alphas: Any, odds: float, gamma: float, path: Any, flow: Any, room: Any) -> None:
    """Minima that the flow reaches while α takes these values one after the other, each from where the last one led."""
    for k in range(len(alphas)):
        flow[0, 0], flow[1, 0] = path[0, max(k - 1, 0)], path[1, max(k - 1, 0)]
        last = roll(alphas[k], odds, gamma, flow, room) - 1
        path[0, k], path[1, k] = flow[0, last], flow[1, last]


@kernel
def boost_plane(x: Any, y: Any, radius: float, gamma: float, kappa: float, target: float, rounds: int, hypothesis: Any,
                margin: Any, weight: Any, record: Any) -> int:  # fmt: skip
    """Boost the average signed example of the plane, by AdaBoost or by SmoothBoost; the number of rounds.

    Parameters
    ----------
    x, y : ndarray of shapes (2, n), (n,)
        Points and labels −1/+1.
    radius : float
        Of the smallest disc around zero that holds all points.
    gamma : float
        Advantage of the weak learner that SmoothBoost counts on; 0 for AdaBoost.
    kappa : float
        SmoothBoost stops when the mean weight falls below it.
    target : float
        SmoothBoost's margin θ.
    rounds : int
        At most so many.
    hypothesis : ndarray of shape (2,)
        Filled with the voted hypothesis, of length 1.
    margin : ndarray of shape (n,)
        Filled with normalised margins.
    weight : ndarray of shape (n,)
        Filled with the last distribution.
    record : ndarray of shape (2, T)
        Filled with the edge and the largest weight times n of each round.
    """
    n, decay = len(y), 0.5 * log1p(-gamma)
    w1, w2, votes, done = 0.0, 0.0, 0.0, 0
    for i in range(n):
        margin[i] = 0.0
    for t in range(rounds):
        total, top, low = 0.0, 0.0, margin[0]
        for i in range(1, n):
            low = min(low, margin[i])
        for i in range(n):
            weight[i] = exp(low - margin[i]) if gamma == 0.0 else exp(decay * max(margin[i], 0.0))
            total += weight[i]
            top = max(top, weight[i])
        for i in range(n):
            weight[i] /= total
        if gamma > 0.0 and total < kappa * n:
            break
        z1, z2 = 0.0, 0.0
        for i in range(n):
            z1 += weight[i] * y[i] * x[0, i]
            z2 += weight[i] * y[i] * x[1, i]
        norm = math.sqrt(z1 * z1 + z2 * z2)
        edge = norm / radius
        record[0, t], record[1, t], done = edge, n * top / total, t + 1
        if edge < 1e-9:
            break
        step = 1.0 if gamma > 0.0 else 0.5 * log1p(2.0 * edge / (1.0 - min(edge, 1.0 - 1e-12)))
        z1, z2, votes = step * z1 / norm, step * z2 / norm, votes + step
        w1, w2 = w1 + z1, w2 + z2
        for i in range(n):
            margin[i] += y[i] * (z1 * x[0, i] + z2 * x[1, i]) / radius - (target * step if gamma > 0.0 else 0.0)
    norm = max(math.sqrt(w1 * w1 + w2 * w2), 1e-300)
    hypothesis[0], hypothesis[1] = w1 / norm, w2 / norm
    for i in range(n):
        margin[i] = y[i] * (w1 * x[0, i] + w2 * x[1, i]) / (radius * max(votes, 1e-300))
    return done


_F, _ROW, _TABLE = "float64", "float64[::1]", "float64[:, ::1]"
_LOSS = f"int64, {_F}, {_F}"

#: What each figure calls, and the signature of each.
FIGURES: dict[str, dict[str, tuple[Any, str]]] = {
    "drag": {
        "fit_line": (fit_line, f"({_TABLE}, {_ROW}, {_LOSS}, {_F}, {_TABLE}, {_ROW}, {_ROW}, {_ROW}, {_TABLE})"),
        "loss_curve": (loss_curve, f"({_ROW}, {_LOSS}, {_ROW}, {_ROW})"),
    },
    "boost": {
        "weigh_odds": (weigh_odds, f"({_F}, {_ROW}, {_ROW}, {_ROW}, {_ROW}, {_TABLE}, int64)"),
        "stump_rounds": (
            stump_rounds,
            f"(int8[:, ::1], int64, {_ROW}, boolean, {_F}, {_F}, int64, int64, {_TABLE}, {_ROW}, {_ROW}, {_ROW})",
        ),
        "replay": (
            replay,
            f"(int8[:, ::1], {_ROW}, {_ROW}, uint8[::1], {_TABLE}, int64, int64, {_F}, {_ROW}, {_ROW}, {_TABLE})",
        ),
    },
    "roll": {
        "surface": (surface, f"({_F}, {_F}, {_F}, {_ROW}, {_ROW}, {_TABLE})"),
        "roll": (roll, f"({_F}, {_F}, {_F}, {_TABLE}, {_ROW})"),
        "anneal": (anneal, f"({_ROW}, {_F}, {_F}, {_TABLE}, {_TABLE}, {_ROW})"),
    },
    "poison": {
        "boost_plane": (
            boost_plane,
            f"({_TABLE}, {_ROW}, {_F}, {_F}, {_F}, {_F}, int64, {_ROW}, {_ROW}, {_ROW}, {_TABLE})",
        ),
    },
}
