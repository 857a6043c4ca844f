"""Machine code that puts values into bins and finds identical rows of bins, for :mod:`marginloss.boosting.encode`."""

from __future__ import annotations

from typing import Any

import numpy as np

from marginloss._compiled import kernel

__all__ = ["digitise", "few_values", "group_columns", "middle"]


def middle(low: Any, high: Any) -> Any:
    """Midpoint of two values; the lower one where it would round up to the higher.

    Examples
    --------
    >>> middle(np.array([1.0, 1.0]), np.array([2.0, np.nextafter(1.0, 2.0)])).tolist()
    [1.5, 1.0]
    """
    found = low / 2 + high / 2  # the sum of two large values would overflow
    return np.where(found < high, np.maximum(found, low), low)


@kernel
def digitise(column: Any, cuts: Any, codes: Any) -> None:
    """Bin of each value: the number of cuts below it."""
    for i in range(len(column)):
        low, high, value = 0, len(cuts), column[i]
        while low < high:
            middle = (low + high) // 2
            if cuts[middle] < value:
                low = middle + 1
            else:
                high = middle
        codes[i] = low


@kernel
def few_values(X: Any, few: int) -> Any:
    """Number the values of each column with at most ``few`` different ones, in one pass over the rows.

    Returns these numbers, the values in the order of their first appearance, and how many a column has: more than
    ``few`` where it was given up.
    """
    n, d = X.shape
    bits = 10
    slots = 1 << bits
    codes = np.empty((d, n), dtype=np.uint8)
    values = np.empty((d, few))
    counts = np.zeros(d, dtype=np.int64)
    table = np.full((d, slots), -1, dtype=np.int16)
    for i in range(n):
        for f in range(d):
            if counts[f] > few:
                continue
            value = np.float64(X[i, f]) + 0.0  # -0.0 becomes 0.0
            mixed = np.float64(value).view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
            slot = np.int64(mixed >> np.uint64(64 - bits))
            while table[f, slot] >= 0 and values[f, table[f, slot]] != value:
                slot = (slot + 1) & (slots - 1)
            if table[f, slot] < 0:
                if counts[f] < few:
                    table[f, slot] = counts[f]
                    values[f, counts[f]] = value
                counts[f] += 1
            codes[f, i] = table[f, slot]
    return codes, values, counts


@kernel
def group_columns(codes: Any, n_bins: Any, limit: int) -> Any:
    """Number identical columns of ``codes`` alike, in order of appearance; empty arrays beyond ``limit`` groups."""
    d, n = codes.shape
    bits = 4
    while (1 << bits) < 2 * limit + 2:
        bits += 1
    shift, mask = np.uint64(64 - bits), (1 << bits) - 1
    table = np.full(1 << bits, -1, dtype=np.int32)
    keys = np.empty(limit + 1, dtype=np.uint64)
    first = np.empty(limit + 1, dtype=np.int32)
    group = np.empty(n, dtype=np.int32)
    count = 0
    for i in range(n):
        key = np.uint64(0)
        for f in range(d):
            key = key * np.uint64(n_bins[f]) + np.uint64(codes[f, i])
        slot = np.int64((key * np.uint64(0x9E3779B97F4A7C15)) >> shift)
        while table[slot] >= 0 and keys[table[slot]] != key:
            slot = (slot + 1) & mask
        if table[slot] < 0:
            if count == limit:
                return group[:0], first[:0]
            table[slot] = count
            keys[count] = key
            first[count] = i
            count += 1
        group[i] = table[slot]
    return group, first[:count].copy()
