r"""The loop of :func:`marginloss.boosting.loop.boost` as machine code, for the α-family of losses and our trees.

A hypothesis is right or wrong and so moves every margin by one of two amounts: :math:`g = e^{-z}` is kept up to date by
one multiplication, and the weight of the loss :math:`(1-\sigma(z)^s)/s`, :math:`w = g\,(1+g)^{-(1+s)}`, needs no
exponential. Data with two values a feature need no histogram either: the weight of each class above the cut gives all
class weights of a stump.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marginloss._compiled import kernel
from marginloss.boosting.grow import grow
from marginloss.boosting.loop import BoostRecord
from marginloss.boosting.nodes import more_nodes, new_nodes
from marginloss.boosting.rules import CLIP, NO_EDGE, ErrorStep
from marginloss.boosting.trees import Forest, Tree, TreeLearner
from marginloss.losses.elementary import exp_and_expm1, log1p

__all__ = ["boost_compiled"]

Array = NDArray[np.float64]

FAR = 600.0  # exp of a larger number may overflow

# error_model="numpy": Python's check for division by zero would keep the loops out of the vector registers


def boost_compiled(learner: TreeLearner, exponent: float, step: ErrorStep, n_rounds: int) -> BoostRecord:
    """What ``boost(learner, LossWeights(loss), step, n_rounds)`` returns, for a loss with this exponent."""
    k, base = learner.n_classes, learner.sample_weight
    encoded = learner.encoded
    common = (exponent, step.factor, n_rounds)
    if learner.max_depth == 1 and k == 2 and encoded.is_binary:
        # class 0 first: then one sum a feature and class is all that a stump needs
        order = np.argsort(learner.y, kind="stable")
        zeros = int(np.count_nonzero(learner.y == 0))
        signs = np.take(learner.signs(), order, axis=1)
        found = _boost_stumps(signs, zeros, encoded.cuts, encoded.start, base[order], learner.by_error, *common)
        margin = np.empty(len(base))
        margin[order] = found[4]
    else:
        found = _boost_trees(learner.recipe, learner.ranked, base, *common)
        margin = found[4]
    done, start, nodes, rows, _, edgeless = found
    theta, error, density, kappa = rows[:, :done]
    others = k - 1
    edge = (1 - error) / others - error / others**2
    forest = Forest(start[: done + 1], Tree(*(part[: start[done]] for part in nodes)))
    return BoostRecord(forest, theta, error, edge, density, kappa, margin, "no_edge" if edgeless else "n_rounds")


@kernel
def _boost_trees(recipe: Any, ranked: Any, base: Any, exponent: float, factor: float, n_rounds: int) -> Any:
    y, k, max_depth = recipe[1], recipe[5], recipe[6]
    n, count, others = len(base), _sum(base), k - 1
    rows, roots = np.empty((4, n_rounds)), np.zeros(n_rounds + 1, dtype=np.int64)
    room = min(2 ** (max_depth + 1) - 1, 2 * n - 1)
    nodes = new_nodes(room * min(n_rounds, 64))
    output, weight, right = np.empty(n), np.empty(n), np.empty(n, dtype=np.bool_)
    _times(base, 1.0 / count, weight)
    odds, margin = np.ones(n), np.empty(0)  # odds are exp(-margin); one of the two is in use
    density, kappa, reach = 2.0 ** -(1.0 + exponent), 1.0, 0.0
    for t in range(n_rounds):
        first = roots[t]
        if first + room > len(nodes[0]):
            nodes = more_nodes(nodes, first)
        size = grow(recipe, ranked, weight, nodes, first, output)
        error = 0.0
        for i in range(n):
            right[i] = output[i] == (2 * y[i] - 1 if k == 2 else y[i])
            error += weight[i] * (not right[i])  # no branch to guess
        theta = _step(error, k)
        if theta == 0.0:
            return t, roots, nodes, rows, _margin(odds, margin), True
        theta *= factor
        rows[0, t], rows[1, t], rows[2, t], rows[3, t] = theta, error, density, kappa
        roots[t + 1] = first + size
        up, down = theta / others, -theta / others**2
        reach += abs(up)
        if not _is_far(reach, exponent):
            good, bad = math.exp(-up), math.exp(-down)
            for i in range(n):
                odds[i] *= good if right[i] else bad
            total, largest = _weigh(odds, base, exponent, weight)
            scale = 1.0
        else:
            if len(margin) == 0:
                margin = _margin(odds, margin)
            for i in range(n):
                margin[i] += up if right[i] else down
            total, scale = _weigh_far(margin, base, exponent, weight)
            largest = 1.0
        density, kappa = scale * total / count, total / (count * largest)
        _times(weight, 1.0 / total, weight)
    return n_rounds, roots, nodes, rows, _margin(odds, margin), False


@kernel
def _boost_stumps(signs: Any, zeros: int, cuts: Any, start: Any, base: Any, by_error: bool, exponent: float,
                  factor: float, n_rounds: int) -> Any:  # fmt: skip
    """The same for stumps on features ±1; the rows of class 0 come first."""
    n, count = len(base), _sum(base)
    rows, roots = np.empty((4, n_rounds)), np.zeros(n_rounds + 1, dtype=np.int64)
    nodes = new_nodes(3 * n_rounds)
    weight, odds, margin = base.copy(), np.ones(n), np.empty(0)
    density, kappa, reach, total = 2.0 ** -(1.0 + exponent), 1.0, 0.0, count
    for t in range(n_rounds):
        first = roots[t]
        chosen, low, high, error = _fit_stump(signs, zeros, weight, 1.0 / total, cuts, start, by_error, nodes, first)
        theta = _step(error, 2)
        if theta == 0.0:
            return t, roots, nodes, rows, _margin(odds, margin), True
        theta *= factor
        rows[0, t], rows[1, t], rows[2, t], rows[3, t] = theta, error, density, kappa
        roots[t + 1] = first + (3 if nodes[0][first] >= 0 else 1)
        reach += abs(theta)
        far = _is_far(reach, exponent)
        if far and len(margin) == 0:
            margin = _margin(odds, margin)
        for label in range(2):
            part = slice(0, zeros) if label == 0 else slice(zeros, n)
            sign = 2.0 * label - 1.0
            if far:
                _shift(margin[part], signs[chosen, part], sign * theta * low, sign * theta * high)
            else:
                _scale(odds[part], signs[chosen, part], math.exp(-sign * theta * low), math.exp(-sign * theta * high))
        if far:
            total, scale = _weigh_far(margin, base, exponent, weight)
            largest = 1.0
        else:
            total, largest = _weigh(odds, base, exponent, weight)
            scale = 1.0
        density, kappa = scale * total / count, total / (count * largest)
    return n_rounds, roots, nodes, rows, _margin(odds, margin), False


@kernel
def _is_far(reach: float, exponent: float) -> bool:
    """Whether a power may overflow that belongs to a margin of this size."""
    return reach * max(1.0, -exponent, 1.0 + exponent) + math.log(2.0) * max(0.0, -1.0 - exponent) >= FAR


@kernel
def _step(error: float, k: int) -> float:
    """The formula of :class:`~marginloss.boosting.rules.ErrorStep`, without its factor."""
    clipped = min(max(error, CLIP), 1 - CLIP)
    theta = (k - 1) ** 2 / k * (math.log((1 - clipped) / clipped) + math.log(k - 1))
    hopeless = abs(error - 0.5) < NO_EDGE if k == 2 else theta < NO_EDGE
    return 0.0 if hopeless else theta


@partial(kernel, fastmath=True)
def _scale(values: Any, signs: Any, low: float, high: float) -> None:
    for i in range(len(values)):
        values[i] *= high if signs[i] > 0 else low


@kernel
def _shift(values: Any, signs: Any, low: float, high: float) -> None:
    for i in range(len(values)):
        values[i] += high if signs[i] > 0 else low


@kernel
def _margin(odds: Any, margin: Any) -> Any:
    """Margins, from the odds if these are in use."""
    if len(margin):
        return margin
    found = np.empty(len(odds))
    for i in range(len(odds)):
        found[i] = -math.log(odds[i])
    return found


@kernel
def _times(values: Any, factor: float, out: Any) -> None:
    for i in range(len(values)):
        out[i] = values[i] * factor


@partial(kernel, fastmath=True)
def _weigh(odds: Any, base: Any, exponent: float, weight: Any) -> Any:
    """Weights of these odds, their sum, and the largest weight of one example; closed powers for the common losses."""
    total, largest = 0.0, 0.0
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
        _power(odds, exponent, weight)
    for i in range(len(odds)):
        largest = max(largest, weight[i])
    for i in range(len(odds)):
        weight[i] *= base[i]
        total += weight[i]
    return total, largest


@kernel  # without the freedom to reorder sums, which polynomials do not survive
def _power(odds: Any, exponent: float, weight: Any) -> None:
    """Weights of these odds for any exponent."""
    for i in range(len(odds)):
        weight[i] = -(1.0 + exponent) * log1p(odds[i])
    for i in range(len(odds)):
        weight[i] = odds[i] * exp_and_expm1(max(weight[i], -FAR))[0]


@kernel
def _weigh_far(margin: Any, base: Any, exponent: float, weight: Any) -> Any:
    """Weights relative to the largest one, their sum, and the largest one: for margins beyond the range of exp."""
    top, total = -math.inf, 0.0
    for i in range(len(margin)):
        z = margin[i]
        tail = math.log1p(math.exp(-abs(z)))
        wrong, good = max(-z, 0.0) + tail, max(z, 0.0) + tail
        weight[i] = -good if exponent == 0.0 else -exponent * wrong - good
        top = max(top, weight[i])
    for i in range(len(margin)):
        weight[i] = base[i] * math.exp(weight[i] - top)
        total += weight[i]
    return total, math.exp(min(top, 709.0))


@partial(kernel, fastmath=True)
def _sum(values: Any) -> float:
    total = 0.0
    for i in range(len(values)):
        total += values[i]
    return total


@partial(kernel, fastmath=True)
def _sum_above(signs: Any, values: Any) -> float:
    total = 0.0
    for i in range(len(values)):
        total += values[i] if signs[i] > 0 else 0.0  # a mask: cheaper than a sign made a double to multiply with
    return total


@kernel
def _fit_stump(signs: Any, zeros: int, weight: Any, scale: float, cuts: Any, start: Any, by_error: bool, nodes: Any,
               first: int) -> Any:  # fmt: skip
    """Best stump for ``scale * weight``, written as a tree; its feature, its two answers and its weighted error."""
    feature, threshold, left, value, gain = nodes
    zero, one = scale * _sum(weight[:zeros]), scale * _sum(weight[zeros:])
    surplus = one - zero
    best, chosen, below, above, low, high = -np.inf, -1, 0.0, 0.0, 0.0, 0.0
    if zero > 0 and one > 0:
        for f in range(len(signs)):
            if start[f + 1] == start[f]:
                continue
            of_zero = scale * _sum_above(signs[f, :zeros], weight[:zeros])
            of_one = scale * _sum_above(signs[f, zeros:], weight[zeros:])
            heavy = of_zero + of_one
            light = zero + one - heavy
            if heavy <= 1e-15 or light <= 1e-15:  # all rows with weight are on one side
                continue
            up, down = of_one - of_zero, surplus - of_one + of_zero
            score = abs(up) + abs(down) if by_error else up * up / heavy + down * down / light
            if score > best + 2e-12:  # twice the rounding allowed in trees, because the score is twice theirs
                best, chosen, below, above, low, high = score, f, light, heavy, down, up
    for node in range(first, first + 3):
        feature[node], threshold[node], left[node], gain[node] = -1, 0.0, 0, 0.0
    value[first] = 1.0 if surplus > 0 else -1.0
    if chosen < 0:
        return 0, value[first], value[first], min(zero, one)
    feature[first], threshold[first], left[first] = chosen, cuts[start[chosen]], 1
    gain[first] = (best - abs(surplus) if by_error else best - surplus * surplus) / 2
    value[first + 1] = 1.0 if low > 0 else -1.0
    value[first + 2] = 1.0 if high > 0 else -1.0
    error = (below - abs(low) + above - abs(high)) / 2
    if error < 1e-3:  # the difference has lost its digits: add up what is wrong
        error = 0.0
        for i in range(len(weight)):
            answer = value[first + 2] if signs[chosen, i] > 0 else value[first + 1]
            error += scale * weight[i] if (answer > 0) != (i >= zeros) else 0.0
    return chosen, value[first + 1], value[first + 2], error
