"""Verdicts on exhibits follow from recorded values, and what cannot be judged is an error that names the entry."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from marginloss.companion import exhibits
from marginloss.companion.exhibits import judge, record, status, verdict_of
from marginloss.companion.glueing import RECORDING
from marginloss.companion.ledger import Entry, LedgerError, Part, entries
from marginloss.companion.results import Result, result_file


def exhibit(*parts, **fields):
    given = {"origin": "paper", "expected": "reproduced", "chapter": "11_alpha_loss"} | fields
    return Entry("sypherd2023:fig-2", "exhibit", place="Figure 2", statement="A figure.", parts=parts, **given)


def asks(value, source="paper", bound=0.2, **fields):
    return Part(f"{value} is large", value, source, at_least=bound, **fields)


GAIN, MORE, OURS = asks("gain"), asks("more"), asks("ours", "ours")
READ, PAPER = asks("read", "reading"), asks("sd", scale="paper")
SURE = asks("gain", error="se")


@pytest.mark.parametrize(
    ("entry", "values", "verdict"),
    [
        (exhibit(GAIN), {"gain": 0.25}, "reproduced"),
        (exhibit(GAIN, reason="But."), {"gain": 0.25}, "reproduced with a caveat"),
        (exhibit(GAIN), {"gain": 0.1}, "not reproduced"),
        (exhibit(GAIN, reason="But."), {"gain": 0.1}, "not reproduced"),
        (exhibit(GAIN, MORE), {"gain": 0.25, "more": 0.1}, "partly reproduced"),
        (exhibit(GAIN, MORE), {"gain": 0.1, "more": 0.1}, "not reproduced"),
        # what is ours is shown: missed, it is a caveat, and it never decides
        (exhibit(GAIN, OURS), {"gain": 0.25, "ours": 0.3}, "reproduced"),
        (exhibit(GAIN, OURS), {"gain": 0.25, "ours": 0.1}, "reproduced with a caveat"),
        (exhibit(GAIN, OURS), {"gain": 0.1, "ours": 0.3}, "not reproduced"),
        (exhibit(OURS), {"ours": 0.3}, "undecided at this scale"),
        (exhibit(OURS, origin="ours"), {"ours": 0.3}, "reproduced"),
        (exhibit(OURS, origin="ours"), {"ours": 0.1}, "not reproduced"),
        # half and double of our number
        (exhibit(READ), {"read": 0.5}, "reproduced"),
        (exhibit(READ), {"read": 0.3}, "undecided at this scale"),
        (exhibit(GAIN, READ), {"gain": 0.25, "read": 0.3}, "undecided at this scale"),
        (exhibit(GAIN, MORE, READ), {"gain": 0.25, "more": 0.1, "read": 0.3}, "partly reproduced"),
        (exhibit(GAIN, READ), {"gain": 0.1, "read": 0.3}, "not reproduced"),
        # two standard errors
        (exhibit(SURE), {"gain": 0.25, "se": 0.02}, "reproduced"),
        (exhibit(SURE), {"gain": 0.25, "se": 0.03}, "undecided at this scale"),
        (exhibit(SURE), {"gain": 0.15, "se": 0.03}, "undecided at this scale"),
        (exhibit(SURE), {"gain": 0.15, "se": 0.02}, "not reproduced"),
        (exhibit(SURE), {"gain": 0.2, "se": 0.0}, "reproduced"),
        # the other scale
        (exhibit(PAPER), {"sd": 0.3}, "undecided at this scale"),
        (exhibit(GAIN, PAPER), {"gain": 0.25, "sd": 0.3}, "undecided at this scale"),
        (exhibit(GAIN, asks("gain", bound=0.3, scale="paper")), {"gain": 0.25}, "undecided at this scale"),
        (exhibit(asks("gain", scale="quick"), asks("gain", bound=0.3, scale="paper")), {"gain": 0.25}, "reproduced"),
        (exhibit(asks("flat", bound=1)), {"flat": True}, "reproduced"),
    ],
)
def test_verdicts(entry, values, verdict):
    assert verdict_of(entry, judge(entry, values, "quick")) == verdict


def test_without_numbers_there_is_no_verdict():
    assert verdict_of(exhibit(GAIN), ()) == "not attempted"


@given(st.lists(st.tuples(st.sampled_from(["paper", "reading", "ours"]), st.floats(0, 1)), min_size=1))
def test_what_is_ours_never_decides(drawn):
    parts = [asks(f"x{i}", source) for i, (source, _) in enumerate(drawn)]
    values = {f"x{i}": number for i, (_, number) in enumerate(drawn)}
    found = [verdict_of(exhibit(*kept), judge(exhibit(*kept), values, "quick")) for kept in (parts, _deciding(parts))]
    alike = {"reproduced with a caveat": "reproduced", "not attempted": "undecided at this scale"}
    assert alike.get(found[0], found[0]) == alike.get(found[1], found[1])


def _deciding(parts):
    return [part for part in parts if part.source != "ours"]


@pytest.mark.parametrize("name", ["gain", "se"])
def test_a_value_that_was_not_recorded_is_an_error(name):
    values = {"gain": 0.3, "se": 0.1, "sd": 1.0}
    del values[name]
    with pytest.raises(
        LedgerError, match=f"sypherd2023:fig-2: a part asks for '{name}', which was not recorded; .* sd"
    ):
        judge(exhibit(SURE), values, "quick")


def test_a_value_that_is_no_number_is_an_error():
    with pytest.raises(LedgerError, match="sypherd2023:fig-2: a part needs a number, gain is 'much'"):
        judge(exhibit(GAIN), {"gain": "much"}, "quick")


@pytest.fixture
def build(tmp_path, monkeypatch):
    monkeypatch.setattr("marginloss.companion.results.build_folder", lambda: tmp_path)
    return tmp_path


@pytest.fixture
def one(build, monkeypatch):
    """The status of an exhibit, given what its chapter recorded."""

    def status_of(entry, scale="quick", **values):
        monkeypatch.setattr(exhibits, "entries", lambda key, kind: [entry])
        stored = {f"{entry.key}.{entry.item}.{name}": value for name, value in values.items()}
        # neither another exhibit's value nor one whose item begins alike
        stored |= {"sypherd2023.fig-20.gap": 1.0, "sypherd2023.fig-2.a.x": 1.0, "free": 3}
        Result(entry.chapter, scale, "digest", 2.5, stored).write(result_file(entry.chapter, scale))
        return status(scale=scale)[0]

    return status_of


def test_status_reads_what_the_runner_wrote(one):
    line = one(exhibit(GAIN), gain=0.25)
    assert (line.verdict, line.values, line.seconds) == ("reproduced", {"gain": 0.25}, 2.5)
    assert [judged.outcome for judged in line.parts] == ["met"]


def test_the_reason_is_in_sentences_and_says_what_is_missing(one):
    line = one(exhibit(GAIN, MORE, asks("read", "reading"), OURS), gain=0.125, more=0.3, read=0.3, ours=0.1)
    assert line.verdict == "partly reproduced"
    assert line.reason == (
        "Not met: gain is large (0.125, asked for at least 0.2). "
        "Not decided: read is large (0.3, asked for at least 0.2; half or double of our number decides otherwise). "
        "Of ours, not met: ours is large (0.1, asked for at least 0.2)."
    )
    assert "judged at paper scale" in one(exhibit(PAPER), sd=0.3).reason
    assert "(0.25 (standard error 0.1), asked" in one(exhibit(SURE), gain=0.25, se=0.1).reason


def test_the_reason_of_the_ledger_explains_the_verdict_that_it_expects(one):
    known = exhibit(GAIN, reason="Only {gain:.2f} here.", expected={"quick": "not reproduced", "paper": "reproduced"})
    assert one(known, gain=0.125).reason.endswith(" Only 0.12 here.")
    assert "Only" not in one(known, scale="paper", gain=0.125).reason
    with pytest.raises(LedgerError, match="sypherd2023:fig-2: the reason asks for 'sd', which was not computed"):
        one(exhibit(GAIN, reason="{sd}", expected="reproduced with a caveat"), gain=0.3)


def test_missing_data_are_the_reason(one, empty_machine):
    line = one(exhibit(GAIN, needs=("compas",)))
    assert line.verdict == "not attempted" and "marginloss data compas --fetch" in line.reason


def test_a_part_that_has_to_be_asked_for_is_the_reason(one, monkeypatch):
    """At paper scale a chapter records nothing where it has the sample only; its box names the part and the command."""
    from marginloss.companion import exhibits

    monkeypatch.setattr(exhibits, "available", lambda name, part=None: part is None)
    assert "cifar10/full is not here" in one(exhibit(GAIN, needs=("cifar10",)), scale="paper").reason
    assert exhibits.missing_data("cifar10") == ""
    box = exhibits.missing_data("cifar10/full")
    assert "Data set cifar10/full is not here" in box and "`marginloss data cifar10 --fetch`" in box


def test_a_chapter_that_was_not_run_is_the_reason(build):
    assert all("has not been run at paper scale" in line.reason for line in status("sypherd2023", "paper"))


def test_status_lists_every_exhibit(build):
    assert [line.id for line in status(scale="paper")] == [entry.id for entry in entries(kind="exhibit")]


def test_status_refuses_a_scale_that_is_none():
    with pytest.raises(ValueError, match="unknown scale 'huge'"):
        status(scale="huge")


@pytest.fixture
def glued(monkeypatch):
    seen = {}
    monkeypatch.setenv(RECORDING, "1")
    monkeypatch.setattr("myst_nb.glue", lambda name, value, display: seen.__setitem__(name, value))
    return seen


def test_record_glues_plain_values(glued):
    record(
        "sypherd2023:fig-5", gain=np.float64(0.25), runs=np.int64(4), ok=np.bool_(True), curve=np.arange(3), name="a"
    )
    assert glued == {
        "sypherd2023.fig-5.gain": 0.25,
        "sypherd2023.fig-5.runs": 4,
        "sypherd2023.fig-5.ok": True,
        "sypherd2023.fig-5.curve": [0, 1, 2],
        "sypherd2023.fig-5.name": "a",
    }
    assert all(type(value) in (float, int, bool, list, str) for value in glued.values())


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"id": "sypherd2023:fig-55", "x": 1}, ValueError, "unknown exhibit 'sypherd2023:fig-55'; did you mean"),
        ({"id": "sypherd2023:lemma-3", "x": 1}, ValueError, "unknown exhibit"),
        ({"id": "sypherd2023:fig-5"}, ValueError, "sypherd2023:fig-5: nothing to record"),
        ({"id": "sypherd2023:fig-5", "gain_1.1": 1}, ValueError, "sypherd2023:fig-5: a name must have no dot"),
        ({"id": "sypherd2023:fig-5", "gain": math.nan}, ValueError, "sypherd2023:fig-5: gain must be finite"),
        ({"id": "sypherd2023:fig-5", "gain": {1: 2}}, TypeError, "sypherd2023:fig-5: gain must be a number"),
    ],
)
def test_record_refuses(glued, arguments, error, message):
    with pytest.raises(error, match=message):
        record(arguments["id"], **{name: value for name, value in arguments.items() if name != "id"})
    assert glued == {}


def test_record_without_an_exhibit_keeps_plain_names(glued):
    record(plateau=np.float64(0.7), runs=4)
    assert glued == {"plateau": 0.7, "runs": 4}


def test_record_keeps_nothing_where_a_reader_runs_a_cell(glued, monkeypatch):
    monkeypatch.delenv(RECORDING)
    record(plateau=0.7)
    assert glued == {}
