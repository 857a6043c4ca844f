"""Sphinx extension of the book: its directives, and the banner that names the scale."""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util import logging

from marginloss import __version__
from marginloss.companion.book.boxes import Number, box, fold_solutions
from marginloss.companion.book.claims import Claims
from marginloss.companion.book.layout import root
from marginloss.companion.book.notebooks import BOXES
from marginloss.companion.book.opening import Opening
from marginloss.companion.book.repository import find_repository, links_to
from marginloss.companion.scale import current_scale

__all__ = ["setup"]

logger = logging.getLogger(__name__)

BANNER = {
    "quick": "Quick scale: fewer and shorter runs than in the papers, for a first read.",
    "paper": "Paper scale: the papers’ own numbers of runs, rounds and grids.",
}


def set_banner(app: Sphinx, config: Config) -> None:
    """Say on every page at which scale it was made."""
    config.html_theme_options["announcement"] = BANNER[current_scale()]


def set_links(app: Sphinx, config: Config) -> None:
    """Link to the repository where there is one."""
    config.html_theme_options.update(links_to(find_repository(root())))


def add_scripts(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Give a page the scripts of the figures that are drawn in it, and no others."""
    body = context.get("body", "")
    live = [f"live_{name}.js" for name in re.findall(r'<div class="live" data-live="(\w+)"', body)]
    others = [f"{kind}.js" for kind in ("sliderfig", "explorer") if f'<div class="{kind}"' in body]
    for script in ["draw.js"] * bool(live or others) + ["live.js"] * bool(live) + live + others:
        app.add_js_file(script, loading_method="defer")
    for reason in re.findall(r'"missing":"(.*?)"', body) if live else ():
        logger.info("%s: a live figure is a picture only: %s", pagename, reason)


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
    app.connect("html-page-context", add_scripts)
    app.connect("autodoc-process-docstring", escape_names, priority=900)  # after napoleon
    return {"version": __version__, "parallel_read_safe": True, "parallel_write_safe": True}
