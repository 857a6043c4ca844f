"""Entries from the YAML of one paper, every field checked; what is malformed is refused by name."""

from __future__ import annotations

import re
from dataclasses import MISSING, fields
from string import Formatter
from typing import Any

from marginloss.companion.ledger.schema import DATA, FILLED, KINDS, VERDICTS, Condition, Entry, LedgerError

__all__ = ["parse"]

_ID = re.compile(r"[a-z0-9]+:[a-z0-9][a-z0-9.-]*")
_CHAPTER = re.compile(r"\d\d[a-z]?_[a-z0-9_]+")
# verdicts that need no reason: what was hoped for, and for errata the statement itself is the reason
_PLAIN = {"holds", "reproduced", "confirmed", "reading"}


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
