"""Tempered functions: accuracy of the log-partition, curvature over the temperatures, risk on the simplex."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from marginloss.losses import TwoTemperatureLoss
from marginloss.losses.log_partition import excess, log_exp_t
from marginloss.losses.tempered import log_t
from marginloss.theory.amid2019.fixed_point import fixed_point_updates
from marginloss.theory.amid2019.iterations import hardest_rows, totals_after

Array = NDArray[np.float64]


def partition_accuracy(classes: int, t: float) -> dict[str, float]:
    """How the paper's fixed point and Newton do at one temperature, worst over one class against all others.

    ``updates`` of Algorithm 1 to an error of 1e-10; ``five_total``, the sum of the probabilities after five updates;
    ``newton`` steps to rounding, and ``newton_error``, how far the sum is from one then.
    """
    gaps = hardest_rows(classes, t)
    root, steps = excess(gaps, t, return_iterations=True)
    totals = np.exp(log_exp_t(-(root[:, None] + gaps), t)).sum(axis=1)
    return {
        "updates": int(fixed_point_updates(gaps, t).max()),
        "five_total": float(totals_after(5, gaps, t).max()),
        "newton": int(steps.max()),
        "newton_error": float(np.abs(totals - 1).max()),
    }


def curvature_map(temperatures: Array, n_margins: int = 801) -> Array:
    """Smallest second derivative of the binary loss inside its support, one row for each t2, one column for each t1."""
    found = np.empty((len(temperatures), len(temperatures)))
    for i, t2 in enumerate(temperatures):
        reach = 40.0 if t2 >= 1 else 0.999 / (1 - t2)
        margins = np.linspace(-reach, reach, n_margins)
        for j, t1 in enumerate(temperatures):
            found[i, j] = TwoTemperatureLoss(t1, t2).derivative(margins, 2).min()
    return found


def simplex_risk(p: Array, t1: float, resolution: int = 60) -> tuple[Array, Array]:
    """Expected loss under ``p`` at model probabilities on a grid inside the triangle; t2 moves no point of it."""
    steps = np.arange(1, resolution)
    a, b = np.meshgrid(steps, steps, indexing="ij")
    inside = a + b < resolution
    points = np.stack([a[inside], b[inside], resolution - a[inside] - b[inside]], axis=1) / resolution
    return points, -log_t(points, t1) @ p


def in_triangle(points: Array) -> tuple[Array, Array]:
    """Plane coordinates of three probabilities: the corners are those of an equilateral triangle."""
    return points[..., 1] + points[..., 2] / 2, points[..., 2] * 3**0.5 / 2
