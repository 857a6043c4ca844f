"""Evidence against the specification's numbers, and checks that can fail."""

from dataclasses import replace

import numpy as np
import pytest

from marginloss.losses.proper import AlphaCPELoss, FocalLoss, untwisting_alpha
from marginloss.theory.sypherd2022 import divergences, gains, links, pilboost, tilts
from marginloss.theory.sypherd2022.clipped import clipped_inverse_link
from marginloss.theory.sypherd2022.pilboost import trace
from marginloss.theory.sypherd2022.tilting import ConstructiveAlpha, constructive_alpha, tilt_gain, tilted_cross_entropy


def test_evidence_of_the_specification(found):
    assert found("sypherd2022:lemma-8a").evidence["slope_at_0.3_alpha_minus_2"] == pytest.approx(1.195, abs=5e-4)
    assert found("sypherd2022:eq-146").evidence["excess_at_0.09_0.1"] == pytest.approx(0.000953, abs=5e-7)
    assert found("sypherd2022:eq-146").evidence["printed_allowance"] == pytest.approx(0.000556, abs=5e-7)
    assert found("sypherd2022:eq-168").evidence["root"] == pytest.approx(6.3197, abs=5e-5)
    assert found("sypherd2022:appendix-a.10").evidence["largest"] == pytest.approx(0.247066, abs=5e-7)
    assert found("sypherd2022:theorem-16").evidence["slack_with_plus_sign"] < -2.4
    off = found("sypherd2022:assumption-c").evidence
    for alpha, curvature in {2.7: 0.2239, 4: 0.2326, 8: 0.2425}.items():
        assert off[f"off_interval_at_{alpha:g}"] == pytest.approx(curvature, abs=5e-5)
    concavity = found("sypherd2022:eq-98-concavity").evidence
    assert concavity["at_clean_0.01_alpha_10_twisted_0.291"] == pytest.approx(0.80, abs=5e-3)
    assert concavity["at_clean_0.001_alpha_3_twisted_0.071"] == pytest.approx(0.106, abs=5e-4)
    zeros = found("sypherd2022:eq-98-zeros").evidence
    for alpha, zero in {1.1: 0.890317, 1.4: 0.863670, 2: 0.819808, 10: 0.625816, 100: 0.516639}.items():
        assert zeros[f"zero_{alpha:g}"] == pytest.approx(zero, abs=1e-6)
    limits = found("sypherd2022:eq-103-limit").evidence
    assert limits["error_of_exact_limit"] < 1e-6
    for clean, limit in {0.6: 0.550169, 0.75: 0.627822, 0.9: 0.713488, 0.99: 0.774500}.items():
        assert limits[f"limit_{clean:g}"] == pytest.approx(limit, abs=1e-6)


def test_evidence_of_the_repairs(found):
    assert 0 <= found("sypherd2022:eq-146").evidence["slack_with_factor_2"] < 1e-5
    assert found("sypherd2022:lemma-2").evidence["spread_at_infinity"] < 1e-15
    assert found("sypherd2022:lemma-4").evidence["share_blunted_at_0.6"] == 0
    monotone = found("sypherd2022:lemma-8a").evidence
    assert monotone["largest_slope_alpha_positive"] < 0
    assert monotone["asymmetry"] < 1e-11 and monotone["error_of_the_derivative"] < 1e-6
    assert found("sypherd2022:theorem-11-weights").evidence["slack_with_mean_weight"] >= 0
    margins = found("sypherd2022:theorem-11-margins").evidence
    assert margins["runs"] == 3 and margins["cases"] > 6
    # the specification's values at gamma = 0, 0.5, 2, 50 and lambda = 10, 100
    focal = found("sypherd2022:lemma-6").evidence
    assert [focal[f"at_gamma_{g}"] for g in ("0", "0.5", "2", "50")] == pytest.approx(
        [0.2, 0.2654, 0.3734, 0.4931], abs=5e-5
    )
    sharp = found("sypherd2022:lemma-13").evidence
    assert [sharp[f"largest_at_lambda_{lam}"] for lam in ("10", "100")] == pytest.approx([0.0929, 0.0991], abs=6e-5)


def test_guarantee_of_theorem_16_by_hand():
    found = ConstructiveAlpha(alpha=1.0, bound=1.0, edge=-0.5, inside=0.6, outside_edge=0.2)
    entropy = -0.25 * np.log(0.25) - 0.75 * np.log(0.75)
    assert found.guarantee == pytest.approx(0.6 * entropy + 0.4 * (0.2 * np.log(3) + 1 / 3))


