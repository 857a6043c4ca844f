r"""The paper's own way to the log-partition, kept for comparison: Algorithms 1 and 2 of amid2019, for :math:`t > 1`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from marginloss._validation import check_integer, check_real
from marginloss.losses.log_partition import Array, excess, gaps_from, log_exp_t

__all__ = [
    "FixedPointResult",
    "fixed_point_excess",
    "fixed_point_log_partition",
    "fixed_point_log_partition_margin",
    "fixed_point_updates",
]


class FixedPointResult(NamedTuple):
    """Log-partition, number of updates and whether the last one was below the tolerance, for each row."""

    value: Array
    iterations: NDArray[np.int64]
    converged: NDArray[np.bool_]


def fixed_point_excess(gaps: Array, t: float) -> Iterator[Array]:
    r"""Excess over the largest activation after 0, 1, 2, … updates of Algorithm 1.

    The update is :math:`\tilde a \leftarrow Z(\tilde a)^{1-t} (a - \max a)`; the excess rises
    monotonically to the root at the linear rate :math:`(t-1)\sum_c d_c \hat p_c^t`.
    """
    scaled = -gaps
    while True:
        log_z = np.log(np.exp(log_exp_t(scaled, t)).sum(axis=-1))
        yield np.expm1((t - 1) * log_z) / (t - 1)
        scaled = -np.exp((1 - t) * log_z)[..., None] * gaps


def fixed_point_updates(gaps: Array, t: float, tol: float = 1e-10, max_iter: int = 5000) -> NDArray[np.int64]:
    """Updates until the excess of each row is within ``tol`` of the root (relative where it exceeds 1).

    Examples
    --------
    >>> fixed_point_updates(np.array([[0.0, 5.0]]), 1.5)
    array([7])
    """
    root = excess(gaps, t)
    needed = np.full(root.shape, max_iter, dtype=np.int64)
    open_ = np.ones(root.shape, dtype=bool)
    for k, g in enumerate(islice(fixed_point_excess(gaps, t), max_iter)):
        reached = open_ & (np.abs(g - root) <= tol * np.maximum(1.0, root))
        needed[reached] = k
        open_ &= ~reached
        if not open_.any():
            break
    return needed


def fixed_point_log_partition(
    activations: ArrayLike, t: float, tol: float = 1e-10, max_iter: int = 2000
) -> FixedPointResult:
    r"""Algorithm 1: log-partition over the last axis by the paper's fixed point; for use, see ``log_partition``.

    Parameters
    ----------
    activations : array_like of shape (..., C)
    t : float
        Temperature in :math:`(1, \infty)`: below 1 the iteration may run in circles.
    tol : float, default=1e-10
        Stop when an update changes no row by more.
    max_iter : int, default=2000
        Largest number of updates; five in the published code of the successor paper.

    Examples
    --------
    >>> result = fixed_point_log_partition([0.5, -0.5], 2.0)
    >>> float(result.value.round(8)), bool(result.converged)
    (1.11803399, True)
    """
    t = check_real("t", t, "(1, inf)")
    tol = check_real("tol", tol, "[0, inf)")
    top, gaps = gaps_from(np.asarray(activations, dtype=np.float64))
    states = fixed_point_excess(gaps, t)
    last = next(states)
    iterations = np.zeros(last.shape, dtype=np.int64)
    converged = np.zeros(last.shape, dtype=bool)
    for g in islice(states, check_integer("max_iter", max_iter, 1)):
        iterations += ~converged
        converged |= np.abs(g - last) <= tol
        last = g
        if converged.all():
            break
    return FixedPointResult(top + last, iterations, converged)


def fixed_point_log_partition_margin(
    margin: ArrayLike, t: float, tol: float = 1e-10, max_iter: int = 2000
) -> FixedPointResult:
    """Algorithm 2: two classes, with the factor ``a`` that the printed update lacks (equation A.1 of the paper has it).

    Examples
    --------
    >>> float(fixed_point_log_partition_margin(5.0, 1.5).value.round(4))
    2.5848
    """
    half = np.asarray(margin, dtype=np.float64)[..., None] / 2
    return fixed_point_log_partition(np.concatenate([half, -half], axis=-1), t, tol, max_iter)
