"""Small pictures in the index of exhibits: for each item of a paper the figure whose caption names it."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.nodes import clean_astext

from marginloss.companion.ledger import Entry, entries

__all__ = ["fill", "items", "place_for"]

_PAGE = "chapters/exhibits"
_PLACE = re.compile(r"<div data-exhibit=\"(?P<id>[^\"]+)\"></div>")
_NAMED = re.compile(r"(?P<kind>Figure|Table)s? (?P<list>.{1,80}?) of the paper|(?P<ours>[XE])(?P<number>\d+):")
_NUMBER = re.compile(r"(?P<first>\d+)(?:–(?P<last>\d+))?(?P<letters>(?:(?:,| and)? ?\([a-d]\))*)")


def items(caption: str) -> set[str]:
    """Items of a paper that the caption of a figure names, as the ledger names them.

    Examples
    --------
    >>> sorted(items("Figures 1 (b) and 23–25 of the paper: more noise, less accuracy."))
    ['fig-1b', 'fig-23', 'fig-24', 'fig-25']
    >>> items("X4: against a hostile learner"), items("Not in the paper.")
    ({'x4'}, set())
    """
    named = _NAMED.match(caption)
    if named is None:
        return set()
    if named["ours"]:
        return {f"{named['ours'].lower()}{named['number']}"}
    kind = {"Figure": "fig", "Table": "table"}[named["kind"]]
    # "(10 %)", "(above)": how the panels differ, not which they are
    text = re.sub(r"\((?![a-d]\))[^)]*\)", "", named["list"])
    found = set()
    for number in _NUMBER.finditer(text):
        letters = re.findall(r"\(([a-d])\)", number["letters"]) or [""]
        last = int(number["last"] or number["first"])
        found |= {f"{kind}-{i}{letter}" for i in range(int(number["first"]), last + 1) for letter in letters}
    return found


def place_for(entry: Entry) -> str:
    """What stands in the page until all chapters are read and the pictures are known."""
    return f'<div data-exhibit="{entry.id}"></div>'


def fill(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put the pictures into the index of exhibits, each a link to its figure."""
    if docname != _PAGE:
        return
    known = {entry.id: entry for entry in entries(kind="exhibit")}
    figures = {chapter: list(_figures(app, chapter)) for chapter in {entry.chapter for entry in known.values()}}
    for raw in list(doctree.findall(nodes.raw)):
        text = _PLACE.sub(lambda place: _picture(known[place["id"]], figures), raw.astext())
        if text != raw.astext():
            raw.replace_self(nodes.raw("", text, format="html"))


def _picture(entry: Entry, figures: dict[str, list[tuple[set[str], str, str]]]) -> str:
    """The link with its picture; nothing for an item that no figure of its chapter shows, such as a table."""
    short = entry.id.partition(":")[2]
    for named, anchor, file in figures[entry.chapter]:
        if short in named or short.rstrip("abcd") in named:
            place, alt = f"{entry.chapter}.html#{anchor}", html.escape(f"Our version of {entry.place}")
            return f'<a class="ledger-thumbnail" href="{place}"><img src="{file}" alt="{alt}" loading="lazy"></a>'
    return ""


def _figures(app: Sphinx, chapter: str) -> Iterator[tuple[set[str], str, str]]:
    """Items named, anchor and file of each figure of a chapter."""
    if f"chapters/{chapter}" not in app.env.found_docs:
        return
    for figure in app.env.get_doctree(f"chapters/{chapter}").findall(nodes.figure):
        captions, images = list(figure.findall(nodes.caption)), list(figure.findall(nodes.image))
        if captions and images and figure["ids"]:
            uri = images[0]["uri"]
            yield items(clean_astext(captions[0])), figure["ids"][-1], f"../_images/{app.env.images[uri][1]}"
