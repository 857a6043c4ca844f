"""Boosters against learners that do as little as they may: Theorems 4 and 5 of zhai2021, and plain LPBoost."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression

from marginloss.risk import (
    cvar,
    entropic_lpboost,
    hedge_excess,
    hedge_step,
    lpboost,
    lpboost_beta,
    lpboost_rounds,
    smoothed_cvar,
)
from marginloss.theory import Array, Finding, claim, outcome

__all__ = [
    "ADVERSARIES",
    "exponential_game",
    "forced",
    "hard_table",
    "program_game",
    "program_rounds",
    "rounds_of_the_proof",
    "rounds_on_hard_table",
]

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


def program_rounds(n: int, alpha: float, g: float, adversary: str, beta: float | None) -> Iterator[tuple[float, float]]:
    """Training CVaR and value of the program after each round of LPBoost against an adversary, without end."""
    learner, rng = ADVERSARIES[adversary], np.random.default_rng(0)
    weight, columns = np.full(n, 1.0 / n), np.zeros((n, 0))
    start: Array | None = None
    while True:
        columns = np.column_stack([columns, learner(weight, columns.sum(axis=1), g, rng)])
        if beta is None:
            solved = lpboost(columns, alpha)
        else:
            solved = entropic_lpboost(columns, alpha, beta, start=start, tol=1e-6)
            start = np.append(solved.model_weights, 0.0)
        yield cvar(columns @ solved.model_weights, alpha), solved.value
        weight = solved.sample_weights


def program_game(
    n: int, alpha: float, g: float, delta: float, adversary: str, beta: float | None, most: int
) -> int | None:
    """Rounds until the best mixture has a training CVaR of at most g + delta; None if ``most`` do not suffice."""
    played = islice(program_rounds(n, alpha, g, adversary, beta), most)
    return next((number for number, (tail, _) in enumerate(played, 1) if tail <= g + delta), None)


def rounds_of_the_proof(beta: float, delta: float) -> int:
    """Rounds until an excess of 1 is down to delta / 2 if each round takes a square of it over 2 beta.

    The smoothed CVaR is beta-smooth in the losses, which lie in [0, 1], so that a model of weighted loss at most g
    takes that much off its distance from g; the other half of delta is for the smoothing.
    """
    excess, rounds = 1.0, 0
    while excess > delta / 2:
        excess -= min(excess, beta) * (excess - min(excess, beta) / 2) / beta
        rounds += 1
    return rounds


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
    """Theorem 4 step by step: what smoothing hides, what a round gains against adversaries, how many rounds follow."""
    settings = [(60, 0.1, 0.2, 0.1), (60, 0.25, 0.3, 0.15)]
    most, least_gain, hidden, spare = 0, np.inf, 0.0, np.inf
    for n, alpha, g, delta in settings:
        allowed, beta = lpboost_rounds(alpha, delta), lpboost_beta(alpha, delta)
        spare = min(spare, allowed / rounds_of_the_proof(beta, delta))
        for adversary in ADVERSARIES:
            tails, values = np.array(list(islice(program_rounds(n, alpha, g, adversary, beta), 120))).T
            excess = values - g
            early = excess[:-1] > delta / 2
            gain = (excess[:-1] - excess[1:])[early] / (excess[:-1][early] ** 2 / (2 * beta))
            least_gain = min(least_gain, gain.min(initial=np.inf))
            hidden = max(hidden, float((tails - values).max()) / (delta / 2))
            most = max(most, int(np.append(tails <= g + delta, True).argmax()) + 1)
        # losses of one on the tail and zero elsewhere: smoothing hides all that it can
        step = (np.arange(n) < alpha * n).astype(float)
        hidden = max(hidden, (cvar(step, alpha) - smoothed_cvar(step, alpha, beta)) / (delta / 2))
    plain = sum(program_game(*setting, name, None, 60) is not None for setting in settings for name in ADVERSARIES)
    evidence = {"most_rounds": most, "hidden_over_half_delta": hidden, "least_gain_over_proof": least_gain}
    evidence |= {"allowed_over_proof": spare, "plain_reached_in_60": plain}
    return outcome(min(1 - hidden, least_gain - 1, spare - 1), evidence=evidence, tolerance=1e-6)


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


def _families(n: int) -> Iterator[Array]:
    """All sets of 0/1 models on n samples of which none errs wherever another does, as columns of losses."""
    errors = list(range(1, 2**n))

    def grow(chosen: list[int], rest: list[int]) -> Iterator[list[int]]:
        if chosen:
            yield chosen
        for place, new in enumerate(rest):
            yield from grow([*chosen, new], [old for old in rest[place + 1 :] if old & new not in (old, new)])

    for family in grow([], errors):
        yield np.array([[(code >> i) & 1 for code in family] for i in range(n)], dtype=float)


def forced(n: int, g: float, alpha: float) -> float:
    """Training CVaR to which 0/1 models of weighted error at most g can hold any booster.

    The models that a learner ever answers with are a family in which each weighting has a model of weighted error at
    most g: the value of its program at alpha = 1/n is at most g. The booster cannot do better than the best mixture of
    the family, and gets there once it has seen all of it.
    """
    kept = (family for family in _families(n) if lpboost(family, 1 / n).value <= g + 1e-9)
    return max((lpboost(family, alpha).value for family in kept), default=0.0)


@claim("zhai2021:c12")
def c12() -> Finding:
    """The CVaR that 0/1 learners can force for three and four samples, beside their promise g."""
    # wrong on {1}, or on {2, 3}: one of the two has weighted error at most 1/2, and an even mixture fails all alike
    pair = lpboost(np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]), 1 / 3).value
    kept = {(3, alpha): forced(3, 0.5, alpha) for alpha in (1 / 3, 1 / 2, 2 / 3, 1.0)}
    short = {(n, g): g - forced(n, g, 1 / n) for n, g in ((3, 0.4), (4, 0.35), (4, 0.5), (4, 0.7))}
    slack = min(pair, kept[3, 1 / 3], kept[3, 1 / 2], kept[3, 2 / 3]) - 0.5
    evidence = {"two_answers": pair, "at_all_examples": kept[3, 1.0], "largest_shortfall": max(short.values())}
    evidence |= {f"forced_{n}_{100 * g:.0f}": g - gap for (n, g), gap in short.items()}
    whole = max(gap * n for (n, _), gap in short.items())  # in samples
    caveat = kept[3, 1.0] < 0.5 - 1e-9 or max(short.values()) > 1e-9
    return outcome(slack, holds=slack >= -1e-9 and whole < 1, caveat=caveat, evidence=evidence, tolerance=1e-9)


def group_dro(answer: Callable[[Array], Array], k: int, rounds: int, step: float) -> Array:
    """Losses of k groups under the models of Group DRO: the weight of a group grows by exp(step * loss) each round."""
    weight, columns = np.full(k, 1.0 / k), []
    for _ in range(rounds):
        columns.append(answer(weight))
        weight *= np.exp(step * columns[-1])
        weight /= weight.sum()
    return np.column_stack(columns)


@claim("zhai2021:c21")
def c21() -> Finding:
    """Group DRO and AdaBoost + Average over groups, run side by side; then the program's weights for its models."""
    apart, on_groups, fresh = 0.0, [], []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        group = np.repeat(np.arange(4), [400, 200, 120, 80])  # each with a rule of its own
        X = rng.normal(size=(2, 800, 3))
        y = np.einsum("pni,ni->pn", X, rng.normal(size=(4, 3))[group]) > 0
        sizes, tested = np.bincount(group), list[Array]()

        def answer(weight: Array, X=X, y=y, group=group, sizes=sizes, tested=tested) -> Array:  # type: ignore[no-untyped-def]
            model = LogisticRegression().fit(X[0], y[0], sample_weight=(800 * weight / sizes)[group])
            losses = [
                np.bincount(group, model.predict(part) != label) / sizes for part, label in zip(X, y, strict=True)
            ]
            tested.append(losses[1])
            return losses[0]

        table = group_dro(answer, 4, 40, 0.5)
        seen, total = np.column_stack(tested), np.zeros(4)
        for column in table.T:  # AdaBoost + Average with the groups as samples
            losses = answer(softmax(0.5 * total))
            apart, total = max(apart, float(np.abs(losses - column).max())), total + losses
        found = lpboost(table, 1 / 4)
        on_groups.append(table.mean(axis=1).max() - found.value)
        fresh.append(float(seen.mean(axis=1).max() - (seen @ found.model_weights).max()))
    evidence = {"largest_difference": apart, "least_gain_on_groups": min(on_groups), "least_gain_on_fresh": min(fresh)}
    evidence |= {"gain_on_groups": np.mean(on_groups), "gain_on_fresh": np.mean(fresh)}
    holds = apart < 1e-9 and min(on_groups) > 0
    return outcome(min(on_groups), holds=holds, caveat=min(fresh) < 0, evidence=evidence)
