"""One word for one thing, and no sentence that only a template could write: chapters, captions, ledger."""

import re
from pathlib import Path

import pytest

from marginloss.companion.book.layout import pages, root
from marginloss.companion.book.verdicts import typeset
from marginloss.companion.ledger import FILLED, entries

UNREAD = ("api", "which_copy")  # docstrings, which have tests of their own, and the page that is about our copy
PAGES = {path.stem: path for path in [*pages(), root() / "README.md"] if not path.stem.startswith(UNREAD)}
CELL = re.compile(r"^```\{code-cell\}.*?^\s*```", re.S | re.M)
HEAD = re.compile(r"\A---.*?^---|^:(?:label|name|doc):.*$|\(eq-[\w-]+\)", re.S | re.M)
QUOTED = re.compile(r"\$\$.*?\$\$|\$[^$]*\$|\{\w+\}`[^`]*<which_copy_we_read>`|`+[^`]*`+|^```.*?^```", re.S | re.M)
SENTENCE = re.compile(r'"([^"\n]*[a-z] [a-z][^"\n]*)"')  # a string of a cell that has words in it

WORDS = {
    r"\balpha-loss\b": "α-loss",
    r"\bAdaBoost\.alpha\b": "AdaBoost.α",
    r"(?<!uniform )\b[Ss]amples\b": "examples; a sample is a set of them",
    r"(?<![\w-])-\d": "the minus sign, −",
    r"(?:at least|no less than) (?:1\.0+\b|100(?:\.0+)?\s?%)": "all",
    r"(?:at most|no more than|never more than) (?:0\.0+\b(?! \w)|0(?:\.0+)?\s?%)": "none",
    r"never more than 0\.0+ away": "identical",
    r"\bis [+−]\d[\d.]* (?:from\b|points?\b)": "leads, or trails, by",
    r"\bin the places? of\b": "instead of",
    r"\bthe trial\b": "what was done",
    r"\bconditions set beforehand\b": "the conditions",
    r"\b[Oo]ur (?:text|copy)\b|\bthe text that we had\b": "a link to 'Which copy of the papers we read'",
    r"\b[Uu]tili[sz]e": "use",
    r"(?<![\w:./-])X\d{1,2}\b|\bbenchmark P\d\b|\bclaim c\d+\b": "words; the ledger alone has such names",
    r"(?<![\d.,])(?:0\.0*[1-9]\d{5,}|[1-9]\d*\.\d{6,})(?![\d…])": "fewer digits",
}


def written(path: Path) -> list[str]:
    """What the readers of a page read: its prose, and the sentences that its cells make."""
    text = path.read_text(encoding="utf-8")
    sentences = SENTENCE.findall("\n".join(CELL.findall(text)))
    prose = HEAD.sub(" ", CELL.sub(" ", text))
    return [QUOTED.sub(" ", prose), *(re.sub(r"\{[^}]*\}|\$[^$]*\$", " ", sentence) for sentence in sentences)]


def found_in(text: str) -> list[str]:
    """Words of the list, each with what to write instead and with what stands around it."""
    return [
        f"{found[0]} -> {instead}: ...{text[max(0, found.start() - 50) : found.end() + 30]}..."
        for word, instead in WORDS.items()
        for found in re.finditer(word, text)
    ]


@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)
def test_words_of_pages(path):
    assert [line for text in written(path) for line in found_in(text)] == []


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.id)
def test_words_of_the_ledger(entry):
    texts = [entry.statement, entry.place, *(getattr(entry, name) for name in FILLED), *(p.says for p in entry.parts)]
    shown = [
        re.sub(r"`[^`]*`|\$[^$]*\$|\b[Oo]ur copy\b", " ", typeset(text)) for text in texts
    ]  # the page links our copy
    assert [line for text in shown for line in found_in(text)] == []


def test_the_list_finds_what_it_is_for():
    bad = (
        "Our text says at least 100 % of the samples are in the place of -1, is +0.007 from it, see claim c32 and X13."
    )
    assert len(found_in(bad)) == 8
