"""Classifiers around XGBoost and LightGBM."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

from marginloss.interop import MarginObjective, RobustLGBMClassifier, RobustXGBClassifier, xgboost_objective
from marginloss.losses import AlphaLoss, CorrectedLoss, HingeLoss, SigmoidLoss, TLogisticLoss, TwoTemperatureLoss
from marginloss.losses.tempered import two_temperature_loss

xgboost = pytest.importorskip("xgboost")
ENGINES = [RobustXGBClassifier]
try:
    import lightgbm

    ENGINES.append(RobustLGBMClassifier)
except OSError:  # the system's OpenMP library is missing
    lightgbm = None

SMALL = {"n_estimators": 10, "n_jobs": 1}
SIGNATURE = {"check_no_attributes_set_in_init": "parameters of the engine are not in the signature"}
PRECISION = {
    "check_sample_weight_equivalence_on_dense_data": "sums of XGBoost are in single precision: the last digit differs",
    "check_sample_weight_equivalence_on_sparse_data": "sums of XGBoost are in single precision: the last digit differs",
}
MODELS = [
    RobustXGBClassifier(**SMALL),
    RobustXGBClassifier(AlphaLoss(2), **SMALL),
    RobustXGBClassifier(TwoTemperatureLoss(0.8, 1.2), class_weight="balanced", **SMALL),
    RobustXGBClassifier(CorrectedLoss(AlphaLoss(1), 0.1, 0.2), **SMALL),
]
if lightgbm:
    few = {"min_child_samples": 1, "verbose": -1}
    losses = None, AlphaLoss(2), TwoTemperatureLoss(0.8, 1.2)
    MODELS += [RobustLGBMClassifier(loss, **few, **SMALL) for loss in losses]


def reasons(model):
    return SIGNATURE | (PRECISION if isinstance(model, RobustXGBClassifier) else {})


@parametrize_with_checks(MODELS, expected_failed_checks=reasons)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def noisy():
    X, y = make_classification(400, 6, flip_y=0.2, random_state=0)
    return X, np.where(y, "yes", "no")


@pytest.mark.parametrize("temperatures", [(1, 1), (0.8, 1.2), (0.4, 1.6), (1.3, 1.1), (0.5, 1), (0.3, 0.7)])
def test_several_classes_have_the_gradient_of_the_loss_and_a_curvature_above_its_hessian(temperatures):
    rng = np.random.default_rng(0)
    scores, labels, h = rng.normal(size=(200, 4)) * 0.5, rng.integers(0, 4, 200), 1e-4
    gradient, curvature = MarginObjective(TwoTemperatureLoss(*temperatures)).derivatives(labels, scores)
    middle = two_temperature_loss(scores, labels, *temperatures)
    for k, e in enumerate(h * np.eye(4)):
        up, down = (two_temperature_loss(scores + s * e, labels, *temperatures) for s in (1, -1))
        np.testing.assert_allclose(gradient[:, k], (up - down) / (2 * h), atol=1e-7)
        bend = (up - 2 * middle + down) / h**2
        assert (curvature[:, k] >= 2 * bend - 1e-6).all()
    assert (curvature >= 0).all()
    far = MarginObjective(TwoTemperatureLoss(*temperatures)).derivatives(labels, scores * 1e3)
    assert np.isfinite(far).all() and (far[1] >= 0).all()


def test_the_logistic_loss_of_several_classes_grows_the_trees_of_xgboost():
    X, y = load_iris(return_X_y=True)
    ours = RobustXGBClassifier(TwoTemperatureLoss(1, 1), max_depth=3, **SMALL).fit(X, y)
    theirs = xgboost.XGBClassifier(max_depth=3, base_score=0.5, **SMALL).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-5)


def test_weights_of_rows_act_in_several_classes():
    X, y = load_iris(return_X_y=True)
    weight = np.random.default_rng(0).integers(0, 3, len(y))
    rows = np.repeat(np.arange(len(y)), weight)
    model = RobustXGBClassifier(TwoTemperatureLoss(0.8, 1.2), **SMALL)
    by_weight = model.fit(X, y, weight).decision_function(X)
    np.testing.assert_allclose(model.fit(X[rows], y[rows]).decision_function(X), by_weight, atol=1e-5)


@pytest.mark.parametrize("kind", ENGINES)
def test_probabilities_are_the_posterior_and_scores_start_at_zero(noisy, kind):
    X, y = noisy
    model = kind(AlphaLoss(3), **SMALL).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], expit(model.decision_function(X) / 3))
    np.testing.assert_array_equal(model.predict(X), np.where(model.decision_function(X) > 0, "yes", "no"))
    np.testing.assert_allclose(model.predict_log_proba(X), np.log(model.predict_proba(X)))
    lone = kind(AlphaLoss(3), n_estimators=1, learning_rate=1e-6).fit(X, y)
    assert np.abs(lone.decision_function(X)).max() < 1e-4
    assert not hasattr(kind(SigmoidLoss(), **SMALL).fit(X, y), "predict_proba")


def test_native_training_starts_at_zero_with_the_right_base_score(noisy):
    X, y = noisy
    data = xgboost.DMatrix(X, y == "yes")
    objective = xgboost_objective(AlphaLoss(2))
    for start, settings in ((0.5, {}), (0.0, {"base_score": 0.0})):
        booster = xgboost.train({"eta": 1e-6} | settings, data, 1, obj=objective)
        np.testing.assert_allclose(booster.predict(data), start, atol=1e-4)
    native = xgboost.train({"base_score": 0.0, "nthread": 1}, data, 10, obj=objective)
    np.testing.assert_allclose(
        native.predict(data), RobustXGBClassifier(AlphaLoss(2), **SMALL).fit(X, y).decision_function(X), atol=1e-6
    )


@pytest.mark.parametrize("kind", ENGINES)
def test_copies_searches_and_pickles_keep_the_parameters_of_the_engine(noisy, kind):
    X, y = noisy
    model = kind(AlphaLoss(2), max_depth=2, **SMALL)
    assert model.get_params()["max_depth"] == 2 and "learning_rate" in model.get_params()
    assert clone(model).get_params().items() >= {"max_depth": 2, "n_estimators": 10, "loss": AlphaLoss(2)}.items()
    search = GridSearchCV(model, {"max_depth": [1, 3], "loss": [AlphaLoss(1), AlphaLoss(2)]}, cv=2).fit(X, y)
    assert set(search.best_params_) == {"max_depth", "loss"} and search.best_score_ > 0.7
    again = pickle.loads(pickle.dumps(search.best_estimator_))
    np.testing.assert_array_equal(again.predict_proba(X), search.best_estimator_.predict_proba(X))


@pytest.mark.parametrize("kind", ENGINES)
def test_missing_values_and_categories_are_split(kind):
    rng = np.random.default_rng(0)
    colour = pd.Categorical(rng.choice(["blue", "green", "red", "white"], 400))
    frame = pd.DataFrame({"size": rng.normal(size=400), "colour": colour})
    frame.loc[rng.random(400) < 0.3, "size"] = np.nan
    y = (np.isin(colour, ["green", "white"]) & ~frame["size"].isna()).astype(int)
    model = kind(AlphaLoss(2), min_child_weight=0.1, **SMALL | {"n_estimators": 30}).fit(frame, y)
    assert model.score(frame, y) == 1
    assert list(model.feature_names_in_) == ["size", "colour"] and model.feature_importances_.shape == (2,)
    with pytest.raises(ValueError, match="could not convert string to float"):
        kind(**SMALL).fit(frame.astype({"colour": str}).astype(object), y)


@pytest.mark.parametrize(
    ("kind", "word"), list(zip(ENGINES, ["early_stopping_rounds", "early_stopping_round"], strict=False))
)
@pytest.mark.parametrize("several", [False, True])
def test_early_stopping_is_by_the_loss(kind, word, several, capsys):
    X, y = make_classification(600, 6, n_informative=4, flip_y=0.3, n_classes=3 if several else 2, random_state=0)
    loss = TwoTemperatureLoss(0.8, 1.2) if several else AlphaLoss(2)
    model = kind(loss, **{word: 5}, n_estimators=500, learning_rate=0.3, n_jobs=1)
    model.fit(X[:300], y[:300], eval_set=[(X[300:], y[300:])])
    record = model.engine_.evals_result() if kind is RobustXGBClassifier else model.engine_.evals_result_
    ((means,),) = [metrics.values() for metrics in record.values()]
    assert len(means) < 200 and np.argmin(means) == len(means) - 6
    reached = MarginObjective(loss).mean_loss(y[300:], model.decision_function(X[300:]))
    assert reached == pytest.approx(min(means), rel=1e-5)
    assert capsys.readouterr().out == ""
    with pytest.raises(ValueError, match="previously unseen labels"):
        model.fit(X, y, eval_set=[(X, y + 7)])


@pytest.mark.parametrize("kind", ENGINES)
@pytest.mark.filterwarnings("ignore:The least populated class")
def test_a_loss_is_chosen_by_cross_validation(noisy, kind):
    X, y = noisy
    weight = np.where(np.arange(len(y)) % 4 == 0, 0.0, 1.0)
    model = kind("cv", cv=3, class_weight={"yes": 2.0, "no": 1.0}, **SMALL).fit(X, y, weight)
    kept, doubled = weight > 0, np.where(y == "yes", 2.0, 1.0)
    other = kind("cv", cv=3, **SMALL).fit(X[kept], y[kept], doubled[kept])
    assert model.loss_ == other.loss_ and isinstance(model.loss_, AlphaLoss)
    np.testing.assert_array_equal(model.decision_function(X), other.decision_function(X))
    X, y = load_iris(return_X_y=True)
    assert isinstance(kind("cv", cv=2, **SMALL).fit(X, y).loss_, TwoTemperatureLoss)
    with pytest.raises(ValueError, match="cv=2 leaves a fold without examples of one class"):
        kind("cv", cv=2, **SMALL).fit(X[:51], y[:51])


def test_corrected_losses_serve_both_kinds_of_flips(noisy):
    X, y = noisy
    plain = RobustXGBClassifier(AlphaLoss(2), max_depth=2, **SMALL).fit(X, y).decision_function(X)
    more = RobustXGBClassifier(CorrectedLoss(AlphaLoss(2), 0.3, 0.0), max_depth=2, **SMALL).fit(X, y)
    less = RobustXGBClassifier(CorrectedLoss(AlphaLoss(2), 0.0, 0.3), max_depth=2, **SMALL).fit(X, y)
    assert less.decision_function(X).mean() < plain.mean() < more.decision_function(X).mean()


@pytest.mark.parametrize("kind", ENGINES)
def test_what_makes_no_sense_is_refused(noisy, kind):
    X, y = noisy
    iris = load_iris(return_X_y=True)
    for loss in (AlphaLoss(2), HingeLoss(), CorrectedLoss(AlphaLoss(2), 0.1, 0.1)):
        with pytest.raises(ValueError, match=r"such as TwoTemperatureLoss\(0.8, 1.2\), got"):
            kind(loss, **SMALL).fit(*iris)
    assert kind(TLogisticLoss(1.3), **SMALL).fit(*iris).score(*iris) > 0.9
    with pytest.raises(ValueError, match=r"'loss' parameter .* Got 'logistic' instead"):
        kind("logistic").fit(X, y)
    with pytest.raises(ValueError, match="objective is decided by loss, got objective='multi:softmax'"):
        kind(objective="multi:softmax").fit(X, y)
    with pytest.raises(ValueError, match="only one class: 'yes'"):
        kind().fit(X, np.full(len(y), "yes"))


def test_contributions_of_features_add_up_to_the_score(noisy):
    X, y = noisy
    model = RobustXGBClassifier(AlphaLoss(2), monotone_constraints=(1, 0, 0, 0, 0, 0), **SMALL).fit(X, y)
    shares = model.engine_.get_booster().predict(xgboost.DMatrix(X), pred_contribs=True)
    np.testing.assert_allclose(shares.sum(axis=1), model.decision_function(X), atol=1e-5)
    raised = X + np.eye(6)[0]
    assert (model.decision_function(raised) >= model.decision_function(X) - 1e-6).all()


def test_a_missing_engine_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "xgboost", None)
    with pytest.raises(ImportError, match="RobustXGBClassifier needs xgboost, which is in the extra 'bench'"):
        RobustXGBClassifier().fit([[0.0], [1.0]], [0, 1])


def test_a_loss_that_gives_up_withstands_wrong_labels():
    X, y = make_classification(1500, 10, n_informative=5, class_sep=1.5, random_state=3)
    given = np.where(np.random.default_rng(0).random(len(y)) < 0.3, 1 - y, y)
    model = RobustXGBClassifier(AlphaLoss(1), n_estimators=100, max_depth=6, n_jobs=1)
    logistic = model.fit(X[:1000], given[:1000]).score(X[1000:], y[1000:])
    assert model.set_params(loss=AlphaLoss(4)).fit(X[:1000], given[:1000]).score(X[1000:], y[1000:]) > logistic + 0.02
