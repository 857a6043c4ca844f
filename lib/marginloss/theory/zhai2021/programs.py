"""Mixing given models: the programs (5), (6), (8), (16), (17) of zhai2021 and what their optima are."""

from __future__ import annotations

import numpy as np
from scipy.optimize import OptimizeResult, linprog
from scipy.special import logsumexp, softmax

from marginloss.risk import cvar, cvar_weights, lpboost, lpboost_path, smoothed_cvar
from marginloss.theory import Array, Finding, claim, outcome

__all__ = ["dual_program", "primal_program", "soft_margin_dual", "soft_margin_program", "tables"]

SOLVER = 1e-9  # what a linear program in floating point may be off


def tables(count: int, seed: int = 0) -> list[tuple[Array, float]]:
    """Random loss matrices, half of them 0/1 and half real, with a tail fraction each."""
    rng = np.random.default_rng(seed)
    found = []
    for i in range(count):
        losses = rng.random((int(rng.integers(5, 40)), int(rng.integers(2, 8))))
        found.append(((losses < 0.3).astype(float) if i % 2 else losses, float(rng.uniform(0.02, 1.0))))
    return found


def primal_program(losses: Array, alpha: float) -> float:
    """Optimum of (6), written out: maximise rho minus the mean excess over alpha."""
    return _over_models(losses, 1 / (alpha * len(losses)), 1.0)  # rho - 1 + z_i <= xi_i


def dual_program(losses: Array, alpha: float, direction: int = 1) -> tuple[float | None, Array]:
    """Optimum of (5) and the prices of its rows; ``direction=-1`` turns the inequality as (8) prints it."""
    # gamma >= 1 - <w, l>, that is -<w, l> - gamma <= -1; as printed <w, l> + gamma <= 1
    solved = _over_samples(-direction * losses, 1 / (alpha * len(losses)), -direction, -direction)
    if solved.status == 3:
        return None, np.empty(0)
    return float(solved.fun), -np.asarray(solved.ineqlin.marginals)


def soft_margin_program(margins: Array, cap: float) -> float:
    """Classical soft-margin LPBoost (17): maximise rho - D * sum of slacks with labels 1."""
    return _over_models(-margins, cap, 0.0)


def soft_margin_dual(margins: Array, cap: float) -> float:
    """Its dual (16): the least edge of the best hypothesis over sample weights of at most D."""
    return float(_over_samples(margins, cap, -1, 0).fun)


def _over_models(table: Array, price: float, right: float) -> float:
    """Largest rho minus the price of all slacks, ``table @ w + rho - slack <= right``, with w a distribution."""
    n, n_models = table.shape
    cost = np.concatenate([np.zeros(n_models), [-1.0], np.full(n, price)])
    rows = np.hstack([table, np.ones((n, 1)), -np.eye(n)])
    total = np.concatenate([np.ones(n_models), np.zeros(n + 1)])[None]
    bounds = [(0, None)] * n_models + [(None, None)] + [(0, None)] * n
    return -float(linprog(cost, rows, np.full(n, right), total, [1.0], bounds).fun)


def _over_samples(table: Array, cap: float, sign: float, right: float) -> OptimizeResult:
    """Least gamma with ``w @ table + sign * gamma <= right`` for some distribution w below the cap."""
    n, n_models = table.shape
    rows = np.hstack([table.T, np.full((n_models, 1), float(sign))])
    total, bounds = np.append(np.ones(n), 0.0)[None], [(0, cap)] * n + [(None, None)]
    return linprog(np.append(np.zeros(n), 1.0), rows, np.full(n_models, float(right)), total, [1.0], bounds)


@claim("zhai2021:c7")
def c7() -> Finding:
    """Both programs, each solved on its own."""
    worst = max(abs(primal_program(*table) - (dual_program(*table)[0] or 0.0)) for table in tables(60))
    return outcome(-worst, evidence={"largest_difference": worst}, tolerance=SOLVER)


@claim("zhai2021:c8")
def c8() -> Finding:
    """The optimum is one minus the least CVaR; no random mixture is better."""
    rng = np.random.default_rng(1)
    worst, beaten = 0.0, -np.inf
    for losses, alpha in tables(40, seed=1):
        found = lpboost(losses, alpha)
        worst = max(worst, abs(1 - primal_program(losses, alpha) - cvar(losses @ found.model_weights, alpha)))
        others = rng.dirichlet(np.full(losses.shape[1], 0.5), size=20)
        beaten = max(beaten, found.value - min(cvar(losses @ other, alpha) for other in others))
    evidence = {"largest_difference": worst, "best_random_mixture_above_by": -beaten}
    return outcome(-max(worst, beaten), evidence=evidence, tolerance=SOLVER)


@claim("zhai2021:c9")
def c9() -> Finding:
    """Prices of (5), cut at zero and normalised, as model weights of (6)."""
    worst = 0.0
    for losses, alpha in tables(40, seed=2):
        value, prices = dual_program(losses, alpha)
        weights = np.maximum(prices, 0) / np.maximum(prices, 0).sum()
        worst = max(worst, cvar(losses @ weights, alpha) - (1 - (value or 0.0)))
    return outcome(-worst, evidence={"largest_excess": worst}, tolerance=SOLVER)


