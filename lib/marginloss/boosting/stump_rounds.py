r"""The rounds of AdaBoost.α over stumps on features with two values as machine code.

A stump moves every margin by one of two amounts, so that the odds :math:`g = e^{-z}` are kept up to date by one
multiplication and weights need no exponential. Nor is a histogram needed: the weight of each class above the cut gives
all class weights of a stump, and it is exact (see :mod:`marginloss.boosting.tree_rounds`).
"""

from __future__ import annotations

from typing import Any

from marginloss._compiled import any_order, helper, kernel
from marginloss.boosting.rules import adaboost_step_scalar
from marginloss.boosting.tree_rounds import FEW_WRONG, PERFECT, distribute, sum_in_order, sum_of_weights
from marginloss.losses.elementary import LN2, exp, log
from marginloss.losses.margin import alpha_weight_at_odds_scalar

__all__ = ["margins_of_odds", "stump_rounds", "weigh_odds"]

FAR = 600.0  # exp of a larger number may overflow


@any_order
def _sum_above(signs: Any, weight: Any) -> float:
    total = 0.0
    for i in range(len(weight)):
        total += weight[i] if signs[i] > 0 else 0.0  # a mask: cheaper than a sign made a double to multiply with
    return total


@helper
def _move(odds: Any, signs: Any, low: float, high: float) -> None:
    for i in range(len(odds)):
        odds[i] *= high if signs[i] > 0 else low


@kernel
def margins_of_odds(odds: Any, margin: Any) -> None:
    """Write the margins that belong to these odds."""
    for i in range(len(odds)):
        margin[i] = -log(odds[i])


@kernel
def weigh_odds(exponent: float, odds: Any, base: Any, raw: Any, weight: Any, record: Any, t: int) -> None:
    """Weights of round t; closed powers for the common losses."""
    if exponent == -1.0:
        for i in range(len(odds)):
            raw[i] = alpha_weight_at_odds_scalar(odds[i], -1.0)
    elif exponent == 0.0:
        for i in range(len(odds)):
            raw[i] = alpha_weight_at_odds_scalar(odds[i], 0.0)
    elif exponent == 0.5:
        for i in range(len(odds)):
            raw[i] = alpha_weight_at_odds_scalar(odds[i], 0.5)
    else:
        for i in range(len(odds)):
            raw[i] = alpha_weight_at_odds_scalar(odds[i], exponent)
    distribute(raw, base, weight, 0.0, record, t)


@kernel
def stump_rounds(signs: Any, zeros: int, base: Any, by_error: bool, exponent: float, factor: float, begin: int,
                 end: int, record: Any, odds: Any, raw: Any, weight: Any) -> int:  # fmt: skip
    """Do the rounds from ``begin`` to ``end``, the weights of the first being made; return how many are done in all.

    Rows of class 0 come first, ``zeros`` in number. Columns of ``record`` are rounds: step, error, edge, density,
    smoothness, feature (-1 for none), answers of the root, below and above the cut, gain. A step of 0 stops the
    rounds, and so do odds next to overflow, before they change.
    """
    reach, light, heavy = 0.0, weight[:zeros], weight[zeros:]
    for t in range(begin):
        reach += abs(record[0, t])
    for t in range(begin, end):
        zero, one = sum_of_weights(light), sum_of_weights(heavy)
        whole, surplus = zero + one, one - zero
        best, chosen, low, high, error = -1.0, -1, surplus, surplus, min(zero, one)
        for f in range(len(signs) if error > 0 else 0):
            of_zero, of_one = _sum_above(signs[f, :zeros], light), _sum_above(signs[f, zeros:], heavy)
            above, up = of_one + of_zero, of_one - of_zero
            below, down = whole - above, surplus - up
            if above > 0 and below > 0:
                score = abs(up) + abs(down) if by_error else up * up / above + down * down / below
                if score > best + 2e-12:  # twice the rounding allowed in trees, because the score is twice theirs
                    best, chosen, low, high, error = score, f, down, up, (whole - abs(up) - abs(down)) / 2
        gain = 0.0
        if chosen >= 0:
            gain = (best - abs(surplus) if by_error else best - surplus * surplus) / 2
        root, low, high = 1.0 if surplus > 0 else -1.0, 1.0 if low > 0 else -1.0, 1.0 if high > 0 else -1.0
        answers = signs[max(chosen, 0)]
        error /= whole
        if error < FEW_WRONG:
            error = _unrounded_error(raw, answers, zeros, low, high)
        theta = factor * adaboost_step_scalar(error, 2)
        reach += abs(theta)
        record[0, t] = theta
        if theta == 0.0 or reach * max(1.0, -exponent, 1.0 + exponent) + LN2 * max(0.0, -1.0 - exponent) >= FAR:
            return t
        record[1, t], record[2, t] = error, 1 - 2 * error
        record[5, t], record[6, t], record[7, t], record[8, t], record[9, t] = chosen, root, low, high, gain
        good, bad = exp(-theta), exp(theta)
        _move(odds[:zeros], answers[:zeros], bad if low > 0 else good, bad if high > 0 else good)
        _move(odds[zeros:], answers[zeros:], good if low > 0 else bad, good if high > 0 else bad)
        if error == 0.0 and _unrounded_error(base, answers, zeros, low, high) == 0.0:
            record[3, t + 1] = PERFECT
            return t + 1
        weigh_odds(exponent, odds, base, raw, weight, record, t + 1)
    return end


@helper
def _unrounded_error(raw: Any, answers: Any, zeros: int, low: float, high: float) -> float:
    wrong = 0.0
    for i in range(len(raw)):
        answer = high if answers[i] > 0 else low
        wrong += raw[i] if (answer > 0) != (i >= zeros) else 0.0
    return wrong / sum_in_order(raw)
