"""The ledger of all papers is well formed, and what is malformed is refused with a message that names it."""

from __future__ import annotations

import re
from collections import Counter

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from marginloss.companion import ledger
from marginloss.companion.ledger import ABSENT, PAPERS, VERDICTS, LedgerError, Part, entries, entry, parse
from marginloss.datasets.folders import data_folder

GAIN = {"says": "It gains.", "value": "gain", "at_least": 0, "from": "paper", "words": "a gain"}
CLAIM = {
    "id": "zhai2021:c1",
    "kind": "claim",
    "origin": "paper",
    "place": "Section 1",
    "statement": "Something.",
    "chapter": "51_cvar",
    "expected": "holds",
}
EXHIBIT = CLAIM | {
    "id": "zhai2021:fig-1",
    "kind": "exhibit",
    "expected": "reproduced",
    "parts": [GAIN],
}
ERRATUM = CLAIM | {
    "id": "zhai2021:erratum-1",
    "kind": "erratum",
    "expected": "reading",
    "repair": "Something else.",
    "affects": "A line; the rest stands.",
}


REMARK = {k: v for k, v in CLAIM.items() if k != "expected"} | {"id": "zhai2021:remark-1", "kind": "remark"}


def read(*rows):
    return parse(yaml.safe_dump(list(rows), sort_keys=False), "zhai2021", "zhai2021.yml")


def part(**changed):
    """An exhibit whose part has other fields; a field that becomes None is left out."""
    return EXHIBIT | {"parts": [{name: value for name, value in (GAIN | changed).items() if value is not None}]}


@pytest.mark.parametrize("key", PAPERS)
def test_every_paper_has_a_file_that_is_well_formed(key):
    found = entries(key)
    assert {e.kind for e in found} >= {"claim", "exhibit", "erratum"}
    assert all(e.key == key for e in found)


def test_no_other_file_in_the_folder():
    assert {file.stem for file in (data_folder() / "ledger").glob("*")} == set(PAPERS)


@pytest.mark.parametrize("key", PAPERS)
def test_items_are_named_as_the_papers_name_them(key):
    errata = [e.item for e in entries(key, "erratum")]
    assert all(re.fullmatch(r"erratum-\d+[a-z]?", item) for item in errata)
    assert errata
    remarks = [e.item for e in entries(key, "remark")]
    assert remarks == [f"remark-{number}" for number in range(1, len(remarks) + 1)]


