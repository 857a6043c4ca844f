"""Columns as small integers, made once per data set: every round, step rule and noise level then shares them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_array

from marginloss.boosting.binning import digitise, few_values, group_columns, middle

__all__ = ["EncodedMatrix", "encode"]

EXACT_ROWS = 5000  # up to here every distinct value is its own bin
SMALL = 2000  # rows that are encoded by NumPy, so that nobody waits for a compiler
FEW = 255  # columns with at most this many distinct values are exact at any size
QUANTILE_ROWS = 20_000  # rows looked at to place quantile cuts
PRECISIONS = [np.float64, np.float32]
DENSE = 2**23  # values of a sparse matrix that are made dense at a time
LARGEST = float(np.finfo(np.float64).max)  # the cut above which there are missing values only


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
    copied : ndarray
        Features that stand behind the others a second time. Missing values are the last bin of their feature, so that
        they go with the large ones; in the copy they are the first bin. The better of the two splits is taken.
    """

    codes: NDArray[np.unsignedinteger]
    cuts: NDArray[np.float64]
    start: NDArray[np.int64]
    group: NDArray[np.int32] | None = None
    copied: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, dtype=np.intp))

    @property
    def shape(self) -> tuple[int, int]:
        """Samples and features of the matrix that was encoded."""
        n = self.codes.shape[1] if self.group is None else len(self.group)
        return n, len(self.codes) - len(self.copied)

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
            return replace(self, group=self.group[rows])
        return replace(self, codes=np.ascontiguousarray(self.codes[:, rows]))

    def decode(self) -> NDArray[np.float64]:
        """A matrix that every tree on this encoding treats like the original one: the upper end of each bin."""
        X = np.empty((self.codes.shape[1], self.shape[1]))
        for f in range(X.shape[1]):
            cuts = self.cuts[self.start[f] : self.start[f + 1]]
            X[:, f] = np.append(cuts, np.nan if LARGEST in cuts[-1:] else np.inf)[self.codes[f]]
        return X if self.group is None else X[self.group]


def encode(X: Any, max_bins: int = 127, merge: bool = True) -> EncodedMatrix:
    """Encode the columns of a matrix of finite numbers and of NaN for missing ones, which get a bin of their own.

    A column with at most 255 distinct values, or with at most 5000 rows, keeps every distinct value; a longer one gets
    ``max_bins`` bins of about equal mass. Identical rows are merged when at least a quarter of them can be spared.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Of a sparse one a few columns at a time are made dense; the bins take a byte or two a value.
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
        # which would cost more than a small matrix takes to encode
        X = check_array(X, dtype=PRECISIONS, accept_sparse="csc", ensure_all_finite="allow-nan")
    parts = [_encode_dense(block, max_bins) for block in _dense_blocks(X)]
    if len(parts) > 1:
        cuts = [part.cuts[a:b] for part in parts for a, b in pairwise(part.start)]
        encoded = EncodedMatrix(np.concatenate([part.codes for part in parts]), *_joined(cuts))
    else:
        encoded = parts[0]
    return _with_copies(_merge_rows(encoded) if merge else encoded)


def _dense_blocks(X: Any) -> Iterator[Any]:
    """The matrix, or as many columns at a time of a sparse one as may be dense."""
    if not sparse.issparse(X):
        yield X
        return
    for columns in gen_batches(X.shape[1], max(1, DENSE // X.shape[0])):
        yield X[:, columns].toarray()


def _encode_dense(X: Any, max_bins: int) -> EncodedMatrix:
    missing = np.isnan(X.min(axis=0))
    if missing.any():  # as infinity, which no number is, the last bin
        X = np.where(np.isnan(X), np.inf, X)
    encoded = _encode_small(X) if len(X) <= SMALL else _encode_large(X, max_bins)
    encoded.cuts[encoded.start[1:][missing & (encoded.n_bins > 1)] - 1] = LARGEST
    return encoded


def _with_copies(encoded: EncodedMatrix) -> EncodedMatrix:
    """Append a copy of each feature with missing values and several others, in which they are the first bin."""
    parts = [encoded.cuts[a:b] for a, b in pairwise(encoded.start)]
    copied = np.array([f for f, cuts in enumerate(parts) if len(cuts) > 1 and cuts[-1] == LARGEST], dtype=np.intp)
    if len(copied) == 0:
        return encoded
    last, codes = encoded.n_bins[copied, None] - 1, encoded.codes[copied]
    first = np.where(codes == last, 0, codes + 1).astype(codes.dtype)
    parts += [np.append(-np.inf, parts[f][:-1]) for f in copied]
    return EncodedMatrix(np.concatenate([encoded.codes, first]), *_joined(parts), encoded.group, copied)


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
    codes, values, counts = few_values(X, FEW)
    many = np.flatnonzero(counts > FEW)
    parts: list[Any] = []
    for column, row, count in zip(codes, values, counts, strict=True):
        order = np.argsort(row[:count])
        parts.append(middle(row[order[:-1]], row[order[1:]]))
        if count <= FEW and (np.diff(order) < 0).any():
            column[:] = np.argsort(order).astype(np.uint8)[column]
    if len(many) == 0:
        return EncodedMatrix(codes, *_joined(parts))
    if len(X) <= EXACT_ROWS:
        codes = codes.astype(np.uint16)
        codes[many], ranked = _ranks(X.T[many])
        for f, part in zip(many, ranked, strict=True):
            parts[f] = part
    else:
        for f in many:  # one column at a time: a copy of a large matrix is not small
            column = np.ascontiguousarray(X[:, f], dtype=np.float64)
            parts[f] = _quantile_cuts(column, max_bins)
            digitise(column, parts[f], codes[f])
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


def _quantile_cuts(column: NDArray[np.float64], max_bins: int) -> NDArray[np.float64]:
    """Cuts that leave about the same number of values in each bin, from an evenly spaced subset of a long column."""
    is_missing = column.max() == np.inf
    present = column[column < np.inf] if is_missing else column
    subset = np.sort(present[:: max(1, len(present) // QUANTILE_ROWS)])
    places = np.linspace(0, len(subset) - 1, max_bins + 1)[1:-1].astype(np.intp)
    cuts = np.unique(subset[places])
    return np.append(cuts, LARGEST) if is_missing else cuts


def _merge_rows(encoded: EncodedMatrix) -> EncodedMatrix:
    """Merge identical rows if at most three quarters of them are distinct; otherwise return the argument."""
    n_bins = encoded.n_bins
    if np.log2(n_bins).sum() > 62:  # the key of a row would not fit into 64 bits: such rows are hardly ever alike
        return encoded
    codes, limit = encoded.codes, 3 * encoded.codes.shape[1] // 4
    if codes.shape[1] <= SMALL:
        keys = np.concatenate([[1], np.cumprod(n_bins[:-1])]) @ codes.astype(np.int64)
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        group = group if len(first) <= limit else group[:0]
    else:
        group, first = group_columns(codes, n_bins, limit)
    if len(group) == 0:
        return encoded
    return replace(encoded, codes=np.ascontiguousarray(codes[:, first]), group=group.astype(np.int32))
