"""Products of many linear models with the same rows: each evaluation reads the data once, for all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import gen_batches

Array = NDArray[np.float64]

#: Bytes and rows of a block: it stays in the cache between the two products, and so do the scores of many models.
BLOCK, MOST_ROWS = 2**22, 2048
FEW = 3  # up to so many models, products with each of them are faster than one with the narrow matrix


@dataclass(frozen=True, eq=False)
class Replaced:
    """New inputs for some rows of a table.

    Parameters
    ----------
    rows : ndarray of shape (r,)
        Numbers of the rows, ascending.
    inputs : ndarray of shape (r, d)
    """

    rows: NDArray[np.intp]
    inputs: NDArray[Any]

    @classmethod
    def between(cls, X: NDArray[Any], changed: NDArray[Any]) -> Replaced:
        """What is to be replaced in ``X`` to make ``changed`` of it."""
        rows = np.flatnonzero((changed != X).any(axis=1))
        return cls(rows, changed[rows])


class SharedRows:
    """A table that many models have in common, but for rows that some of them have replaced.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n, d)
        The products run in its precision.
    replaced : sequence of Replaced or None
        One entry per model. Models with the same object share its products too.
    """

    def __init__(self, X: Any, replaced: Sequence[Replaced | None]) -> None:
        self.X = X
        rows = X.shape[0] if sparse.issparse(X) else max(1, min(BLOCK // (X.shape[1] * X.dtype.itemsize), MOST_ROWS))
        self._blocks = list(gen_batches(X.shape[0], rows))
        distinct = {id(other): other for other in replaced if other is not None}.values()
        self._patches = [_Patch(other, replaced, self._blocks) for other in distinct]

    def sums(self, coef: Array, models: NDArray[np.intp], weigh: Callable[[slice, Array], Array]) -> Array:
        """Weighted sums of all inputs, one a model, with weights that depend on the scores.

        Parameters
        ----------
        coef : ndarray of shape (K, d)
        models : ndarray of shape (K,)
            Numbers of the models, ascending.
        weigh : callable
            Takes a slice of r rows and an array of their scores, (K, r), which it may overwrite, and returns weights
            of this shape.

        Returns
        -------
        ndarray of shape (K, d)
        """
        narrow, total = coef.astype(self.X.dtype), np.zeros(coef.shape)
        patches = [patch for patch in self._patches if patch.start(narrow, models)]
        for number, rows in enumerate(self._blocks):
            part = self.X[rows] if len(self._blocks) > 1 else self.X
            scores = _scores(part, narrow)
            for patch in patches:
                patch.put(scores, number)
            weights = weigh(rows, scores)
            for patch in patches:
                patch.take(weights, number)
            total += _sums(part, weights)
        for patch in patches:
            patch.add_to(total)
        return total


class _Patch:
    """Replaced rows in one evaluation: their scores are put among the others, their weights taken out again."""

    def __init__(self, other: Replaced, replaced: Sequence[Replaced | None], blocks: Sequence[slice]) -> None:
        self.inputs, self._has = other.inputs, np.array([own is other for own in replaced])
        ends = [slice(*np.searchsorted(other.rows, (block.start, block.stop))) for block in blocks]
        self._places = [(here, other.rows[here] - block.start) for here, block in zip(ends, blocks, strict=True)]

    def start(self, narrow: NDArray[Any], models: NDArray[np.intp]) -> bool:
        """Scores of the replaced rows; whether any of the models has them."""
        own = np.flatnonzero(self._has[models])
        self._own, self._kept = own[:, None], _scores(self.inputs, narrow[own])
        return bool(own.size)

    def put(self, scores: Array, block: int) -> None:
        here, local = self._places[block]
        scores[self._own, local] = self._kept[:, here]

    def take(self, weights: Array, block: int) -> None:
        here, local = self._places[block]
        self._kept[:, here] = weights[self._own, local]
        weights[self._own, local] = 0.0

    def add_to(self, total: Array) -> None:
        total[self._own[:, 0]] += _sums(self.inputs, self._kept)


def _scores(X: Any, coef: NDArray[Any]) -> Array:
    """Product with each row of ``coef``, in the precision of ``X``."""
    if len(coef) <= FEW:
        out = np.empty((len(coef), X.shape[0]))
        for row, own in zip(out, coef, strict=True):
            row[:] = X @ own
        return out
    return np.asarray((X @ coef.T).T, dtype=np.float64, order="C")


def _sums(X: Any, weights: Array) -> Array:
    """Product of each row of ``weights`` with ``X``, in its precision."""
    narrow = weights.astype(X.dtype, copy=False)
    if len(narrow) <= FEW:
        out = np.empty((len(narrow), X.shape[1]))
        for row, own in zip(out, narrow, strict=True):
            row[:] = own @ X
        return out
    return np.asarray(narrow @ X, dtype=np.float64)
