import math

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.tree import DecisionTreeClassifier

from marginloss.boosting import (
    AdaBoostAlphaClassifier,
    BregmanBoostClassifier,
    MadaBoostClassifier,
    PNormLearner,
    SmoothBoostClassifier,
)
from marginloss.boosting.bounds import adaptive_rounds, smoothboost_rounds
from marginloss.losses import SmoothBoostLoss
from marginloss.noise import DenseHalfspace, MaliciousOracle, SparseMajority

published = SmoothBoostClassifier.as_published

SOURCE = SparseMajority(30, 3)
GAMMA = 1 / 12


def weak(**options):
    return PNormLearner(p=math.inf, R=1.0, **options)


def figure_1(X, y, kappa, gamma, theta, learner):
    """Figure 1 of the paper, line by line."""
    m = len(y)
    measure, ahead, votes, t = np.ones(m), np.zeros(m), np.zeros(m), 0
    while measure.sum() / m >= kappa:
        D = measure / measure.sum()
        h = learner.fit(X, y, sample_weight=D).decision_function(X)
        ahead = ahead + y * h - theta
        measure = np.where(ahead < 0, 1.0, (1 - gamma) ** (np.maximum(ahead, 0) / 2))
        votes, t = votes + h, t + 1
    return votes / t, t


@pytest.mark.parametrize("theta", [None, 0.0, GAMMA])
def test_follows_figure_1(theta):
    X, y, _ = MaliciousOracle("fake", 0.01, SOURCE).draw(150, rng=2)
    model = published(0.1, GAMMA, theta, estimator=weak()).fit(X, y)
    target = GAMMA / (2 + GAMMA) if theta is None else theta
    f, rounds = figure_1(X, y, 0.1, GAMMA, target, weak())
    assert model.n_estimators_ == rounds
    np.testing.assert_allclose(model.decision_function(X), f, atol=1e-10)


@pytest.mark.parametrize("adaptive", [False, True])
def test_guarantees(adaptive):
    X, y, _ = MaliciousOracle("maxmargin", 0.005, SOURCE).draw(600, rng=1)
    model = published(0.05, GAMMA, estimator=weak(), adaptive=adaptive).fit(X, y)
    assert model.stop_reason_ == "converged"
    assert model.smoothness_.max() <= 20 * (1 + 1e-12)
    assert np.mean(y * model.decision_function(X) <= model.target_margin_) <= model.certified_fraction_ < 0.05
    bound = adaptive_rounds if adaptive else smoothboost_rounds
    assert model.n_estimators_ < bound(0.05, GAMMA, model.target_margin_) == model.bound_
    assert (model.advantages_ >= GAMMA).all()


def test_recorded_measure_is_that_of_the_loss():
    X, y, _ = MaliciousOracle("fake", 0.02, SOURCE).draw(200, rng=2)
    model = published(0.1, GAMMA, estimator=weak(), n_estimators=50, on_failure="ignore")
    with pytest.warns(ConvergenceWarning):
        model.fit(X, y)
    votes = list(model.staged_decision_function(X))
    loss, theta = SmoothBoostLoss(GAMMA), model.target_margin_
    densities = [1.0] + [loss.weight(t * (y * f - theta)).mean() for t, f in enumerate(votes, start=1)]
    np.testing.assert_allclose([*model.densities_, model.certified_fraction_], densities, rtol=1e-9)
    np.testing.assert_allclose(votes[-1], model.decision_function(X))


def test_contradictory_twins_never_stop():
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, 1.0], (100, 5))
    y = X[:, 0].copy()
    X, y = np.vstack([X, X[:30]]), np.concatenate([y, -y[:30]])
    model = published(0.1, 0.1, estimator=weak(), n_estimators=400, on_failure="ignore")
    with pytest.warns(ConvergenceWarning, match=r"did not stop within 400 rounds: mean measure .* kappa=0\.1"):
        model.fit(X, y)
    assert model.stop_reason_ == "n_rounds"
    assert model.certified_fraction_ >= 30 / 130
    assert model.advantages_.min() < 0.1


