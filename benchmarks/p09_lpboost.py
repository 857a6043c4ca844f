"""LPBoost's program: which mixture of 100 models has the best tail?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
from sklearn.datasets import make_classification

from benchmarks import Comparison, Scaling
from marginloss.boosting import AdaLPBoostClassifier
from marginloss.risk import lpboost

GOAL = "P9"
TITLE = "LPBoost program, 100 models, certified gap 1e-9"

TRIED = (
    "most of the time is spent in the simplex method of HiGHS, above all for boosted trees, where almost "
    "every model ends in the mixture. A rough smoothed problem now chooses the samples and the basis to begin with. "
    "Tried before: half and twice as many samples to begin with, the primal simplex method and the interior point of "
    "HiGHS (both slower), other edge weights, no scaling, no perturbation of costs; tried now: sharper and blunter "
    "smoothed problems, half as many samples, independent rows for the basis by a pivoted QR."
)

TAILS = {1000: 0.1, 5000: 0.1, 20_000: 0.05, 50_000: 0.05}
GOALS = {1000: 3.5, 5000: 6.0, 20_000: 12.0}


@cache
def boosted(n: int) -> np.ndarray:
    """0/1 losses of 100 trees of depth 4, trained by exponential weights, on n fresh samples."""
    X, y = make_classification(2 * n, 20, n_informative=10, n_clusters_per_class=4, flip_y=0.05, random_state=0)
    model = AdaLPBoostClassifier(n_estimators=100, max_depth=4, model_weights="uniform").fit(X[:n], y[:n])
    return model.model_losses(X[n:], y[n:]).astype(float)


@cache
def independent(n: int) -> np.ndarray:
    """0/1 losses of 100 models that err independently, given how hard a sample is."""
    rng = np.random.default_rng(0)
    return (rng.random((n, 100)) < rng.beta(0.4, 1.2, n)[:, None]).astype(float)


def modelled(losses: np.ndarray, alpha: float) -> float:
    """The primal problem in cvxpy, default solver and default tolerances."""
    import cvxpy

    model_weights, level = cvxpy.Variable(losses.shape[1], nonneg=True), cvxpy.Variable()
    excess = cvxpy.sum(cvxpy.pos(losses @ model_weights - level)) / (alpha * len(losses))
    return cvxpy.Problem(cvxpy.Minimize(level + excess), [cvxpy.sum(model_weights) == 1]).solve()


def comparisons() -> Iterator[Comparison]:
    for name, table in (("boosted trees", boosted), ("independent errors", independent)):
        for n, goal in GOALS.items():
            losses, alpha = table(n), TAILS[n]

            def agree(losses: np.ndarray = losses, alpha: float = alpha) -> None:
                result = lpboost(losses, alpha)
                assert result.gap <= 1e-9
                assert abs(modelled(losses, alpha) - result.value) <= 1e-6

            yield Comparison(
                workload=f"{n} × 100, α = {alpha:g}, {name}",
                peer="cvxpy, default solver",
                theirs=lambda losses=losses, alpha=alpha: modelled(losses, alpha),
                ours=lambda losses=losses, alpha=alpha: lpboost(losses, alpha),
                goal=goal,
                agree=agree,
                repeats=3,
            )


def solve(n: int) -> Callable[[], Any]:
    """The program on n samples, for the plot of cost against size."""
    losses, alpha = independent(n), TAILS.get(n, 0.1)
    return lambda: lpboost(losses, alpha)


def scalings() -> Iterator[Scaling]:
    yield Scaling("LPBoost program, 100 models", "n", tuple(TAILS), solve, lambda n: 800 * n)
