"""Which side should a user take? Advice that is computed from the contests, and tested on data that it has not seen."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from marginloss.companion.experiments.bench.learners import LEARNERS
from marginloss.companion.experiments.bench.ranks import mean_ranks

__all__ = ["Comparison", "compare_sides"]


@dataclass(frozen=True)
class Comparison:
    """The best learner of this library against the best peer.

    Attributes
    ----------
    ours, peer : str
        The learner of each side with the best mean rank over all data sets.
    lead : float
        Mean over data sets of how much better ours is where *both were picked by the other data sets*: what somebody
        gains who follows this bench on new data. Positive is better, whatever the score.
    error : float
        Standard error of ``lead`` over data sets.
    time_ratio : float
        Seconds of one fit of ours over those of the peer, geometric mean over data sets.
    n_tasks : int
        Number of data sets.
    """

    ours: str
    peer: str
    lead: float
    error: float
    time_ratio: float
    n_tasks: int

    @property
    def verdict(self) -> str:
        """``"ahead"`` or ``"behind"`` beyond twice the standard error, else ``"level"``."""
        if abs(self.lead) <= 2 * self.error or math.isnan(self.lead):
            return "level"
        return "ahead" if self.lead > 0 else "behind"

    @property
    def advice(self) -> str:
        """One line in words, in Markdown."""
        time = (
            f"fits in {self.time_ratio:.1g} × its time"
            if self.time_ratio < 0.95
            else f"takes {self.time_ratio:.2g} × its time"
        )
        if self.verdict == "ahead":
            return f"Take **{self.ours}**; it {time}."
        if self.verdict == "behind":
            return f"Take **{self.peer}**; ours lose here."
        return f"Take what you have: {self.ours} is level with {self.peer} and {time}."


def compare_sides(runs: pd.DataFrame, score: str = "accuracy", larger_is_better: bool = True) -> Comparison:
    """Compare the learners of this library with the peers.

    Parameters
    ----------
    runs : DataFrame
        Rows of :func:`contest` with the columns ``task``, ``learner``, ``seconds`` and ``score``, for one corruption or
        for several; they are averaged for each data set. Learners without that score are left out.
    score : str
        Column to compare.
    larger_is_better : bool, default True

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        If there are fewer than two data sets: a pick could not be tested on another one.
    """
    table = runs.pivot_table(score, "task", "learner", dropna=False).dropna(axis=1)
    if len(table) < 2:
        raise ValueError(f"runs must hold at least two data sets, got {len(table)}")
    better = table if larger_is_better else -table
    sides = [[place for place in better if LEARNERS[place].ours is ours] for ours in (True, False)]
    leads = []
    for task in better.index:
        ours, peer = (_best(better.drop(index=task), side) for side in sides)
        leads.append(better.loc[task, ours] - better.loc[task, peer])
    ours, peer = (_best(better, side) for side in sides)
    seconds = runs.pivot_table("seconds", "task", "learner").clip(lower=1e-6)
    ratio = float(np.exp(np.log(seconds[ours] / seconds[peer]).mean()))
    error = float(np.std(leads, ddof=1) / math.sqrt(len(leads)))
    return Comparison(LEARNERS[ours].name, LEARNERS[peer].name, float(np.mean(leads)), error, ratio, len(leads))


def _best(better: pd.DataFrame, side: list[int]) -> int:
    """Place of the learner with the best mean rank among ``side``; the first of equals."""
    return side[int(np.argmin(mean_ranks(better[side].to_numpy())))]
