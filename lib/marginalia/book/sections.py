"""Where in a chapter an entry of the ledger is treated, and what of the library that section calls."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module

from docutils.nodes import make_id

__all__ = ["Section", "chapter_title", "library_names", "section_of"]

_CELL = re.compile(r"^```\{code-cell\}.*?\n(.*?)^```", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"(?:^\((?P<label>[^()\n]+)\)=\n+)?^(?P<level>#{1,6}) +(?P<title>.+)$", re.MULTILINE)
# names that every chapter uses and that no figure is computed by
_PLUMBING = ("marginalia.plotting", "marginalia.exhibits", "marginalia.ledger", "marginalia.theory")


@dataclass(frozen=True)
class Section:
    """A section of a chapter.

    Attributes
    ----------
    title : str
        Its heading, without markup.
    anchor : str
        What follows ``#`` in a link to it.
    functions : tuple of (file, line, name)
        Classes and functions of the library that its code uses.
    """

    title: str
    anchor: str
    functions: tuple[tuple[str, int, str], ...]


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
    Section(title='Two words, x', anchor='two-words-x', functions=())
    """
    mention = re.search(rf"(?<![\w.-]){re.escape(entry_id)}(?![\w-]|\.\w)", chapter)
    if mention is None:
        return None
    prose = _prose(chapter)
    headings = [heading for heading in _HEADING.finditer(prose) if heading.start() < mention.start()]
    if not headings:
        return None
    heading = headings[-1]
    level = len(heading["level"])
    later = (h.start() for h in _HEADING.finditer(prose, heading.end()) if len(h["level"]) <= level)
    code = "\n".join(_code(chapter[heading.start() : next(later, len(chapter))]))
    return Section(
        _plain(heading["title"]),
        anchor or make_id(heading["label"] or heading["title"]),
        tuple(_functions(code, "\n".join(_code(chapter)))),
    )


def _prose(chapter: str) -> str:
    """The chapter with its code cells blanked, every position kept: a comment there looks like a heading."""
    return _CELL.sub(lambda cell: re.sub(r"[^\n]", " ", cell.group()), chapter)


def _plain(title: str) -> str:
    """A heading without markup."""
    return re.sub(r"[$`*]|\{[^}]*\}|\\", "", title).strip()


def _code(text: str) -> Iterator[str]:
    """Code of the cells in a text, without their options and without magics."""
    for cell in _CELL.finditer(text):
        lines = cell[1].splitlines()
        yield "\n".join(line for line in lines if not line.startswith((":", "%", "!")))


def library_names(chapter: str) -> Iterator[tuple[str, str]]:
    r"""Module and name of everything of the library that the code of a chapter uses, each once, in order.

    Examples
    --------
    >>> text = "```{code-cell}\nfrom marginalia.risk import cvar, cvar_curve\ncvar([0, 1], 0.5)\n```\n"
    >>> list(library_names(text))
    [('marginalia.risk', 'cvar')]
    """
    code = "\n".join(_code(chapter))
    yield from _names(code, code)


def _names(code: str, whole: str) -> Iterator[tuple[str, str]]:
    """Module and name of what ``code`` uses of the names that ``whole`` imports from the library."""
    imported: dict[str, tuple[str, str]] = {}
    for node in ast.walk(ast.parse(whole)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("marginalia"):
            imported |= {alias.asname or alias.name: (node.module, alias.name) for alias in node.names}
    yield from dict.fromkeys(_used(ast.parse(code), imported))


def _functions(code: str, whole: str) -> Iterator[tuple[str, int, str]]:
    """File, line and name of the classes and functions that ``code`` uses."""
    for module, name in _names(code, whole):
        if module.startswith(_PLUMBING):
            continue
        thing = getattr(import_module(module), name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            yield inspect.getfile(thing), inspect.getsourcelines(thing)[1], name


def _used(tree: ast.AST, imported: dict[str, tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Module and name of each use of an imported name; of an imported module, the attribute that is used."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in imported:
            if _is_module(*imported[node.value.id]):
                yield ".".join(imported[node.value.id]), node.attr
        elif isinstance(node, ast.Name) and node.id in imported and not _is_module(*imported[node.id]):
            yield imported[node.id]


def _is_module(module: str, name: str) -> bool:
    """Whether ``from module import name`` gives a module; ``marginalia.risk.cvar`` is one and a function too."""
    owner = import_module(module)
    if hasattr(owner, name):
        return inspect.ismodule(getattr(owner, name))
    import_module(f"{module}.{name}")
    return True
