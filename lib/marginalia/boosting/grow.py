"""Machine code that grows, applies and sums trees; see :mod:`marginalia.boosting.trees` for what it computes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from marginalia.boosting.splits import best_of_lists, best_of_many, best_of_two, purity

__all__ = ["apply", "grow", "more_nodes", "new_nodes", "vote"]

AT_ONCE = 4  # histograms filled in one pass over the rows
#: A histogram made by subtraction is as exact as the one it was taken from: used if its share of that is no smaller.
SMALLEST_SHARE = 1e-3


@njit(nogil=True, cache=True, error_model="numpy")
def new_nodes(size: int) -> Any:
    """Room for so many nodes: feature, threshold, left child, value, gain."""
    return np.empty(size, np.int32), np.empty(size), np.empty(size, np.int32), np.empty(size), np.empty(size)


@njit(nogil=True, cache=True, error_model="numpy")
def more_nodes(nodes: Any, used: int) -> Any:
    """Twice the room, the first ``used`` nodes kept."""
    larger = new_nodes(2 * len(nodes[0]) + 1)
    for node in range(used):
        larger[0][node], larger[1][node], larger[2][node] = nodes[0][node], nodes[1][node], nodes[2][node]
        larger[3][node], larger[4][node] = nodes[3][node], nodes[4][node]
    return larger


@njit(nogil=True, cache=True, error_model="numpy")
def grow(coded: Any, ranked: Any, y: Any, n_bins: Any, cuts: Any, start: Any, k: int, weight: Any, max_depth: int,
         by_error: bool, mean_leaf: bool, nodes: Any, first: int, output: Any) -> int:  # fmt: skip
    """Grow one tree into ``nodes`` from position ``first`` on; write the answer for each row; return the tree's size.

    ``coded`` holds ``k * bin + class``. ``ranked`` lists the rows by bin for each feature, if there are about as many
    bins as rows; the lists are split with the nodes, so that a node reads its own rows only. With few bins it is empty,
    and a histogram does the sorting; of two siblings the one with fewer rows fills its own, the other's is the
    difference to the parent's. Children are numbered from the root of their own tree. Among equal splits the first
    feature and the lowest cut win.
    """
    feature, threshold, left, value, gain = nodes
    n_features, n = coded.shape
    lists = len(ranked)
    order = ranked
    if lists and max_depth > 1:
        order = ranked.copy()
    elif max_depth > 1:
        order = np.empty((1, n), dtype=ranked.dtype)
        for i in range(n):
            order[0, i] = i
    spare = np.empty(n if max_depth > 1 else 0, dtype=ranked.dtype)
    room = min(2 ** (max_depth + 1) - 1, 2 * n - 1)
    begin, end, depth = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    begin[0], end[0], depth[0] = 0, n, 0
    width = 0
    for f in range(n_features):
        width = max(width, k * n_bins[f])
    slots = 0 if lists else int(min(2.0 ** (max_depth - 1), n // (4 * width)))  # at most a quarter of the input
    histograms = np.empty((0 if lists else slots + 1, n_features, width))  # the last one is for nodes without a slot
    free, n_free = np.empty(slots, np.int64), slots
    for i in range(slots):
        free[i] = i
    slot, origin = np.empty(room, np.int64), np.empty(room)  # histogram of a node, and the weight first added to it
    slot[0] = -1
    total, side = np.empty(k), np.empty((2, k))
    signed, sums = np.empty(n if lists else 0), np.empty((4, n if lists else 0))
    for i in range(len(signed)):
        signed[i] = weight[i] if y[i] == 1 else -weight[i]
    size, node = 1, 0
    while node < size:
        b, e = begin[node], end[node]
        if b == e:  # a leaf that was filled together with its parent
            node += 1
            continue
        whole = e - b == n
        rows = order[0, b:e] if len(order) else spare[:0]
        _add_up(rows, whole, y, weight, total)
        here = first + node
        feature[here], threshold[here], left[here], gain[here] = -1, 0.0, 0, 0.0
        value[here] = _leaf(total, mean_leaf)
        best_feature, best_bin, best = -1, 0, -np.inf
        own = slot[node]
        if depth[node] < max_depth and _is_mixed(total):
            if not lists and own < 0:
                own, n_free = _take(free, n_free) if depth[node] + 1 < max_depth else (slots, n_free)
                origin[node] = _sum(total)
                _fill(coded, rows, whole, weight, histograms[own])
            if lists:
                found = order[:, b:e], coded, weight, signed, total, by_error, sums
                best, best_feature, best_bin = best_of_lists(*found)
            for f in range(0 if lists else n_features):
                if k == 2:
                    score, split = best_of_two(histograms[own, f], n_bins[f], total, by_error, best)
                else:
                    score, split = best_of_many(histograms[own, f], n_bins[f], total, by_error, best, side)
                if split >= 0:
                    best, best_feature, best_bin = score, f, split
        if best_feature < 0:
            _answer(rows, whole, coded[0], 0, 0.0, value[here], output)
            n_free = _give_back(free, n_free, own)
            node += 1
            continue
        column, bound = coded[best_feature], k * (best_bin + 1)
        feature[here], threshold[here] = best_feature, cuts[start[best_feature] + best_bin]
        left[here] = size
        gain[here] = best - purity(total, by_error)
        if depth[node] + 1 == max_depth:  # both children are leaves: no need to sort the rows
            _add_up_sides(rows, whole, column, bound, k, weight, side)
            for child in range(2):
                there = first + size + child
                feature[there], threshold[there], left[there], gain[there] = -1, 0.0, 0, 0.0
                value[there] = _leaf(side[child], mean_leaf)
            _answer(rows, whole, column, bound, value[first + size], value[first + size + 1], output)
            begin[size] = end[size] = begin[size + 1] = end[size + 1] = e  # done: an empty range is not visited
            n_free = _give_back(free, n_free, own)
        else:
            middle = b
            for f in range(len(order)):
                middle = _partition(order[f], b, e, column, bound, spare)
            begin[size], end[size], depth[size] = b, middle, depth[node] + 1
            begin[size + 1], end[size + 1], depth[size + 1] = middle, e, depth[node] + 1
            small, large = (size, size + 1) if 2 * middle < b + e else (size + 1, size)
            slot[small] = slot[large] = -1
            if not lists and own < slots and n_free > 0:
                below = _sum(histograms[own, best_feature, :bound])
                above = _sum(histograms[own, best_feature, bound:])
                origin[small], origin[large] = (below, origin[node]) if small == size else (above, origin[node])
                if (above if small == size else below) >= SMALLEST_SHARE * origin[node]:
                    slot[large] = own
                    slot[small], n_free = _take(free, n_free)
                    fewer = histograms[slot[small]]
                    part = order[0, begin[small] : end[small]]
                    _fill(coded, part, len(part) == n, weight, fewer)
                    _subtract(histograms[own], fewer, 1e-15 * origin[node])
            if not lists and slot[large] < 0:
                n_free = _give_back(free, n_free, own)
        size += 2
        node += 1
    return size


@njit(nogil=True, cache=True, error_model="numpy")
def _sum(values: Any) -> float:
    total = 0.0
    for i in range(len(values)):
        total += values[i]
    return total


@njit(nogil=True, cache=True, error_model="numpy")
def _is_mixed(total: Any) -> bool:
    """Whether more than one class has weight."""
    present = 0
    for c in range(len(total)):
        present += total[c] > 0
    return present > 1


@njit(nogil=True, cache=True, error_model="numpy")
def _take(free: Any, n_free: int) -> Any:
    """A free slot, or the common one behind them all, and the number of slots that are left."""
    return (free[n_free - 1], n_free - 1) if n_free > 0 else (len(free), 0)


@njit(nogil=True, cache=True, error_model="numpy")
def _give_back(free: Any, n_free: int, own: int) -> int:
    """Return the number of free slots after one came back."""
    if not 0 <= own < len(free):
        return n_free
    free[n_free] = own
    return n_free + 1


@njit(nogil=True, cache=True, error_model="numpy")
def _subtract(parent: Any, child: Any, rounding: float) -> None:
    """Leave in ``parent`` what belongs to the other child; what is only rounding becomes an empty bin."""
    for f in range(len(parent)):
        ours, theirs = parent[f], child[f]
        for code in range(len(ours)):
            left = ours[code] - theirs[code]
            ours[code] = left if left > rounding else 0.0


@njit(nogil=True, cache=True, error_model="numpy")
def _fill(coded: Any, rows: Any, whole: bool, weight: Any, histogram: Any) -> None:
    """Sum the weights of a node's rows by feature and code; ``whole`` means all rows, whatever ``rows`` holds.

    Four features at a time: sums that do not wait for each other, and one look at row and weight for all of them.
    Row numbers are unsigned, since a negative one would have to be looked for.
    """
    histogram[:] = 0.0
    last = len(coded) - len(coded) % AT_ONCE
    for f in range(0, last, AT_ONCE):
        column_0, column_1, column_2, column_3 = coded[f], coded[f + 1], coded[f + 2], coded[f + 3]
        one, two, three, four = histogram[f], histogram[f + 1], histogram[f + 2], histogram[f + 3]
        if whole:
            for i in range(len(weight)):
                w = weight[i]
                one[column_0[i]] += w
                two[column_1[i]] += w
                three[column_2[i]] += w
                four[column_3[i]] += w
        else:
            for i in range(len(rows)):
                row = rows[i]
                w = weight[row]
                one[column_0[row]] += w
                two[column_1[row]] += w
                three[column_2[row]] += w
                four[column_3[row]] += w
    for f in range(last, len(coded)):
        column, one = coded[f], histogram[f]
        if whole:
            for i in range(len(weight)):
                one[column[i]] += weight[i]
        else:
            for i in range(len(rows)):
                one[column[rows[i]]] += weight[rows[i]]


@njit(nogil=True, cache=True, error_model="numpy")
def _add_up(rows: Any, whole: bool, y: Any, weight: Any, total: Any) -> None:
    """Weight of each class among a node's rows."""
    total[:] = 0.0
    if len(total) > 2:
        for i in range(len(weight) if whole else len(rows)):
            row = i if whole else np.int64(rows[i])
            total[y[row]] += weight[row]
        return
    # in registers, since a sum in memory waits for its last store, and without a branch to guess
    zero, one = 0.0, 0.0
    if whole:
        for i in range(len(weight)):
            positive = weight[i] * (y[i] == 1)
            one += positive
            zero += weight[i] - positive
    else:
        for i in range(len(rows)):
            w = weight[rows[i]]
            positive = w * (y[rows[i]] == 1)
            one += positive
            zero += w - positive
    total[0], total[1] = zero, one


