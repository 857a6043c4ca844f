"""What follows from a bench: mean ranks, and differences beside those that nobody would notice."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata, studentized_range
from scipy.stats import t as student

from marginloss.companion.bench.learners import LEARNERS

__all__ = ["Judgement", "against_peers", "compare", "critical_difference", "groups", "judge", "mean_ranks", "sides"]

#: Scores of which less is better.
COSTS = ("log_loss", "worst_tenth", "seconds")


def mean_ranks(scores: ArrayLike) -> NDArray[np.float64]:
    """Mean rank of each column over the rows; 1 is the largest score, ties share.

    Examples
    --------
    >>> mean_ranks(np.array([[0.9, 0.8, 0.8], [0.7, 0.9, 0.6]]))
    array([1.5 , 1.75, 2.75])
    """
    ranks: NDArray[np.float64] = rankdata(-np.asarray(scores, dtype=float), axis=1).mean(axis=0)
    return ranks


def critical_difference(n_learners: int, n_tables: int, level: float = 0.05) -> float:
    r"""Difference of mean ranks below which Nemenyi's test does not tell two learners apart.

    .. math:: q_{level}\sqrt{\frac{k(k+1)}{6N}}

    with :math:`k` learners, :math:`N` tables, and :math:`q` the studentised range over :math:`\sqrt2`.

    Examples
    --------
    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    quantile = float(studentized_range.ppf(1 - level, n_learners, math.inf)) / math.sqrt(2)
    return quantile * math.sqrt(n_learners * (n_learners + 1) / (6 * n_tables))


def groups(ranks: ArrayLike, gap: float) -> list[tuple[int, int]]:
    """The bars of a critical-difference plot: maximal runs of sorted ranks that span at most ``gap``.

    Returns
    -------
    list of (int, int)
        First and last place, from 0, of each run of at least two learners.

    Examples
    --------
    >>> groups([1.0, 1.5, 2.2, 4.0], gap=1.0)
    [(0, 1), (1, 2)]
    """
    ordered = np.sort(np.asarray(ranks, dtype=float))
    found: list[tuple[int, int]] = []
    for first, rank in enumerate(ordered):
        last = int(np.searchsorted(ordered, rank + gap, side="right")) - 1
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return found


@dataclass(frozen=True)
class Judgement:
    """A mean difference, with its interval of 90 %.

    Attributes
    ----------
    lead, low, high : float
        Positive is better.
    rope : float, default=0.01
        Half width of the region of practical equivalence around 0: one point of accuracy.
    """

    lead: float
    low: float
    high: float
    rope: float = 0.01

    @property
    def verdict(self) -> str:
        """``"ahead"`` or ``"behind"`` by more than ``rope``, ``"equivalent"`` within it, or ``"undecided"``."""
        if self.low > self.rope:
            return "ahead"
        if self.high < -self.rope:
            return "behind"
        return "equivalent" if -self.rope < self.low and self.high < self.rope else "undecided"


def judge(differences: ArrayLike, rope: float = 0.01) -> Judgement:
    """Judge the differences of two learners, one for each table.

    Tables are the sample: their mean difference gets Student's interval of 90 %, each end of which is a one-sided test
    at 5 %. Where it lies beyond the region of practical equivalence, one learner is ahead; where it lies within, the
    two are equivalent (two one-sided tests); otherwise the tables do not decide.

    Parameters
    ----------
    differences : array_like of shape (n_tables,)
        Of at least two tables.
    rope : float, default=0.01
        One point of accuracy.

    Examples
    --------
    >>> judge([0.03, 0.04, 0.05, 0.03]).verdict, judge([0.001, -0.002, 0.003, 0.0]).verdict
    ('ahead', 'equivalent')
    >>> judge([-0.05, 0.04, 0.1, -0.02]).verdict
    'undecided'
    """
    d = np.asarray(differences, dtype=float)
    if len(d) < 2 or not np.isfinite(d).all():
        raise ValueError(f"differences must be finite numbers of at least two tables, got {d}")
    lead = float(d.mean())
    half = float(student.ppf(0.95, len(d) - 1) * d.std(ddof=1) / math.sqrt(len(d)))
    return Judgement(lead, lead - half, lead + half, rope)


def compare(runs: pd.DataFrame, learner: str, other: str, score: str = "accuracy", rope: float = 0.01) -> Judgement:
    """Judge two learners of a bench, for example of the rows of one corruption: ``score`` averaged for each table."""
    better = _by_table(runs, score)
    return judge(better[learner] - better[other], rope)


def sides(
    runs: pd.DataFrame, first: Sequence[str] | None = None, second: Sequence[str] | None = None
) -> tuple[Judgement, str, str]:
    """Accuracy of the best of one side against the best of another, each picked where it is not tested.

    On every table the learner of each side plays that has the best mean rank on the *other* tables: the lead is what
    somebody gains who follows the bench on new data, and does not flatter the side with more learners.

    Parameters
    ----------
    runs : DataFrame
        Of one corruption, or of all.
    first, second : sequence of str, optional
        Learners of each side: ours, and the peers.

    Returns
    -------
    judgement : Judgement
    first, second : str
        The picks by all tables.
    """
    better = _by_table(runs, "accuracy")
    teams = [list(first or _of(better, ours=True)), list(second or _of(better, ours=False))]
    picks = {table: [_best(better.drop(index=table)[team]) for team in teams] for table in better.index}
    found = judge([better.loc[table, one] - better.loc[table, other] for table, (one, other) in picks.items()])
    return found, _best(better[teams[0]]), _best(better[teams[1]])


def against_peers(runs: pd.DataFrame, rope: float = 0.01) -> pd.DataFrame:
    """Every learner of this library against every peer under every corruption, by accuracy.

    Returns
    -------
    DataFrame
        ``corruption``, ``ours``, ``peer``, ``lead``, ``low``, ``high``, ``verdict``; sorted by ``lead``, worst first.
    """
    rows = []
    for corruption, part in runs.groupby("corruption", sort=False):
        better = _by_table(part, "accuracy")
        for ours in _of(better, ours=True):
            for peer in _of(better, ours=False):
                found = judge(better[ours] - better[peer], rope)
                rows.append((corruption, ours, peer, found.lead, found.low, found.high, found.verdict))
    columns = ["corruption", "ours", "peer", "lead", "low", "high", "verdict"]
    return pd.DataFrame(rows, columns=columns).sort_values("lead", ignore_index=True)


def _of(names: Iterable[str], ours: bool) -> list[str]:
    return [name for name in names if LEARNERS[name].ours is ours]


def _by_table(runs: pd.DataFrame, score: str) -> pd.DataFrame:
    """Mean score of each learner on each table, larger is better."""
    return runs.pivot_table(score, "table", "learner", sort=False) * (-1 if score in COSTS else 1)


def _best(better: pd.DataFrame) -> str:
    """Learner with the best mean rank; the first of equals."""
    return str(better.columns[int(np.argmin(mean_ranks(better)))])
