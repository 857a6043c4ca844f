r"""Newton's method for the log-partition of many rows, compiled; imported on first use, because numba takes a second.

Rows are worked on in blocks, one class of all rows after the other, so that the loops over rows run in vector
registers. Library functions would end that, hence logarithm and exponential as polynomials, to the last digit or two.
"""

from __future__ import annotations

from math import expm1, inf, isinf, isnan, log
from typing import Any

import numpy as np
from numba import njit

__all__ = ["excess_rows"]

MAX_NEWTON = 30
#: Below this, x = expm1(x) = log1p(x) to the last digit, and dividing by a small temperature could not meet subnormals.
TINY = 1e-20
#: Numbers in a block of activations, and the fewest and most rows of it: it should stay in the cache.
BLOCK, FEWEST, MOST = 4096, 8, 64

LN2, LN2_HIGH, LN2_LOW = 0.6931471805599453, 0.693147180369123816490, 1.90821492927058770002e-10
SHIFT = 6755399441055744.0 + 1023.0  # adding it leaves the biased exponent in the lowest bits
ROOT_HALF = 0x3FE6A09E667F3BCD  # bits of the square root of one half
EXPONENT_52 = 0x4330000000000000  # bits of two to the 52; the lowest bits are the integer that is added to it
MIDDLE = 1024 << 52  # keeps the exponent positive, since vector registers shift unsigned numbers only

settings: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "fastmath": {"contract"}}
compiled, inlined = njit(**settings), njit(**settings, inline="always")


@inlined
def _log1p(v: float) -> float:
    """Return ``log(1 + v)`` for ``1 + v`` positive and finite: atanh series of the mantissa between √½ and √2."""
    u = 1 + v
    bits = np.float64(u).view(np.uint64)
    above = (bits - np.uint64(ROOT_HALF) + np.uint64(MIDDLE)) >> np.uint64(52)
    mantissa = np.uint64(bits - (above << np.uint64(52)) + np.uint64(MIDDLE)).view(np.float64)
    exponent = np.uint64(above | np.uint64(EXPONENT_52)).view(np.float64) - (2.0**52 + 1024.0)
    z = (mantissa - 1) / (mantissa + 1)
    q = z * z
    series = q * (1 / 3 + q * (1 / 5 + q * (1 / 7 + q * (1 / 9 + q * (1 / 11 + q * (1 / 13 + q * (
        1 / 15 + q * (1 / 17 + q / 19))))))))  # fmt: skip
    lost = (v - (u - 1)) / u  # what rounding took from 1 + v
    return exponent * LN2 + (2 * z + (2 * z * series + lost))


@inlined
def _exp(level: float) -> tuple[float, float]:
    """Return ``exp`` and ``expm1`` of a number between -700 and 700."""
    shifted = level * (1 / LN2) + SHIFT
    whole = shifted - SHIFT
    f = (level - whole * LN2_HIGH) - whole * LN2_LOW
    power = np.uint64(np.float64(shifted).view(np.uint64) << np.uint64(52)).view(np.float64)
    series = f + f * f * (1 / 2 + f * (1 / 6 + f * (1 / 24 + f * (1 / 120 + f * (1 / 720 + f * (1 / 5040 + f * (
        1 / 40320 + f * (1 / 362880 + f * (1 / 3628800 + f * (1 / 39916800 + f * (
        1 / 479001600 + f / 6227020800)))))))))))  # fmt: skip
    return power + power * series, power * series + (power - 1)


@inlined
def _tempered(x: float, s: float) -> tuple[float, float, float]:
    r"""Return :math:`p = \exp_t(-x)`, :math:`p - 1` and :math:`p^{t-1} = 1/(1 + sx)` for :math:`s = t - 1`."""
    v = s * x
    r = 1 / (1 + v)
    if s == 1:
        return r, -v * r, r
    if s == 0.5:
        return r * r, -v * r * (1 + r), r
    level = -x if abs(v) < TINY else -_log1p(v) / s
    p, less = _exp(max(level, -700.0))
    inside = level > -700 and 1 + v > 0 and x < inf  # else below the finite support of t < 1, or too small to matter
    return (p if inside else 0.0), (less if inside else -1.0), (r if inside else 0.0)


@compiled
def _add_class(gaps: Any, g: Any, s: float, leading: bool, delta: Any, slope: Any, bend: Any) -> None:
    """Add one class to the sum minus one (the leading class brings the minus one) and to its two slopes."""
    for j in range(len(g)):
        p, less, r = _tempered(g[j] + gaps[j], s)
        delta[j] += less if leading else p
        slope[j] += p * r
        bend[j] += p * r * r


@compiled
def _steps(s: float, delta: Any, slope: Any, bend: Any, step: Any) -> None:
    r"""Halley's step on :math:`\log_t` of the sum; Newton's where the former is not to be trusted, or for t < 1."""
    for j in range(len(step)):
        total = 1 + delta[j]
        height = _log1p(delta[j])
        raised = _exp(s * height)[1] / s
        newton = total * (raised if abs(s * height) >= TINY else height) / slope[j]
        curved = (1 + s) / 2 * newton * (bend[j] / slope[j] - slope[j] / total)
        step[j] = newton / (1 - curved) if s > 0 and curved < 0.5 else newton


@compiled
def excess_rows(activations: Any, s: float, excess: Any, iterations: Any) -> None:
    r"""Solve :math:`\sum_c \exp_t(-(g + d_c)) = 1` in each row, :math:`d_c` the distance to its maximum.

    :math:`\log_t` of the sum is convex and falls (a power mean of affine functions), so that Newton climbs from any
    lower bound to the root and needs no safeguard; near it, Halley's step is as cheap and gains a third more digits.
    A row whose maximum is infinite gives NaN.
    """
    n, classes = activations.shape
    top = expm1(s * log(classes)) / s if s != 0 else log(classes)
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


@compiled
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
