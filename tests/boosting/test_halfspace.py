import math

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from marginloss._norms import dual_exponent, p_norm
from marginloss.boosting import HalfspaceLearner
from marginloss.noise import DenseHalfspace, MaliciousOracle, SparseMajority


@pytest.mark.parametrize("source", [SparseMajority(60, 3), DenseHalfspace(20, 0.2)], ids=repr)
def test_learns_inside_its_guarantee(source):
    model = HalfspaceLearner(0.2, source.p, source.R, source.difficulty, fit_intercept=False)
    rate = 0.2 / (32 * source.difficulty)
    X, y, _ = MaliciousOracle("fake", rate, source).draw(800, rng=1)
    model.fit(X, y)
    assert model.converged_
    assert (model.booster_.advantages_ >= 1 / (4 * source.difficulty)).all()
    assert float(p_norm(model.coef_[0], dual_exponent(source.p))) <= 1 / source.R + 1e-12
    clean_X, clean_y = source.draw(3000, rng=2)
    assert model.score(clean_X, clean_y) >= 0.8


def test_unknown_difficulty_is_found_by_halving():
    X, y = SparseMajority(30, 5).draw(400, rng=3)
    model = HalfspaceLearner(0.2, math.inf, 1.0, fit_intercept=False).fit(X, y)
    assert model.converged_
    assert model.guarantee_.gamma == model.booster_.gamma_ < 0.25


def test_intercept_moves_the_halfspace():
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 1, (400, 2))
    y = (X.sum(axis=1) > 1.2).astype(int)
    keep = np.abs(X.sum(axis=1) - 1.2) > 0.1
    model = HalfspaceLearner(0.1, 2.0, R=math.sqrt(2), max_rounds=20_000).fit(X[keep], y[keep])
    assert model.score(X[keep], y[keep]) > 0.95
    through_origin = HalfspaceLearner(0.1, 2.0, R=math.sqrt(2), fit_intercept=False, max_rounds=500)
    with pytest.warns(ConvergenceWarning):
        assert through_origin.fit(X[keep], y[keep]).score(X[keep], y[keep]) < 0.9


def test_one_outlier_when_the_radius_is_estimated():
    source = DenseHalfspace(10, 0.3)
    X, y = source.draw(500, rng=4)
    X, y = np.vstack([X, -50 * source.target]), np.append(y, 1.0)
    known = HalfspaceLearner(0.2, 2.0, 1.0, 1 / 0.3, fit_intercept=False).fit(X, y)
    assert known.converged_
    with pytest.warns(UserWarning, match="R was estimated as the largest norm in the sample, 50"):
        guessed = HalfspaceLearner(0.2, 2.0, None, 1 / 0.3, fit_intercept=False, max_rounds=300).fit(X, y)
    assert not guessed.converged_
    assert guessed.booster_.advantages_.min() < 0.1 * known.booster_.advantages_.min()


@pytest.mark.parametrize(
    "options",
    [{"epsilon": 0}, {"p": 1.5}, {"R": -1.0}, {"difficulty": 0.5}, {"max_rounds": 0}, {"n_estimators": 0}],
    ids=str,
)
def test_bad_parameters(options):
    with pytest.raises(
        ValueError, match=f"'{next(iter(options))}' parameter .* must be .* Got {next(iter(options.values()))!r}"
    ):
        HalfspaceLearner(**options).fit([[0.0], [1.0]], [0, 1])
