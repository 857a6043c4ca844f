"""The Long–Servedio landscape as α changes: branches of stationary points, basins of attraction, annealing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from marginloss._validation import check_integer
from marginloss.theory.sypherd2023.bifurcation import stationary_points
from marginloss.theory.sypherd2023.long_servedio import Landscape

Array = NDArray[np.float64]


def branches(alphas: Sequence[float], odds: float = 2.0, gamma: float = 0.05) -> pd.DataFrame:
    """All stationary points of the noisy risk at each α: one row per point.

    Parameters
    ----------
    alphas : sequence of float
        Parameters of the loss, finite.
    odds, gamma : float
        Of the landscape.

    Returns
    -------
    pandas.DataFrame
        Columns ``alpha``, ``theta_1``, ``theta_2``, ``kind``, ``accuracy``, ``risk``.

    Examples
    --------
    >>> branches([1.0, 2.0])[["alpha", "kind"]].values.tolist()
    [[1.0, 'minimum'], [2.0, 'minimum'], [2.0, 'saddle'], [2.0, 'minimum']]
    """
    rows = [
        (alpha, *point.theta, point.kind, point.accuracy, point.risk)
        for alpha in alphas
        for point in stationary_points(Landscape(alpha, odds, gamma))
    ]
    return pd.DataFrame(rows, columns=["alpha", "theta_1", "theta_2", "kind", "accuracy", "risk"])


def basins(alpha: float, first: ArrayLike, second: ArrayLike, odds: float = 2.0, gamma: float = 0.05) -> Array:
    """Clean accuracy where the gradient flow ends, for each start on a grid.

    Parameters
    ----------
    alpha : float
        Parameter of the loss.
    first, second : array-like
        Coordinates of the starts.
    odds, gamma : float
        Of the landscape.

    Returns
    -------
    ndarray of shape (len(second), len(first))

    Examples
    --------
    >>> basins(2.0, [0.0, 20.0], [0.0]).tolist()
    [[0.5, 1.0]]
    """
    landscape = Landscape(alpha, odds, gamma)
    starts = np.stack(np.meshgrid(np.asarray(first, float), np.asarray(second, float)), axis=-1)
    accuracy: Array = landscape.accuracy(landscape.descend(starts))
    return accuracy


def anneal(alphas: Sequence[float], start: ArrayLike, odds: float = 2.0, gamma: float = 0.05) -> Array:
    """Follow a minimum while α changes: at each value, descend from where the last one ended.

    Parameters
    ----------
    alphas : sequence of float
        In the order in which they are visited.
    start : array-like of shape (2,)
        Where to begin.
    odds, gamma : float
        Of the landscape.

    Returns
    -------
    ndarray of shape (len(alphas), 2)
        Where the flow ends at each α.

    Examples
    --------
    >>> anneal([1.0, 2.0], [0.0, 0.0]).round(2).tolist()
    [[0.79, 1.41], [1.67, 2.63]]
    """
    theta = np.asarray(start, dtype=float)
    path = []
    for alpha in alphas:
        theta = Landscape(alpha, odds, gamma).descend(theta)
        path.append(theta)
    return np.array(path)


def valley(
    alpha: float, first: ArrayLike, odds: float = 2.0, gamma: float = 0.05, reach: float = 5.0, steps: int = 30
) -> Array:
    """Risk along the bottom of the valley: the lowest over the second coordinate, for each first one.

    The lowest value between ``-reach`` and ``reach`` is found on a grid around the best point that is halved each step.

    Parameters
    ----------
    alpha : float
        Parameter of the loss.
    first : array-like of shape (k,)
        First coordinates.
    odds, gamma : float
        Of the landscape.
    reach : float, default 5
        Largest second coordinate in absolute value.
    steps : int, default 30
        Number of grids.

    Returns
    -------
    ndarray of shape (k,)

    Examples
    --------
    >>> from marginloss.theory.sypherd2023.bifurcation import global_minimum
    >>> best = global_minimum(Landscape(2.0))
    >>> bool(abs(valley(2.0, [best.theta[0]])[0] - best.risk) < 1e-9)
    True
    """
    landscape = Landscape(alpha, odds, gamma)
    t = np.asarray(first, dtype=float)
    check_integer("steps", steps, 1)
    centre, width = np.zeros_like(t), float(reach)
    for step in range(steps):
        # the first grid is fine enough to choose among several dips, the later ones only close in on it
        offsets = np.linspace(-width, width, 201 if step == 0 else 9)
        second = np.clip(centre[:, None] + offsets, -reach, reach)
        risk = landscape.risk(np.stack(np.broadcast_arrays(t[:, None], second), axis=-1))
        centre = np.take_along_axis(second, risk.argmin(axis=1)[:, None], axis=1)[:, 0]
        width = 2 * width / 200 if step == 0 else width / 2
    lowest: Array = landscape.risk(np.column_stack([t, centre]))
    return lowest
