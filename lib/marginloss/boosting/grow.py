"""Machine code that grows one tree; see :mod:`marginloss.boosting.trees` for what it computes."""

from __future__ import annotations

from typing import Any

import numpy as np

from marginloss._compiled import kernel
from marginloss.boosting.nodes import add_up, answer, is_mixed, leaf, partition, write_leaf, write_leaves
from marginloss.boosting.splits import best_of_lists, best_of_many, best_of_two, purity

__all__ = ["grow_by_histograms", "grow_by_lists"]

AT_ONCE = 4  # histograms filled in one pass over the rows
#: A histogram made by subtraction is as exact as the one it was taken from: used if its share of that is no smaller.
SMALLEST_SHARE = 1e-3


@kernel
def grow_by_lists(recipe: Any, weight: Any, nodes: Any, first: int, output: Any) -> int:
    """Grow one tree into ``nodes`` from position ``first`` on; write the answer for each row; return the tree's size.

    For two classes and about as many bins as rows. The lists are split with the nodes, so that a node reads its own
    rows only.

    Children are numbered from the root of their own tree. Among equal splits the first feature and the lowest cut win.

    Parameters
    ----------
    recipe : tuple
        The codes ``n_classes * bin + class``, one feature per row; the classes; number of bins, cuts, their starts by
        feature; number of classes, largest depth; whether to split by error, and whether leaves answer a mean; the rows
        by bin for each feature, for lists.
    weight, nodes, first, output
        Weights of the rows, room for nodes and the first free one, room for the answers.
    """
    coded, y, _, cuts, start, _, max_depth, by_error, mean_leaf, ranked = recipe
    feature, threshold, left, gain = nodes[0], nodes[1], nodes[2], nodes[4]
    n = len(weight)
    order = ranked.copy() if max_depth > 1 else ranked
    spare = np.empty(n if max_depth > 1 else 0, dtype=ranked.dtype)
    begin, end, depth = _new_queue(max_depth, n)
    total, side = np.empty(2), np.empty((2, 2))
    signed, sums = np.empty(n), np.empty((4, n))
    for i in range(n):
        signed[i] = weight[i] if y[i] == 1 else -weight[i]
    size = 1
    for node in range(len(begin)):
        if node == size:
            break
        b, e = begin[node], end[node]
        if b == e:  # a leaf that was filled together with its parent
            continue
        rows, whole, here = order[0, b:e], e - b == n, first + node
        add_up(rows, whole, y, weight, total)
        write_leaf(nodes, here, leaf(total, mean_leaf))
        best, chosen, cut = -np.inf, -1, -1
        if depth[node] < max_depth and is_mixed(total):
            best, chosen, cut = best_of_lists(order[:, b:e], coded, weight, signed, total, by_error, sums)
        if chosen < 0:
            answer(rows, whole, coded[0], np.int64(0), 0.0, nodes[3, here], output)
            continue
        column, bound = coded[chosen], 2 * (cut + 1)
        feature[here], threshold[here], left[here] = chosen, cuts[start[chosen] + cut], size
        gain[here] = best - purity(total, by_error)
        middle = e
        if depth[node] + 1 == max_depth:  # no need to sort the rows
            write_leaves(rows, whole, column, bound, weight, mean_leaf, nodes, first + size, side, output)
            b = e  # done: an empty range is not visited
        else:
            for f in range(len(order)):
                middle = partition(order[f], b, e, column, bound, spare)
        begin[size], end[size], depth[size] = b, middle, depth[node] + 1
        begin[size + 1], end[size + 1], depth[size + 1] = middle, e, depth[node] + 1
        size += 2
    return size


