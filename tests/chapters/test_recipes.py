"""The recipes of "Use it on your data" run with the library alone; where one needs an extra, the page says which."""

import re
import subprocess
import sys

import pytest

from marginloss.companion.book.layout import find_chapters

(CHAPTER,) = find_chapters(["use_it"])
CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(?P<options>(?::[^\n]*\n)*)(?P<code>.*?)^```", re.DOTALL | re.MULTILINE)
EXTRAS = ("xgboost", "lightgbm", "dask", "cvxpy", "IPython", "myst_nb", "matplotlib", "jupytext")
ALONE = f"""
import sys
for name in {EXTRAS}:
    sys.modules[name] = None  # importing it raises ImportError
"""


def needs_an_extra(before: str) -> bool:
    """Whether the section that a cell stands in says that it needs more than the library."""
    return "*Needs the extra" in before.rpartition("\n## ")[2]


def cells(extra: bool) -> list[str]:
    """Code that a reader copies, and the first cell with its imports; a table that the page makes is none."""
    found = [cell for cell in CELL.finditer(CHAPTER.text) if "[hide-input]" not in cell["options"]]
    return [cell["code"] for cell in found if needs_an_extra(CHAPTER.text[: cell.start()]) == extra]


def test_recipes_run_with_the_library_alone():
    assert len(cells(extra=False)) >= 12
    code = "\n".join([ALONE, *cells(extra=False)]).replace("n_rounds = 300", "n_rounds = 20")
    run = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert not re.search(r"\d\.\d{5,}", run.stdout), "a number that nobody rounded"


def test_a_section_that_needs_an_extra_says_so():
    wanted = "|".join(EXTRAS)
    assert [code for code in cells(extra=False) if re.search(rf"^\s*(?:import|from) (?:{wanted})\b", code, re.M)] == []
    assert len(cells(extra=True)) >= 3


@pytest.mark.parametrize("name", ["bench", "cluster"])
def test_extras_that_are_named_exist(name):
    assert f"`{name}`" in CHAPTER.text
    assert re.search(rf"^{name} = \[", (CHAPTER.path.parents[1] / "pyproject.toml").read_text("utf-8"), re.M)
