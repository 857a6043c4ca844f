"""Machine code that finds the best cut of one feature; see :mod:`marginalia.boosting.grow` for who asks.

Loops in the place of array expressions, here and in the other modules of machine code: an expression of NumPy takes a
second to compile, and whoever fits a first model waits for it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["best_of_many", "best_of_ranked", "best_of_two", "purity"]


@njit(nogil=True, cache=True, error_model="numpy")
def purity(total: Any, by_error: bool) -> float:
    """What a split makes large, summed over its sides: heaviest class, or squared class weights over weight."""
    weight, heaviest, squares = 0.0, 0.0, 0.0
    for c in range(len(total)):
        weight += total[c]
        heaviest = max(heaviest, total[c])
        squares += total[c] * total[c]
    if by_error:
        return heaviest
    return squares / weight if weight > 0 else 0.0


# The next three find the best cut of one feature if it is better than ``best``, else a cut of -1. Better means by more
# than rounding: ties must not be broken by the order in which weights were added. Between two occupied bins with empty
# ones in between, the boundary halfway is taken. For two classes, purity is (weight + excess^2 / weight) / 2, where the
# excess is the weight of class 1 minus that of class 0; no division is needed to see whether a cut is better.


@njit(nogil=True, cache=True, error_model="numpy", inline="always")
def _is_better(inside: float, excess: float, outside: float, rest: float, by_error: bool, bar: float) -> bool:
    if by_error:
        return abs(excess) + abs(rest) > bar
    return outside > 0 and excess * excess * outside + rest * rest * inside > bar * inside * outside


@njit(nogil=True, cache=True, error_model="numpy", inline="always")
def _score(inside: float, excess: float, outside: float, rest: float, by_error: bool) -> float:
    return abs(excess) + abs(rest) if by_error else excess * excess / inside + rest * rest / outside


@njit(nogil=True, cache=True, error_model="numpy")
def best_of_ranked(rows: Any, column: Any, weight: Any, total: Any, by_error: bool, best: float) -> Any:
    """Two classes, rows in the order of their bins."""
    whole, surplus, split, last = total[0] + total[1], total[1] - total[0], -1, -1
    rounding = 1e-12 * whole
    bar = 2 * (best + rounding) - whole
    inside, excess = 0.0, 0.0
    for i in range(len(rows)):
        row = rows[i]
        here = weight[row]
        if here == 0.0:
            continue
        code: Any = np.int64(column[row])
        if code >> 1 != last:
            outside, rest = whole - inside, surplus - excess
            if last >= 0 and _is_better(inside, excess, outside, rest, by_error, bar):
                score = _score(inside, excess, outside, rest, by_error)
                best, bar, split = (whole + score) / 2, score + 2 * rounding, (last + (code >> 1) - 1) // 2
            last = code >> 1
        inside += here
        excess += here * (2 * (code & 1) - 1)
    return best, split


@njit(nogil=True, cache=True, error_model="numpy")
def best_of_two(histogram: Any, n_bins: int, total: Any, by_error: bool, best: float) -> Any:
    """Two classes."""
    whole, surplus, split, last = total[0] + total[1], total[1] - total[0], -1, -1
    rounding = 1e-12 * whole
    bar = 2 * (best + rounding) - whole
    inside, excess = 0.0, 0.0
    for bin_ in range(n_bins):
        first, second = histogram[2 * bin_], histogram[2 * bin_ + 1]
        here = first + second
        if here == 0.0:
            continue
        outside, rest = whole - inside, surplus - excess
        if last >= 0 and _is_better(inside, excess, outside, rest, by_error, bar):
            score = _score(inside, excess, outside, rest, by_error)
            best, bar, split = (whole + score) / 2, score + 2 * rounding, (last + bin_ - 1) // 2
        inside += here
        excess += second - first
        last = bin_
    return best, split


@njit(nogil=True, cache=True, error_model="numpy")
def best_of_many(histogram: Any, n_bins: int, total: Any, by_error: bool, best: float, side: Any) -> Any:
    """Any number of classes; ``side`` is room for the class weights on both sides of a cut."""
    k, split, last, rounding = len(total), -1, -1, 0.0
    for c in range(k):
        side[0, c], side[1, c] = 0.0, total[c]
        rounding += 1e-12 * total[c]
    for bin_ in range(n_bins):
        occupied = False
        for c in range(k):
            occupied = occupied or histogram[k * bin_ + c] != 0.0
        if not occupied:
            continue
        if last >= 0:
            score = purity(side[0], by_error) + purity(side[1], by_error)
            if score > best + rounding:
                best, split = score, (last + bin_ - 1) // 2
        for c in range(k):
            side[0, c] += histogram[k * bin_ + c]
            side[1, c] = total[c] - side[0, c]
        last = bin_
    return best, split
