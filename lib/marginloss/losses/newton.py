r"""Newton's method for the log-partition :math:`G_t` of many rows.

Rows are worked on in blocks, one class of all rows after the other, so that the loops over rows run in vector
registers.
"""

from __future__ import annotations

from math import inf, isinf, isnan
from typing import Any

import numpy as np

from marginloss._compiled import helper, kernel
from marginloss.losses.base import Array, power_loss
from marginloss.losses.elementary import exp_and_expm1, log, log1p

__all__ = [
    "excess_rows",
    "log_partition_step",
    "log_partition_step_scalar",
    "tempered_powers",
    "tempered_powers_scalar",
]

MAX_NEWTON = 30
#: Below this, x = expm1(x) = log1p(x) to the last digit, and dividing by a small temperature could not meet subnormals.
TINY = 1e-20
#: Numbers in a block of activations, and the fewest and most rows of it: it should stay in the cache.
BLOCK, FEWEST, MOST = 4096, 8, 64


def tempered_powers(x: Array, s: float) -> tuple[Array, Array, Array]:
    r"""Return :math:`p = \exp_t(-x)`, :math:`p - 1` and :math:`p^{t-1} = 1/(1 + sx)` for :math:`s = t - 1`."""
    rate = np.maximum(1 + s * x, 0.0)
    level = -x if s == 0 else -np.log1p(np.maximum(s * x, -1.0)) / s
    return np.exp(level), np.expm1(level), np.where(rate > 0, 1 / rate, 0.0)


@helper
def tempered_powers_scalar(x: float, s: float) -> tuple[float, float, float]:
    """One number of :func:`tempered_powers`; closed powers at t = 2 and 3/2."""
    v = s * x
    r = 1 / (1 + v)
    if s == 1:
        return r, -v * r, r
    if s == 0.5:
        return r * r, -v * r * (1 + r), r
    level = -x if abs(v) < TINY else -log1p(v) / s
    p, less = exp_and_expm1(max(level, -700.0))
    inside = level > -700 and 1 + v > 0 and x < inf  # else below the finite support of t < 1, or too small to matter
    return (p if inside else 0.0), (less if inside else -1.0), (r if inside else 0.0)


def log_partition_step(delta: Array, slope: Array, bend: Array, s: float) -> Array:
    r"""Step of Newton's method towards :math:`G_t`, the root of :math:`S(G) = \sum_c \exp_t(a_c - G) = 1`.

    .. math:: G \leftarrow G + \frac{S^t \log_t S}{\sum_c p_c^t},\qquad p_c = \exp_t(a_c - G)

    solves :math:`\log_t S(G) = 0`, which is convex in ``G``; for :math:`t > 1` with Halley's correction, where that is
    to be trusted. At the temperature :math:`t = 1 + s`, from :math:`\delta = S - 1`, the slope :math:`\sum_c p_c^t` and
    the bend :math:`\sum_c p_c^{2t-1}`.
    """
    total = 1 + delta
    newton = -total * power_loss(np.log1p(delta), s) / slope  # S^t log_t S = S (S^s - 1)/s
    curved = (1 + s) / 2 * newton * (bend / slope - slope / total)
    return np.where((s > 0) & (curved < 0.5), newton / (1 - curved), newton)


@helper
def log_partition_step_scalar(delta: float, slope: float, bend: float, s: float) -> float:
    """One number of :func:`log_partition_step`."""
    total, height = 1 + delta, log1p(delta)
    raised = exp_and_expm1(s * height)[1] / s if abs(s * height) >= TINY else height
    newton = total * raised / slope
    curved = (1 + s) / 2 * newton * (bend / slope - slope / total)
    return newton / (1 - curved) if s > 0 and curved < 0.5 else newton


@kernel
def _add_class(gaps: Any, g: Any, s: float, leading: bool, delta: Any, slope: Any, bend: Any) -> None:
    """Add one class to the sum minus one (the leading class brings the minus one) and to its two slopes."""
    for j in range(len(g)):
        p, less, r = tempered_powers_scalar(g[j] + gaps[j], s)
        delta[j] += less if leading else p
        slope[j] += p * r
        bend[j] += p * r * r


@kernel
def _steps(s: float, delta: Any, slope: Any, bend: Any, step: Any) -> None:
    for j in range(len(step)):
        step[j] = log_partition_step_scalar(delta[j], slope[j], bend[j], s)


@kernel
def excess_rows(activations: Any, s: float, excess: Any, iterations: Any) -> None:
    r"""Solve :math:`\sum_c \exp_t(-(g + d_c)) = 1` in each row, :math:`d_c` the distance to its maximum.

    :math:`\log_t` of the sum is convex and falls (a power mean of affine functions), so that Newton climbs from any
    lower bound to the root and needs no safeguard; near it, Halley's step is as cheap and gains a third more digits.
    A row whose maximum is infinite gives NaN.
    """
    n, classes = activations.shape
    top = exp_and_expm1(s * log(float(classes)))[1] / s if s != 0 else log(float(classes))
    rows = max(FEWEST, min(MOST, BLOCK // classes))
    gaps = np.empty((classes, rows))
    sums, step, previous, open_ = np.empty((3, rows)), np.empty(rows), np.empty(rows), np.empty(rows, dtype=np.bool_)
    for first in range(0, n, rows):
        count = min(rows, n - first)
        g = excess[first : first + count]
        left = 0
        for j in range(count):
            g[j] = _spread(activations[first + j], gaps, j, top)
            open_[j] = not isnan(g[j])
            left += open_[j]
            iterations[first + j] = 0
        k = 0
        while left > 0 and k < MAX_NEWTON:
            k += 1
            sums[:] = 0.0
            for c in range(classes):
                _add_class(gaps[c, :count], g, s, c == 0, sums[0, :count], sums[1, :count], sums[2, :count])
            _steps(s, sums[0], sums[1], sums[2], step[:count])
            for j in range(count):
                if not open_[j]:
                    continue
                iterations[first + j] = k
                moved, before = abs(step[j]), previous[j]
                if not isnan(moved):
                    g[j] = max(g[j] + step[j], 0.0)
                previous[j] = moved
                if k > 1 and moved > 4e-16 * g[j]:
                    # the order of convergence tells the next step; one that does not shrink is rounding of a long sum
                    shrunk = moved / before
                    next_ = moved * shrunk**3 if s > 0 else moved * shrunk**2
                    open_[j] = 64 * next_ > 1e-16 * g[j] and not (moved <= 1e-8 * g[j] and shrunk > 0.1)
                else:
                    open_[j] = moved > 4e-16 * g[j]
                left -= not open_[j]


@kernel
def _spread(row: Any, gaps: Any, j: int, top: float) -> float:
    """Write the distances of a row below its maximum into a column, maximum first; return a bound below the root."""
    best, total = 0, 0.0
    for c in range(len(row)):
        if row[c] > row[best]:
            best = c
        total += row[c]
    largest = row[best]
    if isnan(total) or isinf(largest):
        gaps[:, j] = 0.0
        return np.nan
    for c in range(len(row)):
        gaps[c, j] = largest - row[c]
    gaps[best, j] = gaps[0, j]
    gaps[0, j] = 0.0
    return max(0.0, top - (largest - total / len(row))) if total > -inf else 0.0
