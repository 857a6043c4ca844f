"""Sphinx extension: the pages *exhibits*, *claims* and *errata*, and the totals on the first page.

Everything on them is taken from the ledger and from what was computed; a page holds only the directives.
"""

from __future__ import annotations

import html
import inspect
from collections import Counter
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from marginloss import __version__
from marginloss.companion.book.layout import Chapter, root
from marginloss.companion.book.verdicts import as_markdown, badge, counted, reason_of, typeset
from marginloss.companion.exhibits import Judged, Status, status
from marginloss.companion.findings import confirm, findings
from marginloss.companion.ledger import ABSENT, FILLED, PAPERS, VERDICTS, Entry, entries
from marginloss.companion.numbers import shown
from marginloss.theory import Finding, function_of

PAGES = {"claim": "claims", "exhibit": "exhibits", "erratum": "errata", "remark": "errata"}
"""Page on which the entries of a kind stand."""
PLURAL = PAGES | {"remark": "remarks"}
OUTCOMES = {"met": "✓ met", "missed": "✗ missed", "undecided": "? undecided"}
SOURCES = {"paper": "the paper", "reading": "our reading", "ours": "ours"}


def verdicts(kind: str, key: str | None = None) -> dict[str, str]:
    """Computed verdict of each entry of a kind, by id; a remark has none."""
    if kind == "exhibit":
        return {line.id: line.verdict for line in status(key)}
    if kind == "remark":
        return {entry.id: "" for entry in entries(key, "remark")}
    found = findings(key)
    if kind == "claim":
        return {claim: finding.verdict for claim, finding in found.items()}
    return {entry.id: confirm(entry, found.get(entry.confirmed_by)) for entry in entries(key, "erratum")}


def totals(kind: str, origin: str = "paper", key: str | None = None) -> Counter[str]:
    """How many entries of the papers, or of ours, have which verdict."""
    found = verdicts(kind, key)
    return Counter(found[entry.id] for entry in entries(key, kind) if entry.origin == origin)


def resolve(path: str) -> Any:
    """The class or function of the library behind a dotted name.

    Examples
    --------
    >>> resolve("marginloss.risk.cvar").__name__
    'cvar'
    """
    module, name = path.rsplit(".", 1)
    return getattr(import_module(module), name)


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
        """Where the book treats an entry: its figure or its row of the table of claims, or that it is not there."""
        if not entry.chapter:
            return ""
        if f"chapters/{entry.chapter}" not in self.env.found_docs:
            return f"chapter {entry.chapter}, not in this build"
        anchor = f"#{entry.figure}" if entry.figure else f"#{_anchor(entry.id)}" if entry.kind == "claim" else ""
        title = Chapter(root() / "chapters" / f"{entry.chapter}.md").title
        return f'<a href="{entry.chapter}.html{anchor}">{html.escape(title)}</a>'

    def source_link(self, thing: Callable[..., Any], text: str) -> str:
        """The name of a class or function, a plain link to its line where the repository has an address."""
        name = f"<code>{html.escape(text)}</code>"
        repository = self.config.html_theme_options.get("repository_url", "").rstrip("/")
        if not repository:
            return name
        branch = self.config.html_theme_options.get("repository_branch", "main")
        place = Path(inspect.getfile(thing)).relative_to(root()).as_posix()
        return f'<a href="{repository}/blob/{branch}/{place}#L{inspect.getsourcelines(thing)[1]}">{name}</a>'


class Totals(_Generated):
    """``:::{ledger-totals}``: one line for each kind of entry with its number of verdicts."""

    def lines(self) -> Iterator[str]:
        """A list with a link to each page; what is ours is said apart."""
        for kind in VERDICTS:
            counts, ours = totals(kind), totals(kind, "ours").total()
            link = f'<a href="chapters/{PAGES[kind]}.html">{counts.total() or ours} {PLURAL[kind]}</a>'
            apart = f" Beyond the papers, and not counted: {ours}." if ours and counts else ""
            yield f"- {link}{f': {counted(counts)}' if counts else ''}.{apart}"


class Filter(_Generated):
    """``:::{ledger-filter} exhibit``: the form; a script shows it, so that nothing useless stands there without one."""

    required_arguments = 1

    def lines(self) -> Iterator[str]:
        """One block of HTML."""
        kind = self.arguments[0]
        papers = {entry.key for entry in entries(kind=kind)}
        yield '<form class="ledger-filter" hidden>'
        yield _select("paper", "Paper", {key: f"{key}: {title}" for key, title in PAPERS.items() if key in papers})
        yield _select("verdict", "Verdict", {verdict: verdict for verdict in (*VERDICTS[kind], ABSENT)})
        yield '<label>Words <input type="search" name="words" autocomplete="off"></label>'
        yield "<output></output>"
        yield "</form>"


