"""What computed numbers depend on, in one string: stored results are good for as long as it stays the same.

A cache that looks at its arguments only serves old numbers after an edit elsewhere. Everything here that is stored
(executed chapters, sweeps, compiled kernels) therefore carries one of these digests in its name or beside it.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import distributions
from pathlib import Path

from marginloss.companion.folders import build_folder
from marginloss.datasets.folders import data_folder, data_set_folders

__all__ = ["combine", "compiled_folder", "foundation_digest", "library_digest"]


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


def library_digest() -> str:
    """Digest of the source of the library; compiled kernels are kept under it.

    Examples
    --------
    >>> library_digest() == library_digest()
    True
    """
    return combine(_contents(Path(__file__).parents[1], "*.py"))


def compiled_folder() -> Path:
    """Where numba keeps what it has compiled of this very library.

    It does not see an edit in another file of a kernel that it has compiled.
    """
    return build_folder() / "numba" / library_digest()


def foundation_digest() -> str:
    """Digest of everything below a chapter: the library, its data, the data sets that are there, versions, Python.

    The source is read again at each call, so that an edit in a running session counts; versions and the checksums of
    files that did not change are kept.

    Examples
    --------
    >>> len(foundation_digest())
    32
    """
    parts = [library_digest(), *_contents(data_folder(), "*"), *_versions(), sys.version]
    data_sets: dict[str, str] = {}
    for folder in reversed(data_set_folders()):  # a file in an earlier folder hides one of its name in a later folder
        contents = list(_contents(folder, "*"))
        data_sets |= dict(zip(contents[::2], contents[1::2], strict=True))
    return combine([*parts, *(part for item in sorted(data_sets.items()) for part in item)])


def _contents(folder: Path, pattern: str) -> Iterator[str]:
    """Name and checksum of each file below a folder, in a fixed order."""
    for path in sorted(folder.rglob(pattern)):
        if path.is_file() and not path.name.startswith("."):  # hidden: not yet written to its end
            stat = path.stat()
            yield path.relative_to(folder).as_posix()
            yield _checksum(path, stat.st_size, stat.st_mtime_ns)


@cache
def _checksum(path: Path, size: int, modified: int) -> str:
    """SHA-256 of a file; size and time of change are there to make a changed file a new question."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@cache
def _versions() -> tuple[str, ...]:
    """Names and versions of all installed distributions."""
    return tuple(sorted(f"{distribution.name}=={distribution.version}" for distribution in distributions()))
