"""What a chapter's prose is made of besides Markdown: numbers, its finding, what to remember, solutions that ran."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective, SphinxRole

from marginloss.companion.book.notebooks import BOXES
from marginloss.companion.results import Recorded
from marginloss.companion.scale import current_scale
from marginloss.companion.wording import sentence_part


class Number(SphinxRole):
    """``{n}`fig-5.gain:points```: what the chapter, or by its full name another one, recorded, in words or digits."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """The text, or an error of the build that names what was recorded."""
        chapter = Path(self.env.docname).name
        try:
            shown = sentence_part(self.text, Recorded(chapter, current_scale()))
        except (KeyError, ValueError) as error:
            message = self.inliner.reporter.error(f"{{n}}`{self.text}`: {error}", line=self.lineno)
            return [self.inliner.problematic(self.rawtext, self.rawtext, message)], [message]
        return [nodes.inline(self.rawtext, shown, classes=["number"])], []


def box(name: str) -> type[SphinxDirective]:
    """The directive ``:::{name}``, a box with a title of its own."""

    class Box(SphinxDirective):
        has_content = True

        def run(self) -> list[nodes.Node]:
            self.assert_has_content()
            made = nodes.admonition(classes=[name])
            made += nodes.title(text=BOXES[name])
            self.state.nested_parse(self.content, self.content_offset, made)
            return [made]

    return Box


def fold_solutions(app: Sphinx, doctree: nodes.document) -> None:
    """Move cells tagged ``solution`` into the box with the words about them, which follows them in the source."""
    found = [node for node in doctree.findall(nodes.container) if "tag_solution" in node.get("classes", [])]
    for cell in reversed(found):
        after: Any = cell.next_node(descend=False, siblings=True)
        if not isinstance(after, nodes.admonition):
            place = f"{doctree['source']}: "
            raise ValueError(f"{place}a cell tagged solution must stand right before its :::{{admonition}} Solution")
        cell.parent.remove(cell)
        after.insert(1, cell)
