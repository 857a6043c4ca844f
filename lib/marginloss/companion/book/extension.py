"""Sphinx extension of the book: its directives, and the banner that names the scale."""

from __future__ import annotations

import html
import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from marginloss import __version__
from marginloss.companion.book.boxes import Number, box, fold_solutions
from marginloss.companion.book.claims import Claims
from marginloss.companion.book.labels import page_numbers
from marginloss.companion.book.layout import root
from marginloss.companion.book.notebooks import BOXES
from marginloss.companion.book.opening import Opening
from marginloss.companion.book.repository import find_repository, links_to, pages_of
from marginloss.companion.scale import current_scale

logger = logging.getLogger(__name__)

BANNER = {
    "quick": "Quick scale: numbers and figures here are from few, short runs. The published book has more.",
    "paper": "Paper scale: the papers’ own numbers of runs, rounds and grids.",
}


def set_banner(app: Sphinx, config: Config) -> None:
    """Say on every page at which scale it was made."""
    config.html_theme_options["announcement"] = BANNER[current_scale()]


def set_links(app: Sphinx, config: Config) -> None:
    """Link to the repository where there is one."""
    repository = find_repository(root())
    config.html_theme_options.update(links_to(repository))
    config.html_baseurl = pages_of(repository)


def describe(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Tell search engines and those who share a page what it is about: its finding, or else its first paragraph."""
    if doctree is None:
        return
    if pagename == app.config.root_doc:
        context["title"] = "Which examples should a learner listen to?"  # the book's name follows in every title
    boxes = [box for box in doctree.findall(nodes.admonition) if "in-one-sentence" in box["classes"]]
    paragraphs = (boxes[0] if boxes else doctree).findall(nodes.paragraph)
    text = html.escape(" ".join(next(paragraphs, nodes.paragraph()).astext().split()), quote=True)
    title = html.escape(re.sub("<[^>]*>", "", context["title"]), quote=True)
    facts = {"og:type": "article", "og:site_name": app.config.project, "og:title": title, "og:description": text}
    if app.config.html_baseurl:  # a picture needs a whole address, which a book in a folder has not
        facts["og:image"] = f"{app.config.html_baseurl}_static/social.png"
    tags = [f'<meta name="description" content="{text}">']
    tags += [f'<meta property="{name}" content="{content}">' for name, content in facts.items()]
    context["metatags"] = "\n".join([context.get("metatags", ""), *tags])


def add_scripts(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Give a page the scripts of the figures that are drawn in it, and no others."""
    body = context.get("body", "")
    live = [f"live_{name}.js" for name in re.findall(r'<div class="live" data-live="(\w+)"', body)]
    others = [f"{kind}.js" for kind in ("sliderfig", "explorer") if f'<div class="{kind}"' in body]
    for script in ["draw.js"] * bool(live or others) + ["live.js"] * bool(live) + live + others:
        app.add_js_file(script, loading_method="defer")
    for reason in re.findall(r'"missing":"(.*?)"', body) if live else ():
        logger.info("%s: a live figure is a picture only: %s", pagename, reason)


def number_figures(app: Sphinx, env: BuildEnvironment) -> None:
    """Number figures of every page by page: 0.1 in the prologue, 13.1 in a chapter, D.1 behind the chapters."""
    for name, mark in page_numbers().items():
        kinds = env.toc_fignumbers.get(f"chapters/{name}", {})
        for numbers in kinds.values() if not mark.isdigit() or mark == "0" else ():
            numbers.update({label: (mark, k) for k, label in enumerate(numbers, 1)})  # type: ignore[misc]


def search_prose_only(app: Sphinx) -> None:
    """Leave code cells and what they print out of the search."""
    index = getattr(app.builder, "index_page", None)
    if index is None:
        return

    def index_prose(pagename: str, doctree: nodes.document, title: str) -> None:
        cells = [node for node in doctree.findall(nodes.Element) if _is_code(node)]
        places = [(cell.parent, cell.parent.index(cell), cell) for cell in cells]
        for parent, _, cell in reversed(places):
            parent.remove(cell)
        index(pagename, doctree, title)
        for parent, place, cell in places:  # the page is still to be written
            parent.insert(place, cell)

    app.builder.index_page = index_prose  # type: ignore[attr-defined]


def _is_code(node: nodes.Element) -> bool:
    """Whether a node is a cell with what it printed, code in the text, or the source of a check on a ledger's page."""
    shown = isinstance(node, nodes.literal_block | nodes.doctest_block)
    return shown or "cell" in node.get("classes", []) or (isinstance(node, nodes.raw) and "<pre>" in node.astext())


def escape_names(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Escape fitted attributes in shapes, ``(n_estimators_,)``, which would be read as links."""
    for i, line in enumerate(lines):
        lines[i] = re.sub(r"shape \(.*?\)", lambda shape: re.sub(r"(?<=\w)_(?!\w)", r"\\_", shape[0]), line)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.add_directive("opening", Opening)
    app.add_directive("claims", Claims)
    for name in BOXES:
        app.add_directive(name, box(name))
    app.add_role("n", Number())
    app.connect("doctree-read", fold_solutions)
    app.connect("config-inited", set_banner)
    app.connect("config-inited", set_links)
    app.connect("builder-inited", search_prose_only)
    app.connect("env-check-consistency", number_figures)
    app.connect("html-page-context", describe)
    app.connect("html-page-context", add_scripts)
    app.connect("autodoc-process-docstring", escape_names, priority=900)  # after napoleon
    return {"version": __version__, "parallel_read_safe": True, "parallel_write_safe": True}
