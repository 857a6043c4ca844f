"""Linear classifiers on data and settings that are legal, and awkward: offsets, repeated columns, flat objectives."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, KFold

from marginloss.boosting import HalfspaceLearner
from marginloss.linear import (
    DesignFactor,
    MarginClassifier,
    PNormPerceptron,
    TwoTemperatureClassifier,
    Winnow,
)
from marginloss.losses import AlphaLoss, HingeLoss, SigmoidLoss, SmoothBoostLoss, TwoTemperatureLoss


@pytest.fixture
def plain():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    return X, (X[:, 0] + rng.normal(size=200) > 0).astype(int)


@pytest.mark.parametrize(
    "change",
    [
        lambda X: X + 1e8,
        lambda X: np.c_[X, 1e4 + X[:, 0]],
        lambda X: np.c_[X, X] + 1e4,
        lambda X: np.c_[X, np.full(len(X), 0.1)],
        lambda X: np.c_[X, np.zeros(len(X))],
        lambda X: X * [1e6, 1e-3],
    ],
    ids=["offset", "collinear", "repeated", "constant", "zero", "scales"],
)
def test_offsets_scales_and_columns_without_news_leave_the_fit_as_it_is(plain, change):
    X, y = plain
    model = MarginClassifier(tol=1e-7).fit(X, y)
    Z = change(X)
    changed = MarginClassifier(tol=1e-5).fit(Z, y)
    assert changed.objective_ == pytest.approx(model.objective_, abs=2e-8)
    np.testing.assert_allclose(changed.decision_function(Z), model.decision_function(X), atol=2e-3)


def test_single_precision_converges_without_a_warning():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = (rng.normal(size=(500, 10)) * np.linspace(1, 10, 10)).astype(np.float32)
        y = X[:, 0] + rng.normal(size=500) > 0
        with warnings.catch_warnings():
            warnings.simplefilter("error", ConvergenceWarning)
            single = MarginClassifier(l2=0.01).fit(X, y)
        double = MarginClassifier(l2=0.01).fit(X.astype(float), y)
        assert single.converged_
        np.testing.assert_allclose(single.coef_, double.coef_, atol=2e-4)


@pytest.mark.parametrize(
    ("X", "y"),
    [([[1.0, 1], [-1, -1], [1, -1], [-1, 1]], [0, 0, 1, 1]), (np.zeros((4, 2)), [0, 0, 1, 1])],
    ids=["xor", "constant"],
)
@pytest.mark.parametrize("solver", ["lbfgs", "gd"])
def test_a_convex_objective_without_slope_is_at_its_minimum(X, y, solver):
    model = MarginClassifier(l2=0.1, solver=solver).fit(X, y)
    assert model.converged_ and not model.coef_.any()


def test_a_flat_start_of_a_loss_that_is_not_convex_is_no_solution():
    X, y = np.array([[-100.0], [100.0]]), [1, 0]
    model = MarginClassifier(TwoTemperatureLoss(0.3, 0.6), warm_start=True)
    model.coef_, model.intercept_ = np.array([[1.0]]), np.zeros(1)
    with pytest.warns(ConvergenceWarning, match="flat part"):
        assert not model.fit(X, y).converged_


def test_a_warm_start_outside_of_the_ball_is_brought_into_it():
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # separable: the first solution runs away
        model = MarginClassifier(warm_start=True).fit(X, y)
    model.set_params(loss=HingeLoss(), radius=1.0).fit(X, y)
    cold = MarginClassifier(HingeLoss(), radius=1.0).fit(X, y)
    assert np.linalg.norm(model.coef_) <= 1 + 1e-9
    assert model.objective_ == pytest.approx(cold.objective_, abs=1e-5)


def test_a_warm_start_forgets_the_intercept_that_is_no_longer_fitted(plain):
    X, y = plain
    model = MarginClassifier(warm_start=True, l2=0.1).fit(X + 1, y)
    model.set_params(fit_intercept=False).fit(X + 1, y)
    cold = MarginClassifier(l2=0.1, fit_intercept=False).fit(X + 1, y)
    assert model.intercept_ == 0
    np.testing.assert_allclose(model.coef_, cold.coef_, atol=1e-4)


@pytest.mark.parametrize("alpha", [0.3, 0.5, 0.8])
def test_the_default_step_of_gradient_descent_suits_losses_steeper_than_logistic(plain, alpha):
    X, y = plain[0] * [3, 1], plain[1]
    descended = MarginClassifier(AlphaLoss(alpha), solver="gd", max_iter=5000).fit(X, y)
    np.testing.assert_allclose(descended.coef_, MarginClassifier(AlphaLoss(alpha)).fit(X, y).coef_, atol=1e-4)


@pytest.mark.parametrize("loss", [HingeLoss(), SigmoidLoss()], ids=repr)
def test_a_loss_without_probabilities_offers_none(plain, loss):
    model = MarginClassifier(loss, l2=0.01).fit(*plain)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match="predict_proba"):
        model.predict_proba(plain[0])


@pytest.mark.parametrize("loss", [None, "cv", AlphaLoss(3), SmoothBoostLoss(0.2)], ids=repr)
def test_probabilities_agree_with_predictions(plain, loss):
    X, y = plain
    model = MarginClassifier(loss, l2=0.01).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X).argmax(axis=1), model.predict(X))


@pytest.mark.parametrize(
    "X",
    [np.random.default_rng(3).normal(size=(50, 2000)), sparse.random_array((1000, 2000), density=0.01, rng=4).tocsr()],
    ids=["wide", "sparse"],
)
def test_no_full_factor_where_it_would_cost_more_than_it_saves(X):
    y = np.random.default_rng(5).integers(0, 2, X.shape[0])
    assert DesignFactor(X).moments.ndim == 1
    model = MarginClassifier(l2=0.01, tol=1e-8).fit(X, y)
    peer = LogisticRegression(C=1 / (0.01 * len(y)), tol=1e-10, max_iter=10_000).fit(X, y)
    np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-5)


@pytest.mark.parametrize("model", [MarginClassifier("cv", l2=0.1), TwoTemperatureClassifier("cv", 1.3)], ids=repr)
def test_given_folds_speak_of_all_rows_also_of_those_without_weight(plain, model):
    X, y = plain
    weight = np.tile([0.0, 1.0, 1.0, 2.0], 50)
    kept = np.flatnonzero(weight)
    splits = list(GroupKFold(4).split(X, y, np.arange(200) // 2))
    place = np.cumsum(weight > 0) - 1
    among = [tuple(place[part][weight[part] > 0] for part in split) for split in splits]
    one = model.set_params(cv=splits).fit(X, y, weight).coef_
    other = model.set_params(cv=among).fit(X[kept], y[kept], weight[kept]).coef_
    np.testing.assert_array_equal(one, other)
    assert model.set_params(cv=KFold(3)).fit(X, y, weight).coef_.shape == (1, 2)


@pytest.mark.parametrize(
    "X",
    [np.ones((10, 2)), np.zeros((10, 2)), 1e10 + np.repeat([[0.0], [1.0]], 5, axis=0)],
    ids=["ones", "zeros", "far"],
)
@pytest.mark.filterwarnings("ignore:R was estimated")
def test_no_halfspace_is_better_than_chance(X):
    with pytest.warns(ConvergenceWarning, match="no linear function is better than chance"):
        model = HalfspaceLearner().fit(X, [0, 1] * 5)
    assert not model.converged_ and not model.coef_.any()
    np.testing.assert_array_equal(model.predict(X), 0)


@pytest.mark.parametrize("model", [PNormPerceptron, Winnow])
@pytest.mark.parametrize("weight", [2.5, 1e9, 1e17])
def test_copies_of_zeros_are_mistakes_without_a_lesson(model, weight):
    X, y = [[0.0], [1.0], [-1.0]], [1, 1, 0]
    fitted = model(fit_intercept=False, max_iter=1).fit(X, y, [weight, 1, 1])
    assert fitted.mistakes_ == np.ceil(weight) + 1
    np.testing.assert_array_equal(fitted.predict(X[1:]), y[1:])


@pytest.mark.parametrize(
    "model", [MarginClassifier(), TwoTemperatureClassifier(), PNormPerceptron(), Winnow(), HalfspaceLearner()], ids=repr
)
def test_weights_without_a_finite_sum_are_refused(model):
    with pytest.raises(ValueError, match="sample_weight must have a finite sum"):
        model.fit(np.arange(4.0)[:, None], [0, 1, 0, 1], [1e308] * 4)


@pytest.mark.parametrize("model", [MarginClassifier(AlphaLoss(2)), TwoTemperatureClassifier()], ids=repr)
@pytest.mark.parametrize("scale", [1e155, 1e200, 1e300])
def test_a_column_whose_squares_overflow_is_named(plain, model, scale):
    X, y = plain
    model.fit(X, y)
    before = model.coef_
    with pytest.raises(ValueError, match="squares are finite; scale column 1, of mean"):
        model.fit(X * [1, scale], y)
    assert model.coef_ is before


@pytest.mark.parametrize("scale", [1e150, 1e-140, 1e-160, 1e-300])
def test_columns_of_extreme_scales_leave_a_finite_model(plain, scale):
    X, y = plain
    model = MarginClassifier(tol=1e-5).fit(X * [1, scale], y)
    assert np.isfinite(model.coef_).all() and model.score(X * [1, scale], y) > 0.6


@pytest.mark.parametrize("model", [MarginClassifier("cv"), TwoTemperatureClassifier("cv")], ids=repr)
@pytest.mark.filterwarnings("ignore:The least populated class")
def test_a_fold_without_one_of_the_classes_is_named(plain, model):
    X, _ = plain
    with pytest.raises(ValueError, match="cv=5 leaves a fold without examples of one class: fewer folds have both"):
        model.fit(X, np.arange(len(X)) == 3)


@pytest.mark.parametrize(
    "model",
    [MarginClassifier(), TwoTemperatureClassifier(), PNormPerceptron(), Winnow()],
    ids=lambda m: type(m).__name__,
)
def test_bad_input_is_named_in_scikit_learns_words(plain, model):
    X, y = plain
    model.fit(X, y)
    hurt = X.copy()
    for value, word in ((np.nan, "NaN"), (np.inf, "infinity")):
        hurt[3, 1] = value
        with pytest.raises(ValueError, match=f"Input X contains {word}"):
            model.fit(hurt, y)
        with pytest.raises(ValueError, match=f"Input X contains {word}"):
            model.predict(hurt)
    with pytest.raises(ValueError, match="could not convert string to float: 'red'"):
        model.fit(np.array([["red", 1], ["blue", 2]], dtype=object), [0, 1])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.fit(X, y[:-1])
    with pytest.raises(ValueError, match="only one class: 1"):
        model.fit(X, np.ones(len(X), int))
    with pytest.raises(ValueError, match="Negative values in data passed to `sample_weight`"):
        model.fit(X, y, -np.ones(len(X)))
    with pytest.raises(ValueError, match=r"X has 3 features, but .* is expecting 2 features"):
        model.predict(np.c_[X, X[:, 0]])
    with pytest.raises(ValueError, match="Found array with 0 sample"):
        model.fit(X[:0], y[:0])
    assert model.n_features_in_ == 2 and model.predict(X).shape == (200,)
