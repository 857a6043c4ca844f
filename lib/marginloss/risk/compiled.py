r"""The two inner loops of entropy-regularised LPBoost as machine code; imported on first use.

Both work on hundreds to thousands of values at a time, where an array operation costs more to call than to do.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from marginloss._compiled import kernel

__all__ = ["capped_tilt", "simplex_quadratic"]


@kernel
def capped_tilt(z: Any, order: Any, mass: Any, alpha: float, beta: float, weights: Any) -> float:
    r"""Write the weights that attain a smoothed CVaR and return their relative entropy to ``mass``.

    .. math:: w_i = p_i\min\Big\{\frac1\alpha,\, e^{\beta z_i-\theta}\Big\},\qquad \sum_i w_i = 1

    The same as ``cvar_weights(z, alpha, beta, mass)``, for losses ``z`` that ``order`` makes decreasing. The first
    sample below the cap is the first at which the masses before it and the tilted ones from it on,
    :math:`\sum_{i\ge j}p_ie^{\beta(z_i-z_j)}`, make up :math:`\alpha`. The latter come from the end by a recurrence
    whose exponents are not positive: nothing overflows, and beta may be a million.
    """
    n = len(z)
    before, tilted, total, capped = _sum(mass), 0.0, 1.0, n
    for j in range(n - 1, -1, -1):
        here = order[j]
        tilted = mass[here] + (tilted * math.exp(beta * (z[order[j + 1]] - z[here])) if j < n - 1 else 0.0)
        before -= mass[here]
        if before + tilted < alpha:
            break
        total, capped = tilted, j
    left, edge = alpha, z[order[min(capped, n - 1)]]  # the mass left below the cap, free of the rounding of ``before``
    for j in range(capped):
        weights[order[j]] = mass[order[j]]
        left -= mass[order[j]]
    for j in range(capped, n):
        here = order[j]
        weights[here] = mass[here] * min(max(left, 0.0) / total * math.exp(beta * (z[here] - edge)), 1.0)
    scale, price = 1.0 / _sum(weights), 0.0
    for i in range(n):
        weights[i] *= scale
        price += mass[i] * _entropy(weights[i] / mass[i] - 1.0)
    return price


@kernel
def _entropy(d: float) -> float:
    """``(1 + d) log(1 + d) - d``, by its series where that cancels, as in ``relative_entropy``."""
    if abs(d) < 1e-3:
        return d * d * (1 / 2 - d * (1 / 6 - d * (1 / 12 - d * (1 / 20 - d * (1 / 30 - d / 42)))))
    return (1.0 + d) * math.log1p(d) - d if d > -1.0 else 1.0


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
    factor, sides = np.empty((n, n)), np.empty((2, n))
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
        shift = _sum(sides[0, :size]) / _sum(sides[1, :size])
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


@partial(kernel, fastmath=True)
def _dot(left: Any, right: Any) -> float:
    total = 0.0
    for i in range(len(left)):
        total += left[i] * right[i]
    return total


@partial(kernel, fastmath=True)
def _sum(values: Any) -> float:
    total = 0.0
    for i in range(len(values)):
        total += values[i]
    return total
