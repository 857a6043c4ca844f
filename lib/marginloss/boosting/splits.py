"""Machine code that finds the best cut of a feature, or of all; see :mod:`marginloss.boosting.grow` for who asks.

Loops instead of array expressions, here and in the other modules of machine code: an expression of NumPy takes a
second to compile, and whoever fits a first model waits for it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marginloss._compiled import helper, kernel

__all__ = ["best_of_lists", "best_of_many", "best_of_two", "purity"]


@kernel
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


# Functions of one feature find its best cut if that is better than ``best``, else a cut of -1. Better means by more
# than rounding: ties must not be broken by the order in which weights were added. Between two occupied bins with
# empty ones in between, the boundary halfway is taken. For two classes, purity is (weight + excess^2 / weight) / 2,
# where the excess is the weight of class 1 minus that of class 0; no division is needed to see whether a cut is
# better.


@helper
def _is_better(inside: float, excess: float, outside: float, rest: float, by_error: bool, bar: float) -> bool:
    if by_error:
        return abs(excess) + abs(rest) > bar
    return outside > 0 and excess * excess * outside + rest * rest * inside > bar * inside * outside


@helper
def _score(inside: float, excess: float, outside: float, rest: float, by_error: bool) -> float:
    return abs(excess) + abs(rest) if by_error else excess * excess / inside + rest * rest / outside


@kernel
def best_of_lists(lists: Any, coded: Any, weight: Any, signed: Any, total: Any, by_error: bool, sums: Any) -> Any:
    """Best cut of all features, two classes: score, feature and cut, the last two -1 if there is none.

    ``lists`` holds the rows of a node in the order of each feature, ``signed`` the weights times the labels ±1, and
    ``sums`` is room for four numbers a row. Few features have a cut better than all before them, so sums alone decide
    whether to look at one closely. They are made for two features at once, since each waits for the one before.
    """
    whole, surplus, best, chosen, split = total[0] + total[1], total[1] - total[0], -np.inf, -1, -1
    last = len(lists) - 1
    for f in range(0, len(lists), 2):
        _running_sums(lists[f], lists[min(f + 1, last)], weight, signed, sums)
        for k in range(f, min(f + 2, last + 1)):
            bar = 2 * (best + 1e-12 * whole) - whole
            if _any_better(sums[2 * (k - f)], sums[2 * (k - f) + 1], lists.shape[1] - 1, whole, surplus, by_error, bar):
                score, cut = _best_of_ranked(lists[k], coded[k], weight, total, by_error, best)
                if cut >= 0:
                    best, chosen, split = score, k, cut
    return best, chosen, split


@kernel
def _running_sums(one: Any, two: Any, weight: Any, signed: Any, sums: Any) -> None:
    """Weight and excess up to each row of two lists."""
    inside_1, excess_1, inside_2, excess_2 = 0.0, 0.0, 0.0, 0.0
    for i in range(len(one)):
        inside_1 += weight[one[i]]
        excess_1 += signed[one[i]]
        inside_2 += weight[two[i]]
        excess_2 += signed[two[i]]
        sums[0, i], sums[1, i], sums[2, i], sums[3, i] = inside_1, excess_1, inside_2, excess_2


@kernel
def _any_better(inside: Any, excess: Any, cuts: int, whole: float, surplus: float, by_error: bool, bar: float) -> bool:
    """Whether a cut after any of the rows would be better, if two rows of one bin could be parted."""
    better = 0
    if by_error:
        for i in range(cuts):
            better += abs(excess[i]) + abs(surplus - excess[i]) > bar
    else:
        for i in range(cuts):
            outside, rest = whole - inside[i], surplus - excess[i]
            better += excess[i] * excess[i] * outside + rest * rest * inside[i] > bar * inside[i] * outside
    return better > 0


@kernel
def _best_of_ranked(rows: Any, column: Any, weight: Any, total: Any, by_error: bool, best: float) -> Any:
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


@kernel
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


@kernel
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
