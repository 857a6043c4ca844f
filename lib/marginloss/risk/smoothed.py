r"""Smoothed CVaR: the tail seen through relative entropy (zhai2021, equation 8 with its inequality put right)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from marginloss.risk.cvar import cvar_weights
from marginloss.risk.masses import Array, check_beta, check_losses, masses

__all__ = ["relative_entropy", "smoothed_cvar"]


def smoothed_cvar(losses: ArrayLike, alpha: float, beta: float, sample_weight: ArrayLike | None = None) -> float:
    r"""CVaR of tail fraction ``alpha`` less a price for leaving the uniform weights.

    .. math:: \phi_{\alpha,\beta}(\ell) = \max_{w\in\mathcal C_\alpha}\ \langle w,\ell\rangle -
              \tfrac1\beta\,\mathrm{KL}(w\,\|\,p),\qquad
              \mathrm{CVaR}_\alpha - \tfrac1\beta\log\tfrac1\alpha \le \phi_{\alpha,\beta} \le \mathrm{CVaR}_\alpha

    The value of problem (8) of zhai2021 for given model weights (one minus it, up to the sign of the paper's
    :math:`\gamma`), in closed form: its maximiser is ``cvar_weights(losses, alpha, beta)``, which is also its gradient.

    Parameters
    ----------
    losses : array_like of shape (n,)
        Finite losses.
    alpha : float
        Tail fraction in (0, 1].
    beta : float
        Positive. The value tends to the CVaR for large ``beta`` and to the mean for small.
    sample_weight : array_like of shape (n,), optional
        Weights of the samples; equal to repetition.

    Examples
    --------
    >>> round(smoothed_cvar([0.0, 0.0, 0.0, 1.0], alpha=0.25, beta=4.0), 6)
    0.666799
    """
    values = check_losses(losses, ndim=1)
    mass = masses(sample_weight, len(values))
    weights = cvar_weights(values, alpha, beta, mass)
    return float(weights @ values - relative_entropy(weights, mass) / check_beta(beta))


def relative_entropy(weights: Array, mass: Array) -> float:
    r""":math:`\mathrm{KL}(w\,\|\,p) = \sum_i p_i\,(r_i\log r_i - r_i + 1)` with :math:`r_i = w_i/p_i`.

    No term is negative, so nothing cancels between samples; a smoothed CVaR divides this by a small ``beta``.

    Examples
    --------
    >>> import numpy as np
    >>> relative_entropy(np.array([0.5, 0.5]), np.array([0.5, 0.5]))
    0.0
    """
    present = mass > 0
    p = mass[present]
    excess = weights[present] / p - 1.0
    near = np.abs(excess) < 1e-3
    d = np.where(near, 0.0, excess)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(d > -1.0, (1.0 + d) * np.log1p(d) - d, 1.0)
    # (1+d) log(1+d) - d cancels for small d; its series does not
    d = np.where(near, excess, 0.0)
    series = d * d * (1 / 2 - d * (1 / 6 - d * (1 / 12 - d * (1 / 20 - d * (1 / 30 - d / 42)))))
    return float(p @ np.where(near, series, terms))
