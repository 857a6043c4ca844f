"""The pseudo-inverse link as machine code, for loops that ask for it in every round; imported on first use."""

from __future__ import annotations

from typing import Any

from marginloss._compiled import kernel
from marginloss.losses.elementary import LN2, exp, log1p

__all__ = ["pseudo_inverse_link"]

NEXT_TO_ZERO = 1e-16 - 1.0


@kernel
def pseudo_inverse_link(z: Any, alpha: float, beta: float, out: Any) -> None:
    r"""Write :math:`\tilde f(z)`, equation (160) of sypherd2022; ``alpha`` is positive and finite, ``beta`` is 1 − 1/α.

    The same as :meth:`~marginloss.losses.proper.AlphaCPELoss.pseudo_inverse_link` computes with NumPy. One function a
    loop: two would not fit into the registers.
    """
    scale = beta if beta > 0 else beta * 2.0**beta
    for i in range(len(z)):
        size = abs(z[i])
        # beyond the clip the logarithm would be that of a negative number; there the answer is known
        bent = log1p(max(-scale * size, NEXT_TO_ZERO)) / beta if beta != 0 else -size
        out[i] = bent - LN2  # log t
    for i in range(len(z)):
        log_t = out[i]
        out[i] = -(log1p(-exp(log_t)) - log_t) / alpha
    for i in range(len(z)):
        power = exp(out[i])
        below = power / (1 + power)
        below = below if beta <= 0 or beta * abs(z[i]) < 1 else 0.0
        out[i] = below if z[i] < 0 else 1 - below
