"""Two-temperature logistic regression, two and more classes."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import softmax
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from marginloss.linear import DesignFactor, MarginClassifier, TwoTemperatureClassifier
from marginloss.losses import TwoTemperatureLoss
from marginloss.losses.tempered import escort, log_t, two_temperature_loss


@parametrize_with_checks(
    [
        TwoTemperatureClassifier(),
        TwoTemperatureClassifier(1.0, 1.0, l2=0.01, class_weight="balanced"),
        TwoTemperatureClassifier(0.5, 1.3, l2=0.1, n_starts=3, random_state=0),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def test_one_and_one_is_multinomial_logistic_regression(iris):
    X, y = iris
    ours = TwoTemperatureClassifier(1, 1, l2=0.01, tol=1e-9).fit(X, y)
    peer = LogisticRegression(C=1 / (0.01 * len(y)), tol=1e-10, max_iter=10000).fit(X, y)
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-5)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-6)


def test_two_classes_are_the_margin_classifier(iris):
    X, y = iris[0][50:], iris[1][50:]
    ours = TwoTemperatureClassifier(0.5, 1.4, l2=0.01).fit(X, y)
    peer = MarginClassifier(TwoTemperatureLoss(0.5, 1.4), l2=0.01).fit(X, y)
    np.testing.assert_array_equal(ours.coef_, peer.coef_)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-13)


def test_several_classes_reach_the_best_of_many_starts(iris):
    X, y = iris[0][:, :2] - iris[0][:, :2].mean(axis=0), iris[1]
    model = TwoTemperatureClassifier(0.4, 1.3, l2=0.02).fit(X, y)

    def risk(v):
        W = v.reshape(3, 3)
        return two_temperature_loss(X @ W[:2] + W[2], y, 0.4, 1.3).mean() + 0.01 * (W[:2] ** 2).sum()

    rng = np.random.default_rng(0)
    best = min(minimize(risk, rng.normal(size=9), method="BFGS", options={"gtol": 1e-8}).fun for _ in range(4))
    assert model.objective_ == pytest.approx(risk(np.vstack([model.coef_.T, model.intercept_]).ravel()), rel=1e-12)
    assert model.objective_ <= best + 1e-8


def test_escort_probabilities_are_calibrated():
    """With one constant feature per group the model can reach the optimum of the population."""
    p = np.array([0.5, 0.3, 0.2])
    y = np.repeat([0, 1, 2], [500, 300, 200])
    X = np.ones((1000, 1))
    model = TwoTemperatureClassifier(0.6, 1.6, l2=0.0, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X[:1])[0], p, atol=1e-6)
    np.testing.assert_allclose(model.predict_proba(X[:1], kind="model")[0], [0.6083, 0.2596, 0.1321], atol=5e-5)
    np.testing.assert_allclose(
        escort(model.predict_proba(X[:1], kind="model"), 1.6)[0], [0.7446, 0.1907, 0.0647], atol=5e-5
    )
    assert log_t(p, 1.6).argmax() == model.predict(X[:1])[0]


def test_more_starts_never_do_worse(iris):
    X, y = iris[0].copy(), iris[1]
    X[:5] = [60, -20, 80, 30]  # five outliers of great leverage make several local minima
    values = [
        TwoTemperatureClassifier(0.1, 1.05, l2=1e-3, n_starts=k, random_state=0).fit(X, y).objective_ for k in (1, 2, 6)
    ]
    assert values[0] >= values[1] - 1e-9 >= values[2] - 2e-9


def test_choice_of_temperatures(iris):
    X, y = iris
    model = TwoTemperatureClassifier(t1="cv", t2=1.3, cv=3, l2=1e-3, n_starts=1).fit(X[:, 2:], y)
    assert model.t1_ in (1.0, 0.9, 0.7, 0.5, 0.3, 0.1)
    assert model.t2_ == 1.3


def test_factor_and_weights(iris):
    X, y = iris
    counts = np.random.default_rng(1).integers(0, 3, len(y))
    weighted = TwoTemperatureClassifier(l2=0.05, tol=1e-9).fit(X, y, sample_weight=counts, factor=DesignFactor(X))
    repeated = TwoTemperatureClassifier(l2=0.05, tol=1e-9).fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-5)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"t1": 0}, r"'t1' parameter .* in the range \(0.0, inf\) or a str among {'cv'}. Got 0"),
        ({"t2": -1}, r"'t2' parameter .* in the range \(0.0, inf\) or a str among {'cv'}. Got -1"),
        ({"t1": 1.2, "t2": 0.5}, r"t2 must be at least 1 if t1 is, .*; got t1=1.2, t2=0.5"),
        ({"t1": "auto"}, "'t1' parameter"),
    ],
)
def test_bad_parameters(iris, parameters, message):
    with pytest.raises(ValueError, match=message):
        TwoTemperatureClassifier(**parameters).fit(*iris)
    with pytest.raises(ValueError, match="kind must be one of 'escort', 'model', got 'raw'"):
        TwoTemperatureClassifier().fit(*iris).predict_proba(iris[0], kind="raw")


def test_gradient_descent_takes_several_classes(iris):
    X, y = iris
    X = X - X.mean(axis=0)
    slow = TwoTemperatureClassifier(1, 1, l2=0.1, solver="gd", max_iter=20000, tol=1e-7).fit(X, y)
    fast = TwoTemperatureClassifier(1, 1, l2=0.1, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(
        softmax(slow.decision_function(X), axis=1), softmax(fast.decision_function(X), axis=1), atol=1e-5
    )
