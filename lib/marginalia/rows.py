"""Identical rows of a table, merged with their multiplicities: surveys have thousands of answers, not millions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import gen_batches

__all__ = ["merge_rows"]

#: Rows looked at to decide whether a search through all of them can pay.
PROBE = 1000


def merge_rows(
    X: Any, codes: NDArray[np.intp], weight: NDArray[np.float64]
) -> tuple[Any, NDArray[np.intp], NDArray[np.float64]]:
    """Merge equal rows of equal label, adding their weights, if a tenth of the rows or more is saved; else return them.

    Rows are compared by a 64-bit hash of their bits, and the result is verified, so that a collision cannot pass. They
    come back in the order of their hashes: the same for weights and for repetitions, in whatever order those came.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n, d), float64
    codes : ndarray of shape (n,)
        Label of each row as a whole number.
    weight : ndarray of shape (n,)

    Examples
    --------
    >>> X, codes = np.array([[0.0, 1.0], [0.0, 1.0], [0.0, 1.0], [2.0, 1.0]]), np.array([1, 1, 1, 0])
    >>> merge_rows(X, codes, np.ones(4))
    (array([[0., 1.],
           [2., 1.]]), array([1, 0]), array([3., 1.]))
    """
    n = len(codes)
    probe = np.arange(0, n, max(1, n // PROBE))
    if len(np.unique(_hashes(X[probe], codes[probe]))) > 0.9 * len(probe):
        return X, codes, weight
    _, first, inverse = np.unique(_hashes(X, codes), return_index=True, return_inverse=True)
    if len(first) > 0.9 * n:
        return X, codes, weight
    kept = X[first]
    difference = kept[inverse] != X
    if (difference.nnz if sparse.issparse(X) else difference.any()) or (codes[first][inverse] != codes).any():
        return X, codes, weight  # two different rows share a hash
    return kept, codes[first], np.bincount(inverse, weights=weight).astype(np.float64)


def _hashes(X: Any, codes: NDArray[np.intp]) -> NDArray[np.uint64]:
    """Sum of the bits of each entry times an odd number of its column, modulo two to the 64."""
    odd = np.random.default_rng(0).integers(0, 2**63, X.shape[1] + 1, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    if sparse.issparse(X):
        X = sparse.csr_array(X)
        terms = _bits(X.data) * odd[X.indices]
        sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(terms, dtype=np.uint64)])
        hashes = sums[X.indptr[1:]] - sums[X.indptr[:-1]]
    else:
        hashes = np.empty(len(X), dtype=np.uint64)
        for rows in gen_batches(len(X), max(1, 2**20 // X.shape[1])):
            hashes[rows] = (_bits(X[rows]) * odd[:-1]).sum(axis=1)
    return hashes + codes.astype(np.uint64) * odd[-1]


def _bits(values: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Bit pattern of each number, of which the upper half also enters the lower: small integers have zeros there."""
    bits = (np.ascontiguousarray(values, dtype=np.float64) + 0.0).view(np.uint64)  # + 0.0: minus zero becomes zero
    return bits ^ (bits >> np.uint64(32))
