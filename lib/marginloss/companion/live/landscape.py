"""The noisy risk on the Long–Servedio points, and a ball that rolls down it."""

from __future__ import annotations

import math
from typing import Any

from marginloss._compiled import kernel
from marginloss.companion.live.lines import alpha_loss

__all__ = ["anneal", "roll", "surface"]


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
        value, weight, bend = alpha_loss(margin, alpha)
        wrong, pull, back = alpha_loss(-margin, alpha)
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
