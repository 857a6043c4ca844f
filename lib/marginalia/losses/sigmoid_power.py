r"""The losses :math:`(1-\sigma(z)^s)/s` and their weights, compiled for solvers; imported on first use."""

from __future__ import annotations

from math import inf
from typing import Any

from marginalia.losses.elementary import FAR, compiled, exp, exp_and_expm1, log1p

__all__ = ["values_and_weights"]

TINY = 1e-20  # below this expm1(x) = x to the last digit


@compiled
def values_and_weights(margin: Any, exponent: float, value: Any, weight: Any) -> None:
    r"""Write :math:`(1-\sigma(z)^s)/s` and minus its derivative, :math:`\sigma(z)^s\sigma(-z)`, for each margin.

    The same as :class:`~marginalia.losses.margin.SigmoidPowerLoss` computes with NumPy; the weight comes from its
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
            level = -exponent * value[i]
            power = exp_and_expm1(min(max(level, -FAR), FAR))[1] / -exponent
            value[i] = (power if level < FAR else inf) if abs(level) > TINY else value[i]
    for i in range(len(margin)):
        value[i] = value[i] if margin[i] == margin[i] else margin[i]
