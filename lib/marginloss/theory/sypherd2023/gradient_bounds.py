r"""The noisy gradient of a linear model, and the quantities that bound it in Theorems 2 and 3.

The gradient at margins :math:`m = \langle yx, \theta\rangle` is :math:`-\mathbb{E}[k(m)\,yx]` with the noisy weight
:math:`k(m) = (1-p)\,w(m) - p\,w(-m)`; equations (9) to (12) of sypherd2023.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from marginloss.losses import AlphaLoss
from marginloss.theory import Array
from marginloss.theory.sypherd2023.long_servedio import Landscape

__all__ = [
    "chi",
    "condition_17",
    "largest_radius",
    "lower_bound",
    "noisy_gradient",
    "noisy_weight",
    "replacement_bound",
    "slope",
]


def noisy_weight(margin: ArrayLike, alpha: float, p: float) -> Any:
    r"""Weight :math:`k(m) = (1-p)\,w(m) - p\,w(-m)` of an example whose label is flipped with probability p.

    Up to the factor :math:`-p` the function B of Lemma 2 with :math:`N = 1/p - 1`.

    Examples
    --------
    >>> round(float(noisy_weight(0.0, alpha=1, p=0.1)), 12)
    0.4
    """
    return -p * Landscape(alpha, 1 / p - 1).drive(margin)


def noisy_gradient(theta: ArrayLike, signed: ArrayLike, mass: ArrayLike, alpha: float, p: float) -> Array:
    r"""Gradient (12) of the noisy risk at :math:`\theta` for a law with finitely many values of :math:`yx`.

    Parameters
    ----------
    theta : array-like of shape (d,)
    signed : array-like of shape (n, d)
        The values :math:`yx`.
    mass : array-like of shape (n,)
        Their probabilities.
    alpha, p : float
        Parameter of the loss, noise rate.
    """
    signed = np.asarray(signed, dtype=float)
    weight = noisy_weight(signed @ np.asarray(theta, dtype=float), alpha, p)
    out: Array = -(np.asarray(mass) * weight) @ signed
    return out


def replacement_bound(margin: float, alpha: float, p: float) -> float:
    r"""What Theorem 2 wants to say, without a stationary point: :math:`(1-p)e^{-\mu} + p\,e^{-(1-1/\alpha)\mu}`.

    If no feature exceeds 1 in absolute value and all margins are at least :math:`\mu > 0`, this bounds every coordinate
    of the noisy gradient. It vanishes as margins grow for :math:`\alpha > 1`, and tends to p at :math:`\alpha = 1`.

    Examples
    --------
    >>> replacement_bound(20.0, alpha=2, p=0.1) < 1e-4 < replacement_bound(20.0, alpha=1, p=0.1)
    True
    """
    return (1 - p) * math.exp(-margin) + p * math.exp(-AlphaLoss(alpha).exponent * margin)


def chi(radius: float, alpha: float, p: float) -> float:
    r"""Constant of Theorem 3, :math:`\chi = (1-2p) - k(r\sqrt d)`, from (114); ``radius`` is :math:`r\sqrt d`.

    Examples
    --------
    >>> round(chi(1.0, alpha=1, p=0.1), 5)
    0.63106
    """
    return 1 - 2 * p - float(noisy_weight(radius, alpha, p))


def condition_17(x: float, alpha: float) -> float:
    r"""Right side of (112), which condition (17) asks to stay below :math:`1/p - 1` at :math:`x = r\sqrt d`.

    Examples
    --------
    >>> round(condition_17(largest_radius(0.1), 1.0), 9)
    9.0
    """
    return math.exp(x / alpha) * math.log1p(math.exp(x)) / math.log1p(math.exp(-x))


def largest_radius(p: float) -> float:
    r"""The :math:`r\sqrt d` at which condition (17) ends, at α = 1 where it is hardest.

    Examples
    --------
    >>> round(largest_radius(0.1), 4)
    0.9024
    """
    root: float = brentq(lambda x: condition_17(x, 1.0) - (1 / p - 1), 1e-12, 50.0, xtol=1e-13)
    return root


def lower_bound(signed: ArrayLike, mass: ArrayLike, radius: float, alpha: float, p: float, factor: float) -> float:
    r"""Right side of (18), :math:`c\,|\mathbb{E}X| - \chi\,\mathbb{E}|X|`: printed with c = 1, right with 1 - 2p."""
    signed, mass = np.asarray(signed, dtype=float), np.asarray(mass, dtype=float)
    mean = np.linalg.norm(mass @ signed)
    return float(factor * mean - chi(radius, alpha, p) * (mass @ np.linalg.norm(signed, axis=1)))


def slope(function: Callable[[Any], Any], x: Any, h: float = 1e-3) -> Any:
    """Derivative by central differences of sixth order."""
    near, middle, far = (function(x + k * h) - function(x - k * h) for k in (1, 2, 3))
    return (45 * near - 9 * middle + far) / (60 * h)
