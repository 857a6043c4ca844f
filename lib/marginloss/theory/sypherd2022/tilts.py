"""Minimisers of the conditional risk: which losses can undo which twists (Lemmas 2, 4, 6, 8, 12, 13)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit

from marginloss.losses.proper import (
    AlphaCPELoss,
    ClassProbabilityLoss,
    FocalLoss,
    SuperLoss,
    blunts,
    flip_posterior,
    untwisting_alpha,
)
from marginloss.theory import Array, Finding, claim, outcome

_POSTERIORS = (0.02, 0.1, 0.3, 0.45, 0.6, 0.9)


@claim("sypherd2022:lemma-2")
def lemma_2() -> Finding:
    """Away from its minimiser the conditional risk is strictly larger; at α = ∞, not strictly convex, it is not."""
    u, excess = np.linspace(0, 1, 4001), []
    for alpha in (0.5, 1.0, 1.1, 2.0, 4.0):
        for eta in (*_POSTERIORS, 0.5):
            risk = AlphaCPELoss(alpha).conditional_risk(u, eta)
            best = int(np.argmin(risk))
            excess.append((risk[np.abs(u - u[best]) >= 0.01] - risk[best]).min())
    flat = AlphaCPELoss(math.inf).conditional_risk(u, 0.5)
    return outcome(min(excess), holds=min(excess) > 0, evidence={"spread_at_infinity": np.ptp(flat)})


@claim("sypherd2022:lemma-12")
def lemma_12() -> Finding:
    """(M), (S) and (E) on sets of minimisers in whole numbers, (D) by differences, for α of either sign and others.

    The sets: random decreasing partial losses on nine estimates, many with ties, at the posteriors 0, 1/12, ..., 1. (D)
    says that the difference of the partial losses, taken at the tilt, never rises with the posterior.
    """
    rng, wrong, sets = np.random.default_rng(0), 0, 0
    for _ in range(400):
        minimisers = _minimiser_sets(np.sort(rng.integers(0, 5, 9))[::-1])
        wrong += _broken_set_rules(minimisers)
        sets += sum(len(found) > 1 for found in minimisers)
    eta = np.linspace(0.01, 0.99, 99)
    losses: list[ClassProbabilityLoss] = [AlphaCPELoss(a) for a in (-5, -2, 0.3, 1, 5)]
    losses += [FocalLoss(0.5), FocalLoss(3), SuperLoss(0, 5), SuperLoss(0, 5, AlphaCPELoss(2))]
    rises = [np.diff(_difference(loss, loss.tilt(eta))) for loss in losses]
    inner = np.array([loss.tilt(np.linspace(0, 1, 201)) for loss in losses[2:]])
    asymmetry = np.abs(inner + inner[:, ::-1] - 1).max()
    ends = np.abs(inner[:, [0, -1]] - [0, 1]).max()
    flipped = np.diff(losses[1].tilt(eta)).max()  # not of the kind that (M) is about, and (D) holds all the same
    largest = max(float(rise.max()) for rise in rises)
    holds = wrong == 0 and sets > 1000 and largest <= 1e-15 and asymmetry < 1e-10 and ends == 0 and flipped < 0
    evidence = {"sets_of_several": sets, "broken_rules": wrong, "largest_rise_of_the_difference": largest}
    return outcome(-largest - wrong, holds=holds, tolerance=1e-15, evidence=evidence | {"asymmetry": asymmetry})


def _difference(loss: ClassProbabilityLoss, u: Array) -> Array:
    return np.asarray(loss.partial(u, 1) - loss.partial(u, -1))


def _minimiser_sets(partial: NDArray[np.int64], steps: int = 12) -> list[set[int]]:
    """Where ``j * partial + (steps - j) * partial[::-1]`` is least, for j from 0 to ``steps``; exact."""
    risks = [j * partial + (steps - j) * partial[::-1] for j in range(steps + 1)]
    return [set(np.flatnonzero(risk == risk.min()).tolist()) for risk in risks]


def _broken_set_rules(minimisers: list[set[int]], last: int = 8) -> int:
    """How often sets of minimisers break monotonicity, what is common to two, symmetry, or properness at the ends."""
    wrong = int(0 not in minimisers[0]) + int(last not in minimisers[-1])
    for j, found in enumerate(minimisers):
        wrong += found != {last - u for u in minimisers[len(minimisers) - 1 - j]}
        for k in range(j + 1, len(minimisers)):
            wrong += max(found) > max(minimisers[k]) or min(found) > min(minimisers[k])
            wrong += any(not found & minimisers[k] <= between for between in minimisers[j + 1 : k])
    return wrong


@claim("sypherd2022:lemma-12-remark")
def lemma_12_remark() -> Finding:
    """A strictly decreasing, convex loss of five straight pieces, minimised at η = 0.3 on all of [0.2, 0.4]."""
    u = np.linspace(0, 1, 1001)
    nodes, slopes = np.linspace(0, 1, 6), np.array([9.0, 7.0, 5.0, 3.0, 1.0])
    # slopes 7 and 3 on [0.2, 0.4] and its mirror image: 0.3 * 7 = 0.7 * 3
    partial = np.interp(u, nodes, np.append(np.cumsum((slopes * 0.2)[::-1])[::-1], 0.0))
    risk = 0.3 * partial + 0.7 * partial[::-1]
    best = u[risk <= risk.min() + 1e-12]
    steepest_rise = np.diff(partial).max()
    width = float(np.ptp(best))
    return outcome(width, holds=width > 0.1 and steepest_rise < 0, evidence={"low": best[0], "high": best[-1]})


@claim("sypherd2022:lemma-4")
def lemma_4() -> Finding:
    """Random posteriors and flip rates below ½; a rate of 0.6 is not blunting."""
    rng = np.random.default_rng(0)
    clean, rates = rng.random(2500), rng.uniform(0, 0.5, 2500)
    twisted = np.array([flip_posterior(eta, p) for eta, p in zip(clean, rates, strict=True)])
    side = np.sign(clean - 0.5)
    slack = np.minimum(side * (twisted - 0.5), side * (clean - twisted)).min()
    beyond = np.mean(blunts(clean, flip_posterior(clean, 0.6)))
    return outcome(slack, tolerance=1e-15, evidence={"share_blunted_at_0.6": beyond})


@claim("sypherd2022:lemma-6")
def lemma_6() -> Finding:
    """No γ takes the twisted 0.2 to the clean 0.1; and at every posterior below ½ the estimate is between it and ½."""
    gammas = np.concatenate([[0.0], np.geomspace(1e-3, 200, 60)])
    reached = np.array([float(FocalLoss(gamma).tilt(0.2)) for gamma in gammas])
    eta = np.linspace(0.01, 0.49, 49)
    moves = np.array([FocalLoss(gamma).tilt(eta) - eta for gamma in gammas])
    u = np.linspace(0.01, 0.5, 50)
    posteriors = np.array([FocalLoss(gamma).untilt(u) for gamma in gammas])  # stationarity odds fall with gamma
    evidence = {f"at_gamma_{g:g}": FocalLoss(g).tilt(0.2) for g in (0, 0.5, 2, 50)}
    evidence |= {"smallest_move": moves.min(), "largest_rise_of_odds": np.diff(posteriors, axis=0).max()}
    crossing = (eta + moves).max() - 0.5
    holds = reached.min() > 0.1 and moves.min() > -1e-12 and crossing < 1e-12
    holds &= np.diff(posteriors, axis=0).max() < 1e-12
    return outcome(reached.min() - 0.1, holds=holds, evidence=evidence)


@dataclass(frozen=True)
class _SquareLoss(ClassProbabilityLoss):
    """The square loss, (1 - u)²."""

    def _value(self, s: Array) -> Array:
        return expit(-s) ** 2

    def _log_slope(self, s: Array) -> Array:
        return math.log(2) + log_expit(-s)


@dataclass(frozen=True)
class _MatusitaLoss(ClassProbabilityLoss):
    """Matusita's loss, the root of the inverse odds."""

    def _value(self, s: Array) -> Array:
        return np.exp(-s / 2)

    def _log_slope(self, s: Array) -> Array:
        return -math.log(2) - 1.5 * log_expit(s) - 0.5 * log_expit(-s)


