"""The noise-free Boolean function xd6 and its published table of 973 rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from marginloss._validation import check_integer, check_rng

__all__ = ["make_xd6", "xd6_rule", "xd6_table"]

# the published table is the full cube twice, without one copy of these rows (nine bits, the first is the highest)
_SINGLE = (
    *(0, 6, 10, 14, 19, 21, 22, 26, 39, 47, 71, 82, 90, 98, 112, 115, 138, 155, 174, 196, 215, 226, 228, 257, 260, 266),
    *(281, 319, 321, 325, 335, 338, 341, 343, 350, 362, 367, 382, 386, 395, 400, 422, 434, 436, 441, 442, 447, 456),
    *(477, 498, 505),
)


def xd6_rule(X: ArrayLike) -> NDArray[np.int64]:
    r"""Labels ±1 of xd6: :math:`(x_1 x_2 x_3) \vee (x_4 x_5 x_6) \vee (x_7 x_8 x_9)`.

    Examples
    --------
    >>> xd6_rule([[1, 1, 1, 0, 0, 0, 0, 0, 0], [1, 1, 0, 1, 1, 0, 1, 1, 0]]).tolist()
    [1, -1]
    """
    bits = np.asarray(X)
    if bits.ndim != 2 or bits.shape[1] != 9 or not np.isin(bits, (0, 1)).all():
        raise ValueError(f"X must have nine columns of zeros and ones, got shape {bits.shape}")
    terms = bits.reshape(-1, 3, 3).min(axis=2)
    return np.where(terms.max(axis=1) == 1, 1, -1)


def make_xd6(n: int, rng: Any) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Draw rows of the Boolean function xd6 (sypherd2022): nine fair bits, of which 33 % are positive.

    Parameters
    ----------
    n : int
        Number of rows.
    rng : numpy.random.Generator or int
        Generator or seed.

    Returns
    -------
    X : ndarray of shape (n, 9)
        Zeros and ones.
    y : ndarray of shape (n,)
        Labels −1/+1 by :func:`xd6_rule`.

    Examples
    --------
    >>> X, y = make_xd6(4, rng=0)
    >>> X.shape, bool((xd6_rule(X) == y).all())
    ((4, 9), True)
    """
    n = check_integer("n", n, 1)
    X = check_rng(rng).integers(0, 2, (n, 9)).astype(np.float64)
    return X, xd6_rule(X)


def xd6_table() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The 973 published rows, in the order of their nine bits read as a number.

    Examples
    --------
    >>> X, y = xd6_table()
    >>> X.shape, int((y == 1).sum())
    ((973, 9), 322)
    """
    copies = np.full(512, 2)
    copies[list(_SINGLE)] = 1
    codes = np.repeat(np.arange(512), copies)
    X = (codes[:, None] >> np.arange(8, -1, -1) & 1).astype(np.float64)
    return X, xd6_rule(X)
