import math
import pickle

import numpy as np
import pytest
from sklearn.datasets import make_classification

from marginalia.interop import lightgbm_objective, xgboost_objective
from marginalia.losses import AlphaLoss, ExponentialLoss, HingeLoss, LogisticLoss, SmoothBoostLoss

SCORES = np.linspace(-30, 30, 601)


@pytest.fixture(scope="module")
def noisy():
    X, y = make_classification(600, 8, flip_y=0.2, random_state=0)
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    return X, y, weight


@pytest.mark.parametrize("loss", [AlphaLoss(0.5), AlphaLoss(2), AlphaLoss(math.inf), HingeLoss(), SmoothBoostLoss(0.1)])
def test_curvature_is_never_negative_and_steps_are_never_longer_than_logistic(loss):
    for label in (0, 1):
        gradient, curvature = xgboost_objective(loss).derivatives(np.full_like(SCORES, label), SCORES)
        base_gradient, base_curvature = xgboost_objective(LogisticLoss()).derivatives(
            np.full_like(SCORES, label), SCORES
        )
        assert (curvature >= 0).all()
        moving = curvature > 0
        longest = np.abs(base_gradient / base_curvature)[moving]
        assert (np.abs(gradient / np.where(moving, curvature, 1))[moving] <= longest * (1 + 1e-12)).all()
        assert (gradient[~moving] == 0).all()


@pytest.mark.parametrize("loss", [ExponentialLoss(), LogisticLoss(), AlphaLoss(0.3)])
def test_convex_losses_keep_their_own_curvature(loss):
    _, curvature = xgboost_objective(loss).derivatives(np.ones(201), np.linspace(-20, 20, 201))
    np.testing.assert_allclose(curvature, loss.derivative(np.linspace(-20, 20, 201), 2), rtol=1e-12)


def test_gradient_is_the_slope_of_the_loss_in_the_score():
    loss, h = AlphaLoss(1.7), 1e-6
    gradient, _ = xgboost_objective(loss).derivatives([0, 0, 1, 1], [-2.0, 1.0, -2.0, 1.0])
    y, score = np.array([-1, -1, 1, 1]), np.array([-2.0, 1.0, -2.0, 1.0])
    slope = (loss.value(y * (score + h)) - loss.value(y * (score - h))) / (2 * h)
    np.testing.assert_allclose(gradient, slope, rtol=1e-8)


def test_logistic_objective_grows_the_trees_of_xgboost(noisy):
    xgboost = pytest.importorskip("xgboost")
    X, y, weight = noisy
    data = xgboost.DMatrix(X, y, weight=weight)
    common = {"max_depth": 3, "eta": 0.3, "base_score": 0.5, "nthread": 1}
    theirs = xgboost.train(common | {"objective": "binary:logistic"}, data, 20)
    ours = xgboost.train(common | {"base_score": 0.0}, data, 20, obj=xgboost_objective(LogisticLoss()))
    np.testing.assert_allclose(
        ours.predict(data, output_margin=True), theirs.predict(data, output_margin=True), atol=1e-3
    )


def test_logistic_objective_grows_the_trees_of_lightgbm(noisy):
    try:
        import lightgbm
    except OSError as error:  # the system's OpenMP library is missing
        pytest.skip(f"LightGBM cannot be loaded: {error}")
    X, y, weight = noisy
    common = {"num_leaves": 7, "verbose": -1, "num_threads": 1, "boost_from_average": False}
    theirs = lightgbm.train(common | {"objective": "binary"}, lightgbm.Dataset(X, y, weight=weight), 20)
    ours = lightgbm.train(
        common | {"objective": lightgbm_objective(LogisticLoss())}, lightgbm.Dataset(X, y, weight=weight), 20
    )
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X, raw_score=True), atol=1e-3)


@pytest.mark.parametrize("loss", [AlphaLoss(4), AlphaLoss(math.inf), HingeLoss()])
def test_non_convex_losses_learn_in_the_scikit_learn_wrappers(noisy, loss):
    xgboost = pytest.importorskip("xgboost")
    X, y, weight = noisy
    model = xgboost.XGBClassifier(n_estimators=30, max_depth=2, objective=xgboost_objective(loss), n_jobs=1)
    model.fit(X, y, sample_weight=weight)
    score = model.predict(X, output_margin=True)
    assert np.mean((score > 0) == y) > 0.8


def test_objectives_travel_to_other_processes():
    objective = lightgbm_objective(AlphaLoss(2))
    assert pickle.loads(pickle.dumps(objective)) == objective


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="got 'logistic'"):
        xgboost_objective("logistic")
    with pytest.raises(ValueError, match=r"labels must be 0/1 or -1/\+1, got \[1 2\]"):
        xgboost_objective(LogisticLoss()).derivatives([1, 2], [0.0, 0.0])
