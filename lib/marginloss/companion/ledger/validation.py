"""Entries from the YAML of one paper, every field checked; what is malformed is refused by name and line."""

from __future__ import annotations

import re
from dataclasses import MISSING, fields
from string import Formatter
from typing import Any

import yaml

from marginloss.companion.ledger.schema import (
    ABSENT,
    DATA,
    FILLED,
    KINDS,
    ORIGINS,
    SOURCES,
    VERDICTS,
    Entry,
    LedgerError,
    Part,
)
from marginloss.companion.scale import SCALES

_ID = re.compile(r"[a-z0-9]+:[a-z0-9][a-z0-9.-]*")
_CHAPTER = re.compile(r"\d\d[a-z]?_[a-z0-9_]+")
# verdicts that need no reason: what was hoped for, and for errata the statement itself is the reason
_PLAIN = {"holds", "reproduced", "confirmed", "reading"}
_UNDECIDED = "undecided at this scale"  # which says itself what is missing, where the other scale decides
_TESTS = ("at_least", "at_most", "near")


class _Row(dict[str, Any]):
    """A mapping of the file that knows its line."""

    line = 0


class _Loader(yaml.SafeLoader):
    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> _Row:
        row = _Row(super().construct_mapping(node, deep=True))
        row.line = node.start_mark.line + 1
        if len(row) < len(node.value):
            raise LedgerError(f"line {row.line}: a field is given twice")
        return row


_Loader.add_constructor("tag:yaml.org,2002:map", _Loader.construct_mapping)


def parse(text: str, key: str, source: str) -> tuple[Entry, ...]:
    """Entries from the YAML of one paper; :class:`LedgerError` names what is wrong, and where.

    Parameters
    ----------
    text : str
        The YAML, a list of mappings.
    key : str
        Key of the paper, which must begin each id.
    source : str
        Name of the file, for messages.
    """
    try:
        rows = yaml.load(text, _Loader)
    except yaml.YAMLError as error:
        raise LedgerError(f"{source} is not valid YAML: {error}") from error
    except LedgerError as error:
        raise LedgerError(f"{source}, {error}") from None
    if not isinstance(rows, list):
        raise LedgerError(f"{source} must hold a list of entries, got {type(rows).__name__}")
    found: dict[str, Entry] = {}
    for position, row in enumerate(rows, start=1):
        if not isinstance(row, _Row):
            raise LedgerError(f"{source}, entry {position}: must be a mapping, got {row!r}")
        parsed = _entry(row, key, f"{source}, line {row.line}, {row.get('id', f'entry {position}')}")
        if parsed.id in found:
            raise LedgerError(f"{source}, line {row.line}, {parsed.id}: this id appears twice")
        found[parsed.id] = parsed
    for row in rows:
        by = row.get("confirmed_by")
        if by and getattr(found.get(by), "kind", None) != "claim":
            raise LedgerError(f"{source}, line {row.line}, {row['id']}: confirmed_by must name a claim, got {by!r}")
    return tuple(found.values())


