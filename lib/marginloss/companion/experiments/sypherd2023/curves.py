"""Accuracy of AdaBoost.α against rounds: how the pages draw it and look it up, with one colour for each α."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from marginloss.companion.experiments.sypherd2023.boosting import with_band
from marginloss.companion.plotting import ramp

SHOWN = (0.5, 1.0, 1.5, 2.0, 8.0, 20.0)
STYLES = dict(zip(SHOWN, ramp(len(SHOWN)), strict=True))


def curves(ax: Any, table: pd.DataFrame, alphas: Sequence[float] = SHOWN, value: str = "accuracy") -> None:
    """Draw the mean over the runs against rounds with its 95 % confidence interval, one curve for each α."""
    for alpha in alphas:
        part, style = with_band(table[table.alpha == alpha], ["rounds"], value), STYLES[alpha]
        ax.plot(part.rounds, part["mean"], **style | {"label": f"α = {alpha:g}", "markersize": 4})
        low, high = part["mean"] - part["band"], part["mean"] + part["band"]
        ax.fill_between(part.rounds, low, high, color=style["color"], alpha=0.15, lw=0)


def by_alpha(table: pd.DataFrame, rounds: int) -> pd.DataFrame:
    """Accuracy after some rounds, one row per run and one column per α.

    Examples
    --------
    >>> runs = pd.DataFrame({"run": [0, 0], "alpha": [1.0, 2.0], "rounds": [100, 100], "accuracy": [0.75, 1.0]})
    >>> by_alpha(runs, 100).to_numpy().tolist()
    [[0.75, 1.0]]
    """
    return table[table.rounds == rounds].pivot(index="run", columns="alpha", values="accuracy")
