"""Figures and tables: chapters record the numbers behind them, and verdicts are computed from what was recorded."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from marginloss._validation import check_name
from marginloss.companion.glueing import glue
from marginloss.companion.ledger import ABSENT, Entry, LedgerError, Part, entries, entry
from marginloss.companion.numbers import shown
from marginloss.companion.results import Result, results
from marginloss.companion.scale import SCALES, current_scale
from marginloss.datasets import available
from marginloss.datasets.registry import dataset

__all__ = ["Judged", "Status", "judge", "missing_data", "record", "status", "verdict_of"]


@dataclass(frozen=True)
class Judged:
    """One part of an exhibit: ``met``, ``missed`` or ``undecided``, and why it is undecided."""

    part: Part
    outcome: str
    why: str = ""

    def got(self, values: Mapping[str, Any]) -> str:
        """What was recorded, with its standard error, and what was asked for."""
        part = self.part
        error = f" (standard error {shown(values[part.error])})" if part.error else ""
        return f"{shown(values[part.value])}{error}, asked for {part.asked}"


@dataclass(frozen=True)
class Status:
    """Where one exhibit stands.

    Attributes
    ----------
    id : str
    verdict : str
        One of ``VERDICTS["exhibit"]``, or ``not attempted``.
    expected : str
        The verdict that the ledger expects at this scale.
    reason : str
        The parts that are missed or undecided and why, why nothing was recorded, or the ledger's caveat.
    values : dict
        What the chapter recorded.
    chapter : str
    seconds : float or None
        Time that the whole chapter took.
    parts : tuple of Judged
    """

    id: str
    verdict: str
    expected: str
    reason: str
    values: dict[str, Any]
    chapter: str
    seconds: float | None
    parts: tuple[Judged, ...] = ()


def record(id: str | None = None, /, **values: Any) -> None:
    """Record the numbers of a chapter: those behind a figure or table with its id, those of the prose without.

    The role ``{n}`` shows them in the prose, an exhibit's as ``<item>.<name>``: a sentence shows the number that
    the tests judge. Call it as often as needed; names add up. Nothing happens where a reader runs a chapter by hand.

    Parameters
    ----------
    id : str, optional
        Id of an exhibit in the ledger.
    **values
        Plain numbers, booleans, text, or lists of these; NumPy scalars and arrays are converted.

    Examples
    --------
    >>> record("sypherd2023:fig-5", gain=0.25)
    >>> record(plateau=0.745)
    """
    where = id or "record"
    prefix = f"{entry(id, 'exhibit').id.replace(':', '.')}." if id else ""
    if not values:
        raise ValueError(f"{where}: nothing to record")
    for name in values:
        if id and "." in name:  # dots part key, item and name
            raise ValueError(f"{where}: a name must have no dot, got {name!r}")
    plain = {prefix + name: _plain(value, f"{where}: {name}") for name, value in values.items()}
    for name, value in plain.items():
        glue(name, value)


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
    >>> {line.verdict for line in status("sypherd2023")} <= {*VERDICTS["exhibit"], "not attempted"}
    True
    """
    scale = current_scale() if scale is None else scale
    check_name("scale", scale, SCALES)
    runs, found = results(scale), []
    for exhibit in entries(key, "exhibit"):
        run = runs.get(exhibit.chapter)
        values = _recorded(exhibit, run.values) if run else {}
        parts = judge(exhibit, values, scale) if values else ()
        verdict = verdict_of(exhibit, parts)
        reason = _reason(exhibit, verdict, parts, values, scale) if values else _why_nothing(exhibit, run, scale)
        expected = exhibit.expected_at(scale)
        seconds = run.seconds if run else None
        found.append(Status(exhibit.id, verdict, expected, reason, values, exhibit.chapter, seconds, parts))
    return found


def judge(exhibit: Entry, values: Mapping[str, Any], scale: str) -> tuple[Judged, ...]:
    """The parts of an exhibit, each judged by the recorded values.

    A part for the other scale is undecided at this one, unless another part asks of the same value here.

    Raises
    ------
    LedgerError
        If a part asks for a value that was not recorded, or that is not a number.
    """
    here = {part.value for part in exhibit.parts if part.scale == scale}
    return tuple(
        _judged(exhibit, part, values, scale)
        for part in exhibit.parts
        if part.scale in (None, scale) or part.value not in here
    )


