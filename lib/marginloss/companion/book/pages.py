"""Sphinx extension: the pages *exhibits*, *claims* and *errata*, and the totals on the first page.

Everything on them is taken from the ledger and from what was computed; a page holds only the directives.
"""

from __future__ import annotations

import html
import inspect
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from marginloss import __version__
from marginloss.companion.book.layout import root
from marginloss.companion.book.provenance import behind
from marginloss.companion.book.sections import Section, chapter_title, section_of
from marginloss.companion.book.thumbnails import fill, place_for
from marginloss.companion.book.verdicts import SIGNS, as_markdown, findings, reason_of
from marginloss.companion.exhibits import Status, status
from marginloss.companion.ledger import FILLED, KINDS, PAPERS, VERDICTS, Entry, entries
from marginloss.theory import Finding, confirm, function_of

__all__ = ["setup", "totals", "verdicts"]

PLURAL = {"claim": "claims", "exhibit": "exhibits", "erratum": "errata"}


def verdicts(kind: str, key: str | None = None) -> dict[str, str]:
    """Computed verdict of each entry of a kind, by id."""
    if kind == "exhibit":
        return {line.id: line.verdict for line in status(key)}
    found = findings(key)
    if kind == "claim":
        return {claim: finding.verdict for claim, finding in found.items()}
    return {entry.id: confirm(entry, found.get(entry.confirmed_by)) for entry in entries(key, "erratum")}


def totals() -> dict[str, Counter[str]]:
    """How many entries of each kind have which verdict."""
    return {kind: Counter(verdicts(kind).values()) for kind in KINDS}


class _Generated(SphinxDirective):
    """A directive whose content is Markdown made here."""

    def lines(self) -> Iterator[str]:
        """Lines of Markdown."""
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        """Parse the lines as if they stood in the page."""
        holder = nodes.container()
        content = StringList(list(self.lines()), source=self.env.docname)
        self.state.nested_parse(content, self.content_offset, holder)
        return holder.children

    def chapter_link(self, entry: Entry) -> str:
        """Where the book treats an entry: a link to the section, to the chapter, or a word that it is not there yet."""
        if not entry.chapter:
            return ""
        if f"chapters/{entry.chapter}" not in self.env.found_docs:
            return f"chapter {entry.chapter}, not in this build"
        section = _section(entry)
        anchor = f"#{section.anchor}" if section else ""
        title = section.title if section else chapter_title(_chapter_text(entry))
        return f'<a href="{entry.chapter}.html{anchor}">{html.escape(title)}</a>'

    def source_link(self, file: str, line: int, text: str) -> str:
        """Link to a line of the library in the repository; a plain link, nothing is loaded from there."""
        repository = self.config.html_theme_options.get("repository_url", "").rstrip("/")
        branch = self.config.html_theme_options.get("repository_branch", "main")
        place = Path(file).relative_to(root()).as_posix()
        return f'<a href="{repository}/blob/{branch}/{place}#L{line}"><code>{html.escape(text)}</code></a>'


class Totals(_Generated):
    """``:::{ledger-totals}``: one line for each kind of entry with its number of verdicts."""

    def lines(self) -> Iterator[str]:
        """A list with a link to each page."""
        for kind, counts in totals().items():
            shown = [f"{_sign(verdict)} {counts[verdict]} {verdict}" for verdict in VERDICTS[kind] if counts[verdict]]
            page = f'<a href="chapters/{PLURAL[kind]}.html">{counts.total()} {PLURAL[kind]}</a>'
            yield f"- {page}: {' · '.join(shown) or 'none'}."


class Filter(_Generated):
    """``:::{ledger-filter} exhibit``: the form; a script shows it, so that nothing useless stands there without one."""

    required_arguments = 1

    def lines(self) -> Iterator[str]:
        """One block of HTML."""
        kind = self.arguments[0]
        papers = {entry.key for entry in entries(kind=kind)}
        yield '<form class="ledger-filter" hidden>'
        yield _select("paper", "Paper", {key: f"{key}: {title}" for key, title in PAPERS.items() if key in papers})
        yield _select("verdict", "Verdict", {verdict: verdict for verdict in VERDICTS[kind]})
        yield '<label>Words <input type="search" name="words" autocomplete="off"></label>'
        yield "<output></output>"
        yield "</form>"


