"""Compiled kernels of the tempered functions; imported on first use, because numba takes a second."""

from __future__ import annotations

from math import exp, expm1, inf, isinf, isnan, log, log1p
from typing import Any

import numpy as np
from numba import njit

__all__ = ["excess_rows", "hermite_lookup", "hermite_node"]

#: Intervals of a Hermite table in each octave of 1 + |margin|; 2 to the power of this.
OCTAVE_BITS = 7
MAX_NEWTON = 30
#: Below this, x = expm1(x) = log1p(x) to the last digit, and dividing by a small temperature could not meet subnormals.
TINY = 1e-20


@njit(cache=True, nogil=True, error_model="numpy")
def excess_rows(activations: Any, s: float, excess: Any, iterations: Any) -> None:
    r"""Solve :math:`\sum_c \exp_t(-(g + d_c)) = 1` in each row, :math:`d_c` the distance to its maximum, by Newton.

    :math:`\log_t` of the sum is convex and falls (a power mean of affine functions), so that Newton climbs from any
    lower bound to the root and needs no safeguard. One logarithm and one exponential a class and step:
    :math:`\exp_t(x)^{t-1}` is the reciprocal of the affine term. A row whose maximum is infinite gives NaN.
    """
    n, classes = activations.shape
    top = expm1(s * log(classes)) / s if s != 0 else log(classes)
    for i in range(n):
        row = activations[i]
        best, total = 0, 0.0
        for c in range(classes):
            if row[c] > row[best]:
                best = c
            total += row[c]
        largest = row[best]
        g = max(0.0, top - (largest - total / classes)) if total > -inf else 0.0
        if isnan(total) or isinf(largest):
            g = np.nan
        previous = 0.0
        k = 0
        while k < MAX_NEWTON and not isnan(g):
            k += 1
            delta = 0.0  # the sum minus one, the leading class through expm1, so that nothing cancels
            slope = 0.0
            for c in range(classes):
                x = g + (largest - row[c])
                u = 1 + s * x if s != 0 else 1.0
                if u <= 0:  # below the finite support of t < 1
                    continue
                r = 1 / u
                if c == best:
                    # log1p from log: the second term restores what rounding of 1 + s x lost
                    level = -(log(u) - ((u - 1) - s * x) * r) / s if abs(s * x) >= TINY else -x
                    delta += expm1(level)
                    slope += exp(level) * r
                    continue
                if s == 1:
                    p = r
                elif s == 0.5:
                    p = r * r
                elif s == 0 or abs(s * x) < TINY:
                    p = exp(-x)
                else:
                    p = exp(-(log(u) - (((u - 1) - s * x) * r if r > 0 else 0.0)) / s)
                delta += p
                slope += p * r
            height = log1p(delta)
            if abs(s * height) >= TINY:
                height = expm1(s * height) / s
            step = (1 + delta) * height / slope
            if isnan(step) or (k > 1 and step <= 0):  # below zero there is only rounding
                break
            g += step
            if step <= 4e-16 * g:
                break
            if step <= 1e-8 * g and k > 1 and step > 0.1 * previous:  # no longer quadratic: rounding of a long sum
                break
            # quadratic convergence: the next step would be about step^3 / previous^2
            if k > 1 and 16 * step * (step / previous) * (step / previous) <= 1e-16 * g:
                break
            previous = step
        excess[i] = g
        iterations[i] = k


@njit(cache=True, nogil=True, error_model="numpy")
def hermite_node(index: int) -> float:
    """Left end of interval ``index`` of the grid that is uniform in each octave of ``1 + |margin|``."""
    octave = index >> OCTAVE_BITS
    step = index & ((1 << OCTAVE_BITS) - 1)
    return 2.0**octave * (1 + step / (1 << OCTAVE_BITS)) - 1


@njit(cache=True, nogil=True, error_model="numpy")
def hermite_lookup(margin: Any, table: Any, out: Any) -> bool:
    """Quintic of the interval of each ``|margin|``; the interval is read off the bits of ``1 + |margin|``.

    Returns whether all margins lay in the table; the others are left as NaN.
    """
    shift = 52 - OCTAVE_BITS
    first = 1023 << OCTAVE_BITS
    scale = 2.0**-shift
    mask = (1 << shift) - 1
    complete = True
    for i in range(len(margin)):
        bits = np.float64(1 + abs(margin[i])).view(np.int64)
        k = (bits >> shift) - first
        if 0 <= k < len(table):  # NaN and infinity have the largest exponent
            w = (bits & mask) * scale
            c = table[k]
            out[i] = c[0] + w * (c[1] + w * (c[2] + w * (c[3] + w * (c[4] + w * c[5]))))
        else:
            out[i] = np.nan
            complete = False
    return complete
