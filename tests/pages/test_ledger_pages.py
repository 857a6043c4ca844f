"""The pages of the ledger show every entry with its verdict, and the first page shows the totals."""

from __future__ import annotations

import pytest

from marginloss.companion.book.layout import chapters
from marginloss.companion.book.pages import PLURAL, totals, verdicts
from marginloss.companion.book.thumbnails import items
from marginloss.companion.book.verdicts import findings
from marginloss.companion.exhibits import status
from marginloss.companion.ledger import KINDS, entries


@pytest.mark.parametrize("kind", KINDS)
def test_every_entry_is_on_its_page_with_its_computed_verdict(kind, soups):
    blocks = soups[f"chapters/{PLURAL[kind]}.html"].select(".ledger-entry")
    shown = {block["id"]: block["data-verdict"] for block in blocks}
    assert len(shown) == len(blocks)
    assert shown == {name.replace(":", "-"): verdict for name, verdict in verdicts(kind).items()}
    words = {block["id"]: block.select_one(".ledger-verdict").get_text() for block in blocks}
    assert all(words[name].endswith(verdict) for name, verdict in shown.items()), "verdicts in words, not by colour"


@pytest.mark.parametrize("kind", KINDS)
def test_entries_link_to_paper_chapter_and_function(kind, soups):
    written = {chapter.name for chapter in chapters()}
    soup = soups[f"chapters/{PLURAL[kind]}.html"]
    for entry in entries(kind=kind):
        links = [link["href"] for link in soup.find(id=entry.id.replace(":", "-")).find_all("a")]
        assert any(link.startswith("bibliography.html#") for link in links), f"{entry.id}: no link to the paper"
        if entry.chapter in written:
            assert any(link.startswith(f"{entry.chapter}.html") for link in links), (
                f"{entry.id}: no link to the chapter"
            )
        if kind == "claim":
            assert any("/lib/marginloss/theory/" in link for link in links), f"{entry.id}: no link to the check"


def test_chapters_show_each_of_their_claims_with_its_reason_and_a_link_to_its_evidence(soups):
    found = findings()
    for entry in entries(kind="claim"):
        link = soups[f"chapters/{entry.chapter}.html"].find("a", href=f"claims.html#{entry.id.replace(':', '-')}")
        assert link is not None, f"{entry.id} is not in the table of its chapter"
        row = link.find_parent("tr")
        assert row.find_all("td")[1].get_text().endswith(found[entry.id].verdict), entry.id
        assert bool(row.find("em")) == bool(entry.reason), f"{entry.id}: the reason, where there is one"


def test_exhibits_link_to_the_functions_behind_them(soups):
    soup = soups["chapters/exhibits.html"]
    attempted = [line.id.replace(":", "-") for line in status() if line.verdict != "not attempted"]
    links = {name: [link["href"] for link in soup.find(id=name).find_all("a")] for name in attempted}
    without = {name for name, found in links.items() if not any("/lib/marginloss/" in link for link in found)}
    assert len(without) <= 1, without  # the logit of Figure 5 in sypherd2022 is SciPy's


def test_an_erratum_says_what_to_print_what_it_affects_and_what_shows_it(soups):
    soup = soups["chapters/errata.html"]
    for entry in entries(kind="erratum"):
        block = soup.find(id=entry.id.replace(":", "-"))
        assert {"Repair.", "Affects."} <= {head.get_text() for head in block.find_all("strong")}, entry.id
        if entry.confirmed_by:
            assert len(block.find_all("details")) == 2, f"{entry.id}: numbers and source"
        if not entry.certain:
            assert "a question to the authors" in block.get_text(), entry.id


def test_the_first_page_shows_the_totals(soups):
    text = soups["index.html"].get_text()
    for kind, counts in totals().items():
        assert f"{counts.total()} {PLURAL[kind]}" in text
        assert all(f"{number} {verdict}" in text for verdict, number in counts.items())


def test_each_thumbnail_leads_to_a_figure_whose_caption_names_the_item(soups):
    blocks = soups["chapters/exhibits.html"].select(".ledger-entry:has(.ledger-thumbnail)")
    for block in blocks:
        page, _, anchor = block.select_one(".ledger-thumbnail")["href"].partition("#")
        item = block["id"].partition("-")[2]
        caption = soups[f"chapters/{page}"].find(id=anchor).select_one(".caption-text").get_text()
        assert {item, item.rstrip("abcd")} & items(caption), (item, caption)
    # an algorithm printed as a figure has no picture, nor has what was not attempted
    figures = [line for line in status() if ":fig-" in line.id and line.verdict != "not attempted"]
    without = {line.id.replace(":", "-") for line in figures} - {block["id"] for block in blocks}
    assert len(without) <= 1, without
