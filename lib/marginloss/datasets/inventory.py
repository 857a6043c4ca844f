"""Which data sets are on this machine, and what their files hold; nothing here touches the network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import overload

from marginloss.datasets import files
from marginloss.datasets.files import Content
from marginloss.datasets.folders import data_set_folders
from marginloss.datasets.registry import DataSet, DatasetNotFound, dataset, names

__all__ = ["available", "contents", "not_found"]


@overload
def available(name: str, part: str | None = None) -> bool: ...
@overload
def available(name: None = None, part: None = None) -> dict[str, str | None]: ...
def available(name: str | None = None, part: str | None = None) -> bool | dict[str, str | None]:
    """Whether a data set can be loaded without the network; never touches it.

    Parameters
    ----------
    name : str, optional
        A data set, by the part of its loader's name after ``load_``.
    part : str, optional
        A part of it, such as ``"full"``; any of its parts by default.

    Returns
    -------
    bool, or dict of {name: str or None}
        For one set, whether it is there. For all sets, where each one is: a folder, or what generates it.

    Examples
    --------
    >>> available("breast_cancer")
    True
    """
    if name is not None and part is not None:
        return files.find(dataset(name), part) is not None
    if name is not None:
        return _where(dataset(name)) is not None
    return {each: _where(dataset(each)) for each in names()}


def contents(name: str, part: str | None = None) -> list[Content]:
    """Contents of the files of a part, checked.

    Parameters
    ----------
    name : str
        A data set.
    part : str, optional
        Which part of it; the first one by default.

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
        raise not_found(entry, part)
    return [files.read(folder, file) for file in entry.parts[part]]


def not_found(entry: DataSet, part: str, tried: Sequence[str] = ()) -> DatasetNotFound:
    """The error for a part that is not here: what was looked for and where, the ways to get it, and what was tried."""
    looked_for = ", ".join(file.path for file in entry.parts.get(part, ()))
    searched = ", ".join(f"{folder}{'' if folder.is_dir() else ' (not there)'}" for folder in data_set_folders())
    ways = [
        f"run: marginloss data {entry.name} --fetch" + (f" ({entry.get})" if entry.get else ""),
        f'in Python: from marginloss.companion.data import fetch; fetch("{entry.name}")',
        "put the file into a folder and set MARGINLOSS_DATA to that folder",
        f"see {entry.homepage}",
    ]
    lines = [f"the data set {entry.name!r} ({entry.title}) is not on this machine."]
    lines += [
        f"Looked for {looked_for} in {searched}.",
        "Ways to get it:",
        *(f"  {number}. {way}" for number, way in enumerate(ways, 1)),
    ]
    if tried:
        lines += ["Tried just now:", *(f"  - {reason}" for reason in tried)]
    return DatasetNotFound("\n".join(lines))


def _where(entry: DataSet) -> str | None:
    for part in entry.parts:
        if (folder := files.find(entry, part)) is not None:
            return str(folder / Path(entry.parts[part][0].path).parent)
    return entry.built_in or None
