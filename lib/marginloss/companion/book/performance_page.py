"""The page *Performance*: the measurements that ``python -m benchmarks`` left, as rows for tables and plots."""

from __future__ import annotations

import json
from typing import Any

from marginloss.companion.book.layout import root


def measurements() -> dict[str, Any]:
    """Everything that was measured, by goal, in the order of the goals.

    Examples
    --------
    >>> "P1" in measurements()["goals"]
    True
    """
    found = json.loads((root() / "benchmarks" / "results.json").read_text(encoding="utf-8"))
    return found | {"goals": dict(sorted(found["goals"].items(), key=lambda item: int(item[0][1:])))}


def comparisons() -> list[dict[str, Any]]:
    """One row a comparison with a peer, with the goal that it belongs to."""
    return [{"name": name, **row} for name, goal in measurements()["goals"].items() for row in goal["comparisons"]]


def scalings() -> list[dict[str, Any]]:
    """One row a kernel and size, with times and the fitted exponent."""
    return [{"name": name, **row} for name, goal in measurements()["goals"].items() for row in goal["scalings"]]


def memory() -> list[dict[str, Any]]:
    """Scalings whose peak memory was measured, with the largest ratio to the input."""
    rows = [row for row in scalings() if row.get("peak_bytes") and None not in row["peak_bytes"]]
    return [
        row | {"share": max(p / i for p, i in zip(row["peak_bytes"], row["input_bytes"], strict=True))} for row in rows
    ]


def shortfalls() -> dict[str, str]:
    """What was tried, for each goal of which a comparison falls short."""
    goals = measurements()["goals"].items()
    return {name: goal.get("tried", "") for name, goal in goals if not all(row["met"] for row in goal["comparisons"])}
