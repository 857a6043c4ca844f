import math

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from marginloss._norms import attaining_vector, dual_exponent, p_norm
from marginloss.linear import PNormPerceptron, Winnow, mistake_bound
from marginloss.noise import DenseHalfspace, MaliciousOracle, SparseMajority


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([PNormPerceptron(), Winnow()])
def test_estimator(estimator, check):
    check(estimator)


def one_by_one(X, y, weights):
    """The algorithm as every textbook has it."""
    z, mistakes = np.zeros(X.shape[1]), 0
    for row, label in zip(X, y, strict=True):
        if label * (row @ weights(z)) <= 1e-12:
            z, mistakes = z + label * row, mistakes + 1
    return weights(z), mistakes


@pytest.mark.parametrize("p", [2.0, 5.0, math.inf])
def test_blocks_find_the_same_mistakes_as_a_loop(p):
    X, y, _ = MaliciousOracle("fake", 0.05, SparseMajority(30, 3)).draw(700, rng=2)
    model = PNormPerceptron(p=p, max_iter=1, fit_intercept=False).fit(X, y)
    w, mistakes = one_by_one(X, y, lambda z: attaining_vector(z, p))
    assert model.mistakes_ == mistakes
    np.testing.assert_allclose(model.coef_[0], w)


def test_winnow_matches_its_definition():
    X, y, _ = MaliciousOracle("flip", 0.05, SparseMajority(30, 3)).draw(700, rng=2)
    model = Winnow(step_size=0.3, max_iter=1, fit_intercept=False).fit(X, y)
    w, mistakes = one_by_one(X, y, lambda z: np.sinh(0.3 * z) / np.cosh(0.3 * z).sum())
    assert model.mistakes_ == mistakes
    np.testing.assert_allclose(model.coef_[0], w, atol=1e-14)


def test_winnow_does_not_overflow():
    assert np.isfinite(Winnow(step_size=1e4)._weights(np.array([3.0, -5.0, 0.0]))).all()


@pytest.mark.parametrize("source", [SparseMajority(40, 3), DenseHalfspace(15, 0.2)], ids=repr)
@pytest.mark.parametrize("p", [2.0, 4.0, 9.0])
@pytest.mark.parametrize("rate", [0.0, 0.05])
def test_mistakes_stay_below_their_bound(source, p, rate):
    X, y, _ = MaliciousOracle("maxmargin", rate, source).draw(3000, rng=6)
    model = PNormPerceptron(p=p, max_iter=1, fit_intercept=False).fit(X, y)
    R, u = p_norm(X, p).max(), source.target
    hinge = np.maximum(0, 1 - y * (X @ u) / source.xi).sum()
    difficulty = float(R * p_norm(u, dual_exponent(p)) / source.xi)
    assert model.mistakes_ <= mistake_bound(difficulty, p, hinge)
    assert rate > 0 or model.mistakes_ <= difficulty**2 * (p - 1)


def test_weight_is_repetition_in_place():
    X, y, _ = MaliciousOracle("flip", 0.1, SparseMajority(10, 3)).draw(150, rng=2)
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    options = {"max_iter": 3, "fit_intercept": True}
    with pytest.warns(ConvergenceWarning, match="mistakes in pass 3"):
        a = PNormPerceptron(**options).fit(X, y, sample_weight=weight)
        b = PNormPerceptron(**options).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(a.coef_, b.coef_)
    assert a.mistakes_ == b.mistakes_


def test_hold_out_picks_the_best_hypothesis_seen():
    X, y, _ = MaliciousOracle("fake", 0.1, DenseHalfspace(20, 0.2)).draw(1000, rng=3)
    model = PNormPerceptron(max_iter=1, fit_intercept=False, validation_fraction=0.4).fit(X, y)
    held_X, held_y = X[600:], y[600:]
    errors = [
        np.mean(held_y * (held_X @ w) <= 0)
        for w, _ in model._one_pass(y[:600, None] * X[:600], np.ones(600), np.zeros(20), 0.0)
    ]
    assert np.mean(held_y * (held_X @ model.coef_[0]) <= 0) == min(errors)


@pytest.mark.parametrize(
    "options", [{"p": 0.5}, {"max_iter": 0}, {"validation_fraction": 1.0}, {"validation_fraction": 0.999}]
)
def test_bad_parameters(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        PNormPerceptron(**options).fit([[0.0], [1.0]], [0, 1])


def test_bad_step_size():
    with pytest.raises(ValueError, match="'step_size' parameter of Winnow"):
        Winnow(step_size=0.0).fit([[0.0], [1.0]], [0, 1])
