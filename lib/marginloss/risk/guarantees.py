r"""The constants of Theorems 4 and 5 of zhai2021 as functions: rounds, step sizes and what they guarantee.

A learner that always returns weighted error at most :math:`g` lets LPBoost reach a training CVaR of
:math:`g + \delta`; these are the numbers of rounds and the parameters with which.
"""

from __future__ import annotations

import math

from marginloss._validation import check_integer, check_real
from marginloss.risk.masses import check_tail

__all__ = ["hedge_excess", "hedge_rounds", "hedge_step", "lpboost_beta", "lpboost_rounds"]


def lpboost_beta(alpha: float, delta: float) -> float:
    r"""Regularisation of Theorem 4, :math:`\beta = \max(\frac2\delta\log\frac1\alpha, \frac12)`.

    Examples
    --------
    >>> round(lpboost_beta(0.1, 0.05), 3)
    92.103
    """
    alpha, delta = check_tail(alpha), check_real("delta", delta, "(0, inf)")
    return max(2.0 / delta * math.log(1.0 / alpha), 0.5)


def lpboost_rounds(alpha: float, delta: float) -> int:
    r"""Rounds of Theorem 4, :math:`T = \max(\frac{32}{\delta^2}\log\frac1\alpha, \frac8\delta)`, rounded up.

    Examples
    --------
    >>> lpboost_rounds(0.1, 0.05)
    29474
    """
    alpha, delta = check_tail(alpha), check_real("delta", delta, "(0, inf)")
    return math.ceil(max(32.0 / delta**2 * math.log(1.0 / alpha), 8.0 / delta))


def hedge_step(n: int, rounds: int) -> float:
    r"""Step size of Theorem 5, :math:`\eta = \sqrt{8\log n/T}`.

    Examples
    --------
    >>> round(hedge_step(5049, 100), 3)
    0.826
    """
    return math.sqrt(8.0 * math.log(check_integer("n", n, 1)) / check_integer("rounds", rounds, 1))


def hedge_rounds(n: int, delta: float) -> int:
    r"""Rounds of Theorem 5, :math:`T = \log n/(2\delta^2)`, rounded up.

    Examples
    --------
    >>> hedge_rounds(50_000, 0.1)
    541
    """
    return math.ceil(math.log(check_integer("n", n, 1)) / (2.0 * check_real("delta", delta, "(0, inf)") ** 2))


def hedge_excess(n: int, rounds: int, step_size: float | None = None) -> float:
    r"""How far above the mean realised :math:`g_t` the worst sample of the even mixture can be after T rounds.

    .. math:: \max_i z_i \;\le\; \frac1T\sum_t g_t + \frac{\log n}{\eta T} + \frac\eta8

    With the step of Theorem 5 the last two terms are :math:`\sqrt{\log n/(2T)}`.

    Examples
    --------
    >>> round(hedge_excess(5049, 100), 4), round(hedge_excess(5049, 100, step_size=1.0), 4)
    (0.2065, 0.2103)
    """
    step = hedge_step(n, rounds) if step_size is None else check_real("step_size", step_size, "(0, inf)")
    if step == 0.0:  # one sample: nothing can be worse than the mean
        return 0.0
    return math.log(check_integer("n", n, 1)) / (step * check_integer("rounds", rounds, 1)) + step / 8.0
