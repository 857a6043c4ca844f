"""The complete bench: every contest, draw after draw, kept in one table that an interruption leaves whole."""

from __future__ import annotations

import shlex
import time
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from marginloss.companion.bench.contests import contest
from marginloss.companion.bench.corruptions import CORRUPTIONS
from marginloss.companion.bench.learners import LEARNERS
from marginloss.companion.bench.tables import TABLES
from marginloss.companion.results import write_atomically
from marginloss.companion.sweeps import sweep
from marginloss.datasets.folders import data_folder

__all__ = ["COLUMNS", "results", "run_bench"]

COLUMNS = ["table", "corruption", "draw", "learner", "accuracy", "log_loss", "worst_tenth", "seconds"]


def results(path: Path | None = None) -> pd.DataFrame:
    """The results that ship with the library, or those of a file of :func:`run_bench`.

    Returns
    -------
    DataFrame
        One row for each table, corruption, draw and learner with its ``accuracy``, ``log_loss`` and ``worst_tenth`` on
        clean test rows and its ``seconds``; ``attrs["command"]`` is the command that made it.

    Examples
    --------
    >>> results().columns.tolist() == COLUMNS
    True
    """
    path = path or data_folder() / "bench" / "results.csv"
    frame = pd.read_csv(path, comment="#")
    with path.open(encoding="utf-8") as file:
        frame.attrs["command"] = file.readline().removeprefix("#").strip()
    return frame


def run_bench(
    tables: Sequence[str] = tuple(TABLES),
    corruptions: Sequence[str] = tuple(CORRUPTIONS),
    draws: int = 5,
    rows: int = 2000,
    learners: Sequence[str] = tuple(LEARNERS),
    out: Path | None = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Run what is not kept yet, and write ``out`` after every complete draw.

    Each contest is kept as soon as it is over, so that an interrupted bench goes on where it stopped; draw *i* is the
    same whatever else is run. Contests are spread over whatever joblib is configured for: threads, processes, Dask.

    Parameters
    ----------
    tables, corruptions, learners : sequence of str
        Names in :data:`TABLES`, :data:`CORRUPTIONS` and :data:`LEARNERS`.
    draws : int, default=5
        Splits with a corruption each.
    rows : int, default=2000
        Largest number of training rows.
    out : path, optional
        File for the results, CSV.
    n_jobs, progress
        As in :func:`marginloss.companion.sweep`.

    Returns
    -------
    DataFrame
        As :func:`results`.
    """
    grid = {"table": tables, "corruption": corruptions, "rows": [rows], "learners": [tuple(learners)]}
    start = time.perf_counter()
    for done in range(1, draws + 1):  # draws are the outer loop: what is kept is balanced
        found = sweep(contest, grid, done, n_jobs, progress=progress)
        found["learner"] = [learners[place] for place in found["learner"]]
        found = found.rename(columns={"run": "draw"})[COLUMNS].sort_values("draw", kind="stable", ignore_index=True)
        found = found.round({"accuracy": 4, "log_loss": 4, "worst_tenth": 4, "seconds": 3})
        found.attrs["command"] = command = _command(tables, corruptions, done, rows, learners)
        if out is not None:
            write_atomically(out, f"# {command}\n{found.to_csv(index=False)}")
        if progress:
            left = (time.perf_counter() - start) / done * (draws - done) / 60
            print(f"draw {done} of {draws} is there; about {left:.0f} min to go", flush=True)
    return found


def _command(tables: Sequence[str], corruptions: Sequence[str], draws: int, rows: int, learners: Sequence[str]) -> str:
    """The command that gives these results."""
    words = ["marginloss", "bench", "--draws", str(draws), "--rows", str(rows)]
    for name, chosen, every in (
        ("--tables", tables, TABLES),
        ("--corruptions", corruptions, CORRUPTIONS),
        ("--learners", learners, LEARNERS),
    ):
        if list(chosen) != list(every):
            words += [name, *chosen]
    return shlex.join(words)
