"""Which source a module reaches, as one digest: what was computed from it is good while that stays the same.

The reach follows every import of the own package, also one inside of a function, to the module that *defines* the
imported name; so importing one class from a room does not reach the whole room. Comments, docstrings and layout do not
count: they execute nothing.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

LIBRARY = Path(__file__).parents[2]


class Import(NamedTuple):
    """A name taken from a module, ``None`` for the whole module, with the attributes that are read from it."""

    module: str
    name: str | None
    attributes: tuple[str, ...] = ()


class Source(NamedTuple):
    """What matters of a piece of source code."""

    digest: str
    """Of its syntax tree without docstrings."""
    imports: tuple[Import, ...]
    """Also those inside of functions."""
    exports: dict[str, Import]
    """Names that the top level of the source imports."""
    strings: frozenset[str]
    """Its string constants, by which data sets and claims are asked for."""


def closure_digest(*modules: str, folder: Path = LIBRARY) -> str:
    """Digest of the source of modules of one package and of all that they reach in it.

    Parameters
    ----------
    *modules : str
        Full names, such as ``"marginloss.risk.cvar"``.
    folder : Path
        Where the package lies.

    Examples
    --------
    >>> closure_digest("marginloss.risk.cvar") == closure_digest("marginloss.risk.lpboost")
    False
    """
    total = hashlib.sha256()
    for name in closure(modules, folder):
        total.update(f"{name} {read_module(name, folder).digest}\n".encode())
    return total.hexdigest()[:32]


def closure(modules: Iterable[str], folder: Path = LIBRARY) -> list[str]:
    """Names of these modules and of all that they reach, sorted.

    Examples
    --------
    >>> closure(["marginloss._norms"])
    ['marginloss', 'marginloss._norms', 'marginloss._validation']
    """
    reached: set[str] = set()
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += targets(read_module(name, folder), name.partition(".")[0], folder)
    return sorted(reached)


def targets(source: Source, package: str, folder: Path = LIBRARY) -> set[str]:
    """Modules of a package that a piece of source imports, each where the imported name is defined."""
    found: set[str] = set()
    for module, name, attributes in source.imports:
        if module.partition(".")[0] == package:
            home = _home(module, name, folder)
            # of a room that is imported as a whole, only what is read from it
            as_room = attributes and (name is None or home == f"{module}.{name}")
            found.update((_home(home, attribute, folder) for attribute in attributes) if as_room else (home,))
    return found


def read_module(name: str, folder: Path = LIBRARY) -> Source:
    """Source of a module; read again when its file has changed."""
    path = _file(name, folder)
    if path is None:
        raise ModuleNotFoundError(f"no module {name} in {folder}")
    stat = path.stat()
    return _read(path, stat.st_size, stat.st_mtime_ns)


def read_source(text: str) -> Source:
    """What matters of a piece of Python."""
    reader = _Reader()
    tree = ast.parse(text)
    reader.read(tree)
    imports = [
        Import(module, name, tuple(sorted(reader.attributes.get(alias, ()))))
        for alias, (module, name, _) in reader.imports
    ]
    top = {alias: imported for statement in tree.body for alias, imported in _imported(statement)}
    digest = hashlib.sha256("\n".join(reader.parts).encode()).hexdigest()
    return Source(digest, tuple(imports), top, frozenset(reader.strings))


class _Reader:
    """One walk through a syntax tree: its nodes in order without docstrings, imports, attributes and strings."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.imports: list[tuple[str, Import]] = []
        self.attributes: dict[str, set[str]] = {}
        self.strings: set[str] = set()

    def read(self, node: ast.AST) -> None:
        self.parts.append(type(node).__name__)
        if isinstance(node, ast.Import | ast.ImportFrom):
            self.imports += _imported(node)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            self.attributes.setdefault(node.value.id, set()).add(node.attr)
        elif _is_string(node):
            self.strings.add(node.value)  # type: ignore[attr-defined]
        for field in node._fields:
            self._read_field(getattr(node, field, None))

    def _read_field(self, value: object) -> None:
        if isinstance(value, ast.AST):
            self.read(value)
        elif isinstance(value, list):
            self.parts.append("[")
            for item in value:
                if not (isinstance(item, ast.Expr) and _is_string(item.value)):  # docstrings
                    self._read_field(item)
            self.parts.append("]")
        else:
            self.parts.append(repr(value))


@cache
def _read(path: Path, size: int, modified: int) -> Source:
    return read_source(path.read_text(encoding="utf-8"))


def _file(name: str, folder: Path) -> Path | None:
    """File of a module or package, None if there is none."""
    path = folder.joinpath(*name.split("."))
    files = (path / "__init__.py", path.with_name(f"{path.name}.py"))
    return next((file for file in files if file.is_file()), None)


def _home(module: str, name: str | None, folder: Path) -> str:
    """The module that defines a name imported from another: through packages that only pass it on."""
    path = _file(module, folder)
    if name is None or path is None or path.name != "__init__.py":
        return module  # no package: the name is defined here, or is one of another distribution
    exports = read_module(module, folder).exports
    if name in exports and exports[name].module != module:  # else it lists a module of its own
        return _home(exports[name].module, exports[name].name, folder)
    return f"{module}.{name}" if _file(f"{module}.{name}", folder) else module


def _imported(node: ast.AST) -> Iterator[tuple[str, Import]]:
    """Local names that a statement binds by importing, with what they stand for."""
    if isinstance(node, ast.ImportFrom) and node.module:
        yield from ((alias.asname or alias.name, Import(node.module, alias.name)) for alias in node.names)
    elif isinstance(node, ast.Import):
        yield from ((alias.asname or alias.name, Import(alias.name, None)) for alias in node.names)


def _is_string(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
