"""What users of scikit-learn expect of every booster, in every setting alike."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB
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
    encode,
)

BOOSTERS = [
    AdaBoostAlphaClassifier(n_estimators=10),
    PILBoostClassifier(n_estimators=10),
    SmoothBoostClassifier(n_estimators=10),
    MadaBoostClassifier(n_estimators=10),
    BregmanBoostClassifier(n_estimators=10),
    LPBoostClassifier(n_estimators=5),
    AdaLPBoostClassifier(n_estimators=5),
]
every_booster = pytest.mark.parametrize("model", BOOSTERS, ids=lambda model: type(model).__name__)
pytestmark = pytest.mark.filterwarnings("ignore:SmoothBoost did not stop", "ignore:.*makes no error on the training")


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    return X, np.where(X[:, 0] + 0.8 * rng.normal(size=300) > 0, "yes", "no")


@every_booster
def test_class_weights_are_weights_of_the_examples(table, model):
    X, y = table
    by_class = clone(model).set_params(class_weight={"yes": 3.0, "no": 0.5}).fit(X, y)
    by_row = clone(model).fit(X, y, np.where(y == "yes", 3.0, 0.5))
    np.testing.assert_array_equal(by_class.predict_proba(X), by_row.predict_proba(X))
    counts = {label: (y == label).sum() for label in ("yes", "no")}
    balanced = clone(model).set_params(class_weight="balanced").fit(X, y)
    by_hand = clone(model).fit(X, y, 150 / np.vectorize(counts.get)(y))
    np.testing.assert_array_equal(balanced.predict_proba(X), by_hand.predict_proba(X))
    with pytest.raises(ValueError, match="class_weight"):
        clone(model).set_params(class_weight="even").fit(X, y)


@every_booster
def test_sparse_tables_are_the_same_tables(table, model):
    X, y = table
    X = np.round(X)
    dense = clone(model).fit(X, y)
    for kind in (sparse.csr_array, sparse.csc_matrix, sparse.coo_array):
        thin = clone(model).fit(kind(X), y)
        np.testing.assert_array_equal(thin.predict_proba(kind(X)), dense.predict_proba(X))


@every_booster
def test_missing_values_go_where_they_do_better(table, model):
    X, y = table
    gaps = np.column_stack([X[:, 1], X[:, 2], np.where(y == "yes", np.nan, X[:, 3])])
    assert clone(model).fit(gaps, y).score(gaps, y) >= 0.95
    low = np.abs(gaps) + 1  # the missing ones apart on either side
    assert clone(model).fit(low, y).score(low, y) == clone(model).fit(-low, y).score(-low, y) == 1
    encoded = clone(model).fit(encode(gaps), y)
    np.testing.assert_array_equal(encoded.predict_proba(gaps), clone(model).fit(gaps, y).predict_proba(gaps))


@every_booster
def test_early_stopping_and_reports_are_for_every_booster(table, model, capsys):
    X, y = table
    model = clone(model).set_params(n_iter_no_change=2, n_estimators=400, random_state=0, verbose=2)
    model.fit(X, y)
    assert len(model) == model.n_estimators_ < 400
    assert model.stop_reason_ in ("early_stopping", "weak_learner_failed", "converged", "no_edge", "solved")
    lines = capsys.readouterr().out.splitlines()
    assert lines and all(line.startswith(f"{type(model).__name__}: ") for line in lines)
    assert len(lines) == pytest.approx(len(model) / 2, abs=2)


@every_booster
def test_members_and_importances_are_the_users_own(table, model):
    X, y = table
    assert clone(model).fit(X, y).feature_importances_.argmax() == 0
    given = DecisionTreeClassifier(max_depth=2, random_state=0)
    model = clone(model).set_params(estimator=given).fit(X, y)
    assert len(model) == len(model.estimators_) > 0
    assert all(type(member) is DecisionTreeClassifier and member.tree_.max_depth <= 2 for member in model.estimators_)
    weights = getattr(model, "model_weights_", np.abs(model.theta_))
    mean = np.average([member.feature_importances_ for member in model.estimators_], axis=0, weights=weights)
    np.testing.assert_allclose(model.feature_importances_, mean, rtol=1e-12)
    assert not hasattr(clone(model).set_params(estimator=GaussianNB()).fit(X, y), "feature_importances_")


@pytest.mark.parametrize("model", [*BOOSTERS, HalfspaceLearner(max_rounds=50)], ids=lambda m: type(m).__name__)
@pytest.mark.filterwarnings("ignore:R is estimated")
def test_probabilities_and_their_logarithms(table, model):
    X, y = table
    p = clone(model).fit(X, y)
    np.testing.assert_allclose(p.predict_proba(X).sum(axis=1), 1)
    np.testing.assert_array_equal(np.exp(p.predict_log_proba(X)).round(12), p.predict_proba(X).round(12))
    assert np.mean(p.classes_[p.predict_proba(X).argmax(axis=1)] == p.predict(X)) > 0.99


def test_the_tail_needs_at_most_three_times_the_input():
    """Of what grows with the rows; the program of the model weights has a size of its own."""
    rng = np.random.default_rng(0)
    model, peaks, sizes = AdaLPBoostClassifier(0.3, n_estimators=20, max_depth=2), [], []
    for n in (3000, 20_000, 60_000):
        X = rng.normal(size=(n, 10))
        y = X[:, 0] + rng.normal(size=n) > 0
        tracemalloc.start()
        model.fit(X, y)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        sizes.append(X.nbytes)
    assert peaks[2] - peaks[1] < 3 * (sizes[2] - sizes[1])
