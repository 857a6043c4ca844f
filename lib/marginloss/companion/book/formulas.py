"""Sphinx extension: links from the formulas of the chapters to the code that computes them, and back.

``chapters/formulas.yml`` names what computes each numbered formula. A line below the formula leads to the API
reference; there every entry leads back to its formulas and to the chapters whose code uses it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import yaml
from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

from marginloss import __version__
from marginloss.companion.book.layout import Chapter, chapters, root

_LABEL = re.compile(r"^\$\$.*?\$\$ \((eq-[\w-]+)\)", re.MULTILINE | re.DOTALL)


@cache
def computed_by() -> dict[str, list[str]]:
    """Label of each numbered formula, and the names of the library that compute it."""
    text = (root() / "chapters" / "formulas.yml").read_text(encoding="utf-8")
    table: dict[str, list[str]] = yaml.safe_load(text)
    return table


def labels(chapter: str) -> list[str]:
    r"""Labels of the numbered formulas in the text of a chapter.

    Examples
    --------
    >>> labels("Two of them,\n\n$$a=b$$ (eq-one)\n\nand $x$, and\n\n$$\nc\n$$ (eq-two)\n")
    ['eq-one', 'eq-two']
    """
    return _LABEL.findall(chapter)


@cache
def _chapters_by_label() -> dict[str, Chapter]:
    return {label: chapter for chapter in chapters() for label in labels(chapter.text)}


@cache
def _chapters_by_word() -> dict[str, list[Chapter]]:
    """Chapters whose code has a word, in the order of the book."""
    found: dict[str, list[Chapter]] = {}
    for chapter in chapters():
        for word in set(re.findall(r"\w+", chapter.code())):
            found.setdefault(word, []).append(chapter)
    return found


class FormulaLinks(SphinxTransform):
    """Puts a line with links to the API reference below every numbered formula of a chapter."""

    default_priority = 400  # while links to names are still to be resolved

    def apply(self, **kwargs: Any) -> None:
        """Insert the lines."""
        for formula in list(self.document.findall(nodes.math_block)):
            names = computed_by().get(formula.get("label", ""), [])
            if names:
                line = nodes.paragraph(classes=["in-code"])
                line += nodes.Text("In code: ")
                for i, name in enumerate(names):
                    line += nodes.Text(" · " if i else "")
                    line += self._link(name)
                formula.parent.insert(formula.parent.index(formula) + 1, line)

    def _link(self, name: str) -> pending_xref:
        options = {"refdomain": "py", "reftype": "obj", "reftarget": name, "refexplicit": False, "refwarn": True}
        link = pending_xref("", nodes.literal(text=name.rsplit(".", 1)[1]), refdoc=self.env.docname, **options)
        link.source, link.line = self.document["source"], 0
        return link


def add_ways_back(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """End an entry of the API reference with links to its formulas and to the chapters that use it."""
    if what not in ("class", "function"):
        return
    links = list(_ways_back(name))
    if links:
        lines += ["", ".. container:: in-book", "", f"   In the book: {' · '.join(links)}", ""]


def _ways_back(name: str) -> Iterator[str]:
    shown = set()
    for label, names in computed_by().items():
        if name in names and label in _chapters_by_label():
            chapter = _chapters_by_label()[label]
            shown.add(chapter)
            yield f"formula :eq:`{label}` of :doc:`/chapters/{chapter.name}`"
    for chapter in _chapters_by_word().get(name.rsplit(".", 1)[1], []):
        if chapter not in shown:
            yield f":doc:`/chapters/{chapter.name}`"


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.add_transform(FormulaLinks)
    app.connect("autodoc-process-docstring", add_ways_back, priority=950)  # after napoleon and our own escapes
    return {"version": __version__, "parallel_read_safe": True, "parallel_write_safe": True}
