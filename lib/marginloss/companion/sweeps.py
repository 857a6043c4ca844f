"""Run a function over a grid of parameters and a number of seeds: in parallel, with progress, and never twice."""

from __future__ import annotations

import itertools
import json
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import joblib
import numpy as np
from tqdm import tqdm

from marginloss._validation import check_integer
from marginloss.companion.digest import combine, library_digest
from marginloss.companion.fingerprint import describe
from marginloss.companion.folders import build_folder
from marginloss.datasets.files import write_whole

if TYPE_CHECKING:
    import pandas as pd

Row = dict[str, float]

_LOADED = library_digest()  # of the code that this process runs, whatever is edited while it does


def sweep(
    function: Callable[..., Mapping[str, float] | Sequence[Mapping[str, float]]],
    grid: Mapping[str, Iterable[Any]],
    seeds: int,
    n_jobs: int | None = None,
    *,
    entropy: int = 0,
    cache: bool = True,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Call ``function(**point, rng=rng)`` for each point of a grid and each of a number of runs.

    Run *i* gets the *i*-th child of one ``SeedSequence`` at every grid point: points are compared on the same draws,
    and more points or runs leave the others unchanged. Each result is stored in a file of its own as soon as it is
    there, so that an interrupted sweep goes on where it stopped. A stored result is used for as long as the function,
    its arguments, the code and the data sets that they reach and the pinned versions stay what they were; after an edit
    of the library nothing is stored until Python is started again.

    Parameters
    ----------
    function : callable
        Takes the names of the grid and ``rng``, a :class:`numpy.random.Generator`; returns a dict of numbers, or a list
        of such dicts (one row each). Must depend on nothing else: data that it reads from outside its arguments are
        part of the key only if they are plain values.
    grid : mapping of str to iterable
        Values of each argument; all combinations are run.
    seeds : int
        Number of runs at each grid point.
    n_jobs : int, optional
        Passed to :class:`joblib.Parallel`, with the backend left to the caller (``joblib.parallel_config``). The
        environment variable ``MARGINLOSS_JOBS`` if left out; if that is not set either, what joblib is configured for.
    entropy : int, default 0
        Entropy of the ``SeedSequence``: another number gives other draws.
    cache : bool, default True
        Whether to keep results on disk and to use kept ones.
    progress : bool, optional
        Whether to show a progress bar; on a terminal only if left out.

    Returns
    -------
    pandas.DataFrame
        One row per grid point and run (or several, if the function returns a list), in the order of the grid: the names
        of the grid, ``run``, then what the function returned.

    Examples
    --------
    >>> def mean_of(n, rng):
    ...     return {"mean": rng.normal(size=n).mean()}
    >>> sweep(mean_of, {"n": [10, 1000]}, seeds=2, cache=False)[["n", "run"]].values.tolist()
    [[10, 0], [10, 1], [1000, 0], [1000, 1]]
    """
    import pandas as pd  # here: workers import this module, and need no tables

    name = getattr(function, "__qualname__", None) or repr(function)
    points = _points(grid, name)
    seeds = check_integer("seeds", seeds, 1)
    entropy = check_integer("entropy", entropy, 0)
    tasks = [(point, run) for point in points for run in range(seeds)]
    files = _files(function, tasks, entropy) if cache and _is_as_loaded() else [None] * len(tasks)
    rows = [_load(file, point) for file, (point, _) in zip(files, tasks, strict=True)]
    waiting = [index for index, stored in enumerate(rows) if stored is None]
    bar = tqdm(total=len(tasks), initial=len(tasks) - len(waiting), desc=name, disable=_hide(progress), leave=False)
    # the results come back in whatever order they finish; each carries its place
    with bar:
        calls = (joblib.delayed(_task)(function, *tasks[i], entropy, files[i], i) for i in waiting)
        for index, result in joblib.Parallel(_jobs(n_jobs), return_as="generator_unordered")(calls):
            rows[index] = result
            bar.update()
    table = [
        {**point, "run": run, **row} for (point, run), result in zip(tasks, rows, strict=True) for row in result or []
    ]
    return pd.DataFrame(table, columns=None if table else [*grid, "run"])


def _points(grid: Mapping[str, Iterable[Any]], name: str) -> list[dict[str, Any]]:
    """All combinations of the grid's values, the last name changing fastest."""
    values = {}
    for key, column in grid.items():
        if not isinstance(key, str) or key in ("rng", "run"):
            raise ValueError(f"grid of {name}: {key!r} cannot be the name of an argument")
        if isinstance(column, str) or not isinstance(column, Iterable):
            raise ValueError(f"grid of {name}: {key} must be a list of values, got {column!r}")
        values[key] = [value.item() if isinstance(value, np.generic) else value for value in column]
        if not values[key]:
            raise ValueError(f"grid of {name}: {key} has no values")
    return [dict(zip(values, point, strict=True)) for point in itertools.product(*values.values())]


def _is_as_loaded() -> bool:
    """Whether the source on disk is the one that was imported; under its digest old code would store its numbers."""
    same = library_digest() == _LOADED
    if not same:
        warnings.warn(
            "the source of marginloss has changed since it was imported: results are neither kept nor taken from the "
            "cache until Python is started again",
            UserWarning,
            stacklevel=3,
        )
    return same


def _files(function: Callable[..., Any], tasks: list[tuple[dict[str, Any], int]], entropy: int) -> list[Path]:
    """Where the result of each task is kept: one folder for the function and all it rests on, one file per task."""
    root = Path(os.environ.get("MARGINLOSS_CACHE") or build_folder())
    folder = root.absolute() / "sweeps" / combine([describe(function, "function")])
    folder.mkdir(parents=True, exist_ok=True)
    return [folder / f"{combine([describe(point, 'grid'), str(run), str(entropy)])}.json" for point, run in tasks]


def _task(
    function: Callable[..., Any], point: dict[str, Any], run: int, entropy: int, file: Path | None, index: int
) -> tuple[int, list[Row]]:
    """One call of the function, wherever joblib runs it; the result is on disk before it is reported."""
    # spawn_key=(run,) is the run-th child of SeedSequence(entropy), without making the others
    rng = np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(run,)))
    where = (
        f"{getattr(function, '__qualname__', function)}({', '.join(f'{k}={v!r}' for k, v in point.items())}), run {run}"
    )
    try:
        result = function(**point, rng=rng)
    except Exception as error:
        error.add_note(f"in {where}")
        raise
    rows = _rows(result, point, where)
    if file is not None:
        try:
            write_whole(file, json.dumps(rows).encode())
        except OSError as error:
            warnings.warn(f"a result is not kept: {error}", RuntimeWarning, stacklevel=2)
    return index, rows