class Ledger(_Generated):
    """``:::{ledger} exhibit sypherd2023``: all entries of a kind in a paper, those of ours after the paper's."""

    required_arguments = 2

    def lines(self) -> Iterator[str]:
        """Totals of the paper, then one block an entry."""
        kind, key = self.arguments
        computed, wanted = verdicts(kind, key), entries(key, kind)
        describers: dict[str, Callable[..., Iterator[str]]] = {
            "claim": self._claim,
            "exhibit": self._exhibit,
            "erratum": self._note,
            "remark": self._note,
        }
        describe = describers[kind]
        found = {line.id: line for line in status(key)} if kind == "exhibit" else findings(key)
        if kind != "remark":
            yield counted(totals(kind, key=key)) + "."
        for origin in ("paper", "ours"):
            of_origin = [entry for entry in wanted if entry.origin == origin]
            if of_origin and origin == "ours" and kind != "remark":
                yield from ("", "**Beyond the paper**, ours, and not counted above:", "")
            for entry in of_origin:
                yield from self._entry(entry, computed[entry.id])
                yield from describe(entry, found.get(entry.confirmed_by or entry.id))
                yield "</div>"

    def _entry(self, entry: Entry, verdict: str) -> Iterator[str]:
        """Id, verdict, place and statement; a question and the authors' reply where there are."""
        name, place = _anchor(entry.id), html.escape(f"{entry.place} {entry.item}", quote=True)
        yield ""
        yield (
            f'<div class="ledger-entry" id="{name}" data-paper="{entry.key}" data-verdict="{verdict}" '
            f'data-place="{place}"><p class="ledger-head"><a href="#{name}"><code>{entry.id}</code></a> '
            f"{badge(verdict)}</p>"
        )
        yield from ("", f"**{as_markdown(entry.place)}.** {as_markdown(entry.statement)}", "")
        if not entry.certain:
            yield from (
                "*It may be a fault of {doc}`our copy <which_copy_we_read>`; it is a question to the authors.*",
                "",
            )
        if entry.reply:
            yield from (f"**The authors reply.** {as_markdown(entry.reply)}", "")

    def _claim(self, entry: Entry, finding: Finding) -> Iterator[str]:
        """Reason, numbers, the source of the check and links."""
        evidence, link = self._evidence(finding, "Numbers")
        yield from (reason_of(entry, finding), "")
        yield from _numbers(entry)
        yield from evidence
        yield from _links(f"{{cite:t}}`{entry.key}`", self.chapter_link(entry), link)

    def _evidence(self, finding: Finding, title: str) -> tuple[list[str], str]:
        """What a check computed and how, folded, and a link to its code."""
        numbers = [] if finding.slack is None else [f"slack {shown(finding.slack)}"]
        numbers += [f"{name.replace('_', ' ')} {shown(value)}" for name, value in finding.evidence.items()]
        function = function_of(finding.id)
        if function is None:
            return _folded_list(title, numbers), ""
        path = f"{function.__module__.removeprefix('marginloss.')}.{function.__qualname__}"
        # one line: a blank line would end the block of HTML
        text = html.escape(inspect.getsource(function)).replace("\n", "&#10;")
        source = _folded("Source of the check", f"<pre>{text}</pre>")
        return [*_folded_list(title, numbers), *source], self.source_link(function, path)

    def _exhibit(self, entry: Entry, line: Status) -> Iterator[str]:
        """Picture, reason, the parts with what was found, links."""
        parts = [_part(judged, line.values) for judged in line.parts]
        parts = parts or [f"{html.escape(typeset(part.says))}: {part.asked}" for part in entry.parts]
        functions = [self.source_link(resolve(f"marginloss.{name}"), name.split(".")[-1]) for name in entry.functions]
        time = f", {line.seconds:.0f} s for the chapter" if line.seconds else ""
        yield from (f'<div data-exhibit="{entry.id}"></div>', "", as_markdown(line.reason, emphasis=True), "")
        yield from _numbers(entry)
        yield from _folded_list(f"Parts ({len(parts)})", parts, shown_first=bool(line.values), escaped=True)
        yield from (f"Data: {entry.data}{time}.", "")
        yield from _links(f"{{cite:t}}`{entry.key}`", self.chapter_link(entry), *functions)

    def _note(self, entry: Entry, finding: Finding | None) -> Iterator[str]:
        """Repair, what it affects and what stands, the numbers and the code that show it, links."""
        reason, repair, affects = (entry.filled(name, finding.evidence if finding else {}) for name in FILLED)
        for head, text in (("Repair", repair), ("Affects", affects)):
            yield from (f"**{head}.** {as_markdown(text)}", "") if text else ()
        links = [f"{{cite:t}}`{entry.key}`", self.chapter_link(entry)]
        if finding is not None:
            evidence, code = self._evidence(finding, "What shows it")
            yield from evidence
            links += [f'<a href="claims.html#{_anchor(finding.id)}">claim <code>{finding.id}</code></a>', code]
        yield from (as_markdown(reason, emphasis=True), "")
        yield from _links(*links)