@claim("sypherd2022:lemma-13")
def lemma_13() -> Finding:
    """No (τ, λ) takes 0.1 halfway from the estimate of the base loss to ½, nor any posterior nearer to ½ than it.

    Around the log, square and Matusita losses, two α-losses and a focal loss. As λ grows the proof's choice of an
    estimate, whose loss must exceed τ - 2λ/e for the one class and not for the other, moves to the end.
    """
    grid = [(tau, lam) for tau in np.linspace(-3, 5, 5) for lam in (0.1, 1.0, 10.0, 100.0, 1e4)]
    eta, slack, move = np.linspace(0.02, 0.48, 12), math.inf, -math.inf
    reached = {}
    losses = [AlphaCPELoss(1), _SquareLoss(), _MatusitaLoss(), AlphaCPELoss(0.5), AlphaCPELoss(2), FocalLoss(2)]
    for base in losses:
        tilts = np.array([SuperLoss(tau, lam, base).tilt([0.1, *eta]) for tau, lam in grid])
        own = np.asarray(base.tilt([0.1, *eta]))
        slack = min(slack, (own[0] + 0.5) / 2 - tilts[:, 0].max())
        move = max(move, (tilts - own).max())
        reached[type(base).__name__ + str(getattr(base, "alpha", ""))] = tilts[:, 0]
    log_loss = reached["AlphaCPELoss1.0"]
    evidence = {f"largest_at_lambda_{lam:g}": log_loss[[at == lam for _, at in grid]].max() for lam in (1.0, 10, 100)}
    # with tau = 0 the second inequality of the proof asks for a negative loss: no estimate will do
    evidence["threshold_at_tau_0_lambda_1"] = -2 / math.e
    return outcome(slack, holds=slack > 0 and move < 1e-12, evidence=evidence | {"largest_move": move})


