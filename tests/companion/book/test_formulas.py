"""Every numbered formula says what computes it, and what it names exists."""

import re

import pytest

from marginloss.companion.book.formulas import computed_by, labels
from marginloss.companion.book.layout import chapters, root
from marginloss.companion.book.pages import resolve

LABELS = {label: chapter.name for chapter in chapters() for label in labels(chapter.text)}


def test_formulas_and_lines_are_the_same_set():
    assert set(LABELS) == set(computed_by())


def test_labels_are_used_once():
    assert sum(len(labels(chapter.text)) for chapter in chapters()) == len(LABELS)


@pytest.mark.parametrize("name", sorted({name for names in computed_by().values() for name in names}))
def test_names_exist_and_are_documented(name):
    assert resolve(name).__doc__
    module, short = name.rsplit(".", 1)
    api = "".join(page.read_text(encoding="utf-8") for page in (root() / "chapters").glob("api_*.md"))
    assert f"automodule:: {module}\n" in api or f"autoclass:: {name}\n" in api, f"{short} is not in the API reference"


def test_displayed_formulas_are_numbered():
    # a formula that is quoted from a paper keeps the paper's number; a part's first page repeats one of its chapters
    inner = [chapter for chapter in chapters() if not re.match(r"\d_", chapter.name)]
    shown = {chapter.name: chapter.text.count("\n$$") - chapter.text.count("\\tag{") for chapter in inner}
    bare = {chapter.name for chapter in inner if shown[chapter.name] > len(labels(chapter.text))}
    assert bare == set(), "a displayed formula without a label"