def _entry(row: _Row, key: str, where: str) -> Entry:
    """One entry, every field checked; ``where`` begins each message."""

    def require(condition: bool, problem: str) -> None:
        if not condition:
            raise LedgerError(f"{where}: {problem}")

    known = {spec.name: spec for spec in fields(Entry)}
    require(row.keys() <= known.keys(), f"unknown fields {sorted(map(str, row.keys() - known.keys()))}")
    missing = [n for n, s in known.items() if s.default is MISSING and s.default_factory is MISSING and n not in row]
    require(not missing, f"missing fields {missing}")
    text = {name: row.get(name, spec.default) for name, spec in known.items() if spec.type == "str"}
    for name, value in text.items():
        require(isinstance(value, str), f"{name} must be text (quote it), got {value!r}")
        text[name] = value.strip()
    for name in ("place", "statement"):
        require(text[name] != "", f"{name} is empty")
    require(bool(_ID.fullmatch(text["id"])), "id must read <key>:<item> with a-z, 0-9, '.' and '-' only")
    require(text["id"].startswith(f"{key}:"), f"id must begin with {key}:")
    kind = text["kind"]
    for name, words in (("kind", KINDS), ("origin", ORIGINS), ("data", DATA)):
        require(text[name] in words, f"{name} must be one of {', '.join(words)}, got {text[name]!r}")
    exhibit, claim, erratum, remark = (kind == word for word in ("exhibit", "claim", "erratum", "remark"))

    expected = row.get("expected", "")
    by_scale = isinstance(expected, dict)
    require(not by_scale or (exhibit and set(expected) == set(SCALES)), "expected is a word, or {quick: …, paper: …}")
    verdicts = set(expected.values()) if by_scale else {expected}
    allowed = ("",) if remark else (*VERDICTS[kind], ABSENT) if exhibit else VERDICTS[kind]
    require(verdicts <= set(allowed), f"expected must be one of {', '.join(allowed) or 'nothing'}, got {expected!r}")
    plain = _PLAIN | ({_UNDECIDED} if by_scale else set())
    require(text["reason"] != "" or remark or verdicts <= plain, f"a reason is required when we expect {expected!r}")
    require(not (text["reason"] and "reproduced" in verdicts), "with a reason it reads 'reproduced with a caveat'")
    require("\n" not in text["reason"], "reason must be one line")

    chapter = text["chapter"]
    require(bool(_CHAPTER.fullmatch(chapter)) or (not chapter and (erratum or remark)), f"no chapter name: {chapter!r}")
    for name in ("published", "code"):
        numbers = row.get(name, {})
        require(isinstance(numbers, dict), f"{name} must map names to numbers, got {numbers!r}")
        for number, value in numbers.items():
            require(isinstance(number, str) and _numeric(value), f"{name} {number}: must be a number, got {value!r}")
    require(not row.get("code") or {"repository", "commit", "cell"} <= row["code"].keys(), "code names its place")
    names = {name: row.get(name, []) for name in ("needs", "functions")}
    for name, value in names.items():
        require(
            isinstance(value, list) and all(isinstance(n, str) for n in value), f"{name} must list names: {value!r}"
        )
    parts = _parts(row.get("parts", []), where)
    require(exhibit or not parts, "only an exhibit has parts")
    require(exhibit or not (text["figure"] or names["functions"]), "only an exhibit has figure and functions")
    require(exhibit or claim or not names["needs"], "data are needed by exhibits and claims")
    require(not exhibit or bool(parts) or verdicts == {ABSENT}, "an exhibit needs a part, or it could not fail")
    ours = text["origin"] == "ours"
    require(not ours or all(part.source == "ours" for part in parts), "what we say ourselves is 'from: ours'")
    certain = row.get("certain", True)
    require(isinstance(certain, bool), f"certain must be true or false, got {certain!r}")
    require(certain or not exhibit, "an exhibit cannot be uncertain")
    require(bool(text["confirmed_by"]) == (expected == "confirmed") or not erratum, "confirmed needs confirmed_by")
    for name in ("confirmed_by", "repair", "affects"):
        require(not text[name] or erratum or remark, f"only an erratum or a remark has {name}")
    for name in ("repair", "affects"):
        require(not erratum or text[name] != "", f"an erratum needs {name}, or nobody could act on it")
    for name in FILLED:
        try:
            asked = [found for _, found, _, _ in Formatter().parse(text[name]) if found is not None]
        except ValueError as error:
            raise LedgerError(f"{where}: {name} has braces that are no field: {error}") from None
        require(all(map(str.isidentifier, asked)), f"{name} asks for {asked}, which are no names")
    lists = {name: tuple(value) for name, value in names.items()}
    numbers = {name: row.get(name, {}) for name in ("published", "code")}
    given: dict[str, Any] = {**text, **lists, **numbers}
    return Entry(**given, expected=expected, parts=parts, certain=certain)


def _parts(rows: object, where: str) -> tuple[Part, ...]:
    """Parts of one entry, checked."""
    if not isinstance(rows, list):
        raise LedgerError(f"{where}: parts must be a list, got {rows!r}")
    known = {spec.name for spec in fields(Part)} - {"source"} | {"from"}
    found = []
    for number, row in enumerate(rows, start=1):
        here = f"{where}, part {number}" + (f" (line {row.line})" if isinstance(row, _Row) else "")

        def require(condition: bool, problem: str, here: str = here) -> None:
            if not condition:
                raise LedgerError(f"{here}: {problem}")

        require(isinstance(row, dict) and row.keys() <= known, f"has some of {sorted(known)}, got {row!r}")
        for name in ("says", "value"):
            require(isinstance(row.get(name), str) and row[name].strip() != "", f"needs {name}")
        require(row.get("from") in SOURCES, f"from must be one of {', '.join(SOURCES)}, got {row.get('from')!r}")
        for name in ("words", "error"):
            require(isinstance(row.get(name, ""), str), f"{name} must be text")
        words = len(row.get("words", "").split())
        require(words > 0 or row["from"] != "paper", "from: paper needs words of the paper")
        require(words <= 8, f"words quotes at most eight words, got {words}")
        for name in row.keys() & {*_TESTS, "tol"}:
            require(_number(row[name]), f"{name} must be a number, got {row[name]!r}")
        tests = [name for name in _TESTS if name in row]
        require(len(tests) == 1 and ("near" in row) == ("tol" in row), "needs at_least, at_most, or near with tol")
        require(
            row.get("scale") in (None, *SCALES), f"scale must be one of {', '.join(SCALES)}, got {row.get('scale')!r}"
        )
        found.append(Part(**{("source" if name == "from" else name): value for name, value in row.items()}))
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
