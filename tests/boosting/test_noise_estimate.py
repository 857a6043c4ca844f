"""The noise estimate against its definition, step by step."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

from marginloss.boosting import estimate_noise
from marginloss.boosting.noise_estimate import _common_share, _share_limit
from marginloss.datasets import load_compas

pytestmark = pytest.mark.filterwarnings("ignore:the labels allow")


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


def two_blobs(rate, seed, n=2000):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.5
    X = rng.normal(size=(n, 2)) + 20 * y[:, None]
    return X, y ^ (rng.random(n) < rate)


def one_slope(seed, n=4000):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2, 2, n)
    return x[:, None], rng.random(n) < 1 / (1 + np.exp(-x))


@pytest.mark.parametrize("rate", [0.1, 0.2, 0.3])
def test_the_interval_holds_the_planted_rate(rate):
    found = [estimate_noise(*two_blobs(rate, seed)).interval for seed in range(20)]
    assert sum(low <= rate <= high for low, high in found) >= 18
    assert sum(low > 0.5 * rate for low, _ in found) >= 4  # noise alone explains these leaves


def test_overlap_of_the_classes_is_not_taken_for_noise():
    for seed in range(10):
        with pytest.warns(UserWarning, match=r"allow any flip rate from 0 to 0\.\d+: the estimate 0\.\d+"):
            found = estimate_noise(*one_slope(seed))
        assert found.rate > 0 == found.interval[0] and found.interval[1] > found.rate


def test_clean_compas_may_be_free_of_noise(need):
    need("compas")
    with pytest.warns(UserWarning, match="may be the overlap"):
        found = estimate_noise(*load_compas(return_X_y=True))
    assert found.rate > 0.15 and found.interval[0] == 0


def test_no_warning_where_noise_alone_explains_the_leaves(recwarn):
    assert estimate_noise(*two_blobs(0.2, 3)).interval[0] > 0.1
    assert not recwarn


def test_limits_of_shares():
    for count, total in ((0, 10), (3, 10), (10, 10)):
        exact = binomtest(count, total).proportion_ci(0.95)
        limits = _share_limit(count, total, 0.025), _share_limit(count, total, 0.975)
        assert limits == pytest.approx((exact.low, exact.high))
    alike, apart, total = np.array([20.0, 22.0]), np.array([5.0, 37.0]), np.array([100.0, 100.0])
    assert _common_share(alike, total) == pytest.approx(binomtest(42, 200).proportion_ci(0.95).low)
    assert _common_share(apart, total) == _common_share(alike[:1], total[:1]) == 0


def test_halves_without_both_classes_allow_everything():
    assert estimate_noise([[0.0], [1.0]], [0, 1]).interval == (0, 0.5)
