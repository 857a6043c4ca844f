"""Boosters with parameters and data that are legal, and awkward: zero weights, deep trees, other learners."""

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GroupKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from marginloss.boosting import (
    AdaBoostAlphaClassifier,
    AdaLPBoostClassifier,
    BregmanBoostClassifier,
    LPBoostClassifier,
    MadaBoostClassifier,
    PILBoostClassifier,
    PNormLearner,
    SmoothBoostClassifier,
    encode,
)
from marginloss.linear import MarginClassifier
from marginloss.losses import AlphaLoss

published = SmoothBoostClassifier.as_published


@pytest.mark.parametrize("parameters", [{"alpha": math.inf}, {"alpha": "cv", "alphas": (1.0, math.inf)}])
def test_the_step_alpha_refuses_an_infinite_alpha(parameters):
    with pytest.raises(ValueError, match="must then be finite, got inf"):
        AdaBoostAlphaClassifier(**parameters, step="alpha").fit([[0.0], [1.0]], [0, 1])


def test_candidates_may_come_as_an_array():
    X, y = load_breast_cancer(return_X_y=True)
    model = AdaBoostAlphaClassifier("cv", n_estimators=3, alphas=np.array([1.0, 2.0]), step="alpha").fit(X, y)
    assert model.alpha_ in (1.0, 2.0)


def test_a_second_fit_leaves_nothing_of_the_first():
    X, y = load_breast_cancer(return_X_y=True)
    model = AdaBoostAlphaClassifier("cv", n_estimators=5, alphas=(1.0, 2.0)).fit(X, y)
    assert hasattr(model, "cv_scores_")
    model.set_params(alpha=2.0, loss=AlphaLoss(1)).fit(X, y)
    assert not hasattr(model, "alpha_") and not hasattr(model, "cv_scores_")


