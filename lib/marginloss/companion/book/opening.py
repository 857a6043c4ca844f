"""Sphinx directive for the box that opens a chapter.

A chapter holds one directive with its own words; what was computed, how long it took and how to get at the notebook
are added here, from the ledger and from the runner's results, when the page is built.
"""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from marginloss.companion.book.layout import Chapter, root
from marginloss.companion.book.repository import find_repository
from marginloss.companion.book.verdicts import summary
from marginloss.companion.results import Result
from marginloss.companion.scale import SCALES, current_scale


class Opening(SphinxDirective):
    """``:::{opening}``, then one or two lines on what the chapter reproduces, then ``:::``."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Author's words and verdicts; of a page that is executed, the time it takes and ways to its notebook."""
        box = nodes.admonition(classes=["opening"])
        box += nodes.title(text="What this chapter reproduces")
        chapter = Chapter(Path(self.env.doc2path(self.env.docname)))
        executed = "kernelspec" in chapter.head
        lines = [*self.content, "", *summary(chapter.name, current_scale()), "", *[time_line(chapter)] * executed]
        self.state.nested_parse(StringList(lines, source=self.env.docname), self.content_offset, box)
        if executed:
            box += self._links()
        return [box]

    def _links(self) -> nodes.paragraph:
        """Download, and Binder and Colab where there is a repository; nothing is requested before a click."""
        up = "../" * self.env.docname.count("/")
        notebook = f"_sources/{self.env.docname}.ipynb"
        links = {"notebook to download": f"{up}{notebook}"}
        if repository := find_repository(root()):
            links |= {
                "Binder": f"https://mybinder.org/v2/gh/{repository}/main?urlpath=lab/tree/{self.env.docname}.md",
                # Colab reads .ipynb only; the published pages carry them
                "Colab": f"https://colab.research.google.com/github/{repository}/blob/gh-pages/{notebook}",
            }
        line = nodes.paragraph(classes=["opening-links"])
        for i, (text, address) in enumerate(links.items()):
            line += nodes.Text(" · " if i else "")
            if address.endswith(".ipynb") and not address.startswith("https:"):
                line += nodes.raw("", f'<a href="{address}" download>{text}</a>', format="html")
            else:
                line += nodes.reference("", text, refuri=address, internal=False)
        return line


def time_line(chapter: Chapter) -> str:
    """How long the chapter took to execute, at each scale at which it was run."""
    times = [(scale, Result.read(chapter.result(scale))) for scale in SCALES]
    shown = [f"{_round(result.seconds)} at {scale} scale" for scale, result in times if result is not None]
    return f"**Time to re-run:** {', '.join(shown) or 'not measured'}; this page is at {current_scale()} scale."


def _round(seconds: float) -> str:
    return f"{max(round(seconds), 1)} s" if seconds < 100 else f"{seconds / 60:.0f} min"
