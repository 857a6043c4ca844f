"""AdaBoost.α against a plain loop over scikit-learn's trees, and the edge cases of Algorithm 1."""

import math

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import AdaBoostClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from marginloss.boosting import AdaBoostAlphaClassifier, encode
from marginloss.losses import AlphaLoss, TwoTemperatureLoss


def noisy_cancer(seed, rate=0.1):
    X, y = load_breast_cancer(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=seed)
    flip = np.random.default_rng(seed).random(len(y)) < rate
    return X, np.where(flip, 1 - y, y), X_test, y_test


def plain_steps(model, X, y):
    """Algorithm 1, line by line, with scikit-learn's stumps for the step of each round.

    Two stumps may be equally good on different rows, and scikit-learn then draws one; the margins therefore follow the
    stumps of ``model``, and the step of every round is compared.
    """
    sign, margin, theta = 2 * y - 1, np.zeros(len(y)), []
    for t, stump in enumerate(model.estimators_):
        log_weight = model.loss_.log_weight(margin)
        weight = np.exp(log_weight - log_weight.max())
        weight /= weight.sum()
        answer = 2 * DecisionTreeClassifier(max_depth=1, random_state=t).fit(X, y, weight).predict(X) - 1
        error = weight[answer != sign].sum()
        theta.append(0.5 * math.log((1 - error) / error))
        margin += theta[-1] * sign * stump.predict(X)
    return np.array(theta)


@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0, 3.3])
@pytest.mark.parametrize("seed", range(3))
def test_same_steps_as_a_loop_over_scikit_learn(alpha, seed):
    X, y, _, _ = noisy_cancer(seed)
    model = AdaBoostAlphaClassifier(alpha, n_estimators=40).fit(X, y)
    np.testing.assert_allclose(model.theta_, plain_steps(model, X, y), rtol=0, atol=1e-12)


def test_half_is_adaboost():
    X, y, _, _ = noisy_cancer(5)
    ours = AdaBoostAlphaClassifier(0.5, n_estimators=200).fit(X, y)
    theirs = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=200, random_state=0).fit(X, y)
    # scikit-learn's SAMME weights are twice the steps, its errors are the same
    np.testing.assert_allclose(ours.theta_, theirs.estimator_weights_ / 2, rtol=0, atol=1e-12)
    np.testing.assert_allclose(ours.errors_, theirs.estimator_errors_, rtol=0, atol=1e-12)


def test_three_classes_at_one_half_are_samme():
    X, y = load_iris(return_X_y=True)
    ours = AdaBoostAlphaClassifier(0.5, n_estimators=30).fit(X, y)
    theirs = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=30, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.theta_ * 3 / 4, theirs.estimator_weights_, rtol=1e-9)
    np.testing.assert_allclose(ours.predict_proba(X).sum(axis=1), 1)


@pytest.mark.parametrize(
    "model", [AdaBoostAlphaClassifier(n_estimators=15), AdaBoostAlphaClassifier(max_depth=3, n_estimators=9)]
)
def test_last_stage_is_the_model(model):
    X, y, X_test, y_test = noisy_cancer(1)
    model.fit(X, y)
    np.testing.assert_allclose(
        list(model.staged_decision_function(X_test))[-1], model.decision_function(X_test), atol=1e-12
    )
    np.testing.assert_array_equal(list(model.staged_predict(X_test))[-1], model.predict(X_test))
    np.testing.assert_allclose(list(model.staged_predict_proba(X_test))[-1], model.predict_proba(X_test), atol=1e-12)
    assert list(model.staged_score(X_test, y_test))[-1] == model.score(X_test, y_test)


def test_probabilities_are_the_posterior_of_the_loss():
    X, y, X_test, _ = noisy_cancer(2)
    model = AdaBoostAlphaClassifier(3.0, n_estimators=20).fit(X, y)
    expected = 1 / (1 + np.exp(-model.decision_function(X_test) / 3))
    np.testing.assert_allclose(model.predict_proba(X_test)[:, 1], expected)


