"""The compiled loop against the plain one: same trees, same steps."""

import os
import signal
import threading
import time
from itertools import product

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris

from marginloss.boosting import AdaBoostAlphaClassifier, PILBoostClassifier, encode
from marginloss.boosting.loop import boost, normalise
from marginloss.boosting.rules import ErrorStep, GradientStep, LinkWeights, LossWeights
from marginloss.boosting.tree_rounds import weigh_by_link, weigh_by_loss
from marginloss.boosting.trees import TreeLearner
from marginloss.losses import AlphaLoss, GeneralizedCrossEntropyLoss
from marginloss.losses.proper import AlphaCPELoss


def both(learner, loss, step, n_rounds):
    return (
        boost(learner, LossWeights(loss), step, n_rounds),
        boost(learner, LossWeights(loss), step, n_rounds, engine="python"),
    )


def assert_same(fast, plain, tolerance=1e-11):
    assert fast.stop_reason == plain.stop_reason and len(fast.steps) == len(plain.steps)
    for name in ("steps", "errors", "edges", "densities", "kappas", "margin"):
        np.testing.assert_allclose(
            getattr(fast, name), getattr(plain, name), rtol=tolerance, atol=tolerance, err_msg=name
        )
    for one, other in zip(fast.hypotheses, plain.hypotheses, strict=True):
        np.testing.assert_array_equal(one.feature, other.feature)
        np.testing.assert_array_equal(one.threshold, other.threshold)
        np.testing.assert_array_equal(one.left, other.left)
        np.testing.assert_allclose(one.value, other.value, atol=1e-11)  # of leaves that answer a mean
        np.testing.assert_allclose(one.gain, other.gain, atol=1e-12)


LOSSES = [AlphaLoss(a) for a in (0.2, 0.5, 1.0, 1.3, 2.0, 8.0)] + [GeneralizedCrossEntropyLoss(0.7)]


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("criterion", ["gini", "error"])
def test_stumps_on_signs(loss, criterion):
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, 1.0], size=(300, 12))
    y = (X[:, :5].sum(axis=1) + rng.normal(size=300) > 0).astype(int)
    weight = rng.integers(1, 4, 300).astype(float)
    learner = TreeLearner(encode(X), y, weight, criterion=criterion)
    assert_same(*both(learner, loss, ErrorStep(0.7), 60))


@pytest.mark.parametrize("loss", LOSSES[:6:2], ids=repr)
@pytest.mark.parametrize("depth", [1, 2, 4])
def test_trees(loss, depth):
    X, y = load_breast_cancer(return_X_y=True)
    y = np.where(np.random.default_rng(depth).random(len(y)) < 0.2, 1 - y, y)
    learner = TreeLearner(encode(X), y, np.ones(len(y)), max_depth=depth)
    plain = boost(learner, LossWeights(loss), ErrorStep(), 25, engine="python")
    # once nearly all weight is on a few rows, the compiled loop no longer tells the others apart: multiples of 2**-51
    rounds = int(np.argmax(np.append(plain.errors, 0.0) < 1e-6))
    assert rounds >= 5
    fast, plain = both(learner, loss, ErrorStep(), rounds)
    assert_same(fast, plain, 1e-11 * max(1, 1 - loss.exponent))  # the power by which weights magnify margins


def test_three_classes():
    X, y = load_iris(return_X_y=True)
    assert_same(*both(TreeLearner(encode(X), y, np.ones(150), 3), AlphaLoss(2), ErrorStep(1.0, 3), 25))


@pytest.mark.parametrize("alpha", [0.3, 1.0, 2.0, 5.0])
def test_weights_at_margins_beyond_the_range_of_exp(alpha):
    loss, margin = AlphaLoss(alpha), np.array([-4600.0, -4599.0, -800.0, -1.0, 0.0, 30.0, 800.0, 4600.0])
    for part in (margin, margin[5:], margin[:3]):
        raw, weight, record, base = np.empty_like(part), np.empty_like(part), np.empty((5, 1)), np.ones(len(part))
        weigh_by_loss(loss.exponent, part, base, raw, weight, record, 0)
        expected, density, kappa = normalise(loss.log_weight(part), base)
        np.testing.assert_allclose(weight, expected, atol=1e-15)
        np.testing.assert_allclose(record[3:, 0], [density, kappa], rtol=1e-12)


