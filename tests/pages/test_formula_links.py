"""From a formula to the code and back, on the built pages."""

import pytest

from marginloss.companion.book.formulas import computed_by, labels
from marginloss.companion.book.layout import chapters

LABELS = {label: chapter.name for chapter in chapters() for label in labels(chapter.text)}


@pytest.mark.parametrize("label", LABELS)
def test_a_formula_leads_to_the_code_and_back(label, soups):
    chapter = soups[f"chapters/{LABELS[label]}.html"]
    line = chapter.find(id=f"equation-{label}").find_next("p", class_="in-code")
    assert [link["href"] for link in line.find_all("a")] == [f"api.html#{name}" for name in computed_by()[label]]
    for name in computed_by()[label]:
        entry = soups["chapters/api.html"].find(id=name).parent
        back = [link["href"] for link in entry.select(".in-book a")]
        assert f"{LABELS[label]}.html#equation-{label}" in back


def test_entries_lead_to_the_chapters_that_use_them(soups):
    entry = soups["chapters/api.html"].find(id="marginloss.boosting.AdaLPBoostClassifier").parent
    assert any(link["href"].startswith("63_use_it.html") for link in entry.select(".in-book a"))
