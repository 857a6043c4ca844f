r"""The Long–Servedio points in the plane: noisy risk, its first-order equations and where gradient descent leads.

Three distinct points, all of class +1: large margin :math:`(1, 0)`, puller :math:`(\gamma, 5\gamma)` and, counted
twice, penalizer :math:`(\gamma, -\gamma)`. With noise rate :math:`p = 1/(N+1)` the risk of :math:`\theta`, times
:math:`4(N+1)`, is :math:`\phi(\theta_1) + 2\phi(u) + \phi(v)` with :math:`\phi(m) = N\ell(m) + \ell(-m)`,
:math:`u = \gamma(\theta_1 - \theta_2)` and :math:`v = \gamma(\theta_1 + 5\theta_2)`; equations (24) to (29) and Lemma 2
of sypherd2023.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from marginloss._validation import check_real
from marginloss.datasets import long_servedio_points
from marginloss.losses import AlphaLoss
from marginloss.theory import Array

__all__ = ["Landscape", "fair_coin_margin"]


@dataclass(frozen=True)
class Landscape:
    r"""The noisy risk of the α-loss on the Long–Servedio points.

    Parameters
    ----------
    alpha : float
        Parameter of the loss, in :math:`(0, \infty]`.
    odds : float, default 2
        The :math:`N = 1/p - 1` of the paper, above 1: clean copies for each flipped one.
    gamma : float, default 1/20
        Data margin, in (0, 1/6).

    Examples
    --------
    >>> logistic = Landscape(alpha=1)
    >>> logistic.gradient([0.788929860, 1.412205634]).round(8) + 0.0
    array([0., 0.])
    >>> float(logistic.accuracy([0.79, 1.41]))
    0.5
    """

    alpha: float
    odds: float = 2.0
    gamma: float = 0.05

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", check_real("alpha", self.alpha, "(0, inf]"))
        object.__setattr__(self, "odds", check_real("odds", self.odds, "(1, inf)"))
        long_servedio_points(self.gamma)  # refuses a gamma out of range

    @cached_property
    def loss(self) -> AlphaLoss:
        """The loss of the margin."""
        return AlphaLoss(self.alpha)

    @cached_property
    def points(self) -> Array:
        """The three distinct points: large margin, puller, penalizer."""
        return long_servedio_points(self.gamma)[0]

    @cached_property
    def multiplicity(self) -> Array:
        """How often each point occurs."""
        return long_servedio_points(self.gamma)[2].astype(float)

    @property
    def zero(self) -> float:
        r"""The margin :math:`\alpha\log N` at which :attr:`drive` changes sign, ``inf`` at :math:`\alpha = \infty`."""
        return self.alpha * math.log(self.odds)

    def margins(self, theta: ArrayLike) -> Array:
        r"""Margins :math:`(\theta_1, v, u)` of the three points, in the last axis."""
        out: Array = np.asarray(theta, dtype=float) @ self.points.T
        return out

    def drive(self, x: ArrayLike) -> Any:
        r"""The function :math:`B_N^\alpha(x) = w(-x) - N w(x)` of Lemma 2, the derivative of :math:`\phi`."""
        x = np.asarray(x, dtype=float)
        return self._drive(x, x / self.alpha - math.log(self.odds))

    def drive_beyond(self, distance: ArrayLike) -> Any:
        r""":math:`B(\alpha\log N + \delta)`, to full relative accuracy for a small :math:`\delta` of either sign."""
        distance = np.asarray(distance, dtype=float)
        return self._drive(self.zero + distance, distance / self.alpha)

    def _drive(self, x: Array, exponent: Array) -> Any:
        """B at x, given log(w(-x) / (N w(x))): where that is small, the difference of the two would lose its digits."""
        away, towards = self.loss.log_weights(x)
        with np.errstate(over="ignore"):  # for alpha < 1 the weights are unbounded
            near = self.odds * np.exp(away) * np.expm1(np.minimum(exponent, 1.0))
            far = np.exp(towards) - self.odds * np.exp(np.where(exponent < 1, -np.inf, away))
        return np.where(exponent < 1, near, far)[()]

    def drive_slope(self, x: ArrayLike) -> Any:
        """Derivative of :meth:`drive`."""
        return self.odds * self.loss.derivative(x, 2) + self.loss.derivative(-np.asarray(x, dtype=float), 2)

    def risk(self, theta: ArrayLike) -> Any:
        r"""Risk times :math:`4(N+1)`, equation (26), at one or many :math:`\theta` (last axis of length 2)."""
        margins = self.margins(theta)
        return (self.odds * self.loss.value(margins) + self.loss.value(-margins)) @ self.multiplicity

    def gradient(self, theta: ArrayLike) -> Array:
        r"""Gradient :math:`(P_1, P_2)` of :meth:`risk`, equations (28) and (29)."""
        out: Array = (self.multiplicity * self.drive(self.margins(theta))) @ self.points
        return out

    def hessian(self, theta: ArrayLike) -> Array:
        """Matrix of second derivatives of :meth:`risk`, shape (..., 2, 2)."""
        curvature = self.multiplicity * self.drive_slope(self.margins(theta))
        out: Array = np.einsum("...k,ki,kj->...ij", curvature, self.points, self.points)
        return out

    def accuracy(self, theta: ArrayLike) -> Any:
        """Share of the four clean points with a positive margin; a margin of 0 counts as an error."""
        return ((self.margins(theta) > 0) @ self.multiplicity / self.multiplicity.sum())[()]

    def reduced(self, theta: ArrayLike) -> Any:
        r"""Left minus right side of (40), :math:`B(\theta_1) + 6\gamma B(v)`: zero is necessary, not sufficient."""
        margins = self.margins(theta)
        return self.drive(margins[..., 0]) + 6 * self.gamma * self.drive(margins[..., 1])

    def axis_roots(self) -> Array:
        r"""All roots of equation (42), :math:`B(t) + 6\gamma B(\gamma t) = 0`, in increasing order.

        Examples
        --------
        >>> Landscape(alpha=1.5).axis_roots().round(5)
        array([ 1.44541,  7.89978, 20.57254])
        """
        return self.zero / self.gamma + self.axis_offsets()

    def axis_offsets(self, grid: int = 4000) -> Array:
        r"""Roots of equation (42) minus :math:`\alpha\log N/\gamma`, of either sign, with all their digits.

        The equation is scanned from 0 to five times :math:`\alpha\log N/\gamma`, with that point on the grid: the
        largest root can be closer to it than any grid, on either side.

        Examples
        --------
        >>> [f"{Landscape(alpha).axis_offsets()[-1]:.3e}" for alpha in (3, 10)]
        ['-8.854e-10', '-2.231e-49']
        """
        end = self.zero / self.gamma

        def equation(offset: Array | float) -> Any:
            return self.drive(end + offset) + 6 * self.gamma * self.drive_beyond(self.gamma * offset)

        offsets: Array = end / grid * np.arange(1 - grid, 4 * grid + 1, dtype=float)
        values = equation(offsets)
        offsets, values = offsets[values != 0], values[values != 0]  # 0 only where the two terms underflow
        roots = []
        for i in np.flatnonzero(np.sign(values[:-1]) != np.sign(values[1:])):
            left, right = offsets[i : i + 2]
            # if the end itself was dropped, its root is closer than doubles can tell
            at_end = left < 0 < right
            roots.append(0.0 if at_end else brentq(equation, left, right, xtol=1e-290, rtol=1e-15, maxiter=2000))
        return np.array(roots)

    def descend(self, start: ArrayLike, reach: float = 0.25, max_steps: int = 4000, tol: float = 1e-7) -> Array:
        r"""Follow the gradient flow :math:`\dot\theta = -\nabla R` from one or many points to where it ends.

        Linearly implicit Euler steps, :math:`(I/h + \nabla^2 R)\,\Delta = -\nabla R`, never longer than ``reach``: they
        keep to the flow where it bends, and take ever larger times where it is slow, which explicit steps cannot (the
        surface is exponentially flat for large α).

        Parameters
        ----------
        start : array-like of shape (..., 2)
        reach : float, default 0.25
            Longest step.
        max_steps : int, default 4000
        tol : float, default 1e-7
            A point rests once its step is shorter than this with :math:`h` grown to its limit.

        Returns
        -------
        ndarray of shape (..., 2)

        Examples
        --------
        >>> Landscape(alpha=2).descend([0.0, 0.0]).round(3)
        array([1.667, 2.631])
        """
        shape = np.shape(start)
        theta = np.array(start, dtype=float).reshape(-1, 2)
        active = np.arange(len(theta))
        time, risk = np.full(len(theta), 0.1), self.risk(theta)
        for _ in range(max_steps):
            here, h = theta[active], time[active]
            slope, curvature = self.gradient(here), self.hessian(here)
            step = _implicit_step(slope, curvature, h)
            length = np.linalg.norm(step, axis=1)
            step *= np.minimum(1.0, reach / np.maximum(length, 1e-300))[:, None]
            now, then = risk[active], self.risk(here + step)
            ahead = then <= now + 1e-14 * np.abs(now)  # at rest, rounding must not look like a rise
            theta[active[ahead]] += step[ahead]
            risk[active[ahead]] = then[ahead]
            calm = ahead & (length < reach)
            time[active] = np.where(calm, np.minimum(h * 1.5, 1e60), np.where(ahead, h, h / 4))
            active = active[~(calm & (length < tol) & (h > 1e6)) & (time[active] > 1e-12)]
            if not len(active):
                break
        return theta.reshape(shape)


def _implicit_step(slope: Array, curvature: Array, time: Array) -> Array:
    """Solve ``(I/h + H) step = -slope`` for each point, with ``I/h`` raised until the matrix is positive definite."""
    a, b, d = curvature[:, 0, 0], curvature[:, 0, 1], curvature[:, 1, 1]
    lowest = (a + d) / 2 - np.hypot((a - d) / 2, b)
    damping = np.maximum(1 / time, np.where(lowest < 0, -2 * lowest, 0.0))
    a, d = a + damping, d + damping
    step: Array = np.column_stack([b * slope[:, 1] - d * slope[:, 0], b * slope[:, 0] - a * slope[:, 1]])
    return step / np.maximum(a * d - b * b, 1e-300)[:, None]


def fair_coin_margin(p: float, alpha: float) -> float:
    r"""Data margin :math:`\gamma^*(p, \alpha)` below which the optimum of a convex α-loss is a fair coin.

    At the threshold the penalizers have margin 0: :math:`B(v) = 0.4 B(0)` and :math:`B(v/6\gamma) = -2.4\gamma B(0)`.

    Parameters
    ----------
    p : float
        Noise rate in (0, 1/2).
    alpha : float
        In (0, 1].

    Examples
    --------
    >>> round(fair_coin_margin(1 / 3, 1.0), 6), round(fair_coin_margin(0.01, 0.5), 6)
    (0.080303, 0.050489)
    """
    p, alpha = check_real("p", p, "(0, 0.5)"), check_real("alpha", alpha, "(0, 1]")
    landscape = Landscape(alpha, 1 / p - 1)
    at_zero = float(landscape.drive(0.0))
    puller = brentq(lambda v: float(landscape.drive(v)) - 0.4 * at_zero, 0.0, landscape.zero, xtol=1e-15)

    def equation(gamma: float) -> float:
        return float(landscape.drive(puller / (6 * gamma))) + 2.4 * gamma * at_zero

    # the threshold falls in proportion to p, not faster
    root: float = brentq(equation, p / 100, puller / (6 * landscape.zero), xtol=1e-15)
    return root
