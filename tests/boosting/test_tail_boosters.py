"""LPBoost and AdaLPBoost: scikit-learn's checks, the algorithms against plain loops, the mixture and its draws."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import softmax
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from marginloss.boosting import AdaLPBoostClassifier, LPBoostClassifier, encode
from marginloss.companion.experiments.zhai2021.network import NetworkClassifier
from marginloss.risk import cvar, entropic_lpboost, lpboost, trimmed_lpboost

BOTH = [LPBoostClassifier(n_estimators=6, max_depth=2), AdaLPBoostClassifier(n_estimators=6, max_depth=2)]


@pytest.fixture(scope="module")
def data():
    X, y = make_classification(600, 8, n_informative=5, flip_y=0.1, random_state=0)
    return X[:300], y[:300], X[300:], y[300:]


def test_adalpboost_weights_are_the_softmax_of_the_losses(data):
    X, y, *_ = data
    model = AdaLPBoostClassifier(step_size=0.7, n_estimators=8, max_depth=1).fit(X, y)
    losses = model.model_losses(X, y).astype(float)
    for t in range(8):
        weight = softmax(0.7 * losses[:, :t].sum(axis=1))
        assert_allclose(weight @ losses[:, t], model.errors_[t], rtol=1e-10)
        stump = DecisionTreeClassifier(max_depth=1).fit(X, y, sample_weight=weight)
        assert_allclose((stump.predict(X) != y) @ weight, model.errors_[t], atol=1e-9)


def test_adaboost_multiplies_errors_by_the_odds_of_being_right():
    X, y = load_digits(return_X_y=True)
    model = AdaLPBoostClassifier(reweight="adaboost", n_estimators=5, max_depth=5).fit(X, y)
    losses, weight = model.model_losses(X, y).astype(float), np.full(len(y), 1 / len(y))
    for t in range(5):
        error = weight @ losses[:, t]
        assert_allclose(error, model.errors_[t], rtol=1e-9)
        weight *= (error / (1 - error)) ** (1 - losses[:, t])  # equation of section 3.3, exponent repaired
        weight /= weight.sum()
        assert_allclose(weight @ losses[:, t], 0.5)  # what AdaBoost's step is made for
    assert model.guarantee_ == np.inf


def test_without_reweighting_all_weights_stay_even(data):
    X, y, *_ = data
    model = AdaLPBoostClassifier(
        reweight="none", estimator=DecisionTreeClassifier(max_depth=2), resample=True, n_estimators=6, random_state=0
    ).fit(X, y)
    assert_allclose(model.errors_, model.training_losses_.mean(axis=0))
    assert len(np.unique(model.training_losses_, axis=1).T) > 1  # the draws differ
    assert model.guarantee_ == np.inf


def test_multiclass_weights_too():
    X, y = load_digits(return_X_y=True)
    model = AdaLPBoostClassifier(n_estimators=4, max_depth=3).fit(X, y)
    losses = model.model_losses(X, y).astype(float)
    for t in range(4):
        assert_allclose(softmax(losses[:, :t].sum(axis=1)) @ losses[:, t], model.errors_[t], rtol=1e-9)


@pytest.mark.parametrize("beta", [None, 30.0])
def test_lpboost_weights_solve_the_program(data, beta):
    X, y, *_ = data
    model = LPBoostClassifier(alpha=0.2, beta=beta, n_estimators=6, max_depth=2).fit(X, y)
    losses = model.model_losses(X, y).astype(float)
    for t in range(1, len(model.errors_)):
        if beta is None:  # the optimal weights are not unique, their value is
            solved = lpboost(losses[:, :t], 0.2)
            assert model.errors_[t] <= 1
        else:
            solved = entropic_lpboost(losses[:, :t], 0.2, beta)
            assert_allclose(solved.sample_weights @ losses[:, t], model.errors_[t], atol=1e-4)
    assert_allclose(model.value_, lpboost(losses, 0.2).value, atol=1e-9)


@pytest.mark.parametrize("beta", [None, 100.0])
def test_lpboost_lowers_the_training_tail(data, beta):
    X, y, *_ = data
    model = LPBoostClassifier(alpha=0.2, beta=beta, n_estimators=40, max_depth=2).fit(X, y)
    assert model.value_ < 0.75 * cvar(model.validation_losses_[:, 0].astype(float), 0.2, model.validation_weight_)


def test_lpboost_stops_when_nothing_helps():
    X, y = np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([0, 1, 0, 1])  # labels that no feature explains
    model = LPBoostClassifier(alpha=0.5, n_estimators=50).fit(X, y)
    assert model.stop_reason_ == "no_gain"
    assert_allclose(model.cvar(X, y), 0.5)


@pytest.mark.parametrize("model", BOTH, ids=["lpboost", "adalpboost"])
def test_model_weights_minimise_the_validation_tail(model, data):
    X, y, X_val, y_val = data
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = clone(model).fit(X, y, X_val=X_val, y_val=y_val)
    losses = fitted.model_losses(X_val, y_val)
    assert_allclose(fitted.value_, lpboost(losses, fitted.alpha).value, atol=1e-9)
    assert_allclose(fitted.cvar(X_val, y_val), fitted.value_, atol=1e-12)
    for alpha in (0.05, 0.5):
        assert_allclose(fitted.set_alpha(alpha).cvar(X_val, y_val), lpboost(losses, alpha).value, atol=1e-9)


@pytest.mark.parametrize("method", ["lp", "smoothed", "bagged", "uniform", "first"])
def test_path_equals_single_choices(method, data):
    X, y, *_ = data
    model = AdaLPBoostClassifier(n_estimators=7, max_depth=2, model_weights=method, random_state=0).fit(X, y)
    path = model.alpha_path([0.3, 0.05, 1.0])
    assert_allclose(path.model_weights.sum(axis=1), 1)
    for alpha, value in zip(path.alphas, path.values, strict=True):
        assert_allclose(model.set_alpha(alpha).value_, value, atol=1e-9)
    assert AdaLPBoostClassifier(n_estimators=3).fit(X, y).alpha_path().model_weights.shape == (50, 3)


def test_named_special_cases(data):
    X, y, *_ = data
    model = AdaLPBoostClassifier(alpha=0.1, n_estimators=9, max_depth=2).fit(X, y)
    losses = model.model_losses(X, y).astype(float)
    best = model.cvar(X, y)
    erm = model.set_params(model_weights="first").set_alpha(0.1).cvar(X, y)
    average = model.set_params(model_weights="uniform").set_alpha(0.1).cvar(X, y)
    assert_allclose([erm, average], [min(1, losses[:, 0].mean() / 0.1), cvar(losses.mean(axis=1), 0.1)])
    assert best <= min(erm, average) + 1e-12


def test_guarantee_of_theorem_5(data):
    X, y, *_ = data
    model = AdaLPBoostClassifier(n_estimators=60, max_depth=2, model_weights="uniform").fit(X, y)
    assert model.expected_loss(X, y).max() <= model.guarantee_
    assert AdaLPBoostClassifier(n_estimators=2, trim=0.1).fit(X, y).guarantee_ == np.inf


@pytest.mark.parametrize("model", BOTH, ids=["lpboost", "adalpboost"])
def test_probabilities_are_the_mixture_of_votes(model, data):
    X, y, X_new, y_new = data
    fitted = clone(model).fit(X, y)
    losses = fitted.model_losses(X_new, y_new)
    assert_allclose(fitted.expected_loss(X_new, y_new), losses @ fitted.model_weights_, atol=1e-12)
    proba = fitted.predict_proba(X_new)
    assert_allclose(proba.sum(axis=1), 1)
    assert (fitted.predict(X_new) == fitted.classes_[proba.argmax(axis=1)]).all()
    assert not hasattr(fitted, "decision_function")
    # the most probable class is deterministic again: no gain in the tail (Proposition 1)
    wrong = float((fitted.predict(X_new) != y_new).mean())
    assert_allclose(cvar((fitted.predict(X_new) != y_new).astype(float), 0.1), min(1, wrong / 0.1))


@pytest.mark.parametrize("sampling", ["per_sample", "per_call", "frozen"])
def test_draws_have_the_law_of_the_mixture(sampling, data):
    X, y, X_new, _ = data
    model = AdaLPBoostClassifier(
        n_estimators=8, max_depth=1, sampling=sampling, random_state=3, model_weights="uniform"
    )
    model.fit(X, y)
    proba = model.predict_proba(X_new)[:, 1]
    if sampling == "frozen":
        first = model.predict(X_new)
        assert (model.predict(X_new) == first).all()
        assert (model.predict(X_new[::-1])[::-1] == first).all()
        draws = []
        for key in range(300):
            model.key_ = key
            draws.append(model.predict(X_new))
    else:
        draws = [model.predict(X_new) for _ in range(300)]
    assert_allclose(np.mean(draws, axis=0), proba, atol=5 * 0.5 / np.sqrt(300))
    if sampling == "per_call":
        votes = {tuple(model.classes_[model._answers(X_new, t)]) for t in range(8)}
        assert {tuple(draw) for draw in draws} <= votes
    if sampling == "per_sample":
        assert (draws[0] != draws[1]).any()
    again = clone(model).fit(X, y).predict(X_new)
    assert (again == clone(model).fit(X, y).predict(X_new)).all()
    assert_allclose(
        model.score(X_new, model.predict(X_new)), 1 - model.expected_loss(X_new, draws[-1]).mean(), atol=0.2
    )


def test_staged_predictions_end_at_the_last(data):
    X, y, X_new, _ = data
    model = AdaLPBoostClassifier(n_estimators=5, max_depth=2).fit(X, y)
    staged = list(model.staged_predict(X_new))
    assert len(staged) == 5
    assert (staged[-1] == model.predict(X_new)).all()
    assert (staged[0] == model.classes_[model._answers(X_new, 0)]).all()


def test_encoded_data_and_merged_rows():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (400, 3)).astype(float), rng.integers(0, 2, 400)
    for model in BOTH:
        plain, encoded = clone(model).fit(X, y), clone(model).fit(encode(X), y)
        assert_allclose(plain.cvar(X, y), encoded.cvar(X, y), atol=1e-9)
        assert_allclose(plain.value_, plain.cvar(X, y), atol=1e-9)


def test_trimming_ignores_flipped_labels():
    X, y = load_breast_cancer(return_X_y=True)
    noisy = y.copy()
    noisy[np.random.default_rng(0).choice(len(y), 40, replace=False)] ^= 1
    plain = AdaLPBoostClassifier(alpha=0.2, n_estimators=30, max_depth=2).fit(X, noisy)
    trimmed = AdaLPBoostClassifier(alpha=0.2, n_estimators=30, max_depth=2, trim=0.1).fit(X, noisy)
    assert trimmed.expected_loss(X, y).mean() < plain.expected_loss(X, y).mean()
    expected = trimmed_lpboost(trimmed.validation_losses_, 0.2, 0.1, sample_weight=trimmed.validation_weight_)
    assert_allclose(trimmed.model_weights_, expected.model_weights)


@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(),
        KNeighborsClassifier(5),
        NetworkClassifier(hidden_layer_sizes=(8,), n_iterations=20, decay_at=()),
    ],
    ids=["weights", "resampling", "network"],
)
def test_base_learners(estimator, data):
    X, y, *_ = data
    for booster in (AdaLPBoostClassifier, LPBoostClassifier):
        model = booster(alpha=0.3, estimator=estimator, n_estimators=5, random_state=0).fit(X, y)
        losses = model.model_losses(X, y)
        assert (model.training_losses_ == losses).all()
        assert_allclose(model.value_, lpboost(losses, 0.3).value, atol=1e-9)
        assert (model.predict(X) == clone(model).fit(X, y).predict(X)).all()


def test_resample_can_be_asked_for(data):
    X, y, *_ = data
    tree = DecisionTreeClassifier(max_depth=2)
    weighed = AdaLPBoostClassifier(estimator=tree, n_estimators=4, random_state=0).fit(X, y)
    drawn = AdaLPBoostClassifier(estimator=tree, n_estimators=4, resample=True, random_state=0).fit(X, y)
    assert not np.allclose(weighed.errors_, drawn.errors_)
    with pytest.raises(ValueError, match="resample=True needs an estimator"):
        AdaLPBoostClassifier(resample=True).fit(X, y)


def test_labels_of_any_kind_and_one_class(data):
    X, y, X_val, y_val = data
    names = np.array(["no", "yes"])
    model = AdaLPBoostClassifier(alpha=0.5, n_estimators=4).fit(X, names[y], X_val=X_val, y_val=names[y_val])
    assert set(model.predict(X)) <= {"no", "yes"}
    unseen = model.expected_loss(X_val[:3], np.array(["maybe"] * 3))
    assert_allclose(unseen, 1.0)
    for booster in BOTH:
        constant = clone(booster).set_params(sampling="per_sample").fit(X, np.full(len(X), "only"))
        assert set(constant.predict(X)) == {"only"}
        assert constant.stop_reason_ == "one_class"
        assert_allclose(constant.set_alpha(0.4).cvar(X, np.full(len(X), "only")), 0.0)


def test_small_validation_tail_is_told(data):
    X, y, X_val, y_val = data
    with pytest.warns(UserWarning, match="fewer than 100"):
        AdaLPBoostClassifier(n_estimators=2).fit(X, y, X_val=X_val, y_val=y_val)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("alpha", 0.0),
        ("alpha", 1.5),
        ("n_estimators", 0),
        ("max_depth", 0),
        ("sampling", "sometimes"),
        ("model_weights", "best"),
        ("resample", "yes"),
        ("beta", 0.0),
    ],
)
@pytest.mark.parametrize("booster", [LPBoostClassifier, AdaLPBoostClassifier])
def test_bad_parameters(booster, name, value, data):
    X, y, X_val, _ = data
    with pytest.raises(ValueError, match=name):
        booster(**{name: value}).fit(X, y)
    with pytest.raises(ValueError, match="given together"):
        booster().fit(X, y, X_val=X_val)


def test_training_samples_that_a_model_fits_perfectly_are_told():
    X, y = np.arange(20.0)[:, None], np.arange(20) // 10
    with pytest.warns(UserWarning, match="makes no error on the training samples"):
        model = AdaLPBoostClassifier(n_estimators=3, max_depth=1).fit(X, y)
    assert model.model_weights_.max() == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        AdaLPBoostClassifier(n_estimators=3, max_depth=1, model_weights="uniform").fit(X, y)
        AdaLPBoostClassifier(n_estimators=3, max_depth=1).fit(X, (np.arange(20) // 5) % 2)


@pytest.mark.parametrize("booster", BOTH, ids=["lpboost", "adalpboost"])
def test_bad_parameters_set_after_the_fit(booster, data):
    X, y, *_ = data
    model = clone(booster).fit(X, y).set_params(model_weights="best")
    with pytest.raises(ValueError, match=r"'model_weights' parameter .* must be .* Got 'best'"):
        model.set_alpha(0.2)
    with pytest.raises(ValueError, match=r"'model_weights' parameter .* must be .* Got 'best'"):
        model.alpha_path([0.2])
    model.set_params(model_weights="lp", sampling="always")
    with pytest.raises(ValueError, match=r"'sampling' parameter .* must be .* Got 'always'"):
        model.predict(X)


def test_bad_parameters_of_each(data):
    X, y, *_ = data
    for model, name in [
        (AdaLPBoostClassifier(step_size=0), "step_size"),
        (AdaLPBoostClassifier(reweight="adabost"), "reweight"),
        (AdaLPBoostClassifier(trim=1.0), "trim"),
        (AdaLPBoostClassifier(trim=0.1, model_weights="bagged"), "trim=0.1 has no version of model_weights='bagged'"),
        (LPBoostClassifier(patience=0), "patience"),
    ]:
        with pytest.raises(ValueError, match=name):
            model.fit(X, y)
    model = AdaLPBoostClassifier(n_estimators=2).fit(X, y)
    with pytest.raises(ValueError, match="alpha"):
        model.set_alpha(0.0)
    with pytest.raises(ValueError, match="y must have shape"):
        model.expected_loss(X, y[:3])
