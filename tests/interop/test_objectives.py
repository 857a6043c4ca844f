import math
import pickle

import numpy as np
import pytest
from sklearn.datasets import make_classification

from marginloss.interop import lightgbm_objective, xgboost_objective
from marginloss.losses import AlphaLoss, ExponentialLoss, HingeLoss, LogisticLoss, SmoothBoostLoss

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


@pytest.fixture(scope="module")
def two_workers(noisy):
    """A cluster, and its table of few values a feature: the same bins on one machine and on two."""
    distributed = pytest.importorskip("dask.distributed", reason="needs the extra 'cluster'")
    pytest.importorskip("pyarrow", reason="needs the extra 'cluster'")
    from dask import array

    X, y, weight = noisy
    X = np.clip(np.round(8 * X) / 8, -3.9, 3.9)
    assert max(len(np.unique(column)) for column in X.T) <= 64
    # threads of one process: quick to start, and each has its own half of the rows all the same
    local = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with distributed.LocalCluster(**local) as cluster, distributed.Client(cluster) as client:
        assert len(client.scheduler_info()["workers"]) == 2
        here = X, y, weight
        yield client, [array.from_array(part, chunks=(300, -1)[: part.ndim]) for part in here], here


@pytest.mark.cluster
@pytest.mark.parametrize("loss", [AlphaLoss(2), AlphaLoss(math.inf)], ids=repr)
def test_two_workers_grow_the_trees_of_one_process(two_workers, loss):
    xgboost = pytest.importorskip("xgboost")
    from xgboost import dask as xgboost_dask

    client, (rows, labels, masses), (X, y, weight) = two_workers
    settings = {"max_depth": 2, "nthread": 1, "base_score": 0.0}
    data = xgboost_dask.DaskDMatrix(client, rows, labels, weight=masses)
    found = xgboost_dask.train(client, settings, data, 10, obj=xgboost_objective(loss))
    there = xgboost_dask.predict(client, found, rows).compute()
    alone = xgboost.train(settings, xgboost.DMatrix(X, y, weight=weight), 10, obj=xgboost_objective(loss))
    np.testing.assert_allclose(there, alone.predict(xgboost.DMatrix(X)), atol=1e-5)
    assert np.mean((there > 0) == y) > 0.8


@pytest.mark.cluster
def test_two_workers_of_lightgbm_grow_the_trees_of_one_process(two_workers):
    lightgbm = pytest.importorskip("lightgbm")
    client, (rows, labels, masses), (X, y, weight) = two_workers
    settings = {"max_depth": 2, "n_estimators": 10, "n_jobs": 1, "verbose": -1, "min_data_in_bin": 1}
    settings["objective"] = lightgbm_objective(AlphaLoss(2))
    there = lightgbm.DaskLGBMClassifier(client=client, **settings).fit(rows, labels, sample_weight=masses)
    alone = lightgbm.LGBMClassifier(**settings).fit(X, y, sample_weight=weight)
    scores = there.to_local().predict(X, raw_score=True)
    np.testing.assert_allclose(scores, alone.predict(X, raw_score=True), atol=1e-5)
    assert np.mean((scores > 0) == y) > 0.8


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="got 'logistic'"):
        xgboost_objective("logistic")
    with pytest.raises(ValueError, match=r"labels must be 0/1 or -1/\+1, got \[1 2\]"):
        xgboost_objective(LogisticLoss()).derivatives([1, 2], [0.0, 0.0])


@pytest.mark.parametrize("loss", [ExponentialLoss(), AlphaLoss(0.3)], ids=repr)
def test_curvature_is_a_number_where_the_weight_is_infinite(loss):
    gradient, curvature = xgboost_objective(loss)([0, 1, 0, 1], [1e4, -1e4, -1e4, 1e4])
    assert (curvature >= 0).all() and not np.isnan(gradient).any()


@pytest.mark.parametrize("scores", [[0.0, 0.0, 0.0], [[0.0], [0.0]]], ids=repr)
def test_scores_of_another_shape_are_refused(scores):
    with pytest.raises(ValueError, match=r"scores must have the shape \(2,\) of the labels"):
        xgboost_objective(LogisticLoss())([0, 1], scores)


def test_probabilities_of_the_wrapper_of_xgboost_are_those_of_the_logistic_loss():
    xgboost = pytest.importorskip("xgboost")
    X, y = make_classification(200, 4, random_state=0)
    model = xgboost.XGBClassifier(objective=xgboost_objective(AlphaLoss(2)), n_estimators=5).fit(X, y)
    raw = model.predict(X, output_margin=True)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], LogisticLoss().posterior(raw), rtol=1e-5)
    assert np.abs(model.predict_proba(X)[:, 1] - AlphaLoss(2).posterior(raw)).max() > 0.01
