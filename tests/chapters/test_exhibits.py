"""What the chapters recorded gives each exhibit the verdict that the ledger expects."""

import pytest

from marginloss.companion import current_scale
from marginloss.companion.exhibits import status
from marginloss.companion.ledger import entries
from marginloss.datasets.registry import dataset

EXHIBITS = entries(kind="exhibit")


@pytest.fixture(scope="session")
def judged(recorded):
    """Status of every exhibit at the current scale, by id."""
    return {line.id: line for line in status(scale=current_scale())}


@pytest.mark.parametrize("entry", EXHIBITS, ids=lambda entry: entry.id)
def test_computed_verdict_is_the_expected_one(entry, judged, need):
    need(*entry.needs)
    line = judged[entry.id]
    if line.verdict == "not attempted" and current_scale() == "paper":  # what is fetched only when asked for by name
        for name in entry.needs:
            for part in dataset(name).large:
                need(name, part=part)
    assert line.verdict == line.expected, line.reason


def test_exhibits_are_recorded_in_the_chapter_of_their_entry_and_only_there(recorded):
    chapters = {f"{entry.key}.{entry.item}.": entry.chapter for entry in EXHIBITS}
    papers = tuple({f"{entry.key}." for entry in EXHIBITS})
    for chapter, result in recorded.items():
        for name in result.values:
            if name.startswith(papers):
                owners = [place for prefix, place in chapters.items() if name.startswith(prefix)]
                assert chapter in owners, f"{name} is recorded in {chapter}, its entry names {owners}"
