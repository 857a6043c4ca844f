"""How the bench is shown: the plot of mean ranks, and tables of a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from marginloss.companion.bench.judgement import groups
from marginloss.companion.bench.learners import LEARNERS
from marginloss.companion.plotting import figure

__all__ = ["listed", "rank_figure"]


def listed(name: str, caption: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in MyST Markdown, its first column to the left.

    Examples
    --------
    >>> print(listed("tab-x", "One row.", ["learner", "%"], [["XGBoost", "80"]]))
    :::{table} One row.
    :name: tab-x
    <BLANKLINE>
    | learner | % |
    |:--|--:|
    | XGBoost | 80 |
    :::
    """
    lines = [f"| {' | '.join(row)} |" for row in (head, *rows)]
    rule = "|:--|" + "--:|" * (len(head) - 1)
    return "\n".join([f":::{{table}} {caption}", f":name: {name}", "", lines[0], rule, *lines[1:], ":::"])


def rank_figure(ranks: pd.Series, gap: float) -> Any:
    """Mean ranks of the learners of the bench, the best on top; bars join those within ``gap`` of each other."""
    ranks = ranks.sort_values()
    fig, ax = figure("single")
    fig.set_figheight(1.5 + 0.19 * len(ranks))
    for height, (name, rank) in enumerate(ranks.items()):
        color, marker = ("#009E73", "o") if LEARNERS[str(name)].ours else ("#4D4D4D", "s")
        ax.plot([1, rank], [height] * 2, color="0.85", linewidth=1, zorder=0)
        ax.plot(rank, height, marker, color=color, markersize=6)
    for number, (first, last) in enumerate(groups(ranks, gap)):
        place = [len(ranks) + 0.6 + 0.9 * number] * 2
        ends = [first - 0.2, last + 0.2]
        ax.plot(place, ends, color="#0072B2", linewidth=3.5, solid_capstyle="butt", clip_on=False)
    ax.plot([1.3, 1.3 + gap], [-1.3, -1.3], color="black", linewidth=2)
    ax.text(1.6 + gap, -1.3, "critical difference", va="center", fontsize=9)
    ax.plot([], [], "o", color="#009E73", label="this library")
    ax.plot([], [], "s", color="#4D4D4D", label="peer")
    ax.legend(loc="lower left")
    ax.set(xlabel="mean rank of accuracy (1 is best)", xlim=(1, len(ranks)), ylim=(len(ranks) - 0.4, -2.2))
    ax.set_yticks(range(len(ranks)), list(ranks.index), fontsize=8)
    return fig
