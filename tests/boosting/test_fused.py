import math

import numpy as np
import pytest

from marginloss._norms import attaining_vector
from marginloss.boosting import (
    BregmanBoostClassifier,
    MadaBoostClassifier,
    PNormLearner,
    SmoothBoostClassifier,
    bregmanboost,
    fused,
    madaboost,
    one_pass,
    smoothboost,
)
from marginloss.boosting.bregmanboost import ProjectedRows, ProjectedWeights
from marginloss.boosting.fused import CappedExponential, CappedRows, FusedRows, boost_exponential
from marginloss.boosting.loop import Rows, boost
from marginloss.boosting.one_pass import best
from marginloss.boosting.rules import EdgeStep, LossWeights
from marginloss.losses import AlphaLoss, SmoothBoostLoss
from marginloss.noise import DenseHalfspace, MaliciousOracle, SparseMajority

RECORDED = ("steps", "errors", "edges", "densities", "kappas", "margin")


def assert_same_run(fast, plain):
    assert fast.stop_reason == plain.stop_reason
    for name in RECORDED:
        np.testing.assert_allclose(getattr(fast, name), getattr(plain, name), rtol=1e-9, atol=1e-12, err_msg=name)


def run(rows, X, y, weight, p, weigh, step):
    learner = PNormLearner(p=p, R=1.0).weak_learner(X, (y > 0).astype(int), weight)
    return boost(learner, weigh(), step, 60, rows=rows)


@pytest.mark.parametrize("p", [2.0, 4.0, math.inf])
@pytest.mark.parametrize("fixed", [True, False])
def test_one_pass_gives_what_two_passes_give(p, fixed):
    rng = np.random.default_rng(3)
    X, y, _ = MaliciousOracle("fake", 0.05, DenseHalfspace(12, 0.1)).draw(300, rng)
    weight = rng.random(300) + 0.5

    def weigh():
        return CappedExponential(0.3, lambda number: 0.01 * number)

    def step(now):
        return 1.0 if fixed else 2 * now.edge

    plain, fast = (run(rows, X, y, weight, p, weigh, step) for rows in (Rows, FusedRows))
    assert_same_run(fast, plain)
    np.testing.assert_allclose(
        [h.coef for h in fast.hypotheses], [h.coef for h in plain.hypotheses], rtol=1e-8, atol=1e-10
    )


def test_single_precision_stays_close():
    X, y, _ = MaliciousOracle("fake", 0.05, DenseHalfspace(12, 0.1)).draw(5000, 3)
    results = [
        run(
            FusedRows,
            X.astype(kind),
            y,
            np.ones(5000),
            2.0,
            lambda: CappedExponential(0.3, lambda t: 0.01 * t),
            lambda now: 1.0,
        )
        for kind in (np.float64, np.float32)
    ]
    np.testing.assert_allclose(results[1].edges, results[0].edges, atol=1e-5)
    np.testing.assert_allclose(results[1].margin, results[0].margin, atol=1e-3)


def test_weights_are_those_of_the_loss():
    margin = np.linspace(-5, 50, 23)
    loss = SmoothBoostLoss(0.2)
    weigh = CappedExponential(loss.decay, lambda number: 0.1 * number)
    np.testing.assert_allclose(weigh(margin, 7), loss.log_weight(margin - 0.7), atol=1e-15)


def malicious(source, rate=0.05, n=300, seed=5):
    X, y, _ = MaliciousOracle("fake", rate, source).draw(n, seed)
    return X, y, np.random.default_rng(seed).integers(1, 4, n)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("source", [SparseMajority(30, 3), DenseHalfspace(12, 0.1)], ids=["sparse", "dense"])
@pytest.mark.parametrize("ties", ["uniform", "first"])
@pytest.mark.parametrize(
    "make",
    [
        lambda weak: SmoothBoostClassifier(0.05, 0.05, estimator=weak, n_estimators=200, on_failure="ignore"),
        lambda weak: SmoothBoostClassifier(0.2, 0.08, estimator=weak, early_stop=True, n_estimators=200),
        lambda weak: SmoothBoostClassifier(0.02, 0.11, estimator=weak, n_estimators=200, on_failure="stop"),
        lambda weak: SmoothBoostClassifier(0.1, 0.3, estimator=weak, n_estimators=200, on_failure="halve"),
        lambda weak: SmoothBoostClassifier(0.05, 0.08, estimator=weak, adaptive=True, n_estimators=200),
        lambda weak: SmoothBoostClassifier(0.02, 0.08, 0.12, estimator=weak, adaptive=True, n_estimators=200),
        lambda weak: MadaBoostClassifier(0.05, estimator=weak),
    ],
    ids=["smooth", "early", "stop", "halve", "adaptive", "failing", "mada"],
)
def test_leaps_give_what_single_rounds_give(source, ties, make, monkeypatch):
    X, y, weight = malicious(source)
    weak = PNormLearner(p=source.p, R=source.R, ties=ties)
    monkeypatch.setattr(fused, "LEAP", 64)
    fast = make(weak).fit(X, y, weight)
    for module in (smoothboost, madaboost):
        monkeypatch.setattr(module, "rows_for", lambda learner, course: Rows)
    plain = make(weak).fit(X, y, weight)
    assert (fast.stop_reason_, fast.n_estimators_) == (plain.stop_reason_, plain.n_estimators_)
    for name in ("theta_", "errors_", "advantages_", "densities_", "smoothness_", "margins_", "mean_coef_"):
        np.testing.assert_allclose(getattr(fast, name), getattr(plain, name), rtol=1e-8, atol=1e-10, err_msg=name)
    assert getattr(fast, "certified_fraction_", 0) == pytest.approx(getattr(plain, "certified_fraction_", 0), rel=1e-8)


