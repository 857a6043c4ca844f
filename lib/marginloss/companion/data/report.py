"""The command ``marginloss data``: what is here, where from, under which licence, and how to get the rest."""

from __future__ import annotations

import sys

from tqdm import tqdm

from marginloss.companion.data.fetching import fetch
from marginloss.datasets import files
from marginloss.datasets.inventory import available
from marginloss.datasets.registry import DataSet, DatasetNotFound, dataset, names


def overview() -> str:
    """Table of all data sets: name, size, where it is or that it is missing, licence.

    Examples
    --------
    >>> print(overview().splitlines()[2])
    breast_cancer           569 x 30   scikit-learn; CC BY 4.0
    """
    lines = [f"{'data set':<16} {'rows x features':>15}   where it is, and its licence"]
    missing = []
    for name, where in available().items():
        entry = dataset(name)
        size = f"{entry.rows:,} x {entry.features:,}"
        lines.append(f"{name:<16} {size:>15}   {where or 'missing'}; {entry.licence}")
        if where is None:
            missing.append(name)
    if missing:
        lines += ["", "To get what is missing: marginloss data --fetch, or one of", *map(_how, missing)]
    return "\n".join(lines)


def describe(name: str) -> str:
    """What one data set is, where it is and how to get it.

    Examples
    --------
    >>> print(describe("breast_cancer").splitlines()[0])
    Breast cancer Wisconsin (diagnostic)
    """
    entry = dataset(name)
    stands = f", stands for {entry.stands_for}" if entry.stands_for else ""
    facts = {
        "here": available()[name] or "no",
        "rows": f"{entry.rows:,}, features {entry.features:,}",
        "classes": ", ".join(f"{label} {count:,}" for label, count in entry.classes.items()),
        "papers": ", ".join(entry.papers),
        "status": entry.status + stands,
        "licence": entry.licence,
        "source": entry.source,
        "page": entry.homepage,
        "files": ", ".join(file.path for part in entry.parts.values() for file in part) or "none",
        "large": ", ".join(entry.large) or "none",
        "routes": "; ".join(map(str, entry.routes)) or "none",
        "how": entry.get,
    }
    return "\n".join([entry.title, entry.summary, "", *(f"{key:<8} {value}" for key, value in facts.items())])


def fetch_one(name: str) -> int:
    """Fetch every part of a data set that is missing and has a route; returns 1 if one could not be had."""
    entry = dataset(name)
    try:
        for part in entry.parts:
            if entry.routes_to(part) and files.find(entry, part) is None:  # one route may have brought several parts
                fetch(name, part, progress=True)
    except DatasetNotFound as error:
        print(error, file=sys.stderr)
        return 1
    print(describe(name))
    return 0


def fetch_all() -> int:
    """Fetch what is missing and not large. Sets that cannot be had are named in one line; it never fails."""
    wanted = [name for name, where in available().items() if where is None and not _only_by_name(dataset(name))]
    failed = []
    with tqdm(wanted, desc="data sets", unit="set", disable=None if wanted else True, leave=False) as bar:
        for name in bar:
            bar.set_postfix_str(name)
            try:
                fetch(name)
            except (DatasetNotFound, OSError):  # OSError: the cache cannot be written
                failed.append(name)
    present = [name for name, where in available().items() if where]
    print(f"data sets: {len(present)} of {len(names())} are here")
    if failed:
        print(f"  could not be had now: {', '.join(failed)} (marginloss data NAME --fetch says why)")
    large = [name for name in names() if name not in present and name not in failed]
    if large:
        print(f"  large, only by name: {', '.join(large)} (marginloss data NAME --fetch)")
    return 0


def _only_by_name(entry: DataSet) -> bool:
    """Whether all parts are large, or every way to get them is (over 50 MB)."""
    size = min((route.megabytes for route in entry.routes), default=0.0)
    return size > 50 or set(entry.large) == set(entry.parts) != set()


def _how(name: str) -> str:
    entry = dataset(name)
    return f"  marginloss data {name} --fetch   {entry.get}"
