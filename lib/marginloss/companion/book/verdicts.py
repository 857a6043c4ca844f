"""Verdicts for the pages: those of the claims are computed once for each state of the library and kept."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from multiprocessing import get_context

from tqdm import tqdm

from marginloss.companion.book.results import write_atomically
from marginloss.companion.digest import compiled_folder, foundation_digest
from marginloss.companion.exhibits import status
from marginloss.companion.folders import build_folder
from marginloss.companion.ledger import VERDICTS, Entry, entries
from marginloss.theory import Finding, check

__all__ = ["SIGNS", "as_markdown", "findings", "reason_of", "summary"]

SIGNS = {
    "holds": "✓",
    "holds with a caveat": "✓",
    "fails as printed": "✗",
    "reproduced": "✓",
    "reproduced with a caveat": "✓",
    "not reproduced": "✗",
    "not attempted": "–",
}


def findings(key: str | None = None) -> dict[str, Finding]:
    """Findings on all claims, or on those of one paper, by id; computed if the library or its data have changed."""
    store, foundation = build_folder() / "results" / "findings.json", foundation_digest()
    try:
        stored = json.loads(store.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        stored = {}
    known = {}
    if stored.get("foundation") == foundation:
        known = {claim: Finding(**finding) for claim, finding in stored["findings"].items()}
    wanted = [entry.id for entry in entries(key, "claim")]
    missing = [claim for claim in wanted if claim not in known]
    if missing:
        checked = tqdm(_check(missing), "checking claims", len(missing), unit="claim", disable=None, leave=False)
        known |= {finding.id: finding for finding in checked}
        kept = {claim: asdict(finding) for claim, finding in known.items()}
        write_atomically(store, json.dumps({"foundation": foundation, "findings": kept}))
    return {claim: known[claim] for claim in wanted}


def reason_of(entry: Entry, finding: Finding) -> str:
    """Why a claim has its verdict, with the numbers that were computed, as Markdown; empty where it simply holds."""
    # without its data set a check has computed nothing that the reason could name
    absent = finding.verdict == "not attempted" != entry.expected
    reason = f"Needs {', '.join(entry.needs)}." if absent else entry.filled("reason", finding.evidence)
    return as_markdown(reason, emphasis=True)


def as_markdown(text: str, emphasis: bool = False) -> str:
    """Text of the ledger as Markdown: mathematics in dollars stays, what would open an HTML tag does not."""
    text = text.replace("<", r"\<")
    return f"*{text}*" if emphasis and text and "*" not in text else text


def _check(claims: list[str]) -> Iterator[Finding]:
    """Findings in the order of the claims, from one process a core, with the compiled code that chapters leave."""
    workers = min(os.cpu_count() or 1, len(claims))
    os.environ["NUMBA_CACHE_DIR"] = str(compiled_folder())  # processes that are spawned inherit it
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(check, claims)


def summary(chapter: str, scale: str) -> list[str]:
    """Lines of Markdown: the verdict of each exhibit of a chapter, and how many of its claims came out which way."""
    exhibits = {entry.id: entry for entry in entries(kind="exhibit") if entry.chapter == chapter}
    claims = [entry for entry in entries(kind="claim") if entry.chapter == chapter]
    lines = []
    if exhibits:
        places: dict[str, list[str]] = {}
        for line in status(scale=scale):
            if line.id in exhibits:
                places.setdefault(_place(exhibits[line.id]), []).append(line.verdict)
        lines += [f"**Exhibits:** {' · '.join(f'{place} {_counted(found)}' for place, found in places.items())}.", ""]
    if claims:
        found = findings()
        counts = Counter(found[entry.id].verdict for entry in claims)
        shown = [f"{SIGNS[verdict]} {counts[verdict]} {verdict}" for verdict in VERDICTS["claim"] if counts[verdict]]
        lines += [f"**Claims checked:** {' · '.join(shown)}.", ""]
    return lines


def _counted(verdicts: list[str]) -> str:
    """One verdict as it is; of several, as for the rows of a table, how many there are of each."""
    if len(verdicts) == 1:
        return f"{SIGNS[verdicts[0]]}\u00a0{verdicts[0]}"
    counts = Counter(verdicts)
    shown = [f"{SIGNS[v]}\u00a0{counts[v]} {v}" for v in VERDICTS["exhibit"] if counts[v]]
    return f"({len(verdicts)} entries) {', '.join(shown)}"


def _place(entry: Entry) -> str:
    """Where the exhibit is in the paper, short: ``Figure 5, Section 5.1`` becomes ``Figure 5``."""
    return entry.place.partition(",")[0]
