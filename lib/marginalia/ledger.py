"""The ledger: every claim, exhibit and erratum of the five papers, read from ``data/ledger`` and validated.

The YAML files state what a paper says and what we expect of it. What was found is computed elsewhere:
:mod:`marginalia.theory` for claims and errata, :mod:`marginalia.exhibits` for figures and tables.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

import yaml

from marginalia.resources import data_folder

__all__ = ["FILLED", "KINDS", "PAPERS", "VERDICTS", "Condition", "Entry", "LedgerError", "entries", "entry"]

PAPERS = {
    "sypherd2023": "Smoothly Giving Up: Robustness for Simple Models",
    "amid2019": "Two-temperature logistic regression based on the Tsallis divergence",
    "sypherd2022": "Being Properly Improper",
    "servedio2003": "Smooth Boosting and Learning with Malicious Noise",
    "zhai2021": "Boosted CVaR Classification",
}
"""Key and title of each paper, in the order of the book."""

VERDICTS = {
    "claim": ("holds", "holds with a caveat", "fails as printed", "not attempted"),
    "exhibit": ("reproduced", "reproduced with a caveat", "not reproduced", "not attempted"),
    "erratum": ("confirmed", "reading", "not attempted"),
}
"""The verdicts that an entry of each kind can have."""

KINDS = tuple(VERDICTS)
FILLED = ("reason", "repair", "affects")
"""Fields of an entry whose text may ask for computed numbers."""

DATA = ("original", "sample", "stand-in", "simulated", "none")

_ID = re.compile(r"[a-z0-9]+:[a-z0-9][a-z0-9.-]*")
_CHAPTER = re.compile(r"\d\d[a-z]?_[a-z0-9_]+")
# verdicts that need no reason: what was hoped for, and for errata the statement itself is the reason
_PLAIN = {"holds", "reproduced", "confirmed", "reading"}


class LedgerError(ValueError):
    """A malformed entry of the ledger; the message names the file and the entry."""


@dataclass(frozen=True)
class Condition:
    """One test on a recorded value: ``at_least``, ``at_most``, or ``near`` with ``tol``.

    A condition with ``scale`` is tested at that scale only. Booleans count as 0 and 1. Comparisons allow for 1e-12 of
    rounding: what is recorded are often differences of means, and two equal accuracies can differ by 1e-17 as
    doubles, while one example of any test set weighs more than 1e-6.

    Examples
    --------
    >>> gain = Condition(value="gain", at_least=0.2)
    >>> gain.met(0.25), str(gain)
    (True, 'gain at least 0.2')
    >>> 0.3 - 0.2 >= 0.1, Condition(value="gain", at_least=0.1).met(0.3 - 0.2)
    (False, True)
    """

    value: str
    at_least: float | None = None
    at_most: float | None = None
    near: float | None = None
    tol: float | None = None
    scale: str | None = None

    def met(self, number: float) -> bool:
        """Whether a recorded number meets the condition; NaN meets none."""
        rounding = 1e-12
        return (
            (self.at_least is None or number >= self.at_least - rounding)
            and (self.at_most is None or number <= self.at_most + rounding)
            and (self.near is None or abs(number - self.near) <= (self.tol or 0.0) + rounding)
        )

    def __str__(self) -> str:
        parts = [f"at least {self.at_least:g}"] if self.at_least is not None else []
        parts += [f"at most {self.at_most:g}"] if self.at_most is not None else []
        parts += [f"within {self.tol:g} of {self.near:.6g}"] if self.near is not None else []
        return f"{self.value} {' and '.join(parts)}" + (f" ({self.scale} scale)" if self.scale else "")


@dataclass(frozen=True)
class Entry:
    """One claim, exhibit or erratum of a paper.

    Attributes
    ----------
    id : str
        ``<key>:<item>``, for instance ``sypherd2023:lemma-2.6``.
    kind : str
        ``claim``, ``exhibit`` or ``erratum``.
    place : str
        Where it is in the paper.
    statement : str
        What the paper says there, in our words. An erratum that may be an artefact of the text is worded as a question.
    expected : str
        The verdict that we expect, one of :data:`VERDICTS` for the kind.
    reason : str
        One line; required unless the verdict is ``holds``, ``reproduced``, ``confirmed`` or ``reading``. What was
        measured stands in it as a field, ``{gain:.3f}``, which :meth:`filled` replaces by the number.
    chapter : str
        Chapter of the book that treats it, ``""`` for an erratum that none mentions.
    section : str
        Anchor in the chapter; found by the id if it is not given.
    published : dict
        Numbers printed in the paper.
    data : str
        What the numbers rest on: ``original``, ``sample``, ``stand-in``, ``simulated`` or ``none``.
    needs : tuple of str
        Names of data sets without which an exhibit or a claim cannot be attempted.
    conditions : tuple of Condition
        Tests on the values that the chapter records, exhibits only.
    repair : str
        What to print in the place of what is there, errata only.
    affects : str
        What an erratum touches, and what stands all the same.
    certain : bool
        False for an erratum that may be an artefact of the text we had.
    confirmed_by : str
        Id of the claim whose check confirms an erratum.
    """

    id: str
    kind: str
    place: str
    statement: str
    expected: str
    reason: str = ""
    chapter: str = ""
    section: str = ""
    published: dict[str, Any] = field(default_factory=dict)
    data: str = "none"
    needs: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    repair: str = ""
    affects: str = ""
    certain: bool = True
    confirmed_by: str = ""

    @property
    def key(self) -> str:
        """Key of the paper, the part of the id before the colon."""
        return self.id.partition(":")[0]

    @property
    def item(self) -> str:
        """Name within the paper, the part of the id after the colon."""
        return self.id.partition(":")[2]

    def filled(self, name: str, values: Mapping[str, Any]) -> str:
        """The text of one of :data:`FILLED`, its fields replaced by numbers that were computed.

        Parameters
        ----------
        name : str
            ``reason``, ``repair`` or ``affects``.
        values : mapping of str to number
            What an exhibit's chapter recorded, or the evidence of the claim; of an erratum, that of the claim which
            confirms it.

        Examples
        --------
        >>> found = Entry("a:b", "claim", "Lemma 1", "x > 0", "fails as printed", "Not at x = {least:.2f}.")
        >>> found.filled("reason", {"least": -0.125})
        'Not at x = -0.12.'
        """
        text: str = getattr(self, name)
        try:
            return text.format_map(values)
        except KeyError as error:
            known = ", ".join(values) or "nothing"
            raise LedgerError(
                f"{self.id}: the {name} asks for {error}, which was not computed; there is {known}"
            ) from None


def entries(key: str | None = None, kind: str | None = None) -> list[Entry]:
    """Entries of the ledger, in the order of the files.

    Parameters
    ----------
    key : str, optional
        Key of a paper, one of :data:`PAPERS`; all papers if left out.
    kind : str, optional
        ``claim``, ``exhibit`` or ``erratum``; all kinds if left out.

    Returns
    -------
    list of Entry

    Raises
    ------
    LedgerError
        If an entry is malformed or appears twice; the message names it.

    Examples
    --------
    >>> entries("sypherd2023", kind="claim")[0].place
    'Definition 1, equation (3)'
    """
    if key is not None and key not in PAPERS:
        raise ValueError(f"key must be one of {', '.join(PAPERS)}, got {key!r}")
    if kind is not None and kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
    files = [data_folder() / "ledger" / f"{name}.yml" for name in ([key] if key else PAPERS)]
    found = [entry for file in files if file.exists() for entry in _read(file, file.stat().st_mtime_ns)]
    return [entry for entry in found if kind is None or entry.kind == kind]


def entry(entry_id: str, kind: str | None = None) -> Entry:
    """The entry of that id; ``KeyError`` with the closest ids if there is none.

    Examples
    --------
    >>> entry("sypherd2023:lemma-3").kind
    'claim'
    """
    key = entry_id.partition(":")[0]
    known = {found.id: found for found in entries(key if key in PAPERS else None, kind)}
    if entry_id not in known:
        raise KeyError(unknown_id(entry_id, known, kind or "entry"))
    return known[entry_id]


def unknown_id(entry_id: str, known: Mapping[str, object], what: str) -> str:
    """Message for an id that is not in the ledger."""
    close = get_close_matches(entry_id, known, n=3, cutoff=0.5)
    return f"no {what} {entry_id!r} in the ledger" + (f"; close: {', '.join(close)}" if close else "")


@cache
def _read(file: Path, modified: int) -> tuple[Entry, ...]:
    """Validated entries of one file; the time of change is there to make a changed file a new question."""
    try:
        rows = yaml.safe_load(file.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise LedgerError(f"{file.name} is not valid YAML: {error}") from error
    return parse(rows, file.stem, file.name)


def parse(rows: object, key: str, source: str) -> tuple[Entry, ...]:
    """Entries from the parsed YAML of one paper; :class:`LedgerError` names what is wrong.

    Parameters
    ----------
    rows : object
        What the YAML parser returned; must be a list of mappings.
    key : str
        Key of the paper, which must begin each id.
    source : str
        Name of the file, for messages.
    """
    if not isinstance(rows, list):
        raise LedgerError(f"{source} must hold a list of entries, got {type(rows).__name__}")
    found: dict[str, Entry] = {}
    for position, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise LedgerError(f"{source}, entry {position}: must be a mapping, got {row!r}")
        parsed = _entry(row, key, f"{source}, {row.get('id', f'entry {position}')}")
        if parsed.id in found:
            raise LedgerError(f"{source}, {parsed.id}: this id appears twice")
        found[parsed.id] = parsed
    for parsed in found.values():
        if parsed.confirmed_by and getattr(found.get(parsed.confirmed_by), "kind", None) != "claim":
            raise LedgerError(f"{source}, {parsed.id}: confirmed_by must name a claim, got {parsed.confirmed_by!r}")
    return tuple(found.values())


def _entry(row: dict[str, Any], key: str, where: str) -> Entry:
    """One entry, every field checked; ``where`` begins each message."""

    def require(condition: bool, problem: str) -> None:
        if not condition:
            raise LedgerError(f"{where}: {problem}")

    known = {spec.name: spec for spec in fields(Entry)}
    require(row.keys() <= known.keys(), f"unknown fields {sorted(map(str, row.keys() - known.keys()))}")
    missing = [n for n, s in known.items() if s.default is MISSING and s.default_factory is MISSING and n not in row]
    require(not missing, f"missing fields {missing}")
    plain = [spec for spec in known.values() if spec.type == "str"]
    text = {spec.name: row.get(spec.name, spec.default) for spec in plain}
    for name, value in text.items():
        require(isinstance(value, str), f"{name} must be text (quote it), got {value!r}")
    for name in ("place", "statement"):
        require(text[name].strip() != "", f"{name} is empty")
    require(bool(_ID.fullmatch(text["id"])), "id must read <key>:<item> with a-z, 0-9, '.' and '-' only")
    require(text["id"].startswith(f"{key}:"), f"id must begin with {key}:")
    kind, expected = text["kind"], text["expected"]
    require(kind in KINDS, f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
    require(expected in VERDICTS[kind], f"expected must be one of {', '.join(VERDICTS[kind])}, got {expected!r}")
    require(text["reason"].strip() != "" or expected in _PLAIN, f"a reason is required when we expect {expected!r}")
    require(not (expected == "reproduced" and text["reason"]), "with a reason it reads 'reproduced with a caveat'")
    require("\n" not in text["reason"].strip(), "reason must be one line")
    chapter = text["chapter"]
    require(bool(_CHAPTER.fullmatch(chapter)) or (not chapter and kind == "erratum"), f"no chapter name: {chapter!r}")
    published = row.get("published", {})
    require(isinstance(published, dict), f"published must map names to numbers, got {published!r}")
    for name, value in published.items():
        require(isinstance(name, str) and _numeric(value), f"published {name}: must be a number, got {value!r}")
    require(text["data"] in DATA, f"data must be one of {', '.join(DATA)}, got {text['data']!r}")
    needs = row.get("needs", [])
    needs = [needs] if isinstance(needs, str) else needs
    require(isinstance(needs, list) and all(isinstance(n, str) for n in needs), f"needs must list names, got {needs!r}")
    conditions = _conditions(row.get("conditions", []), where)
    require(kind == "exhibit" or not conditions, "only an exhibit has conditions")
    require(kind != "erratum" or not needs, "an erratum needs no data: the claim that confirms it may")
    require(
        kind != "exhibit" or bool(conditions) or expected == "not attempted",
        "an exhibit needs a condition, or it could not fail",
    )
    certain = row.get("certain", True)
    require(isinstance(certain, bool), f"certain must be true or false, got {certain!r}")
    require(certain or kind == "erratum", "only an erratum can be uncertain")
    require(
        bool(text["confirmed_by"]) == (expected == "confirmed") or kind != "erratum", "confirmed needs confirmed_by"
    )
    for name in ("confirmed_by", "repair", "affects"):
        require(not text[name] or kind == "erratum", f"only an erratum has {name}")
    for name in ("repair", "affects"):
        require(kind != "erratum" or text[name].strip() != "", f"an erratum needs {name}, or nobody could act on it")
    for name in FILLED:
        try:
            fields_of_text = [found for _, found, _, _ in Formatter().parse(text[name]) if found is not None]
        except ValueError as error:
            raise LedgerError(f"{where}: {name} has braces that are no field: {error}") from None
        require(all(map(str.isidentifier, fields_of_text)), f"{name} asks for {fields_of_text}, which are no names")
    text["reason"], text["statement"] = text["reason"].strip(), text["statement"].strip()
    return Entry(
        **text,
        published=published,
        needs=tuple(needs),
        conditions=conditions,
        certain=certain,
    )


def _conditions(rows: object, where: str) -> tuple[Condition, ...]:
    """Conditions of one entry, checked."""
    if not isinstance(rows, list):
        raise LedgerError(f"{where}: conditions must be a list, got {rows!r}")
    names = {spec.name for spec in fields(Condition)}
    found = []
    for row in rows:
        if not isinstance(row, dict) or not isinstance(row.get("value"), str) or not row.keys() <= names:
            raise LedgerError(f"{where}: a condition has value and some of {sorted(names - {'value'})}, got {row!r}")
        for name in row.keys() - {"value", "scale"}:
            if not _number(row[name]):
                raise LedgerError(f"{where}: {name} of {row['value']} must be a number, got {row[name]!r}")
        if not row.keys() & {"at_least", "at_most", "near"} or ("near" in row) != ("tol" in row):
            raise LedgerError(f"{where}: a condition has at_least, at_most, or near with tol; got {row!r}")
        if row.get("scale") not in (None, "quick", "paper"):
            raise LedgerError(f"{where}: scale of {row['value']} must be quick or paper, got {row['scale']!r}")
        found.append(Condition(**row))
    return tuple(found)


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value


def _numeric(value: object) -> bool:
    """A number, or lists and mappings of numbers; text is allowed for ranges such as '0.98-1.00'."""
    if isinstance(value, list):
        return all(map(_numeric, value))
    if isinstance(value, dict):
        return all(map(_numeric, value.values()))
    return isinstance(value, str) or _number(value)
