"""Logarithm and exponential as polynomials, to the last digit or two, for compiled loops.

Library functions would keep such a loop out of the vector registers. On processors for which NumPy has no vectorised
code of its own, these are several times as fast as its functions. Imported on first use, because numba takes a second.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
from numba import njit

__all__ = ["FAR", "compiled", "exp", "exp_and_expm1", "inlined", "log1p", "power_loss"]

LN2, LN2_HIGH, LN2_LOW = 0.6931471805599453, 0.693147180369123816490, 1.90821492927058770002e-10
SHIFT = 6755399441055744.0 + 1023.0  # adding it leaves the biased exponent in the lowest bits
ROOT_HALF = 0x3FE6A09E667F3BCD  # bits of the square root of one half
EXPONENT_52 = 0x4330000000000000  # bits of two to the 52; the lowest bits are the integer that is added to it
MIDDLE = 1024 << 52  # keeps the exponent positive, since vector registers shift unsigned numbers only

FAR = 700.0  # the exponentials of numbers beyond it count as 0 and infinity
TINY = 1e-20  # below this expm1(x) = x to the last digit

settings: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "fastmath": {"contract"}}
compiled, inlined = njit(**settings), njit(**settings, inline="always")


@inlined
def log1p(v: float) -> float:
    """Return ``log(1 + v)`` for ``1 + v`` positive and finite: atanh series of the mantissa between √½ and √2."""
    u = 1 + v
    bits = np.float64(u).view(np.uint64)
    above = (bits - np.uint64(ROOT_HALF) + np.uint64(MIDDLE)) >> np.uint64(52)
    mantissa = np.uint64(bits - (above << np.uint64(52)) + np.uint64(MIDDLE)).view(np.float64)
    exponent = np.uint64(above | np.uint64(EXPONENT_52)).view(np.float64) - (2.0**52 + 1024.0)
    z = (mantissa - 1) / (mantissa + 1)
    q = z * z
    series = q * (1 / 3 + q * (1 / 5 + q * (1 / 7 + q * (1 / 9 + q * (1 / 11 + q * (1 / 13 + q * (
        1 / 15 + q * (1 / 17 + q / 19))))))))  # fmt: skip
    lost = (v - (u - 1)) / u  # what rounding took from 1 + v
    return exponent * LN2 + (2 * z + (2 * z * series + lost))


@inlined
def exp_and_expm1(level: float) -> tuple[float, float]:
    """Return ``exp`` and ``expm1`` of a number between -700 and 700."""
    shifted = level * (1 / LN2) + SHIFT
    whole = shifted - SHIFT
    f = (level - whole * LN2_HIGH) - whole * LN2_LOW
    power = np.uint64(np.float64(shifted).view(np.uint64) << np.uint64(52)).view(np.float64)
    series = f + f * f * (1 / 2 + f * (1 / 6 + f * (1 / 24 + f * (1 / 120 + f * (1 / 720 + f * (1 / 5040 + f * (
        1 / 40320 + f * (1 / 362880 + f * (1 / 3628800 + f * (1 / 39916800 + f * (
        1 / 479001600 + f / 6227020800)))))))))))  # fmt: skip
    return power + power * series, power * series + (power - 1)


@inlined
def power_loss(log_p: float, s: float) -> float:
    """Return ``(1 - p**s) / s`` from the logarithm of p, and its limit ``-log(p)`` for s = 0."""
    level = s * log_p
    power = exp_and_expm1(min(max(level, -FAR), FAR))[1] / -s
    return (power if level < FAR else inf) if abs(level) > TINY else -log_p


# not inlined by numba, so that its operations keep their order in a loop whose sums may be reordered
@compiled
def exp(level: float) -> float:
    """Return ``exp`` of any number but NaN."""
    power = exp_and_expm1(min(max(level, -FAR), FAR))[0]
    return (power if level <= FAR else inf) if level >= -FAR else 0.0