@pytest.mark.parametrize("step", ["adaboost", "alpha", "line"])
def test_weights_equal_repetition_and_zero_equals_absence(step):
    X, y, X_test, _ = noisy_cancer(3)
    times = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = AdaBoostAlphaClassifier(n_estimators=10, step=step).fit(X, y, times)
    repeated = AdaBoostAlphaClassifier(n_estimators=10, step=step).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.decision_function(X_test), repeated.decision_function(X_test), atol=1e-9)
    np.testing.assert_allclose(weighted.kappa_, repeated.kappa_, atol=1e-9)


def test_encoded_matrix_gives_the_same_model():
    X, y, X_test, _ = noisy_cancer(4)
    shared = encode(X)
    for alpha in (0.5, 2.0):
        a = AdaBoostAlphaClassifier(alpha, max_depth=2, n_estimators=10).fit(shared, y)
        b = AdaBoostAlphaClassifier(alpha, max_depth=2, n_estimators=10).fit(X, y)
        np.testing.assert_array_equal(a.decision_function(X_test), b.decision_function(X_test))
        np.testing.assert_array_equal(a.decision_function(shared), b.decision_function(X))


@pytest.mark.parametrize("step", ["adaboost", "alpha", "line"])
def test_a_perfect_learner_ends_the_rounds_with_a_finite_step(step):
    X = np.arange(20.0).reshape(-1, 1)
    model = AdaBoostAlphaClassifier(n_estimators=100, step=step).fit(X, X[:, 0] > 9)
    assert len(model) == 1 and model.stop_reason_ == "perfect" and np.isfinite(model.theta_).all()
    assert model.score(X, X[:, 0] > 9) == 1
    model = AdaBoostAlphaClassifier(n_estimators=100).fit(X, X[:, 0] > 9)
    np.testing.assert_allclose(model.theta_, 0.5 * math.log((1 - 1e-10) / 1e-10))
    assert model.score(X, X[:, 0] > 9) == 1 and np.isfinite(model.decision_function(X)).all()


def test_no_edge_stops():
    X = np.array([[0.0], [0.0], [1.0], [1.0]])
    model = AdaBoostAlphaClassifier().fit(X, [0, 1, 0, 1])
    assert model.stop_reason_ == "no_edge" and model.n_estimators_ == 0
    np.testing.assert_array_equal(model.predict(X), 0)


def test_a_learner_below_chance_is_turned_round():
    class Contrary(DecisionTreeClassifier):
        def predict(self, X):
            return 1 - super().predict(X)

    X, y, _, _ = noisy_cancer(0, rate=0)
    model = AdaBoostAlphaClassifier(n_estimators=5, estimator=Contrary(max_depth=1)).fit(X, y)
    assert (model.theta_ < 0).all() and model.score(X, y) > 0.9


def test_infinite_alpha_warns_and_repeats_itself():
    X, y, _, _ = noisy_cancer(0)
    with pytest.warns(UserWarning, match="alpha=inf"):
        model = AdaBoostAlphaClassifier(math.inf, n_estimators=5).fit(X, y)
    np.testing.assert_allclose(model.errors_, model.errors_[0])
    np.testing.assert_allclose(model.kappa_, 1)


def test_one_class_is_a_constant():
    model = AdaBoostAlphaClassifier().fit([[0.0], [1.0]], ["only", "only"])
    assert model.stop_reason_ == "one_class"
    assert list(model.predict([[5.0]])) == ["only"]
    np.testing.assert_array_equal(model.predict_proba([[5.0]]), [[1.0]])


def test_smoothness_of_each_round():
    X, y, _, _ = noisy_cancer(6)
    model = AdaBoostAlphaClassifier(0.5, n_estimators=30).fit(X, y)
    weight, margin, sign = np.ones(len(y)), np.zeros(len(y)), 2 * y - 1
    for tree, theta, kappa in zip(model.estimators_, model.theta_, model.kappa_, strict=True):
        weight = np.exp(-margin)
        assert kappa == pytest.approx(weight.mean() / weight.max(), rel=1e-9)
        margin += theta * sign * tree.predict(X)


