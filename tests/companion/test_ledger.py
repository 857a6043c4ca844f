"""The ledger of all papers is well formed, and what is malformed is refused with a message that names it."""

from __future__ import annotations

import re
from collections import Counter

import pytest
import yaml

from marginloss.companion import ledger
from marginloss.companion.ledger import KINDS, PAPERS, VERDICTS, Condition, LedgerError, entries, entry, parse
from marginloss.datasets.folders import data_folder

CLAIM = {
    "id": "zhai2021:c1",
    "kind": "claim",
    "place": "Section 1",
    "statement": "Something.",
    "chapter": "51_cvar",
    "expected": "holds",
}
EXHIBIT = CLAIM | {
    "id": "zhai2021:fig-1",
    "kind": "exhibit",
    "expected": "reproduced",
    "conditions": [{"value": "gain", "at_least": 0.2}],
}
ERRATUM = CLAIM | {
    "id": "zhai2021:erratum-1",
    "kind": "erratum",
    "expected": "reading",
    "repair": "Something else.",
    "affects": "A line; the rest stands.",
}


def read(*rows):
    return parse(list(rows), "zhai2021", "zhai2021.yml")


@pytest.mark.parametrize("key", PAPERS)
def test_every_paper_has_a_file_that_is_well_formed(key):
    found = entries(key)
    assert {e.kind for e in found} == set(KINDS)
    assert all(e.key == key for e in found)


def test_no_other_file_in_the_folder():
    assert {file.stem for file in (data_folder() / "ledger").glob("*")} == set(PAPERS)


@pytest.mark.parametrize("key", PAPERS)
def test_items_are_named_as_the_papers_name_them(key):
    """Errata are numbered without a gap; figures and tables are named fig-, table- or x."""
    errata = [e.item for e in entries(key, "erratum")]
    assert all(re.fullmatch(r"erratum-\d+[a-z]?", item) for item in errata)
    assert errata
    numbers = {int(re.search(r"\d+", item).group()) for item in errata}
    assert numbers == set(range(1, max(numbers) + 1))


def test_selection_by_paper_and_kind():
    everything = entries()
    assert [e for e in everything if e.key == "zhai2021" and e.kind == "claim"] == entries("zhai2021", "claim")
    assert len(everything) == sum(len(entries(key)) for key in PAPERS)
    assert Counter(e.id for e in everything).most_common(1)[0][1] == 1


def test_uncertain_errata_are_questions():
    for erratum in entries(kind="erratum"):
        if not erratum.certain:
            assert "?" in erratum.statement, f"{erratum.id} accuses where it should ask"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("text", "entry 1: must be a mapping"),
        (CLAIM | {"colour": 1}, r"zhai2021:c1: unknown fields \['colour'\]"),
        ({k: v for k, v in CLAIM.items() if k != "place"}, r"missing fields \['place'\]"),
        (CLAIM | {"id": "zhai2021:C 1"}, "id must read"),
        (CLAIM | {"id": "amid2019:c1"}, "id must begin with zhai2021:"),
        (CLAIM | {"kind": "lemma"}, "kind must be one of claim, exhibit, erratum, got 'lemma'"),
        (CLAIM | {"expected": "reproduced"}, "expected must be one of holds"),
        (CLAIM | {"expected": "fails as printed"}, "a reason is required"),
        (CLAIM | {"expected": True}, "expected must be text"),
        (CLAIM | {"reason": "About {gain:.2f"}, "reason has braces that are no field"),
        (CLAIM | {"reason": "About {0:.2f}"}, r"reason asks for \['0'\], which are no names"),
        (CLAIM | {"statement": " "}, "statement is empty"),
        (CLAIM | {"chapter": "Chapter 5"}, "no chapter name"),
        (CLAIM | {"chapter": ""}, "no chapter name"),
        (CLAIM | {"published": {"gain": None}}, "published gain: must be a number"),
        (CLAIM | {"data": "fake"}, "data must be one of"),
        (CLAIM | {"conditions": [{"value": "x", "at_least": 1}]}, "only an exhibit has conditions"),
        (CLAIM | {"certain": False}, "only an erratum can be uncertain"),
        (CLAIM | {"confirmed_by": "zhai2021:c1"}, "only an erratum has confirmed_by"),
        (CLAIM | {"repair": "Else."}, "only an erratum has repair"),
        (EXHIBIT | {"conditions": []}, "an exhibit needs a condition"),
        (EXHIBIT | {"reason": "But."}, "reproduced with a caveat"),
        (EXHIBIT | {"conditions": [{"value": "x"}]}, "at_least, at_most, or near with tol"),
        (EXHIBIT | {"conditions": [{"value": "x", "near": 1}]}, "at_least, at_most, or near with tol"),
        (EXHIBIT | {"conditions": [{"value": "x", "at_least": "much"}]}, "at_least of x must be a number"),
        (EXHIBIT | {"conditions": [{"value": "x", "at_least": float("nan")}]}, "at_least of x must be a number"),
        (
            EXHIBIT | {"conditions": [{"value": "x", "at_least": 1, "scale": "huge"}]},
            "scale of x must be quick or paper",
        ),
        (EXHIBIT | {"conditions": {"value": "x"}}, "conditions must be a list"),
        (EXHIBIT | {"needs": [1]}, "needs must list names"),
        (ERRATUM | {"expected": "confirmed"}, "confirmed needs confirmed_by"),
        (ERRATUM | {"affects": " "}, "an erratum needs affects"),
        (ERRATUM | {"expected": "confirmed", "confirmed_by": "zhai2021:nothing"}, "confirmed_by must name a claim"),
        (ERRATUM | {"certain": "no"}, "certain must be true or false"),
    ],
)
def test_malformed_entries_are_refused_by_name(row, message):
    with pytest.raises(LedgerError, match=message) as caught:
        read(row)
    assert "zhai2021.yml" in str(caught.value)