@claim("sypherd2022:lemma-8a")
def lemma_8a() -> Finding:
    """The sign of the derivative of the first partial loss: it must not be positive; against differences as well."""
    u, h = np.linspace(0.01, 0.99, 99), 1e-6
    slopes = {a: AlphaCPELoss(a).partial_derivative(u, 1) for a in (-8, -2, -0.5, 0.3, 1, 1.5, 4)}
    differences = {a: (AlphaCPELoss(a).partial(u + h, 1) - AlphaCPELoss(a).partial(u - h, 1)) / (2 * h) for a in slopes}
    error = max(np.abs(differences[a] / slopes[a] - 1).max() for a in slopes)
    steepest = max(float(slope.max()) for slope in slopes.values())
    positive = max(float(slope.max()) for alpha, slope in slopes.items() if alpha > 0)
    gap = max(np.abs(AlphaCPELoss(a).partial(u, -1) - AlphaCPELoss(a).partial(1 - u, 1)).max() for a in slopes)
    evidence = {"slope_at_0.3_alpha_minus_2": AlphaCPELoss(-2).partial_derivative(0.3, 1)}
    evidence |= {"largest_slope_alpha_positive": positive, "asymmetry": gap, "error_of_the_derivative": error}
    return outcome(-steepest, holds=steepest <= 0 and gap < 1e-11 and error < 1e-5, evidence=evidence)


@claim("sypherd2022:lemma-8b")
def lemma_8b() -> Finding:
    """Brute-force minimisers of the conditional risk against the formula of the tilt, and ours against it."""
    step = 5e-5
    u, worst, ours = np.arange(0, 1 + step / 2, step), 0.0, 0.0
    for alpha in (-math.inf, -8.0, -3.0, -1.0, -0.4, 0.3, 0.7, 1.0, 1.8, 4.0, 8.0, math.inf):
        for eta in _POSTERIORS:
            tilt = 1 / (1 + ((1 - eta) / eta) ** alpha)
            found = u[np.argmin(AlphaCPELoss(alpha).conditional_risk(u, eta))]
            worst, ours = max(worst, abs(found - tilt)), max(ours, abs(AlphaCPELoss(alpha).tilt(eta) - tilt))
    limits = AlphaCPELoss(math.inf).tilt([0.2, 0.8])
    return outcome(
        step - worst,
        holds=worst <= step and ours < 1e-13,
        evidence={"worst": worst, "error_of_tilt": ours, "at_infinity_0.2": limits[0], "at_infinity_0.8": limits[1]},
    )


@claim("sypherd2022:lemma-8c")
def lemma_8c() -> Finding:
    """A 43 × 43 grid of posteriors with all corners: the tilt gives back the clean one, or a set with it."""
    grid = np.concatenate([[0.0, 1e-6], np.linspace(0.025, 0.975, 39), [1 - 1e-6, 1.0]])
    worst, sets = 0.0, 0
    for clean in grid:
        for twisted in grid:
            loss = AlphaCPELoss(float(untwisting_alpha(clean, twisted)))
            if loss.is_set_valued(twisted):
                sets += 1
                # the whole of [0, 1] minimises: the clean posterior is as good as any other
                worst = max(
                    worst,
                    abs(float(loss.conditional_risk(clean, twisted) - loss.bayes_risk(twisted))) if loss.alpha else 0.0,
                )
            else:
                worst = max(worst, abs(float(loss.tilt(twisted)) - clean))
    return outcome(-worst, tolerance=1e-13, evidence={"pairs_with_a_set": sets})


@claim("sypherd2022:lemma-8d")
def lemma_8d() -> Finding:
    """Random blunting pairs."""
    rng = np.random.default_rng(0)
    clean = rng.random(2000)
    twisted = clean + (0.5 - clean) * rng.random(2000)
    alpha = untwisting_alpha(clean, twisted)
    return outcome(alpha.min() - 1, evidence={"largest": alpha.max()})


@claim("sypherd2022:symmetry")
def symmetry() -> Finding:
    """Both signs changed at once."""
    eta = np.linspace(0, 1, 401)
    gaps = [np.abs(AlphaCPELoss(a).tilt(eta) - AlphaCPELoss(-a).tilt(1 - eta)).max() for a in (0.2, 1, 3, 30, math.inf)]
    return outcome(-max(gaps), tolerance=1e-13)