class Ledger(_Generated):
    """``:::{ledger} exhibit sypherd2023``: all entries of a kind in a paper."""

    required_arguments = 2

    def lines(self) -> Iterator[str]:
        """Totals of the paper, then one block an entry."""
        kind, key = self.arguments
        computed = verdicts(kind, key)
        wanted = entries(key, kind)
        counts = Counter(computed.values())
        yield " · ".join(f"{_sign(v)} {counts[v]} {v}" for v in VERDICTS[kind] if counts[v]) or "No entries yet."
        describe = {"claim": self._claims, "exhibit": self._exhibits, "erratum": self._errata}[kind](key)
        for entry in wanted:
            name, verdict = entry.id.replace(":", "-"), computed[entry.id]
            yield ""
            yield (
                f'<div class="ledger-entry" id="{name}" data-paper="{key}" data-verdict="{verdict}">'
                f'<p class="ledger-head"><a href="#{name}"><code>{entry.id}</code></a> '
                f'<span class="ledger-verdict">{_sign(verdict)} {verdict}</span></p>'
            )
            yield ""
            yield f"**{as_markdown(entry.place)}.** {as_markdown(entry.statement)}"
            yield ""
            if entry.kind == "erratum" and not entry.certain:
                yield "*This may be an artefact of the text that we had; it is a question to the authors.*"
                yield ""
            yield from describe[entry.id]
            yield "</div>"

    def _claims(self, key: str) -> dict[str, list[str]]:
        return {name: self._claim(entry, finding) for name, (entry, finding) in _claims(key).items()}

    def _claim(self, entry: Entry, finding: Finding) -> list[str]:
        """Reason, numbers, the source of the check and links."""
        evidence, link = self._evidence(finding, "Numbers")
        links = [f"{{cite:t}}`{entry.key}`", self.chapter_link(entry), link]
        return [reason_of(entry, finding), "", *evidence, *_links(links)]

    def _evidence(self, finding: Finding, title: str) -> tuple[list[str], str]:
        """What a check computed and how, folded, and a link to its code."""
        numbers = [] if finding.slack is None else [f"slack {finding.slack:.3g}"]
        numbers += [f"{name.replace('_', ' ')} {value:.6g}" for name, value in finding.evidence.items()]
        function = function_of(finding.id)
        if function is None:
            return _folded_list(title, numbers), ""
        code, line = inspect.getsourcelines(function)
        path = f"{function.__module__.removeprefix('marginloss.')}.{function.__qualname__}"
        # one line: a blank line would end the block of HTML
        text = html.escape("".join(code)).replace("\n", "&#10;")
        source = _folded("Source of the check", f"<pre>{text}</pre>")
        return [*_folded_list(title, numbers), *source], self.source_link(inspect.getfile(function), line, path)

    def _exhibits(self, key: str) -> dict[str, list[str]]:
        lines = {line.id: line for line in status(key)}
        return {entry.id: self._exhibit(entry, lines[entry.id]) for entry in entries(key, "exhibit")}

    def _exhibit(self, entry: Entry, line: Status) -> list[str]:
        """Picture, reason, conditions with the recorded values, other recorded values, links."""
        tested = [_condition(str(condition), line.values.get(condition.value)) for condition in entry.conditions]
        names = {condition.value for condition in entry.conditions}
        others = [f"{name} = {_number(value)}" for name, value in line.values.items() if name not in names]
        published = [f"{name} = {_number(value)}" for name, value in entry.published.items()]
        functions = [self.source_link(*place) for place in behind(entry.id, _chapter_text(entry))]
        links = [f"{{cite:t}}`{entry.key}`", self.chapter_link(entry), *functions]
        time = f", {line.seconds:.0f} s for the chapter" if line.seconds else ""
        return [
            place_for(entry),
            "",
            as_markdown(line.reason, emphasis=True),
            "",
            *_folded_list("Published", published),
            *_folded_list(f"Conditions ({len(tested)})", tested, shown=bool(line.values)),
            *_folded_list("Also recorded", others),
            f"Data: {entry.data}{time}.",
            "",
            *_links(links),
        ]

    def _errata(self, key: str) -> dict[str, list[str]]:
        found = findings(key)
        return {entry.id: self._erratum(entry, found.get(entry.confirmed_by)) for entry in entries(key, "erratum")}

    def _erratum(self, entry: Entry, finding: Finding | None) -> list[str]:
        """Repair, what it affects and what stands, the numbers and the code that show it, links."""
        computed = finding.evidence if finding is not None else {}
        reason, repair, affects = (entry.filled(name, computed) for name in FILLED)
        lines = [f"**Repair.** {as_markdown(repair)}", "", f"**Affects.** {as_markdown(affects)}", ""]
        links = [f"{{cite:t}}`{entry.key}`", self.chapter_link(entry)]
        if finding is not None:
            evidence, code = self._evidence(finding, "What shows it")
            lines += evidence
            links += [f'<a href="claims.html#{finding.id.replace(":", "-")}">claim <code>{finding.id}</code></a>', code]
        return [*lines, as_markdown(reason, emphasis=True), "", *_links(links)]


def _claims(key: str) -> dict[str, tuple[Entry, Finding]]:
    found = findings(key)
    return {entry.id: (entry, found[entry.id]) for entry in entries(key, "claim")}


def _section(entry: Entry) -> Section | None:
    return section_of(entry.id, _chapter_text(entry), entry.section)


def _chapter_text(entry: Entry) -> str:
    file = root() / "chapters" / f"{entry.chapter}.md"
    return file.read_text(encoding="utf-8") if file.exists() else ""


def _sign(verdict: str) -> str:
    return SIGNS.get(verdict, "✓" if verdict == "confirmed" else "•")


def _condition(condition: str, value: Any) -> str:
    return condition if value is None else f"{condition}: got {_number(value)}"


def _number(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else json.dumps(value, ensure_ascii=False)


def _folded(title: str, content: str, shown: bool = False) -> list[str]:
    """A block of HTML that opens and closes on a click."""
    return [f"<details{' open' * shown}><summary>{html.escape(title)}</summary>{content}</details>", ""]


def _folded_list(title: str, items: list[str], shown: bool = False) -> list[str]:
    content = "".join(f"<li>{html.escape(item)}</li>" for item in items)
    return _folded(title, f"<ul>{content}</ul>", shown) if items else []


def _links(links: list[str]) -> list[str]:
    return [" · ".join(link for link in links if link), ""]


def _select(name: str, label: str, options: dict[str, str]) -> str:
    choices = "".join(f'<option value="{html.escape(v)}">{html.escape(t)}</option>' for v, t in options.items())
    return f'<label>{label} <select name="{name}"><option value="">all</option>{choices}</select></label>'


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.add_directive("ledger", Ledger)
    app.add_directive("ledger-filter", Filter)
    app.add_directive("ledger-totals", Totals)
    app.connect("doctree-resolved", fill)
    app.add_css_file("ledger.css")
    app.add_js_file("ledger.js", defer="defer")
    return {"version": __version__, "parallel_read_safe": True, "parallel_write_safe": True}
