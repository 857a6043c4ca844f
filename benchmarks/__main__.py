"""Run benchmarks, print the table, and keep the results: ``python -m benchmarks [NAME …]``."""

from __future__ import annotations

import argparse
import importlib
import json
import platform
import sys
from collections.abc import Iterator
from datetime import date
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks import measure, measure_scaling

FOLDER = Path(__file__).parent
RESULTS = FOLDER / "results.json"
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "xgboost-cpu", "lightgbm", "cvxpy", "highspy")


def main() -> int:
    """Run what was asked for; exit status 1 if a goal was missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("name", nargs="*", help="P1, p01 or p01_signs; all if none is given")
    parser.add_argument("--no-scaling", action="store_true", help="leave out how cost grows")
    parser.add_argument("--write", action="store_true", help="only write RESULTS.md again from results.json")
    options = parser.parse_args()
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {"goals": {}}
    results["machine"] = {"python": platform.python_version(), "system": platform.system(), **_versions()}
    if not options.write:
        for module in _modules(options.name):
            results["goals"][module.GOAL] = _run(module, results["goals"].get(module.GOAL, {}), options.no_scaling)
            RESULTS.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    _say_what_was_tried(results["goals"])
    RESULTS.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    (FOLDER / "RESULTS.md").write_text(_page(results))
    return int(any(not row["met"] for goal in results["goals"].values() for row in goal["comparisons"]))


def _modules(names: list[str]) -> list[ModuleType]:
    found = sorted(path.stem for path in FOLDER.glob("p[0-9][0-9]_*.py"))
    if names:
        wanted = {stem for name in names for stem in found if _matches(name, stem)}
        unknown = [name for name in names if not any(_matches(name, stem) for stem in found)]
        if unknown:
            sys.exit(f"no benchmark {', '.join(unknown)}; there are {', '.join(found)}")
        found = sorted(wanted)
    return [importlib.import_module(f"benchmarks.{stem}") for stem in found]


def _matches(name: str, stem: str) -> bool:
    number = stem.split("_")[0]
    return name.lower() in (stem, number, f"p{int(number[1:])}")


def _run(module: ModuleType, old: dict[str, Any], no_scaling: bool) -> dict[str, Any]:
    print(f"\n{module.GOAL}  {module.TITLE}", flush=True)
    rows = []
    for row in module.rows() if hasattr(module, "rows") else _measured(module):
        rows.append(row)
        print("   " + " · ".join(_cells(row)), flush=True)
    scalings = old.get("scalings", [])
    if not no_scaling and hasattr(module, "scalings"):
        scalings = []
        for scaling in module.scalings():
            row = measure_scaling(scaling)
            scalings.append(row)
            print(f"   {row['kernel']}: time ~ {row['variable']}^{row['exponent']:.2f}", flush=True)
    return {"title": module.TITLE, "date": date.today().isoformat(), "comparisons": rows, "scalings": scalings}


def _say_what_was_tried(goals: dict[str, Any]) -> None:
    """Put the text of its module beside each goal that is short, and take it away from the others."""
    for module in _modules([]):
        goal = goals.get(module.GOAL)
        if goal is None:
            continue
        goal.pop("tried", None)
        if hasattr(module, "TRIED") and not all(row["met"] for row in goal["comparisons"]):
            goal["tried"] = module.TRIED


def _measured(module: ModuleType) -> Iterator[dict[str, Any]]:
    """Rows of the comparisons of a module; neighbours with the same peer are measured together."""
    for _, group in groupby(module.comparisons(), key=lambda comparison: comparison.theirs):
        yield from measure(list(group))


def _cells(row: dict[str, Any]) -> list[str]:
    return [
        row["workload"],
        row["peer"],
        _time(row["theirs"]),
        _time(row["ours"]),
        f"{row['ratio']:.3g}× ({row['lowest']:.3g}–{row['highest']:.3g})",
        f"≥ {row['goal']:g}×",
        "pass" if row["met"] else "short",
        row["note"],
    ]


def _time(seconds: float) -> str:
    for unit, scale in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * scale >= 1:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def _page(results: dict[str, Any]) -> str:
    """The results as Markdown; every number in it comes from the measurements."""
    goals = sorted(results["goals"].items(), key=lambda item: int(item[0][1:]))
    rows = [row for _, goal in goals for row in goal["comparisons"]]
    lines = [
        "# Results of the benchmarks",
        "",
        "Written by `python -m benchmarks`; do not edit. Ratios of CPU times, peer over ours, one thread, medians of",
        "alternating runs with the smallest and largest ratio in brackets. Only ratios count, measured side by side.",
        "",
        f"{sum(row['met'] for row in rows)} of {len(rows)} comparisons meet their goal. "
        + ", ".join(f"{name} {value}" for name, value in results["machine"].items())
        + ".",
    ]
    for name, goal in goals:
        lines += ["", f"## {name}: {goal['title']}", "", f"Measured {goal['date']}.", ""]
        lines += [
            "| workload | peer | peer's time | our time | ratio | goal | | note |",
            "|:--|:--|--:|--:|--:|--:|:--|:--|",
        ]
        lines += ["| " + " | ".join(_cells(row)) + " |" for row in goal["comparisons"]]
        if "tried" in goal:
            lines += ["", f"What was tried where it is short: {goal['tried']}"]
        for row in goal["scalings"]:
            lines += ["", f"**{row['kernel']}**: time grows like {row['variable']}^{row['exponent']:.2f}.", ""]
            head, cells = [row["variable"], "time"], [list(map(_size, row["sizes"])), list(map(_time, row["seconds"]))]
            if row.get("peak_bytes") and None not in row["peak_bytes"]:
                head.append("peak memory beyond the input, over the input")
                cells.append([f"{p / i:.2f}" for p, i in zip(row["peak_bytes"], row["input_bytes"], strict=True)])
            lines += ["| " + " | ".join(head) + " |", "|" + "--:|" * len(head)]
            lines += ["| " + " | ".join(line) + " |" for line in zip(*cells, strict=True)]
    return "\n".join(lines) + "\n"


def _size(value: int) -> str:
    return f"{value:,}".replace(",", " ")


def _versions() -> dict[str, str]:
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except ImportError:
            continue
    return found


if __name__ == "__main__":
    sys.exit(main())
