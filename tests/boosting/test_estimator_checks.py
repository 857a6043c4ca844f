"""scikit-learn's own checks of every booster, in every setting that has a path of its own."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from marginloss.boosting import (
    AdaBoostAlphaClassifier,
    AdaLPBoostClassifier,
    BregmanBoostClassifier,
    HalfspaceLearner,
    LPBoostClassifier,
    MadaBoostClassifier,
    PILBoostClassifier,
    PNormLearner,
    SmoothBoostClassifier,
)

TREE = DecisionTreeClassifier(max_depth=2)
SETTINGS = [
    AdaBoostAlphaClassifier(n_estimators=5),
    AdaBoostAlphaClassifier(alpha=0.7, n_estimators=4, max_depth=3, criterion="error", step="line"),
    AdaBoostAlphaClassifier(alpha=1, n_estimators=8, step="alpha", n_iter_no_change=3, validation_fraction=0.2),
    AdaBoostAlphaClassifier(n_estimators=4, step="edge", learning_rate=0.5, class_weight="balanced"),
    AdaBoostAlphaClassifier(n_estimators=4, estimator=TREE),
    AdaBoostAlphaClassifier("cv", n_estimators=3, alphas=(1.0, 2.0), cv=2, random_state=0),
    PILBoostClassifier(n_estimators=5),
    PILBoostClassifier("adaptive", n_estimators=3, link="exact"),
    PILBoostClassifier(step_size="cv", step_sizes=(0.5, 1.0), n_estimators=3, cv=2, n_iter_no_change=2),
    PILBoostClassifier(n_estimators=3, estimator=TREE),
    PILBoostClassifier.as_published(n_estimators=5, class_weight="balanced"),
    SmoothBoostClassifier(0.1, n_estimators=20, adaptive=False),  # the bound would ask for thousands of rounds
    SmoothBoostClassifier(0.1, n_estimators=20, adaptive=True, on_failure="halve"),
    SmoothBoostClassifier(0.1, n_estimators=5, estimator=TREE, early_stop=True),
    SmoothBoostClassifier(0.1, n_estimators=20, estimator=PNormLearner(outside="scale")),
    SmoothBoostClassifier.as_published(0.2, n_estimators=20, on_failure="ignore"),
    MadaBoostClassifier(n_estimators=20),
    MadaBoostClassifier(n_estimators=5, max_depth=2, criterion="gini", n_iter_no_change=2),
    MadaBoostClassifier(n_estimators=5, estimator=TREE),
    BregmanBoostClassifier(n_estimators=20),
    BregmanBoostClassifier(0.2, n_estimators=10, max_depth=2, n_iter_no_change=3),
    LPBoostClassifier(n_estimators=4, max_depth=2),
    LPBoostClassifier(beta=None, n_estimators=4),
    LPBoostClassifier(n_estimators=3, max_depth=1, model_weights="uniform"),
    AdaLPBoostClassifier(n_estimators=4, max_depth=2, n_iter_no_change=2),
    AdaLPBoostClassifier(trim=0.1, n_estimators=4),
    AdaLPBoostClassifier(n_estimators=3, reweight="adaboost", model_weights="smoothed"),
    AdaLPBoostClassifier(n_estimators=3, max_depth=2, model_weights="bagged"),
    HalfspaceLearner(max_rounds=300),
    HalfspaceLearner(p=4.0, difficulty=5.0, outside="scale", max_rounds=100),
]


def known(model):
    """Checks that cannot pass, and why."""
    failed = {}
    if not isinstance(model, HalfspaceLearner):
        # a leaf that holds examples of the light class alone says that class, however light
        failed["check_class_weight_classifiers"] = "weights of ten millions to one ask for trees with a smallest leaf"
    if getattr(model, "n_iter_no_change", None):
        failed["check_sample_weight_equivalence_on_dense_data"] = "the held-out part is drawn by rows"
        failed["check_sample_weight_equivalence_on_sparse_data"] = "the held-out part is drawn by rows"
    if getattr(model, "trim", 0):
        reason = "trimming leaves out whole rows: two copies can be parted, a row of weight two cannot"
        failed["check_sample_weight_equivalence_on_dense_data"] = reason
        failed["check_sample_weight_equivalence_on_sparse_data"] = reason
    return failed


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(SETTINGS, expected_failed_checks=known)
def test_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("sampling", ["per_sample", "per_call"])
def test_a_drawn_prediction_is_the_only_reason_to_fail_a_check(sampling):
    """``predict`` draws models, so that two calls differ, which scikit-learn does not provide for."""
    X = np.random.default_rng(0).normal(size=(200, 3))
    model = AdaLPBoostClassifier(n_estimators=10, model_weights="uniform", sampling=sampling, max_depth=1)
    model.fit(X, X[:, 0] + X[:, 1] > 0)
    assert any((model.predict(X) != model.predict(X)).any() for _ in range(20))
    np.testing.assert_array_equal(model.predict_proba(X), model.predict_proba(X))
