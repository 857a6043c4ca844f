"""Fixed exponents for a whole population: Theorems 9, 10 and 16 with their lemmas and examples."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy.special import expit, logit

from marginloss.losses.proper import AlphaCPELoss, flip_posterior, untwisting_alpha
from marginloss.theory import Array, Finding, claim, outcome
from marginloss.theory.sypherd2022.tilting import (
    best_alpha,
    binary_entropy,
    constructive_alpha,
    tilted_cross_entropy,
    tilted_divergence,
)


def _populations(n: int, seed: int = 0) -> Iterator[tuple[Array, Array, Array]]:
    """Random finite populations: clean and twisted posteriors, and probabilities of the points."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        size = int(rng.integers(1, 8))
        yield rng.uniform(0.02, 0.98, size), rng.uniform(0.02, 0.98, size), rng.dirichlet(np.ones(size))


@claim("sypherd2022:theorem-9")
def theorem_9() -> Finding:
    """Random strictly blunting twists with α₀ the smallest pointwise exponent; the two gaps of the printed theorem."""
    rng = np.random.default_rng(0)
    gains, slopes, exponents, rest = [], [], [], []
    for clean, _, weight in _populations(400):
        twisted = clean + (0.5 - clean) * rng.uniform(0.05, 0.95, clean.shape)
        pointwise = untwisting_alpha(clean, twisted)
        fixed = float(pointwise.min())
        exponents.append(fixed)
        rest.append(abs(tilted_divergence(pointwise, clean, twisted, weight)))
        gains.append(tilted_divergence(1.0, clean, twisted, weight) - tilted_divergence(fixed, clean, twisted, weight))
        slopes.append(float(np.average((twisted - clean) * logit(twisted), weights=weight)))
    # a twisted posterior of one half is strictly blunted as the definition reads, and no exponent changes it
    at_half = abs(tilted_divergence(5.0, [0.9], [0.5]) - tilted_divergence(1.0, [0.9], [0.5]))
    smallest = float(untwisting_alpha(0.9, 0.9 - 0.4 / np.arange(2.0, 1e6)).min())
    return outcome(
        min(gains),
        holds=min(gains) > 0 and min(exponents) > 1 and max(rest) < 1e-14 and max(slopes) < 0,
        caveat=at_half < 1e-15 and smallest < 1 + 1e-4,
        evidence={
            "difference_at_one_half": at_half,
            "infimum_of_pointwise_alpha": smallest,
            "largest_slope_at_1": max(slopes),
            "smallest_exponent": min(exponents),
            "divergence_of_the_pointwise_exponents": max(rest),
        },
    )


@claim("sypherd2022:lemma-14")
def lemma_14() -> Finding:
    """Random bounds, scores and exponents of either sign."""
    rng = np.random.default_rng(0)
    bound, alpha = rng.exponential(3, 20000), rng.normal(0, 4, 20000)
    z = rng.uniform(-1, 1, 20000) * bound
    slack = np.logaddexp(0, alpha * bound) - (bound - z) / 2 * alpha - np.logaddexp(0, alpha * z)
    return outcome(slack.min(), tolerance=1e-12)


@claim("sypherd2022:lemma-15")
def lemma_15() -> Finding:
    """Both log-likelihoods of the tilted posterior against their linear bounds."""
    rng = np.random.default_rng(1)
    worst = math.inf
    for alpha in rng.normal(0, 3, 200):
        bound = float(rng.exponential(2))
        logits = rng.uniform(-1, 1, 100) * bound
        # the estimate of the other class is the tilt of its posterior: 1 - t would be rounded
        right, wrong = -np.log(AlphaCPELoss(alpha).tilt(expit([logits, -logits])))
        top = np.logaddexp(0, alpha * bound)
        right = top - alpha * (bound + logits) / 2 - right
        wrong = top - alpha * (bound - logits) / 2 - wrong
        worst = min(worst, float(right.min()), float(wrong.min()))
    return outcome(worst, tolerance=1e-12)


@claim("sypherd2022:theorem-10")
def theorem_10() -> Finding:
    """Random populations with every logit inside the bound; how often the exponent is worse than α = 1."""
    slacks, worse = [], []
    for clean, twisted, weight in _populations(3000):
        found = constructive_alpha(clean, twisted, float(np.abs(logit(twisted)).max()), weight)
        risk = tilted_cross_entropy(found.alpha, clean, twisted, weight)
        slacks.append(found.guarantee - risk)
        worse.append(risk > tilted_cross_entropy(1.0, clean, twisted, weight))
    clean = np.array([0.9, 0.1])
    twisted = flip_posterior(clean, 0.2)
    loose = {f"alpha_for_bound_{b:g}": constructive_alpha(clean, twisted, b).alpha for b in (1.05, 3.0, 6.0)}
    loose |= {"exact": float(untwisting_alpha(0.9, twisted[0])), "share_worse_than_1": float(np.mean(worse))}
    return outcome(min(slacks), tolerance=1e-12, evidence=loose)


@claim("sypherd2022:theorem-16")
def theorem_16() -> Finding:
    """Random populations with logits outside the bound; the same with the other sign in the outside edge."""
    slacks, plus = [], []
    for clean, twisted, weight in _populations(4000, seed=1):
        logits = np.abs(logit(twisted))
        if logits.min() == logits.max():
            continue
        found = constructive_alpha(clean, twisted, float(np.quantile(logits, 0.5)), weight)
        risk = tilted_cross_entropy(found.alpha, clean, twisted, weight)
        slacks.append(found.guarantee - risk)
        outside = logits > found.bound
        size = float(np.average(logits[outside], weights=weight[outside])) / found.bound if outside.any() else 0.0
        plus.append(replace(found, outside_edge=size - found.outside_edge).guarantee - risk)
    return outcome(min(slacks), tolerance=1e-12, evidence={"slack_with_plus_sign": min(plus)})


