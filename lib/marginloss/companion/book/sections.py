"""Where in a chapter an entry of the ledger is treated."""

from __future__ import annotations

import re
from dataclasses import dataclass

from docutils.nodes import make_id

from marginloss.companion.book.provenance import CELL, matches

__all__ = ["Section", "chapter_title", "section_of"]

_HEADING = re.compile(r"(?:^\((?P<label>[^()\n]+)\)=\n+)?^(?P<level>#{1,6}) +(?P<title>.+)$", re.MULTILINE)
_FORMATTED = re.compile(r"\bf\"(?P<text>[^\"\n]*)\"")


@dataclass(frozen=True)
class Section:
    """A section of a chapter.

    Attributes
    ----------
    title : str
        Its heading, without markup.
    anchor : str
        What follows ``#`` in a link to it.
    """

    title: str
    anchor: str


def chapter_title(chapter: str) -> str:
    r"""The first heading of a chapter, without markup.

    Examples
    --------
    >>> chapter_title("# The *first* one\n\n## The second")
    'The first one'
    """
    heading = _HEADING.search(_prose(chapter))
    return _plain(heading["title"]) if heading else ""


def section_of(entry_id: str, chapter: str, anchor: str = "") -> Section | None:
    r"""The section in which a chapter records or checks an entry; None if it does not mention it.

    Parameters
    ----------
    entry_id : str
    chapter : str
        Text of the chapter.
    anchor : str, optional
        Anchor to use in the place of the one found.

    Examples
    --------
    >>> text = "# A chapter\n\n## Two words, $x$\n\n```{code-cell}\nrecord('a:fig-1', x=1)\n```\n"
    >>> section_of("a:fig-1", text)
    Section(title='Two words, x', anchor='two-words-x')
    """
    place = _mention(entry_id, chapter)
    headings = [heading for heading in _HEADING.finditer(_prose(chapter)) if heading.start() < place]
    if not headings:
        return None
    heading = headings[-1]
    return Section(_plain(heading["title"]), anchor or make_id(heading["label"] or heading["title"]))


def _mention(entry_id: str, chapter: str) -> int:
    """Position of an id in a chapter, or of a formatted string that can be it; -1 if there is none."""
    literal = re.search(rf"(?<![\w.-]){re.escape(entry_id)}(?![\w-]|\.\w)", chapter)
    formatted = (found for found in _FORMATTED.finditer(chapter) if matches(entry_id, found["text"]))
    found = literal or next(formatted, None)
    return found.start() if found else -1


def _prose(chapter: str) -> str:
    """The chapter with its code cells blanked, every position kept: a comment there looks like a heading."""
    return CELL.sub(lambda cell: re.sub(r"[^\n]", " ", cell.group()), chapter)


def _plain(title: str) -> str:
    """A heading without markup."""
    return re.sub(r"[$`*]|\{[^}]*\}|\\", "", title).strip()
