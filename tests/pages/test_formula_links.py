"""From a formula to the code and back, on the built pages."""

from pathlib import Path

import pytest

from marginloss.companion.book.formulas import computed_by, labels
from marginloss.companion.book.layout import chapters, pages, root

API = [path.relative_to(root()).with_suffix(".html").as_posix() for path in pages() if path.name.startswith("api_")]
LABELS = {label: chapter.name for chapter in chapters() for label in labels(chapter.text)}


@pytest.fixture(scope="module")
def documented(soups):
    """Page and entry of each name in the API reference."""
    return {tag["id"]: (Path(page).name, tag.parent) for page in API for tag in soups[page].select("dt.sig[id]")}


@pytest.mark.parametrize("label", LABELS)
def test_a_formula_leads_to_the_code_and_back(label, soups, documented):
    chapter = soups[f"chapters/{LABELS[label]}.html"]
    line = chapter.find(id=f"equation-{label}").find_next("p", class_="in-code")
    assert [link["href"] for link in line.find_all("a")] == [
        f"{documented[name][0]}#{name}" for name in computed_by()[label]
    ]
    for name in computed_by()[label]:
        back = [link["href"] for link in documented[name][1].select(".in-book a")]
        assert f"{LABELS[label]}.html#equation-{label}" in back


def test_entries_lead_to_the_chapters_that_use_them(documented):
    _, entry = documented["marginloss.boosting.AdaLPBoostClassifier"]
    assert any(link["href"].startswith("63_use_it.html") for link in entry.select(".in-book a"))
