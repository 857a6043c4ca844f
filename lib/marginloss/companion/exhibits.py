"""Figures and tables: chapters record the numbers behind them, and verdicts are computed from what was recorded."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from marginloss.companion.folders import build_folder
from marginloss.companion.ledger import Entry, LedgerError, entries, entry
from marginloss.companion.scale import SCALES, current_scale

__all__ = ["Status", "judge", "missing_data", "record", "results", "status"]


@dataclass(frozen=True)
class Status:
    """Where one exhibit stands.

    Attributes
    ----------
    id : str
    verdict : str
        ``reproduced``, ``reproduced with a caveat``, ``not reproduced`` or ``not attempted``.
    expected : str
        The verdict that the ledger expects.
    reason : str
        The conditions that are not met and why, why nothing was recorded, or the ledger's caveat.
    values : dict
        What the chapter recorded.
    chapter : str
    seconds : float or None
        Time that the whole chapter took.
    """

    id: str
    verdict: str
    expected: str
    reason: str
    values: dict[str, Any]
    chapter: str
    seconds: float | None


def record(id: str, **values: Any) -> None:
    """Record the numbers behind a figure or table, in a chapter.

    Each value is also glued as ``<key>.<item>.<name>``, so that the sentence in the chapter shows the number that the
    tests judge. Call it as often as needed; names add up.

    Parameters
    ----------
    id : str
        Id of an exhibit in the ledger.
    **values
        Plain numbers, booleans, text, or lists of these; NumPy scalars and arrays are converted.

    Examples
    --------
    >>> record("sypherd2023:fig-5", gain=0.25)  # doctest: +SKIP
    """
    exhibit = entry(id, "exhibit")
    if not values:
        raise ValueError(f"{id}: nothing to record")
    for name in values:
        if "." in name:  # dots part key, item and name
            raise ValueError(f"{id}: a name must have no dot, got {name!r}")
    plain = {name: _plain(value, f"{id}: {name}") for name, value in values.items()}
    try:
        from myst_nb import glue
    except ImportError as error:
        raise ImportError("record shows numbers through myst_nb: pip install '.[book]' in a clone") from error
    for name, value in plain.items():
        glue(f"{exhibit.key}.{exhibit.item}.{name}", value, display=False)


def status(key: str | None = None, scale: str | None = None) -> list[Status]:
    """Verdicts on the exhibits, from what the chapters recorded when they were last run.

    Parameters
    ----------
    key : str, optional
        Key of a paper; all papers if left out.
    scale : str, optional
        ``quick`` or ``paper``; the current scale if left out.

    Examples
    --------
    >>> from marginloss.companion.ledger import VERDICTS
    >>> {line.verdict for line in status("sypherd2023")} <= set(VERDICTS["exhibit"])
    True
    """
    scale = current_scale() if scale is None else scale
    if scale not in SCALES:
        raise ValueError(f"scale must be one of {', '.join(SCALES)}, got {scale!r}")
    chapters: dict[str, dict[str, Any]] = {}
    found = []
    for exhibit in entries(key, "exhibit"):
        if exhibit.chapter not in chapters:
            chapters[exhibit.chapter] = results(exhibit.chapter, scale)
        run = chapters[exhibit.chapter]
        values = _recorded(exhibit, run.get("values", {}))
        verdict, reason = judge(exhibit, values, scale)
        if not run and reason == "nothing recorded":
            reason = f"chapter {exhibit.chapter} has not been run at {scale} scale"
        found.append(Status(exhibit.id, verdict, exhibit.expected, reason, values, exhibit.chapter, run.get("seconds")))
    return found


def judge(exhibit: Entry, values: Mapping[str, Any], scale: str) -> tuple[str, str]:
    """Verdict and reason for one exhibit, given its recorded values.

    Raises
    ------
    LedgerError
        If a condition asks for a value that was not recorded, or that is not a number.
    """
    if not values:
        absent = _absent(exhibit.needs)
        missing = f"data set {absent[0]} is not here: marginloss data {absent[0]} --fetch" if absent else ""
        given = exhibit.reason if exhibit.expected == "not attempted" else ""
        return "not attempted", missing or given or "nothing recorded"
    conditions = [condition for condition in exhibit.conditions if condition.scale in (None, scale)]
    if not conditions:
        (other,) = set(SCALES) - {scale}
        return "not attempted", f"computed, but judged at {other} scale only"
    for condition in conditions:
        if condition.value not in values:
            recorded = ", ".join(values)
            raise LedgerError(
                f"{exhibit.id}: a condition asks for {condition.value!r}, which was not recorded; recorded: {recorded}"
            )
        number = values[condition.value]
        if not isinstance(number, int | float):
            raise LedgerError(f"{exhibit.id}: a condition needs a number, {condition.value} is {number!r}")
    unmet = [f"{c}: got {values[c.value]:.6g}" for c in conditions if not c.met(values[c.value])]
    reason = exhibit.filled("reason", values)
    if unmet:
        known = (
            f" {reason}" if exhibit.expected == "not reproduced" else ""
        )  # else it is a caveat, and explains nothing
        return "not reproduced", f"Not met: {'; '.join(unmet)}.{known}"
    return ("reproduced with a caveat" if reason else "reproduced"), reason


def results(chapter: str, scale: str) -> dict[str, Any]:
    """What the runner stored about one chapter at one scale: ``values``, ``seconds`` and more; empty if not run."""
    file = build_folder() / "results" / scale / f"{chapter}.json"
    if not file.exists():
        return {}
    stored: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return stored


def _recorded(exhibit: Entry, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of one exhibit among all that its chapter glued."""
    prefix = f"{exhibit.key}.{exhibit.item}."
    own = {name.removeprefix(prefix): value for name, value in values.items() if name.startswith(prefix)}
    return {name: value for name, value in own.items() if "." not in name}  # 'table-1.2.x' is not of 'table-1'


def missing_data(*names: str) -> str:
    """Boxes for a page, one for each data set of these that is not here, with the command that gets it.

    Examples
    --------
    >>> missing_data("breast_cancer")  # which comes with scikit-learn
    ''
    """
    return "\n\n".join(
        f":::{{admonition}} Data set {name} is not here\n"
        f"What needs it is left out; `marginloss data {name} --fetch` gets it.\n:::"
        for name in _absent(names)
    )


def _absent(names: Iterable[str]) -> list[str]:
    from marginloss.datasets import available  # here: most uses of this module need no data set

    return [name for name in names if not available(name)]


def _plain(value: Any, where: str) -> Any:
    """A value that its own ``repr`` can restore."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(part, where) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{where} must be finite to be recorded, got {value}")
    if isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"{where} must be a number, text, or a list of these, got {type(value).__name__}")
