"""Every chapter of the book ran to its end and left values that tests can read."""

import math

import nbformat
import pytest

from marginloss.companion import current_scale
from marginloss.companion.book import chapters

CHAPTERS = chapters()


def test_every_chapter_was_recorded(recorded):
    assert sorted(recorded) == sorted(chapter.name for chapter in CHAPTERS)


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.name)
def test_values_are_finite(chapter, recorded):
    values = recorded[chapter.name].values
    assert [name for name, value in values.items() if isinstance(value, float) and math.isnan(value)] == []


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.name)
def test_no_warning_reaches_the_page(chapter, recorded):
    notebook = nbformat.read(chapter.notebook(current_scale()), as_version=4)
    # a cell that starts a cluster says so on stderr, as it must; the tag keeps that off the page
    cells = [cell for cell in notebook.cells if "remove-stderr" not in cell.metadata.get("tags", [])]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    assert [output.text for output in outputs if output.get("name") == "stderr"] == []
