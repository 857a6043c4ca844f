"""The ledger: every claim, exhibit, erratum and remark of the five papers, read from ``data/ledger`` and validated.

The YAML files state what a paper says and what we expect of it. What was found is computed elsewhere:
:mod:`marginloss.theory` for claims and errata, :mod:`marginloss.companion.exhibits` for figures and tables.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from marginloss._validation import check_choice, check_name
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
    papers = list(PAPERS) if key is None else [check_choice("key", key, list(PAPERS))]
    if kind is not None:
        check_choice("kind", kind, KINDS)
    files = [data_folder() / "ledger" / f"{name}.yml" for name in papers]
    found = [entry for file in files if file.exists() for entry in _read(file, file.stat().st_mtime_ns)]
    return [entry for entry in found if kind is None or entry.kind == kind]


def entry(entry_id: str, kind: str | None = None) -> Entry:
    """The entry of that id; ``UnknownName`` with the closest ids if there is none.

    Examples
    --------
    >>> entry("sypherd2023:lemma-3").kind
    'claim'
    """
    key = entry_id.partition(":")[0]
    known = {found.id: found for found in entries(key if key in PAPERS else None, kind)}
    return known[check_name(kind or "entry", entry_id, known)]


@cache
def _read(file: Path, modified: int) -> tuple[Entry, ...]:
    """Validated entries of one file; the time of change is there to make a changed file a new question."""
    return parse(file.read_text(encoding="utf-8"), file.stem, file.name)
