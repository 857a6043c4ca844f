"""PILBoost against a plain loop over scikit-learn's regression trees."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

from marginalia.boosting import PILBoostClassifier
from marginalia.losses.proper import AlphaCPELoss


@parametrize_with_checks([PILBoostClassifier(n_estimators=10)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize(("alpha", "link"), [(1.1, "pseudo"), (1.0, "exact"), (4.0, "pseudo")])
def test_same_steps_as_a_loop_over_scikit_learn(alpha, link):
    X, y = load_breast_cancer(return_X_y=True)
    flip = np.random.default_rng(0).random(len(y)) < 0.2
    y = np.where(flip, 1 - y, y)
    model = PILBoostClassifier(alpha, 2.0, n_estimators=30, max_depth=1, link=link).fit(X, y)
    loss, sign, score = AlphaCPELoss(alpha), 2 * y - 1, np.zeros(len(y))
    inverse = loss.pseudo_inverse_link if link == "pseudo" else loss.inverse_link
    for t, tree in enumerate(model.estimators_):
        weight = inverse(-sign * score)
        answer = DecisionTreeRegressor(max_depth=1, random_state=t).fit(X, sign, weight).predict(X)
        theta = 2.0 * np.mean(weight * sign * answer)
        assert model.theta_[t] == pytest.approx(theta, abs=1e-12)
        score += theta * tree.predict(X)
    np.testing.assert_allclose(model.decision_function(X), score, atol=1e-10)


def test_weights_equal_repetition():
    X, y = load_breast_cancer(return_X_y=True)
    times = np.random.default_rng(0).integers(0, 3, len(y))
    weighted = PILBoostClassifier(n_estimators=10).fit(X, y, times)
    repeated = PILBoostClassifier(n_estimators=10).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-9)


def test_stops_when_all_weights_are_zero():
    X = np.arange(20.0).reshape(-1, 1)
    model = PILBoostClassifier(4.0, 8.0, n_estimators=100, max_depth=1).fit(X, X[:, 0] > 9)
    assert model.stop_reason_ == "no_weight" and model.n_estimators_ < 100
    assert model.score(X, X[:, 0] > 9) == 1


def test_importances_find_the_feature_that_matters():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    model = PILBoostClassifier(n_estimators=20, max_depth=2).fit(X, X[:, 2] > 0)
    assert model.feature_importances_.argmax() == 2 and model.feature_importances_.sum() == pytest.approx(1)


@pytest.mark.parametrize("parameters", [{"alpha": 0}, {"step_size": -1.0}, {"link": "logit"}, {"max_depth": 0}])
def test_bad_parameters_are_named(parameters):
    (name, value) = next(iter(parameters.items()))
    with pytest.raises(ValueError, match=name) as error:
        PILBoostClassifier(**parameters).fit([[0.0], [1.0]], [0, 1])
    assert repr(value) in str(error.value)
