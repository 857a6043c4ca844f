"""Ratios against peers, measured side by side; never part of the tests.

One module a goal, ``p01_….py`` to ``p13_….py``. A module has

``GOAL``
    its name, ``"P1"``;
``TITLE``
    one line that says kernel and workload;
``comparisons()``
    yields :class:`Comparison` objects, each with two callables that do the same work;
``scalings()``
    optional: yields :class:`Scaling` objects, for how cost grows;
``rows()``
    instead of ``comparisons()`` where a goal is measured in another way: finished rows of the table;
``TRIED``
    optional: what was tried, shown beside a result that is short of its goal.

``python -m benchmarks [NAME …]`` runs all modules or those named (``P1``, ``p01`` or ``p01_signs``), prints the table,
and updates ``benchmarks/results.json`` and ``benchmarks/RESULTS.md``. Callables are made before the clock starts: data,
prebuilt matrices and compilation are not measured. Runs of peer and ours alternate; times are CPU seconds of this
process, so one thread each (``OMP_NUM_THREADS=1`` is set before the peers are imported) and little harm from other
programs.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

__all__ = ["Comparison", "Scaling", "has_avx512", "measure", "measure_scaling"]

SHORTEST = 0.05  # seconds: a shorter callable is repeated inside one measurement


def has_avx512() -> bool:
    """Whether NumPy's powers run in registers of 512 bits: peers made of them are then several times faster."""
    import numpy as np

    used = np.lib.introspect.opt_func_info(func_name="^power$", signature="float64")["power"].values()
    return any(target["current"].startswith(("X86_V4", "AVX512")) for target in used)


@dataclass(frozen=True)
class Comparison:
    """Peer and ours on one workload.

    Attributes
    ----------
    workload, peer : str
        What is computed, and by whom for comparison.
    theirs, ours : callable
        Called without arguments, many times; must leave no state behind.
    goal : float
        Smallest ratio of times (theirs over ours) that meets the goal.
    agree : callable, optional
        Called once after the measurement; raises ``AssertionError`` if the two do not give the same answer.
    repeats : int
        Number of alternating measurements.
    note : str
        Shown in the last column: errors reached, settings.
    """

    workload: str
    peer: str
    theirs: Callable[[], Any]
    ours: Callable[[], Any]
    goal: float
    agree: Callable[[], None] | None = None
    repeats: int = 5
    note: str = ""


@dataclass(frozen=True)
class Scaling:
    """Time, and if asked for memory, of one kernel against one size.

    Attributes
    ----------
    kernel, variable : str
        What is measured, and the name of the size, such as ``"m"``.
    sizes : tuple of int
        At least three.
    make : callable
        ``make(size)`` returns the callable to be measured. A function of a module (not a lambda) if memory is measured.
    input_bytes : callable, optional
        ``input_bytes(size)``: bytes of the input; if given, the peak memory of one call is measured in a fresh process.
    """

    kernel: str
    variable: str
    sizes: tuple[int, ...]
    make: Callable[[int], Callable[[], Any]]
    input_bytes: Callable[[int], int] | None = None


def measure(comparisons: Sequence[Comparison]) -> list[dict[str, Any]]:
    """Alternate the callables of comparisons with the same peer; medians, spread, and whether the goal is met."""
    first = comparisons[0]
    calls = [first.theirs, *(comparison.ours for comparison in comparisons)]
    loops = [_loops(call) for call in calls]
    rounds = [[_seconds(call, k) for call, k in zip(calls, loops, strict=True)] for _ in range(first.repeats)]
    theirs, *columns = zip(*rounds, strict=True)
    return [_row(comparison, theirs, ours) for comparison, ours in zip(comparisons, columns, strict=True)]


def _row(comparison: Comparison, theirs: Sequence[float], ours: Sequence[float]) -> dict[str, Any]:
    if comparison.agree is not None:
        comparison.agree()
    ratios = [their / our for their, our in zip(theirs, ours, strict=True)]
    ratio = statistics.median(ratios)
    return {
        "workload": comparison.workload,
        "peer": comparison.peer,
        "theirs": statistics.median(theirs),
        "ours": statistics.median(ours),
        "ratio": ratio,
        "lowest": min(ratios),
        "highest": max(ratios),
        "goal": comparison.goal,
        "met": ratio >= comparison.goal,
        "note": comparison.note,
    }


def measure_scaling(scaling: Scaling) -> dict[str, Any]:
    """Median of three times at each size, the slope on log-log axes, and the peak memory if asked for."""
    import numpy as np

    seconds = []
    for size in scaling.sizes:
        call = scaling.make(size)
        loops = _loops(call)
        seconds.append(statistics.median(_seconds(call, loops) for _ in range(3)))
    exponent = float(np.polyfit(np.log(scaling.sizes), np.log(seconds), 1)[0])
    result = {
        "kernel": scaling.kernel,
        "variable": scaling.variable,
        "sizes": list(scaling.sizes),
        "seconds": seconds,
        "exponent": exponent,
    }
    if scaling.input_bytes is not None:
        from benchmarks.memory import peak_bytes

        result["input_bytes"] = [scaling.input_bytes(size) for size in scaling.sizes]
        result["peak_bytes"] = [peak_bytes(scaling.make, size) for size in scaling.sizes]
    return result


def _seconds(call: Callable[[], Any], loops: int) -> float:
    start = time.process_time()
    for _ in range(loops):
        call()
    return (time.process_time() - start) / loops


def _loops(call: Callable[[], Any]) -> int:
    """How often to call in one measurement; the first call also warms caches and compiles."""
    if _seconds(call, 1) > 20 * SHORTEST:  # slow even if half of it was compilation: no need to look again
        return 1
    return max(1, round(SHORTEST / max(_seconds(call, 1), 1e-6)))