def test_policies_on_failure():
    X, y, _ = MaliciousOracle("fake", 0.1, SOURCE).draw(400, rng=3)
    options = {"kappa": 0.05, "gamma": 0.25, "estimator": weak(), "n_estimators": 300}
    with pytest.warns(ConvergenceWarning) as caught:
        warned = published(**options).fit(X, y)
    assert sum("weak learner's edge" in str(w.message) for w in caught) == 1
    with pytest.warns(ConvergenceWarning, match="did not stop") as caught:
        ignored = published(**options, on_failure="ignore").fit(X, y)
    assert len(caught) == 1
    np.testing.assert_array_equal(warned.advantages_, ignored.advantages_)
    first = int(np.argmax(ignored.advantages_ < 0.25))
    with pytest.raises(RuntimeError, match=f"in round {first + 1} is below 2"):
        published(**options, on_failure="raise").fit(X, y)
    stopped = published(**options, on_failure="stop").fit(X, y)
    assert (stopped.n_estimators_, stopped.stop_reason_) == (first, "weak_learner_failed")


@pytest.mark.parametrize("adaptive", [False, True])
def test_halving_finds_an_advantage_that_holds(adaptive):
    X, y = SOURCE.draw(300, rng=4)
    model = published(0.1, 0.49, estimator=weak(), adaptive=adaptive, on_failure="halve").fit(X, y)
    assert model.stop_reason_ == "converged"
    assert model.gamma_ < 0.49
    assert math.log2(0.49 / model.gamma_) == int(math.log2(0.49 / model.gamma_))
    assert model.n_rounds_total_ > model.n_estimators_
    if not adaptive:
        assert (model.advantages_ >= model.gamma_ - 1e-9).all()


def test_early_stop_keeps_the_margin_statement():
    X, y = SOURCE.draw(300, rng=4)
    full = published(0.05, GAMMA, estimator=weak()).fit(X, y)
    early = published(0.05, GAMMA, estimator=weak(), early_stop=True).fit(X, y)
    assert early.stop_reason_ == "early_stop"
    assert early.n_estimators_ < full.n_estimators_
    assert np.mean(y * early.decision_function(X) <= early.target_margin_) < 0.05


@pytest.mark.parametrize("adversary", ["maxmargin", "fake"])
def test_suspects_are_the_dirty_examples(adversary):
    X, y, dirty = MaliciousOracle(adversary, 0.01, SparseMajority(50, 3)).draw(1000, rng=5)
    model = published(0.05, GAMMA, estimator=weak()).fit(X, y)
    np.testing.assert_array_equal(model.suspects(X, y), dirty)


def test_suspects_need_the_labels_of_fit():
    X, y = SOURCE.draw(100, rng=5)
    model = published(0.05, GAMMA, estimator=weak()).fit(X, y)
    with pytest.raises(ValueError, match=r"y must hold labels seen in fit, \[-1.0, 1.0\], got 0"):
        model.suspects(X, (y > 0).astype(int))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.suspects(X, y[:5])


@pytest.mark.parametrize("booster", [published(), MadaBoostClassifier(), BregmanBoostClassifier()], ids=repr)
def test_nobody_is_suspect_where_there_is_one_class(booster):
    X, y = np.zeros((20, 2)), np.array(["a"] * 20)
    assert not booster.fit(X, y).suspects(X, y).any()


def test_weights_are_repetition_for_linear_and_tree_learners():
    X, y, _ = MaliciousOracle("flip", 0.05, SparseMajority(8, 3)).draw(120, rng=6)
    count = np.random.default_rng(0).integers(0, 3, 120)
    for estimator in (weak(), None, DecisionTreeClassifier(max_depth=1)):
        options = {"gamma": 0.02, "kappa": 0.2, "estimator": estimator, "n_estimators": 25, "on_failure": "ignore"}
        with pytest.warns(ConvergenceWarning):
            a = published(**options).fit(X, y, sample_weight=count)
            b = published(**options).fit(np.repeat(X, count, axis=0), np.repeat(y, count))
        np.testing.assert_allclose(a.advantages_, b.advantages_, atol=1e-9)
        np.testing.assert_allclose(a.decision_function(X), b.decision_function(X), atol=1e-9)


