"""Quintic Hermite tables on a grid that is uniform in each octave of 1 + |margin|."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from marginloss._compiled import kernel

__all__ = ["hermite_coefficients", "hermite_lookup", "hermite_nodes"]

Array = NDArray[np.float64]

#: Intervals of a Hermite table in each octave of 1 + |margin|; 2 to the power of this.
OCTAVE_BITS = 7


def hermite_nodes(octaves: int) -> Array:
    """Ends of the intervals up to ``2**octaves - 1``."""
    octave, step = np.divmod(np.arange((octaves << OCTAVE_BITS) + 1), 1 << OCTAVE_BITS)
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


def hermite_coefficients(nodes: Array, value: Array, slope: Array, curvature: Array) -> Array:
    """Coefficients of the quintics that match value, slope and curvature at both ends of each interval."""
    h = np.diff(nodes)
    d0, d1 = slope[:-1] * h, slope[1:] * h
    c0, c1 = curvature[:-1] * h**2 / 2, curvature[1:] * h**2 / 2
    rise = np.diff(value)
    a, b, c = rise - d0 - c0, d1 - d0 - 2 * c0, c1 - c0
    return np.ascontiguousarray(
        np.stack([value[:-1], d0, c0, 10 * a - 4 * b + c, -15 * a + 7 * b - 2 * c, 6 * a - 3 * b + c], axis=-1)
    )
