"""The entropy-regularised dual of LPBoost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks import Comparison, Scaling
from benchmarks.p09_lpboost import independent
from marginloss.risk import entropic_lpboost

GOAL = "P10"
TITLE = "Entropy-regularised LPBoost, β = 100, certified gap 1e-9"

TRIED = (
    "on small tables the time goes into the calls, not the arithmetic: the weights of the samples and the active set "
    "of a Newton step are compiled, what is left are the products with the table. Tried: nine schedules from a flat "
    "to the steep problem (none needs fewer steps, and no schedule at all needs half as many again)."
)

ALPHA, BETA = 0.1, 100.0


def modelled(losses: np.ndarray) -> float:
    """The dual problem in cvxpy, default solver (exponential cones) and default tolerances."""
    import cvxpy

    n = len(losses)
    weights, level = cvxpy.Variable(n, nonneg=True), cvxpy.Variable()
    price = cvxpy.sum(cvxpy.kl_div(weights, np.full(n, 1 / n))) / BETA
    limits = [losses.T @ weights >= level, cvxpy.sum(weights) == 1, weights <= 1 / (ALPHA * n)]
    return cvxpy.Problem(cvxpy.Maximize(level - price), limits).solve()


def comparisons() -> Iterator[Comparison]:
    for n, n_models in ((1000, 30), (5000, 100)):
        losses = independent(n)[:, :n_models].copy()

        def agree(losses: np.ndarray = losses) -> None:
            result = entropic_lpboost(losses, ALPHA, BETA)
            assert result.gap <= 1e-9
            assert abs(modelled(losses) - result.value) <= 1e-5

        yield Comparison(
            workload=f"{n} × {n_models}, α = {ALPHA:g}",
            peer="cvxpy, default solver",
            theirs=lambda losses=losses: modelled(losses),
            ours=lambda losses=losses: entropic_lpboost(losses, ALPHA, BETA),
            goal=15.0,
            agree=agree,
            repeats=3,
        )


def solve(n: int) -> Callable[[], Any]:
    """The problem on n samples, for the plot of cost against size."""
    losses = independent(n)
    return lambda: entropic_lpboost(losses, ALPHA, BETA)


def scalings() -> Iterator[Scaling]:
    yield Scaling("entropy-regularised LPBoost, 100 models", "n", (1000, 5000, 20_000), solve, lambda n: 800 * n)
