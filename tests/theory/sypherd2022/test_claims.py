"""Verdicts as the ledger expects them, evidence against the specification's numbers, and checks that can fail."""

from dataclasses import replace

import numpy as np
import pytest

from marginalia.ledger import entries
from marginalia.losses.proper import AlphaCPELoss, constructive_alpha
from marginalia.theory import check
from marginalia.theory.sypherd2022 import divergences, gains, links, tilts

CLAIMS = entries("sypherd2022", "claim")


@pytest.mark.parametrize("entry", CLAIMS, ids=lambda entry: entry.id)
def test_verdict_is_the_expected_one(entry):
    assert check(entry.id).verdict == entry.expected


def test_evidence_of_the_specification():
    assert check("sypherd2022:lemma-8a").evidence["slope_at_0.3_alpha_minus_2"] == pytest.approx(1.195, abs=5e-4)
    assert check("sypherd2022:eq-146").evidence["excess_at_0.09_0.1"] == pytest.approx(0.000953, abs=5e-7)
    assert check("sypherd2022:eq-168").evidence["root"] == pytest.approx(6.3197, abs=5e-5)
    assert check("sypherd2022:appendix-a.10").evidence["largest"] == pytest.approx(0.247066, abs=5e-7)
    assert check("sypherd2022:theorem-16").evidence["slack_with_plus_sign"] < -2.4
    off = check("sypherd2022:assumption-c").evidence
    for alpha, curvature in {2.7: 0.2239, 4: 0.2326, 8: 0.2425}.items():
        assert off[f"off_interval_at_{alpha:g}"] == pytest.approx(curvature, abs=5e-5)
    concavity = check("sypherd2022:eq-98-concavity").evidence
    assert concavity["at_clean_0.01_alpha_10_twisted_0.291"] == pytest.approx(0.80, abs=5e-3)
    limits = check("sypherd2022:eq-103-limit").evidence
    for clean, limit in {0.6: 0.550169, 0.75: 0.627822, 0.9: 0.713488, 0.99: 0.774500}.items():
        assert limits[f"limit_{clean:g}"] == pytest.approx(limit, abs=1e-6)


def test_scaled_link_gap_of_the_specification():
    published = {
        1.1: 0.084306,
        1.2: 0.082946,
        1.5: 0.079588,
        2: 0.076031,
        4: 0.073398,
        5: 0.073741,
        10: 0.075026,
        100: 0.076326,
    }
    for alpha, gap in published.items():
        assert links.scaled_link_gap(alpha)[0] == pytest.approx(gap, abs=1e-6)
    gap, where = links.scaled_link_gap(5.0)
    assert where / 1.25 == pytest.approx(0.98970, abs=2e-5)
    z = np.linspace(-1.25, 1.25, 20001)
    loss = AlphaCPELoss(5)
    assert 5 * np.abs(loss.pseudo_inverse_link(z) - loss.inverse_link(z)).max() == pytest.approx(gap, abs=1e-6)


def test_gain_against_differences():
    x, h = np.linspace(0.05, 0.95, 19), 1e-4
    for alpha, clean in [(0.5, 0.2), (3.0, 0.9)]:
        values = [gains.tilt_gain(alpha, clean, x + k * h) for k in (-1, 0, 1)]
        differences = (values[0] - 2 * values[1] + values[2]) / h**2
        np.testing.assert_allclose(gains.gain_curvature(alpha, clean, x), differences, rtol=1e-5, atol=1e-6)


class Sharpening(AlphaCPELoss):
    """Stands in for a loss with other parameters, and sharpens."""

    def __init__(self, *parameters):
        super().__init__(1 + abs(parameters[-1]))


class Blunting(AlphaCPELoss):
    def __init__(self, *parameters):
        super().__init__(1 / (1 + abs(parameters[-1])))


WRONG = [
    (tilts, "FocalLoss", Sharpening, tilts.lemma_6),
    (tilts, "SuperLoss", Blunting, tilts.lemma_13),
    (tilts, "untwisting_alpha", lambda clean, twisted: 0.9 * np.ones_like(clean), tilts.lemma_8d),
    (tilts, "flip_posterior", lambda eta, rate: eta * (1 - rate), tilts.lemma_4),
    (divergences, "untwisting_alpha", lambda clean, twisted: np.full_like(twisted, 30.0), divergences.theorem_9),
    (links, "clipped_inverse_link", lambda loss, z: loss.inverse_link(z), links.lemma_18),
    (links, "SHARP_CONSTANT", 0.08, links.sharp_bound),
    (gains, "tilt_gain", lambda alpha, clean, x: -np.abs(np.asarray(x) - 0.6), gains.maximum),
]


@pytest.mark.parametrize(
    ("module", "name", "wrong", "claim"), WRONG, ids=[case[1] + "-" + case[3].__name__ for case in WRONG]
)
def test_checks_can_fail(monkeypatch, module, name, wrong, claim):
    monkeypatch.setattr(module, name, wrong)
    assert claim().verdict == "fails as printed"


def test_constructive_checks_can_fail(monkeypatch):
    def doubled(*args):
        found = constructive_alpha(*args)
        return replace(found, alpha=2 * found.alpha)

    monkeypatch.setattr(divergences, "constructive_alpha", doubled)
    for claim in (divergences.theorem_10, divergences.bound_shape, divergences.example):
        assert claim().verdict == "fails as printed"


def test_link_checks_can_fail(monkeypatch):
    monkeypatch.setattr(AlphaCPELoss, "inverse_link", AlphaCPELoss.pseudo_inverse_link)
    assert links.surrogate_slope().verdict == "fails as printed"
    monkeypatch.setattr(AlphaCPELoss, "surrogate_curvature", lambda self, z: np.full_like(z, 0.6))
    assert links.curvature().verdict == "fails as printed"