def test_given_folds_speak_of_all_rows_also_of_those_without_weight():
    X, y = load_breast_cancer(return_X_y=True)
    weight = np.tile([0.0, 1.0, 1.0, 2.0], 143)[: len(y)]
    splits = list(GroupKFold(3).split(X, y, np.arange(len(y)) // 2))
    place = np.cumsum(weight > 0) - 1
    among = [tuple(place[part][weight[part] > 0] for part in split) for split in splits]
    model = AdaBoostAlphaClassifier("cv", n_estimators=5)
    one = model.set_params(cv=splits).fit(X, y, weight).cv_scores_
    other = model.set_params(cv=among).fit(X[weight > 0], y[weight > 0], weight[weight > 0]).cv_scores_
    np.testing.assert_array_equal(one, other)


def test_importances_find_the_feature_that_matters():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    model = AdaBoostAlphaClassifier(2.0, n_estimators=20, max_depth=2).fit(X, X[:, 2] > 0)
    assert model.feature_importances_.argmax() == 2 and model.feature_importances_.sum() == pytest.approx(1)
    foreign = AdaBoostAlphaClassifier(2.0, n_estimators=20, estimator=DecisionTreeClassifier(max_depth=2))
    foreign.fit(X, X[:, 2] > 0)
    assert foreign.feature_importances_.argmax() == 2 and foreign.feature_importances_.sum() == pytest.approx(1)
    foreign.set_params(estimator=GaussianNB()).fit(X, X[:, 2] > 0)
    assert not hasattr(foreign, "feature_importances_")


def test_an_encoded_matrix_of_another_width_or_for_another_learner_is_refused():
    X, y = load_breast_cancer(return_X_y=True)
    model = AdaBoostAlphaClassifier(n_estimators=3).fit(X, y)
    with pytest.raises(ValueError, match="X has 2 features, but AdaBoostAlphaClassifier is expecting 30"):
        model.predict(encode(X[:, :2]))
    with pytest.raises(ValueError, match="estimator=DecisionTreeClassifier"):
        AdaBoostAlphaClassifier(estimator=DecisionTreeClassifier()).fit(encode(X), y)


@pytest.mark.parametrize("max_depth", [60, 63, 10**6])
def test_any_depth_is_deep_enough(max_depth):
    X, y = np.arange(6.0)[:, None], [0, 1, 0, 1, 0, 1]
    assert AdaBoostAlphaClassifier(n_estimators=3, max_depth=max_depth).fit(X, y).score(X, y) == 1


def test_seeds_reach_what_is_inside_of_an_estimator():
    X, y = load_breast_cancer(return_X_y=True)
    inside = CalibratedClassifierCV(DecisionTreeClassifier(max_depth=2, max_features=1), cv=2)
    fits = [AdaBoostAlphaClassifier(n_estimators=3, estimator=inside, random_state=0).fit(X, y) for _ in range(2)]
    np.testing.assert_array_equal(*(model.decision_function(X) for model in fits))


def test_smoothness_at_a_tiny_alpha_is_that_of_the_plain_loop():
    X, y = load_breast_cancer(return_X_y=True)
    settings = {"alpha": 1e-3, "learning_rate": 0.1, "n_estimators": 3}
    compiled = AdaBoostAlphaClassifier(**settings).fit(X, y)
    plain = AdaBoostAlphaClassifier(**settings, estimator=DecisionTreeClassifier(max_depth=1), random_state=0).fit(X, y)
    np.testing.assert_allclose(compiled.kappa_, plain.kappa_, rtol=1e-6)


@pytest.mark.parametrize("kind", [list, np.float32, np.int64])
def test_any_matrix_of_numbers_can_be_encoded(kind):
    X = np.array([[1.0, 3.0], [2.0, 3.0], [4.0, 5.0]])
    given = X.tolist() if kind is list else X.astype(kind)
    np.testing.assert_array_equal(encode(given).codes, encode(X).codes)


@pytest.mark.parametrize("X", [[[1.0, -np.inf]], [[1.0, np.inf]], [1.0, 2.0], np.empty((0, 2))], ids=repr)
def test_what_is_no_matrix_of_finite_numbers_is_not_encoded(X):
    with pytest.raises(ValueError, match=r"infinity|1D|0 sample"):
        encode(np.asarray(X))


def test_a_second_fit_of_pilboost_leaves_nothing_of_the_first():
    X, y = load_breast_cancer(return_X_y=True)
    model = PILBoostClassifier("cv", n_estimators=3, alphas=(1.0, 2.0), cv=2).fit(X, y)
    model.set_params(alpha="adaptive").fit(X, y)
    assert hasattr(model, "noise_") and not hasattr(model, "cv_scores_")
    assert not hasattr(model.set_params(alpha=2.0).fit(X, y), "noise_")


@pytest.mark.parametrize("parameters", [{"alpha": np.array([1.0, 2.0])}, {"step_size": np.array([1.0, 2.0])}], ids=str)
def test_pilboost_names_the_parameter_that_is_an_array(parameters):
    with pytest.raises(ValueError, match=f"The '{next(iter(parameters))}' parameter of PILBoost"):
        PILBoostClassifier(**parameters).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.filterwarnings("ignore:SmoothBoost did not stop")
def test_the_mean_of_linear_hypotheses_goes_with_them():
    X, y = load_breast_cancer(return_X_y=True)
    model = published(estimator=PNormLearner(R=1e4), n_estimators=3, on_failure="ignore").fit(X, y)
    assert model.mean_coef_.shape == (30,)
    assert not hasattr(model.set_params(estimator=None).fit(X, y), "mean_coef_")


@pytest.mark.parametrize("adaptive", [False, True])
def test_halving_ends_where_labels_contradict_each_other(monkeypatch, adaptive):
    monkeypatch.setattr("marginloss.boosting.smoothboost._MOST", 1000)  # before edges are lost in rounding
    X, y = [[0.0], [0.0], [1.0], [1.0], [1.0]], [0, 1, 1, 1, 0]
    with pytest.warns(ConvergenceWarning, match="did not stop"):
        model = published(on_failure="halve", adaptive=adaptive).fit(X, y)
    assert model.n_rounds_total_ == 1000 and model.stop_reason_ == "n_rounds"


@pytest.mark.parametrize(
    "model",
    [
        PILBoostClassifier(n_estimators=3),
        published(n_estimators=3),
        MadaBoostClassifier(),
        BregmanBoostClassifier(),
        LPBoostClassifier(),
        AdaLPBoostClassifier(),
        PNormLearner(R=10.0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_weights_without_a_finite_sum_are_refused(model):
    with pytest.raises(ValueError, match="sample_weight must have a finite sum"):
        model.fit(np.arange(4.0)[:, None], [0, 1, 0, 1], [1e308] * 4)


@pytest.mark.parametrize("model", [LPBoostClassifier, AdaLPBoostClassifier])
def test_seeds_reach_what_is_inside_of_an_estimator_that_sees_drawn_rows(model):
    X, y = load_breast_cancer(return_X_y=True)
    inside = make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=2, max_features=1))
    fits = [model(n_estimators=3, estimator=inside, random_state=0).fit(X, y) for _ in range(2)]
    np.testing.assert_array_equal(*(fitted.training_losses_ for fitted in fits))


@pytest.mark.parametrize("model", [LPBoostClassifier(n_estimators=2), AdaLPBoostClassifier(n_estimators=2)], ids=repr)
def test_validation_labels_are_checked_under_their_own_name(model):
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.raises(ValueError, match=r"y_val must have shape \(569,\), got \(5,\)"):
        model.fit(X, y, X_val=X, y_val=y[:5])
    for y_val in (np.where(y, "sick", "well"), np.full(569, np.nan)):
        with pytest.raises(ValueError, match=r"y_val must hold labels seen in fit, \[0, 1\]"):
            model.fit(X, y, X_val=X, y_val=y_val)


@pytest.mark.parametrize("y", [[0, 1, 0, 1], [0, 0, 0, 0]], ids=["two", "one"])
@pytest.mark.parametrize("alphas", [[0.1, 7.0], "abc", 0.5], ids=repr)
def test_a_path_of_something_else_than_tail_fractions_is_refused(y, alphas):
    model = AdaLPBoostClassifier(n_estimators=2, model_weights="uniform").fit(np.arange(4.0)[:, None], y)
    with pytest.raises(ValueError, match="alphas must be"):
        model.alpha_path(alphas)


@pytest.mark.parametrize("model", [AdaBoostAlphaClassifier(), AdaLPBoostClassifier(n_estimators=3)])
def test_trees_without_a_split_have_learned_nothing(model):
    with pytest.warns(ConvergenceWarning, match="learned nothing"):
        model.fit(np.ones((30, 2)), np.arange(30) < 20)
    assert len(np.unique(model.predict(np.ones((4, 2))))) == 1


@pytest.mark.parametrize("model", [PILBoostClassifier(), MarginClassifier()])
def test_columns_of_words_are_named_with_the_recipe(model):
    frame = pd.DataFrame({"size": [1.0, 2.0] * 4, "colour": pd.Categorical(["red", "blue"] * 4)})
    with pytest.raises(ValueError, match=r"'red'.*\['colour'\] are not numbers.*OrdinalEncoder.*OneHotEncoder"):
        model.fit(frame, [0, 1] * 4)
