"""Rows of a table: identical ones merged with their multiplicities, and folds of those that have weight."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils import _safe_indexing, gen_batches

from marginloss._validation import check_integer

__all__ = ["best_parameters", "folds", "merge_rows"]

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


Rows = NDArray[np.intp]


def best_parameters(
    model: Any,
    candidates: Sequence[Mapping[str, Any]],
    X: Any,
    codes: Rows,
    weight: NDArray[np.float64],
    sample_weight: ArrayLike | None,
    **options: Any,
) -> Mapping[str, Any]:
    """Parameters with the best accuracy on the given labels over the folds of ``model.cv``; of equals, the first."""
    right = np.zeros(len(candidates))
    for train, test in folds(model.cv, codes, sample_weight):
        if len(np.unique(codes[train])) == 1:
            raise ValueError(f"cv={model.cv!r} leaves a fold without examples of one class: fewer folds have both")
        for k, parameters in enumerate(candidates):
            fold = clone(model).set_params(class_weight=None, **parameters)  # the weights hold it already
            fold.fit(_safe_indexing(X, train), codes[train], weight[train], **options)
            right[k] += weight[test] @ (fold.predict(_safe_indexing(X, test)) == codes[test])
    return candidates[int(np.argmax(right))]


def folds(
    cv: Any, codes: NDArray[np.intp], sample_weight: ArrayLike | None = None, **shuffle: Any
) -> Iterator[tuple[Rows, Rows]]:
    """Training and test rows of each fold, as positions among the examples that have weight.

    Parameters
    ----------
    cv : int, splitter or iterable of splits
        A number means that many stratified folds of the examples that have weight. The others speak of all examples
        that were given to ``fit``; of their rows those without weight are left out.
    codes : ndarray of shape (n,)
        Labels of the examples that have weight.
    sample_weight : array_like, optional
        As it was given to ``fit``.
    **shuffle
        Parameters of :class:`sklearn.model_selection.StratifiedKFold` for a number of folds.

    Examples
    --------
    >>> given = [([0, 1], [2, 3])]
    >>> [(train.tolist(), test.tolist()) for train, test in folds(given, np.array([0, 1, 1]), [1, 0, 1, 2])]
    [([0], [1, 2])]
    """
    if isinstance(cv, Integral):
        yield from StratifiedKFold(check_integer("cv", cv, 2), **shuffle).split(codes, codes)
        return
    present = np.ones(len(codes), dtype=bool)
    if sample_weight is not None and np.ndim(sample_weight):
        present = np.asarray(sample_weight) > 0
    place, labels = np.full(len(present), -1), np.zeros(len(present), dtype=np.intp)
    place[present], labels[present] = np.arange(len(codes)), codes
    for train, test in check_cv(cv).split(labels, labels):
        yield place[train][present[train]], place[test][present[test]]
