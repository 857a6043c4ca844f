"""A small quadratic program on the simplex, as machine code: the Newton step of entropy-regularised LPBoost.

HiGHS solves the same program, but for programs this small its call costs more than the solution: with it, problem (8)
of zhai2021 takes 37 instead of 8 ms at 1000 samples and 30 models.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from marginloss._compiled import kernel

__all__ = ["simplex_quadratic"]


@kernel
def simplex_quadratic(hessian: Any, gradient: Any, start: Any) -> Any:
    """Minimise ``g.(x - s) + (x - s)' H (x - s) / 2`` on the simplex from ``s``, by an active set.

    The free coordinates are kept in the order they came in: the Cholesky factor of their Hessian then changes in its
    last row when one enters, and from its own row on when one leaves.
    """
    n = len(start)
    x, moved, slope = start.copy(), np.zeros(n), gradient.copy()
    free, inside, size = start > 0.0, np.empty(n, dtype=np.int64), 0
    for i in range(n):
        if free[i]:
            inside[size] = i
            size += 1
    factor, sides, ones = np.empty((n, n)), np.empty((2, n)), np.ones(n)
    fresh = 0  # first row of the factor that is out of date
    for _ in range(20 * n + 20):
        _cholesky(hessian, inside, fresh, size, factor)
        # stationarity on the free coordinates with their sum unchanged; slopes agree to many digits near the optimum,
        # so their common part is taken off before the system is solved
        common = 0.0
        for a in range(size):
            common += slope[inside[a]] / size
        for a in range(size):
            sides[0, a], sides[1, a] = slope[inside[a]] - common, 1.0
        _solve(factor, sides[0, :size])
        _solve(factor, sides[1, :size])
        shift = _dot(ones[:size], sides[0, :size]) / _dot(ones[:size], sides[1, :size])
        step, blocking = 1.0, -1
        for a in range(size):
            sides[0, a] = shift * sides[1, a] - sides[0, a]
            if x[inside[a]] + step * sides[0, a] < 0.0:
                step, blocking = -x[inside[a]] / sides[0, a], a
        for a in range(size):
            x[inside[a]] += step * sides[0, a]
            moved[inside[a]] = x[inside[a]] - start[inside[a]]
        if blocking >= 0:
            x[inside[blocking]], moved[inside[blocking]] = 0.0, -start[inside[blocking]]
            free[inside[blocking]] = False
            size -= 1
            for a in range(blocking, size):  # numba takes four seconds to compile a slice moved within its array
                inside[a] = inside[a + 1]
            fresh = blocking
        for i in range(n):
            slope[i] = gradient[i] + _dot(hessian[i], moved)
        if blocking >= 0:
            continue
        lowest, entering = common + shift - 1e-12 * max(1.0, abs(common + shift)), -1
        for i in range(n):
            if not free[i] and slope[i] < lowest:
                lowest, entering = slope[i], i
        if entering < 0:
            break
        free[entering], inside[size], fresh = True, entering, size
        size += 1
    total = 0.0
    for i in range(n):
        x[i] = max(x[i], 0.0)
        total += x[i]
    return x / total


@kernel
def _cholesky(matrix: Any, chosen: Any, first: int, size: int, factor: Any) -> None:
    """Rows from ``first`` on of the lower factor of ``matrix[chosen][:, chosen]``; the rows above are up to date."""
    for a in range(first, size):
        for b in range(a + 1):
            rest = matrix[chosen[a], chosen[b]] - _dot(factor[a, :b], factor[b, :b])
            # the ridge of the caller makes pivots positive; a pivot that rounding has eaten must not divide
            factor[a, b] = rest / factor[b, b] if b < a else math.sqrt(max(rest, 1e-300))


@kernel
def _solve(factor: Any, side: Any) -> None:
    """Solve ``factor factor' x = side`` in place."""
    size = len(side)
    for a in range(size):
        side[a] = (side[a] - _dot(factor[a, :a], side[:a])) / factor[a, a]
    for a in range(size - 1, -1, -1):
        side[a] /= factor[a, a]
        for b in range(a):
            side[b] -= side[a] * factor[a, b]


@kernel
def _dot(left: Any, right: Any) -> float:
    """In one order on every processor: four sums side by side."""
    a, b, c, d, n = 0.0, 0.0, 0.0, 0.0, len(left) - len(left) % 4
    for i in range(0, n, 4):
        a += left[i] * right[i]
        b += left[i + 1] * right[i + 1]
        c += left[i + 2] * right[i + 2]
        d += left[i + 3] * right[i + 3]
    for i in range(n, len(left)):
        a += left[i] * right[i]
    return (a + b) + (c + d)
