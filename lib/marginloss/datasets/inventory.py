"""Which data sets are on this machine, and getting those that are not."""

from __future__ import annotations

from pathlib import Path
from typing import overload

from marginloss.datasets import files
from marginloss.datasets.files import ChecksumError, Content
from marginloss.datasets.folders import data_cache, data_set_folders
from marginloss.datasets.prepare import PREPARE
from marginloss.datasets.registry import DataSet, DatasetNotFound, dataset, names
from marginloss.datasets.routes import RouteFailed, obtain

__all__ = ["available", "contents", "fetch"]


@overload
def available(name: str) -> bool: ...
@overload
def available(name: None = None) -> dict[str, str | None]: ...
def available(name: str | None = None) -> bool | dict[str, str | None]:
    """Whether a data set can be loaded without the network; never touches it.

    Parameters
    ----------
    name : str, optional
        A data set, by the part of its loader's name after ``load_``.

    Returns
    -------
    bool, or dict of {name: str or None}
        For one set, whether it is there. For all sets, where each one is: a folder, or what generates it.

    Examples
    --------
    >>> available("breast_cancer")
    True
    """
    if name is not None:
        return _where(dataset(name)) is not None
    return {each: _where(dataset(each)) for each in names()}


def contents(name: str, part: str | None = None, *, download_if_missing: bool = True) -> list[Content]:
    """Contents of the files of a part, checked; fetched first if they are not there.

    Parameters
    ----------
    name : str
        A data set.
    part : str, optional
        Which part of it; the first one by default.
    download_if_missing : bool, default=True
        Whether to fetch what is not there.

    Raises
    ------
    DatasetNotFound
        With the files looked for, the folders searched and the ways to get them.
    ChecksumError
        For a file that is there and is not the published one.
    """
    entry = dataset(name)
    part = part or next(iter(entry.parts))
    folder = files.find(entry, part)
    if folder is None:
        if not download_if_missing:
            raise _not_found(entry, part, [])
        folder = fetch(name, part)
    return [files.read(folder, file) for file in entry.parts[part]]


def fetch(name: str, part: str | None = None, *, progress: bool = False) -> Path:
    """Fetch a part of a data set into the cache by the first route that works.

    Every file is checked before it is written, and appears as a whole or not at all: an interrupted fetch leaves
    nothing behind, and two processes that fetch the same set do not disturb each other.

    Parameters
    ----------
    name : str
        A data set.
    part : str, optional
        Which part of it; the first one that can be fetched by default.
    progress : bool, default=False
        Whether to show a progress bar for downloads over HTTP.

    Returns
    -------
    Path
        Folder of the cache.
    """
    entry = dataset(name)
    part = part or next((each for each in entry.parts if entry.routes_to(each)), next(iter(entry.parts), ""))
    wanted = {file.path: file for files_of_part in entry.parts.values() for file in files_of_part}
    reasons = []
    for route in entry.routes_to(part):
        try:
            prepared = PREPARE[route.prepare](obtain(route, progress=progress))
            for path, content in prepared.items():
                if (expected := wanted[path].sha256) is not None:
                    files.check_content(path, content, expected)
        except (RouteFailed, ChecksumError, ImportError, KeyError, ValueError) as error:
            reasons.append(f"{route}: {error}")
            continue
        cache = data_cache()
        for path, content in prepared.items():
            files.write(cache, wanted[path], content)
        return cache
    raise _not_found(entry, part, reasons)


def _where(entry: DataSet) -> str | None:
    for part in entry.parts:
        if (folder := files.find(entry, part)) is not None:
            return str(folder / Path(entry.parts[part][0].path).parent)
    return entry.built_in or None


def _not_found(entry: DataSet, part: str, reasons: list[str]) -> DatasetNotFound:
    looked_for = ", ".join(file.path for file in entry.parts.get(part, ()))
    searched = ", ".join(f"{folder}{'' if folder.is_dir() else ' (not there)'}" for folder in data_set_folders())
    ways = [
        "put the file into a folder and set MARGINLOSS_DATA to that folder",
        f"run: marginloss data {entry.name} --fetch" + (f" ({entry.get})" if entry.get else ""),
        f"see {entry.homepage}",
    ]
    lines = [
        f"the data set {entry.name!r} ({entry.title}) is not on this machine.",
        f"Looked for {looked_for} in {searched}.",
    ]
    lines += ["Ways to get it:", *(f"  {number}. {way}" for number, way in enumerate(ways, 1))]
    if reasons:
        lines += ["Tried just now:", *(f"  - {reason}" for reason in reasons)]
    return DatasetNotFound("\n".join(lines))
