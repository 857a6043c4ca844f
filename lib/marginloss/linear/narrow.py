"""Machine code for the mean loss of a table with few columns: a block of rows is done with while it is in the cache.

With few columns the products are little work, and what counts is how often the margins, losses and weights of all rows
travel through memory.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from marginloss._compiled import kernel
from marginloss.losses.sigmoid_power import values_and_weights

__all__ = ["losses_and_slopes"]

ROWS = 1024  # of a block


@kernel
def losses_and_slopes(columns: Any, y: Any, weight: Any, exponent: float, coef: Any, intercept: float,
                      slope: Any) -> tuple[float, float]:  # fmt: skip
    """Weighted sum of the losses :class:`~marginloss.losses.margin.SigmoidPowerLoss`, and its derivatives.

    Parameters
    ----------
    columns : ndarray of shape (d, n)
        The table, one feature a row.
    y : ndarray of shape (n,)
        −1 and +1.
    weight : ndarray of shape (n,)
    exponent : float
        Of the loss.
    coef : ndarray of shape (d,)
    intercept : float
    slope : ndarray of shape (d,)
        Filled with the derivatives in the coefficients.

    Returns
    -------
    total : float
    tilt : float
        Derivative in the intercept.
    """
    d, n = columns.shape
    margin, loss, share = np.empty(ROWS), np.empty(ROWS), np.empty(ROWS)
    total, tilt = 0.0, 0.0
    slope[:] = 0.0
    for first in range(0, n, ROWS):
        size = min(ROWS, n - first)
        margins, losses, shares = margin[:size], loss[:size], share[:size]
        signs, weights = y[first : first + size], weight[first : first + size]
        margins[:] = intercept
        for j in range(d):
            _add(columns[j, first : first + size], coef[j], margins)
        for i in range(size):
            margins[i] *= signs[i]
        values_and_weights(margins, exponent, losses, shares)
        for i in range(size):
            shares[i] *= -weights[i] * signs[i]
        total += _dot(weights, losses)
        tilt += _sum(shares)
        for j in range(d):
            slope[j] += _dot(columns[j, first : first + size], shares)
    return total, tilt


@kernel
def _add(column: Any, factor: float, out: Any) -> None:
    for i in range(len(out)):
        out[i] += factor * column[i]


# sums may be reordered, so that the compiler can use vector registers


@partial(kernel, fastmath={"reassoc"})
def _dot(one: Any, two: Any) -> float:
    total = 0.0
    for i in range(len(one)):
        total += one[i] * two[i]
    return total


@partial(kernel, fastmath={"reassoc"})
def _sum(values: Any) -> float:
    total = 0.0
    for i in range(len(values)):
        total += values[i]
    return total
