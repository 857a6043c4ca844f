"""CVaR and randomisation: Propositions 1 and 2 and what surrounds them (zhai2021, sections 1 and 2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import combinations, product

import numpy as np
from scipy.optimize import minimize_scalar

from marginloss.risk import cvar, cvar_curve, lpboost
from marginloss.theory import Array, Finding, claim, outcome

__all__ = ["TAILS", "families", "proof_sentence", "proposition_1", "proposition_2"]

Risk = Callable[[Array, float], float]

TAILS = [1 / 8, 1 / 4, 1 / 3, 2 / 5, 1 / 2, 3 / 5, 2 / 3, 4 / 5, 1.0]
"""Nine tail fractions, with alpha n whole for some numbers of samples and not for others."""

ROUNDING = 1e-12


def families(largest_n: int = 4) -> Iterator[Array]:
    """All families of one to three deterministic classifiers on up to ``largest_n`` samples, as rows of 0/1 losses."""
    for n in range(1, largest_n + 1):
        vectors = np.array(list(product([0.0, 1.0], repeat=n)))
        for size in (1, 2, 3):
            for chosen in combinations(range(len(vectors)), size):
                yield vectors[list(chosen)]


def proposition_1(risk: Risk = cvar) -> dict[str, float]:
    """Compare the minimisers of the mean and of a tail risk over all small families and all of :data:`TAILS`."""
    found = {"cases": 0, "worst_excess": 0.0, "sets_differ": 0, "sets_differ_below": 0}
    for family in families():
        mean = family.mean(axis=1)
        best = mean <= mean.min() + ROUNDING
        for alpha in TAILS:
            tail = np.array([risk(row, alpha) for row in family])
            lowest = tail <= tail.min() + ROUNDING
            found["cases"] += 1
            found["worst_excess"] = max(found["worst_excess"], float(tail[best].max() - tail.min()))
            differ = bool((lowest != best).any())
            found["sets_differ"] += differ
            found["sets_differ_below"] += differ and mean.min() < alpha - ROUNDING
    return found


def proof_sentence(only_below: bool, risk: Risk = cvar) -> float:
    """Largest distance between CVaR and R/alpha in families whose best member errs less than alpha.

    With ``only_below`` members that err more than alpha are left out: the repair.
    """
    worst = 0.0
    for family in families(3):
        for alpha in TAILS:
            mean = family.mean(axis=1)
            if mean.min() < alpha - ROUNDING:
                members = family[mean <= alpha + ROUNDING] if only_below else family
                worst = max([worst, *(abs(risk(row, alpha) - row.mean() / alpha) for row in members)])
    return worst


def proposition_2(risk: Callable[[Array, Array], Array] = cvar_curve, pairs: int = 2000) -> dict[str, float]:
    """Randomised classifiers against deterministic ones of the same mean loss, at many tail fractions."""
    rng = np.random.default_rng(0)
    levels = np.arange(1, 41) / 40
    worst, lower = -np.inf, 0
    for _ in range(pairs):
        n, models = int(rng.integers(2, 31)), int(rng.integers(2, 6))
        errors = int(rng.integers(1, n + 1))
        # each of the mixed models makes the same number of errors, so that the mean is exact
        votes = np.argsort(rng.random((models, n)), axis=1) < errors
        mixed = rng.dirichlet(np.ones(models)) @ votes
        gain = np.minimum(1.0, errors / n / levels) - risk(mixed, levels)
        worst, lower = max(worst, float(-gain.min())), lower + bool(gain.max() > 1e-9)
    return {"pairs": pairs, "worst_excess": worst, "strictly_lower": lower}


@claim("zhai2021:c1")
def c1() -> Finding:
    """Every minimiser of the mean is one of the CVaR, over all small families."""
    found = proposition_1()
    return outcome(-found["worst_excess"], evidence=found, tolerance=ROUNDING)


@claim("zhai2021:c2")
def c2() -> Finding:
    """Below alpha the two sets of minimisers are equal; above it they often differ."""
    found = proposition_1()
    return outcome(-found["sets_differ_below"], evidence=found)


@claim("zhai2021:c3")
def c3() -> Finding:
    """CVaR of a 0/1 vector is min(1, R/alpha), whole alpha n or not."""
    rng = np.random.default_rng(0)
    worst = 0.0
    for n in range(1, 40):
        errors, alphas = rng.integers(0, n + 1, 20), rng.uniform(0.001, 1, 20)
        for k, alpha in zip(errors, alphas, strict=True):
            losses = np.r_[np.ones(k), np.zeros(n - k)]
            worst = max(worst, abs(cvar(losses, alpha) - min(1.0, k / n / alpha)))
    return outcome(-worst, evidence={"largest_difference": worst}, tolerance=ROUNDING)


@claim("zhai2021:c4")
def c4() -> Finding:
    """The sentence of the proof for all classifiers, and for those that err at most alpha."""
    printed, repaired = proof_sentence(only_below=False), proof_sentence(only_below=True)
    both_wrong = cvar([1.0, 1.0], 0.5)
    evidence = {"cvar_of_two_errors": both_wrong, "rate_over_alpha": 1 / 0.5}
    evidence |= {"worst": printed, "worst_repaired": repaired}
    return outcome(-printed, evidence=evidence, tolerance=ROUNDING)


@claim("zhai2021:c5")
def c5() -> Finding:
    """A mixture never has the higher CVaR at equal mean."""
    found = proposition_2()
    return outcome(-found["worst_excess"], evidence=found, tolerance=ROUNDING)


@claim("zhai2021:c6")
def c6() -> Finding:
    """Five models, each wrong on a tenth of its own."""
    losses = np.vstack([np.repeat(np.eye(5), 10, axis=0), np.zeros((50, 5))])
    mixture, single = cvar(losses.mean(axis=1), 0.1), cvar(losses[:, 0], 0.1)
    best = lpboost(losses, 0.1).value
    off = max(abs(mixture - 0.2), abs(single - 1.0))
    return outcome(-off, evidence={"mixture": mixture, "single": single, "best": best}, tolerance=ROUNDING)


@claim("zhai2021:c10")
def c10() -> Finding:
    """The dual form (18): its minimum over all breakpoints, and where it is attained."""
    rng = np.random.default_rng(1)
    worst = worst_at_edge = 0.0
    for _ in range(400):
        n, alpha = int(rng.integers(1, 30)), float(rng.uniform(0.01, 1.0))
        losses = np.sort(rng.choice([rng.normal(size=n), rng.integers(0, 3, n).astype(float)]))[::-1]

        def dual(level: float, losses: Array = losses, alpha: float = alpha) -> float:
            return float(level + np.maximum(losses - level, 0).sum() / (alpha * len(losses)))

        value = cvar(losses, alpha)
        worst = max(worst, abs(min(map(dual, losses)) - value))
        edge = losses[min(int(alpha * n), n - 1)]
        worst_at_edge = max(worst_at_edge, abs(dual(edge) - value))
    evidence = {"largest_difference": worst, "largest_difference_at_edge": worst_at_edge}
    return outcome(-max(worst, worst_at_edge), evidence=evidence, tolerance=1e-11)


@claim("zhai2021:c11")
def c11() -> Finding:
    """The robust loss of growing Rényi order by its one-dimensional dual, and the distribution that attains it."""
    losses, alpha = np.random.default_rng(2).random(50), 0.2
    orders = 2.0 ** np.arange(1, 11)
    excess = np.array([_renyi(losses, alpha, order)[0] for order in orders]) - cvar(losses, alpha)
    # the dual is the robust loss: a distribution on the boundary of the ball has this mean (at large orders the
    # minimum is too flat for its place to be known well)
    apart = 0.0
    for order in (1.5, 2.0, 4.0):
        value, ratio = _renyi(losses, alpha, order)
        radius = math.log(np.mean(ratio**order)) / (order - 1)
        apart = max(apart, abs(radius + math.log(alpha)), abs(float(np.mean(ratio * losses)) - value))
    # from above, falling all the way, and about as fast as one over the order
    falls = bool((np.diff(excess) < 0).all() and (excess > 0).all())
    rate = excess[-1] * orders[-1] / (excess[-4] * orders[-4])
    evidence = {"excess_at_2": excess[0], "excess_at_1024": excess[-1], "rate_ratio": rate, "distance_from_ball": apart}
    holds = falls and excess[-1] < 1e-4 and 0.5 < rate < 2 and apart < 1e-6
    return outcome(1e-4 - excess[-1], holds=holds, evidence=evidence)


def _renyi(losses: Array, alpha: float, order: float) -> tuple[float, Array]:
    """Value of the dual, and the density of the distribution that attains it relative to the uniform one."""
    power = order / (order - 1)

    def dual(level: float) -> float:
        rest = np.maximum(losses - level, 0)
        return float(level + alpha ** (-1 / power) * np.mean(rest**power) ** (1 / power))

    best = minimize_scalar(dual, bounds=(losses.min() - 5, losses.max()), options={"xatol": 1e-12})
    density = np.maximum(losses - best.x, 0) ** (power - 1)
    return float(best.fun), density / density.mean()


@claim("zhai2021:c22")
def c22() -> Finding:
    """Worst group against the CVaR at the fraction of the smallest group; equal if that group holds the tail."""
    rng = np.random.default_rng(3)
    slack = np.inf
    for trial in range(300):
        n, k = int(rng.integers(10, 60)), int(rng.integers(2, 5))
        groups = np.r_[np.arange(k), rng.integers(0, k, n - k)]
        sizes = np.bincount(groups)
        losses = rng.random(n)
        if trial % 2:
            losses[groups == sizes.argmin()] += 1.0
        worst = (np.bincount(groups, weights=losses) / sizes).max()
        slack = min(slack, cvar(losses, sizes.min() / n) - worst)
    return outcome(slack, evidence={"smallest_slack": slack}, tolerance=ROUNDING)
