"""The ledger: every claim, exhibit, erratum and remark of the five papers, read from ``data/ledger`` and validated.

The YAML files state what a paper says and what we expect of it. What was found is computed elsewhere:
:mod:`marginloss.theory` for claims and errata, :mod:`marginloss.companion.exhibits` for figures and tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from marginloss.companion.ledger.schema import ABSENT, FILLED, KINDS, VERDICTS, Entry, LedgerError, Part
from marginloss.companion.ledger.validation import parse
from marginloss.datasets.folders import data_folder

__all__ = [
    "ABSENT",
    "FILLED",
    "KINDS",
    "PAPERS",
    "VERDICTS",
    "Entry",
    "LedgerError",
    "Part",
    "entries",
    "entry",
    "parse",
    "unknown_id",
]

PAPERS = {
    "sypherd2023": "Smoothly Giving Up: Robustness for Simple Models",
    "amid2019": "Two-temperature logistic regression based on the Tsallis divergence",
    "sypherd2022": "Being Properly Improper",
    "servedio2003": "Smooth Boosting and Learning with Malicious Noise",
    "zhai2021": "Boosted CVaR Classification",
}
"""Key and title of each paper, in the order of the book."""


def entries(key: str | None = None, kind: str | None = None) -> list[Entry]:
    """Entries of the ledger, in the order of the files.

    Parameters
    ----------
    key : str, optional
        Key of a paper, one of ``PAPERS``; all papers if left out.
    kind : str, optional
        ``claim``, ``exhibit``, ``erratum`` or ``remark``; all kinds if left out.

    Returns
    -------
    list of Entry

    Raises
    ------
    LedgerError
        If an entry is malformed or appears twice; the message names it.

    Examples
    --------
    >>> entries("sypherd2023", kind="claim")[0].place
    'Definition 1, equation (3)'
    """
    if key is not None and key not in PAPERS:
        raise ValueError(f"key must be one of {', '.join(PAPERS)}, got {key!r}")
    if kind is not None and kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
    files = [data_folder() / "ledger" / f"{name}.yml" for name in ([key] if key else PAPERS)]
    found = [entry for file in files if file.exists() for entry in _read(file, file.stat().st_mtime_ns)]
    return [entry for entry in found if kind is None or entry.kind == kind]


def entry(entry_id: str, kind: str | None = None) -> Entry:
    """The entry of that id; ``KeyError`` with the closest ids if there is none.

    Examples
    --------
    >>> entry("sypherd2023:lemma-3").kind
    'claim'
    """
    key = entry_id.partition(":")[0]
    known = {found.id: found for found in entries(key if key in PAPERS else None, kind)}
    if entry_id not in known:
        raise KeyError(unknown_id(entry_id, known, kind or "entry"))
    return known[entry_id]


def unknown_id(entry_id: str, known: Mapping[str, object], what: str) -> str:
    """Message for an id that is not in the ledger."""
    close = get_close_matches(entry_id, known, n=3, cutoff=0.5)
    return f"no {what} {entry_id!r} in the ledger" + (f"; close: {', '.join(close)}" if close else "")


@cache
def _read(file: Path, modified: int) -> tuple[Entry, ...]:
    """Validated entries of one file; the time of change is there to make a changed file a new question."""
    return parse(file.read_text(encoding="utf-8"), file.stem, file.name)
