"""Columns as small integers, made once per data set: every round, step rule and noise level then shares them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array

from marginloss._compiled import helper, kernel

__all__ = ["EncodedMatrix", "encode", "middle", "middle_scalar"]

EXACT_ROWS = 5000  # up to here every distinct value is its own bin
SMALL = 2000  # rows that are encoded by NumPy, so that nobody waits for a compiler
FEW = 255  # columns with at most this many distinct values are exact at any size
QUANTILE_ROWS = 20_000  # rows looked at to place quantile cuts
PRECISIONS = [np.float64, np.float32]


@dataclass(frozen=True)
class EncodedMatrix:
    """A matrix whose columns are bins; made by :func:`encode`, accepted by ``fit`` in place of ``X``.

    Attributes
    ----------
    codes : ndarray of shape (n_features, n_rows), unsigned
        Bin of each value, one column of the data after the other.
    cuts : ndarray
        Boundaries between neighbouring bins, all features in one array; a value ``<= cut`` is below it.
    start : ndarray of shape (n_features + 1,)
        Feature f owns ``cuts[start[f]:start[f + 1]]``, and has one bin more than cuts.
    group : ndarray of shape (n_samples,) or None
        Row of ``codes`` that holds each sample, where identical samples were merged.
    """

    codes: NDArray[np.unsignedinteger]
    cuts: NDArray[np.float64]
    start: NDArray[np.int64]
    group: NDArray[np.int32] | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Samples and features of the matrix that was encoded."""
        return self.codes.shape[1] if self.group is None else len(self.group), len(self.codes)

    @cached_property
    def n_bins(self) -> NDArray[np.int64]:
        """Number of bins of each feature."""
        return np.diff(self.start) + 1

    @property
    def is_binary(self) -> bool:
        """Whether no feature has more than two values."""
        return len(self.cuts) <= len(self.codes) and bool((self.n_bins <= 2).all())

    def take(self, rows: NDArray[np.integer]) -> EncodedMatrix:
        """The same encoding of some samples, for the folds of a cross-validation."""
        if self.group is not None:
            return EncodedMatrix(self.codes, self.cuts, self.start, self.group[rows])
        return EncodedMatrix(np.ascontiguousarray(self.codes[:, rows]), self.cuts, self.start)

    def decode(self) -> NDArray[np.float64]:
        """A matrix that every tree on this encoding treats like the original one: the upper end of each bin."""
        X = np.empty(self.codes.shape[::-1])
        for f, codes in enumerate(self.codes):
            X[:, f] = np.append(self.cuts[self.start[f] : self.start[f + 1]], np.inf)[codes]
        return X if self.group is None else X[self.group]


def encode(X: Any, max_bins: int = 127, merge: bool = True) -> EncodedMatrix:
    """Encode the columns of a matrix of finite numbers.

    A column with at most 255 distinct values, or with at most 5000 rows, keeps every distinct value; a longer one gets
    ``max_bins`` bins of about equal mass. Identical rows are merged when at least a quarter of them can be spared.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    max_bins : int
        Number of quantile bins, between 2 and 255.
    merge : bool
        Whether to look for identical rows.

    Examples
    --------
    >>> matrix = encode(np.array([[1.0, 3.0], [2.0, 3.0], [4.0, 5.0]]))
    >>> matrix.codes
    array([[0, 1, 2],
           [0, 0, 1]], dtype=uint8)
    >>> matrix.cuts
    array([1.5, 3. , 4. ])
    """
    if not (isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype in PRECISIONS and X.size and np.isfinite(X.sum())):
        X = check_array(X, dtype=PRECISIONS)  # which would cost more than a small matrix takes to encode
    encoded = _encode_small(X) if len(X) <= SMALL else _encode_large(X, max_bins)
    return _merge_rows(encoded) if merge else encoded


def _encode_small(X: Any) -> EncodedMatrix:
    """Every distinct value its own bin."""
    low, high = X.min(axis=0), X.max(axis=0)
    above = high == X
    if np.all(above | (low == X)):  # no column has more than two values
        varies = high > low
        cuts = middle(low[varies].astype(np.float64), high[varies].astype(np.float64))
        codes = np.ascontiguousarray((above & varies).T).view(np.uint8)
        return EncodedMatrix(codes, cuts, np.concatenate([[0], np.cumsum(varies)]))
    codes, cuts = _ranks(X.T)
    return EncodedMatrix(codes, *_joined(cuts))


def _encode_large(X: Any, max_bins: int) -> EncodedMatrix:
    """Quantiles as bins where a column has many values, and many rows."""
    codes, cuts, start, many = _few_values(X, FEW)
    if len(many) == 0:
        return EncodedMatrix(codes, cuts, start)
    parts = [cuts[start[f] : start[f + 1]] for f in range(len(codes))]
    if len(X) <= EXACT_ROWS:
        codes = codes.astype(np.uint16)
        codes[many], ranked = _ranks(X.T[many])
        for f, part in zip(many, ranked, strict=True):
            parts[f] = part
    else:
        for f in many:  # one column at a time: a copy of a large matrix is not small
            column = np.ascontiguousarray(X[:, f], dtype=np.float64)
            parts[f] = _quantile_cuts(column, max_bins)
            _digitise(column, parts[f], codes[f])
    return EncodedMatrix(codes, *_joined(parts))


