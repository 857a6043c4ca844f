"""Notebooks that read well outside of the book."""

import re

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from marginloss.companion.book.labels import Labels
from marginloss.companion.book.layout import chapters
from marginloss.companion.book.notebooks import FIRST, as_markdown, readable

LABELS = Labels({"fig-a": "4.1", "eq-b": "4.2"}, {"p": "A page"}, {"k": (["Long", "Servedio"], "2010")})


@pytest.mark.parametrize(
    ("myst", "markdown"),
    [
        ("We gain {n}`gain:points`.", "We gain 25 points."),
        ("{cite:t}`k` and {cite:p}`k`", "Long and Servedio (2010) and (Long and Servedio, 2010)"),
        ("See {numref}`fig-a`, {eq}`eq-b`.", "See Fig. 4.1, (4.2)."),
        ("$$x$$ (eq-b)", r"$$x \tag{4.2}$$"),
        ("$x\\in\\R^n$, $\\Re z$", "$x\\in\\mathbb{R}^n$, $\\Re z$"),
        (":::{remember}\n- One.\n:::", "> **What to remember.** - One."),
        (":::{admonition} Solution\n:class: dropdown\n\nYes.\n:::", "**Solution.** Yes."),
        ("```{glue:figure} f\n:name: fig-a\n:alt: A b.\n\nUp.\n```", "*Fig. 4.1.* Up."),
        ("{doc}`p`", "[A page](p.ipynb)"),
        ("[here](p.md)", "[here](p.ipynb)"),
    ],
)
def test_myst_becomes_markdown(myst, markdown):
    assert as_markdown(myst, {"gain": 0.25}, LABELS) == markdown


def test_glued_figures_are_shown_and_glued_values_are_not():
    glued = {"metadata": {"scrapbook": {"name": "x"}}}
    prefix = "application/papermill.record/"
    outputs = [
        new_output("display_data", {prefix + "image/png": "iVBOR", prefix + "text/plain": "<Figure>"}, **glued),
        new_output("display_data", {prefix + "text/plain": "0.25"}, **glued),
    ]
    cell = new_code_cell("draw()", outputs=outputs, metadata={"tags": ["hide-input"]})
    shown = readable(new_notebook(cells=[new_markdown_cell("# T"), cell]), {})
    assert [output.data for output in shown.cells[-1].outputs] == [{"image/png": "iVBOR", "text/plain": "<Figure>"}]
    assert shown.cells[-1].metadata["jupyter"]["source_hidden"]
    assert shown.cells[1].source == FIRST


@pytest.mark.parametrize("chapter", chapters(), ids=lambda chapter: chapter.name)
def test_every_role_and_directive_of_the_book_is_understood(chapter):
    class Anything(dict):
        def __contains__(self, name):
            return True

        def __missing__(self, name):
            return 0.5

    prose = re.sub(r"^```\{code-cell\}.*?^```\n", "", chapter.text.split("---", 2)[2], flags=re.DOTALL | re.MULTILINE)
    prose = re.sub(r":(count|d|,)`", "`", prose)
    markdown = as_markdown(prose, Anything(), Labels.of_book())
    assert re.findall(r"\{[\w:]+\}`|^:::.*|^```\{.*", markdown, re.MULTILINE) == []


def test_a_table_that_a_cell_makes_has_a_number():
    numbers = Labels.of_book().numbers
    assert numbers["tab-bench"].rpartition(".")[0] == numbers["tab-pairs"].rpartition(".")[0]
    assert float(numbers["tab-bench"]) < float(numbers["tab-sides"]) < float(numbers["tab-pairs"])
