"""The pseudo-inverse link as machine code, for loops that ask for it in every round; imported on first use."""

from __future__ import annotations

from typing import Any

from marginloss._compiled import kernel
from marginloss.losses.elementary import exp
from marginloss.losses.proper.links import pseudo_score_scalar

__all__ = ["pseudo_inverse_link"]


@kernel
def pseudo_inverse_link(z: Any, alpha: float, beta: float, out: Any) -> None:
    r"""Write :math:`\tilde f(z)`, equation (160) of sypherd2022; ``alpha`` is positive and finite, ``beta`` is 1 − 1/α.

    The same as :meth:`~marginloss.losses.proper.AlphaCPELoss.pseudo_inverse_link` computes with NumPy.
    """
    for i in range(len(z)):
        out[i] = -pseudo_score_scalar(abs(z[i]), beta) / alpha
    for i in range(len(z)):
        power = exp(out[i])
        below = power / (1 + power)
        below = below if beta <= 0 or beta * abs(z[i]) < 1 else 0.0
        out[i] = below if z[i] < 0 else 1 - below
