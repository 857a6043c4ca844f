"""Machine code that grows, applies and sums trees; see :mod:`marginalia.boosting.trees` for what it computes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["apply", "grow", "new_nodes", "vote"]

AT_ONCE = 4  # histograms filled in one pass over the rows


@njit(nogil=True, cache=True, error_model="numpy")
def new_nodes(size: int) -> Any:
    """Room for so many nodes: feature, threshold, left child, value, gain."""
    return np.empty(size, np.int32), np.empty(size), np.empty(size, np.int32), np.empty(size), np.empty(size)


@njit(nogil=True, cache=True, error_model="numpy")
def grow(coded: Any, ranked: Any, y: Any, n_bins: Any, cuts: Any, start: Any, k: int, weight: Any, max_depth: int,
         by_error: bool, mean_leaf: bool, nodes: Any, first: int, output: Any) -> int:  # fmt: skip
    """Grow one tree into ``nodes`` from position ``first`` on; write the answer for each row; return the tree's size.

    ``coded`` holds ``k * bin + class``. ``ranked`` lists the rows by bin for each feature, if there are about as many
    bins as rows; the lists are split with the nodes, so that a node reads its own rows only. With few bins it is empty,
    and a histogram does the sorting. Children are numbered from the root of their own tree. Among equal splits the
    first feature and the lowest cut win.
    """
    feature, threshold, left, value, gain = nodes
    n_features, n = coded.shape
    lists = len(ranked)
    order = ranked
    if lists and max_depth > 1:
        order = ranked.copy()
    elif max_depth > 1:
        order = np.arange(n).astype(ranked.dtype).reshape(1, n)
    spare = np.empty(n if max_depth > 1 else 0, dtype=ranked.dtype)
    room = min(2 ** (max_depth + 1) - 1, 2 * n - 1)
    begin, end, depth = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    begin[0], end[0], depth[0] = 0, n, 0
    histogram = np.zeros((AT_ONCE, 0 if lists else k * n_bins.max()))
    total, side = np.empty(k), np.empty((2, k))
    size, node = 1, 0
    while node < size:
        b, e = begin[node], end[node]
        if b == e:  # a leaf that was filled together with its parent
            node += 1
            continue
        whole = e - b == n
        total[:] = 0.0
        for i in range(b, e):
            row = i if whole else order[0, i]
            total[y[row]] += weight[row]
        here = first + node
        feature[here], threshold[here], left[here], gain[here] = -1, 0.0, 0, 0.0
        value[here] = _leaf(total, mean_leaf)
        best_feature, best_bin, best = -1, 0, -np.inf
        if depth[node] < max_depth and (total > 0).sum() > 1:
            for f in range(n_features):
                if lists:
                    score, split = _best_of_ranked(order[f, b:e], coded[f], weight, total, by_error, best)
                else:
                    if f % AT_ONCE == 0:
                        _fill(coded, f, order, b, e, whole, weight, histogram)
                    counts = histogram[f % AT_ONCE]
                    if k == 2:
                        score, split = _best_of_two(counts, n_bins[f], total, by_error, best)
                    else:
                        score, split = _best_of_many(counts, n_bins[f], total, by_error, best, side[0])
                if split >= 0:
                    best, best_feature, best_bin = score, f, split
        if best_feature < 0:
            for i in range(b, e):
                output[i if whole else order[0, i]] = value[here]
            node += 1
            continue
        column, bound = coded[best_feature], k * (best_bin + 1)
        feature[here], threshold[here] = best_feature, cuts[start[best_feature] + best_bin]
        left[here] = size
        gain[here] = best - _purity(total, by_error)
        if depth[node] + 1 == max_depth:  # both children are leaves: no need to sort the rows
            side[:] = 0.0
            for i in range(b, e):
                row = i if whole else order[0, i]
                side[0 if column[row] < bound else 1, y[row]] += weight[row]
            for child in range(2):
                there = first + size + child
                feature[there], threshold[there], left[there], gain[there] = -1, 0.0, 0, 0.0
                value[there] = _leaf(side[child], mean_leaf)
            low, high = value[first + size], value[first + size + 1]
            for i in range(b, e):
                row = i if whole else order[0, i]
                output[row] = low if column[row] < bound else high
            begin[size] = end[size] = begin[size + 1] = end[size + 1] = e  # done: an empty range is not visited
        else:
            middle = b
            for f in range(len(order)):
                middle = _partition(order[f], b, e, column, bound, spare)
            begin[size], end[size], depth[size] = b, middle, depth[node] + 1
            begin[size + 1], end[size + 1], depth[size + 1] = middle, e, depth[node] + 1
        size += 2
        node += 1
    return size


@njit(nogil=True, cache=True, error_model="numpy")
def _fill(coded: Any, f: int, order: Any, b: int, e: int, whole: bool, weight: Any, histogram: Any) -> None:
    """Add the weights of a node's rows to the histograms of up to four features, from ``f`` on.

    Four sums that do not wait for each other, and one look at row and weight for all of them.
    """
    if f + AT_ONCE > len(coded):
        for g in range(f, len(coded)):
            column, one = coded[g], histogram[g - f]
            for i in range(b, e):
                row = i if whole else order[0, i]
                one[column[row]] += weight[row]
        return
    column_0, column_1, column_2, column_3 = coded[f], coded[f + 1], coded[f + 2], coded[f + 3]
    one, two, three, four = histogram[0], histogram[1], histogram[2], histogram[3]
    if whole:
        for i in range(b, e):
            w = weight[i]
            one[column_0[i]] += w
            two[column_1[i]] += w
            three[column_2[i]] += w
            four[column_3[i]] += w
    else:
        rows = order[0]
        for i in range(b, e):
            row = rows[i]
            w = weight[row]
            one[column_0[row]] += w
            two[column_1[row]] += w
            three[column_2[row]] += w
            four[column_3[row]] += w


@njit(nogil=True, cache=True, error_model="numpy")
def _partition(rows: Any, b: int, e: int, column: Any, bound: int, spare: Any) -> int:
    """Move the rows below the bound to the front, keeping their order; return where the others begin."""
    below, above = b, 0
    for i in range(b, e):
        row = rows[i]
        # both are written and one of the two places moves on: no branch to guess
        is_below = column[row] < bound
        rows[below] = row
        spare[above] = row
        below += is_below
        above += not is_below
    rows[below:e] = spare[:above]
    return below


@njit(nogil=True, cache=True, error_model="numpy")
def _leaf(total: Any, mean_leaf: bool) -> float:
    """Answer of a leaf with these class weights; ties go to the lower class."""
    if mean_leaf:
        weight = total[0] + total[1]
        return (total[1] - total[0]) / weight if weight > 0 else 0.0
    heaviest = np.argmax(total)
    return 2.0 * heaviest - 1.0 if len(total) == 2 else float(heaviest)


@njit(nogil=True, cache=True, error_model="numpy")
def _purity(total: Any, by_error: bool) -> float:
    """What a split makes large, summed over its sides: heaviest class, or squared class weights over weight."""
    weight = total.sum()
    if by_error:
        return total.max()
    return (total**2).sum() / weight if weight > 0 else 0.0


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


@njit(nogil=True, cache=True, error_model="numpy")
def _best_of_two(histogram: Any, n_bins: int, total: Any, by_error: bool, best: float) -> Any:
    """Two classes; clears the histogram on the way."""
    whole, surplus, split, last = total[0] + total[1], total[1] - total[0], -1, -1
    rounding = 1e-12 * whole
    bar = 2 * (best + rounding) - whole
    inside, excess = 0.0, 0.0
    for bin_ in range(n_bins):
        first, second = histogram[2 * bin_], histogram[2 * bin_ + 1]
        here = first + second
        if here == 0.0:
            continue
        histogram[2 * bin_] = 0.0
        histogram[2 * bin_ + 1] = 0.0
        outside, rest = whole - inside, surplus - excess
        if last >= 0 and _is_better(inside, excess, outside, rest, by_error, bar):
            score = _score(inside, excess, outside, rest, by_error)
            best, bar, split = (whole + score) / 2, score + 2 * rounding, (last + bin_ - 1) // 2
        inside += here
        excess += second - first
        last = bin_
    return best, split


@njit(nogil=True, cache=True, error_model="numpy")
def _best_of_many(histogram: Any, n_bins: int, total: Any, by_error: bool, best: float, below: Any) -> Any:
    """Any number of classes; clears the histogram on the way."""
    k, split, last, rounding = len(total), -1, -1, 1e-12 * total.sum()
    below[:] = 0.0
    for bin_ in range(n_bins):
        occupied = False
        for c in range(k):
            occupied = occupied or histogram[k * bin_ + c] != 0.0
        if not occupied:
            continue
        if last >= 0:
            score = _purity(below, by_error) + _purity(total - below, by_error)
            if score > best + rounding:
                best, split = score, (last + bin_ - 1) // 2
        for c in range(k):
            below[c] += histogram[k * bin_ + c]
            histogram[k * bin_ + c] = 0.0
        last = bin_
    return best, split


@njit(nogil=True, cache=True, error_model="numpy")
def apply(X: Any, feature: Any, threshold: Any, left: Any, value: Any) -> Any:
    """Value of the leaf of one tree that each row falls into."""
    out = np.empty(len(X))
    for i in range(len(X)):
        node = 0
        while feature[node] >= 0:
            node = left[node] if X[i, feature[node]] <= threshold[node] else left[node] + 1
        out[i] = value[node]
    return out


@njit(nogil=True, cache=True, error_model="numpy")
def vote(X: Any, start: Any, feature: Any, threshold: Any, left: Any, value: Any, steps: Any) -> Any:
    """Sum of steps times leaf values over all trees, for each row."""
    out = np.zeros(len(X))
    for i in range(len(X)):
        for t in range(len(steps)):
            root = start[t]
            node = root
            while feature[node] >= 0:
                node = root + left[node] + (0 if X[i, feature[node]] <= threshold[node] else 1)
            out[i] += steps[t] * value[node]
    return out
