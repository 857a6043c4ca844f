"""The linear classifier against scikit-learn, cvxpy and brute force."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from marginloss._rows import merge_rows
from marginloss.linear import DesignFactor, MarginClassifier
from marginloss.losses import (
    AlphaLoss,
    CorrectedLoss,
    ExponentialLoss,
    GeneralizedCrossEntropyLoss,
    HingeLoss,
    LogisticLoss,
    SmoothBoostLoss,
    TLogisticLoss,
    TwoTemperatureLoss,
)


@parametrize_with_checks(
    [
        MarginClassifier(),
        MarginClassifier(TwoTemperatureLoss(0.5, 1.3), l2=0.01),
        MarginClassifier(HingeLoss(), l2=0.1),
        MarginClassifier("cv", l2=0.1),
        MarginClassifier(AlphaLoss(2), solver="gd", step_size=0.1, class_weight="balanced"),
        MarginClassifier(GeneralizedCrossEntropyLoss(0.5), l2=0.1, warm_start=True),
        MarginClassifier(CorrectedLoss(LogisticLoss(), 0.2, 0.1), l2=0.01),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.fixture
def blobs():
    rng = np.random.default_rng(0)
    y = np.repeat([-1, 1], 60)
    X = rng.normal(size=(120, 2)) + 0.8 * y[:, None]
    return X, y


def objective(model, X, y, weight=None):
    margin = np.where(y == model.classes_[1], 1, -1) * model.decision_function(X)
    return np.average(model.loss_.value(margin), weights=weight) + model.l2 / 2 * (model.coef_**2).sum()


@pytest.mark.parametrize("l2", [1e-4, 1e-2, 1.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_logistic_is_logistic_regression(cancer, l2, fit_intercept):
    X, y = cancer
    ours = MarginClassifier(l2=l2, tol=1e-9, fit_intercept=fit_intercept).fit(X, y)
    peer = LogisticRegression(C=1 / (l2 * len(y)), tol=1e-12, solver="newton-cholesky", fit_intercept=fit_intercept)
    peer.fit(X, y)
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=2e-6)
    np.testing.assert_allclose(ours.intercept_, peer.intercept_, atol=2e-6)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-6)
    assert ours.converged_
    assert ours.stop_reason_ == "gradient below tol"


@pytest.mark.parametrize(
    "loss",
    [AlphaLoss(0.6), ExponentialLoss(), AlphaLoss(3), TwoTemperatureLoss(0.2, 1.4), TLogisticLoss(1.6),
     GeneralizedCrossEntropyLoss(0.7), SmoothBoostLoss(0.2), TwoTemperatureLoss(0.3, 0.6)],
    ids=repr,
)  # fmt: skip
def test_gradient_vanishes_and_no_random_start_does_better(blobs, loss):
    X, y = blobs
    model = MarginClassifier(loss, l2=0.05).fit(X, y)
    assert model.objective_ == pytest.approx(objective(model, X, y), rel=1e-12)

    def risk(v):
        return loss.value(y * (X @ v[:2] + v[2])).mean() + 0.025 * (v[:2] ** 2).sum()

    rng = np.random.default_rng(1)
    others = [minimize(risk, rng.normal(scale=2, size=3), method="Nelder-Mead").fun for _ in range(8)]
    assert model.objective_ <= min(others) + 1e-8


def test_hinge_reaches_the_support_vector_machine(blobs):
    X, y = blobs
    l2 = 0.05
    ours = MarginClassifier(HingeLoss(), l2=l2).fit(X, y)
    peer = SVC(kernel="linear", C=1 / (l2 * len(y)), tol=1e-9).fit(X, y)
    best = np.maximum(0, 1 - y * peer.decision_function(X)).mean() + l2 / 2 * (peer.coef_**2).sum()
    assert best - 1e-9 <= ours.objective_ <= best + 1e-5
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=5e-3)


@pytest.mark.parametrize("loss", [AlphaLoss(1), AlphaLoss(2), HingeLoss()], ids=repr)
def test_weights_equal_repetition_and_zero_equals_absence(blobs, loss):
    X, y = blobs
    counts = np.random.default_rng(2).integers(0, 4, len(y))
    weighted = MarginClassifier(loss, l2=0.05, tol=1e-9).fit(X, y, sample_weight=counts)
    repeated = MarginClassifier(loss, l2=0.05, tol=1e-9).fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-4, atol=1e-6)


def test_sparse_equals_dense(blobs):
    X, y = blobs
    X = np.where(np.abs(X) < 0.7, 0, X)
    dense = MarginClassifier(AlphaLoss(2), l2=0.01, tol=1e-8).fit(X, y)
    thin = MarginClassifier(AlphaLoss(2), l2=0.01, tol=1e-8).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(dense.coef_, thin.coef_, atol=1e-6)
    np.testing.assert_array_equal(dense.predict(X), thin.predict(sparse.csc_array(X)))


def test_many_features_use_the_diagonal():
    rng = np.random.default_rng(3)
    X = sparse.random_array((60, 3100), density=0.02, rng=rng).tocsr()
    y = rng.integers(0, 2, 60)
    model = MarginClassifier(l2=0.01, tol=1e-8).fit(X, y)
    peer = LogisticRegression(C=1 / 0.6, tol=1e-10, max_iter=10000).fit(X, y)
    assert model.converged_
    np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-5)


@pytest.mark.parametrize("loss", [AlphaLoss(1), AlphaLoss(0.5), AlphaLoss(4)], ids=repr)
@pytest.mark.parametrize("radius", [0.3, 1.0, 50.0])
def test_norm_ball(blobs, loss, radius):
    X, y = blobs
    model = MarginClassifier(loss, radius=radius, tol=1e-8).fit(X, y)
    norm = np.linalg.norm(model.coef_)
    assert norm <= radius * (1 + 1e-12)
    # brute force over the direction and the norm
    angles = np.linspace(0, 2 * np.pi, 181)
    offsets = np.linspace(-1, 1, 21)

    def risk(size):
        scores = size * X @ np.stack([np.cos(angles), np.sin(angles)])
        return loss.value(y[:, None, None] * (scores[:, :, None] + offsets)).mean(axis=0).min()

    assert model.objective_ <= min(risk(size) for size in radius * np.array([1, 0.9, 0.5, 0.03])) + 1e-7
    if radius == 0.3:
        assert norm == pytest.approx(radius, rel=1e-6)


def test_gradient_descent_is_the_plain_recursion(blobs):
    X, y = blobs
    loss, w, b = AlphaLoss(2), np.zeros(2), 0.0
    for _ in range(25):
        slope = -loss.weight(y * (X @ w + b)) * y / len(y)
        w, b = w - 0.3 * (X.T @ slope + 0.01 * w), b - 0.3 * slope.sum()
    with pytest.warns(ConvergenceWarning, match="max_iter reached"):
        model = MarginClassifier(loss, l2=0.01, solver="gd", step_size=0.3, max_iter=25).fit(X, y)
    np.testing.assert_allclose(model.coef_[0], w, rtol=1e-12)
    assert model.intercept_[0] == pytest.approx(b)
    assert model.n_iter_ == 25
    assert not model.converged_


def test_gradient_descent_reaches_the_same_optimum(blobs):
    X, y = blobs
    for radius in (None, 0.5):
        slow = MarginClassifier(l2=0.1, solver="gd", max_iter=5000, tol=1e-8, radius=radius).fit(X, y)
        fast = MarginClassifier(l2=0.1, tol=1e-8, radius=radius).fit(X, y)
        assert slow.converged_
        np.testing.assert_allclose(slow.coef_, fast.coef_, atol=1e-6)


def test_shared_factor_changes_nothing_but_the_path(cancer):
    X, y = cancer
    factor = DesignFactor(X[::2])
    for l2 in (1e-3, 1e-1):
        shared = MarginClassifier(AlphaLoss(1), l2=l2, tol=1e-8).fit(X, y, factor=factor)
        own = MarginClassifier(AlphaLoss(1), l2=l2, tol=1e-8).fit(X, y)
        np.testing.assert_allclose(shared.coef_, own.coef_, atol=1e-5)
    with pytest.raises(ValueError, match="factor must be a DesignFactor of 30 features"):
        MarginClassifier().fit(X, y, factor=DesignFactor(X[:, :3]))


def test_constant_repeated_and_badly_scaled_columns():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(200, 3))
    y = X[:, 0] + rng.normal(size=200) > 0
    wide = np.column_stack([1e6 * X[:, 0], 1e-3 * X[:, 1], X[:, 2], X[:, 2], np.full(200, 7.0), np.zeros(200)])
    model = MarginClassifier(l2=1e-8, tol=1e-7).fit(wide, y)
    assert model.converged_


def test_warm_start_follows_a_homotopy(blobs):
    X, y = blobs
    model = MarginClassifier(AlphaLoss(1), l2=0.01, warm_start=True).fit(X, y)
    direct = MarginClassifier(AlphaLoss(2), l2=0.01).fit(X, y)
    for alpha in np.linspace(1, 2, 11)[1:]:
        model.set_params(loss=AlphaLoss(alpha)).fit(X, y)
    np.testing.assert_allclose(model.coef_, direct.coef_, atol=1e-4)
    again = model.fit(X, y)
    assert again.n_iter_ == 1


def test_cross_validation_prefers_a_bounded_loss_under_outliers():
    rng = np.random.default_rng(5)
    y = np.repeat([-1, 1], 100)
    X = np.column_stack([y + 0.5 * rng.normal(size=200), rng.normal(size=200)])
    X[:20], y[:20] = [60.0, 3.0], -1  # far on the wrong side, with their true neighbours outvoted
    model = MarginClassifier("cv", l2=1e-3, random_state=0).fit(X, y)
    assert isinstance(model.loss_, AlphaLoss)
    assert model.loss_.alpha > 1


def test_odds_ratios():
    rng = np.random.default_rng(6)
    X = rng.integers(0, 2, size=(4000, 2)).astype(float)
    y = rng.random(4000) < 1 / (1 + np.exp(-(np.log(3) * X[:, 0] - 0.5)))
    for loss in (AlphaLoss(1), AlphaLoss(2)):
        ratios = MarginClassifier(loss).fit(X, y).odds_ratios()
        np.testing.assert_allclose(ratios, [3, 1], rtol=0.25)
    with pytest.raises(ValueError, match="posterior that changes"):
        MarginClassifier(HingeLoss(), l2=0.1).fit(X, y).odds_ratios()


def test_a_plateau_is_left_by_the_convex_start():
    X = np.array([[1.0], [2.0], [-1.0], [-2.0]])
    y = np.array([1, 1, 0, 0])
    model = MarginClassifier(TwoTemperatureLoss(0.2, 0.3), l2=1e-3, warm_start=True)
    model.fit(X, y)
    model.coef_, model.intercept_ = np.array([[-50.0]]), np.array([0.0])
    model.set_params(l2=0.0)
    with pytest.warns(ConvergenceWarning, match="zero gradient at the start"):
        model.fit(X, y)
    assert model.set_params(warm_start=False).fit(X, y).score(X, y) == 1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"loss": "log"}, "'loss' parameter of MarginClassifier must be an instance of .*MarginLoss.* Got 'log'"),
        ({"l2": -1}, r"'l2' parameter .* in the range \[0.0, inf\). Got -1"),
        ({"radius": 0}, r"'radius' parameter .* in the range \(0.0, inf\) or None. Got 0"),
        ({"solver": "newton"}, "'solver' parameter .* must be a str among .* Got 'newton'"),
        ({"max_iter": 0}, r"'max_iter' parameter .* must be an int in the range \[1, inf\). Got 0"),
        ({"tol": 0}, "'tol' parameter"),
        ({"step_size": -1}, "'step_size' parameter"),
        ({"n_starts": 0}, "'n_starts' parameter"),
    ],
)
def test_bad_parameters(blobs, parameters, message):
    with pytest.raises(ValueError, match=message):
        MarginClassifier(**parameters).fit(*blobs)


def test_bad_data(blobs):
    X, y = blobs
    with pytest.raises(ValueError, match="at least 2 classes"):
        MarginClassifier().fit(X, np.ones(len(X)))
    with pytest.raises(ValueError, match="Only binary classification"):
        MarginClassifier().fit(X, np.arange(len(X)) % 3)
    with pytest.raises(ValueError, match="at least one non-zero"):
        MarginClassifier().fit(X, y, sample_weight=np.zeros(len(y)))
    with pytest.raises(ValueError, match="NaN"):
        MarginClassifier().fit(np.where(X > 1, np.nan, X), y)


def test_divergence_is_reported(blobs):
    with pytest.warns(ConvergenceWarning, match="step_size is too large"):
        MarginClassifier(ExponentialLoss(), solver="gd", step_size=1e6).fit(*blobs)


def test_merged_rows():
    rng = np.random.default_rng(7)
    X = rng.integers(0, 3, size=(5000, 4)).astype(float)
    codes, weight = rng.integers(0, 2, 5000), rng.random(5000)
    for table in (X, sparse.csr_array(X)):
        kept, labels, total = merge_rows(table, codes, weight)
        assert kept.shape[0] == len(labels) == len(total) == len(np.unique(np.column_stack([X, codes]), axis=0))
        assert total.sum() == pytest.approx(weight.sum())
    np.testing.assert_allclose(total @ sparse.csr_array(kept).toarray(), weight @ X)
    different = rng.normal(size=(5000, 2))
    assert merge_rows(different, codes, weight)[0] is different
    one = MarginClassifier(l2=0.1, tol=1e-9).fit(X, codes, weight)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        peer = LogisticRegression(C=1 / (0.1 * weight.sum()), tol=1e-10, max_iter=5000).fit(X, codes, weight)
    np.testing.assert_allclose(one.coef_, peer.coef_, atol=1e-6)


def test_independent_columns_need_no_full_matrix_of_moments():
    rng = np.random.default_rng(0)
    independent = rng.normal(size=(1500, 80))
    assert DesignFactor(independent).moments.ndim == 1
    assert DesignFactor(independent + 3 * rng.normal(size=(1500, 1))).moments.ndim == 2
