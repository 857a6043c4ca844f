"""All exhibits of the five papers at the papers' own scale, from a cold cache: twenty minutes at most on two cores."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

GOAL = "P13"
TITLE = "Parts I to V at paper scale, cold cache, two cores, one part after the other"
TRIED = (
    "wall-clock limits depend on the machine: without AVX-512, exponentials and matrix products take two to six times "
    "as long. Compiled loops have exponentials of their own, models on the same rows share their matrix products, "
    "kernels start with their imports done, and a task draws its data once for all noise rates."
)

MINUTES = {"I": 4, "II": 5, "III": 4, "IV": 2, "V": 5}  # they add up to the twenty of the whole


def rows() -> Iterator[dict[str, Any]]:
    """Wall-clock time of each part and of all against its limit; in processes of their own, unlike the others."""
    from marginloss.companion.book.layout import chapters, root

    total = 0.0
    with tempfile.TemporaryDirectory() as folder:
        # a copy with an environment of its own has no executed chapters, no sweeps and no compiled kernels
        copy = Path(folder) / "book"
        shutil.copytree(root(), copy, ignore=shutil.ignore_patterns("_build", ".venv", ".git"))
        subprocess.run(["make", ".venv/.ready"], cwd=copy, check=True)
        for number, (part, limit) in enumerate(MINUTES.items(), start=1):
            names = [chapter.name for chapter in chapters() if chapter.name.startswith(f"{number}")]
            command = [copy / ".venv/bin/python", "-m", "marginloss", "run", "--scale", "paper", *names]
            start = time.perf_counter()
            subprocess.run(command, cwd=copy, check=True)
            seconds = time.perf_counter() - start
            total += seconds
            yield _row(f"Part {part}, {len(names)} chapters", limit, seconds)
    yield _row("the five parts", sum(MINUTES.values()), total)


def _row(workload: str, limit: int, seconds: float) -> dict[str, Any]:
    ratio = 60 * limit / seconds
    return {
        "workload": workload,
        "peer": f"limit of {limit} min (wall clock)",
        "theirs": 60.0 * limit,
        "ours": seconds,
        **dict.fromkeys(("ratio", "lowest", "highest"), ratio),
        "goal": 1,
        "met": ratio >= 1,
        "note": "one run",
    }