@pytest.mark.parametrize("alpha", [0.3, 1.0, 2.0, 5.0])
@pytest.mark.parametrize("values", [(-1.0, 1.0), (0.0, 7.0)])
def test_long_steps_do_not_overflow(alpha, values):
    X = np.array(list(product(values, repeat=2)) * 5)
    y = (X[:, 0] == values[1]).astype(int)
    y[0] = 1
    record = boost(
        TreeLearner(encode(X, merge=False), y, np.ones(20)), LossWeights(AlphaLoss(alpha)), ErrorStep(30), 40
    )
    assert np.abs(record.margin).max() > 4000 and np.isfinite(record.kappas).all() and np.isfinite(record.steps).all()


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("values", [(-1.0, 1.0), (0.0, 7.0, 9.0)])
@pytest.mark.parametrize("more", [{}, {"watch": lambda now, hypotheses, steps: None}], ids=["alone", "watched"])
def test_a_perfect_hypothesis_is_the_last(depth, values, more):
    X = np.repeat(values, 10)[:, None]
    y = (X[:, 0] == values[-1]).astype(int)
    learner = TreeLearner(encode(X, merge=False), y, np.ones(len(y)), max_depth=depth)
    rules = LossWeights(AlphaLoss(2)), ErrorStep()
    fast, plain = boost(learner, *rules, 50, **more), boost(learner, *rules, 50, engine="python", **more)
    assert_same(fast, plain)
    assert fast.stop_reason == "perfect" and len(fast.steps) == 1


def test_no_edge_and_constant_features():
    X = np.array([[0.0, 5.0], [0.0, 5.0], [1.0, 5.0], [1.0, 5.0]])
    learner = TreeLearner(encode(X, merge=False), np.array([0, 1, 0, 1]), np.ones(4))
    fast, plain = both(learner, AlphaLoss(2), ErrorStep(), 10)
    assert_same(fast, plain)
    assert fast.stop_reason == "no_edge"


def test_threads_and_repetition_give_the_same_bits():
    from joblib import Parallel, delayed

    X, y = load_breast_cancer(return_X_y=True)
    shared = encode(X)

    def fit(seed):
        noisy = np.where(np.random.default_rng(seed).random(len(y)) < 0.2, 1 - y, y)
        learner = TreeLearner(shared, noisy, np.ones(len(y)), max_depth=2)
        return boost(learner, LossWeights(AlphaLoss(2)), ErrorStep(), 20).margin

    alone = [fit(seed) for seed in range(4)]
    threads = Parallel(2, backend="threading")(delayed(fit)(seed) for seed in range(4))
    np.testing.assert_array_equal(alone, threads)


@pytest.mark.parametrize("alpha", [0.4, 1.0, 1.1, 2.0, 4.0])
@pytest.mark.parametrize(("depth", "leaf"), [(1, "mean"), (3, "mean"), (2, "vote")])
def test_pilboost(alpha, depth, leaf):
    X, y = load_breast_cancer(return_X_y=True)
    rng = np.random.default_rng(depth)
    y = np.where(rng.random(len(y)) < 0.2, 1 - y, y)
    learner = TreeLearner(encode(X), y, rng.integers(1, 4, len(y)).astype(float), max_depth=depth, leaf=leaf)
    rules = LinkWeights(AlphaCPELoss(alpha)), GradientStep(3.0)
    assert_same(boost(learner, *rules, 30), boost(learner, *rules, 30, engine="python"))


def test_pilboost_stops_like_the_plain_loop():
    X = np.array([[0.0], [0.0], [1.0], [1.0]])
    for y, reason in (([0, 0, 1, 1], "no_weight"), ([0, 1, 0, 1], "no_edge")):
        learner = TreeLearner(encode(X, merge=False), np.array(y), np.ones(4), leaf="mean")
        rules = LinkWeights(AlphaCPELoss(4.0)), GradientStep(8.0)
        fast, plain = boost(learner, *rules, 50), boost(learner, *rules, 50, engine="python")
        assert_same(fast, plain)
        assert fast.stop_reason == reason


