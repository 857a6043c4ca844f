import math
from itertools import pairwise

import numpy as np
import pytest

from marginloss.boosting import PNormLearner
from marginloss.boosting.bounds import impagliazzo_rounds
from marginloss.companion.experiments import servedio2003 as experiments
from marginloss.companion.experiments.servedio2003.setting import impagliazzo
from marginloss.noise import MaliciousOracle, SparseMajority


def test_friendly_learner_needs_what_the_potential_says():
    """All margins rise by 2 gamma - theta a round, so the run stops when the measure of that height is below kappa."""
    kappa, gamma = 0.1, 0.05
    theta, decay = gamma / (2 + gamma), -0.5 * math.log1p(-gamma)
    exact = math.log(1 / kappa) / decay / (2 * gamma - theta)
    assert experiments.friendly_rounds(kappa, gamma) == math.floor(exact) + 1


def test_nested_sinker_is_at_least_as_bad():
    plain, nested = (experiments.sinker_rounds(0.05, 0.2, nested=nested)["rounds"] for nested in (False, True))
    assert nested >= plain


def test_figure_3():
    pieces = experiments.paired_path([0.0, 0.3, 1.1, 0.5, 0.8])
    assert [piece["end"] for piece in pieces] == [1.0, 1.25, 1.625, 2.0, 2.5, 3.0, 4.0]
    assert [piece["pair"] for piece in pieces] == [0, 0, 2, 1, 1, 2, 0]
    for before, after in pairwise(pieces):
        assert (before["end"], before["high"]) == pytest.approx((after["start"], after["low"]))


@pytest.mark.parametrize("rate", [0.0, 0.2])
def test_two_targets_are_learned_below_the_limit_and_lost_above(rate):
    result = experiments.two_targets(0.1, rate, np.random.default_rng(0))
    assert result["smooth"] == result["best"] == (rate > 0.1)


def test_the_right_norm_learns_the_sparse_target():
    result = experiments.norms_and_online("sparse", 0.0, np.random.default_rng(0))
    assert result["p_inf"] < min(result["p_2"], result["perceptron"])


def test_online_algorithms_are_converted_as_in_theorem_7():
    """Perceptron with two thirds of the examples, its best hypothesis on the rest."""
    rng = np.random.default_rng(0)
    source = SparseMajority(200, 3)
    X, y = source.draw(150, rng)
    rng.random(150)  # the oracle's coins
    clean_X, clean_y = source.draw(20_000, rng)
    hypotheses = [np.zeros(200)]
    for x, label in zip(X[:100], y[:100], strict=True):
        if label * (hypotheses[-1] @ x) <= 0:
            hypotheses.append(hypotheses[-1] + label * x)
    held_out = [np.mean(y[100:] * (X[100:] @ w) <= 0) for w in hypotheses]
    best = hypotheses[int(np.argmin(held_out))]
    result = experiments.norms_and_online("sparse", 0.0, np.random.default_rng(0))
    # one score in a hundred is 0, a matter of rounding where the hypothesis has length one
    assert result["perceptron"] == pytest.approx(np.mean(clean_y * (clean_X @ best) <= 0), abs=0.012)


def test_needed_sample_runs_the_complete_learner():
    """At p = 2 it goes on until the measure says stop; stopped at its margins it would err three times as often."""
    errors = [experiments.needed_sample(1, 2.0, 60, np.random.default_rng(seed))["error"] for seed in range(4)]
    assert np.mean(errors) < 0.09


def test_estimated_radius_ruins_the_advantage():
    known, guessed = (experiments.known_radius(radius, np.random.default_rng(0)) for radius in (1.0, None))
    assert known["stopped"] and not guessed["stopped"]
    assert guessed["advantage"] < 0.1 * known["advantage"]


