import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marginalia.ledger import entries
from marginalia.theory import check
from marginalia.theory.servedio2003 import halfspaces, limits, online, pairing, rounds, variants
from marginalia.theory.servedio2003.pairing import pair_segments
from marginalia.theory.servedio2003.plays import STYLES, nested_sinker, play_smoothboost, random_play, sinker

CLAIMS = entries("servedio2003", "claim")


@pytest.mark.parametrize("entry", CLAIMS, ids=[entry.item for entry in CLAIMS])
def test_verdict_is_the_expected_one(entry):
    finding = check(entry.id)
    assert finding.verdict == entry.expected, finding
    assert all(math.isfinite(value) for value in finding.evidence.values())


@pytest.mark.parametrize("style", STYLES)
def test_random_plays_keep_their_promise(style):
    rng = np.random.default_rng(0)
    play = random_play(style, 0.2, rng)
    for _ in range(50):
        D = rng.random(30) ** 3
        D /= D.sum()
        answer = play(D)
        assert D @ answer >= 0.4 - 1e-12
        assert np.abs(answer).max() <= 1 + 1e-12


def test_sinkers_have_exactly_the_edge_asked_for():
    D = np.full(100, 0.01)
    for play in (sinker(0.1, 20), nested_sinker(0.1, [60, 20])):
        answer = play(D)
        assert D @ answer == pytest.approx(0.2)
        assert (answer[:20] == -1).all()


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(-9, 9).filter(bool), min_size=1, max_size=12))
def test_segments_add_up_and_pairs_match(steps):
    path = [Fraction(0)]
    for step in steps:
        path.append(path[-1] + step)
    found = pair_segments(path)
    assert sum(s.rise for s in found.segments) == path[-1]
    assert sum(s.end - s.start for s in found.segments) == len(steps)
    used = sorted([i for pair in found.pairs for i in pair] + found.unpaired)
    assert used == list(range(len(found.segments)))
    for up, down in found.pairs:
        assert found.segments[up].rise == -found.segments[down].rise > 0
    assert len({found.segments[i].rise > 0 for i in found.unpaired}) <= 1
    assert sum(found.segments[i].rise for i in found.unpaired) == path[-1]


@pytest.mark.parametrize("gamma", [0.1, 0.3, 0.49])
def test_the_best_path_rises_for_ever(gamma):
    """Value iteration finds nothing better than the longest step up in every round."""
    theta = gamma / (2 + gamma)
    decay = -0.5 * math.log1p(-gamma)
    rising = (1 - gamma) / -math.expm1(-decay * (1 - theta))
    assert rounds.largest_gain(gamma, 10) == pytest.approx(rising * gamma * math.sqrt(1 - gamma) / 2, rel=1e-4)


def test_variation_is_that_of_the_two_distributions():
    for epsilon, rate in ((0.1, 0.05), (0.3, 0.1)):
        own, wrong = (1 - rate) * epsilon, rate
        first, second = np.array([own, wrong]), np.array([wrong, own])
        assert limits.variation(epsilon, rate) == pytest.approx(0.5 * np.abs(first - second).sum())


# each check must notice when what it checks is wrong


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_rounds_check_can_fail(monkeypatch):
    monkeypatch.setattr(rounds, "play_smoothboost", lambda *a, **k: play_smoothboost(*a, **{**k, "n_estimators": 50}))
    assert rounds.theorem_2().verdict == "fails as printed"


def test_general_bound_check_can_fail(monkeypatch):
    true = rounds.smoothboost_rounds
    monkeypatch.setattr(rounds, "smoothboost_rounds", lambda *a, **k: 0.2 * true(*a, **k))
    assert rounds.general_bound().verdict == "fails as printed"


def test_fat_shattering_check_can_fail(monkeypatch):
    true = halfspaces.fat_shattering_bound
    monkeypatch.setattr(halfspaces, "fat_shattering_bound", lambda *a, **k: 0.3 * true(*a, **k))
    assert halfspaces.theorem_4().verdict == "fails as printed"
    assert halfspaces.sharp_fat().verdict == "fails as printed"


def test_mistake_check_can_fail(monkeypatch):
    true = online.mistake_bound
    monkeypatch.setattr(online, "mistake_bound", lambda *a: 0.5 * true(*a))
    assert online.section_4_mistakes().verdict == "fails as printed"


def test_adaptive_and_bregman_checks_can_fail(monkeypatch):
    monkeypatch.setattr(variants, "adaptive_rounds", lambda *a: 20.0)
    assert variants.adaptive_bound().verdict == "fails as printed"
    monkeypatch.setattr(variants, "bregman_rounds", lambda *a: 2.0)
    assert variants.bregman_bound().verdict == "fails as printed"


def test_pairing_check_can_fail(monkeypatch):
    monkeypatch.setattr(pairing, "_sum", lambda case, places: 100.0)
    assert pairing.appendix_a().verdict == "fails as printed"
