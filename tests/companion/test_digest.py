"""The digest changes with what numbers depend on, and with nothing else."""

import shutil
from pathlib import Path

import pytest

from marginloss.companion import digest
from marginloss.companion.book.layout import Chapter

ROOT = Path(__file__).parents[2]
CELLS = ["from marginloss.losses import AlphaLoss", "print(AlphaLoss(2).value(0.0))  # the loss at the boundary"]


@pytest.fixture
def library(tmp_path, monkeypatch):
    """A copy of the library and its pins that may be edited."""
    shutil.copytree(ROOT / "lib", tmp_path / "lib", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "constraints.txt", tmp_path)
    monkeypatch.setattr(digest, "LIBRARY", tmp_path / "lib")
    return tmp_path / "lib" / "marginloss"


def append(path, text):
    path.write_text(path.read_text("utf-8") + text, "utf-8")


def test_a_formula_counts_for_what_uses_it_and_for_nothing_else(library):
    cells, risk = digest.code_digest(CELLS), digest.reach_digest("marginloss.risk.simplex")
    append(library / "losses/margin.py", "\nALPHA = 2\n")
    assert digest.code_digest(CELLS) != cells
    assert digest.reach_digest("marginloss.risk.simplex") == risk


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("losses/margin.py", "\n# a comment\n"),
        ("losses/margin.py", '\n"""A string that does nothing."""\n'),
        ("companion/command.py", "\nEDITED = True\n"),
        ("boosting/loop.py", "\nEDITED = True\n"),
        ("theory/zhai2021/tail.py", "\nEDITED = True\n"),
    ],
)
def test_words_and_other_code_do_not_count(library, name, text):
    before = digest.code_digest(CELLS)
    append(library / name, text)
    assert digest.code_digest(CELLS) == before


def test_a_pin_counts_and_a_comment_beside_it_does_not(library):
    pins = library.parents[1] / "constraints.txt"
    before = digest.code_digest(CELLS)
    append(pins, "# why this version\n")
    assert digest.code_digest(CELLS) == before
    append(pins, "numpy==0\n")
    assert digest.code_digest(CELLS) != before


def test_comments_in_cells_do_not_count_and_their_borders_do():
    assert digest.code_digest([CELLS[0], CELLS[1].partition("#")[0]]) == digest.code_digest(CELLS)
    assert digest.code_digest(["\n".join(CELLS)]) != digest.code_digest(CELLS)


def test_a_claim_that_is_asked_for_counts(library):
    cells = ["from marginloss.theory import check", "check('zhai2021:c25')"]
    other = [cells[0], "check('sypherd2023:lemma-3')"]
    before = digest.code_digest(cells), digest.code_digest(other)
    append(library / "theory/zhai2021/programs.py", "\nEDITED = True\n")
    append(library / "theory/zhai2021/tail.py", "\nEDITED = True\n")
    assert digest.code_digest(cells) != before[0]
    assert digest.code_digest(other) == before[1]


def test_a_data_set_counts_where_it_is_loaded(tmp_path, monkeypatch):
    monkeypatch.setenv("MARGINLOSS_DATA", str(tmp_path))
    monkeypatch.setenv("MARGINLOSS_CACHE", str(tmp_path / "cache"))
    cells = ["from marginloss.datasets import load_pima", "load_pima()"]
    before = digest.code_digest(cells), digest.code_digest(CELLS)
    (tmp_path / "pima").mkdir()
    (tmp_path / "pima/pima.csv.gz").write_bytes(b"")
    (tmp_path / "unknown.csv").write_text("1,2\n")
    assert digest.code_digest(cells) != before[0]
    assert digest.code_digest(CELLS) == before[1]


def test_code_that_does_not_parse_has_a_digest_of_its_text():
    assert digest.code_digest(["1 +"]) != digest.code_digest(["2 +"])


def chapter(path, prose="Words.", code="print(1)", inputs=""):
    kernel = "kernelspec: {name: python3, display_name: Python 3}"
    head = f"---\njupytext: {{text_representation: {{extension: .md, format_name: myst}}}}\n{kernel}\n"
    path.write_text(f"{head}{inputs}---\n\n# Title\n\n{prose}\n\n```{{code-cell}} ipython3\n{code}\n```\n")
    return Chapter(path).digest("quick")


def test_a_chapter_depends_on_its_code_and_scale_and_not_on_its_prose(tmp_path):
    path = tmp_path / "x.md"
    before = chapter(path)
    assert Chapter(path).digest("paper") != before
    assert chapter(path, prose="Other words.") == before
    assert chapter(path, code="print(1)  # one") == before
    assert chapter(path, code="print(2)") != before


def test_a_chapter_depends_on_the_files_that_its_head_names(tmp_path):
    path, table = tmp_path / "x.md", tmp_path / "table.json"
    table.write_text("1")
    before = chapter(path, inputs="inputs: [table.json]\n")
    table.write_text("2")
    assert Chapter(path).digest("quick") != before