def test_margins_by_theta_keeps_theorem_1_and_sorts_its_quantiles():
    rows = experiments.margins_by_theta(1.0, np.random.default_rng(0))
    assert [row["level"] for row in rows] == pytest.approx(np.linspace(0, 1, 41))
    assert all(later["margin"] >= earlier["margin"] for earlier, later in pairwise(rows))
    run = rows[0]
    assert run["stopped"] and run["fraction"] < experiments.KAPPA and run["rounds"] < run["bound"]
    # the smallest margin lies between the one aimed at, half of the best possible, and the best possible
    assert 0.5 < run["margin"] <= 1 + 1e-9
    assert run["quantile"] == pytest.approx(rows[2]["margin"])


@pytest.mark.parametrize("rate", [0.2 / 96, 0.01], ids=["tolerated", "five times as much"])
def test_suspects_are_the_dirty_examples(rate):
    result = experiments.error_by_rate("sparse", "maxmargin", rate, np.random.default_rng(0))
    assert result["dirty"] > 0 and result["caught"] == result["suspects"] == result["dirty"]
    assert result["smooth"] == 0
    if rate <= 0.2 / 96:  # Theorem 6 promises no more
        assert result["stopped"] and result["advantage_over_gamma"] >= 1


def test_heaviest_examples_after_one_round():
    """After a single vote two values remain: right and wrong by it, with AdaBoost's odds between them."""
    rows = experiments.heaviest_by_round(0.01, [1, 50], 1000, np.random.default_rng(0))
    for weights in rows.values():
        assert weights.shape == (2, 1000) and weights.mean(axis=1) == pytest.approx(1)
        assert (np.diff(weights, axis=1) <= 0).all()
    assert rows["SmoothBoost"].max() <= 20 < rows["AdaBoost"].max()
    right, wrong = rows["AdaBoost"][0, [-1, 0]]
    source = experiments.SOURCES["sparse"]
    X, y, _ = MaliciousOracle("fake", 0.01, source).draw(1000, np.random.default_rng(0))
    edge = np.abs(X.T @ y).max() / 1000
    assert wrong / right == pytest.approx((1 + edge) / (1 - edge))


def test_impagliazzos_measure_is_linear():
    """The measure that the next round would use, from the vote that comes back, and its stop below κ."""
    source, gamma = experiments.SOURCES["sparse"], 1 / 12
    X, y = source.draw(300, np.random.default_rng(0))
    done, coef = impagliazzo(PNormLearner(p=math.inf, R=1.0), gamma, X, y, 5000)
    margins = len(done.steps) * y * (X @ coef)
    assert done.margin == pytest.approx(margins)
    assert done.stop_reason == "converged"
    assert np.clip(1 - experiments.KAPPA * gamma * margins, 0, 1).mean() < experiments.KAPPA <= done.densities.min()


def test_relatives_keep_their_bounds():
    result = experiments.relatives(np.random.default_rng(0))
    kappa, gamma = experiments.KAPPA, experiments.LONG_SERVEDIO_GAMMA
    assert result["additive_rounds"] < impagliazzo_rounds(kappa, gamma)
    assert result["mada_rounds"] < 2 / (kappa * gamma**2)
    assert all(0 < result[f"{name}_quantile"] <= 1 + 1e-9 for name in ("smooth", "mada", "additive"))


def test_an_adversary_that_sees_the_sample_makes_another_sample():
    weak, strong = (
        experiments.error_by_rate("sparse", "adaptive", 0.05, np.random.default_rng(0), strong=strong)
        for strong in (False, True)
    )
    assert weak["dirty"] == strong["dirty"] and weak["smooth"] == strong["smooth"] == 0
    assert weak["ada"] != strong["ada"]


def test_settings_of_the_paper_are_given_and_not_left_to_defaults():
    given = experiments.smoothboost(None, 0.2).get_params()
    assert given["theta"] == pytest.approx(0.2 / 2.2)
    assert (given["kappa"], given["gamma"], given["adaptive"], given["early_stop"]) == (0.05, 0.2, False, False)


def test_the_cap_is_kept_whatever_the_rate():
    rows = experiments.smoothness_by_round(0.05, np.random.default_rng(0))
    last = rows[-1]
    assert max(last["smooth_largest"], last["mada_largest"], last["bregman_largest"]) <= 20 + 1e-9
    assert not last["stopped"] and last["density"] / last["dirty"] == pytest.approx(4, abs=0.4)
