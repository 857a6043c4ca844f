r"""The loop of :func:`marginalia.boosting.loop.boost` as machine code, for the α-family of losses and our trees.

A hypothesis is right or wrong and so moves every margin by one of two amounts: :math:`g = e^{-z}` is kept up to date by
one multiplication, and the weight of the loss :math:`(1-\sigma(z)^s)/s`, :math:`w = g\,(1+g)^{-(1+s)}`, needs no
exponential. Data with two values a feature need no histogram either: with x in ±1, the sums of :math:`w x` and
:math:`w x y` give all class weights of a stump.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from marginalia.boosting.loop import BoostRecord
from marginalia.boosting.rules import CLIP, NO_EDGE, ErrorStep
from marginalia.boosting.trees import Forest, Tree, TreeLearner, grow

__all__ = ["boost_compiled"]

Array = NDArray[np.float64]

FAR = 600.0  # exp of a larger number may overflow


def boost_compiled(learner: TreeLearner, exponent: float, step: ErrorStep, n_rounds: int) -> BoostRecord:
    """What ``boost(learner, LossWeights(loss), step, n_rounds)`` returns, for a loss with this exponent."""
    k = learner.n_classes
    stumps = learner.max_depth == 1 and k == 2 and learner.encoded.is_binary
    signs = learner.signs() if stumps else np.empty((0, 0), dtype=np.int8)
    done, start, nodes, rows, margin, edgeless = _run(
        signs, learner.y.astype(np.int8), learner.coded, learner.n_bins, learner.encoded.cuts, learner.encoded.start,
        learner.sample_weight, k, learner.max_depth, learner.by_error, exponent, step.factor, n_rounds,
    )  # fmt: skip
    theta, error, density, kappa = rows[:, :done]
    others = k - 1
    edge = (1 - error) / others - error / others**2
    forest = Forest(start[: done + 1], Tree(*(part[: start[done]] for part in nodes)))
    reason = "no_edge" if edgeless else "n_rounds"
    return BoostRecord(forest, theta, error, edge, density, kappa, margin, reason)


@njit(nogil=True, cache=True)
def _run(signs: Any, y: Any, coded: Any, n_bins: Any, cuts: Any, start: Any, base: Any, k: int, max_depth: int,
         by_error: bool, exponent: float, factor: float, n_rounds: int) -> Any:  # fmt: skip
    n = len(base)
    count, others = base.sum(), k - 1
    rows = np.empty((4, n_rounds))
    roots = np.zeros(n_rounds + 1, dtype=np.int64)
    room = min(2 ** (max_depth + 1) - 1, 2 * n - 1)
    nodes = _nodes(room * min(n_rounds, 64))
    output, weight, right = np.empty(n), base / count, np.empty(n, dtype=np.bool_)
    odds, margin = np.ones(n), np.empty(0)  # odds are exp(-margin); one of the two is in use
    signed = np.where(y == 1, 1.0, -1.0)
    density, kappa, reach = _mean_weight_at_zero(exponent), 1.0, 0.0
    for t in range(n_rounds):
        first = roots[t]
        if first + room > len(nodes[0]):
            nodes = _enlarge(nodes, first)
        if len(signs):
            error = _fit_stump(signs, signed, weight, cuts, start, by_error, nodes, first, right)
            size = 3 if nodes[0][first] >= 0 else 1
        else:
            size = grow(coded, n_bins, cuts, start, k, weight, max_depth, by_error, False, nodes, first, output)
            for i in range(n):
                right[i] = output[i] == signed[i] if k == 2 else output[i] == y[i]
            error = 0.0
            for i in range(n):
                error += 0.0 if right[i] else weight[i]
        clipped = min(max(error, CLIP), 1 - CLIP)
        theta = others**2 / k * (math.log((1 - clipped) / clipped) + math.log(others))
        if abs(error - 0.5) < NO_EDGE if others == 1 else theta < NO_EDGE:
            return t, roots, nodes, rows, _margin(odds, margin), True
        theta *= factor
        rows[0, t], rows[1, t], rows[2, t], rows[3, t] = theta, error, density, kappa
        roots[t + 1] = first + size
        up, down = theta / others, theta / others**2
        reach += abs(theta) / others
        if reach * max(1.0, -exponent) < FAR:
            total, largest = _reweigh(odds, base, right, math.exp(-up), math.exp(down), exponent, weight)
            scale = 1.0
        else:
            if len(margin) == 0:
                margin = -np.log(odds)
            for i in range(n):
                margin[i] += up if right[i] else -down
            total, largest, scale = _reweigh_far(margin, base, exponent, weight)
        density, kappa = scale * total / count, total / (count * largest)
        for i in range(n):
            weight[i] /= total
    return n_rounds, roots, nodes, rows, _margin(odds, margin), False


@njit(nogil=True, cache=True)
def _margin(odds: Any, margin: Any) -> Any:
    return margin if len(margin) else -np.log(odds)


@njit(nogil=True, cache=True)
def _mean_weight_at_zero(exponent: float) -> float:
    return 2.0 ** -(1.0 + exponent)


@njit(nogil=True, cache=True, fastmath=True)
def _reweigh(odds: Any, base: Any, right: Any, shrink: float, stretch: float, exponent: float, weight: Any) -> Any:
    """New odds and weights, their sum, and the largest weight of one example; closed powers for the common losses."""
    total, largest = 0.0, 0.0
    for i in range(len(odds)):
        odds[i] *= shrink if right[i] else stretch
    if exponent == -1.0:
        for i in range(len(odds)):
            weight[i] = odds[i]
    elif exponent == 0.0:
        for i in range(len(odds)):
            weight[i] = odds[i] / (1.0 + odds[i])
    elif exponent == 0.5:
        for i in range(len(odds)):
            above = 1.0 + odds[i]
            weight[i] = odds[i] / (above * math.sqrt(above))
    else:
        for i in range(len(odds)):
            weight[i] = odds[i] * math.exp(-(1.0 + exponent) * math.log1p(odds[i]))
    for i in range(len(odds)):
        largest = max(largest, weight[i])
        weight[i] *= base[i]
        total += weight[i]
    return total, largest


@njit(nogil=True, cache=True)
def _reweigh_far(margin: Any, base: Any, exponent: float, weight: Any) -> Any:
    """Weights relative to the largest, their sum, 1, and the largest weight: for margins beyond the range of exp."""
    for i in range(len(margin)):
        z = margin[i]
        tail = math.log1p(math.exp(-abs(z)))
        wrong, good = max(-z, 0.0) + tail, max(z, 0.0) + tail
        weight[i] = -good if exponent == 0.0 else -exponent * wrong - good
    top, total = weight.max(), 0.0
    for i in range(len(margin)):
        weight[i] = base[i] * math.exp(weight[i] - top)
        total += weight[i]
    return total, 1.0, math.exp(min(top, 709.0))


@njit(nogil=True, cache=True, fastmath=True)
def _sums(signs: Any, weight: Any, product: Any) -> Any:
    both, agreement = 0.0, 0.0
    for i in range(len(weight)):
        both += signs[i] * weight[i]
        agreement += signs[i] * product[i]
    return both, agreement


@njit(nogil=True, cache=True)
def _fit_stump(signs: Any, signed: Any, weight: Any, cuts: Any, start: Any, by_error: bool, nodes: Any, first: int,
               right: Any) -> float:  # fmt: skip
    """Best stump on features ±1, written as a tree; marks the rows it gets right and returns its weighted error."""
    feature, threshold, left, value, gain = nodes
    product = weight * signed
    surplus = product.sum()  # weight of class 1 minus weight of class 0; all weights together are one
    best, best_feature = -np.inf, -1
    for f in range(len(signs)):
        both, agreement = _sums(signs[f], weight, product)
        above, below = (1.0 + both) / 2, (1.0 - both) / 2
        if start[f + 1] == start[f] or above < 1e-300 or below < 1e-300:
            continue
        high, low = (surplus + agreement) / 2, (surplus - agreement) / 2
        score = abs(high) + abs(low) if by_error else high * high / above + low * low / below
        if score > best + 2e-12:  # twice the rounding allowed in trees, because the score is twice theirs
            best, best_feature = score, f
            high_surplus, low_surplus = high, low
    for node in range(first, first + 3):
        feature[node], threshold[node], left[node], gain[node] = -1, 0.0, 0, 0.0
    value[first] = 1.0 if surplus > 0 else -1.0
    if best_feature < 0 or surplus >= 1.0 or surplus <= -1.0:
        for i in range(len(right)):
            right[i] = value[first] == signed[i]
    else:
        feature[first], threshold[first], left[first] = best_feature, cuts[start[best_feature]], 1
        gain[first] = (best - abs(surplus) if by_error else best - surplus * surplus) / 2
        value[first + 1] = 1.0 if low_surplus > 0 else -1.0
        value[first + 2] = 1.0 if high_surplus > 0 else -1.0
        column, low_value, high_value = signs[best_feature], value[first + 1], value[first + 2]
        for i in range(len(right)):
            right[i] = (high_value if column[i] > 0 else low_value) == signed[i]
    error = 0.0
    for i in range(len(right)):
        error += 0.0 if right[i] else weight[i]
    return error


@njit(nogil=True, cache=True)
def _nodes(size: int) -> Any:
    return np.empty(size, np.int32), np.empty(size), np.empty(size, np.int32), np.empty(size), np.empty(size)


@njit(nogil=True, cache=True)
def _enlarge(nodes: Any, used: int) -> Any:
    larger = _nodes(2 * len(nodes[0]) + 1)
    for f in range(used):
        larger[0][f], larger[1][f], larger[2][f] = nodes[0][f], nodes[1][f], nodes[2][f]
        larger[3][f], larger[4][f] = nodes[3][f], nodes[4][f]
    return larger
