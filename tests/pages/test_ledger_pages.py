"""The pages of the ledger show every entry with its verdict, and the first page shows the totals."""

from __future__ import annotations

import re

import pytest

from marginloss.companion.book.layout import chapters, root
from marginloss.companion.book.pages import PAGES, resolve, totals, verdicts
from marginloss.companion.book.verdicts import SIGNS, typeset
from marginloss.companion.exhibits import status
from marginloss.companion.findings import findings
from marginloss.companion.ledger import KINDS, entries


@pytest.mark.parametrize("kind", KINDS)
def test_every_entry_is_on_its_page_with_its_computed_verdict(kind, soups):
    soup = soups[f"chapters/{PAGES[kind]}.html"]
    for entry_id, verdict in verdicts(kind).items():
        (block,) = soup.select(f'.ledger-entry[id="{entry_id.replace(":", "-")}"]')
        assert block["data-verdict"] == verdict
        shown = [badge.get_text(" ") for badge in block.select(".ledger-head .verdict")]
        assert shown == ([f"{SIGNS[verdict]}\u00a0{verdict}"] if verdict else []), "verdicts in words, not by colour"


@pytest.mark.parametrize("kind", KINDS)
def test_entries_link_to_paper_and_chapter(kind, soups):
    written = {chapter.name for chapter in chapters()}
    soup = soups[f"chapters/{PAGES[kind]}.html"]
    for entry in entries(kind=kind):
        links = [link["href"] for link in soup.find(id=entry.id.replace(":", "-")).find_all("a", href=True)]
        assert any(link.startswith("bibliography.html#") for link in links), f"{entry.id}: no link to the paper"
        if entry.chapter in written:
            assert any(link.startswith(f"{entry.chapter}.html") for link in links), f"{entry.id}: no chapter"


def test_chapters_show_each_of_their_claims_with_its_reason_and_a_link_to_its_evidence(soups):
    found = findings()
    for entry in entries(kind="claim"):
        link = soups[f"chapters/{entry.chapter}.html"].find("a", href=f"claims.html#{entry.id.replace(':', '-')}")
        assert link is not None, f"{entry.id} is not in the table of its chapter"
        row = link.find_parent("tr")
        assert row.find_all("td")[1].get_text().endswith(found[entry.id].verdict), entry.id
        assert bool(row.find("em")) == bool(entry.reason), f"{entry.id}: the reason, where there is one"


def test_exhibits_show_their_functions_and_their_parts_as_sentences(soups):
    soup = soups["chapters/exhibits.html"]
    for line, entry in zip(status(), entries(kind="exhibit"), strict=True):
        block = soup.find(id=entry.id.replace(":", "-"))
        codes = {code.get_text() for code in block.find_all("code")}
        assert {name.rsplit(".")[-1] for name in entry.functions} <= codes, entry.id
        text = block.get_text()
        assert all(typeset(judged.part.says) in text for judged in line.parts), entry.id
        assert not {part.value for part in entry.parts if "_" in part.value} & (set(text.split()) - codes), entry.id


def test_no_slack_is_negative_beside_a_claim_that_holds(soups):
    for row in (row for page in soups.values() for row in page.select(".claims tr:has([data-verdict='holds'])")):
        assert "\N{MINUS SIGN}" not in row.find_all("td")[2].get_text(), row.get_text()


def test_an_erratum_says_what_to_print_what_it_affects_and_what_shows_it(soups):
    soup = soups["chapters/errata.html"]
    for entry in entries(kind="erratum"):
        block = soup.find(id=entry.id.replace(":", "-"))
        assert {"Repair.", "Affects."} <= {head.get_text() for head in block.find_all("strong")}, entry.id
        if entry.confirmed_by:
            assert len(block.find_all("details")) == 2, f"{entry.id}: numbers and source"
        if not entry.certain:
            assert "a question to the authors" in block.get_text(), entry.id


def test_the_first_page_counts_what_the_papers_say_and_shows_ours_apart(soups):
    text = soups["index.html"].get_text()
    for kind in ("claim", "exhibit", "erratum"):
        counts, ours = totals(kind), totals(kind, "ours").total()
        assert f"{counts.total()} {PAGES[kind]}" in text
        assert all(f"{number} {verdict}" in text for verdict, number in counts.items())
        assert not ours or f"Beyond the papers, and not counted: {ours}." in text


def test_each_figure_of_an_exhibit_is_in_its_chapter_and_its_thumbnail_leads_there(soups):
    for line, entry in zip(status(), entries(kind="exhibit"), strict=True):
        if entry.figure and line.values:
            link = soups["chapters/exhibits.html"].find(id=entry.id.replace(":", "-")).select_one(".ledger-thumbnail")
            assert link is not None and link["href"] == f"{entry.chapter}.html#{entry.figure}", entry.id
            assert soups[f"chapters/{entry.chapter}.html"].find(id=entry.figure), entry.id


def test_functions_of_exhibits_exist():
    assert all(callable(resolve(f"marginloss.{name}")) for entry in entries() for name in entry.functions)


def test_each_verdict_has_a_sign_and_a_colour_of_its_own():
    css = (root() / "chapters" / "_static" / "ledger.css").read_text(encoding="utf-8")
    colours = dict(re.findall(r'\[data-verdict="([^"]+)"\] \{ --verdict: (#\w+)', css))
    assert colours.keys() == SIGNS.keys()
    assert len(set(SIGNS.values())) == len(set(colours.values())) == len(SIGNS)
