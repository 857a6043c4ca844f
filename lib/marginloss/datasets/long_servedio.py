"""The construction of Long and Servedio on which every convex booster fails, in the plane and in 21 dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from marginloss._validation import check_integer, check_rng

__all__ = ["KINDS", "long_servedio_points", "make_long_servedio"]

Array = NDArray[np.float64]

#: Names of the kinds of rows, by their number.
KINDS = ("large margin", "puller", "penalizer")

_SHARES = (0.25, 0.25, 0.5)
_FIRST, _LAST = 11, 10  # the puller agrees with the label on the first 11 coordinates of 21


def long_servedio_points(gamma: float) -> tuple[Array, NDArray[np.int64], NDArray[np.int64]]:
    r"""The four examples in the plane on which the theory of sypherd2023 rests (its equation (23) and Figure 3).

    One large-margin example :math:`(1, 0)`, one puller :math:`(\gamma, 5\gamma)` and two penalizers
    :math:`(\gamma, -\gamma)`, all of class +1. A linear score :math:`\theta` classifies all of them if and only if
    :math:`\theta_1 > 0`, :math:`\theta_1 > \theta_2` and :math:`\theta_1 > -5\theta_2`.

    Parameters
    ----------
    gamma : float
        Scale of the hard examples, in (0, 1/6).

    Returns
    -------
    X : ndarray of shape (3, 2)
        Distinct points, in the order of ``KINDS``.
    y : ndarray of shape (3,)
        All +1.
    multiplicity : ndarray of shape (3,)
        How often each point occurs: 1, 1, 2.

    Examples
    --------
    >>> X, y, multiplicity = long_servedio_points(0.05)
    >>> X.tolist(), multiplicity.tolist()
    ([[1.0, 0.0], [0.05, 0.25], [0.05, -0.05]], [1, 1, 2])
    """
    number = float(gamma) if isinstance(gamma, int | float | np.number) and not isinstance(gamma, bool) else np.nan
    if not 0 < number < 1 / 6:
        raise ValueError(f"gamma must be a number in (0, 1/6), got {gamma!r}")
    X = np.array([[1.0, 0.0], [number, 5 * number], [number, -number]])
    return X, np.ones(3, dtype=np.int64), np.array([1, 1, 2])


def make_long_servedio(n: int, rng: Any, *, gamma: float | None = None, return_kind: bool = False) -> tuple[Any, ...]:
    r"""Draw Long–Servedio examples: labels ±1 with equal probability, three kinds of rows in shares ¼, ¼, ½.

    In 21 dimensions, ``gamma=None``, each coordinate is ±1 (Section 5.1 of sypherd2023):

    * *large margin*: every coordinate equals the label;
    * *puller*: the first 11 coordinates equal the label, the last 10 are its opposite;
    * *penalizer*: 5 random ones of the first 11 and 6 random ones of the last 10 equal the label, the others do not.

    The unweighted vote of all coordinates is always right, with normalised margin at least 1/21, and a single
    coordinate is right with probability 8/11 (the first 11) or 11/20 (the last 10).

    Parameters
    ----------
    n : int
        Number of rows.
    rng : numpy.random.Generator or int
        Generator or seed.
    gamma : float, optional
        Draw in the plane instead: the points of :func:`long_servedio_points`, multiplied by the label.
    return_kind : bool, default=False
        Return the kind of each row too: 0 large margin, 1 puller, 2 penalizer.

    Returns
    -------
    X : ndarray of shape (n, 21) or (n, 2)
    y : ndarray of shape (n,)
        Labels −1/+1.
    kind : ndarray of shape (n,)
        Only with ``return_kind=True``.

    Examples
    --------
    >>> X, y, kind = make_long_servedio(1000, rng=0, return_kind=True)
    >>> X.shape, bool((np.sign(X.sum(axis=1)) == y).all())
    ((1000, 21), True)
    """
    n, generator = check_integer("n", n, 1), check_rng(rng)
    points = None if gamma is None else long_servedio_points(gamma)[0]
    y = 2 * generator.integers(0, 2, n) - 1
    kind = generator.choice(3, n, p=_SHARES)
    directions = _agreement(kind, generator) if points is None else points[kind]
    X = y[:, None] * directions
    return (X, y, kind) if return_kind else (X, y)


def _agreement(kind: NDArray[np.int64], generator: np.random.Generator) -> Array:
    """+1 where a coordinate agrees with the label and −1 where it does not, one row for each kind given."""
    signs = np.ones((len(kind), _FIRST + _LAST))
    signs[kind == 1, _FIRST:] = -1
    penalizers = np.flatnonzero(kind == 2)
    halves = [np.repeat([1.0, -1.0], counts) for counts in ((5, _FIRST - 5), (6, _LAST - 6))]
    signs[penalizers] = np.hstack([generator.permuted(np.tile(half, (len(penalizers), 1)), axis=1) for half in halves])
    return signs
