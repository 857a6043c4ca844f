r"""The normaliser :math:`G_t` of tempered probabilities: Newton for every temperature, and a table for two classes.

Everything is solved for the *excess* :math:`g = G_t(a) - \max_c a_c \ge 0`: adding it to the maximum first and
subtracting an activation later would lose all digits of a small probability. The definition is that of amid2019,
section 2; the algorithms are ours.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marginloss._validation import check_real
from marginloss.losses.hermite import hermite_coefficients, hermite_lookup, hermite_nodes
from marginloss.losses.newton import excess_rows

__all__ = [
    "check_temperature",
    "excess",
    "excess_margin",
    "gaps_from",
    "log_exp_t",
    "log_loser",
    "partition_margin",
    "scaled_log",
]

Array = NDArray[np.float64]

#: Octaves of 1 + |margin| in a table: margins up to two million.
OCTAVES = 21


def check_temperature(name: str, t: object) -> float:
    """Return a temperature as a float in [0, inf), else raise ``ValueError``."""
    return check_real(name, t, "[0, inf)")


def log_exp_t(x: Array, t: float) -> Array:
    r"""Logarithm of :math:`\exp_t(x)`, ``-inf`` below its support, ``inf`` from its pole on.

    ``1 - t`` is exact near 1, so that only :math:`t = 1` itself is a special case.
    """
    if t == 1:
        return x
    return np.log1p(np.maximum((1 - t) * x, -1.0)) / (1 - t)


def scaled_log(factor: float, level: Array) -> Array:
    """Logarithm of a power, ``factor * level``; a power with exponent 0 is one, also that of 0."""
    return factor * level if factor != 0 else np.zeros_like(level)


def gaps_from(activations: Array) -> tuple[Array, Array]:
    """Maximum over the last axis and the distance of each activation below it; several infinite ones count as tied."""
    top = activations.max(axis=-1, keepdims=True)
    gaps = top - activations
    if np.isinf(top).any():
        gaps = np.where(np.isposinf(top), np.where(np.isposinf(activations), 0.0, np.inf), gaps)
        gaps = np.where(np.isnan(activations).any(axis=-1, keepdims=True), np.nan, gaps)
    return top[..., 0], gaps


def excess(gaps: Array, t: float, return_iterations: bool = False) -> Any:
    r"""Excess :math:`g` of the log-partition over the largest activation, by Newton's method.

    Parameters
    ----------
    gaps : ndarray of shape (..., C)
        Distances below the maximum, the smallest of them 0 in each row.
    t : float
        Temperature, at least 0.
    return_iterations : bool, default=False
        Also return the number of Newton steps of each row.
    """
    return _newton(-gaps, t, return_iterations)


def partition_rows(activations: Array, t: float) -> Array:
    """Log-partition over the last axis; rows with an infinite maximum by their gaps."""
    out = activations.max(axis=-1) + _newton(activations, t)
    special = np.isnan(out)
    if special.any():
        top, gaps = gaps_from(activations[special])
        out = np.where(special, 0.0, out)
        out[special] = top + excess(gaps, t)
    return out


def _newton(activations: Array, t: float, return_iterations: bool = False) -> Any:
    classes = activations.shape[-1]
    if (t - 1) * np.log(classes) > 700:
        raise ValueError(f"t must be smaller for {classes} classes: the log-partition overflows at t={t!r}")
    rows = np.ascontiguousarray(activations, dtype=np.float64).reshape(-1, classes)
    out, iterations = np.empty(len(rows)), np.empty(len(rows), dtype=np.int64)
    excess_rows(rows, t - 1, out, iterations)
    shape = activations.shape[:-1]
    return (out.reshape(shape), iterations.reshape(shape)) if return_iterations else out.reshape(shape)


def excess_margin(size: Array, t: float) -> Array:
    r"""Excess for two classes whose activations differ by ``size`` :math:`\ge 0`; closed forms at 0, ½, 1, 3/2 and 2.

    Each is written without a difference of nearly equal numbers. The paper has :math:`t = 2` and 1 (footnote 2).
    """
    if t == 2:
        return 1 / (np.hypot(size / 2, 1.0) + size / 2)
    if t == 1:
        return np.log1p(np.exp(-size))
    if t == 0:
        return np.maximum(0.0, (1 - size) / 2)
    if t == 0.5:
        h = np.minimum(size, 2.0) / 4
        return (1 - 2 * h) ** 2 / (1 - h + np.sqrt(0.5 - h**2))
    if t == 1.5:
        h = size / 4
        root = np.hypot(2 * h, 1.0)
        # u = sqrt(h^2 + 1 + root), through hypot because h^2 may overflow
        u = np.hypot(h, np.sqrt(1 + root))
        return 2 / (root + 2 * h) / (u + 1 + h)
    return excess(np.stack([np.zeros_like(size), size], axis=-1), t)


def log_loser(margin: Array, t: float) -> Array:
    r"""Log-probability of the less likely of two classes at distance ``|margin|``: everything else follows from it.

    For :math:`t > 1` a table (relative error of the order of rounding); for :math:`t \le 1` a formula or Newton.
    """
    if t > 1:
        return _look_up(margin, _tables(t)[0], _log_loser_exact, t)
    return _log_loser_exact(margin, t)


def partition_margin(margin: Array, t: float) -> Array:
    r"""Log-partition of the activations (margin/2, −margin/2): for :math:`t > 1` one look-up."""
    if t > 1:
        return _look_up(margin, _tables(t)[1], _partition_exact, t)
    return _partition_exact(margin, t)


def _log_loser_exact(margin: Array, t: float) -> Array:
    size = np.abs(margin)
    return log_exp_t(-(excess_margin(size, t) + size), t)


def _partition_exact(margin: Array, t: float) -> Array:
    size = np.abs(margin)
    return size / 2 + excess_margin(size, t)


def _look_up(margin: Array, table: Array, exact: Callable[[Array, float], Array], t: float) -> Array:
    """Table for the margins in it, the exact function for those beyond."""
    flat = np.ascontiguousarray(margin).reshape(-1)
    out = np.empty_like(flat)
    if not hermite_lookup(flat, table, out):
        beyond = np.isnan(out)
        out[beyond] = exact(flat[beyond], t)
    return out.reshape(margin.shape)


@lru_cache(maxsize=256)
def _tables(t: float) -> tuple[Array, Array]:
    r"""Quintic Hermite tables of the loser's log-probability and of :math:`G_t`, for :math:`t > 1`.

    The grid is uniform in each octave of :math:`1 + |a|`, since all derivatives fall at least like powers of it. With
    escorts :math:`q_\pm` and :math:`s = t - 1`, :math:`G' = ½ - q_-` and :math:`(\log p_-)' = -p_-^s q_+`.
    """
    nodes = hermite_nodes(OCTAVES)
    g = excess(np.stack([np.zeros_like(nodes), nodes], axis=-1), t)
    s = t - 1
    winner, loser = log_exp_t(-g, t), log_exp_t(-(g + nodes), t)
    ratio = loser - winner
    odds = np.exp(t * ratio)
    q_right, q_wrong = 1 / (1 + odds), odds / (1 + odds)
    rise, fall = np.exp(s * winner) * q_wrong, np.exp(s * loser) * q_right
    bend = t * q_right * q_wrong * (rise + fall)
    # (log p_-)'' : the factors p_-^s and q_+ change at the rates -s fall and t q_- (rise + fall)
    losing = hermite_coefficients(nodes, loser, -fall, -fall * (t * q_wrong * (rise + fall) - s * fall))
    return losing, hermite_coefficients(nodes, nodes / 2 + g, 0.5 - q_wrong, bend)
