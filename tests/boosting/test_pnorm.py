import math

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from marginloss._norms import dual_exponent, p_norm
from marginloss.boosting import PNormLearner
from marginloss.noise import DenseHalfspace, MaliciousOracle, SparseMajority


@pytest.mark.filterwarnings("ignore:R was estimated")
@parametrize_with_checks([PNormLearner()])
def test_estimator(estimator, check):
    check(estimator)


@pytest.fixture
def sample():
    rng = np.random.default_rng(5)
    X = rng.uniform(-1, 1, (80, 6))
    y = np.sign(X @ rng.standard_normal(6))
    return X, y, rng.random(80)


@pytest.mark.parametrize("p", [1.0, 2.0, 3.5, 40.0, math.inf])
def test_figure_2_identities(sample, p):
    X, y, weight = sample
    R = float(p_norm(X, p).max())
    model = PNormLearner(p=p, R=R).fit(X, y, sample_weight=weight)
    z = X.T @ (weight / weight.sum() * y)
    assert model.advantage_ == pytest.approx(float(p_norm(z, p)) / (2 * R), rel=1e-12)
    assert float(p_norm(model.coef_[0], dual_exponent(p))) == pytest.approx(1 / R, rel=1e-12)
    assert np.abs(model.decision_function(X)).max() <= 1 + 1e-12


@pytest.mark.parametrize("p", [2.0, 5.0, math.inf])
def test_no_linear_hypothesis_has_a_larger_edge(sample, p):
    X, y, weight = sample
    model = PNormLearner(p=p, R=10.0).fit(X, y, sample_weight=weight)
    others = np.random.default_rng(0).standard_normal((20_000, 6)) ** 3
    others /= 10.0 * p_norm(others, dual_exponent(p))[:, None]
    edges = others @ (X.T @ (weight / weight.sum() * y))
    assert edges.max() <= 2 * model.advantage_ + 1e-12


@pytest.mark.parametrize("source", [SparseMajority(30, 3), DenseHalfspace(10, 0.2)], ids=repr)
def test_theorem_3_on_a_smooth_distribution(source):
    kappa, m, A = 0.25, 400, source.difficulty
    X, y = source.draw(m, rng=1)
    dirty = np.arange(m) < math.floor(kappa / (4 * A) * m)
    X[dirty], y[dirty] = source._against(X[dirty], y[dirty])
    # the worst smooth distribution: full weight on the dirty points and on the clean ones of least margin
    margin = y * (X @ source.target)
    weight = (np.argsort(np.argsort(margin)) < kappa * m).astype(float)
    model = PNormLearner(p=source.p, R=source.R).fit(X, y, sample_weight=weight)
    assert model.advantage_ >= 1 / (4 * A)


def test_radius_is_estimated_with_a_warning(sample):
    X, y, _ = sample
    with pytest.warns(UserWarning, match="R was estimated as the largest norm"):
        model = PNormLearner().fit(X, y)
    assert np.isclose(model.R_, np.linalg.norm(X, axis=1).max())


def test_points_outside_the_ball(sample):
    X, y, _ = sample
    spoiled = np.vstack([X, 100 * X[:1]])
    labels = np.append(y, -y[0])
    R = float(np.linalg.norm(X, axis=1).max())
    with pytest.raises(ValueError, match=r"R=.* must bound the 2-norm of every point, got one of norm"):
        PNormLearner(R=R).fit(spoiled, labels)
    dropped = PNormLearner(R=R, outside="drop").fit(spoiled, labels)
    np.testing.assert_allclose(dropped.coef_, PNormLearner(R=R).fit(X, y).coef_)
    scaled = PNormLearner(R=R, outside="scale").fit(spoiled, labels)
    pulled = np.vstack([X, R * X[:1] / np.linalg.norm(X[0])])
    np.testing.assert_allclose(scaled.coef_, PNormLearner(R=R).fit(pulled, labels).coef_)
    with pytest.raises(ValueError, match="must leave some points"):
        PNormLearner(R=1e-6, outside="drop").fit(X, y)


def test_no_direction_is_the_zero_hypothesis():
    model = PNormLearner(R=1.0).fit([[1.0, 0.0], [1.0, 0.0]], [-1, 1])
    assert model.advantage_ == 0
    assert not model.coef_.any()


def test_symmetry_and_ties():
    X, y, _ = MaliciousOracle("flip", 0.0, SparseMajority(9, 9)).draw(64, rng=0)
    X = np.vstack([X, X[:, ::-1]])
    y = np.concatenate([y, y])
    uniform = PNormLearner(p=math.inf, R=1.0).fit(X, y).coef_[0]
    np.testing.assert_allclose(uniform, uniform[::-1])
    assert np.count_nonzero(PNormLearner(p=math.inf, R=1.0, ties="first").fit(X, y).coef_) == 1


def test_single_precision_stays_close(sample):
    X, y, weight = sample
    double = PNormLearner(R=3.0).fit(X, y, weight)
    single = PNormLearner(R=3.0).fit(X.astype(np.float32), y, weight)
    np.testing.assert_allclose(single.coef_, double.coef_, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    "options", [{"p": 0.3}, {"R": 0.0}, {"R": math.inf}, {"outside": "keep"}, {"ties": "last"}], ids=str
)
def test_bad_parameters(options):
    with pytest.raises(
        ValueError, match=f"'{next(iter(options))}' parameter .* must be .* Got {next(iter(options.values()))!r}"
    ):
        PNormLearner(**{"R": 1.0, **options}).fit([[0.0], [1.0]], [0, 1])
