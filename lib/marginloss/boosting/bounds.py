r"""Bounds on the number of rounds of smooth boosters, as functions of κ, γ and θ (servedio2003, Sections 2 and 6)."""

from __future__ import annotations

import math
from typing import Any

from marginloss._validation import check_real

__all__ = [
    "adaptive_rounds",
    "bregman_rounds",
    "impagliazzo_rounds",
    "margin_divergence",
    "smoothboost_rounds",
    "theta_of",
]


def theta_of(gamma: Any) -> Any:
    r"""Margin :math:`\theta=\gamma/(2+\gamma)` that Theorem 2 of servedio2003 pairs with advantage γ.

    Floats, arrays and fractions give their own kind.

    Examples
    --------
    >>> theta_of(0.5)
    0.2
    """
    return gamma / (2 + gamma)


def smoothboost_rounds(kappa: float, gamma: float, theta: float | None = None, base: float | None = None) -> float:
    r"""SmoothBoost stops before this round if every advantage is at least ``gamma``.

    .. math:: T < \frac{2}{\kappa\,b\sqrt{1-b}\,\bigl[2\gamma-\theta-\frac{b(1-\theta^2)}{2-b+b\theta}\bigr]}

    With :math:`b = \gamma` and :math:`\theta = \gamma/(2+\gamma)`, the defaults, it is Theorem 2 of servedio2003,
    :math:`2/(\kappa\gamma^2\sqrt{1-\gamma})`; the general form is what the same proof gives.

    Parameters
    ----------
    kappa : float
        Fraction of examples that may be given up, in (0, 1).
    gamma : float
        Advantage of the weak learner, in (0, ½].
    theta : float, optional
        Margin aimed at.
    base : float, optional
        The measure falls as :math:`(1-b)^{N/2}`; SmoothBoost ties :math:`b` to :math:`\gamma`.

    Returns
    -------
    float
        The bound, ``inf`` where the proof gives none.

    Examples
    --------
    >>> round(smoothboost_rounds(0.1, 0.1), 2)
    2108.19
    >>> smoothboost_rounds(0.1, 0.1, theta=0.15)
    inf
    """
    kappa, gamma = check_real("kappa", kappa, "(0, 1)"), check_real("gamma", gamma, "(0, 0.5]")
    b = gamma if base is None else check_real("base", base, "(0, 1)")
    theta = theta_of(gamma) if theta is None else check_real("theta", theta, "[0, 1)")
    gain = 2 * gamma - theta - b * (1 - theta**2) / (2 - b + b * theta)
    return 2 / (kappa * b * math.sqrt(1 - b) * gain) if gain > 0 else math.inf


def impagliazzo_rounds(kappa: float, gamma: float) -> float:
    r"""Rounds of Impagliazzo's additive measure: at most :math:`1/(3\kappa^2\gamma^2)`.

    For the measure :math:`\mathrm{clip}(1-\kappa\gamma N, 0, 1)` of the sum N of margins. Derived from the quadratic
    potential; the paper quotes the order :math:`1/(\kappa\gamma)^2` without a constant.

    Examples
    --------
    >>> round(impagliazzo_rounds(0.1, 0.1), 1)
    3333.3
    """
    kappa, gamma = check_real("kappa", kappa, "(0, 1)"), check_real("gamma", gamma, "(0, 0.5]")
    return 1 / (3 * (kappa * gamma) ** 2)


def margin_divergence(a: float, b: float) -> float:
    r"""Relative entropy between coins of mean ``a`` and ``b`` in (−1, 1).

    .. math:: \mathrm{kl}(a,b) = \tfrac{1+a}2\ln\tfrac{1+a}{1+b} + \tfrac{1-a}2\ln\tfrac{1-a}{1-b} \ge \tfrac{(b-a)^2}2

    Examples
    --------
    >>> round(margin_divergence(0.0, 0.5), 6)
    0.143841
    """
    a, b = check_real("a", a, "(-1, 1)"), check_real("b", b, "(-1, 1)")
    return 0.5 * ((1 + a) * math.log((1 + a) / (1 + b)) + (1 - a) * math.log((1 - a) / (1 - b)))


def adaptive_rounds(kappa: float, gamma: float, theta: float = 0.0) -> float:
    r"""Rounds of adaptive smooth boosting: :math:`1/(\kappa\,(1-e^{-\mathrm{kl}(\theta, 2\gamma)}))`.

    At :math:`\theta = 0` this is MadaBoost, a quarter of the :math:`2/(\kappa\gamma^2)` quoted for it.

    Examples
    --------
    >>> round(adaptive_rounds(0.1, 0.1) * 0.1 * 0.1**2, 3)
    0.495
    """
    kappa, gamma = check_real("kappa", kappa, "(0, 1)"), check_real("gamma", gamma, "(0, 0.5)")
    theta = check_real("theta", theta, "[0, 1)")
    return 1 / (-kappa * math.expm1(-margin_divergence(theta, 2 * gamma))) if theta < 2 * gamma else math.inf


def bregman_rounds(kappa: float, gamma: float, theta: float = 0.0) -> float:
    r"""Rounds after which Bregman boosting is done: :math:`2\ln(1/\kappa)/(2\gamma-\theta)^2`.

    Logarithmic in :math:`1/\kappa`, which answers the first open question of servedio2003, Section 6.

    Examples
    --------
    >>> round(bregman_rounds(0.05, 1 / 42, 1 / 85))
    4661
    """
    kappa, gamma = check_real("kappa", kappa, "(0, 1)"), check_real("gamma", gamma, "(0, 0.5]")
    theta = check_real("theta", theta, "[0, 1)")
    return 2 * math.log(1 / kappa) / (2 * gamma - theta) ** 2 if theta < 2 * gamma else math.inf
