"""Getting a data set into the cache."""

from __future__ import annotations

from pathlib import Path

from marginloss.companion.data.prepare import PREPARE
from marginloss.companion.data.routes import RouteFailed, obtain
from marginloss.datasets import files
from marginloss.datasets.files import ChecksumError
from marginloss.datasets.folders import data_cache
from marginloss.datasets.inventory import not_found
from marginloss.datasets.registry import dataset


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

    Raises
    ------
    DatasetNotFound
        If no route works, with what each one answered.
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
    raise not_found(entry, part, reasons)