@njit(nogil=True, cache=True, error_model="numpy")
def _add_up_sides(rows: Any, whole: bool, column: Any, bound: int, k: int, weight: Any, side: Any) -> None:
    """Weight of each class below and above the bound; the class is part of the code."""
    side[:] = 0.0
    count = len(weight) if whole else len(rows)
    if k > 2:
        for i in range(count):
            row = np.uint32(i) if whole else rows[i]
            side[0 if column[row] < bound else 1, column[row] % k] += weight[row]
        return
    low_0, low_1, high_0, high_1 = 0.0, 0.0, 0.0, 0.0
    for i in range(count):
        row = np.uint32(i) if whole else rows[i]
        w, positive = weight[row], column[row] & 1
        low = w * (column[row] < bound)
        high = w - low
        low_1 += low * positive
        high_1 += high * positive
        low_0 += low - low * positive
        high_0 += high - high * positive
    side[0, 0], side[0, 1], side[1, 0], side[1, 1] = low_0, low_1, high_0, high_1


@njit(nogil=True, cache=True, error_model="numpy")
def _answer(rows: Any, whole: bool, column: Any, bound: int, low: float, high: float, output: Any) -> None:
    """Write ``low`` for the rows below the bound, ``high`` for the others."""
    if whole:
        for i in range(len(output)):
            output[i] = low if column[i] < bound else high
    else:
        for i in range(len(rows)):
            output[rows[i]] = low if column[rows[i]] < bound else high


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
    for i in range(above):
        rows[below + i] = spare[i]
    return below


@njit(nogil=True, cache=True, error_model="numpy")
def _leaf(total: Any, mean_leaf: bool) -> float:
    """Answer of a leaf with these class weights; ties go to the lower class."""
    if mean_leaf:
        weight = total[0] + total[1]
        return (total[1] - total[0]) / weight if weight > 0 else 0.0
    heaviest = 0
    for c in range(1, len(total)):
        if total[c] > total[heaviest]:
            heaviest = c
    return 2.0 * heaviest - 1.0 if len(total) == 2 else float(heaviest)


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