@kernel
def grow_by_histograms(recipe: Any, weight: Any, nodes: Any, first: int, output: Any) -> int:
    """Like :func:`grow_by_lists`, for few bins and any number of classes: a histogram does the sorting.

    Of two siblings the one with fewer rows fills its own, the other's is the difference to the parent's.
    """
    coded, y, n_bins, cuts, start, k, max_depth, by_error, mean_leaf, _ = recipe
    feature, threshold, left, gain = nodes[0], nodes[1], nodes[2], nodes[4]
    n_features, n = coded.shape
    order, spare = _numbers(n if max_depth > 1 else 0), _numbers(n if max_depth > 1 else 0)
    begin, end, depth = _new_queue(max_depth, n)
    width = 0
    for f in range(n_features):
        width = max(width, k * n_bins[f])
    slots = int(min(2.0 ** (max_depth - 1), n // (4 * width)))  # at most a quarter of the input
    histograms = np.empty((slots + 1, n_features, width))  # the last one is for nodes without a slot
    free, n_free = _numbers(slots), slots
    slot, origin = np.empty(len(begin), np.int64), np.empty(len(begin))  # of a node, and the weight first added to it
    slot[0] = -1
    total, side = np.empty(k), np.empty((2, k))
    size = 1
    for node in range(len(begin)):
        if node == size:
            break
        b, e = begin[node], end[node]
        if b == e:  # a leaf that was filled together with its parent
            continue
        rows, whole, here = order[b:e], e - b == n, first + node
        add_up(rows, whole, y, weight, total)
        write_leaf(nodes, here, leaf(total, mean_leaf))
        best, chosen, cut = -np.inf, -1, -1
        own = slot[node]
        if depth[node] < max_depth and is_mixed(total):
            if own < 0:
                own, n_free = _take(free, n_free) if depth[node] + 1 < max_depth else (slots, n_free)
                origin[node] = _sum(total)
                _fill(coded, rows, whole, weight, histograms[own])
            for f in range(n_features):
                if k == 2:
                    score, split = best_of_two(histograms[own, f], n_bins[f], total, by_error, best)
                else:
                    score, split = best_of_many(histograms[own, f], n_bins[f], total, by_error, best, side)
                if split >= 0:
                    best, chosen, cut = score, f, split
        if chosen < 0:
            answer(rows, whole, coded[0], np.int64(0), 0.0, nodes[3, here], output)
            n_free = _give_back(free, n_free, own)
            continue
        column, bound = coded[chosen], k * (cut + 1)
        feature[here], threshold[here], left[here] = chosen, cuts[start[chosen] + cut], size
        gain[here] = best - purity(total, by_error)
        middle = e
        if depth[node] + 1 == max_depth:  # no need to sort the rows
            write_leaves(rows, whole, column, bound, weight, mean_leaf, nodes, first + size, side, output)
            n_free = _give_back(free, n_free, own)
            b = e  # done: an empty range is not visited
        else:
            middle = partition(order, b, e, column, bound, spare)
            small, large = (size, size + 1) if 2 * middle < b + e else (size + 1, size)
            slot[small] = slot[large] = -1
            if own < slots and n_free > 0:
                below = _sum(histograms[own, chosen, :bound])
                above = _sum(histograms[own, chosen, bound:])
                origin[small], origin[large] = (below, origin[node]) if small == size else (above, origin[node])
                if (above if small == size else below) >= SMALLEST_SHARE * origin[node]:
                    slot[large] = own
                    slot[small], n_free = _take(free, n_free)
                    fewer = histograms[slot[small]]
                    part = order[b:middle] if small == size else order[middle:e]
                    _fill(coded, part, len(part) == n, weight, fewer)
                    _subtract(histograms[own], fewer, 1e-15 * origin[node])
            if slot[large] < 0:
                n_free = _give_back(free, n_free, own)
        begin[size], end[size], depth[size] = b, middle, depth[node] + 1
        begin[size + 1], end[size + 1], depth[size + 1] = middle, e, depth[node] + 1
        size += 2
    return size


@kernel
def _new_queue(max_depth: int, n: int) -> Any:
    """First row, end and depth of each node of a tree: room for all, and the root."""
    room = min(2 ** (max_depth + 1) - 1, 2 * n - 1)
    begin, end, depth = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    begin[0], end[0], depth[0] = 0, n, 0
    return begin, end, depth


@kernel
def _numbers(n: int) -> Any:
    """From 0 to n - 1; unsigned, as row numbers are."""
    found = np.empty(n, np.uint32)
    for i in range(n):
        found[i] = i
    return found


@kernel
def _sum(values: Any) -> float:
    total = 0.0
    for i in range(len(values)):
        total += values[i]
    return total


@kernel
def _take(free: Any, n_free: int) -> Any:
    """A free slot, or the common one behind them all, and the number of slots that are left."""
    return (free[n_free - 1], n_free - 1) if n_free > 0 else (len(free), 0)


@kernel
def _give_back(free: Any, n_free: int, own: int) -> int:
    """Return the number of free slots after one came back."""
    if not 0 <= own < len(free):
        return n_free
    free[n_free] = own
    return n_free + 1


@kernel
def _subtract(parent: Any, child: Any, rounding: float) -> None:
    """Leave in ``parent`` what belongs to the other child; what is only rounding becomes an empty bin."""
    for f in range(len(parent)):
        ours, theirs = parent[f], child[f]
        for code in range(len(ours)):
            left = ours[code] - theirs[code]
            ours[code] = left if left > rounding else 0.0


@kernel
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