def test_what_is_ours_is_marked():
    ours = {e.id for e in entries() if e.ours}
    assert {"amid2019:c27", "amid2019:c28", "sypherd2023:theorem-3-repaired"} < ours
    assert {e.id for e in entries("servedio2003", "exhibit")} - ours == {f"servedio2003:fig-{i}" for i in (1, 2, 3)}
    assert {e.id for e in entries(kind="remark")} < ours


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
        (CLAIM | {"kind": "lemma"}, "kind must be one of claim, exhibit, erratum, remark, got 'lemma'"),
        ({k: v for k, v in CLAIM.items() if k != "origin"}, r"missing fields \['origin'\]"),
        (CLAIM | {"origin": "nobody"}, "origin must be one of paper, ours, got 'nobody'"),
        (CLAIM | {"expected": "reproduced"}, "expected must be one of holds"),
        (CLAIM | {"expected": "not attempted"}, "expected must be one of holds"),
        (CLAIM | {"expected": {"quick": "holds", "paper": "holds"}}, "expected is a word"),
        (CLAIM | {"expected": "fails as printed"}, "a reason is required"),
        (CLAIM | {"expected": "undecided"}, "a reason is required"),
        (EXHIBIT | {"expected": "undecided at this scale"}, "a reason is required"),
        (EXHIBIT | {"expected": {"quick": "reproduced"}}, "expected is a word, or {quick: …, paper: …}"),
        (EXHIBIT | {"expected": {"quick": "reproduced", "paper": "perfect"}}, "expected must be one of reproduced"),
        (CLAIM | {"expected": True}, "expected must be one of holds"),
        (CLAIM | {"reason": "About {gain:.2f"}, "reason has braces that are no field"),
        (CLAIM | {"reason": "About {0:.2f}"}, r"reason asks for \['0'\], which are no names"),
        (CLAIM | {"statement": " "}, "statement is empty"),
        (CLAIM | {"chapter": "Chapter 5"}, "no chapter name"),
        (CLAIM | {"chapter": ""}, "no chapter name"),
        (CLAIM | {"published": {"gain": None}}, "published gain: must be a number"),
        (CLAIM | {"data": "fake"}, "data must be one of"),
        (CLAIM | {"parts": [GAIN]}, "only an exhibit has parts"),
        (CLAIM | {"figure": "fig-1"}, "only an exhibit has figure"),
        (CLAIM | {"code": {"gain": 1}}, "code names its place"),
        (EXHIBIT | {"certain": False}, "an exhibit cannot be uncertain"),
        (CLAIM | {"confirmed_by": "zhai2021:c1"}, "only an erratum or a remark has confirmed_by"),
        (CLAIM | {"repair": "Else."}, "only an erratum or a remark has repair"),
        (EXHIBIT | {"parts": []}, "an exhibit needs a part"),
        (EXHIBIT | {"reason": "But."}, "reproduced with a caveat"),
        (EXHIBIT | {"origin": "ours"}, "what we say ourselves is 'from: ours'"),
        (part(**{"from": "somebody"}), r"part 1 \(line 9\): from must be one of paper, reading, ours, got 'somebody'"),
        (part(**{"from": None}), "from must be one of"),
        (part(words=None), "from: paper needs words of the paper"),
        (part(words=" "), "from: paper needs words of the paper"),
        (part(words="one two three four five six seven eight nine"), "at most eight words, got 9"),
        (part(says=None), "needs says"),
        (part(value=None), "needs value"),
        (part(sentence="x"), "has some of"),
        (part(at_least=None), "needs at_least, at_most, or near with tol"),
        (part(at_most=1), "needs at_least, at_most, or near with tol"),
        (part(at_least=None, near=1), "needs at_least, at_most, or near with tol"),
        (part(tol=1), "needs at_least, at_most, or near with tol"),
        (part(at_least="much"), "at_least must be a number"),
        (part(at_least=float("nan")), "at_least must be a number"),
        (part(scale="huge"), "scale must be one of quick, paper"),
        (EXHIBIT | {"parts": {"value": "x"}}, "parts must be a list"),
        (EXHIBIT | {"needs": [1]}, "needs must list names"),
        (ERRATUM | {"expected": "confirmed"}, "confirmed needs confirmed_by"),
        (ERRATUM | {"affects": " "}, "an erratum needs affects"),
        (ERRATUM | {"expected": "confirmed", "confirmed_by": "zhai2021:nothing"}, "confirmed_by must name a claim"),
        (ERRATUM | {"certain": "no"}, "certain must be true or false"),
        (REMARK | {"expected": "reading"}, "expected must be one of nothing"),
    ],
)
def test_malformed_entries_are_refused_by_name(row, message):
    with pytest.raises(LedgerError, match=message) as caught:
        read(row)
    assert "zhai2021.yml" in str(caught.value)


def test_the_message_has_the_line():
    with pytest.raises(LedgerError, match=r"zhai2021\.yml, line 8, zhai2021:fig-1: kind must be one of"):
        read(CLAIM, EXHIBIT | {"kind": "figure"})


def test_a_field_that_is_given_twice_is_refused():
    with pytest.raises(LedgerError, match=r"zhai2021\.yml, line 1: a field is given twice"):
        parse("- id: zhai2021:c1\n  kind: claim\n  kind: claim\n", "zhai2021", "zhai2021.yml")


def test_a_remark_has_no_verdict():
    assert read(REMARK)[0].expected == ""


def test_duplicates_are_refused():
    with pytest.raises(LedgerError, match="zhai2021:c1: this id appears twice"):
        read(CLAIM, CLAIM)


