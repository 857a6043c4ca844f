r"""Rounds with linear hypotheses and exponential weights as machine code: each reads the matrix once.

A block of rows is scored, weighed and averaged while it is in the cache. As long as nothing has to be decided, whole
rounds follow each other without a return to Python.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from marginloss._norms import TIE
from marginloss.boosting.rules import NO_EDGE
from marginloss.losses.elementary import FAR, exp

__all__ = ["best", "judge", "rounds", "sweep", "weigh"]

BLOCK_BYTES = 131_072  # of the matrix, between its two products: they should stay in the second cache
BLOCK_ROWS = 256  # at most: short partial sums keep single precision exact enough for any number of rows

# Sums may be reassociated, so that the compiler can use vector registers; infinities are kept.
SUMS = {"reassoc", "contract", "arcp", "nsz"}
NO_NAN = SUMS | {"nnan"}  # data are checked before; only so can a minimum be found in vector registers


@njit(nogil=True, cache=True, error_model="numpy", fastmath=NO_NAN)
def sweep(data: Any, v: Any, theta: float, shift: float, lowest: float, decay: float, margin: Any, gain: Any,
          weight: Any, z: Any) -> Any:  # fmt: skip
    r"""Add a hypothesis to the margins, weigh the rows again, and sum what the next hypothesis depends on.

    Parameters
    ----------
    data : tuple
        Points, one a row; their labels −1/+1; their multiplicities.
    v : ndarray of shape (d,)
        The hypothesis, in the precision of all products.
    theta : float
        Its step.
    shift, lowest, decay : float
        The weights become :math:`e^{-\beta\max\{z - s, l\}}` times multiplicity.
    margin, gain, weight : ndarray of shape (n,)
        Margins and weights, changed; ``gain`` is filled with the margins that the hypothesis gives.
    z : ndarray of shape (d,)
        Filled with the sum of weight times label times point.

    Returns
    -------
    wrong, total, low, behind : float
        Old weight of the rows with a gain that is not positive, new weight of all, smallest margin, and multiplicity
        of the rows whose margin is at most ``shift``.
    """
    X, sign, sample_weight = data
    n, d = X.shape
    size = max(8, min(BLOCK_ROWS, BLOCK_BYTES // (d * X.itemsize)))
    used = np.flatnonzero(v)
    part, share = np.empty_like(v), np.empty(size, v.dtype)
    wrong, total, low, behind = 0.0, 0.0, np.inf, 0.0
    z[:] = 0.0
    for first in range(0, n, size):
        block = slice(first, min(first + size, n))
        rows, gains, margins, weights = X[block], gain[block], margin[block], weight[block]
        if 4 * len(used) > d:
            _score(rows, sign[block], v, gains)
        else:
            _score_few(rows, sign[block], v, used, gains)
        for i in range(len(rows)):
            wrong += weights[i] if gains[i] <= 0.0 else 0.0
            margins[i] += theta * gains[i]
        found = weigh(margins, sample_weight[block], shift, lowest, decay, weights)
        total, low, behind = total + found[0], min(low, found[1]), behind + found[2]
        for i in range(len(rows)):
            share[i] = weights[i] * sign[first + i]
        part[:] = 0
        _sum_rows(rows, share, part)
        for j in range(d):
            z[j] += part[j]
    return wrong, total, low, behind


@njit(nogil=True, cache=True, error_model="numpy", fastmath=NO_NAN)
def weigh(margin: Any, sample_weight: Any, shift: float, lowest: float, decay: float, weight: Any) -> Any:
    """Weights at these margins, the formula of CappedExponential; ``total``, ``low`` and ``behind`` of ``sweep``."""
    total, low, behind = 0.0, np.inf, 0.0
    for i in range(len(margin)):  # two loops: the compiler finds no vectors in one that does all
        low = min(low, margin[i])
        behind += sample_weight[i] if margin[i] <= shift else 0.0
    for i in range(len(margin)):
        weight[i] = sample_weight[i] * exp(max(-decay * max(margin[i] - shift, lowest), -FAR))
        total += weight[i]
    return total, low, behind


@njit(nogil=True, cache=True, error_model="numpy", fastmath=SUMS)
def judge(weight: Any, gain: Any) -> Any:
    """Edge and error of a hypothesis that gives the rows these margins."""
    edge, error = 0.0, 0.0
    for i in range(len(gain)):
        edge += weight[i] * gain[i]
        error += weight[i] if gain[i] <= 0.0 else 0.0
    return edge, error


@njit(nogil=True, cache=True, error_model="numpy")
def rounds(data: Any, learner: Any, weights: Any, course: Any, state: Any, margin: Any, gain: Any, weight: Any, z: Any,
           coefs: Any, record: Any) -> Any:  # fmt: skip
    """Rounds of a booster until something has to be decided or the record is full.

    Parameters
    ----------
    data, margin, gain, weight, z
        As for :func:`sweep`.
    learner : tuple
        Norm p, radius R, whether the first of tied features is taken, and a vector for the hypothesis in the precision
        of the products.
    weights : tuple
        Decay, and the lowest excess over the shift: 0 for capped weights, minus infinity for AdaBoost's.
    course : tuple
        What :class:`~marginloss.boosting.fused.Course` holds: aim, whether all steps are one, factor and margin of
        the step rule, least density, edge and share of the rows behind.
    state : tuple
        Total weight, smallest margin, multiplicity of the rows behind, shift, and sum of the steps.
    coefs : ndarray of shape (T, d)
        Filled with the hypotheses.
    record : ndarray of shape (5, T)
        Filled with step, error, edge, density and smoothness of each round.

    Returns
    -------
    done : int
        Number of rounds.
    state : tuple
    """
    p, R, first, v = learner
    decay, lowest = weights
    aim, unit, factor, start, least_density, least_edge, least_behind = course
    total, low, behind, shift, committed = state
    count = 0.0
    for number in data[2]:
        count += number
    for t in range(len(coefs)):
        density = total / count
        if lowest < 0.0:
            density *= math.exp(-decay * shift)
        edge = 0.0
        if density >= least_density and behind >= least_behind * count:
            edge = best(z, total, p, R, first, coefs[t])
        if edge <= least_edge:
            return t, (total, low, behind, shift, committed)
        step = 1.0
        if not unit:  # the formula of EdgeStep
            step = factor * (math.atanh(min(edge, 1.0 - NO_EDGE)) - math.atanh(start))
        committed += step
        kappa = total / (count * math.exp(-decay * max(low - shift, lowest)))
        v[:] = coefs[t]
        before, shift = total, low if lowest < 0.0 else aim * committed
        wrong, total, low, behind = sweep(data, v, step, shift, lowest, decay, margin, gain, weight, z)
        record[0, t], record[1, t], record[2, t], record[3, t], record[4, t] = (
            step,
            wrong / before,
            edge,
            density,
            kappa,
        )
    return len(coefs), (total, low, behind, shift, committed)


@njit(nogil=True, cache=True, error_model="numpy", fastmath=SUMS)
def _score(X: Any, sign: Any, v: Any, gain: Any) -> None:
    for i in range(len(X)):
        score = v.dtype.type(0)
        for j in range(len(v)):
            score += X[i, j] * v[j]
        gain[i] = sign[i] * score


@njit(nogil=True, cache=True, error_model="numpy", fastmath=SUMS)
def _score_few(X: Any, sign: Any, v: Any, used: Any, gain: Any) -> None:
    """The same for a hypothesis that uses few features, as those of p = inf."""
    for i in range(len(X)):
        score = v.dtype.type(0)
        for j in used:
            score += X[i, j] * v[j]
        gain[i] = sign[i] * score


@njit(nogil=True, cache=True, error_model="numpy", fastmath=SUMS)
def _sum_rows(X: Any, share: Any, out: Any) -> None:
    """Add ``share @ X`` to ``out``, four rows at a time: a quarter of the traffic with ``out``."""
    whole = len(X) - len(X) % 4
    for i in range(0, whole, 4):
        a, b, c, d = share[i], share[i + 1], share[i + 2], share[i + 3]
        for j in range(len(out)):
            out[j] += a * X[i, j] + b * X[i + 1, j] + c * X[i + 2, j] + d * X[i + 3, j]
    for i in range(whole, len(X)):
        for j in range(len(out)):
            out[j] += share[i] * X[i, j]


@njit(nogil=True, cache=True, error_model="numpy", fastmath=SUMS)
def best(z: Any, total: float, p: float, R: float, first: bool, coef: Any) -> float:
    """The formula of :func:`marginloss._norms.attaining_vector` over R for ``z / total``; the edge of what it gives."""
    largest = 0.0
    for j in range(len(z)):
        largest = max(largest, abs(z[j]))
    if largest == 0.0:
        coef[:] = 0.0
        return 0.0
    norm, used = 0.0, 0
    for j in range(len(z)):
        ratio = abs(z[j]) / largest
        if math.isinf(p):
            power = 1.0 if abs(z[j]) >= (1.0 - TIE) * largest and not (first and used) else 0.0
            used += power > 0.0
        else:
            power = ratio if p == 2.0 else ratio ** (p - 1.0)
            norm += power * ratio
        coef[j] = math.copysign(power, z[j]) if z[j] != 0.0 else 0.0
    norm = float(used) if math.isinf(p) else norm ** (1.0 - 1.0 / p)
    edge = 0.0
    for j in range(len(z)):
        coef[j] = coef[j] / norm / R
        edge += coef[j] * (z[j] / total)
    return edge
