"""The surrogate of the α-loss and its two inverse links: Lemmas 1 and 17–19, assumptions (E) and (C)."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.special import entr, expit, logit

from marginloss.losses.base import softplus
from marginloss.losses.proper import AlphaCPELoss, FocalLoss, SuperLoss
from marginloss.losses.proper.base import ClassProbabilityLoss, times
from marginloss.theory import Array, Finding, claim, outcome
from marginloss.theory.sypherd2022.clipped import clipped_inverse_link

__all__ = ["SHARP_CONSTANT", "scaled_link_gap"]

SHARP_CONSTANT = (3 - 2 * math.sqrt(2)) / 2
r"""Largest :math:`\alpha\sup_z|\tilde f - V|`, reached as α falls to 1, where the pseudo-inverse link is Laplace's."""


def scaled_link_gap(alpha: float, within: float = 1.0) -> tuple[float, float]:
    r"""The distance :math:`\alpha\sup_z|\tilde f(z) - V(z)|` of pseudo-inverse and inverse link, and its place.

    Parameters
    ----------
    alpha : float
        At least 1.
    within : float, default 1
        Only :math:`|z| <` ``within`` :math:`\cdot\,\alpha_c` is looked at.

    Returns
    -------
    gap, where : float
        ``where`` is :math:`|z|`.

    Examples
    --------
    >>> round(scaled_link_gap(4.0)[0], 6)
    0.073398
    """
    loss = AlphaCPELoss(alpha)

    # through the score s the exact link needs no inversion: V(z) = sigma(-s/alpha) at z = link(V)
    def gap(s: Array) -> Array:
        v = expit(-s / alpha)
        z = loss.link(v)
        pseudo = loss.pseudo_inverse_link(z)
        if loss.beta > 0:  # close to the end z is rounded, and the score tells more
            pseudo = np.where(-z > 0.999 * loss.clip, expit(-_pseudo_score_at(s, loss.beta) / alpha), pseudo)
        return np.where(-z <= within * loss.clip, alpha * (v - pseudo), 0.0)

    low, high = 0.0, 30 * alpha + 30
    for _ in range(8):
        grid = np.linspace(low, high, 401)
        best = int(np.argmax(gap(grid)))
        low, high = grid[max(best - 1, 0)], grid[min(best + 1, 400)]
    s = grid[best]
    return float(gap(s)), -float(loss.link(expit(-s / alpha)))


def _pseudo_score_at(s: Array, beta: float) -> Array:
    r"""Score of the pseudo-inverse link at :math:`z = g(s)`, β > 0, where that ``z`` is rounded to the clipping point.

    There :math:`1 - \beta z = \sigma(-s)^\beta + 1 - \sigma(s)^\beta` is known through its logarithm only.
    """
    small = np.where(s > 30, math.log(beta) - s, np.log(-np.expm1(-beta * softplus(-np.minimum(s, 30)))))
    log_t = np.logaddexp(-beta * softplus(s), small) / beta - math.log(2)
    return np.log1p(-np.exp(log_t)) - log_t


@claim("sypherd2022:lemma-1")
def lemma_1() -> Finding:
    """Bayes risk and surrogate of α-losses of either sign, focal and Super Losses: their shapes, and their definitions.

    The Bayes risk is the least conditional risk and the surrogate the largest of L(u) - zu, both over a grid of u.
    """
    u, z = np.linspace(0, 1, 401), np.linspace(-6, 6, 801)
    estimates = np.concatenate([[0.0], expit(np.linspace(-40, 40, 24001)), [1.0]])
    losses: list[ClassProbabilityLoss] = [
        AlphaCPELoss(a) for a in (-math.inf, -3, -1, -0.5, 0.5, 1, 1.1, 2, 4, 30, math.inf)
    ]
    losses += [FocalLoss(0.5), FocalLoss(5), SuperLoss(0, 1), SuperLoss(2, 0.3), SuperLoss(0.5, 1, AlphaCPELoss(2))]
    worst, error, jump = math.inf, 0.0, 0.0
    for loss in losses:
        risk = np.asarray(loss.bayes_risk(u))
        least = loss.conditional_risk(estimates, u[::20, None]).min(axis=1)
        error = max(error, np.abs(least - risk[::20]).max())
        worst = min(worst, -np.diff(risk, 2).max())
        ends = loss.bayes_risk([0.0, 1.0]) - loss.bayes_risk([1e-12, 1 - 1e-12])
        jump = max(jump, np.abs(ends).max())  # inside, concave is continuous
        if isinstance(loss, AlphaCPELoss):
            surrogate = loss.surrogate(z)
            most = (loss.bayes_risk(estimates) - z[::40, None] * estimates).max(axis=1)
            error = max(error, np.abs(most - surrogate[::40]).max())
            worst = min(worst, np.diff(surrogate, 2).min(), -np.diff(surrogate).max())
    # a grid misses the best estimate by half a step: an error of the second order
    holds = worst >= -1e-12 and error < 1e-5 and jump < 1e-3
    evidence = {"smallest_difference": worst, "error_on_the_grid": error, "losses": len(losses)}
    return outcome(worst, holds=holds, tolerance=1e-12, evidence=evidence)