def test_a_file_that_is_no_list_is_refused():
    with pytest.raises(LedgerError, match="must hold a list"):
        parse("id: 1", "zhai2021", "zhai2021.yml")


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
    for rows in ([CLAIM], [CLAIM, EXHIBIT, ERRATUM, REMARK]):
        file.write_text(yaml.safe_dump(rows))
        assert [e.id for e in entries("zhai2021")] == [row["id"] for row in rows]


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match=r"key must be one of .sypherd2023"):
        entries("nobody2020")
    with pytest.raises(ValueError, match=r"kind must be one of .claim"):
        entries(kind="figure")
    with pytest.raises(ValueError, match=r"did you mean .sypherd2023:lemma-3"):
        entry("sypherd2023:lema-3")


@pytest.mark.parametrize(
    ("test", "number", "outcome"),
    [
        ({"at_least": 1}, 1.0, "met"),
        ({"at_least": 1}, 0.999, "missed"),
        ({"at_most": 1}, 1.0, "met"),
        ({"at_most": 1}, 1.001, "missed"),
        ({"near": 2, "tol": 0.1}, 1.95, "met"),
        ({"near": 2, "tol": 0.1}, 2.2, "missed"),
        ({"at_least": 1}, True, "met"),
        ({"at_least": 0.1}, 0.3 - 0.2, "met"),  # two equal differences of means
    ],
)
def test_a_printed_number_decides(test, number, outcome):
    assert Part("Says.", "x", "paper", **test).outcome({"x": number}) == outcome


@pytest.mark.parametrize(
    ("test", "number", "outcome"),
    [
        ({"at_least": 0.1}, 0.21, "met"),
        ({"at_least": 0.1}, 0.15, "undecided"),  # not 0.2
        ({"at_least": 0.1}, 0.07, "undecided"),  # 0.05
        ({"at_least": 0.1}, 0.04, "missed"),
        ({"at_most": 0.1}, 0.07, "undecided"),
        ({"near": 0.25, "tol": 0.1}, 0.29, "met"),
        ({"near": 0.25, "tol": 0.1}, 0.32, "undecided"),
        ({"near": 0.25, "tol": 0.1}, 0.40, "undecided"),
        ({"near": 0.25, "tol": 0.1}, 0.46, "missed"),
        ({"at_least": 0}, 1e-9, "met"),  # a sign has no half
    ],
)
def test_a_number_of_ours_decides_if_half_and_double_do_not_matter(test, number, outcome):
    assert Part("Says.", "x", "reading", **test).outcome({"x": number}) == outcome


TESTS = st.one_of(
    st.floats(-1, 1).map(lambda bound: {"at_least": bound}),
    st.floats(-1, 1).map(lambda bound: {"at_most": bound}),
    st.tuples(st.floats(-1, 1), st.floats(0, 1)).map(lambda pair: {"near": pair[0], "tol": pair[1]}),
)


@given(test=TESTS, number=st.floats(-2, 2), error=st.floats(0, 1))
def test_whatever_is_decided_stays_so_within_two_standard_errors(test, number, error):
    part = Part("Says.", "x", "paper", error="se", **test)
    outcome = part.outcome({"x": number, "se": error})
    for moved in (number - 1.99 * error, number + 1.99 * error):
        assert outcome == "undecided" or part.outcome({"x": moved, "se": 0.0}) == outcome


@given(test=TESTS, number=st.floats(-2, 2), error=st.floats(0, 1))
def test_a_reading_decides_no_more_than_the_paper_would(test, number, error):
    values = {"x": number, "se": error}
    reading, printed = (
        Part("Says.", "x", source, error="se", **test).outcome(values) for source in ("reading", "paper")
    )
    assert reading in ("undecided", printed)


def test_verdicts_are_closed_lists():
    words = {verdict for e in entries() for verdict in (e.expected_at("quick"), e.expected_at("paper"))}
    assert words <= {verdict for verdicts in VERDICTS.values() for verdict in verdicts} | {"", ABSENT}
