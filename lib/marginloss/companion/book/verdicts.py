"""Verdicts for the pages, in words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from marginloss.companion.exhibits import status
from marginloss.companion.findings import findings
from marginloss.companion.ledger import ABSENT, Entry, entries
from marginloss.theory import Finding

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

GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "eta": "η", "theta": "θ", "kappa": "κ",
    "lambda": "λ", "xi": "ξ", "rho": "ρ", "sigma": "σ", "tau": "τ", "chi": "χ", "psi": "ψ",
}  # fmt: skip
TYPED = re.compile(rf"(`[^`]*`|\$[^$]*\$)|(?<![\w)-])-(?=\d)|\b(?:{'|'.join(GREEK)})\b")


def reason_of(entry: Entry, finding: Finding) -> str:
    """Why a claim has its verdict, with the numbers that were computed, as Markdown; empty where it simply holds."""
    # without its data set a check has computed nothing that the reason could name
    absent = finding.verdict == ABSENT
    reason = f"Needs {', '.join(entry.needs)}." if absent else entry.filled("reason", finding.evidence)
    return as_markdown(reason, emphasis=True)


def as_markdown(text: str, emphasis: bool = False) -> str:
    """Text of the ledger as Markdown: typeset, and what would open an HTML tag does not."""
    text = typeset(text).replace("<", r"\<")
    text = re.sub(r"\b[Oo]ur copy\b", r"{doc}`\g<0> <which_copy_we_read>`", text)
    return f"*{text}*" if emphasis and text and "*" not in text else text


def typeset(text: str) -> str:
    """Greek letters and minus signs in the place of what one types for them; code and mathematics stay.

    Examples
    --------
    >>> typeset("alpha-loss at -1, `alpha=-1`")
    'α-loss at −1, `alpha=-1`'
    """
    return TYPED.sub(lambda found: found[1] or GREEK.get(found[0], "\N{MINUS SIGN}"), text)


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
                places.setdefault(as_markdown(shown[line.id].place.partition(",")[0]), []).append(line.verdict)
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