@claim("sypherd2022:appendix-a.1")
def log_loss() -> Finding:
    """The log-loss: entropy by its definition, surrogate by maximising over u."""
    u = np.linspace(0, 1, 1001)
    entropy = np.abs(AlphaCPELoss(1).bayes_risk(u) - entr(u) - entr(1 - u)).max()
    gaps = []
    for z in np.linspace(-5, 5, 21):
        best = minimize_scalar(lambda p, z=z: z * p - entr(p) - entr(1 - p), bounds=(0, 1), method="bounded", options={"xatol": 1e-12})  # fmt: skip  # noqa: E501
        logistic = math.log1p(math.exp(-z))
        gaps += [abs(-best.fun - logistic), abs(float(AlphaCPELoss(1).surrogate(z)) - logistic)]
    worst = max(entropy, *gaps)
    return outcome(-worst, tolerance=1e-12)


@claim("sypherd2022:eq-16")
def surrogate_slope() -> Finding:
    """Central differences of the surrogate against the inverse link, away from the two kinks."""
    h, worst = 1e-5, 0.0
    for alpha in (0.5, 1.0, 1.1, 2.0, 4.0):
        loss = AlphaCPELoss(alpha)
        z = np.linspace(-0.98, 0.98, 197) * min(loss.clip, 8)
        slope = (loss.surrogate(z + h) - loss.surrogate(z - h)) / (2 * h)
        worst = max(worst, np.abs(slope + loss.inverse_link(-z)).max())
    return outcome(-worst, tolerance=1e-8)


@claim("sypherd2022:lemma-17")
def lemma_17() -> Finding:
    """Agreement at 0 and at the ends, continuity there, and equal slopes from both sides of 0, for several losses.

    Continuity at an end: the step left over shrinks with the distance to it, like its power 1/(α - 1).
    """
    worst, jump, shrinkage = 0.0, 0.0, 0.0
    for alpha in (1.1, 2.0, 5.0):
        loss = AlphaCPELoss(alpha)
        marks = np.array([-loss.clip, 0, loss.clip])
        worst = max(worst, np.abs(clipped_inverse_link(loss, marks) - loss.inverse_link(marks)).max())
        near, far = (clipped_inverse_link(loss, np.array([-1, 1]) * loss.clip * (1 - x)) for x in (1e-12, 1e-6))
        jump = max(jump, np.abs(near - [0, 1]).max())
        shrinkage = max(shrinkage, np.abs(near - [0, 1]).max() / np.abs(far - [0, 1]).max() / 1e-6 ** (1 / (alpha - 1)))
    h = 1e-5
    slopes = []
    for other in (AlphaCPELoss(1), AlphaCPELoss(1.1), AlphaCPELoss(5), FocalLoss(2)):
        low, middle, high = clipped_inverse_link(other, [-h, 0.0, h])
        slopes.append(abs((high - middle) - (middle - low)) / h)
    return outcome(
        -worst,
        holds=worst < 1e-12 and max(slopes) < 1e-9 and jump < 0.05 and shrinkage < 2,
        evidence={"largest_step_at_the_ends": jump, "difference_of_slopes_at_0": max(slopes)},
    )


@claim("sypherd2022:lemma-18")
def lemma_18() -> Finding:
    """(160) as printed, and as we compute it, against the composition with the partial loss inverted by bisection."""
    worst = 0.0
    for alpha in (1.01, 1.1, 1.5, 2.0, 4.0, 10.0):
        loss = AlphaCPELoss(alpha)
        z = np.linspace(-0.999, 0.999, 401) * loss.clip
        composed = clipped_inverse_link(loss, z)
        for form in (loss.pseudo_inverse_link(z), _printed_pseudo_inverse_link(alpha, z)):
            worst = max(worst, np.abs(composed - form).max())
    return outcome(-worst, tolerance=1e-11)