def test_scikit_learn_stumps_agree_with_ours():
    X, y = load_breast_cancer(return_X_y=True)
    options = {"gamma": 0.05, "kappa": 0.1, "n_estimators": 8, "on_failure": "ignore", "criterion": "gini"}
    with pytest.warns(ConvergenceWarning):
        ours = published(**options).fit(X, y)
        theirs = published(**options, estimator=DecisionTreeClassifier(max_depth=1)).fit(X, y)
    np.testing.assert_allclose(ours.advantages_, theirs.advantages_, rtol=1e-9)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_one_class_and_no_edge():
    one = published().fit([[0.0], [1.0]], [3, 3])
    assert one.stop_reason_ == "one_class"
    assert (one.predict([[5.0]]) == 3).all()
    nothing = published(estimator=weak()).fit([[1.0], [1.0]], [0, 1])
    assert nothing.stop_reason_ == "no_edge"
    assert np.isfinite(nothing.decision_function([[1.0]])).all()


def test_hypotheses_outside_the_range_are_refused():
    class Loud(BaseEstimator):
        def weak_learner(self, X, codes, weight):
            class Learner:
                sample_weight = weight

                def fit(self, D):
                    return None, np.full(len(D), 1.5)

            return Learner()

    with pytest.raises(ValueError, match=r"answer in \[-1, 1\], got 1.5"):
        published(estimator=Loud()).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize(
    "options",
    [
        {"kappa": 0.0}, {"kappa": 1.0}, {"gamma": 0.0}, {"gamma": 0.5}, {"theta": -0.1}, {"theta": 1.0}, {"theta": 0.2},
        {"n_estimators": 0}, {"on_failure": "panic"}, {"criterion": "mse"}, {"max_depth": 0},
    ],
    ids=str,
)  # fmt: skip
def test_bad_parameters(options):
    with pytest.raises(ValueError, match=rf"{next(iter(options))}.*{next(iter(options.values()))}"):
        published(**options).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("booster", [MadaBoostClassifier, BregmanBoostClassifier])
def test_relatives_name_the_bad_parameter(booster):
    for name, value in {"kappa": 1.5, "n_estimators": 0, "criterion": "mse", "max_depth": 0}.items():
        with pytest.raises(ValueError, match=f"'{name}' parameter of {booster.__name__} .* Got {value!r}"):
            booster(**{name: value}).fit([[0.0], [1.0]], [0, 1])


def test_single_precision_stays_close():
    X, y, _ = MaliciousOracle("fake", 0.05, DenseHalfspace(12, 0.1)).draw(5000, 3)
    options = {"estimator": PNormLearner(R=1.0, outside="scale"), "n_estimators": 60, "on_failure": "ignore"}
    with pytest.warns(ConvergenceWarning, match="did not stop"):
        double, single = (published(0.01, **options).fit(X.astype(kind), y) for kind in ("f8", "f4"))
    np.testing.assert_allclose(single.advantages_, double.advantages_, atol=1e-5)
    np.testing.assert_allclose(single.margins_, double.margins_, atol=1e-4)


def test_madaboost_weights_are_those_of_adaboost_cut_at_one():
    X, y, _ = MaliciousOracle("fake", 0.02, SOURCE).draw(200, rng=7)
    model = MadaBoostClassifier(0.05, n_estimators=20, estimator=weak()).fit(X, y)
    margin = np.zeros(200)
    for t, (hypothesis, step) in enumerate(zip(model.estimators_, model.theta_, strict=True)):
        measure = np.minimum(1.0, np.exp(-margin))
        gain = y * hypothesis.predict(X)
        assert model.densities_[t] == pytest.approx(measure.mean())
        assert step == pytest.approx(0.5 * math.log((measure @ (1 + gain)) / (measure @ (1 - gain))))
        margin += step * gain


