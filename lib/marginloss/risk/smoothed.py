r"""Smoothed CVaR: the tail seen through relative entropy (zhai2021, equation 8 with its inequality put right)."""

from __future__ import annotations

from numpy.typing import ArrayLike

from marginloss.risk.cvar import cvar_weights
from marginloss.risk.masses import check_beta, check_losses, masses
from marginloss.risk.simplex import relative_entropy

__all__ = ["smoothed_cvar"]


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
