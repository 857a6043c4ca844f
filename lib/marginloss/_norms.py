r"""The geometry of :math:`p`-norms: norms, dual exponents and the vectors that attain Hölder's inequality."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from marginloss._validation import check_choice, check_real

__all__ = ["attaining_vector", "dual_exponent", "p_norm"]

Array = NDArray[np.float64]

TIE = 1e-12  # relative distance below which two magnitudes are one: rounding must not break mathematical ties


def dual_exponent(p: float) -> float:
    r"""Exponent :math:`q` with :math:`1/p + 1/q = 1`.

    Examples
    --------
    >>> dual_exponent(2), dual_exponent(1), dual_exponent(float("inf"))
    (2.0, inf, 1.0)
    """
    p = check_real("p", p, "[1, inf]")
    if p == 1:
        return math.inf
    return 1.0 if math.isinf(p) else p / (p - 1)


def p_norm(x: ArrayLike, p: float, axis: int = -1) -> Array:
    r"""Norm :math:`(\sum_i |x_i|^p)^{1/p}` along an axis, without overflow or underflow for any :math:`p`.

    Examples
    --------
    >>> float(p_norm([3.0, 4.0], 2)), float(p_norm([3e-200, 4e-200], float("inf")))
    (5.0, 4e-200)
    """
    p = check_real("p", p, "[1, inf]")
    size = np.abs(np.asarray(x, dtype=np.float64))
    largest = size.max(axis=axis, initial=0.0)
    if math.isinf(p):
        return largest
    # scaled by the largest entry: |x|^p leaves the range of doubles long before the norm does
    scale = np.where(largest > 0, largest, 1.0)
    total = ((size / np.expand_dims(scale, axis)) ** p).sum(axis=axis)
    return scale * total ** (1 / p) * (largest > 0)


def attaining_vector(z: ArrayLike, p: float, ties: str = "uniform") -> Array:
    r"""Vector :math:`v` with :math:`\|v\|_q = 1` and :math:`v \cdot z = \|z\|_p`, the largest value possible.

    .. math:: v_i = \frac{\operatorname{sign}(z_i)\,\rho_i^{p-1}}{\bigl(\sum_k \rho_k^p\bigr)^{1-1/p}},
              \qquad \rho_i = |z_i| / \|z\|_\infty

    Lines 2 and 3 of Figure 2 of servedio2003, divided by :math:`\|z\|_\infty` first: the unscaled powers give 0/0
    already for :math:`p = 1000`. At :math:`p = \infty` the limit of the formula, equal shares on the largest entries.

    Parameters
    ----------
    z : array-like of shape (d,)
        Direction; the zero vector gives the zero vector.
    p : float
        In :math:`[1, \infty]`.
    ties : {"uniform", "first"}
        What to do at :math:`p = \infty` with several largest entries: share equally (the limit, which does not depend
        on the order of the entries) or take the first one.

    Examples
    --------
    >>> attaining_vector([3.0, -4.0], 2)
    array([ 0.6, -0.8])
    >>> attaining_vector([1.0, -2.0, 2.0], float("inf"))
    array([ 0. , -0.5,  0.5])
    """
    p = check_real("p", p, "[1, inf]")
    check_choice("ties", ties, ("uniform", "first"))
    z = np.asarray(z, dtype=np.float64)
    size = np.abs(z)
    largest = size.max(initial=0.0)
    if largest == 0:
        return np.zeros_like(z)
    if math.isinf(p):
        chosen = size >= (1 - TIE) * largest
        if ties == "first":
            chosen[np.argmax(chosen) + 1 :] = False
        return np.sign(z) * chosen / np.count_nonzero(chosen)
    ratio = size / largest
    return np.sign(z) * ratio ** (p - 1) / (ratio**p).sum() ** (1 - 1 / p)