def _load(file: Path | None, point: dict[str, Any]) -> list[Row] | None:
    """A stored result, or None if there is none, or one that is no result of this point: it is computed again."""
    try:
        stored = _rows(json.loads(file.read_bytes()), point, str(file)) if file is not None else None
    except (OSError, ValueError, TypeError):
        return None
    return stored if stored and all(stored) else None


def _rows(result: Any, point: dict[str, Any], where: str) -> list[Row]:
    """What a function returned, as plain numbers."""
    rows = result if isinstance(result, list) else [result]
    return [_row(row, point, where) for row in rows]


def _row(row: Any, point: dict[str, Any], where: str) -> Row:
    if not isinstance(row, Mapping):
        raise TypeError(f"{where}: must return a dict of numbers or a list of them, got {type(row).__name__}")
    plain = {}
    for name, value in row.items():
        if not isinstance(name, str) or name in point or name == "run":
            raise ValueError(f"{where}: {name!r} cannot be the name of a result")
        plain[name] = value.item() if isinstance(value, np.generic) else value
        if not isinstance(plain[name], bool | int | float):
            raise TypeError(f"{where}: {name} must be a number, got {type(value).__name__} {value!r:.60}")
    return plain


def _jobs(n_jobs: int | None) -> int | None:
    """Number of jobs: the argument, else the environment, else what joblib is configured for."""
    if n_jobs is not None:
        return n_jobs
    text = os.environ.get("MARGINLOSS_JOBS", "")
    if not text:
        return None
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"MARGINLOSS_JOBS must be a whole number, got {text!r}") from None


def _hide(progress: bool | None) -> bool | None:
    """What tqdm calls ``disable``: its None is 'unless on a terminal', which keeps executed pages clean."""
    return None if progress is None else not progress