def _printed_pseudo_inverse_link(alpha: float, z: Array) -> Array:
    """Equation (160) as it stands, between the two ends; it overflows for α below about 1.007."""
    clip = alpha / (alpha - 1)
    rest = clip - np.abs(z)
    small, large = rest ** (1 / (alpha - 1)), (2 * clip**clip - rest**clip) ** (1 / alpha)
    return np.where(z <= 0, small, large) / (small + large)


@claim("sypherd2022:remark-160")
def clipped_partial_losses() -> Finding:
    """Bayes risk of partial losses that are cut to 0 on their right side of ½, ½ with it, over a grid of estimates."""
    eta, u = np.linspace(0, 1, 101)[:, None], np.linspace(0, 1, 1001)
    spread, uncut = 0.0, math.inf
    for alpha in (0.5, 1.0, 2.0, 5.0):
        loss = AlphaCPELoss(alpha)
        cut = [np.where(right, 0.0, loss.partial(u, y)) for right, y in ((u >= 0.5, 1), (u <= 0.5, -1))]
        risk = times(eta, cut[0]) + times(1 - eta, cut[1])
        spread = max(spread, float(np.ptp(risk.min(axis=1))))
        uncut = min(uncut, float(np.ptp(loss.bayes_risk(eta))))
    evidence = {"spread_of_the_cut_bayes_risk": spread, "spread_of_the_true_one": uncut}
    return outcome(-spread, holds=spread == 0 and uncut > 0.1, evidence=evidence)


@claim("sypherd2022:lemma-19")
def lemma_19() -> Finding:
    """The constant with and without the interval that the lemma leaves out."""
    alphas = np.concatenate([np.linspace(1.2, 3, 19), [4, 5, 10, 30, 100, 1000]])
    everywhere = max(scaled_link_gap(alpha)[0] for alpha in alphas)
    off = {f"off_interval_at_{a:g}": scaled_link_gap(a, 1 - 1 / a)[0] for a in (2.0, 5.0, 10.0)}
    return outcome(0.133 - everywhere, evidence={"largest_everywhere": everywhere} | off)


@claim("sypherd2022:b1")
def sharp_bound() -> Finding:
    """The sharp constant over every α ≥ 1, the one-sidedness, and the bracket of the two scores."""
    alphas = np.concatenate([[1.0, 1 + 1e-9, 1.001, 1.01], np.linspace(1.05, 3, 40), np.geomspace(3, 1e4, 20)])
    gaps = np.array([scaled_link_gap(alpha)[0] for alpha in alphas])
    low, high, side = math.inf, -math.inf, math.inf
    for alpha in (1.0, 1.1, 1.5, 2.0, 4.0, 30.0):
        loss = AlphaCPELoss(alpha)
        v = expit(-np.linspace(0.01, 25, 200) / alpha)
        pseudo = loss.pseudo_inverse_link(loss.link(v))
        keep = pseudo > 1e-6  # closer to the edge the rounding of z decides
        difference = alpha * (logit(v[keep]) - logit(pseudo[keep]))
        low, high, side = min(low, difference.min()), max(high, difference.max()), min(side, (v - pseudo).min())
    limit = minimize_scalar(lambda q: -q / (1 + q) ** 2 * math.log(2 / (1 + q)), bounds=(0, 1), method="bounded")
    holds = gaps.max() <= SHARP_CONSTANT + 1e-9 and low > -1e-9 and high < math.log(2) and side > -1e-14
    return outcome(
        SHARP_CONSTANT - gaps.max(),
        holds=holds,
        tolerance=1e-9,
        evidence={"at_1": gaps[0], "smallest": gaps.min(), "limit": -limit.fun, "largest_score_gap": high},
    )