def test_duplicates_are_refused():
    with pytest.raises(LedgerError, match="zhai2021:c1: this id appears twice"):
        read(CLAIM, CLAIM)


def test_a_file_that_is_no_list_is_refused():
    with pytest.raises(LedgerError, match="must hold a list"):
        parse({"id": 1}, "zhai2021", "zhai2021.yml")


def test_broken_yaml_names_the_file(tmp_path, monkeypatch):
    (tmp_path / "ledger").mkdir()
    (tmp_path / "ledger" / "zhai2021.yml").write_text("- id: [")
    monkeypatch.setattr(ledger, "data_folder", lambda: tmp_path)
    with pytest.raises(LedgerError, match=r"zhai2021\.yml is not valid YAML"):
        entries("zhai2021")


def test_an_edited_file_is_read_again(tmp_path, monkeypatch):
    file = tmp_path / "ledger" / "zhai2021.yml"
    file.parent.mkdir()
    monkeypatch.setattr(ledger, "data_folder", lambda: tmp_path)
    for rows in ([CLAIM], [CLAIM, EXHIBIT, ERRATUM]):
        file.write_text(yaml.safe_dump(rows))
        assert [e.id for e in entries("zhai2021")] == [row["id"] for row in rows]


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match="key must be one of sypherd2023"):
        entries("nobody2020")
    with pytest.raises(ValueError, match="kind must be one of claim"):
        entries(kind="figure")
    with pytest.raises(KeyError, match="close: sypherd2023:lemma-3"):
        entry("sypherd2023:lema-3")


@pytest.mark.parametrize(
    ("condition", "number", "met"),
    [
        (Condition("x", at_least=1), 1.0, True),
        (Condition("x", at_least=1), 0.999, False),
        (Condition("x", at_most=1), 1.0, True),
        (Condition("x", at_most=1), 1.001, False),
        (Condition("x", near=2, tol=0.1), 1.95, True),
        (Condition("x", near=2, tol=0.1), 2.2, False),
        (Condition("x", at_least=0, at_most=1), 2.0, False),
        (Condition("x", at_least=1), True, True),
        (Condition("x", at_least=0), float("nan"), False),
    ],
)
def test_conditions(condition, number, met):
    assert condition.met(number) is met


def test_verdicts_are_closed_lists():
    assert {e.expected for e in entries()} <= {verdict for verdicts in VERDICTS.values() for verdict in verdicts}
