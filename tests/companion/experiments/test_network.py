"""The small network: gradients by differences, warm start, weights as probabilities of being drawn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_digits
from sklearn.utils.estimator_checks import parametrize_with_checks

from marginloss.companion.experiments.zhai2021.network import NetworkClassifier, _Network


@parametrize_with_checks(
    [NetworkClassifier(hidden_layer_sizes=(20,), warmup_epochs=20, n_iterations=50, decay_at=(40,))]
)
def test_estimator_checks(estimator, check):
    if "sample_weight_equivalence" in check.func.__name__:
        pytest.skip("weights are probabilities of being drawn: equal to repetition in law, not draw by draw")
    check(estimator)


def test_step_follows_the_gradient_of_the_cross_entropy():
    random = np.random.RandomState(0)
    network = _Network([5, 7, 6, 3], random)
    network.parameters = network.parameters.astype(np.float64)  # differences need the digits
    network.velocity, network._gradient = np.zeros_like(network.parameters), np.zeros_like(network.parameters)
    X, y = random.normal(size=(20, 5)), random.randint(0, 3, 20)

    def loss(parameters):
        kept, network.parameters = network.parameters, parameters
        scores = network.scores(X)
        network.parameters = kept
        scores = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        return -scores[np.arange(20), y].mean() + 0.05 * (parameters**2).sum()

    before, h = network.parameters.copy(), 1e-6
    slope = [(loss(before + h * e) - loss(before - h * e)) / (2 * h) for e in np.eye(len(before))]
    network.train([(X, y)], [0.5], momentum=0.9, l2=0.1)
    assert_allclose((before - network.parameters) / 0.5, slope, atol=1e-7)
    first = before - network.parameters
    # with a rate of zero only the velocity moves: momentum times the old one plus the new gradient
    network.train([(X, y)], [0.0], momentum=0.9, l2=0.1)
    fresh = [(loss(before - first + h * e) - loss(before - first - h * e)) / (2 * h) for e in np.eye(len(before))]
    assert_allclose(network.velocity, 0.9 * np.array(slope) + fresh, atol=1e-6)


def plain_step(network, X, y, rate, momentum, l2):
    """The step as array operations."""
    layers, slopes = network.layers(network.parameters), network.layers(network._gradient)
    inputs = [X]
    for weights, bias in layers[:-1]:
        inputs.append(np.maximum(inputs[-1] @ weights + bias, 0.0))
    error = inputs[-1] @ layers[-1][0] + layers[-1][1]
    error = np.exp(error - error.max(axis=1, keepdims=True))
    error /= error.sum(axis=1, keepdims=True)
    error[np.arange(len(y)), y] -= 1.0
    error /= len(y)
    for depth in range(len(layers) - 1, -1, -1):
        slopes[depth][0][:], slopes[depth][1][:] = inputs[depth].T @ error, error.sum(axis=0)
        error = (error @ layers[depth][0].T) * (inputs[depth] > 0)
    network.velocity[:] = momentum * network.velocity + (network._gradient + l2 * network.parameters)
    network.parameters -= rate * network.velocity


@pytest.mark.parametrize("sizes", [[8, 100, 100, 2], [30, 40, 10], [6, 3]])
@pytest.mark.parametrize("l2", [0.0, 5e-4])
def test_steps_in_place_are_those_of_the_formulas(sizes, l2):
    random = np.random.RandomState(0)
    network = _Network(sizes, random)
    plain = network.copy()
    # batches of two sizes, as at the end of an epoch
    batches = [
        (random.normal(size=(n, sizes[0])).astype(np.float32), random.randint(0, sizes[-1], n)) for n in [64, 64, 17]
    ]
    network.train(batches, [0.1, 0.1, 0.01], momentum=0.9, l2=l2)
    for (X, y), rate in zip(batches, [0.1, 0.1, 0.01], strict=True):
        plain_step(plain, X, y, rate, 0.9, l2)
    # up to the order in which a library of matrix products adds
    assert_allclose(network.parameters, plain.parameters, rtol=1e-5, atol=1e-7)
    assert_allclose(network.velocity, plain.velocity, rtol=1e-4, atol=1e-7)


def test_scores_are_those_of_the_layers():
    random = np.random.RandomState(0)
    network = _Network([5, 7, 3], random)
    X = random.normal(size=(9, 5)).astype(np.float32)
    (inner, shift), (outer, bias) = network.layers(network.parameters)
    assert_allclose(network.scores(X), np.maximum(X @ inner + shift, 0) @ outer + bias, rtol=1e-5, atol=1e-6)


def test_weights_decide_who_is_drawn():
    X, y = load_digits(return_X_y=True)
    X = X / 16.0
    flipped = y.copy()
    flipped[:900] = (y[:900] + 1) % 10
    weight = np.r_[np.zeros(900), np.ones(len(y) - 900)]
    network = NetworkClassifier(hidden_layer_sizes=(32,), step_size=0.1, warmup_epochs=0, random_state=0)
    assert network.fit(X, flipped, sample_weight=weight).score(X[:900], y[:900]) > 0.8


def test_tuned_starts_from_the_same_place_and_leaves_it_alone():
    X, y = load_digits(return_X_y=True)
    network = NetworkClassifier(hidden_layer_sizes=(64,), n_iterations=5)
    random = np.random.RandomState(1)
    network.warm_up(X, y, 10, random)
    before = network.network_.parameters.copy()
    uniform = np.full(len(y), 1 / len(y))
    first, second = network.tuned(X, y, uniform, random), network.tuned(X, y, uniform, random)
    assert (network.network_.parameters == before).all()
    assert (first.network_.parameters != second.network_.parameters).any()


def test_schedule_divides_the_rate_by_ten():
    seen = []

    class Spy(_Network):
        def train(self, batches, rates, momentum, l2):
            seen.extend(rates)

    network = NetworkClassifier(n_iterations=6, decay_at=(2, 4), step_size=1.0, warmup_epochs=0)
    X, y = np.eye(4), np.array([0, 1, 0, 1])
    network.warm_up(X, y, 2, np.random.RandomState(0))
    network.network_.__class__ = Spy
    network.network_.copy = lambda: network.network_
    network.tuned(X, y, np.full(4, 0.25), np.random.RandomState(0))
    assert_allclose(seen, [1, 1, 0.1, 0.1, 0.01, 0.01])


def test_divergence_is_an_error_and_not_an_answer():
    X, y = np.random.default_rng(0).normal(size=(50, 3)) * 1e4, np.arange(50) % 2
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="diverged"):
        NetworkClassifier(step_size=1e6, random_state=0).fit(X, y).predict(X)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("step_size", 0),
        ("momentum", 1.0),
        ("l2", -1),
        ("batch_size", 0),
        ("hidden_layer_sizes", (0,)),
        ("hidden_layer_sizes", 10),
        ("decay_at", (-1,)),
        ("decay_at", 40),
        ("n_iterations", -1),
        ("warmup_epochs", 0.5),
    ],
)
def test_bad_parameters(name, value):
    with pytest.raises(ValueError, match=name):
        NetworkClassifier(**{name: value}).fit(np.eye(4), [0, 1, 0, 1])