@claim("zhai2021:c20")
def c20() -> Finding:
    """Soft-margin LPBoost with D = 1/(alpha n) and H = 1 - loss: (17) against (6) and (16) against (5)."""
    worst = 0.0
    for losses, alpha in tables(40, seed=3):
        cap = 1 / (alpha * len(losses))
        worst = max(worst, abs(soft_margin_program(1 - losses, cap) - primal_program(losses, alpha)))
        worst = max(worst, abs(soft_margin_dual(1 - losses, cap) - (dual_program(losses, alpha)[0] or 0.0)))
    return outcome(-worst, evidence={"largest_difference": worst}, tolerance=SOLVER)


@claim("zhai2021:c15")
def c15() -> Finding:
    """At alpha = 1/n the smoothed CVaR is a log-mean-exponential, and Algorithm 2 weighs as it does."""
    rng = np.random.default_rng(5)
    worst = worst_weight = 0.0
    for _ in range(100):
        n, rounds, step = int(rng.integers(2, 40)), int(rng.integers(1, 30)), float(rng.uniform(0.1, 2))
        losses = (rng.random((n, rounds)) < 0.4).astype(float)
        z, beta = losses.mean(axis=1), step * rounds
        worst = max(worst, abs(smoothed_cvar(z, 1 / n, beta) - logsumexp(beta * z, b=1 / n) / beta))
        algorithm_2 = softmax(step * losses.sum(axis=1))
        worst_weight = max(worst_weight, float(np.abs(cvar_weights(z, 1 / n, beta) - algorithm_2).max()))
    evidence = {"largest_difference": worst, "largest_weight_difference": worst_weight}
    return outcome(-max(worst, worst_weight), evidence=evidence, tolerance=1e-12)


@claim("zhai2021:c25")
def c25() -> Finding:
    """The inequality of (8) as printed has no minimum; turned round it has the value of (6)."""
    unbounded, worst = 0, 0.0
    far = np.inf
    cases = tables(20, seed=6)
    for losses, alpha in cases:
        unbounded += dual_program(losses, alpha, direction=-1)[0] is None
        # a feasible point of the printed program: uniform weights and gamma = -1000
        far = min(far, float((1 - (-1000.0) - losses.mean(axis=0)).min()))
        worst = max(worst, abs((dual_program(losses, alpha)[0] or 0.0) - (1 - lpboost(losses, alpha).value)))
    evidence = {"unbounded": unbounded, "cases": len(cases), "room_at_minus_1000": far, "repaired_difference": worst}
    return outcome(-float(unbounded), holds=unbounded == 0, evidence=evidence)


@claim("zhai2021:c26")
def c26() -> Finding:
    """Optimality conditions of the capped exponential, and no random competitor above it."""
    rng = np.random.default_rng(7)
    worst, slack = 0.0, np.inf
    for _ in range(60):
        n, alpha, beta = int(rng.integers(3, 40)), float(rng.uniform(0.05, 1)), float(10 ** rng.uniform(-1, 2))
        z = rng.random(n)
        w, cap = cvar_weights(z, alpha, beta), 1 / (alpha * n)
        slope = z - np.log(w * n) / beta  # of the objective, up to a constant
        free = w < cap * (1 - 1e-9)
        if free.any():
            level = slope[free].mean()
            worst = max(worst, float(np.ptp(slope[free])), float(np.maximum(level - slope[~free], 0).max(initial=0)))
        value = smoothed_cvar(z, alpha, beta)
        worst = max(worst, abs(value - float(w @ z - w @ np.log(w * n) / beta)), abs(w.sum() - 1), w.max() - cap)
        for other in rng.dirichlet(np.ones(n), size=5):
            mixed = 0.9 * w + 0.1 * np.minimum(other, cap) / np.minimum(other, cap).sum()
            mixed = np.minimum(mixed, cap) / np.minimum(mixed, cap).sum()
            if mixed.max() <= cap * (1 + 1e-12):
                slack = min(slack, value - float(mixed @ z - mixed @ np.log(mixed * n) / beta))
    evidence = {"optimality_residual": worst, "best_competitor_below_by": slack}
    return outcome(min(slack, 1e-9 - worst), evidence=evidence, tolerance=1e-12)


@claim("zhai2021:c27")
def c27() -> Finding:
    """Second differences of alpha times the least CVaR on a grid of 120 tail fractions."""
    worst = rising = -np.inf
    alphas = np.arange(1, 121) / 120
    for losses, _ in tables(6, seed=8):
        values = np.array([result.value for result in lpboost_path(losses, alphas)])
        worst = max(worst, float(np.diff(alphas * values, 2).max()))
        rising = max(rising, float(np.diff(values).max()))
    evidence = {"largest_second_difference": worst, "largest_rise": rising}
    return outcome(-max(worst, rising), evidence=evidence, tolerance=1e-10)
