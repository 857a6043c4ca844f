"""PILBoost against a plain loop over scikit-learn's regression trees."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from marginloss.boosting import PILBoostClassifier, estimate_noise
from marginloss.datasets import make_xd6
from marginloss.losses.proper import AlphaCPELoss


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


@pytest.mark.parametrize(
    "parameters",
    [
        {"alpha": 0},
        {"alpha": "auto"},
        {"step_size": -1.0},
        {"link": "logit"},
        {"max_depth": 0},
        {"alphas": []},
        {"step_sizes": 3.0},
    ],
)
def test_bad_parameters_are_named(parameters):
    (name, value) = next(iter(parameters.items()))
    with pytest.raises(ValueError, match=name) as error:
        PILBoostClassifier(**parameters).fit([[0.0], [1.0]], [0, 1])
    assert repr(value) in str(error.value)


def noisy_cancer(rate, seed=0):
    X, y = load_breast_cancer(return_X_y=True)
    flip = np.random.default_rng(seed).random(len(y)) < rate
    return X, y, np.where(flip, 1 - y, y)


def test_twisted_and_untwisted_probabilities():
    X, _, noisy = noisy_cancer(0.2)
    for link in ("pseudo", "exact"):
        model = PILBoostClassifier(2.0, 1.0, n_estimators=40, max_depth=1, link=link).fit(X, noisy)
        score, twisted = model.decision_function(X), model.predict_proba(X, kind="twisted")[:, 1]
        inverse = model.loss_.pseudo_inverse_link if link == "pseudo" else model.loss_.inverse_link
        np.testing.assert_array_equal(twisted, inverse(score))
        clean = model.predict_proba(X)[:, 1]
        odds = (twisted / (1 - twisted))[(twisted > 0) & (twisted < 1)]
        np.testing.assert_allclose(clean[(twisted > 0) & (twisted < 1)], odds**2 / (1 + odds**2), rtol=1e-10)
        assert (np.abs(clean - 0.5) >= np.abs(twisted - 0.5) - 1e-15).all()
        *_, last = model.staged_predict_proba(X, kind="twisted")
        np.testing.assert_allclose(last[:, 1], twisted, atol=1e-12)
    with pytest.raises(ValueError, match="kind"):
        model.predict_proba(X, kind="clean")


def test_exact_link_at_alpha_1_is_logistic_boosting():
    X, _, noisy = noisy_cancer(0.1)
    model = PILBoostClassifier(1.0, 1.0, n_estimators=20, max_depth=1, link="exact").fit(X, noisy)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], 1 / (1 + np.exp(-model.decision_function(X))), rtol=1e-12)


@pytest.mark.filterwarnings("ignore:the labels allow")
def test_adaptive_alpha_is_the_estimated_one():
    X, _, noisy = noisy_cancer(0.25)
    model = PILBoostClassifier("adaptive", 1.0, n_estimators=5).fit(X, noisy)
    assert model.noise_ == estimate_noise(X, noisy) and model.alpha_ == model.noise_.alpha > 1.1
    fixed = PILBoostClassifier(model.alpha_, 1.0, n_estimators=5).fit(X, noisy)
    np.testing.assert_array_equal(model.decision_function(X), fixed.decision_function(X))
    assert PILBoostClassifier.estimate_noise(X, noisy) == model.noise_


def test_cross_validation_chooses_the_best_pair():
    X, y = make_xd6(300, rng=0)  # Boolean features: the encoding of a fold is that of all rows
    noisy = np.where(np.random.default_rng(0).random(300) < 0.2, -y, y)
    given = {"alphas": [2.0, 1.1], "step_sizes": np.array([1.0, 30.0])}
    model = PILBoostClassifier("cv", "cv", 10, 2, cv=3, random_state=0, **given).fit(X, noisy)
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    for i, alpha in enumerate([1.1, 2.0]):
        for j, step in enumerate([1.0, 30.0]):
            scores = cross_val_score(PILBoostClassifier(alpha, step, 10, 2), X, noisy, cv=folds)
            assert model.cv_scores_[i, j] == pytest.approx(scores.mean(), abs=1e-12)
    row, column = np.unravel_index(model.cv_scores_.argmax(), (2, 2))
    assert (model.alpha_, model.step_size_) == ([1.1, 2.0][row], [1.0, 30.0][column])


def test_densities_and_edges_are_those_of_the_algorithm():
    X, _, noisy = noisy_cancer(0.2)
    model = PILBoostClassifier(2.0, 1.5, n_estimators=6, max_depth=2).fit(X, noisy)
    sign, score = 2 * noisy - 1, np.zeros(len(noisy))
    for t, tree in enumerate(model.estimators_):
        weight = model.loss_.pseudo_inverse_link(-sign * score)
        assert model.densities_[t] == pytest.approx(weight.mean(), rel=1e-10)
        assert model.edges_[t] == pytest.approx(np.mean(weight * sign * tree.predict(X)), rel=1e-9)
        score += model.theta_[t] * tree.predict(X)


def test_any_weak_learner():
    X, _, noisy = noisy_cancer(0.2)
    model = PILBoostClassifier(1.1, 1.0, n_estimators=5, estimator=DecisionTreeClassifier(max_depth=2)).fit(X, noisy)
    assert model.score(X, noisy) > 0.7 and model.feature_importances_.sum() == pytest.approx(1)
