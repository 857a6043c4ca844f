"""What a run leaves behind: one file per chapter with its digest, its seconds and every value that it glued."""

from __future__ import annotations

import ast
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from marginloss.companion.folders import build_folder
from marginloss.companion.ledger import entries
from marginloss.datasets import available
from marginloss.datasets.files import write_whole

PREFIX = "application/papermill.record/"


@dataclass(frozen=True)
class Result:
    """Outcome of one execution of a chapter."""

    chapter: str
    scale: str
    digest: str
    seconds: float
    values: dict[str, Any]

    def write(self, path: Path) -> None:
        """Write to a file, all or nothing."""
        write_atomically(path, json.dumps(asdict(self), indent=1, ensure_ascii=False))

    @classmethod
    def read(cls, path: Path) -> Result | None:
        """Read from a file; ``None`` if there is none or if it is not one of ours."""
        try:
            return cls(**json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None


def result_file(chapter: str, scale: str) -> Path:
    """Where the result of a chapter is kept."""
    return build_folder() / "results" / scale / f"{chapter}.json"


def results(scale: str) -> dict[str, Result]:
    """Results of all chapters that were run at this scale, by the name of the chapter."""
    found = (Result.read(path) for path in sorted((build_folder() / "results" / scale).glob("[!.]*.json")))
    return {result.chapter: result for result in found if result is not None}


class Recorded(dict[str, Any]):
    """What a page may say: what its chapter recorded by name, and by full name what any other chapter recorded.

    The full name of an exhibit's number is ``sypherd2023.fig-5.gain``; of a number of the prose, with its chapter in
    front, ``13_adaboost_alpha/plateau``. A number that needs a data set which is not here is a dash.
    """

    def __init__(self, chapter: str, scale: str) -> None:
        own = Result.read(result_file(chapter, scale))
        super().__init__(own.values if own else {})
        self.scale = scale

    def __missing__(self, name: str) -> Any:
        for result in results(self.scale).values():
            known = {full: value for full, value in result.values.items() if "." in full}
            known |= {f"{result.chapter}/{short}": value for short, value in result.values.items()}
            if name in known:
                return known[name]
        for entry in entries():
            from_here = name.startswith((f"{entry.id.replace(':', '.')}.", f"{entry.chapter}/"))
            if from_here and not all(available(needed) for needed in entry.needs):
                return "\N{EN DASH}"
        raise KeyError(name)


def glued_values(chapter: str, notebook: Any) -> dict[str, Any]:
    """Numbers, words and lists that a notebook glued; figures are left out.

    Raises ``ValueError`` for a value that cannot be read back, such as a NumPy scalar: nothing could test it.
    """
    values = {}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            name = output.get("metadata", {}).get("scrapbook", {}).get("name")
            data = {mime.removeprefix(PREFIX): content for mime, content in output.get("data", {}).items()}
            if name is None or set(data) != {"text/plain"}:
                continue
            try:
                values[name] = _literal(data["text/plain"])
            except (ValueError, SyntaxError):
                shown = data["text/plain"]
                raise ValueError(
                    f"{chapter}: the glued value {name!r} is {shown}, which no test can read back: use float(...)"
                ) from None
    return values


def _literal(text: str) -> Any:
    """The value behind a ``repr``: a literal, or one of ``nan``, ``inf``, ``-inf``."""
    return float(text) if text in ("nan", "inf", "-inf") else ast.literal_eval(text)


def write_atomically(path: Path, text: str) -> None:
    """Write a file so that a reader, or a run after an interruption, sees all of it or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text.encode())