def _joined(parts: list[Any]) -> tuple[Any, Any]:
    """The cuts of all features, and where those of each start."""
    return np.concatenate(parts), np.concatenate([[0], np.cumsum([len(part) for part in parts])])


def _ranks(rows: Any) -> tuple[Any, list[Any]]:
    """Rank of each value among the distinct ones of its row, and the midpoints between these."""
    rows = np.array(rows, dtype=np.float64, order="C")
    order = np.argsort(rows, axis=1)
    ordered = np.take_along_axis(rows, order, axis=1)
    is_new = ordered[:, 1:] > ordered[:, :-1]
    rank = np.zeros(rows.shape, dtype=np.uint16)
    np.cumsum(is_new, axis=1, out=rank[:, 1:], dtype=np.uint16)
    codes = np.empty_like(rank)
    np.put_along_axis(codes, order, rank, axis=1)
    cuts = [middle(row[:-1][new], row[1:][new]) for row, new in zip(ordered, is_new, strict=True)]
    return (codes if codes.max() >= FEW else codes.astype(np.uint8)), cuts


def middle(low: Any, high: Any) -> Any:
    """Midpoint of two values; the lower one where it would round up to the higher.

    Examples
    --------
    >>> middle(np.array([1.0, 1.0]), np.array([2.0, np.nextafter(1.0, 2.0)])).tolist()
    [1.5, 1.0]
    """
    found = low / 2 + high / 2  # the sum of two large values would overflow
    return np.where(found < high, np.maximum(found, low), low)


@helper
def middle_scalar(low: float, high: float) -> float:
    """The same for kernels."""
    found = low / 2 + high / 2
    return max(found, low) if found < high else low


def _quantile_cuts(column: NDArray[np.float64], max_bins: int) -> NDArray[np.float64]:
    """Cuts that leave about the same number of values in each bin, from an evenly spaced subset of a long column."""
    subset = np.sort(column[:: max(1, len(column) // QUANTILE_ROWS)])
    places = np.linspace(0, len(subset) - 1, max_bins + 1)[1:-1].astype(np.intp)
    return np.unique(subset[places])


@kernel
def _digitise(column: Any, cuts: Any, codes: Any) -> None:
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
def _few_values(X: Any, few: int) -> Any:
    """Codes and cuts of all columns with at most ``few`` distinct values, in one pass over the rows.

    Returns codes, cuts and their starts as in :class:`EncodedMatrix`, and the columns that have more values.
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
    start = np.zeros(d + 1, dtype=np.int64)
    room, n_many = 0, 0
    for f in range(d):
        room += counts[f] - 1 if counts[f] <= few else 0
        n_many += counts[f] > few
    cuts, many = np.empty(room), np.empty(n_many, dtype=np.int64)
    order, rank = np.empty(few, dtype=np.int64), np.empty(few, dtype=np.uint8)
    n_many = 0
    for f in range(d):
        start[f + 1] = start[f]
        if counts[f] > few:
            many[n_many] = f
            n_many += 1
            continue
        moved = _insert_all(values[f, : counts[f]], order)
        for r in range(counts[f]):
            rank[order[r]] = r
            if r > 0:
                cuts[start[f + 1]] = middle_scalar(values[f, order[r - 1]], values[f, order[r]])
                start[f + 1] += 1
        if moved:
            for i in range(n):
                codes[f, i] = rank[codes[f, i]]
    return codes, cuts, start, many


@kernel
def _insert_all(values: Any, order: Any) -> bool:
    """Write the order of a few distinct values; return whether any of them has to move."""
    moved = False
    for i in range(len(values)):
        place = i
        while place > 0 and values[order[place - 1]] > values[i]:
            order[place] = order[place - 1]
            place -= 1
            moved = True
        order[place] = i
    return moved


def _merge_rows(encoded: EncodedMatrix) -> EncodedMatrix:
    """Merge identical rows if at most three quarters of them are distinct; otherwise return the argument."""
    n_bins = encoded.n_bins
    if np.log2(n_bins).sum() > 62:  # the key of a row would not fit into 64 bits: such rows are hardly ever alike
        return encoded
    codes, limit = encoded.codes, 3 * encoded.codes.shape[1] // 4
    if codes.shape[1] <= SMALL:
        keys = np.concatenate([[1], np.cumprod(n_bins[:-1])]) @ codes.astype(np.int64)
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        group = group.astype(np.int32) if len(first) <= limit else group[:0]
    else:
        group, first = _group(codes, n_bins, limit)
    if len(group) == 0:
        return encoded
    return EncodedMatrix(np.ascontiguousarray(codes[:, first]), encoded.cuts, encoded.start, group)  # type: ignore[arg-type]


@kernel
def _group(codes: Any, n_bins: Any, limit: int) -> Any:
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
