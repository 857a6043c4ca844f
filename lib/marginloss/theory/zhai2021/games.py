"""Boosters against learners that do as little as they may: Theorems 4 and 5 of zhai2021, and plain LPBoost."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from marginloss.risk import (
    cvar,
    entropic_lpboost,
    hedge_excess,
    hedge_step,
    lpboost,
    lpboost_beta,
    lpboost_rounds,
)
from marginloss.theory import Finding, claim, outcome

__all__ = ["ADVERSARIES", "exponential_game", "hard_table", "program_game", "rounds_on_hard_table"]

Array = NDArray[np.float64]
Learner = Callable[[Array, Array, float, np.random.Generator], Array]


def _fill(order: NDArray[np.intp], weight: Array, g: float) -> Array:
    """Go through the samples in this order and err on each for which the weighted error stays at most g."""
    losses = np.zeros(len(weight))
    left = g + 1e-15
    while len(order):
        # as many as fit one after the other; the next one does not, nor does any that is heavier than what is left
        taken = int(np.searchsorted(np.cumsum(weight[order]), left, side="right"))
        losses[order[:taken]] = 1.0
        left -= float(weight[order[:taken]].sum())
        order = order[taken:][weight[order[taken:]] <= left]
    return losses


ADVERSARIES: dict[str, Learner] = {
    "cheapest": lambda weight, past, g, rng: _fill(np.argsort(weight, kind="stable"), weight, g),
    "fixed order": lambda weight, past, g, rng: _fill(np.arange(len(weight)), weight, g),
    "already hurt": lambda weight, past, g, rng: _fill(np.argsort(weight / (past + 0.1), kind="stable"), weight, g),
    "random": lambda weight, past, g, rng: _fill(rng.permutation(len(weight)), weight, g),
}
"""Learners that keep their promise of weighted error at most g and hurt otherwise as much as they can."""


def exponential_game(n: int, rounds: int, g: float, adversary: str, step_size: float | None = None) -> float:
    """Largest expected loss of the even mixture after exponential weights against an adversary."""
    learner, rng = ADVERSARIES[adversary], np.random.default_rng(0)
    step = hedge_step(n, rounds) if step_size is None else step_size
    total = np.zeros(n)
    for _ in range(rounds):
        total += learner(softmax(step * total), total, g, rng)
    return float(total.max() / rounds)


def program_game(
    n: int, alpha: float, g: float, delta: float, adversary: str, beta: float | None, most: int
) -> int | None:
    """Rounds until the best mixture has a training CVaR of at most g + delta; None if ``most`` do not suffice."""
    learner, rng = ADVERSARIES[adversary], np.random.default_rng(0)
    weight, columns = np.full(n, 1.0 / n), np.zeros((n, 0))
    model_weights: Array | None = None
    for number in range(1, most + 1):
        new = learner(weight, columns.sum(axis=1), g, rng)
        columns = np.column_stack([columns, new])
        if beta is None:
            solved = lpboost(columns, alpha)
        else:
            start = None if model_weights is None else np.append(model_weights, 0.0)
            solved = entropic_lpboost(columns, alpha, beta, start=start, tol=1e-6)
            model_weights = solved.model_weights
        if cvar(columns @ solved.model_weights, alpha) <= g + delta:
            return number
        weight = solved.sample_weights
    return None


def hard_table(n: int, epsilon: float) -> Array:
    """Losses of n/2 + 1 models on n samples that make plain LPBoost look at all of them (RWG07, WGV08).

    Model t is right on one sample that LPBoost puts all its weight on next; only the first and the last together are
    good.
    """
    half = n // 2
    margins = np.empty((n, half + 1))
    for t in range(1, half + 1):
        margins[:, t - 1] = -1 + (2 * t + 1) * epsilon
        margins[half + t - 1, t - 1] = -1 + 2 * t * epsilon
        margins[half + t - 2 if t > 1 else slice(half), t - 1] = 1.0
    margins[:half, half], margins[half:, half] = -1 + epsilon, 1 - epsilon
    return (1 - margins) / 2


def rounds_on_hard_table(n: int, beta: float | None, within: float = 0.1) -> int:
    """Rounds until the value is within a distance of the optimum, the learner answering with its best model."""
    table = hard_table(n, 0.1 / n)
    optimum = lpboost(table, 1 / n).value
    weight, chosen = np.full(n, 1.0 / n), list[int]()
    while True:
        chosen.append(int((weight @ table).argmin()))
        if lpboost(table[:, chosen], 1 / n).value <= optimum + within:
            return len(chosen)
        columns = table[:, chosen]
        solved = lpboost(columns, 1 / n) if beta is None else entropic_lpboost(columns, 1 / n, beta, tol=1e-7)
        weight = solved.sample_weights


@claim("zhai2021:c13")
def c13() -> Finding:
    """Rounds of plain and of regularised LPBoost on the hard table, alpha = 1/n."""
    sizes = [8, 16, 32, 64]
    plain = [rounds_on_hard_table(n, None) for n in sizes]
    regularised = [rounds_on_hard_table(n, lpboost_beta(1 / n, 0.1)) for n in sizes]
    # at least 1/(2 alpha), for every size: no smaller order than 1/alpha
    slack = min(rounds - n / 2 for rounds, n in zip(plain, sizes, strict=True))
    evidence = {f"plain_{n}": count for n, count in zip(sizes, plain, strict=True)}
    evidence |= {f"regularised_{n}": count for n, count in zip(sizes, regularised, strict=True)}
    return outcome(slack, evidence=evidence)


@claim("zhai2021:c14")
def c14() -> Finding:
    """Rounds that regularised LPBoost needs against adversaries, next to those that Theorem 4 allows."""
    settings = [(60, 0.1, 0.2, 0.1), (60, 0.25, 0.3, 0.15)]
    slack, most, ratio, plain_reached, runs = np.inf, 0, np.inf, 0, 0
    for n, alpha, g, delta in settings:
        allowed = lpboost_rounds(alpha, delta)
        for adversary in ADVERSARIES:
            needed = program_game(n, alpha, g, delta, adversary, lpboost_beta(alpha, delta), 150)
            runs += 1
            plain_reached += program_game(n, alpha, g, delta, adversary, None, 60) is not None
            if needed is None:
                return outcome(-1.0, holds=False, evidence={"allowed": allowed})
            most, slack, ratio = max(most, needed), min(slack, allowed - needed), min(ratio, allowed / needed)
    evidence = {"most_rounds": most, "smallest_allowed_over_needed": ratio, "runs": runs}
    return outcome(slack, evidence=evidence | {"plain_reached_in_60": plain_reached})


@claim("zhai2021:c16")
def c16() -> Finding:
    """Largest expected loss of the even mixture against g plus the excess of Theorem 5, as printed and for step 1."""
    worst = worst_at_one = 0.0
    for n, rounds, g in [(50, 30, 0.2), (200, 100, 0.3), (2000, 150, 0.25), (5000, 426, 0.3)]:
        for adversary in ADVERSARIES:
            excess = exponential_game(n, rounds, g, adversary) - g
            worst = max(worst, excess / math.sqrt(math.log(n) / (2 * rounds)))
            at_one = exponential_game(n, rounds, g, adversary, step_size=1.0) - g
            worst_at_one = max(worst_at_one, at_one / hedge_excess(n, rounds, 1.0))
    evidence = {"worst_share_of_bound": worst, "worst_share_at_step_1": worst_at_one}
    return outcome(1 - max(worst, worst_at_one), evidence=evidence)
