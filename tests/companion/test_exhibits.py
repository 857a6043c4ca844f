"""Verdicts on exhibits follow from recorded values, and what cannot be judged is an error that names the entry."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from marginloss.companion import exhibits
from marginloss.companion.exhibits import judge, record, status
from marginloss.companion.ledger import Condition, Entry, LedgerError, entries


def exhibit(*conditions, **fields):
    given = {"reason": "", "expected": "reproduced", "chapter": "11_alpha_loss"} | fields
    return Entry("sypherd2023:fig-2", "exhibit", "Figure 2", "A figure.", conditions=conditions, **given)


GAIN = Condition("gain", at_least=0.2)


@pytest.mark.parametrize(
    ("entry", "values", "verdict"),
    [
        (exhibit(GAIN), {"gain": 0.25}, "reproduced"),
        (exhibit(GAIN, reason="But."), {"gain": 0.25}, "reproduced with a caveat"),
        (exhibit(GAIN), {"gain": 0.1}, "not reproduced"),
        (exhibit(GAIN, reason="But."), {"gain": 0.1}, "not reproduced"),
        (exhibit(GAIN), {}, "not attempted"),
        (exhibit(GAIN, Condition("sd", at_most=1, scale="paper")), {"gain": 0.3, "sd": 2.0}, "reproduced"),
        (exhibit(Condition("gain", at_least=0.2, scale="paper")), {"gain": 0.3}, "not attempted"),
        (exhibit(Condition("flat", at_least=1)), {"flat": True}, "reproduced"),
    ],
)
def test_judge(entry, values, verdict):
    assert judge(entry, values, "quick")[0] == verdict


def test_the_reason_names_the_condition_that_failed():
    unmet = "Not met: gain at least 0.2: got 0.125."
    assert judge(exhibit(GAIN), {"gain": 0.125}, "quick")[1] == unmet
    # a caveat to what was hoped for does not say why it did not come
    assert judge(exhibit(GAIN, reason="But."), {"gain": 0.125}, "quick")[1] == unmet
    known = exhibit(GAIN, reason="Only {gain:.2f} here.", expected="not reproduced")
    assert judge(known, {"gain": 0.125}, "quick")[1] == f"{unmet} Only 0.12 here."


def test_the_reason_shows_recorded_numbers():
    entry = exhibit(GAIN, reason="With a spread of {sd:.1%} over {runs} runs.")
    assert judge(entry, {"gain": 0.3, "sd": 0.0417, "runs": 4}, "quick")[1] == "With a spread of 4.2% over 4 runs."
    with pytest.raises(LedgerError, match="sypherd2023:fig-2: the reason asks for 'sd', which was not computed"):
        judge(entry, {"gain": 0.3}, "quick")


def test_conditions_of_the_other_scale_count_there():
    entry = exhibit(GAIN, Condition("sd", at_most=1, scale="paper"))
    assert judge(entry, {"gain": 0.3, "sd": 2.0}, "paper")[0] == "not reproduced"


def test_a_value_that_was_not_recorded_is_an_error():
    with pytest.raises(
        LedgerError, match=r"sypherd2023:fig-2: a condition asks for 'gain', which was not recorded; .* sd"
    ):
        judge(exhibit(GAIN), {"sd": 1.0}, "quick")


def test_a_value_that_is_no_number_is_an_error():
    with pytest.raises(LedgerError, match="sypherd2023:fig-2: a condition needs a number, gain is 'much'"):
        judge(exhibit(GAIN), {"gain": "much"}, "quick")


def test_missing_data_are_the_reason(monkeypatch):
    monkeypatch.setattr("marginloss.datasets.available", lambda name: None)
    verdict, reason = judge(exhibit(GAIN, needs=("compas",)), {}, "quick")
    assert verdict == "not attempted" and "marginloss data compas --fetch" in reason


@pytest.fixture
def build(tmp_path, monkeypatch):
    monkeypatch.setattr(exhibits, "build_folder", lambda: tmp_path)
    return tmp_path


def test_status_reads_what_the_runner_wrote(build):
    wanted = {"smallest_decrease": 1e-3, "convex_weights_monotone": True, "peak_error": 0.001}
    file = build / "results" / "quick" / "11_alpha_loss.json"
    file.parent.mkdir(parents=True)
    values = {f"sypherd2023.fig-2.{name}": value for name, value in wanted.items()}
    # neither another exhibit's value nor one whose item begins alike
    values |= {"sypherd2023.fig-20.gap": 1.0, "sypherd2023.fig-2.a.x": 1.0, "free": 3}
    file.write_text(json.dumps({"seconds": 2.5, "values": values}))
    lines = {line.id: line for line in status("sypherd2023", "quick")}
    assert lines["sypherd2023:fig-2"].verdict == "reproduced"
    assert lines["sypherd2023:fig-2"].values == wanted
    assert lines["sypherd2023:fig-2"].seconds == 2.5
    assert lines["sypherd2023:fig-20"].verdict == "not attempted"
    assert "13_adaboost_alpha has not been run at quick scale" in lines["sypherd2023:fig-20"].reason
    assert lines["sypherd2023:fig-2"] not in status("sypherd2023", "paper")


def test_status_lists_every_exhibit(build):
    assert [line.id for line in status(scale="paper")] == [entry.id for entry in entries(kind="exhibit")]


def test_status_refuses_a_scale_that_is_none():
    with pytest.raises(ValueError, match="scale must be one of quick, paper, got 'huge'"):
        status(scale="huge")


@pytest.fixture
def glued(monkeypatch):
    seen = {}
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
        ({"id": "sypherd2023:fig-55", "x": 1}, KeyError, "no exhibit 'sypherd2023:fig-55' in the ledger; close:"),
        ({"id": "sypherd2023:lemma-3", "x": 1}, KeyError, "no exhibit"),
        ({"id": "sypherd2023:fig-5"}, ValueError, "sypherd2023:fig-5: nothing to record"),
        ({"id": "sypherd2023:fig-5", "gain_1.1": 1}, ValueError, "sypherd2023:fig-5: a name must have no dot"),
        ({"id": "sypherd2023:fig-5", "gain": math.nan}, ValueError, "sypherd2023:fig-5: gain must be finite"),
        ({"id": "sypherd2023:fig-5", "gain": {1: 2}}, TypeError, "sypherd2023:fig-5: gain must be a number"),
    ],
)
def test_record_refuses(glued, arguments, error, message):
    with pytest.raises(error, match=message):
        record(**arguments)
    assert glued == {}
