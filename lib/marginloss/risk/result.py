"""What the solvers of LPBoost return."""

from __future__ import annotations

from dataclasses import dataclass

from marginloss.risk.masses import Array

__all__ = ["LPBoostResult"]


@dataclass(frozen=True)
class LPBoostResult:
    r"""Model weights, sample weights and the certificate that both are optimal.

    For any pair, :math:`\mathrm{CVaR}_\alpha(L\lambda) \ge \min_s\langle w,\ell^s\rangle`, with equality only at the
    optimum of problems (5) and (6) of zhai2021. Optimal model weights are often not unique: compare values.

    Attributes
    ----------
    model_weights : ndarray of shape (T,)
        :math:`\lambda`, sums to one.
    sample_weights : ndarray of shape (n,)
        :math:`w` in the capped simplex.
    value : float
        Risk at ``model_weights``: the CVaR, or the smoothed CVaR where there is a ``beta``.
    gap : float
        ``value`` minus the lower bound that ``sample_weights`` certify; never negative.
    """

    model_weights: Array
    sample_weights: Array
    value: float
    gap: float