def _judged(exhibit: Entry, part: Part, values: Mapping[str, Any], scale: str) -> Judged:
    for name in filter(None, (part.value, part.error)):
        if name not in values:
            recorded = ", ".join(values)
            raise LedgerError(f"{exhibit.id}: a part asks for {name!r}, which was not recorded; recorded: {recorded}")
        if not isinstance(values[name], int | float):
            raise LedgerError(f"{exhibit.id}: a part needs a number, {name} is {values[name]!r}")
    if part.scale not in (None, scale):
        return Judged(part, "undecided", f"judged at {part.scale} scale")
    outcome = part.outcome(values)
    if outcome != "undecided":
        return Judged(part, outcome)
    plain = replace(part, source="ours").outcome(values)  # without half and double
    why = "within two standard errors" if plain == "undecided" else "half or double of our number decides otherwise"
    return Judged(part, outcome, why)


def verdict_of(exhibit: Entry, parts: Iterable[Judged]) -> str:
    """The verdict on an exhibit, over the parts that decide: in an entry of the paper none of ours does."""
    parts = list(parts)
    decide = [judged.outcome for judged in parts if exhibit.ours or judged.part.source != "ours"]
    if not parts:
        return ABSENT
    if "missed" in decide:
        return "partly reproduced" if "met" in decide else "not reproduced"
    if "undecided" in decide or not decide:
        return "undecided at this scale"
    caveat = exhibit.reason or any(judged.outcome == "missed" for judged in parts)
    return "reproduced with a caveat" if caveat else "reproduced"


def _reason(exhibit: Entry, verdict: str, parts: Iterable[Judged], values: Mapping[str, Any], scale: str) -> str:
    """What is missed and what is missing, and the ledger's reason if the verdict is the one that it explains."""
    told: dict[str, list[str]] = {"Not met": [], "Not decided": [], "Of ours, not met": []}
    for judged in parts:
        decides = exhibit.ours or judged.part.source != "ours"
        if judged.outcome == "missed":
            told["Not met" if decides else "Of ours, not met"].append(f"{judged.part.says} ({judged.got(values)})")
        elif judged.outcome == "undecided" and decides:
            told["Not decided"].append(f"{judged.part.says} ({judged.got(values)}; {judged.why})")
    said = [f"{head}: {'; '.join(sentences)}." for head, sentences in told.items() if sentences]
    said += [exhibit.filled("reason", values)] if verdict == exhibit.expected_at(scale) else []
    return " ".join(filter(None, said))


def _why_nothing(exhibit: Entry, run: Result | None, scale: str) -> str:
    """Why nothing was recorded: the data are not here, the ledger says so, or the chapter was not run."""
    if absent := _absent(exhibit.needs):
        return f"data set {absent[0]} is not here: marginloss data {absent[0]} --fetch"
    if exhibit.expected_at(scale) == ABSENT:
        return exhibit.reason
    if run is None:
        return f"chapter {exhibit.chapter} has not been run at {scale} scale"
    absent = _absent(f"{name}/{part}" for name in exhibit.needs for part in dataset(name).large)
    return f"{absent[0]} is not here, which has to be asked for by name" if absent else "nothing recorded"


def _recorded(exhibit: Entry, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of one exhibit among all that its chapter glued."""
    prefix = f"{exhibit.key}.{exhibit.item}."
    own = {name.removeprefix(prefix): value for name, value in values.items() if name.startswith(prefix)}
    return {name: value for name, value in own.items() if "." not in name}  # 'table-1.2.x' is not of 'table-1'


def missing_data(*names: str) -> str:
    """Boxes for a page, one for each data set of these that is not here, with the command that gets it.

    A slash asks for a part: ``"cifar10/full"``.

    Examples
    --------
    >>> missing_data("breast_cancer")  # which comes with scikit-learn
    ''
    """
    return "\n\n".join(
        f":::{{admonition}} Data set {name} is not here\n"
        f"What needs it is left out; `marginloss data {name.partition('/')[0]} --fetch` gets it.\n:::"
        for name in _absent(names)
    )


def _absent(names: Iterable[str]) -> list[str]:
    return [name for name in names if not available(*name.split("/"))]


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
