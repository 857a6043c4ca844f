"""CVaR of one vector of losses at 100 levels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks import Comparison, Scaling
from marginloss.risk import cvar_curve

GOAL = "P11"
TITLE = "CVaR curve, 100 levels"

LEVELS = np.arange(1, 101) / 100


def draw(n: int) -> np.ndarray:
    return np.random.default_rng(0).random(n)


def by_selection(losses: np.ndarray) -> list[float]:
    """One selection a level; the tails of whole samples only, which is all that the peer needs to be right here."""
    n, means = len(losses), []
    for level in LEVELS:
        worst = round(level * n)
        means.append(float(np.partition(losses, n - worst)[n - worst :].mean()) if worst < n else float(losses.mean()))
    return means


def comparisons() -> Iterator[Comparison]:
    losses = draw(1_000_000)

    def agree() -> None:
        np.testing.assert_allclose(by_selection(losses), cvar_curve(losses, LEVELS), rtol=1e-10)

    yield Comparison(
        workload="n = 1 000 000",
        peer="100 × np.partition",
        theirs=lambda: by_selection(losses),
        ours=lambda: cvar_curve(losses, LEVELS),
        goal=8.0,
        agree=agree,
        repeats=3,
    )


def curve(n: int) -> Callable[[], Any]:
    """The curve of n losses, for the plot of cost against size."""
    losses = draw(n)
    return lambda: cvar_curve(losses, LEVELS)


def scalings() -> Iterator[Scaling]:
    yield Scaling("CVaR curve, 100 levels", "n", (10_000, 100_000, 1_000_000), curve, lambda n: 8 * n)
