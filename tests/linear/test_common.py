"""What all estimators share: weights of classes, logarithms of probabilities, fits that fail."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from marginloss.boosting import (
    AdaBoostAlphaClassifier,
    AdaLPBoostClassifier,
    BregmanBoostClassifier,
    HalfspaceLearner,
    LPBoostClassifier,
    MadaBoostClassifier,
    PILBoostClassifier,
    SmoothBoostClassifier,
)
from marginloss.linear import MarginClassifier, PNormPerceptron, TwoTemperatureClassifier, Winnow
from marginloss.losses import AlphaLoss

WEIGHTED = [MarginClassifier(AlphaLoss(2), l2=0.01), TwoTemperatureClassifier(), PNormPerceptron(), Winnow()]
BOOSTERS = [
    AdaBoostAlphaClassifier(n_estimators=5),
    AdaBoostAlphaClassifier(n_estimators=3, estimator=DecisionTreeClassifier(max_depth=1)),
    PILBoostClassifier(n_estimators=5),
    SmoothBoostClassifier(n_estimators=5),
    MadaBoostClassifier(n_estimators=5),
    BregmanBoostClassifier(n_estimators=5),
    LPBoostClassifier(n_estimators=3),
    AdaLPBoostClassifier(n_estimators=3),
]
FAILING = [*WEIGHTED, *BOOSTERS, HalfspaceLearner(max_rounds=50)]
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture
def lopsided():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    return X, np.where(X[:, 0] + rng.normal(size=120) > 1, "yes", "no")


@pytest.mark.parametrize("model", WEIGHTED, ids=repr)
def test_class_weights_are_weights_of_the_examples(lopsided, model):
    X, y = lopsided
    given = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    by_class = model.set_params(class_weight={"yes": 4.0, "no": 0.5}).fit(X, y, given).decision_function(X)
    by_row = model.set_params(class_weight=None).fit(X, y, given * np.where(y == "yes", 4.0, 0.5)).decision_function(X)
    np.testing.assert_array_equal(by_class, by_row)


def test_balanced_classes_have_the_same_total(lopsided):
    X, y = lopsided
    weight = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    total = {label: weight[y == label].sum() for label in ("yes", "no")}
    balanced = MarginClassifier(l2=0.1, class_weight="balanced").fit(X, y, weight)
    by_hand = MarginClassifier(l2=0.1).fit(X, y, weight / np.vectorize(total.get)(y))
    np.testing.assert_allclose(balanced.coef_, by_hand.coef_, rtol=1e-6)


def test_cross_validation_counts_class_weights_once(lopsided):
    X, y = lopsided
    model = MarginClassifier("cv", l2=0.1, class_weight={"yes": 3.0, "no": 1.0}).fit(X, y)
    by_row = MarginClassifier("cv", l2=0.1).fit(X, y, np.where(y == "yes", 3.0, 1.0))
    assert model.loss_ == by_row.loss_
    np.testing.assert_array_equal(model.coef_, by_row.coef_)


@pytest.mark.parametrize(
    ("class_weight", "message"),
    [
        ("equal", "class_weight must be a dict, 'balanced' or None, got 'equal'"),
        ({"yes": -1.0}, "class_weight must be positive numbers, got {'yes': -1.0}"),
        ({"yes": 1e300, "no": 1.0}, "sample_weight must have a finite sum"),
        ({"maybe": 1.0}, "not in class_weight"),
    ],
)
def test_class_weights_that_make_no_sense_are_refused(lopsided, class_weight, message):
    with pytest.raises(ValueError, match=message):
        MarginClassifier(class_weight=class_weight).fit(*lopsided, np.full(120, 1e9))


@pytest.mark.parametrize("model", [MarginClassifier(AlphaLoss(2)), TwoTemperatureClassifier()], ids=repr)
def test_logarithms_of_probabilities(lopsided, model):
    X, y = lopsided
    model.fit(X, y)
    np.testing.assert_array_equal(model.predict_log_proba(X), np.log(model.predict_proba(X)))
    far = 40 * X  # where 1 - p would have lost all digits
    assert np.abs(model.decision_function(far)).max() > 40 and np.isfinite(model.predict_log_proba(far)).all()


@pytest.mark.parametrize("model", FAILING, ids=lambda model: type(model).__name__)
def test_a_fit_that_fails_leaves_the_model_as_it_was(lopsided, model):
    X, y = lopsided
    model.fit(X, y)
    before, answers = dict(vars(model)), model.predict(X)
    for bad in ((X[:, :2], np.zeros(len(y))), (X[:4, :2], list("abcd")), (X, y[:-1]), (np.full_like(X, np.nan), y)):
        try:
            model.fit(*bad)
        except ValueError:
            assert vars(model).keys() == before.keys()
            np.testing.assert_array_equal(model.predict(X), answers)
        else:  # boosters learn a constant from one class and many classes where they can
            model.__dict__ = dict(before)
