r"""The losses :math:`(1-\sigma(z)^s)/s` and their weights, compiled for solvers; imported on first use."""

from __future__ import annotations

from typing import Any

from marginloss._compiled import kernel
from marginloss.losses.elementary import exp, log1p, power_loss

__all__ = ["values_and_weights"]


@kernel
def values_and_weights(margin: Any, exponent: float, value: Any, weight: Any) -> None:
    r"""Write :math:`(1-\sigma(z)^s)/s` and minus its derivative, :math:`\sigma(z)^s\sigma(-z)`, for each margin.

    The same as :class:`~marginloss.losses.margin.SigmoidPowerLoss` computes with NumPy; the weight comes from its
    logarithm and so has an error of the size of that. One function a loop: two would not fit into the registers.
    """
    for i in range(len(margin)):
        weight[i] = exp(-abs(margin[i]))
    for i in range(len(margin)):
        weight[i] = log1p(weight[i])  # what softplus has beyond its linear part, on either side
    for i in range(len(margin)):
        z, bend = margin[i], weight[i]
        value[i] = bend - min(z, 0.0)
        wrong = exponent * value[i] if exponent != 0 else 0.0  # not 0 * inf
        weight[i] = exp(-wrong - (bend + max(z, 0.0))) if z == z else z
    if exponent != 0:
        for i in range(len(margin)):
            value[i] = power_loss(-value[i], exponent)
    for i in range(len(margin)):
        value[i] = value[i] if margin[i] == margin[i] else margin[i]
