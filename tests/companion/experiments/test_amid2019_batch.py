"""Models solved together are the models solved one by one."""

import numpy as np
import pytest

from marginloss.companion.experiments.amid2019 import batch
from marginloss.companion.experiments.amid2019.batch import minimise_many
from marginloss.linear import MarginClassifier
from marginloss.linear.objective import SmoothedHinge
from marginloss.losses import AlphaLoss, LogisticLoss, TwoTemperatureLoss
from marginloss.theory.amid2019.training import plain_fit


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(300, 6)) @ rng.normal(size=(6, 6)), np.ones(300)])
    y = np.where(X[:, 0] + rng.normal(size=300) > 0, 1.0, -1.0)
    flipped = np.where(rng.random(300) < 0.1, -y, y)
    return X, y, flipped


def root_of(X, l2):
    return np.linalg.cholesky(X.T @ X / len(X) / 4 + l2 * np.eye(X.shape[1]))


@pytest.mark.parametrize("l2", [0.1, 1e-3])
def test_each_is_as_good_as_a_fit_of_its_own(data, l2, monkeypatch):
    monkeypatch.setattr(batch, "MOST_ROWS", 70)  # several blocks, the last one short
    X, *labels = data
    losses = (LogisticLoss(), AlphaLoss(0.7), TwoTemperatureLoss(0.5, 1.3), SmoothedHinge(0.1))
    problems = [(y, loss) for y in labels for loss in losses]
    found = minimise_many(X, *map(list, zip(*problems, strict=True)), l2, root_of(X, l2), tol=1e-7, max_iter=500)
    assert (found.gradient <= 1e-7).all()
    for (y, loss), coef, value in zip(problems, found.coef, found.value, strict=True):
        if isinstance(loss, SmoothedHinge):
            continue
        alone = MarginClassifier(loss, l2=l2, tol=1e-8, n_starts=1, fit_intercept=False).fit(X, y)
        assert value == pytest.approx(alone.objective_, abs=1e-9)
        np.testing.assert_allclose(coef, alone.coef_[0], atol=1e-3)


def test_a_start_at_the_solution_needs_no_step(data):
    X, y, _ = data
    for root in (None, root_of(X, 0.01)):
        first = minimise_many(X, [y], [LogisticLoss()], 0.01, root, 1e-8, 500)
        again = minimise_many(X, [y], [LogisticLoss()], 0.01, root, 1e-7, start=first.coef)
        assert again.n_iter == 0
        np.testing.assert_allclose(again.coef, first.coef, atol=1e-12)


def test_a_budget_is_kept(data):
    X, y, _ = data
    short = minimise_many(X, [y], [LogisticLoss()], 1e-6, tol=1e-12, max_iter=2)
    assert short.n_iter == 2
    assert short.gradient > 1e-12


def test_single_precision(data):
    X, y, _ = data
    loss, root = TwoTemperatureLoss(0.5, 1.3), root_of(X, 0.01)
    half = minimise_many(X.astype(np.float32), [y], [loss], 0.01, root)
    full = minimise_many(X, [y], [loss], 0.01, root, tol=1e-7)
    assert half.value == pytest.approx(full.value, abs=1e-5)


@pytest.mark.parametrize("l2", [0.1, 1e-3])
def test_original_variables_are_those_of_plain_lbfgs(data, l2):
    X, _, flipped = data
    loss = TwoTemperatureLoss(0.1, 1.12)
    ours = minimise_many(X, [flipped], [loss], l2, tol=1e-7, max_iter=500)
    w, theirs = plain_fit(X, flipped, loss, l2, np.zeros(7), max_iter=500)
    assert ours.gradient <= 1e-7
    assert ours.value == pytest.approx(theirs.fun, rel=1e-7)
    np.testing.assert_allclose(ours.coef[0], w, atol=2e-3 * np.abs(w).max())


def test_a_row_with_label_zero_is_left_out(data):
    X, y, _ = data
    out = np.arange(300) % 3 == 0
    for loss in (LogisticLoss(), TwoTemperatureLoss(0.5, 1.3), SmoothedHinge(0.1)):
        how = [loss], 0.01, root_of(X, 0.01), 1e-9, 500
        masked, without = minimise_many(X, [np.where(out, 0, y)], *how), minimise_many(X[~out], [y[~out]], *how)
        np.testing.assert_allclose(masked.value, without.value, atol=1e-12)
        np.testing.assert_allclose(masked.coef, without.coef, atol=1e-6)
