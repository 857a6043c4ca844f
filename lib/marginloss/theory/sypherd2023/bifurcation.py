r"""All stationary points of the Long–Servedio landscape, and the values of α at which they appear and vanish.

Stationarity is :math:`2B(u) = 5B(v)` and :math:`B(\theta_1) = -6\gamma B(v)` with :math:`6\gamma\theta_1 = 5u + v`. It
forces :math:`u, v < \alpha\log N < \theta_1`, so every point lies on a curve over :math:`\theta_1` between
:math:`\alpha\log N` and :math:`\alpha\log N/\gamma`: there :math:`B(v)` and :math:`B(u)` are known, and each of
:math:`u, v` has one value on either side of the lowest point of :math:`B`. What is left is one equation in
:math:`\theta_1` on each of four branches.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize_scalar

from marginloss.theory import Array
from marginloss.theory.sypherd2023.long_servedio import Landscape, fair_coin_margin

__all__ = ["StationaryPoint", "Thresholds", "global_minimum", "minima", "stationary_points", "thresholds"]


@dataclass(frozen=True)
class StationaryPoint:
    """A point where both first-order equations hold.

    Attributes
    ----------
    theta : tuple of two floats
    kind : str
        ``minimum`` or ``saddle``, by the eigenvalues of the Hessian.
    accuracy : float
        On the clean points.
    risk : float
        Times :math:`4(N+1)`.
    """

    theta: tuple[float, float]
    kind: str
    accuracy: float
    risk: float


@dataclass(frozen=True)
class Thresholds:
    """The three values of α at which the landscape changes.

    Attributes
    ----------
    fold : float
        The far minimum appears, which is perfect.
    switch : float
        It becomes the global minimum.
    end : float
        The near minimum vanishes, a fair coin at first; it may turn perfect before it ends.
    """

    fold: float
    switch: float
    end: float


def stationary_points(landscape: Landscape, grid: int = 600) -> list[StationaryPoint]:
    """All stationary points, in the order of their first coordinate; one below the smallest double is given as 0.

    Parameters
    ----------
    landscape : Landscape
        With finite α.
    grid : int, default 600
        Number of points at which each branch is scanned for changes of sign.

    Examples
    --------
    >>> [(round(p.theta[0], 4), p.kind, p.accuracy) for p in stationary_points(Landscape(alpha=2))]
    [(1.6673, 'minimum', 0.5), (6.5353, 'saddle', 1.0), (27.7251, 'minimum', 1.0)]
    """
    curves = _Curves(landscape)
    found = []
    for branch in curves.branches:
        found += [curves.theta(root, *branch) for root in curves.roots(grid, *branch)]
    return [_describe(landscape, theta) for theta in sorted(found)]


def minima(landscape: Landscape, grid: int = 600) -> list[StationaryPoint]:
    """The local minima among the stationary points."""
    return [point for point in stationary_points(landscape, grid) if point.kind == "minimum"]


def global_minimum(landscape: Landscape, grid: int = 600) -> StationaryPoint:
    """The minimum of lowest risk.

    Examples
    --------
    >>> [global_minimum(Landscape(alpha)).accuracy for alpha in (1.1, 1.8, 2, 10)]
    [0.5, 0.5, 1.0, 1.0]
    """
    return min(minima(landscape, grid), key=lambda point: point.risk)


def thresholds(odds: float = 2.0, gamma: float = 0.05) -> Thresholds:
    """The three values of α at which the landscape changes, for a data margin at which convex losses fail.

    Raises
    ------
    ValueError
        If the logistic optimum is already perfect (γ at or above :func:`fair_coin_margin` at α = 1), or if there is no
        fold: shortly below that margin and with little noise one minimum moves from the fair coin to the perfect point.

    Examples
    --------
    >>> found = thresholds()
    >>> round(found.fold, 4), round(found.switch, 4), round(found.end, 4)
    (1.4175, 1.9283, 2.9209)
    """
    largest = fair_coin_margin(1 / (Landscape(1.0, odds, gamma).odds + 1), 1.0)
    if gamma >= largest:
        raise ValueError(f"gamma must be below {largest:.6g}, from where on a convex loss is right, got {gamma}")

    def lowest(alpha: float) -> float:
        return _turning_value(_Curves(Landscape(alpha, odds, gamma)), lowest=True)

    def highest(alpha: float) -> float:
        return _turning_value(_Curves(Landscape(alpha, odds, gamma)), lowest=False)

    def difference(alpha: float) -> float:
        # a third minimum has a large negative second coordinate; that of the far one is tiny, and 0 if it underflows
        points = [point for point in minima(Landscape(alpha, odds, gamma)) if point.theta[1] >= 0]
        return points[-1].risk - points[0].risk

    # the equation on the main branch rises, falls and rises again: the near minimum is on the first rise, the saddle on
    # the fall, the far minimum on the last rise; two of them merge where a turning value is zero
    fold = _first_root(lowest, 1 + np.geomspace(1e-5, 1e3, 40))
    # without a fold the two turning points are born together, with values of one sign
    if fold is None or not abs(lowest(fold)) < 1e-3 * highest(fold):
        raise ValueError(f"no fold found for alpha from 1 + 1e-5 to 1e3 at odds={odds}, gamma={gamma}")
    end = _first_root(highest, fold + np.append(0.0, np.geomspace(1e-3 * (fold - 1), 1e4, 40)))
    if end is None:
        raise ValueError(f"the near minimum does not end below alpha = 1e4 at odds={odds}, gamma={gamma}")
    # at the fold the far minimum is the saddle and lies above the near one, at the end it is the other way round
    margin = 1e-3 * min(fold - 1, end - fold)
    return Thresholds(fold, brentq(difference, fold + margin, end - margin, xtol=1e-9), end)


class _Curves:
    """The branches on which stationary points lie, as functions of the logarithm of θ₁ - α log N."""

    def __init__(self, landscape: Landscape) -> None:
        if not math.isfinite(landscape.alpha):
            raise ValueError("alpha must be finite: at alpha=inf the risk has no stationary point")
        self.landscape = landscape
        zero = landscape.zero
        # 5u + v = 6 gamma theta_1 > 0 and u, v < zero bound both from below
        self.deepest = 6 * zero
        self.turn = self._lowest_point()
        self.bottom = -float(landscape.drive_beyond(-self.turn))
        self.top = math.log(zero / landscape.gamma - zero)
        self.branches = [(False, False)]
        if self.turn < self.deepest:
            self.branches = [(u, v) for u in (False, True) for v in (False, True)]
        self.tables = {low: self._table(low) for low in {side for branch in self.branches for side in branch}}

    def abscissae(self, grid: int) -> Array:
        """Logarithms of θ₁ - α log N: dense where θ₁ is large, and far down where θ₁ hugs α log N."""
        zero, slope = self.landscape.zero, max(self.landscape.loss.exponent, 0.0)
        floor = -5.5 * slope * zero - 12
        fine = np.log(np.linspace(math.exp(self.top) / grid, math.exp(self.top), grid))
        x = np.unique(np.concatenate([np.linspace(floor, fine[0], grid // 2), fine]))
        # where u reaches the lowest point of B, its two branches meet; a root may be closer to that than one step
        excess = self._pull(x) - self.bottom / 2.5
        ends = [
            brentq(lambda x: float(self._pull(x)) - self.bottom / 2.5, x[i], x[i + 1], xtol=1e-14)
            for i in np.flatnonzero(excess[:-1] * excess[1:] < 0)
        ]
        return np.unique(np.concatenate([x, *(np.array([end - 1e-11, end + 1e-11]) for end in ends)]))

    def _pull(self, x: Array | float) -> Array:
        """The value of -B(v) that θ₁ asks for."""
        out: Array = self.landscape.drive_beyond(np.exp(x)) / (6 * self.landscape.gamma)
        return out

    def residual(self, x: Array | float, low_u: bool, low_v: bool) -> Array:
        """Left minus right side of 6γθ₁ = 5u + v; NaN where the branch does not exist."""
        gamma, zero = self.landscape.gamma, self.landscape.zero
        below_u, below_v = self.distance(x, 2.5, low_u), self.distance(x, 1.0, low_v)
        out: Array = 6 * gamma * np.exp(x) + 6 * (gamma - 1) * zero + 5 * below_u + below_v
        return out

    def roots(self, grid: int, low_u: bool, low_v: bool) -> Iterator[float]:
        """Zeros of the residual on one branch."""
        x = self.abscissae(grid)
        y = self.residual(x, low_u, low_v)
        # just above a fold two roots lie within one step, at a turning point of the residual: each pass brings the grid
        # ten times closer to it
        for _ in range(3):
            x = np.unique(np.concatenate([x, *(np.linspace(x[i - 1], x[i + 1], 21) for i in _turning_points(y))]))
            y = self.residual(x, low_u, low_v)
        if not low_u and not low_v:
            # at the far end it is 5 (zero - u) + (zero - v) > 0, which rounding hides once both are below 1e-14
            y[-1] = max(y[-1], 1e-300)
        with np.errstate(invalid="ignore"):
            cells = np.flatnonzero(y[:-1] * y[1:] < 0)

        def residual(x: float) -> float:
            return float(self.residual(x, low_u, low_v))

        for left, right in zip(x[cells], x[cells + 1], strict=True):
            yield right if residual(left) * residual(right) >= 0 else brentq(residual, left, right, xtol=1e-13)

    def distance(self, x: Array | float, factor: float, low: bool) -> Array:
        """How far below α log N the value of -B is ``factor`` times what θ₁ asks of v."""
        return self._invert(factor * self._pull(x), low)

    def theta(self, x: float, low_u: bool, low_v: bool) -> tuple[float, float]:
        """The point; the second coordinate comes from the two distances, which keep it exact where it is tiny."""
        gap = float(self.distance(x, 2.5, low_u) - self.distance(x, 1.0, low_v))
        return self.landscape.zero + math.exp(x), gap / (6 * self.landscape.gamma)

    def _lowest_point(self) -> float:
        """Distance below α log N of the lowest point of B, or the deepest that matters if B still falls there."""
        grid = np.linspace(0, self.deepest, 400)
        slope = self.landscape.drive_slope(self.landscape.zero - grid)
        falling = np.flatnonzero(slope < 0)
        if not len(falling):
            return self.deepest
        cell = int(falling[0])
        root: float = brentq(
            lambda d: float(self.landscape.drive_slope(self.landscape.zero - d)), grid[cell - 1], grid[cell], xtol=1e-14
        )
        return root

    def _table(self, low: bool) -> tuple[Array, Array]:
        """Logarithms of the distance and of -B there, on one side of the lowest point, -B increasing."""
        ends = (self.deepest, self.turn) if low else (self.turn * 1e-14, self.turn)
        t = np.linspace(math.log(ends[0]), math.log(ends[1]), 1500)
        return t, np.log(-self.landscape.drive_beyond(-np.exp(t)))

    def _invert(self, depth: Array | float, low: bool) -> Array:
        """Distance at which -B has the given value, on the near or on the far side of its lowest point."""
        depth = np.asarray(depth, dtype=float)
        with np.errstate(divide="ignore"):
            wanted = np.log(np.maximum(depth, 0.0))
        t, level = self.tables[low]
        inside = np.clip(wanted, level[0], level[-1])
        cell = np.clip(np.searchsorted(level, inside) - 1, 0, len(t) - 2)
        root = _regula_falsi(
            lambda t: np.log(-self.landscape.drive_beyond(-np.exp(t))) - inside,
            (t[cell], t[cell + 1]),
            (level[cell] - inside, level[cell + 1] - inside),
        )
        # closer to the zero than the table goes, -B is proportional to the distance
        root = np.where(wanted < level[0], t[0] + wanted - level[0], root) if not low else root
        there = (wanted <= level[-1]) & (wanted > level[0] if low else True)
        return np.where(there, np.exp(root), np.nan)


def _regula_falsi(
    function: Callable[[Array], Array], ends: tuple[Array, Array], values: tuple[Array, Array], steps: int = 12
) -> Array:
    """Roots of many scalar equations at once, one in each bracket; the rule of Illinois."""
    (a, b), (at_a, at_b) = ends, values
    for _ in range(steps):
        flat = at_a == at_b
        c = np.where(flat, b, b - at_b * (b - a) / np.where(flat, 1.0, at_b - at_a))
        if not (np.abs(c - b) > 1e-15 * np.abs(b)).any():  # all have arrived
            return c
        at_c = function(c)
        crossed = at_c * at_b < 0
        a, at_a = np.where(crossed, b, a), np.where(crossed, at_b, at_a / 2)
        b, at_b = c, at_c
    return b


def _turning_points(y: Array) -> NDArray[np.intp]:
    """Positions of inner local minima and maxima of a table with gaps."""
    with np.errstate(invalid="ignore"):
        low = (y[1:-1] < y[:-2]) & (y[1:-1] <= y[2:])
        high = (y[1:-1] > y[:-2]) & (y[1:-1] >= y[2:])
    return np.flatnonzero(low | high) + 1


def _turning_value(curves: _Curves, lowest: bool) -> float:
    """Value of the residual on the main branch at its inner minimum or maximum; large if it has none."""
    sign = 1 if lowest else -1
    x = curves.abscissae(400)
    y = sign * curves.residual(x, False, False)
    inner = [i for i in _turning_points(y) if y[i] < y[i - 1]]
    if not inner:
        return curves.deepest / curves.landscape.gamma  # finite, so that a root finder can start from it
    best = min(inner, key=lambda i: float(y[i]))
    result = minimize_scalar(
        lambda t: sign * float(curves.residual(t, False, False)),
        bounds=(x[best - 1], x[best + 1]),
        method="bounded",
        options={"xatol": 1e-9},
    )
    # at the end of the branch the search may step out of it
    return sign * float(np.nanmin([result.fun, y[best]]))


def _first_root(function: Callable[[float], float], grid: Array) -> float | None:
    """The first root of a function that is positive at the start of a grid, or None if it has none there."""
    if not function(float(grid[0])) > 0:
        return None
    for left, right in pairwise(map(float, grid)):
        if function(right) < 0:
            root: float = brentq(function, left, right, xtol=1e-10)
            return root
    return None


def _describe(landscape: Landscape, theta: tuple[float, float]) -> StationaryPoint:
    eigenvalues = np.linalg.eigvalsh(landscape.hessian(theta))
    kind = "minimum" if eigenvalues[0] > 0 else "saddle"
    return StationaryPoint(theta, kind, float(landscape.accuracy(theta)), float(landscape.risk(theta)))
