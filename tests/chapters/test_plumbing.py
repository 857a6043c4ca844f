"""What a reader sees of a chapter's code is the method: plumbing is folded away, and no line is cut off."""

from __future__ import annotations

import ast
import re

import pytest

from marginloss.companion.book.layout import chapters

CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(?P<options>(?::[^\n]*\n)*)(?P<code>.*?)^```", re.DOTALL | re.MULTILINE)
FOLDED = re.compile(r"hide-input|hide-cell|remove-input|remove-cell")
NUMBERED = [chapter for chapter in chapters() if chapter.name[0].isdigit()]
WIDTH = 88


def plumbing_and_visible(text: str) -> tuple[int, int]:
    """Lines of visible code that are imports, records or scaled parameters, and all lines of visible code."""
    plumbing = visible = 0
    for cell in CELL.finditer(text):
        if not FOLDED.search(cell["options"]):
            lines = [line.strip() for line in cell["code"].splitlines()]
            visible += sum(bool(line) and not line.startswith("#") for line in lines)
            body = ast.parse(cell["code"]).body
            plumbing += sum(node.end_lineno - node.lineno + 1 for node in body if is_plumbing(node))
    return plumbing, visible


def is_plumbing(node: ast.stmt) -> bool:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return True
    calls = {call.func.id for call in ast.walk(node) if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)}
    return bool(calls & {"record", "glue"}) or (isinstance(node, ast.Assign) and "scaled" in calls)


def test_plumbing_is_counted():
    text = "```{code-cell} ipython3\nimport numpy\nx = 1\nrecord(x=x)\n```\n"
    assert plumbing_and_visible(text) == (2, 3)
    assert plumbing_and_visible(text.replace("import", ":tags: [hide-input]\n\nimport")) == (0, 0)


@pytest.mark.parametrize("chapter", NUMBERED, ids=lambda chapter: chapter.name)
def test_a_quarter_of_the_visible_code_at_most_is_plumbing(chapter):
    plumbing, visible = plumbing_and_visible(chapter.text)
    assert plumbing <= visible / 4


def test_an_eighth_of_the_visible_code_of_the_book_at_most_is_plumbing():
    counts = [plumbing_and_visible(chapter.text) for chapter in NUMBERED]
    assert sum(plumbing for plumbing, _ in counts) <= 0.12 * sum(visible for _, visible in counts)


@pytest.mark.parametrize("chapter", NUMBERED, ids=lambda chapter: chapter.name)
def test_no_line_of_code_is_cut_off(chapter):
    lines = [line for cell in CELL.finditer(chapter.text) for line in cell["code"].splitlines()]
    assert [line for line in lines if len(line) > WIDTH] == []


@pytest.mark.parametrize("chapter", NUMBERED, ids=lambda chapter: chapter.name)
def test_solutions_are_executed(chapter):
    for solution in re.findall(r"^:::\{admonition\} Solution\n.*?^:::", chapter.text, re.DOTALL | re.MULTILINE):
        assert "```python" not in solution