@claim("sypherd2022:polarity")
def polarity() -> Finding:
    """Sign of the constructive exponent against that of the logit-edge, and of the edge under twists that cross ½."""
    signs, crossed, blunted = list[float](), list[float](), list[float]()
    for clean, twisted, weight in _populations(2000, seed=3):
        found = constructive_alpha(clean, twisted, float(np.abs(logit(twisted)).max()), weight)
        edge = np.average((2 * clean - 1) * logit(twisted), weights=weight)  # the mean of y logit(twisted)
        signs.append(float(found.alpha * np.sign(edge)))
        for rates, alphas in ((0.8, crossed), (0.2, blunted)):
            flipped = flip_posterior(clean, rates)
            alphas.append(constructive_alpha(clean, flipped, float(np.abs(logit(flipped)).max()), weight).alpha)
    evidence = {"largest_alpha_of_a_flip_rate_of_0.8": max(crossed), "smallest_of_0.2": min(blunted)}
    return outcome(min(signs), holds=min(signs) > 0 and max(crossed) < 0 < min(blunted), evidence=evidence)


@claim("sypherd2022:eq-126")
def bound_shape() -> Finding:
    """Finite differences of the bound at its stated minimiser, and second differences elsewhere."""
    gaps, bends, h = [], [], 1e-4
    for clean, twisted, weight in _populations(200, seed=2):
        found = constructive_alpha(clean, twisted, float(np.abs(logit(twisted)).max()), weight)
        low, middle, high = found.inside_bound(found.alpha + np.array([-h, 0, h]))
        curvature = found.bound**2 * (1 - found.edge**2) / 4
        gaps.append(max(abs(high - low) / (2 * h), abs((high - 2 * middle + low) / h**2 - curvature)))
        bends.append(np.diff(found.inside_bound(np.linspace(-10, 10, 401)), 2).min())
    return outcome(
        -max(gaps),
        holds=max(gaps) <= 1e-6 and min(bends) >= -1e-12,
        evidence={"largest_gap": max(gaps), "smallest_second_difference": min(bends)},
    )


@claim("sypherd2022:eq-140")
def example() -> Finding:
    """Logits of ±1: exponent, cross-entropies, the bound attained, and the probability at which the curves touch."""
    gaps, p_grid = [], np.linspace(0.01, 0.99, 99)
    twisted = expit([1.0, -1.0])
    for p in p_grid:
        clean = [p, 1 - p]
        found = constructive_alpha(clean, twisted, 1.0)
        gaps += [
            abs(found.alpha - float(logit(p))),
            abs(tilted_cross_entropy(found.alpha, clean, twisted) - float(binary_entropy(p))),
            abs(found.guarantee - float(binary_entropy(p))),
            abs(tilted_cross_entropy(1.0, clean, twisted) - (math.log1p(math.e) - p)),
        ]
    touch = math.log1p(math.e) - expit(1.0) - binary_entropy(expit(1.0))
    lowest = math.log1p(math.e) - 1
    apart = (math.log1p(math.e) - p_grid - binary_entropy(p_grid)).min()
    evidence = {"gap_at_touch": touch, "lowest_for_alpha_1": lowest, "smallest_gap_on_the_grid": apart}
    return outcome(-max(gaps), holds=max(gaps) < 1e-12 and abs(touch) < 1e-14 and apart > 0, evidence=evidence)


@claim("sypherd2022:eq-146")
def estimated_edge() -> Finding:
    """Random pairs of an edge and its estimate; the printed allowance and the one with the factor 2."""

    def allowance(true: Array, guess: Array) -> Array:
        return np.abs(true - guess) * np.abs(guess) / (2 * (1 - np.abs(guess)))

    def excess(true: Array, guess: Array) -> Array:
        return binary_entropy((1 + true) / 2) - binary_entropy((1 + guess) / 2)

    edges = np.random.default_rng(0).uniform(-1, 1, (2, 200000))
    example = np.array([0.09, 0.1])
    return outcome(
        (allowance(*edges) - excess(*edges)).min(),
        tolerance=1e-15,
        evidence={
            "excess_at_0.09_0.1": float(excess(*example)),
            "printed_allowance": float(allowance(*example)),
            "slack_with_factor_2": (2 * allowance(*edges) - excess(*edges)).min(),
        },
    )


@claim("sypherd2022:section-4-range")
def search_range() -> Finding:
    """Best fixed exponents for label noise from 5 to 45 % with posteriors spread evenly over (0.05, 0.95)."""
    clean = np.linspace(0.05, 0.95, 181)
    rates = np.arange(0.05, 0.46, 0.05)
    best = np.array([best_alpha(clean, flip_posterior(clean, rate)) for rate in rates])
    usual = best[(rates > 0.07) & (rates < 0.42)]
    sharp = best_alpha([0.001, 0.999], flip_posterior([0.001, 0.999], 0.4))
    outside = best[-1] > 8 and sharp > 8
    evidence = {f"best_at_{100 * rate:.0f}_percent": value for rate, value in zip(rates, best, strict=True)}
    return outcome(
        min(usual.min() - 1.1, 8 - usual.max()), caveat=outside, evidence=evidence | {"sharp_at_40_percent": sharp}
    )
