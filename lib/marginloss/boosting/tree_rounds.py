"""The rounds of AdaBoost.α and PILBoost over our trees as machine code; the same bits on every processor.

Normalised weights are rounded to multiples of 2**-51. Every sum of them is then exact, so that its order cannot matter
and vector registers may change it. All other sums have one order, and all other operations are strict.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marginloss._compiled import any_order, helper, kernel
from marginloss.boosting.grow import grow_by_histograms, grow_by_lists
from marginloss.boosting.rules import adaboost_step_scalar, gradient_step_scalar
from marginloss.losses.elementary import FAR, exp, exp_and_expm1, log1p
from marginloss.losses.margin import log_alpha_weight_scalar
from marginloss.losses.proper.links import pseudo_score_scalar

__all__ = [
    "FEW_WRONG",
    "PERFECT",
    "ROUNDS",
    "distribute",
    "sum_in_order",
    "sum_of_weights",
    "weigh_by_link",
    "weigh_by_loss",
]

UNIT = 2.0**-51
PERFECT = -1.0  # density after a hypothesis without any error, which ends AdaBoost's rounds
FEW_WRONG = 0.1  # a smaller error has lost digits by the rounding of weights, and is added up again without it


@any_order
def sum_of_weights(weight: Any) -> float:
    """Exact sum of weights that are multiples of 2**-51."""
    total = 0.0
    for i in range(len(weight)):
        total += weight[i]
    return total


@kernel
def sum_in_order(values: Any) -> float:
    """Sum of any numbers in one order: eight side by side, then a tree."""
    a, b, c, d, e, f, g, h = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    n = len(values) - len(values) % 8
    for i in range(0, n, 8):
        a, b, c, d = a + values[i], b + values[i + 1], c + values[i + 2], d + values[i + 3]
        e, f, g, h = e + values[i + 4], f + values[i + 5], g + values[i + 6], h + values[i + 7]
    for i in range(n, len(values)):
        a += values[i]
    return ((a + e) + (c + g)) + ((b + f) + (d + h))


@helper
def _largest(values: Any) -> float:
    """Largest of finite numbers; as integers, among which it may be looked for in any order."""
    sign_bit = np.int64(0x7FFFFFFFFFFFFFFF)
    top = -sign_bit
    for i in range(len(values)):
        bits = np.float64(values[i]).view(np.int64)
        top = max(top, bits ^ ((bits >> 63) & sign_bit))
    return np.int64(top ^ ((top >> 63) & sign_bit)).view(np.float64)


@helper
def distribute(raw: Any, base: Any, weight: Any, level: float, record: Any, t: int) -> None:
    """Multiply raw weights by multiplicities; write the distribution, and its density and smoothness into column t."""
    top, count = _largest(raw), sum_in_order(base)
    for i in range(len(base)):
        raw[i] *= base[i]
    total = sum_in_order(raw)
    record[3, t], record[4, t] = exp(level) * (total / count), total / (count * top)
    for i in range(len(base)):
        rounded = (raw[i] / total + 3.0) - 3.0
        weight[i] = max(rounded, UNIT) if raw[i] > 0 else 0.0  # a row with weight keeps its part in placing cuts


@kernel
def weigh_by_link(beta: float, margin: Any, base: Any, raw: Any, weight: Any, record: Any, t: int) -> None:
    """Weights of round t from the margins, PILBoost's."""
    for i in range(len(margin)):
        raw[i] = (1 - beta) * pseudo_score_scalar(abs(margin[i]), beta)
    for i in range(len(margin)):
        odds = exp_and_expm1(max(-raw[i], -FAR))[0]
        below = odds / (1 + odds) if beta <= 0 or beta * abs(margin[i]) < 1 else 0.0
        raw[i] = below if margin[i] > 0 else 1 - below
    distribute(raw, base, weight, 0.0, record, t)


@kernel
def weigh_by_loss(exponent: float, margin: Any, base: Any, raw: Any, weight: Any, record: Any, t: int) -> None:
    """Weights of round t from the margins, those of the α-loss with this exponent."""
    for i in range(len(margin)):
        raw[i] = exp_and_expm1(max(-abs(margin[i]), -FAR))[0]
    for i in range(len(margin)):
        bend = log1p(raw[i])
        raw[i] = log_alpha_weight_scalar(bend - min(margin[i], 0.0), bend + max(margin[i], 0.0), exponent)
    level = _largest(raw)
    for i in range(len(margin)):
        raw[i] = exp_and_expm1(max(raw[i] - level, -FAR))[0]
    distribute(raw, base, weight, level, record, t)


@any_order
def _judge(y: Any, k: int, weight: Any, output: Any) -> float:
    """Turn answers into margins per unit of step; weight of what is not positive."""
    wrong = 0.0
    for i in range(len(y)):
        if k == 2:
            output[i] = output[i] if y[i] == 1 else -output[i]
        else:
            output[i] = 1.0 / (k - 1) if output[i] == y[i] else -1.0 / (k - 1) ** 2
        wrong += weight[i] if output[i] <= 0 else 0.0
    return wrong


@helper
def _unrounded_error(raw: Any, output: Any) -> float:
    wrong = 0.0
    for i in range(len(raw)):
        wrong += raw[i] if output[i] <= 0 else 0.0
    return wrong / sum_in_order(raw)


_grow, _weigh = grow_by_lists, weigh_by_loss  # each kernel below has its own


def _rounds(recipe: Any, base: Any, by_link: bool, exponent: float, factor: float, begin: int, end: int, nodes: Any,
            record: Any, margin: Any, raw: Any, weight: Any, output: Any) -> int:  # fmt: skip
    """Do the rounds from ``begin`` to ``end`` and make the weights of the next; return how many are done in all.

    The weights of the first must have been made, which is all that happens if ``begin`` is ``end``. Columns of
    ``record`` are rounds: step, error, edge, density, smoothness, number of nodes.
    """
    y, k, first = recipe[1], recipe[5], np.int64(0)
    if begin == end:
        _weigh(exponent, margin, base, raw, weight, record, begin)
    for t in range(begin, end):
        density = record[3, t]
        if by_link and density == 0.0:
            return t
        size = _grow(recipe, weight, nodes, first, output)
        error = _judge(y, k, weight, output) / sum_of_weights(weight)
        if error < FEW_WRONG:
            error = _unrounded_error(raw, output)
        if by_link:
            for i in range(len(weight)):
                raw[i] = weight[i] * output[i]
            edge = sum_in_order(raw)
            theta = gradient_step_scalar(factor, density, edge)
        else:
            edge = (1 - error) / (k - 1) - error / (k - 1) ** 2
            theta = factor * adaboost_step_scalar(error, k)
        if theta == 0.0 or (by_link and edge <= 0.0):
            return t
        record[0, t], record[1, t], record[2, t], record[5, t] = theta, error, edge, size
        first += size
        for i in range(len(margin)):
            margin[i] += theta * output[i]
        if not by_link and error == 0.0 and _unrounded_error(base, output) == 0.0:
            record[3, t + 1] = PERFECT
            return t + 1
        _weigh(exponent, margin, base, raw, weight, record, t + 1)
    return end


#: The rounds by what grows the trees and what weighs: one kernel each, so that nobody waits for what is not used.
ROUNDS = {
    (has_lists, by_link): kernel(
        _rounds,
        {
            "_grow": grow_by_lists if has_lists else grow_by_histograms,
            "_weigh": weigh_by_link if by_link else weigh_by_loss,
        },
    )
    for has_lists in (False, True)
    for by_link in (False, True)
}