def test_alpha_by_cross_validation():
    X, y, _, _ = noisy_cancer(0, rate=0.3)
    alphas = np.array([0.5, 1, 3])
    model = AdaBoostAlphaClassifier("cv", n_estimators=40, alphas=alphas, cv=3, random_state=0).fit(X, y)
    assert model.alpha_ == alphas[np.argmax(model.cv_scores_)]
    again = AdaBoostAlphaClassifier(model.alpha_, n_estimators=40).fit(X, y)
    np.testing.assert_array_equal(model.theta_, again.theta_)


def test_early_stopping():
    X, y, _, _ = noisy_cancer(0, rate=0.2)
    model = AdaBoostAlphaClassifier(0.5, n_estimators=500, n_iter_no_change=5, random_state=0).fit(X, y)
    assert model.stop_reason_ == "early_stopping" and model.n_estimators_ < 500


def test_line_search_lowers_the_risk_most():
    X, y, _, _ = noisy_cancer(0)
    model = AdaBoostAlphaClassifier(1.0, n_estimators=1, step="line").fit(X, y)
    gain = (2 * y - 1) * model.estimators_[0].predict(X)
    risk = [AlphaLoss(1.0).value(t * gain).mean() for t in model.theta_[0] + np.array([-1e-3, 0, 1e-3])]
    assert risk[1] == min(risk)


@pytest.mark.parametrize(
    "parameters",
    [
        {"alpha": 0},
        {"alpha": -1},
        {"alpha": "best"},
        {"alpha": math.nan},
        {"n_estimators": 0},
        {"max_depth": 0},
        {"step": "newton"},
        {"criterion": "entropy"},
        {"learning_rate": 0},
        {"n_iter_no_change": 0},
        {"validation_fraction": 1.0},
        {"alphas": 3},
        {"alphas": []},
    ],
)
def test_bad_parameters_are_named(parameters):
    (name, value), X = next(iter(parameters.items())), np.array([[0.0], [1.0]])
    with pytest.raises(ValueError, match=name) as error:
        AdaBoostAlphaClassifier(**parameters).fit(X, [0, 1])
    assert repr(value) in str(error.value)


def test_estimator_must_take_weights():
    from sklearn.neighbors import KNeighborsClassifier

    with pytest.raises(ValueError, match="sample_weight"):
        AdaBoostAlphaClassifier(estimator=KNeighborsClassifier()).fit([[0.0], [1.0]], [0, 1])


def test_any_classifier_with_weights_can_be_boosted():
    X, y = load_iris(return_X_y=True)
    model = AdaBoostAlphaClassifier(n_estimators=5, estimator=LogisticRegression(max_iter=500)).fit(X, y)
    assert model.score(X, y) > 0.9


def test_a_given_loss_takes_the_place_of_the_alpha_loss():
    """The same loss under another name, so that it takes the other loop: written in Python, not compiled."""
    X, y, X_test, _ = noisy_cancer(0)
    ours = AdaBoostAlphaClassifier(alpha=2, n_estimators=40).fit(X, y)
    other = AdaBoostAlphaClassifier(loss=TwoTemperatureLoss(0.5, 1), n_estimators=40).fit(X, y)
    np.testing.assert_allclose(other.theta_, ours.theta_, rtol=1e-9)
    np.testing.assert_allclose(other.predict_proba(X_test), ours.predict_proba(X_test), atol=1e-9)
    assert not hasattr(other, "alpha_")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"loss": "logistic"}, "The 'loss' parameter .* Got 'logistic' instead"),
        ({"loss": AlphaLoss(2), "step": "alpha"}, "step='alpha'"),
    ],
)
def test_a_given_loss_is_checked(wrong, message):
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        AdaBoostAlphaClassifier(**wrong).fit(X, y)
    for two in ({"loss": AlphaLoss(2)}, {"step": "alpha"}, {"step": "edge"}):
        with pytest.raises(ValueError, match=r"Only binary classification is supported\..*is for two classes"):
            AdaBoostAlphaClassifier(**two).fit(*load_iris(return_X_y=True))


