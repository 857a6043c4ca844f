"""Numbers in prose are computed: what is typed is a setting, a published number or a bound that the ledger states.

What counts as a number here is one with decimals or a percentage. Whole numbers are mostly sizes and places in a paper.
"""

from __future__ import annotations

import re

import pytest

from marginloss.companion.book.layout import chapters, root
from marginloss.companion.ledger import FILLED, entries

NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e-?\d+)?(?:\s?%)?(?![\w.]*\d)")
CELL = re.compile(r"^```(?:\{code-cell\}|python).*?^\s*```", re.S | re.M)
# head of the file, displayed mathematics; fences and options of directives; mathematics, roles (glued values among
# them), code, numbers of sections and versions, levels of confidence
BLOCK = re.compile(r"\A---.*?^---|\$\$.*?\$\$", re.S | re.M)
LINE = re.compile(r"^(?:```|:::|:\w+:).*$", re.M)
INLINE = re.compile(
    r"\$[^$]*\$|\{[a-z:]+\}`[^`]*`|`[^`]*`|(?:Sections?|Python|CC BY[A-Z-]*) [\d.]+"
    r"|95 % [a-z-]* ?interval|1\.96 standard|5 % level"
)
# "p = 0.1" and "[0.05, 0.95]" are settings; on a page the first may be a result
INTERVAL, SETTING = re.compile(r"[\[(][\d.]+, [\d.]+[\])]"), re.compile(r"= [\d.e-]+(?: %)?")


def measured(text: str) -> set[str]:
    """Numbers with decimals and percentages."""
    return {found for found in NUMBER.findall(text) if "." in found or "%" in found}


def prose(text: str) -> str:
    """What is left of Markdown for a reader to read as words."""
    for pattern in (CELL, BLOCK, LINE, INLINE, INTERVAL):
        text = pattern.sub(" ", text)
    return text


def value(number: str) -> float:
    """Of ``12 %`` what code calls 0.12."""
    return float(f"{float(number.rstrip('% ')) / (100 if '%' in number else 1):.9g}")


def stated(entry) -> set[float]:
    """Numbers that the ledger has from the paper or has set beforehand."""
    given = [entry.published, [(p.at_least, p.at_most, p.near, p.tol) for p in entry.parts], entry.statement]
    found = re.findall(r"\d+(?:\.\d+)?(?:e-?\d+)?", str(given))
    return {value(number + unit) for number in found for unit in ("", "%")}


def settings(path) -> set[float]:
    """Numbers that stand in the code of a page."""
    cells = "\n".join(CELL.findall(path.read_text(encoding="utf-8")))
    return {value(number) for number in NUMBER.findall(cells)}


PAGES = {path.stem: path for path in [*(chapter.path for chapter in chapters()), root() / "index.md"]}


@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)
def test_no_result_is_typed_in_prose(path):
    known = settings(path).union(*(stated(entry) for entry in entries() if entry.chapter == path.stem))
    typed = measured(prose(path.read_text(encoding="utf-8")))
    assert {number for number in typed if value(number) not in known} == set()


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.id)
def test_no_result_is_typed_in_the_ledger(entry):
    known = stated(entry) | (settings(PAGES[entry.chapter]) if entry.chapter else set())
    for name in FILLED:
        typed = measured(SETTING.sub(" ", prose(getattr(entry, name))))
        assert {number for number in typed if value(number) not in known} == set(), name
