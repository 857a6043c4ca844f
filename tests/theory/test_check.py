"""Registration and verdicts; and every claim of the ledger comes out as it expects."""

from __future__ import annotations

import math

import pytest

from marginloss.companion.findings import confirm
from marginloss.companion.ledger import PAPERS, entries
from marginloss.theory import CHECKS, Finding, check, claim, function_of, outcome

CLAIMS = entries(kind="claim")


@pytest.mark.parametrize("entry", CLAIMS, ids=lambda entry: entry.id)
def test_computed_verdict_is_the_expected_one(entry, need, found):
    need(*entry.needs)
    finding = found(entry.id)
    assert finding.verdict == entry.expected, f"{finding}"
    assert all(math.isfinite(value) for value in finding.evidence.values())


@pytest.mark.parametrize("entry", entries(kind="erratum"), ids=lambda entry: entry.id)
def test_errata_are_confirmed_by_the_claims_they_name(entry, found):
    finding = found(entry.confirmed_by) if entry.confirmed_by else None
    assert confirm(entry, finding) == entry.expected


@pytest.mark.parametrize("key", PAPERS)
def test_every_check_belongs_to_a_claim_of_the_ledger(key):
    known = {entry.id for entry in entries(key, "claim")}
    if known:
        function_of(next(iter(known)))  # loads the module
    assert {name for name in CHECKS if name.startswith(f"{key}:")} <= known


def test_finding_carries_what_the_check_returned():
    finding = check("sypherd2023:lemma-3")
    assert finding.id == "sypherd2023:lemma-3"
    assert finding.verdict == "holds" and finding.slack >= 0
    assert all(type(value) is float for value in finding.evidence.values())


@pytest.mark.parametrize("name", ["sypherd2023:lema-3", "nobody2020:lemma-3", "sypherd2023:fig-5", "lemma-3"])
def test_unknown_claims_are_key_errors(name):
    with pytest.raises(KeyError, match="no claim"):
        check(name)


def test_unknown_claims_come_with_close_ones():
    with pytest.raises(KeyError, match="close: sypherd2023:lemma-3"):
        check("sypherd2023:lema-3")


@pytest.mark.parametrize(
    ("arguments", "verdict"),
    [
        ({"slack": 1.0}, "holds"),
        ({"slack": 0.0}, "holds"),
        ({"slack": -1e-9}, "fails as printed"),
        ({"slack": -1e-9, "tolerance": 1e-8}, "holds"),
        ({"slack": 1.0, "caveat": True}, "holds with a caveat"),
        ({"slack": -1.0, "caveat": True}, "fails as printed"),
        ({"slack": 1.0, "holds": False}, "fails as printed"),
        ({"slack": -1.0, "holds": True}, "holds"),
        ({"slack": math.inf}, "holds"),
    ],
)
def test_outcome(arguments, verdict):
    assert outcome(**arguments).verdict == verdict


def test_outcome_refuses_what_is_no_number():
    with pytest.raises(ValueError, match="slack must be a number, got nan"):
        outcome(math.nan)
    with pytest.raises(ValueError, match="could not convert"):
        outcome(1.0, evidence={"x": "much"})


def test_two_checks_of_one_claim_are_refused():
    @claim("nobody2020:lemma-3")
    def first():
        return outcome(1.0)

    with pytest.raises(ValueError, match="nobody2020:lemma-3 is checked twice"):

        @claim("nobody2020:lemma-3")
        def second():
            return outcome(1.0)


def test_an_erratum_is_not_confirmed_by_a_claim_that_comes_out_otherwise():
    (erratum,) = [entry for entry in entries("sypherd2023", "erratum") if entry.item == "erratum-1"]
    assert confirm(erratum, Finding(erratum.confirmed_by, "fails as printed", -1.0, {})) == "confirmed"
    assert confirm(erratum, Finding(erratum.confirmed_by, "holds", 1.0, {})) == "not attempted"
    assert confirm(erratum, Finding(erratum.confirmed_by, "not attempted", None, {})) == "not attempted"