def test_cost_of_boosting_by_hand():
    # F* = 1/2, a = 2, zeta = 0.2: pi = 1/4, Q = 2 F* / (gamma^2 0.64 (15/16))
    assert pilboost.cost_of_boosting(0.5, 2.0, 0.1, 0.2) == pytest.approx(1 / (0.01 * 0.64 * 15 / 16))
    # a short step is one with a larger F*, (1 - zeta) / a = 4
    assert pilboost.cost_of_boosting(0.5, 0.2, 0.1, 0.2) == pytest.approx(8 / (0.01 * 0.64))
    # too long a step for (C), and a discrepancy too large for (E)
    assert np.isinf(pilboost.cost_of_boosting(0.5, [3.3, 2.0], 0.1, [0.2, 1.0])).all()


def test_trace_guarantee_by_hand():
    measured = np.array([[0.5, 0.4], [0.08, 0.03], [0.4, 0.3], [0.2, 0.1]])
    run = pilboost.Trace(2.0, 0.5, 0.6, *measured, shares={0.0: np.array([0.3, 0.2])}, size=10)
    bound, valid = run.guarantee()
    costs = [1 / (gamma**2 * 0.64 * 15 / 16) for gamma in (0.2, 0.1)]
    assert valid == 2
    assert bound == pytest.approx([0.6 - 0.16 / costs[0], 0.6 - 0.25 / costs[1]])


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
        super().__init__(1 / (1 + abs(parameters[1])))


class Reversed(AlphaCPELoss):
    """Weighs most what is right by most."""

    def pseudo_inverse_link(self, z):
        return super().pseudo_inverse_link(-np.asarray(z))


WRONG = [
    (links, "clipped_inverse_link", lambda loss, z: clipped_inverse_link(loss, np.add(z, 0.01)), links.lemma_17),
    (links, "scaled_link_gap", lambda alpha, within=1.0: (0.134, 0.0), links.lemma_19),
    (links, "AlphaCPELoss", lambda alpha: AlphaCPELoss(1.05 * alpha), links.slope_at_zero),
    (pilboost, "AlphaCPELoss", Reversed, pilboost.lemma_21),
    (tilts, "untwisting_alpha", lambda clean, twisted: 1.01 * untwisting_alpha(clean, twisted), tilts.lemma_8c),
    (tilts, "AlphaCPELoss", lambda alpha: AlphaCPELoss(abs(alpha)), tilts.symmetry),
    (divergences, "AlphaCPELoss", lambda alpha: AlphaCPELoss(2 * alpha), divergences.lemma_15),
    (divergences, "best_alpha", lambda clean, twisted: 1.05, divergences.search_range),
    (tilts, "FocalLoss", Sharpening, tilts.lemma_6),
    (tilts, "SuperLoss", Blunting, tilts.lemma_13),
    (tilts, "untwisting_alpha", lambda clean, twisted: 0.9 * np.ones_like(clean), tilts.lemma_8d),
    (tilts, "flip_posterior", lambda eta, rate: eta * (1 - rate), tilts.lemma_4),
    (divergences, "untwisting_alpha", lambda clean, twisted: np.full_like(twisted, 30.0), divergences.theorem_9),
    (links, "clipped_inverse_link", lambda loss, z: loss.inverse_link(z), links.lemma_18),
    (links, "SHARP_CONSTANT", 0.08, links.sharp_bound),
    (gains, "tilt_gain", lambda alpha, clean, x: -np.abs(np.asarray(x) - 0.6), gains.maximum),
    (gains, "tilt_gain", lambda alpha, clean, x: np.sin(9 * np.asarray(x)), gains.convexity),
    (links, "_printed_pseudo_inverse_link", lambda alpha, z: AlphaCPELoss(alpha).inverse_link(z), links.lemma_18),
    (links, "scaled_link_gap", lambda alpha: (0.134, 0.0), links.chain),
    (links, "expit", lambda z: 0.5 * np.ones_like(z), links.matusita),
    (tilts, "AlphaCPELoss", lambda alpha: AlphaCPELoss(np.inf), tilts.lemma_2),
    (tilts, "AlphaCPELoss", lambda alpha: AlphaCPELoss(1.01 * alpha), tilts.lemma_8b),
    (gains, "tilt_gain", lambda alpha, clean, x: tilt_gain(alpha, clean, x) + 1e-6, gains.zeros),
    (links, "brentq", lambda *arguments: 5.9, links.roots),
]
RIGHT = [
    (gains, "gain_curvature", lambda alpha, clean, x: -np.ones_like(x), gains.concavity),
    (gains, "gain_maximiser", lambda alpha, clean: clean / 2 + 0.25, gains.maximum_limit),
    (divergences, "binary_entropy", np.zeros_like, divergences.estimated_edge),
    (tilts, "AlphaCPELoss", lambda alpha: AlphaCPELoss(abs(alpha)), tilts.lemma_8a),
    (pilboost, "trace", lambda *case: replace(trace(*case), size=1), pilboost.total_weight),
]


