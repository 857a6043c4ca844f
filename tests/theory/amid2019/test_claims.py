"""Verdicts as the ledger expects them, evidence against the specification's numbers, and checks that can fail."""

import numpy as np
import pytest

from marginalia.ledger import entries
from marginalia.losses import TwoTemperatureLoss, tempered
from marginalia.theory import check, confirm
from marginalia.theory.amid2019 import consistency, functions, iterations, shape

CLAIMS = [entry.id for entry in entries("amid2019", "claim")]


@pytest.fixture(scope="module")
def findings():
    return {claim: check(claim) for claim in CLAIMS}


@pytest.mark.parametrize("entry", entries("amid2019", "claim"), ids=lambda entry: entry.id)
def test_verdict_is_the_expected_one(findings, entry):
    assert findings[entry.id].verdict == entry.expected


@pytest.mark.parametrize("entry", entries("amid2019", "erratum"), ids=lambda entry: entry.id)
def test_errata(findings, entry):
    assert confirm(entry, findings.get(entry.confirmed_by)) == entry.expected


def test_evidence_of_the_specification(findings):
    def evidence(claim):
        return findings[f"amid2019:{claim}"].evidence

    assert evidence("c7")["ratio"] == pytest.approx(7, abs=1e-6)
    assert evidence("c20")["printed_at_5"] == pytest.approx(2.9533, abs=5e-5)
    assert evidence("c20")["exact_at_5"] == pytest.approx(2.5848, abs=5e-5)
    assert [evidence("c21")[f"updates_t{t}"] for t in ("1.12", "1.3", "1.5", "1.9")] == [6, 8, 9, 12]
    assert evidence("c22")["rise_at_a_10"] == pytest.approx(0.675, abs=1e-3)
    assert evidence("c18")["slope_near_the_edge"] == pytest.approx(-6034, rel=1e-3)
    assert evidence("c26")["risk_on_the_plateau"] == pytest.approx(1.143, abs=5e-4)
    assert evidence("c26")["smallest_risk_there"] == pytest.approx(0.669, abs=5e-4)
    # what the repaired statements leave
    assert evidence("c16")["error_repaired"] < 1e-12
    assert evidence("c17")["error_repaired"] < 1e-12
    assert evidence("c24")["error_repaired"] < 1e-12
    assert evidence("c22")["smallest_step_of_the_iteration"] >= 0


def test_curvature_counterexample_of_the_specification():
    bends = [TwoTemperatureLoss(1.5, t2).derivative(6.0, 2) for t2 in (1.5, 1.4)]
    assert bends == pytest.approx([0.006326, 0.005994], abs=1e-6)


@pytest.mark.parametrize(
    ("module", "name", "wrong", "claim"),
    [
        (functions, "log_t", lambda x, t: 1.001 * tempered.log_t(x, t), functions.inverse_functions),
        (functions, "escort", lambda p, t: p, functions.gradient_is_the_escort),
        (functions, "log_partition", lambda a, t: -np.abs(a).sum(axis=-1), functions.convex_and_shift),
        (functions, "log_partition_margin", lambda a, t: np.abs(a) / 2, functions.closed_form_at_two),
        (functions, "tsallis_entropy", lambda p, t: p.sum(axis=-1), functions.entropy_and_divergence),
        (iterations, "log_partition", lambda a, t: tempered.log_partition(a, t) + 1e-6, iterations.algorithm_1),
        (iterations, "fixed_point_updates", lambda gaps, t: np.array([21]), iterations.about_twenty_iterations),
        (shape, "escort", lambda p, t: p, shape.gradient_of_the_binary_loss),
        (shape, "softmax_t", lambda a, t: tempered.softmax_t(a, 1.0), shape.special_cases),
        (consistency, "escort", lambda p, t: p, consistency.proper_through_the_escort),
    ],
)
def test_a_wrong_formula_is_found_out(monkeypatch, module, name, wrong, claim):
    monkeypatch.setattr(module, name, wrong)
    assert claim().verdict == "fails as printed"


def test_a_loss_with_two_bumps_is_found_out(monkeypatch):
    class Bumpy(TwoTemperatureLoss):
        def _derivative(self, z, order):
            return super()._derivative(z, order) + 1e-3 * np.sin(z)

    monkeypatch.setattr(shape, "TwoTemperatureLoss", Bumpy)
    assert shape.single_inflection().verdict == "fails as printed"
    assert shape.convex_region().verdict == "fails as printed"