@pytest.mark.parametrize("estimator", [None, DecisionTreeClassifier(max_depth=1)], ids=["ours", "theirs"])
@pytest.mark.parametrize("classes", [2, 3])
def test_decision_at_some_rounds_is_the_staged_one(estimator, classes):
    X, y = load_iris(return_X_y=True)
    X, y = X[y < classes], y[y < classes]
    flip = np.random.default_rng(0).random(len(y)) < 0.2  # noise, so that more rounds change something
    model = AdaBoostAlphaClassifier(n_estimators=12, estimator=estimator, random_state=0).fit(X, np.where(flip, 0, y))
    staged = list(model.staged_decision_function(X))
    assert len(staged) > 7
    np.testing.assert_allclose(model.decision_at(X, [1, 2, 7]), [staged[0], staged[1], staged[6]], atol=1e-12)
    # beyond the last round the last score stays
    np.testing.assert_allclose(model.decision_at(X, [3, 500]), [staged[2], staged[-1]], atol=1e-12)


@pytest.mark.parametrize(
    ("rounds", "message"),
    [
        ([0, 1], "rounds must be a whole number of at least 1, got 0"),
        ([1.5], "rounds must be a whole number of at least 1, got 1.5"),
        ([5, 2], r"rounds must increase, got \[5, 2\]"),
        ([2, 2], r"rounds must increase, got \[2, 2\]"),
    ],
)
def test_decision_at_wants_increasing_rounds(rounds, message):
    X, y, _, _ = noisy_cancer(0)
    model = AdaBoostAlphaClassifier(n_estimators=3).fit(X, y)
    with pytest.raises(ValueError, match=message):
        model.decision_at(X, rounds)


@pytest.mark.filterwarnings("ignore:alpha=inf")
def test_infinite_alpha_repeats_its_first_round_for_ever():
    """All margins are equal in size, and the weight of the sigmoid loss is even, however small it becomes."""
    x = np.repeat([-1.0, 1.0], [30, 70])
    y = np.where(np.arange(100) % 4, x, -x)  # a quarter of the labels is wrong
    model = AdaBoostAlphaClassifier(math.inf, n_estimators=1500).fit(x[:, None], y)
    assert model.theta_.sum() > 750  # beyond the range of exp
    np.testing.assert_allclose(model.errors_, 0.25, rtol=1e-9)


def three_cells(n=9000):
    """Rows of three kinds, with the class probabilities of each kind as exact shares."""
    shares = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.25, 0.25, 0.5]])
    counts = np.rint(shares * n / 3).astype(int)
    X = np.repeat(np.eye(3), counts.sum(axis=1), axis=0)
    return X, np.concatenate([np.repeat(np.arange(3), row) for row in counts]), shares


@pytest.mark.parametrize("alpha", [0.3, 0.5, 0.8, 1.0])
def test_probabilities_of_three_classes_are_those_of_the_data(alpha):
    X, y, shares = three_cells()
    model = AdaBoostAlphaClassifier(alpha, n_estimators=2000, max_depth=2, step="line").fit(X, y)
    np.testing.assert_allclose(model.predict_proba(np.eye(3)), shares, atol=2e-3)


@pytest.mark.parametrize("alpha", [1.5, 2.0, 8.0])
def test_probabilities_of_three_classes_follow_the_scores_where_the_loss_gives_up(alpha):
    X, y = load_iris(return_X_y=True)
    model = AdaBoostAlphaClassifier(alpha, n_estimators=50).fit(X, np.roll(y, 5))
    score, probability = model.decision_function(X), model.predict_proba(X)
    np.testing.assert_array_equal(probability.argmax(axis=1), score.argmax(axis=1))
    order = np.argsort(score, axis=1)
    assert (np.diff(np.take_along_axis(probability, order, axis=1), axis=1) >= 0).all()