@pytest.mark.parametrize("source", [SparseMajority(30, 3), DenseHalfspace(12, 0.1)], ids=["sparse", "dense"])
@pytest.mark.parametrize("factor", [1.0, 0.3])
@pytest.mark.parametrize("rate", [0.05, 0.0])
def test_adaboost_in_one_pass(source, factor, rate):
    X, y, weight = malicious(source, rate)
    learner = PNormLearner(p=source.p, R=source.R).weak_learner(X, (y > 0).astype(int), weight.astype(float))
    step = EdgeStep(factor)
    plain = boost(learner, LossWeights(AlphaLoss(0.5)), step, 600, watch=lambda *now: None)
    assert_same_run(boost_exponential(learner, step, 600), plain)


def test_adaboost_does_not_overflow():
    learner = PNormLearner(R=1.0).weak_learner(np.array([[1.0], [-1.0]]), np.array([1, 0]), np.ones(2))
    record = boost_exponential(learner, EdgeStep(), 600)
    assert record.margin.min() > 8000
    assert (record.densities[-1], record.kappas[-1], record.edges[-1]) == (0, 1, 1)


def test_stops_where_no_feature_has_an_edge():
    X, sign = np.array([[1.0], [1.0]]), np.array([0, 1])
    record = boost_exponential(PNormLearner(R=1.0).weak_learner(X, sign, np.ones(2)), EdgeStep(), 9)
    assert (record.stop_reason, len(record.steps)) == ("no_edge", 0)


@pytest.mark.parametrize("rows", [CappedRows, ProjectedRows])
def test_machine_code_for_any_learner(rows):
    rng = np.random.default_rng(7)

    class Noisy:
        sample_weight = rng.random(200) + 0.5

        def __init__(self):
            self.rng = np.random.default_rng(8)

        def fit(self, weight):
            return None, np.clip(self.rng.normal(0.2, 0.6, 200), -1, 1)

    weigh = (
        CappedExponential(0.2, lambda number: 0.05 * number)
        if rows is CappedRows
        else ProjectedWeights(Noisy.sample_weight / Noisy.sample_weight.sum(), 0.1, 0.3)
    )
    fast, plain = (boost(Noisy(), weigh, lambda now: 1.0, 80, rows=kind) for kind in (rows, Rows))
    assert_same_run(fast, plain)


def test_bregman_boosting_uses_the_projection(monkeypatch):
    X, y, weight = malicious(SparseMajority(30, 3))
    model = BregmanBoostClassifier(0.1, 50, estimator=PNormLearner(p=math.inf, R=1.0))
    fast = model.fit(X, y, weight).margins_
    monkeypatch.setattr(bregmanboost, "ProjectedRows", Rows)
    np.testing.assert_allclose(fast, model.fit(X, y, weight).margins_, rtol=1e-9)


@pytest.mark.parametrize("p", [1.0, 2.0, 3.5, 1000.0, math.inf])
@pytest.mark.parametrize("ties", ["uniform", "first"])
def test_best_hypothesis_is_the_attaining_vector(p, ties):
    for z in ([0.3, -0.1, 0.1 + 0.2, 0.0, -0.3], [0.0, 0.0]):
        coef = np.empty(len(z))
        edge = best(np.array(z), 2.0, p, 4.0, ties == "first", coef)
        np.testing.assert_allclose(coef, attaining_vector(z, p, ties) / 4, rtol=1e-12, atol=1e-300)
        assert edge == pytest.approx(coef @ z / 2)


def test_weights_of_rows_far_apart():
    excess = np.concatenate([np.linspace(-30, 650, 5001), [1e4, np.inf]])
    weight = np.empty(len(excess))
    one_pass.weigh(excess, np.ones(len(excess)), 0.0, -np.inf, 1.0, weight)
    np.testing.assert_allclose(weight[:-2], np.exp(-excess[:-2]), rtol=5e-16)
    assert (weight[-2:] < 1e-300).all()


def test_signs_are_kept_in_half_the_bytes():
    assert fused._compact(np.array([[1.0, -1.0]])).dtype == np.float32
    assert fused._compact(np.array([[1.0, 0.1]])).dtype == np.float64