@claim("sypherd2022:b2")
def slope_at_zero() -> Finding:
    """Slopes at 0 by differences, and the nearest sigmoid of the pseudo-inverse link at α = 1.1, 2 and 4."""
    exact = max(float(AlphaCPELoss(alpha).surrogate_curvature(0)) for alpha in np.linspace(0.05, 8, 800))
    pseudo = float(AlphaCPELoss(1.1).pseudo_inverse_link_slope(0))
    h, error, own = 1e-7, 0.0, math.inf
    for alpha in (1.0, 1.1, 1.5, 2.0, 4.0, 8.0):
        loss = AlphaCPELoss(alpha)
        for form, slope in ((loss.pseudo_inverse_link, 1.0), (loss.inverse_link, 2 ** (-1 / alpha))):
            error = max(error, abs(float(form(h) - form(-h)) / (2 * h) - slope / (2 * alpha)))
        own = min(own, float(loss.pseudo_inverse_link_slope(0) - loss.surrogate_curvature(0)))

    def distance(alpha: float, rate: float, reach: float) -> float:
        z = np.linspace(-reach, reach, 4001)
        return float(np.abs(AlphaCPELoss(alpha).pseudo_inverse_link(z) - expit(rate * z)).max())

    four = minimize_scalar(lambda rate: distance(4.0, rate, 6.0), bounds=(0.1, 6), method="bounded")
    evidence = {"distance_1.1": distance(1.1, 1.42, 30), "distance_2_within_1": distance(2, 1, 1)}
    evidence["distance_4"] = four.fun
    evidence |= {"largest_exact_slope": exact, "error_of_slopes": error, "smallest_lead_over_its_exact_link": own}
    holds = pseudo > exact and own > 0 and error < 1e-7 and evidence["distance_1.1"] < 0.016
    return outcome(min(pseudo - exact, own), holds=holds and abs(pseudo - 1 / 2.2) < 1e-12, evidence=evidence)


@claim("sypherd2022:eq-162")
def chain() -> Finding:
    """The allowance ζγw against the distance of the two links, as measured and with the constant of Lemma 19."""
    gamma, weight, zeta = 0.14, 0.4, 2.5 / 2.7
    alphas = np.array([2.7, 3.0, 4.0, 8.0, 100.0])
    measured = np.array([scaled_link_gap(alpha)[0] for alpha in alphas])
    # the links may differ by no more than the lemma says, and that by no more than the step 0.14 of the chain
    slacks = [zeta * gamma * weight - 0.14 / alphas, (0.14 - 0.133) / alphas, (0.133 - measured) / alphas]
    return outcome(
        min(float(slack.min()) for slack in slacks),
        tolerance=1e-15,
        evidence={
            "edge_needed_with_sharp_constant": SHARP_CONSTANT / 2.7,
            "edge": gamma * weight,
            "largest_measured_gap": float((measured / alphas).max()),
        },
    )


@claim("sypherd2022:assumption-c")
def curvature() -> Finding:
    """Curvature of the surrogate off the interval at the ends, against the paper's step 4 at α = 4; on all reals."""
    bounded, losses = {}, [AlphaCPELoss(alpha) for alpha in (2.7, 4.0, 8.0)]
    for loss in losses:
        z = np.linspace(0, 1 - 1 / loss.alpha, 2001) * loss.clip
        bounded[f"off_interval_at_{loss.alpha:g}"] = float(loss.surrogate_curvature(z).max())
    near = {
        f"near_the_end_at_{loss.alpha:g}": float(loss.surrogate_curvature(loss.clip * (1 - 1e-9)))
        for loss in losses[:2]
    }
    unbounded = all(math.isinf(loss.curvature_bound) for loss in losses)
    unbounded &= min(near.values()) > 100 * max(bounded.values())
    longest = 2 / bounded["off_interval_at_4"]  # (C) with weights that are the gradient's
    return outcome(longest - 4, caveat=unbounded, evidence=bounded | near | {"longest_step_at_4": longest})


@claim("sypherd2022:appendix-a.10")
def matusita() -> Finding:
    """Largest difference of logistic and Matusita weights, doubled, over margins up to 100."""
    z = np.linspace(-100, 100, 2_000_001)
    gap = 2 * np.abs(expit(-z) - (1 - z / np.sqrt(1 + z * z)) / 2)
    best = int(gap.argmax())
    return outcome(0.24707 - gap[best], evidence={"largest": gap[best], "at": abs(z[best])})


@claim("sypherd2022:eq-168")
def roots() -> Finding:
    """The second root of x² 2^(1 - x) = 1 lies beyond 6; between the roots the inequality holds."""
    root = float(brentq(lambda x: 2 * math.log(x) + (1 - x) * math.log(2), 2, 10))
    inside = min(2 * math.log(x) + (1 - x) * math.log(2) for x in np.linspace(1.001, 6, 500))
    return outcome(root - 6, holds=root > 6 and inside > 0, evidence={"root": root, "smallest_inside": inside})
