"""Sphinx directive for a table of claims with what the library computed about them."""

from __future__ import annotations

from itertools import count
from pathlib import PurePosixPath

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from marginloss._validation import UnknownName, check_name
from marginloss.companion.book.verdicts import as_markdown, badge, reason_of
from marginloss.companion.findings import findings
from marginloss.companion.ledger import Entry, entries
from marginloss.companion.numbers import shown
from marginloss.theory import Finding


class Claims(SphinxDirective):
    """``:::{claims} <id> <id> …``: one row per claim; all claims of the chapter if no id is given."""

    optional_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Table with a caption."""
        chapter = PurePosixPath(self.env.docname).name
        known = {entry.id: entry for entry in entries(kind="claim")}
        ids = self.arguments[0].split() if self.arguments else []
        try:
            wanted = [known[check_name("claim", name, known)] for name in ids]
        except UnknownName as error:
            raise self.error(str(error)) from None
        wanted = wanted or [entry for entry in known.values() if entry.chapter == chapter]
        if not wanted:
            raise self.error(f"the ledger has no claim for the chapter {chapter!r}")
        found = findings()
        names = (f"tab-claims-{chapter.replace('_', '-')}-{i}" for i in count(1))
        name = next(name for name in names if name not in self.state.document.nameids)
        lines = [
            ":::{table} Claims and verdicts; each is computed by a check of its own, apart from the chapter's runs. "
            "Slack: the worst margin by which the printed statement holds.",
            f":name: {name}",
            "",
            "| claim | verdict | slack |",
            "|:--|:--|--:|",
            *(claim_row(entry, found[entry.id]) for entry in wanted),
            ":::",
        ]
        holder = nodes.container(classes=["claims"])
        self.state.nested_parse(StringList(lines, source=self.env.docname), self.content_offset, holder)
        return holder.children


def claim_row(entry: Entry, finding: Finding) -> str:
    """Row of a Markdown table: place, statement, what is said against it and a link; verdict; slack."""
    name = entry.id.replace(":", "-")
    link = f'<a id="{name}" href="claims.html#{name}"><code>{entry.id}</code></a>'
    count = finding.evidence.get("runs", 0)
    runs = f"(Check: {shown(int(count))} run{'s' * (count > 1)} of its own.)" if count else ""
    place = f"**{as_markdown(entry.place)}{' (ours)' * entry.ours}.**"
    parts = (place, as_markdown(entry.statement), reason_of(entry, finding), runs, link)
    claim = " ".join(part for part in parts if part).replace("|", r"\|")
    slack = "" if finding.slack is None else shown(finding.slack)
    return f"| {claim} | {badge(finding.verdict)} | {slack} |"
