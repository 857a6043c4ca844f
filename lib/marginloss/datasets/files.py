"""Files of data sets: where they may lie, what they hold, and how they are written so that none is ever half there.

A checksum is that of the *content*: the decompressed bytes of a ``.gz`` file, the arrays of a ``.npz`` file. So a file
passes however it was compressed, and one that is made again from a package passes when its values are the same.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import secrets
import zipfile
import zlib
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from marginloss.datasets.folders import data_set_folders
from marginloss.datasets.registry import DataFile, DataSet

__all__ = ["ChecksumError", "Content", "check_content", "digest", "find", "read", "write", "write_whole"]

Content = bytes | Mapping[str, NDArray]


class ChecksumError(ValueError):
    """A file whose content is not the published one; the message names both checksums."""


def find(entry: DataSet, part: str) -> Path | None:
    """Folder that holds every file of a part, or None; nothing is opened."""
    for folder in data_set_folders():
        if all((folder / file.path).is_file() for file in entry.parts[part]):
            return folder
    return None


def read(folder: Path, file: DataFile) -> Content:
    """Content of a file after its checksum was compared."""
    path = folder / file.path
    try:
        content = _unpack(path)
    except (EOFError, gzip.BadGzipFile, zipfile.BadZipFile, zlib.error, ValueError, KeyError) as error:
        raise ChecksumError(f"{path} is damaged ({error}); delete it and fetch it again") from error
    noted = path.with_name(path.name + ".sha256")
    expected = file.sha256 or (noted.read_text(encoding="ascii").strip() if noted.is_file() else None)
    if expected is not None:
        check_content(str(path), content, expected)
    return content


def write(folder: Path, file: DataFile, content: Content) -> None:
    """Write a file so that other processes see all of it or nothing, and note its checksum if none is published."""
    path = folder / file.path
    path.parent.mkdir(parents=True, exist_ok=True)
    if file.sha256 is None:
        write_whole(path.with_name(path.name + ".sha256"), digest(content).encode("ascii"))
    write_whole(path, _pack(content))


def check_content(name: str, content: Content, expected: str) -> None:
    """Raise :class:`ChecksumError` if the content has another checksum than expected."""
    found = digest(content)
    if found != expected:
        raise ChecksumError(f"{name} is not the published file: its SHA-256 is {found}, expected {expected}")


def digest(content: Content) -> str:
    """SHA-256 of bytes, or of the names, types, shapes and values of arrays."""
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest()
    total = hashlib.sha256()
    for name in sorted(content):
        array = np.ascontiguousarray(content[name])
        total.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        total.update(array.reshape(-1).view(np.uint8).data)  # without a copy
    return total.hexdigest()


def _unpack(path: Path) -> Content:
    if path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as arrays:
            return {key: arrays[key] for key in arrays.files}
    return gzip.decompress(path.read_bytes())


def _pack(content: Content) -> bytes:
    if isinstance(content, bytes):
        return gzip.compress(content, mtime=0)
    buffer = BytesIO()
    np.savez_compressed(buffer, **content)  # type: ignore[arg-type]
    return buffer.getvalue()


def write_whole(path: Path, raw: bytes) -> None:
    """Write a file so that other processes see all of it or nothing, and nothing is left of it if the disk is full."""
    # a name of its own for each writer, in the same folder: os.replace is then atomic and the last of two equal wins
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        temporary.write_bytes(raw)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