def test_madaboost_is_adaptive_boosting_without_margin():
    X, y, _ = MaliciousOracle("fake", 0.02, SOURCE).draw(300, rng=7)
    mada = MadaBoostClassifier(0.05, n_estimators=200, estimator=weak()).fit(X, y)
    smooth = published(0.05, theta=0.0, n_estimators=200, estimator=weak(), adaptive=True, on_failure="ignore")
    smooth.fit(X, y)
    np.testing.assert_allclose(mada.theta_, smooth.theta_)
    np.testing.assert_allclose(mada.theta_, np.arctanh(2 * mada.advantages_))


def test_adaboost_for_real_valued_hypotheses():
    X, y, _ = MaliciousOracle("fake", 0.1, SOURCE).draw(300, rng=0)
    options = {"alpha": 0.5, "n_estimators": 40, "estimator": weak()}
    model = AdaBoostAlphaClassifier(**options, step="edge").fit(X, y)
    margin = np.zeros(300)
    for hypothesis, theta in zip(model.estimators_, model.theta_, strict=True):
        D = np.exp(-margin) / np.exp(-margin).sum()
        gain = y * hypothesis.predict(X)
        assert theta == pytest.approx(np.arctanh(D @ gain), rel=1e-9)
        margin += theta * gain
    with pytest.raises(ValueError, match="step='edge' is for two classes"):
        AdaBoostAlphaClassifier(step="edge").fit([[0.0], [1.0], [2.0]], [0, 1, 2])


def test_bregman_distributions_are_projections_and_its_certificate_holds():
    X, y, _ = MaliciousOracle("flip", 0.02, SOURCE).draw(200, rng=8)
    model = BregmanBoostClassifier(0.1, n_estimators=80, estimator=weak()).fit(X, y)
    np.testing.assert_allclose(model.densities_, 0.1, rtol=1e-9)
    assert model.smoothness_.max() <= 10 * (1 + 1e-9)
    worst = np.sort(y * model.decision_function(X))[:20].mean()
    assert worst >= model.certificate_


def test_bregman_weights_solve_their_program():
    cvxpy = pytest.importorskip("cvxpy")
    X, y, _ = MaliciousOracle("flip", 0.05, SOURCE).draw(60, rng=8)
    seen = []

    class Spy(PNormLearner):
        def weak_learner(self, X, codes, weight):
            learner = super().weak_learner(X, codes, weight)
            fit = learner.fit
            learner.fit = lambda D: seen.append(D) or fit(D)
            return learner

    model = BregmanBoostClassifier(0.2, n_estimators=6, step_size=0.8, estimator=Spy(p=math.inf, R=1.0)).fit(X, y)
    total = 6 * y * model.decision_function(X) - y * model.estimators_[-1].predict(X)  # margins before the last round
    D = cvxpy.Variable(60)
    objective = -cvxpy.sum(cvxpy.entr(D)) + 0.8 * D @ total
    cvxpy.Problem(cvxpy.Minimize(objective), [cvxpy.sum(D) == 1, D <= 1 / (0.2 * 60)]).solve(solver="CLARABEL")
    np.testing.assert_allclose(seen[-1], D.value, atol=1e-5)


@pytest.mark.parametrize("options", [{}, {"adaptive": True}])
def test_decision_at_is_a_vote_as_the_staged_ones_are(options):
    X, y, _ = MaliciousOracle("fake", 0.02, SOURCE).draw(300, rng=3)
    model = published(0.1, GAMMA, estimator=weak(), **options).fit(X, y)
    staged = list(model.staged_decision_function(X))
    np.testing.assert_allclose(model.decision_at(X, [1, 4, 10**6]), [staged[0], staged[3], staged[-1]], atol=1e-12)
    constant = published().fit(X, np.ones(300))
    np.testing.assert_array_equal(constant.decision_at(X, [1, 2]), np.zeros((2, 300)))
