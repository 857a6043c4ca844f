"""Numbers of figures, tables and equations, titles and citations, from the sources of the pages."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import chain, count
from pathlib import Path
from string import ascii_uppercase

import yaml

from marginloss._validation import check_name
from marginloss.companion.book.layout import pages, root

KINDS = {"fig": "Fig.", "tab": "Table", "eq": "Equation", "thm": "Theorem", "lem": "Lemma", "prop": "Proposition"}
LABEL = re.compile(
    r"(?::(?:name|label): |(?:^ *|listed\()\")(?P<named>(?:fig|tab|eq|thm|lem|prop)-[\w-]+)"  # a cell can make a table
    r"|\$\$[ \t]*\((?P<equation>eq-[\w-]+)\)",
    re.MULTILINE,
)
TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
CLAIMS = re.compile(r"^:::\{claims\}", re.MULTILINE)


@dataclass(frozen=True)
class Labels:
    """What a label is called, ``Fig. 13.1``, and how a paper is cited.

    Attributes
    ----------
    numbers : dict
        Number of each label.
    titles : dict
        Title of each page, by its name.
    papers : dict
        Authors' last names and year of each entry of the bibliography.
    """

    numbers: dict[str, str]
    titles: dict[str, str]
    papers: dict[str, tuple[list[str], str]]

    @staticmethod
    @cache
    def of_book() -> Labels:
        """Read from all pages of the table of contents, once."""
        numbers, titles = {}, {}
        chapter_numbers = page_numbers()
        for path in pages():
            text = path.read_text(encoding="utf-8")
            titles[path.stem] = heading[1] if (heading := TITLE.search(text)) else path.stem
            chapter, counts = chapter_numbers.get(path.stem, ""), Counter[str]()
            # every table of claims is a table with a number
            marks = sorted(chain(LABEL.finditer(text), CLAIMS.finditer(text)), key=re.Match.start)
            for mark in marks:
                label = (mark["named"] or mark["equation"]) if mark.re is LABEL else "tab-claims"
                kind = label.partition("-")[0]
                counts[kind] += 1
                if mark.re is LABEL:
                    numbers[label] = f"{chapter}.{counts[kind]}"
        return Labels(numbers, titles, _papers())

    def number(self, label: str) -> str:
        """``13.1``."""
        return self.numbers[check_name("label", label, self.numbers)]

    def named(self, label: str) -> str:
        """``Fig. 13.1``."""
        return f"{KINDS[label.partition('-')[0]]} {self.number(label)}"

    def title(self, page: str) -> str:
        """Title of a page, by its name with or without the folder."""
        return self.titles[check_name("page", page.rpartition("/")[2], self.titles)]

    def citation(self, keys: str, *, parentheses: bool) -> str:
        """``Long and Servedio (2010)``, or all of it in parentheses."""
        cited = []
        for key in keys.split(","):
            names, year = self.papers[check_name("paper", key.strip(), self.papers)]
            who = f"{names[0]} *et al.*" if len(names) > 2 else " and ".join(names)
            cited.append(f"{who}, {year}" if parentheses else f"{who} ({year})")
        return f"({'; '.join(cited)})" if parentheses else ", ".join(cited)


def page_numbers() -> dict[str, str]:
    """What stands before the numbers of a page's figures: those of chapters count on from part to part.

    Pages before the numbered parts have 0, pages behind them a letter.
    """
    contents = yaml.safe_load((root() / "_toc.yml").read_text(encoding="utf-8"))
    parts = contents.get("parts", [contents])
    numbered = [part.get("numbered", False) for part in parts]
    chapter, letters, found = count(1), iter(ascii_uppercase), {}
    for i, part in enumerate(parts):
        for file in part["chapters"]:
            unnumbered = "0" if not any(numbered[: i + 1]) else ""
            mark = str(next(chapter)) if numbered[i] else unnumbered or next(letters)
            found[Path(file["file"]).name] = mark
    return found


def _papers() -> dict[str, tuple[list[str], str]]:
    """Last names and years in the bibliography."""
    text = (root() / "chapters" / "references.bib").read_text(encoding="utf-8")
    found = {}
    for entry in re.split(r"^@\w+\{", text, flags=re.MULTILINE)[1:]:
        fields = dict(re.findall(r"^\s*(\w+)\s*=\s*\{(.*)\},?\s*$", entry, flags=re.MULTILINE))
        authors = [author.strip() for author in fields["author"].split(" and ")]
        names = [author.partition(",")[0] if "," in author else author.split()[-1] for author in authors]
        found[entry.partition(",")[0]] = ([re.sub(r"\{\\.(\w)\}|[{}]", r"\1", name) for name in names], fields["year"])
    return found
