"""Mean losses of linear models: the definition and finite differences."""

import numpy as np
import pytest
from scipy import sparse

from marginloss.linear.objective import MarginObjective
from marginloss.losses import AlphaLoss, ExponentialLoss, HingeLoss, LogisticLoss, TwoTemperatureLoss

LOSSES = [AlphaLoss(2.0), AlphaLoss(0.7), ExponentialLoss(), LogisticLoss(), TwoTemperatureLoss(0.8, 1.2), HingeLoss()]


def problem(columns, rows=2500, seed=0):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(rows, columns)), rng.choice([-1.0, 1.0], rows)
    return X, y, rng.uniform(0.1, 3.0, rows), rng.normal(size=(columns, 1)), rng.normal(size=1)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("columns", [1, 3, 9])
@pytest.mark.parametrize("kind", [np.asarray, np.asfortranarray, sparse.csr_array], ids=["rows", "columns", "sparse"])
def test_value_and_gradient_follow_from_the_definition(loss, columns, kind):
    X, y, weight, coef, intercept = problem(columns)
    value, slope, tilt = MarginObjective(kind(X), y, weight, loss)(coef, intercept)
    margin, share = y * (X @ coef[:, 0] + intercept), weight / weight.sum()
    pull = -share * y * loss.weight(margin)
    assert value == pytest.approx(share @ loss.value(margin), rel=1e-12)
    np.testing.assert_allclose(slope[:, 0], X.T @ pull, rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(tilt, pull.sum(), rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("columns", [2, 11])
def test_the_gradient_matches_finite_differences(columns):
    X, y, weight, coef, intercept = problem(columns, rows=300)
    objective = MarginObjective(X, y, weight, AlphaLoss(1.5))
    _, slope, tilt = objective(coef, intercept)
    for j, step in enumerate(1e-6 * np.eye(columns)[:, :, None]):
        change = objective(coef + step, intercept)[0] - objective(coef - step, intercept)[0]
        assert change / 2e-6 == pytest.approx(slope[j, 0], abs=1e-8)
    change = objective(coef, intercept + 1e-6)[0] - objective(coef, intercept - 1e-6)[0]
    assert change / 2e-6 == pytest.approx(tilt[0], abs=1e-8)


@pytest.mark.parametrize("columns", [2, 11])
def test_without_an_intercept_its_slope_is_zero(columns):
    X, y, weight, coef, _ = problem(columns)
    _, _, tilt = MarginObjective(X, y, weight, LogisticLoss(), fit_intercept=False)(coef, np.zeros(1))
    np.testing.assert_array_equal(tilt, [0.0])


@pytest.mark.parametrize("columns", [2, 11])
def test_what_overflows_is_infinite(columns):
    X, y, weight, coef, intercept = problem(columns)
    value, _, _ = MarginObjective(X, y, weight, ExponentialLoss())(1e5 * coef, intercept)
    assert value == np.inf
