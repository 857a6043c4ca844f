r"""How smooth a booster can be: Section 5 of the paper, and a direct argument that comes closer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from marginloss.theory import Finding, claim, outcome
from marginloss.theory.servedio2003.plays import Play, play_smoothboost

__all__ = ["variation"]


def variation(epsilon: float, rate: float) -> float:
    r"""Total variation between one example under either target, when the adversary hides them as well as it can.

    In the problem of :class:`~marginloss.noise.TwoTargets` the hard point carries its true label with probability
    :math:`(1-a)\epsilon` and the wrong one with probability :math:`a`, if the adversary acts at a rate :math:`a` of
    at most ``rate``; it takes the rate at which the two are equal, or all it has.
    """
    used = min(rate, epsilon / (1 + epsilon))
    return (1 - used) * epsilon - used


FACTOR = 64
"""How many times smoother than SmoothBoost no booster can be, as printed."""


@claim("servedio2003:section-5")
def section_5() -> Finding:
    """Each inequality in the chain of the argument, for every epsilon at which a distribution can meet the cap."""
    epsilon = np.linspace(1e-4, 0.999, 5000)
    kappa, rate = epsilon / 4, 2 * epsilon
    dirty = 2 * rate  # the Chernoff step
    smoothness = FACTOR * kappa  # the booster's cap is 1/(smoothness m)
    slacks = {
        "cap_is_possible": 1 - smoothness,
        "dirt_of_theorem_3": smoothness / 4 - dirty,
        "error_on_clean": epsilon / 2 - kappa / np.maximum(1 - dirty, 1e-9),
        "beyond_kearns_li": rate - epsilon / (1 + epsilon),
    }
    possible = slacks["cap_is_possible"] >= 0  # where no distribution meets the cap there is no such booster either
    least = {f"slack_{name}": float(s[possible].min()) for name, s in slacks.items()}
    largest = float(epsilon[possible].max())
    return outcome(min(least.values()), tolerance=1e-12, evidence=least | {"largest_epsilon": largest})


@claim("servedio2003:kearns-li")
def kearns_li() -> Finding:
    """Total variation between the targets below, at and above the limit, and the error that the loser then makes."""
    slack, at_limit, below, loser = np.inf, 0.0, np.inf, 0.0
    for epsilon in np.linspace(0.01, 0.9, 90):
        limit = epsilon / (1 + epsilon)
        # slightly above the limit the hard point may be heavier than epsilon and still hide the target
        rate = 1.001 * limit
        hidden = rate / (1 - rate)
        slack = min(slack, hidden - epsilon - variation(hidden, rate)) if hidden < 1 else slack
        at_limit = max(at_limit, variation(epsilon, limit))
        below = min(below, variation(epsilon, 0.9 * limit))
        loser = max(loser, limit / (1 - limit) - epsilon)  # error of the loser at the limit, beyond epsilon
    evidence = {"variation_at_limit": at_limit, "variation_below": below, "excess_error_at_limit": loser}
    holds = slack > 0 and at_limit < 1e-12 and below > 0
    # at the limit itself the loser's error is epsilon and not more: the printed 'or equal' is one point too many
    return outcome(slack, holds=holds, caveat=loser <= 1e-12, evidence=evidence)


def _constant(wrong: NDArray[np.bool_]) -> Play:
    """One and the same hypothesis in every round."""
    answer = np.where(wrong, -1.0, 1.0)
    return lambda D: answer


@claim("servedio2003:direct-lower-bound")
def direct_lower_bound() -> Finding:
    """A constant hypothesis, wrong on a fraction b: it keeps advantage gamma until a weight reaches (1/2 - gamma)/b."""
    m, worst, reached = 2000, np.inf, []
    for gamma, b in ((0.05, 0.05), (0.1, 0.05), (0.25, 0.05), (0.1, 0.1)):
        wrong = np.arange(m) < b * m
        model = play_smoothboost(_constant(wrong), m, b / 2, gamma, on_failure="stop")
        limit = (0.5 - gamma) / b
        last = float(model.smoothness_[-1])  # the last round in which the advantage was still there
        reached.append(last / limit)
        worst = min(worst, 1 - last / limit)
        # the vote is the constant: a fraction b is misclassified however long the booster goes on
        if model.stop_reason_ != "weak_learner_failed" or np.mean(model.margins_ <= 0) < b:
            worst = -1.0
    evidence = {"smallest_share_of_limit": min(reached), "largest_share_of_limit": max(reached)}
    return outcome(worst, tolerance=1e-12, holds=worst >= -1e-12 and min(reached) > 0.9, evidence=evidence)
