"""Claims about training (Section 7): initial weights and the cost of the log-partition."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.optimize import OptimizeResult, minimize

from marginloss.linear.objective import MarginObjective
from marginloss.losses import MarginLoss, TwoTemperatureLoss
from marginloss.theory import Array, Finding, claim, outcome

__all__ = ["counted", "plain_fit"]

STARTS = 60
SIZES = ("small", "large")
POWER = 20  # operations that a power counts for


def plain_fit(
    X: Array, y: Array, loss: MarginLoss, l2: float, start: Array, max_iter: int = 150
) -> tuple[Array, OptimizeResult]:
    """L-BFGS in the original variables from a given start, as in the paper: no whitening, no second start."""
    objective = MarginObjective(X, y, np.ones(len(y)), loss, fit_intercept=False)

    def evaluate(w: Array) -> tuple[float, Array]:
        value, slope, _ = objective(w[:, None], np.zeros(1))
        return value + l2 / 2 * float(w @ w), slope[:, 0] + l2 * w

    result = minimize(evaluate, start, jac=True, method="L-BFGS-B", options={"maxiter": max_iter})
    return result.x, result


@claim("amid2019:c31")
def initial_weights(stds: tuple[float, float] = (0.001, 0.1)) -> Finding:
    """The share of starts that end below 90 %, small starts and large ones, on simulated pixels of two scales.

    The paper does not say how its features are scaled: a scale at which large starts fail more often, by more than two
    standard errors, decides. The caveats: not at the other scale, or small starts fail as well.
    """
    failed = {(scale, std): np.array(_starts(scale, std)) < 0.9 for scale in (1.0, 255.0) for std in stds}
    more = {}
    for scale in (1.0, 255.0):
        small, large = (failed[scale, std] for std in stds)
        doubt = 2 * np.sqrt((small.var() + large.var()) / len(small))
        more[scale] = float(large.mean() - small.mean() - doubt)
    slack = max(more.values())
    shares = {(scale, name): failed[scale, std].mean() for scale in more for name, std in zip(SIZES, stds, strict=True)}
    return outcome(
        slack,
        holds=slack > 0,
        caveat=min(more.values()) <= 0 or shares[255.0, "small"] > 0,
        certain=False,
        evidence={
            **{f"failed_{name}_pixels_to_{scale:g}": share for (scale, name), share in shares.items()},
            "runs": STARTS,
        },
    )


@claim("amid2019:section-7-consistency")
def consistent_over_starts(std: float = 0.001, printed: float = 0.0005) -> Finding:
    """Accuracies over starts differ by no more than the smallest deviation in Table 1; at raw pixels as a caveat."""
    deviation = {scale: float(np.std(_starts(scale, std))) for scale in (1.0, 255.0)}
    return outcome(
        printed - min(deviation.values()),
        caveat=max(deviation.values()) > printed,
        evidence={"deviation_unit_pixels": deviation[1.0], "deviation_raw_pixels": deviation[255.0], "runs": STARTS},
    )


def counted(updates: int) -> int:
    """Operations of Algorithm 2 per example: an update takes two powers, twenty operations each, and four others."""
    return updates * (2 * POWER + 4)


@claim("amid2019:c32")
def cost_of_the_log_partition(updates: int = 20, features: int = 784) -> Finding:
    """Operations of the paper's iteration over those of the two matrix products, per example and evaluation.

    Twenty updates are what the paper states. Half and twice as many operations to a power decide alike.
    """
    shares = {d: counted(updates) / (4 * d) for d in (features, 54)}
    return outcome(
        1 - shares[features],
        caveat=shares[54] > 1,
        evidence={"share_many_features": shares[features], "share_d54": shares[54], "updates": updates},
    )


@cache
def _starts(scale: float, std: float) -> tuple[float, ...]:
    """Accuracy on simulated pixels up to ``scale`` after each of several starts of one size."""
    rng = np.random.default_rng(0)
    n, d = 600, 200
    y = np.repeat([-1.0, 1.0], n // 2)
    # mostly dark pictures, the two classes bright in different places, as clothes are
    X = scale * np.clip(rng.normal(0.3, 0.3, size=(n, d)) + 0.15 * np.outer(y, np.repeat([-1, 1], d // 2)), 0, 1)
    loss = TwoTemperatureLoss(0.1, 1.12)
    fits = (plain_fit(X, y, loss, 1e-5, std * rng.normal(size=d))[0] for _ in range(STARTS))
    return tuple(float((np.sign(X @ w) == y).mean()) for w in fits)