@pytest.mark.parametrize("alpha", [1e-3, 0.3, 1.0, 1.0 + 1e-9, 1.1, 2.0, 50.0])
def test_compiled_link_is_that_of_the_loss(alpha):
    loss = AlphaCPELoss(alpha)
    z = np.concatenate([np.linspace(-30, 30, 1201), [-1e9, -1e-300, 1e-300, 1e9]])
    found, weight, record = np.empty_like(z), np.empty_like(z), np.empty((5, 1))
    weigh_by_link(loss.beta, z, np.ones(len(z)), found, weight, record, 0)
    np.testing.assert_allclose(found, loss.pseudo_inverse_link(-z), rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(weight, found / found.sum(), atol=1e-15)


@pytest.mark.parametrize("alpha", [0.5, 2.0])
def test_a_tiny_error_keeps_its_digits(alpha):
    X = np.array([[-1.0], [-1.0], [1.0], [1.0]])
    weight = np.array([1.0, 1e-7 / 3, 1.0, 1e-9])
    for depth in (1, 2):
        learner = TreeLearner(encode(X, merge=False), np.array([0, 1, 1, 0]), weight, max_depth=depth)
        fast, plain = both(learner, AlphaLoss(alpha), ErrorStep(), 1)
        np.testing.assert_allclose(fast.errors, plain.errors, rtol=1e-13)
        assert 1e-8 < fast.errors[0] < 2e-8


@pytest.mark.parametrize("depth", [1, 2])
def test_a_watcher_sees_what_it_sees_in_the_plain_loop_and_changes_no_bit(depth):
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, 1.0], size=(200, 6))
    learner = TreeLearner(encode(X), (X[:, 0] + rng.normal(size=200) > 0).astype(int), np.ones(200), max_depth=depth)
    rules = LossWeights(AlphaLoss(2)), ErrorStep()
    seen = {"auto": [], "python": []}
    for engine, rounds in seen.items():

        def watch(now, hypotheses, steps, rounds=rounds):
            assert len(hypotheses) == len(steps) == now.number
            rounds.append(np.concatenate([now.margin, now.weight, [now.number, now.density, now.kappa, *steps]]))

        record = boost(learner, *rules, 8, watch, engine)
    for fast, plain in zip(*seen.values(), strict=True):
        np.testing.assert_allclose(fast, plain, rtol=1e-11, atol=1e-14)
    alone, watched = boost(learner, *rules, 8), boost(learner, *rules, 8, lambda now, hypotheses, steps: None)
    np.testing.assert_array_equal(alone.steps, watched.steps)
    np.testing.assert_allclose(alone.steps, record.steps, rtol=1e-11)


def test_unknown_engine():
    learner = TreeLearner(encode(np.eye(2)), np.array([0, 1]), np.ones(2))
    with pytest.raises(ValueError, match="engine must be one of 'auto', 'python', got 'numba'"):
        boost(learner, LossWeights(AlphaLoss(2)), ErrorStep(), 1, engine="numba")


@pytest.mark.parametrize("booster", [AdaBoostAlphaClassifier(2.0), PILBoostClassifier(max_depth=2)], ids=repr)
def test_an_interrupt_ends_a_fit_within_a_second_and_leaves_the_model_as_it_was(booster):
    X, y = load_iris(return_X_y=True)
    model = clone(booster).set_params(n_estimators=5).fit(X[:100], y[:100])
    before = dict(vars(model))
    rng = np.random.default_rng(0)
    large = rng.normal(size=(30_000, 20))
    data = encode(large), (large[:, 0] + rng.normal(size=len(large)) > 0).astype(int)
    clone(model).set_params(n_estimators=1).fit(*data)  # the compiler is not interrupted
    sent = []

    def interrupt():
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.3, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        model.set_params(n_estimators=1_000_000).fit(*data)
    assert time.process_time() - sent[0] < 1.0
    assert vars(model.set_params(n_estimators=5)) == before
