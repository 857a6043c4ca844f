"""Which model answers? A draw for each row, a draw for each call, or a choice frozen by a key (zhai2021, section 2)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

__all__ = ["draw_models", "frozen_models"]

Array = NDArray[np.float64]
_MIX = np.array([0xBF58476D1CE4E5B9, 0x94D049BB133111EB], dtype=np.uint64)


def draw_models(model_weights: Array, size: int, random: np.random.RandomState) -> NDArray[np.intp]:
    """Independent draws of a model, with the probabilities ``model_weights``.

    Examples
    --------
    >>> draw_models(np.array([0.0, 1.0]), 3, np.random.RandomState(0))
    array([1, 1, 1])
    """
    return _invert(model_weights, random.random_sample(size))


def frozen_models(X: Any, model_weights: Array, key: int) -> NDArray[np.intp]:
    """Model chosen for each row by a hash of its values and a secret key.

    The same row gets the same model each time it asks, so that nobody gains by asking again; over random keys the
    choice follows ``model_weights``, independently for different rows. A row that differs in one digit is another
    row: near-duplicates can still be tried. The hash mixes well but is not cryptographic.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        Numbers.
    model_weights : ndarray of shape (T,)
    key : int
        Non-negative; who knows it knows the choices.

    Examples
    --------
    >>> X = np.arange(6.0).reshape(3, 2)
    >>> chosen = frozen_models(X, np.full(4, 0.25), key=7)
    >>> bool((frozen_models(X[::-1], np.full(4, 0.25), key=7)[::-1] == chosen).all())
    True
    """
    table = X.toarray() if sparse.issparse(X) else np.asarray(X)
    if not np.issubdtype(table.dtype, np.number) and table.dtype != bool:
        raise ValueError(f'sampling="frozen" needs numbers in X, got an array of {table.dtype}')
    # adding zero turns -0.0 into 0.0: equal rows have equal bits
    bits = (np.ascontiguousarray(table, dtype=np.float64) + 0.0).view(np.uint64)
    secrets = np.random.SeedSequence(key).generate_state(bits.shape[1] + 1, dtype=np.uint64)
    state = np.full(len(bits), secrets[0], dtype=np.uint64)
    for column, secret in zip(bits.T, secrets[1:], strict=True):
        state = _mix(state ^ _mix(column ^ secret))
    return _invert(model_weights, (state >> np.uint64(11)).astype(np.float64) * 2.0**-53)


def _mix(state: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Finaliser of SplitMix64: every bit of the input reaches every bit of the output."""
    state = (state ^ (state >> np.uint64(30))) * _MIX[0]
    state = (state ^ (state >> np.uint64(27))) * _MIX[1]
    return state ^ (state >> np.uint64(31))


def _invert(model_weights: Array, uniform: Array) -> NDArray[np.intp]:
    """Model whose interval of the cumulated weights holds each number of [0, 1); never one of weight zero."""
    support = np.flatnonzero(model_weights > 0)
    reached = np.cumsum(model_weights[support])
    return support[np.minimum(np.searchsorted(reached, uniform * reached[-1], side="right"), len(support) - 1)]
