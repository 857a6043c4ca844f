"""The noise estimate against its definition, step by step."""

import math

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

from marginloss.boosting import estimate_noise


def logit(p):
    return math.log(p / (1 - p))


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.3])
def test_rule_of_the_paper(rate):
    X, y = load_breast_cancer(return_X_y=True)
    y = np.where(np.random.default_rng(1).random(len(y)) < rate, 1 - y, y)
    m = len(y)
    tree = DecisionTreeClassifier(
        criterion="entropy",
        max_leaf_nodes=math.ceil(math.log(m)),
        min_samples_leaf=math.ceil(math.sqrt(m)),
        random_state=0,
    ).fit(X, y)
    leaf = tree.apply(X)
    eta = np.array([y[leaf == i].mean() for i in np.unique(leaf)])
    found = estimate_noise(X, y)
    assert found.rate == pytest.approx(math.sqrt(eta.min() * (1 - eta.max())))
    centre = eta.mean()
    assert found.posterior == pytest.approx(centre)
    if found.rate < min(centre, 1 - centre):
        clean = (centre - found.rate) / (1 - 2 * found.rate)
        assert found.alpha == pytest.approx(min(8, logit(clean) / logit(centre)))
    text = estimate_noise(X, y, mean="clean")
    twisted = centre * (1 - found.rate) + (1 - centre) * found.rate
    assert text.alpha == pytest.approx(min(8, logit(centre) / logit(twisted)))


def test_weights_equal_repetition():
    X, y = load_breast_cancer(return_X_y=True)
    times = np.random.default_rng(0).integers(0, 3, len(y))
    weighted, repeated = estimate_noise(X, y, times), estimate_noise(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert weighted.rate == pytest.approx(repeated.rate) and weighted.alpha == pytest.approx(repeated.alpha)


def test_corners():
    X = np.zeros((40, 1))
    assert estimate_noise(X, np.arange(40) % 2).alpha == 1  # a single leaf at one half
    skewed = estimate_noise(X, np.arange(40) % 4 == 0)  # a single leaf at one quarter: rate above the posterior
    assert skewed.alpha == 8 and skewed.rate > 0.25
    assert estimate_noise(X, np.ones(40)).alpha == 1
    assert estimate_noise([[0.0], [1.0]], [0, 1]).rate == 0
    with pytest.raises(ValueError, match="Only binary classification"):
        estimate_noise(X, np.arange(40) % 3)
    with pytest.raises(ValueError, match="mean"):
        estimate_noise(X, np.arange(40) % 2, mean="noisy")
