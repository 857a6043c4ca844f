"""What computed numbers depend on, in one string: stored results are good for as long as it stays the same.

That is the code that they *reach*, the data sets that this code names, and the pinned versions. A comment, a docstring,
another module or a new tool in the environment change nothing.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from marginloss.companion.closure import LIBRARY, Source, closure, closure_digest, read_module, read_source, targets
from marginloss.datasets import files
from marginloss.datasets.registry import dataset, names

CLAIMS = "marginloss.theory"


def combine(parts: Iterable[str]) -> str:
    """Digest of some strings, in their order.

    Examples
    --------
    >>> combine(["ab", "c"]) == combine(["a", "bc"])
    False
    """
    total = hashlib.sha256()
    for part in parts:
        encoded = part.encode()
        # the length first, so that no two lists of parts run into the same bytes
        total.update(f"{len(encoded)}:".encode() + encoded)
    return total.hexdigest()[:32]


def reach_digest(*modules: str) -> str:
    """Digest of what modules of the library depend on: the code and the data sets that they reach, and the pins.

    Examples
    --------
    >>> reach_digest("marginloss.risk.cvar") == reach_digest("marginloss.losses.margin")
    False
    """
    return _digest(set(modules), frozenset())


def code_digest(cells: Sequence[str]) -> str:
    """The same for pieces of code that are run one after the other, such as the cells of a chapter."""
    try:
        whole, own = read_source("\n".join(cells)), [read_source(cell).digest for cell in cells]
    except SyntaxError:  # whoever runs it will see
        whole, own = Source("", (), {}, frozenset()), list(cells)
    return combine([*own, _digest(targets(whole, "marginloss", LIBRARY), whole.strings)])


def _digest(modules: set[str], strings: frozenset[str]) -> str:
    reached = closure(modules, LIBRARY)
    strings = strings.union(*(read_module(module, LIBRARY).strings for module in reached))
    if CLAIMS in reached:  # checks are found by the id of their claim
        asked = {module for claim in strings if ":" in claim for module in _checks_of(claim)}
        if not asked <= set(reached):
            return _digest(modules | asked, strings)
    data = [line for name in names() if name in strings for line in _data_set(name)]
    return combine([closure_digest(*modules, folder=LIBRARY), *data, *_pins()])


def _checks_of(claim: str) -> list[str]:
    """Modules of the theory that name a claim."""
    key = claim.partition(":")[0]
    paths = (LIBRARY / "marginloss" / "theory").glob(f"{key}/[!_]*.py") if key.isidentifier() else ()
    modules = [f"{CLAIMS}.{key}.{path.stem}" for path in paths]
    return [module for module in modules if claim in read_module(module, LIBRARY).strings]


def _data_set(name: str) -> list[str]:
    """The files of a data set: published checksums, and which of them are here."""
    lines = [name]
    for part, listed in dataset(name).parts.items():
        folder = files.find(dataset(name), part)
        lines += [f"{file.path} {file.sha256} {_state(folder, file)}" for file in listed]
    return lines


def _state(folder: Path | None, file: files.DataFile) -> str:
    if folder is None:
        return "absent"
    if file.sha256 is not None:
        return "here"  # with this content, or reading it fails
    stat = (folder / file.path).stat()
    return _checksum(folder / file.path, stat.st_size, stat.st_mtime_ns)


def _pins() -> list[str]:
    """Pinned versions and that of Python; without the clone that pins them, an installed library has none."""
    file = LIBRARY.parent / "constraints.txt"
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    stripped = [line.partition("#")[0].strip() for line in lines]
    return [*sorted(filter(None, stripped)), f"python {sys.version_info.major}.{sys.version_info.minor}"]


def library_digest() -> str:
    """Digest of all files of the library, comments and all.

    Examples
    --------
    >>> library_digest() == library_digest()
    True
    """
    return combine(part for path in sorted(Path(__file__).parents[1].rglob("*.py")) for part in _name_and_content(path))


def _name_and_content(path: Path) -> tuple[str, str]:
    stat = path.stat()
    return str(path.relative_to(LIBRARY)), _checksum(path, stat.st_size, stat.st_mtime_ns)


@cache
def _checksum(path: Path, size: int, modified: int) -> str:
    """SHA-256 of a file; size and time of change are there to make a changed file a new question."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
