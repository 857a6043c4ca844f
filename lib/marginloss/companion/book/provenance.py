"""What of the library stands behind a number that a chapter records: its code, followed back from the record."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from importlib import import_module

__all__ = ["CELL", "behind", "library_names", "matches"]

CELL = re.compile(r"^```\{code-cell\}.*?\n(.*?)^```", re.MULTILINE | re.DOTALL)
# packages whose names every chapter uses and that no number is computed by; what lies in their modules does count, and
# so do generators of data
_PLUMBING = {
    "marginloss.companion.plotting",
    "marginloss.companion.exhibits",
    "marginloss.companion.ledger",
    "marginloss.theory",
}
_PLUMBING |= {"marginloss.companion.experiments", "marginloss.datasets"}


def library_names(chapter: str) -> Iterator[tuple[str, str]]:
    r"""Module and name of everything of the library that the code of a chapter uses, each once, in order.

    Examples
    --------
    >>> text = "```{code-cell}\nfrom marginloss.risk import cvar, cvar_curve\ncvar([0, 1], 0.5)\n```\n"
    >>> list(library_names(text))
    [('marginloss.risk', 'cvar')]
    """
    tree = _tree(chapter)
    yield from dict.fromkeys(_used(tree, _imported(tree)))


def behind(entry_id: str, chapter: str) -> list[tuple[str, int, str]]:
    r"""File, line and name of the classes and functions of the library that an exhibit is computed by.

    The statements that name the id are followed back: to those that assign what they read, and so on.

    Examples
    --------
    >>> text = '''```{code-cell}
    ... from marginloss.risk import cvar, cvar_curve
    ... x = cvar([0, 1], 0.5)
    ... y = cvar_curve([0, 1], [0.5])
    ... record("a:fig-1", value=x)
    ... ```
    ... '''
    >>> [name for _, _, name in behind("a:fig-1", text)]
    ['cvar']
    """
    tree = _tree(chapter)
    statements = [node for node in tree.body if not isinstance(node, ast.Import | ast.ImportFrom)]
    kept: list[ast.stmt] = []
    wanted: set[str] = set()
    for statement in reversed(statements):
        writes, reads = _written(statement), _read(statement)
        if any(matches(entry_id, pattern) for pattern in _strings(statement)) or writes & wanted:
            kept.append(statement)
            wanted = (wanted - writes) | reads
    names = dict.fromkeys(_used(ast.Module(kept[::-1], []), _imported(tree)))
    counting = [(module, name) for module, name in names if module not in _PLUMBING or name.startswith("make_")]
    things = [getattr(import_module(module), name) for module, name in counting]
    found = [thing for thing in things if inspect.isclass(thing) or inspect.isfunction(thing)]
    return [(inspect.getfile(thing), inspect.getsourcelines(thing)[1], thing.__name__) for thing in found]


def matches(entry_id: str, pattern: str) -> bool:
    """Whether a string of the code, in which braces hold what is filled in, can be the id.

    Examples
    --------
    >>> matches("a:table-1b-large", "a:table-1{item}-{kind}"), matches("a:fig-1", "a:fig-10")
    (True, False)
    """
    parts = re.split(r"\{[^{}]*\}", pattern)
    return len(pattern) > 2 and bool(re.fullmatch(r"[a-z0-9.-]+".join(map(re.escape, parts)), entry_id))


def _tree(chapter: str) -> ast.Module:
    """Code of all cells, without their options and without magics."""
    lines = [line for cell in CELL.finditer(chapter) for line in cell[1].splitlines()]
    return ast.parse("\n".join(line for line in lines if not line.startswith((":", "%", "!"))))


def _strings(tree: ast.AST) -> Iterator[str]:
    """Strings of a statement; in a formatted one, empty braces for what is filled in."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(v.value) if isinstance(v, ast.Constant) else "{}" for v in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _written(tree: ast.AST) -> set[str]:
    """Names that a statement assigns or defines."""
    named = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return named | {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}


def _read(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def _imported(tree: ast.Module) -> dict[str, tuple[str, str]]:
    """Module and name behind each name that a chapter imports from the library."""
    found: dict[str, tuple[str, str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("marginloss"):
            found |= {alias.asname or alias.name: (node.module, alias.name) for alias in node.names}
    return found


def _used(tree: ast.AST, imported: dict[str, tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Module and name of each use of an imported name; of an imported module, the attribute that is used."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in imported:
            if _is_module(*imported[node.value.id]):
                yield ".".join(imported[node.value.id]), node.attr
        elif isinstance(node, ast.Name) and node.id in imported and not _is_module(*imported[node.id]):
            yield imported[node.id]


def _is_module(module: str, name: str) -> bool:
    """Whether ``from module import name`` gives a module; ``marginloss.risk.cvar`` is one and a function too."""
    owner = import_module(module)
    if hasattr(owner, name):
        return inspect.ismodule(getattr(owner, name))
    import_module(f"{module}.{name}")
    return True
