r"""Conditional value at risk of a vector of losses, exact for every tail fraction (zhai2021, equation 2)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from marginloss.risk.masses import Array, check_beta, check_losses, check_tail, check_tails, masses, spread
from marginloss.risk.simplex import project_capped_simplex

__all__ = ["cvar", "cvar_curve", "cvar_weights"]


def cvar(losses: ArrayLike, alpha: float, sample_weight: ArrayLike | None = None) -> float:
    r"""Mean loss of the worst tail fraction ``alpha`` of the samples (no relation to the alpha of the alpha-loss).

    .. math:: \mathrm{CVaR}_\alpha(\ell) = \max\Big\{\langle w, \ell\rangle : \sum_i w_i = 1,\ 0 \le w_i \le
              \frac{p_i}{\alpha}\Big\} = \frac1k\Big(\sum_{j\le m}\ell_{(j)} + (k-m)\,\ell_{(m+1)}\Big)

    with :math:`k = \alpha n`, :math:`m = \lfloor k\rfloor`, losses in decreasing order and :math:`p_i = 1/n`; equation
    (2) of zhai2021. The sample at the edge of the tail counts with the fraction of it that lies inside, so that the
    value is continuous in ``alpha``: the largest loss for :math:`\alpha \le 1/n`, the mean at 1. Linear time.

    Parameters
    ----------
    losses : array_like of shape (n,)
        Losses above ``-inf``; one that is ``inf`` makes the result ``inf``.
    alpha : float
        Tail fraction in (0, 1].
    sample_weight : array_like of shape (n,), optional
        Weights of the samples; equal to repetition.

    Examples
    --------
    >>> cvar([0, 0, 1, 0, 2], alpha=0.4)
    1.5
    >>> cvar([0, 0, 1, 0, 2], alpha=0.5)
    1.2
    """
    values = check_losses(losses, ndim=1, finite=False)
    alpha = check_tail(alpha)
    if sample_weight is not None:
        return float(cvar_curve(values, [alpha], sample_weight)[0])
    n = len(values)
    k = alpha * n
    m = math.floor(k)
    worst = float(values.max())
    if k <= 1 or worst == np.inf:
        return worst
    if m >= n:
        return float(values.mean())
    split = np.partition(values, n - m - 1)
    return float((split[n - m :].sum() + (k - m) * split[n - m - 1]) / k)


def cvar_curve(losses: ArrayLike, alphas: ArrayLike, sample_weight: ArrayLike | None = None) -> Array:
    r"""CVaR of one vector of losses at many tail fractions, for the price of one sort.

    :math:`\alpha\,\mathrm{CVaR}_\alpha` is concave and piecewise linear in :math:`\alpha`, with breakpoints where a
    further sample enters the tail.

    Parameters
    ----------
    losses : array_like of shape (n,)
        Losses above ``-inf``; one that is ``inf`` makes the result ``inf``.
    alphas : array_like of shape (A,)
        Tail fractions in (0, 1], in any order.
    sample_weight : array_like of shape (n,), optional
        Weights of the samples; equal to repetition.

    Returns
    -------
    ndarray of shape (A,)

    Examples
    --------
    >>> cvar_curve([0.0, 1.0, 0.0, 2.0], [0.25, 0.5, 1.0])
    array([2.  , 1.5 , 0.75])
    """
    values = check_losses(losses, ndim=1, finite=False)
    levels = check_tails(alphas)
    if sample_weight is None:
        return _curve(values, levels)
    mass = masses(sample_weight, len(values))
    values, mass = values[mass > 0], mass[mass > 0]
    if values.max() == np.inf:
        return np.full(levels.shape, np.inf)
    order = np.argsort(-values, kind="stable")
    reached = np.concatenate([[0.0], np.cumsum(mass[order])])
    area = np.concatenate([[0.0], np.cumsum(mass[order] * values[order])])
    # below the first breakpoint the quotient loses digits to rounding, and the answer is known
    return np.where(levels <= reached[1], values[order[0]], np.interp(levels, reached, area) / levels)


def _curve(values: Array, levels: Array) -> Array:
    """Equal masses: sums between neighbouring breakpoints only, each summed pairwise, instead of a long running sum."""
    n = len(values)
    ordered = np.sort(values)
    if ordered[-1] == np.inf:
        return np.full(levels.shape, np.inf)
    k = levels * n
    whole = np.minimum(np.floor(k).astype(np.intp), n)
    starts, position = np.unique(n - whole, return_inverse=True)
    # starts[-1] == n when a tail holds less than one sample: reduceat wants indices below n
    bounded = starts[starts < n]
    pieces = np.add.reduceat(ordered, bounded) if len(bounded) else np.zeros(0)
    sums = np.concatenate([np.cumsum(pieces[::-1])[::-1], np.zeros(len(starts) - len(bounded))])
    edge = ordered[np.maximum(n - whole - 1, 0)]
    return np.where(k <= 1, ordered[-1], (sums[position] + (k - whole) * edge) / k)


def cvar_weights(
    losses: ArrayLike, alpha: float, beta: float | None = None, sample_weight: ArrayLike | None = None
) -> Array:
    r"""Sample weights that attain the CVaR, or its smoothed version, for a tail fraction ``alpha``.

    Without ``beta`` the maximiser of equation (2) of zhai2021: the cap :math:`p_i/\alpha` above the edge of the tail,
    zero below, and what remains shared among the samples tied at the edge. With ``beta`` the weights of the
    entropy-regularised problem (8),

    .. math:: w_i = p_i\min\Big\{\frac1\alpha,\, e^{\beta\ell_i-\theta}\Big\},\qquad \sum_i w_i = 1,

    which tend to the former as :math:`\beta\to\infty` and to :math:`p` as :math:`\beta\to0`.

    Parameters
    ----------
    losses : array_like of shape (n,)
        Losses, finite if ``beta`` is given.
    alpha : float
        Tail fraction in (0, 1].
    beta : float, optional
        Positive; the larger, the nearer to the maximiser.
    sample_weight : array_like of shape (n,), optional
        Weights of the samples; equal to repetition.

    Returns
    -------
    ndarray of shape (n,)
        Weights that sum to one, each at most :math:`p_i/\alpha`.

    Examples
    --------
    >>> cvar_weights([0, 1, 1, 2], alpha=0.5)
    array([0.  , 0.25, 0.25, 0.5 ])
    """
    values = check_losses(losses, ndim=1, finite=beta is not None)
    alpha = check_tail(alpha)
    mass = masses(sample_weight, len(values))
    present = mass > 0
    if not present.all():
        return spread(cvar_weights(values[present], alpha, beta, mass[present]), present)
    if beta is not None:
        # the largest loss is subtracted first: beta may be a million
        scaled = check_beta(beta) * (values - values.max())
        return project_capped_simplex(scaled + np.log(mass), mass / alpha)
    order = np.argsort(-values, kind="stable")
    reached = np.cumsum(mass[order])
    edge = values[order[min(int(np.searchsorted(reached, alpha)), len(values) - 1)]]
    above, tied = values > edge, values == edge
    weights = np.where(above, mass / alpha, 0.0)
    weights[tied] = mass[tied] * (max(1.0 - weights.sum(), 0.0) / mass[tied].sum())
    return weights / weights.sum()
