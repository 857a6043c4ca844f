"""Machine code for the nodes of trees: fill leaves, divide rows between children, and sum up the answers."""

from __future__ import annotations

from typing import Any

import numpy as np

from marginloss._compiled import helper, kernel

__all__ = [
    "add_up",
    "answer",
    "apply",
    "is_mixed",
    "leaf",
    "partition",
    "vote",
    "write_leaf",
    "write_leaves",
]

BLOCK = 256  # rows that stay in the cache while all trees see them


@helper
def write_leaf(nodes: Any, node: int, value: float) -> None:
    """Make this node a leaf. Rows of ``nodes``: feature, threshold, left child, value, gain."""
    nodes[0, node], nodes[1, node], nodes[2, node], nodes[3, node], nodes[4, node] = -1, 0.0, 0, value, 0.0


@helper
def write_leaves(rows: Any, whole: bool, column: Any, bound: int, weight: Any, mean_leaf: bool, nodes: Any, node: int,
                 side: Any, output: Any) -> None:  # fmt: skip
    """Make this node and the next the two children of a split, both leaves, and write their answers.

    Below the bound is the first. ``side`` is room for the class weights of both; the class is part of the code.
    """
    _add_up_sides(rows, whole, column, bound, weight, side)
    for child in range(2):
        write_leaf(nodes, node + child, leaf(side[child], mean_leaf))
    answer(rows, whole, column, bound, nodes[3, node], nodes[3, node + 1], output)


@kernel
def leaf(total: Any, mean_leaf: bool) -> float:
    """Answer of a leaf with these class weights; ties, up to rounding, go to the lower class."""
    if mean_leaf:
        weight = total[0] + total[1]
        return (total[1] - total[0]) / weight if weight > 0 else 0.0
    heaviest = 0
    for c in range(1, len(total)):
        if total[c] > (1 + 1e-12) * total[heaviest]:
            heaviest = c
    return 2.0 * heaviest - 1.0 if len(total) == 2 else float(heaviest)


@kernel
def is_mixed(total: Any) -> bool:
    """Whether more than one class has weight."""
    present = 0
    for c in range(len(total)):
        present += total[c] > 0
    return present > 1


@kernel
def add_up(rows: Any, whole: bool, y: Any, weight: Any, total: Any) -> None:
    """Weight of each class among a node's rows."""
    total[:] = 0.0
    if len(total) > 2:
        for i in range(len(weight) if whole else len(rows)):
            row = np.uint32(i) if whole else rows[i]
            total[y[row]] += weight[row]
        return
    # in registers, since a sum in memory waits for its last store, and without a branch to guess
    zero, one = 0.0, 0.0
    for i in range(len(weight) if whole else len(rows)):
        row = np.uint32(i) if whole else rows[i]
        positive = weight[row] * (y[row] == 1)
        one += positive
        zero += weight[row] - positive
    total[0], total[1] = zero, one


@kernel
def _add_up_sides(rows: Any, whole: bool, column: Any, bound: int, weight: Any, side: Any) -> None:
    """Weight of each class below and above the bound; the class is part of the code."""
    side[:] = 0.0
    k = side.shape[1]
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


@kernel
def answer(rows: Any, whole: bool, column: Any, bound: int, low: float, high: float, output: Any) -> None:
    """Write ``low`` for the rows below the bound, ``high`` for the others."""
    if whole:
        for i in range(len(output)):
            output[i] = low if column[i] < bound else high
    else:
        for i in range(len(rows)):
            output[rows[i]] = low if column[rows[i]] < bound else high


@kernel
def partition(rows: Any, b: int, e: int, column: Any, bound: int, spare: Any) -> Any:
    """Move the rows below the bound to the front, keeping their order; return where the others begin."""
    below, above = np.uint64(b), np.uint64(0)  # unsigned, since a negative place would have to be looked for
    for i in range(np.uint64(b), np.uint64(e)):
        row = rows[i]
        # both are written and one of the two places moves on: branch-free
        is_below = np.uint64(column[row] < bound)
        rows[below] = row
        spare[above] = row
        below += is_below
        above += np.uint64(1) - is_below
    for i in range(above):
        rows[below + i] = spare[i]
    return np.int64(below)


@kernel
def apply(X: Any, feature: Any, threshold: Any, left: Any, value: Any) -> Any:
    """Value of the leaf of one tree that each row falls into."""
    out = np.empty(len(X))
    for i in range(len(X)):
        node = 0
        while feature[node] >= 0:
            node = left[node] if X[i, feature[node]] <= threshold[node] else left[node] + 1
        out[i] = value[node]
    return out


@kernel
def vote(X: Any, start: Any, feature: Any, threshold: Any, left: Any, value: Any, steps: Any) -> Any:
    """Sum of steps times leaf values over all trees, for each row."""
    out = np.zeros(len(X))
    for begin in range(0, len(X), BLOCK):
        for t in range(len(steps)):
            root = start[t]
            for i in range(begin, min(begin + BLOCK, len(X))):  # the walks of different rows do not wait for each other
                node = np.uint64(root)  # unsigned, since a negative one would have to be looked for
                while feature[node] >= 0:
                    is_right = not X[i, np.uint64(feature[node])] <= threshold[node]  # also if it is not a number
                    node = np.uint64(root + left[node] + is_right)
                out[i] += steps[t] * value[node]
    return out