@pytest.mark.parametrize(
    ("module", "name", "wrong", "claim"), WRONG, ids=[case[1] + "-" + case[3].__name__ for case in WRONG]
)
def test_checks_can_fail(monkeypatch, module, name, wrong, claim):
    monkeypatch.setattr(module, name, wrong)
    assert claim().verdict == "fails as printed"


@pytest.mark.parametrize(("module", "name", "right", "claim"), RIGHT, ids=[case[3].__name__ for case in RIGHT])
def test_what_fails_as_printed_would_hold_if_it_were_true(monkeypatch, module, name, right, claim):
    assert claim().verdict == "fails as printed"
    monkeypatch.setattr(module, name, right)
    assert claim().verdict == "holds"


def test_a_focal_loss_that_crosses_one_half_is_found_out(monkeypatch):
    class Crossing(FocalLoss):
        def tilt(self, eta):
            return super().tilt(eta) + 0.05

    monkeypatch.setattr(tilts, "FocalLoss", Crossing)
    assert tilts.lemma_6().verdict == "fails as printed"


def test_margin_guarantee_can_fail(monkeypatch):
    good = pilboost._margin_runs()
    for k, (run, alpha) in enumerate(good):  # each run decides by itself
        worse = replace(run, shares={level: np.full_like(shares, 0.96) for level, shares in run.shares.items()})
        bad = [*good[:k], (worse, alpha), *good[k + 1 :]]
        monkeypatch.setattr(pilboost, "_margin_runs", lambda bad=bad: bad)
        assert pilboost.margin_guarantee().verdict == "fails as printed"
    monkeypatch.setattr(pilboost, "_margin_runs", list)
    assert pilboost.margin_guarantee().verdict == "fails as printed"


def test_rate_of_the_discrepancy_can_fail(monkeypatch):
    for power in (1, 3):
        monkeypatch.setattr(pilboost, "_best_decrease", lambda zeta, power=power: (1 - zeta) ** power)
        assert pilboost.rate().verdict == "fails as printed"


def test_rules_of_sets_can_be_broken(monkeypatch):
    true = tilts._minimiser_sets
    spoilt = [
        lambda sets: [*sets[:4], {8}, *sets[5:]],  # not monotone, not symmetric
        lambda sets: [{u for u in found if u} or {1} for found in sets],  # 0 is lost
        lambda sets: [found | {4} if j in (5, 7) else found - {4} or {4} for j, found in enumerate(sets)],
    ]
    for spoil in spoilt:
        monkeypatch.setattr(tilts, "_minimiser_sets", lambda partial, spoil=spoil: spoil(true(partial)))
        assert tilts.lemma_12().verdict == "fails as printed"
    monkeypatch.setattr(tilts, "_minimiser_sets", true)
    monkeypatch.setattr(tilts, "_difference", lambda loss, u: np.asarray(u))
    assert tilts.lemma_12().verdict == "fails as printed"


def test_polarity_and_curvature_checks_can_fail(monkeypatch):
    monkeypatch.setattr(divergences, "constructive_alpha", lambda *a: replace(constructive_alpha(*a), alpha=1.0))
    assert divergences.polarity().verdict == "fails as printed"
    monkeypatch.setattr(gains, "gain_curvature", lambda alpha, clean, x: -4 * (alpha - 1))
    assert gains.curvature_at_half().verdict == "fails as printed"


def test_remark_after_160_can_fail(monkeypatch):
    monkeypatch.setattr(links, "times", lambda weight, value: np.where(value == 0, 0.1 * weight, value))
    assert links.clipped_partial_losses().verdict == "fails as printed"


def test_risk_guarantees_can_fail(monkeypatch):
    bad = [replace(run, risks=run.risks + 0.02 * np.arange(len(run.risks))) for run in pilboost._runs()]
    monkeypatch.setattr(pilboost, "_runs", lambda: bad)
    assert pilboost.one_step().verdict == "fails as printed"
    assert pilboost.risk_guarantee().verdict == "fails as printed"


def test_surrogate_checks_can_fail(monkeypatch):
    # a convex, falling function that is not the surrogate
    monkeypatch.setattr(AlphaCPELoss, "surrogate", lambda self, z: np.logaddexp(0, -2 * np.asarray(z)))
    assert links.lemma_1().verdict == "fails as printed"
    assert links.log_loss().verdict == "fails as printed"


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


def test_a_guarantee_for_populations_that_is_too_good_is_found_out(monkeypatch):
    monkeypatch.setattr(divergences, "tilted_cross_entropy", lambda *args: 0.05 + tilted_cross_entropy(*args))
    assert divergences.theorem_16().verdict == "fails as printed"
