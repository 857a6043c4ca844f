"""Compiled tables and losses of two classes; imported on first use, because numba takes a second."""

from __future__ import annotations

from typing import Any

import numpy as np

from marginloss._compiled import kernel
from marginloss.losses.elementary import exp, log1p, power_loss

__all__ = ["hermite_lookup", "hermite_node", "values_and_weights"]

#: Intervals of a Hermite table in each octave of 1 + |margin|; 2 to the power of this.
OCTAVE_BITS = 7


@kernel
def hermite_node(index: int) -> float:
    """Left end of interval ``index`` of the grid that is uniform in each octave of ``1 + |margin|``."""
    octave = index >> OCTAVE_BITS
    step = index & ((1 << OCTAVE_BITS) - 1)
    return 2.0**octave * (1 + step / (1 << OCTAVE_BITS)) - 1


@kernel
def hermite_lookup(margin: Any, table: Any, out: Any) -> bool:
    """Quintic of the interval of each ``|margin|``; the interval is read off the bits of ``1 + |margin|``.

    Returns whether all margins lay in the table; the others are left as NaN.
    """
    shift = 52 - OCTAVE_BITS
    first = 1023 << OCTAVE_BITS
    scale = 2.0**-shift
    mask = (1 << shift) - 1
    complete = True
    for i in range(len(margin)):
        bits = np.float64(1 + abs(margin[i])).view(np.int64)
        k = (bits >> shift) - first
        if 0 <= k < len(table):  # NaN and infinity have the largest exponent
            w = (bits & mask) * scale
            c = table[k]
            out[i] = c[0] + w * (c[1] + w * (c[2] + w * (c[3] + w * (c[4] + w * c[5]))))
        else:
            out[i] = np.nan
            complete = False
    return complete


@kernel
def values_and_weights(margin: Any, t1: float, t2: float, value: Any, weight: Any) -> None:
    r"""Write :math:`-\log_{t_1}\hat p` and :math:`\hat p^{t_2-t_1} q_-` for :math:`t_1 \le 1 < t_2`.

    The same as :class:`~marginloss.losses.two_temperature.TemperedMarginLoss` computes with NumPy; ``value`` comes with
    the log-probability of the less likely class. One function a loop: two would not fit into the registers.
    """
    for i in range(len(margin)):
        weight[i] = exp(value[i])
    for i in range(len(margin)):
        weight[i] = log1p(-weight[i])  # of the likelier class
    for i in range(len(margin)):
        # weight: (m/p)^t2 of the two classes, value: log p of the label
        loser, winner = value[i], weight[i]
        weight[i] = exp(t2 * (loser - winner))
        value[i] = winner if margin[i] >= 0 else loser
    for i in range(len(margin)):
        odds = weight[i]
        weight[i] = exp((t2 - t1) * value[i]) * ((odds if margin[i] >= 0 else 1.0) / (1 + odds))
    for i in range(len(margin)):
        value[i] = power_loss(value[i], 1 - t1)
    for i in range(len(margin)):
        value[i] = value[i] if margin[i] == margin[i] else margin[i]
        weight[i] = weight[i] if margin[i] == margin[i] else margin[i]
