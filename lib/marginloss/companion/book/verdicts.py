"""Verdicts for the pages: those of the claims are computed once for each state of the library and kept."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from multiprocessing import get_context

from tqdm import tqdm

from marginloss.companion.book.results import write_atomically
from marginloss.companion.digest import compiled_folder, foundation_digest
from marginloss.companion.exhibits import status
from marginloss.companion.folders import build_folder
from marginloss.companion.ledger import ABSENT, Entry, entries
from marginloss.theory import Finding, check

__all__ = ["SIGNS", "as_markdown", "badge", "counted", "findings", "reason_of", "summary"]

SIGNS = {
    "holds": "✓",
    "holds with a caveat": "≈",
    "fails as printed": "✗",
    "undecided": "?",
    "reproduced": "●",
    "reproduced with a caveat": "◕",
    "partly reproduced": "◑",
    "not reproduced": "○",
    "undecided at this scale": "◌",
    "confirmed": "☑",
    "reading": "✎",
    ABSENT: "–",
}
"""A sign for each verdict; ``book.css`` has a colour for each."""


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
    absent = finding.verdict == ABSENT
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


def badge(verdict: str) -> str:
    """Sign and word of a verdict, in its colour; nothing for a remark."""
    sign = f"{SIGNS[verdict]}\u00a0{verdict}" if verdict else ""
    return f'<span class="verdict" data-verdict="{verdict}">{sign}</span>' if verdict else ""


def counted(counts: Mapping[str, int]) -> str:
    """Verdicts with their numbers, in the order of ``SIGNS``."""
    numbers = (
        badge(verdict).replace("\u00a0", f"\u00a0{counts[verdict]} ", 1) for verdict in SIGNS if counts.get(verdict)
    )
    return " · ".join(numbers) or "none"


def summary(chapter: str, scale: str) -> list[str]:
    """Lines of Markdown: verdicts on the exhibits of a chapter and on its claims, what is ours apart."""
    lines = []
    for ours, whose in ((False, ""), (True, " of ours")):
        here = [entry for entry in entries() if entry.chapter == chapter and entry.ours == ours]
        shown = {entry.id: entry for entry in here if entry.kind == "exhibit"}
        claims = [entry.id for entry in here if entry.kind == "claim"]
        places: dict[str, list[str]] = {}
        for line in status(scale=scale) if shown else []:
            if line.id in shown:  # short: "Figure 5, Section 5.1" becomes "Figure 5"
                places.setdefault(shown[line.id].place.partition(",")[0], []).append(line.verdict)
        if shown:
            lines += [
                f"**Exhibits{whose}:** {' · '.join(f'{place} {_together(v)}' for place, v in places.items())}.",
                "",
            ]
        if claims:
            found = findings()
            lines += [f"**Claims checked{whose}:** {counted(Counter(found[claim].verdict for claim in claims))}.", ""]
    return lines


def _together(verdicts: list[str]) -> str:
    """One verdict as it is; of several, as for the rows of a table, how many there are of each."""
    return badge(verdicts[0]) if len(verdicts) == 1 else f"({len(verdicts)} entries) {counted(Counter(verdicts))}"