class Gallery(_Generated):
    """``:::{ledger-gallery}``: a tile for each exhibit of the papers; those with a figure get its picture."""

    def lines(self) -> Iterator[str]:
        """One list for each paper."""
        found = {line.id: line.verdict for line in status()}
        for key, title in PAPERS.items():
            yield f'<p class="gallery-title">{html.escape(title)}</p><ul class="gallery">'
            for entry in entries(key, "exhibit"):
                # the picture is a block of its own, filled in when all chapters are read
                yield f'<li><a href="#{_anchor(entry.id)}">'
                yield from ("", f'<div data-tile="{entry.id}"></div>', "")
                yield f"<div>{html.escape(entry.place)}<br>{badge(found[entry.id])}</div></a></li>"
            yield from ("</ul>", "")


def fill(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put small pictures into the index of exhibits, each a link to its figure, once all chapters are read."""
    if docname != "chapters/exhibits":
        return
    exhibits = entries(kind="exhibit")
    places = {f'<div data-exhibit="{entry.id}"></div>': (entry, _linked_picture) for entry in exhibits}
    places |= {f'<div data-tile="{entry.id}"></div>': (entry, _tile) for entry in exhibits}
    for raw in list(doctree.findall(nodes.raw)):
        if raw.astext().strip() in places:
            entry, shown_as = places[raw.astext().strip()]
            raw.replace_self(nodes.raw("", shown_as(app, entry), format="html"))


def _linked_picture(app: Sphinx, entry: Entry) -> str:
    picture = _picture(app, entry)
    link = f"{entry.chapter}.html#{entry.figure}"
    return picture and f'<a class="ledger-thumbnail" href="{link}">{picture}</a>'


def _tile(app: Sphinx, entry: Entry) -> str:
    return _picture(app, entry) or '<span class="no-picture" aria-hidden="true">table</span>'


def _picture(app: Sphinx, entry: Entry) -> str:
    """The figure of an entry; nothing for one without, such as a table."""
    if not entry.figure or f"chapters/{entry.chapter}" not in app.env.found_docs:
        return ""
    for figure in app.env.get_doctree(f"chapters/{entry.chapter}").findall(nodes.figure):
        images = list(figure.findall(nodes.image))
        if entry.figure in figure["ids"] and images:
            file, alt = app.env.images[images[0]["uri"]][1], html.escape(f"Our version of {entry.place}")
            return f'<img src="../_images/{file}" alt="{alt}" loading="lazy">'
    return ""


def _anchor(entry_id: str) -> str:
    return entry_id.replace(":", "-")


def _part(judged: Judged, values: dict[str, Any]) -> str:
    """A part as a sentence: outcome, what it says, what was found, the paper's words or whose number it is."""
    part = judged.part
    words = f" <q>{html.escape(part.words)}</q>" if part.words else ""
    why = f"; {judged.why}" if judged.why else ""
    return (
        f'<span data-outcome="{judged.outcome}">{OUTCOMES[judged.outcome]}</span>: {html.escape(typeset(part.says))} '
        f"({html.escape(typeset(judged.got(values) + why))}).{words} <small>{SOURCES[part.source]}</small>"
    )


def _numbers(entry: Entry) -> list[str]:
    """Printed numbers, and those of the authors' notebooks with their place."""
    printed, stored = (
        [f"{name.replace('_', ' ')}: {value}" for name, value in numbers.items()]  # every digit that is printed
        for numbers in (entry.published, entry.code)
    )
    return [*_folded_list("Published", printed), *_folded_list("In the authors' code", stored)]


def _folded(title: str, content: str, shown_first: bool = False) -> list[str]:
    """A block of HTML that opens and closes on a click."""
    return [f"<details{' open' * shown_first}><summary>{html.escape(title)}</summary>{content}</details>", ""]


def _folded_list(title: str, items: list[str], shown_first: bool = False, escaped: bool = False) -> list[str]:
    content = "".join(f"<li>{item if escaped else html.escape(typeset(item))}</li>" for item in items)
    return _folded(title, f"<ul>{content}</ul>", shown_first) if items else []


def _links(*links: str) -> list[str]:
    return [" · ".join(link for link in links if link), ""]


def _select(name: str, label: str, options: dict[str, str]) -> str:
    choices = "".join(f'<option value="{html.escape(v)}">{html.escape(t)}</option>' for v, t in options.items())
    return f'<label>{label} <select name="{name}"><option value="">all</option>{choices}</select></label>'


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.add_directive("ledger", Ledger)
    app.add_directive("ledger-filter", Filter)
    app.add_directive("ledger-gallery", Gallery)
    app.add_directive("ledger-totals", Totals)
    app.connect("doctree-resolved", fill)
    app.add_css_file("ledger.css")
    app.add_js_file("ledger.js", defer="defer")
    return {"version": __version__, "parallel_read_safe": True, "parallel_write_safe": True}
