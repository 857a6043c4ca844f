"""Findings on the claims of the ledger, computed once for each state of the code that a check reaches, and kept."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from multiprocessing import get_context

from tqdm import tqdm

from marginloss.companion.digest import reach_digest
from marginloss.companion.folders import build_folder
from marginloss.companion.ledger import Entry, entries
from marginloss.companion.results import write_atomically
from marginloss.theory import Finding, check, function_of


def findings(key: str | None = None) -> dict[str, Finding]:
    """Findings on all claims, or on those of one paper, by id.

    A claim is checked again when the code, the data sets or the pinned versions change that its check depends on.
    """
    store = build_folder() / "results" / "findings.json"
    try:
        stored = json.loads(store.read_text(encoding="utf-8"))
        known = {claim: (kept["digest"], Finding(**kept["finding"])) for claim, kept in stored.items()}
    except (OSError, ValueError, TypeError, KeyError):
        known = {}
    digests = _digests([entry.id for entry in entries(key, "claim")])
    missing = [claim for claim, digest in digests.items() if claim not in known or known[claim][0] != digest]
    if missing:
        checked = tqdm(_check(missing), "checking claims", len(missing), unit="claim", disable=None, leave=False)
        known |= {finding.id: (digests[finding.id], finding) for finding in checked}
        kept = {claim: {"digest": digest, "finding": asdict(finding)} for claim, (digest, finding) in known.items()}
        write_atomically(store, json.dumps(kept))
    return {claim: known[claim][1] for claim in digests}


def confirm(erratum: Entry, finding: Finding | None = None) -> str:
    """Verdict on an erratum: ``confirmed`` if the check of the claim it names comes out as the ledger expects.

    Parameters
    ----------
    erratum : Entry
    finding : Finding, optional
        Of the claim in ``confirmed_by``, if it has been checked already.
    """
    if not erratum.confirmed_by:
        return "reading" if erratum.expected == "reading" else "not attempted"
    finding = finding or check(erratum.confirmed_by)
    expected = {found.id: found.expected for found in entries(erratum.key, "claim")}[erratum.confirmed_by]
    return "confirmed" if finding.verdict == expected != "not attempted" else "not attempted"


def _digests(claims: list[str]) -> dict[str, str]:
    """Digest of what each claim's check depends on; one for each module, because it holds many checks."""
    functions = {claim: function_of(claim) for claim in claims}
    unchecked = [claim for claim, function in functions.items() if function is None]
    if unchecked:
        raise LookupError(f"claims of the ledger without a check: {', '.join(unchecked)}")
    modules = {claim: function.__module__ for claim, function in functions.items() if function is not None}
    digests = {module: reach_digest(module) for module in set(modules.values())}
    return {claim: digests[module] for claim, module in modules.items()}


def _check(claims: list[str]) -> Iterator[Finding]:
    """Findings in the order of the claims, from one process per core."""
    workers = min(os.cpu_count() or 1, len(claims))
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(check, claims)
