r"""Margin bound and sample size of the complete halfspace learner (servedio2003, Sections 3.2 to 3.4).

The sample sizes are far beyond any data set; they show how the need grows, not what is needed.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammaln

from marginloss._validation import check_integer, check_real
from marginloss.boosting import halfspace_guarantee

__all__ = [
    "fat_shattering_bound",
    "khintchine_constant",
    "margin_bound",
    "margin_bound_as_printed",
    "sample_size",
]


def khintchine_constant(p: float) -> float:
    r"""Square :math:`K_p^2 = 2\bigl(\Gamma(\frac{p+1}2)/\sqrt\pi\bigr)^{2/p}` of Khintchine's constant, :math:`p\ge2`.

    Examples
    --------
    >>> round(khintchine_constant(2), 12), round(khintchine_constant(4), 6)
    (1.0, 1.732051)
    """
    p = check_real("p", p, "[2, inf]")
    if math.isinf(p):
        return math.inf
    return 2 * math.exp(2 / p * (float(gammaln((p + 1) / 2)) - 0.5 * math.log(math.pi)))


def fat_shattering_bound(scale: float, n_features: int, p: float | None = None) -> float:
    r"""Bound on the fat-shattering dimension of :math:`\{v \cdot x : \|v\|_q \le 1/R\}` on :math:`B_p(R)`.

    With ``p=None`` the bound of Theorem 4, :math:`2\log_2(4n)/\mu^2` (the paper gives no base; 2 is the safe reading).
    With ``p`` the sharper :math:`\min\{K_p^2,\ 2\ln 2n\}/\mu^2`.

    Examples
    --------
    >>> round(fat_shattering_bound(0.1, n_features=16)), round(fat_shattering_bound(0.1, n_features=16, p=2))
    (1200, 100)
    """
    scale = check_real("scale", scale, "(0, inf)")
    n_features = check_integer("n_features", n_features, 1)
    if p is None:
        return 2 * math.log2(4 * n_features) / scale**2
    return min(khintchine_constant(p), 2 * math.log(2 * n_features)) / scale**2


def _complexity(m: float, dimension: float, delta: float) -> float:
    """Bracket of the corrected equation (1)."""
    term = dimension * math.log(34 * math.e * m / dimension) * math.log2(578 * m) if dimension > 0 else 0.0
    return term + math.log(4 / delta)


def margin_bound(margin_errors: float, m: float, dimension: float, delta: float) -> float:
    r"""Error bound from margins, equation (1) of servedio2003 as Bartlett (1998) has it.

    .. math:: \frac km + \sqrt{\frac2m\Bigl(d\ln\frac{34em}{d}\log_2(578m) + \ln\frac4\delta\Bigr)}

    Parameters
    ----------
    margin_errors : float
        Number :math:`k` of examples with margin below :math:`\theta`.
    m : float
        Number of examples.
    dimension : float
        Fat-shattering dimension :math:`d` at :math:`\theta/16`. For :math:`d > 34m` nothing is known: 1.
    delta : float
        In (0, ½).

    Examples
    --------
    >>> margin_bound(0, 1000, dimension=1e6, delta=0.05)
    1.0
    >>> round(margin_bound(10, 1e6, dimension=10, delta=0.05), 4)
    0.0967
    """
    m = check_real("m", m, "[1, inf)")
    dimension = check_real("dimension", dimension, "[0, inf]")
    delta = check_real("delta", delta, "(0, 0.5)")
    if dimension > 34 * m:
        return 1.0
    return min(1.0, margin_errors / m + math.sqrt(2 / m * _complexity(m, dimension, delta)))


def margin_bound_as_printed(margin_errors: float, m: float, dimension: float, delta: float) -> float:
    r"""Equation (1) as our text of the paper has it; not a bound, kept to show why.

    .. math:: \frac km + \sqrt{\frac2m}\Bigl(d\ln\frac{34e}{m}\log(578m) + \ln\frac4\delta\Bigr)

    Examples
    --------
    >>> margin_bound_as_printed(0, 1e6, dimension=100, delta=0.05) < 0
    True
    """
    bracket = dimension * math.log(34 * math.e / m) * math.log2(578 * m) + math.log(4 / delta)
    return margin_errors / m + math.sqrt(2 / m) * bracket


def sample_size(
    epsilon: float, difficulty: float, n_features: int, p: float | None = None, delta: float = 0.05
) -> float:
    r"""Sample size of Theorem 6: the square-root term of the corrected (1) is at most :math:`\epsilon/2` from here on.

    The :math:`\tilde O((A/\epsilon)^2)` of the theorem with its constants, which are astronomical.

    Parameters
    ----------
    epsilon, difficulty, delta : float
        Accuracy, :math:`A` and confidence.
    n_features : int
        Dimension of the space.
    p : float, optional
        Use the sharper bound on the fat-shattering dimension for this norm.

    Examples
    --------
    >>> f"{sample_size(0.1, 1, n_features=100):.1e}", f"{sample_size(0.1, 1, n_features=100, p=2):.1e}"
    ('2.4e+11', '1.3e+10')
    """
    theta = halfspace_guarantee(epsilon, difficulty, delta).theta
    dimension = fat_shattering_bound(theta / 16, n_features, p)

    def term(m: float) -> float:
        return math.sqrt(2 / m * _complexity(m, dimension, delta))

    # above m = d/34 the term falls; bisection on the logarithm, far beyond the precision anyone could use
    low, high = math.log(max(dimension / 34, 1.0)), 700.0
    for _ in range(100):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if term(math.exp(middle)) > epsilon / 2 else (low, middle)
    return float(np.exp(high))
