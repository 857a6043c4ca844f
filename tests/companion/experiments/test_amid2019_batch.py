"""Models solved together are the models solved one by one."""

from dataclasses import replace

import numpy as np
import pytest

from marginloss.companion.experiments.amid2019.batch import Problem, minimise_many
from marginloss.companion.experiments.amid2019.shared_rows import Replaced
from marginloss.linear import DesignFactor, MarginClassifier
from marginloss.linear.objective import SmoothedHinge
from marginloss.losses import AlphaLoss, LogisticLoss, TwoTemperatureLoss
from marginloss.theory.amid2019.training import plain_fit


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6)) @ rng.normal(size=(6, 6))
    y = np.where(X[:, 0] + rng.normal(size=300) > 0, 1.0, -1.0)
    flipped = np.where(rng.random(300) < 0.1, -y, y)
    return X, y, flipped


def test_each_is_as_good_as_a_fit_of_its_own(data):
    X, *labels = data
    losses = (LogisticLoss(), AlphaLoss(0.7), TwoTemperatureLoss(0.5, 1.3), SmoothedHinge(0.1))
    factor = DesignFactor(X)
    how = {"factor": factor, "tol": 1e-7, "max_iter": 500}
    problems = [Problem(y, loss, l2, **how) for y in labels for loss in losses for l2 in (0.1, 1e-3)]
    solutions = minimise_many(X, problems)
    assert all(solution.converged for solution in solutions)
    for problem, solution in zip(problems, solutions, strict=True):
        if isinstance(problem.loss, SmoothedHinge):
            continue
        alone = MarginClassifier(problem.loss, l2=problem.l2, tol=1e-8, n_starts=1).fit(X, problem.y, factor=factor)
        assert solution.value == pytest.approx(alone.objective_, abs=1e-9)
        np.testing.assert_allclose(solution.coef.T, alone.coef_, atol=1e-3)


def test_a_start_at_the_solution_needs_no_step(data):
    X, y, _ = data
    factor = DesignFactor(X)
    (first,) = minimise_many(X, [Problem(y, LogisticLoss(), 0.01, factor=factor, tol=1e-8)])
    start = first.coef, first.intercept
    (again,) = minimise_many(X, [Problem(y, LogisticLoss(), 0.01, start, factor, tol=1e-7)])
    assert again.n_iter == 0
    assert again.converged


def test_a_start_at_the_solution_of_another_problem(data):
    X, y, flipped = data
    factor, bounded = DesignFactor(X), TwoTemperatureLoss(0.1, 1.12)
    first = Problem(flipped, LogisticLoss(), 0.01, factor=factor)
    beside = Problem(y, LogisticLoss(), 0.1)
    (waits, _, solution) = minimise_many(X, [Problem(flipped, bounded, 1e-3, first), beside, first])
    (alone,) = minimise_many(X, [Problem(flipped, bounded, 1e-3, (solution.coef, solution.intercept))])
    assert waits.n_iter == alone.n_iter > 0
    np.testing.assert_allclose(waits.coef, alone.coef, rtol=1e-9)


def test_a_budget_is_reported(data):
    X, y, _ = data
    problem = Problem(y, LogisticLoss(), 1e-6, factor=DesignFactor(X), tol=1e-12, max_iter=2)
    (short,) = minimise_many(X, [problem])
    assert short.reason == "max_iter reached"
    assert short.n_iter == 2


def test_single_precision(data):
    X, y, _ = data
    problem = Problem(y, TwoTemperatureLoss(0.5, 1.3), 0.01, factor=DesignFactor(X))
    (half,) = minimise_many(X.astype(np.float32), [problem])
    (full,) = minimise_many(X, [replace(problem, tol=1e-7)])
    assert half.value == pytest.approx(full.value, abs=1e-5)


def test_original_variables_with_a_constant_feature_are_those_of_plain_lbfgs(data):
    X, _, flipped = data
    loss = TwoTemperatureLoss(0.1, 1.12)
    design = np.column_stack([X, np.ones(len(X))])
    for l2 in (0.1, 1e-3):
        problem = Problem(flipped, loss, l2, tol=1e-7, max_iter=500)
        (ours,) = minimise_many(X, [problem], penalise_intercept=True)
        w, theirs = plain_fit(design, flipped, loss, l2, np.zeros(7), max_iter=500)
        assert ours.converged
        assert ours.value == pytest.approx(theirs.fun, rel=1e-7)
        np.testing.assert_allclose(np.append(ours.coef, ours.intercept), w, atol=2e-3 * np.abs(w).max())


def test_whitened_variables_with_a_penalised_intercept(data):
    X, y, _ = data
    how = {"factor": DesignFactor(X), "tol": 1e-8, "max_iter": 500}
    problems = [Problem(y, LogisticLoss(), l2, **how) for l2 in (0.1, 1e-3)]
    design = np.column_stack([X, np.ones(len(X))])
    solutions = minimise_many(X, problems, penalise_intercept=True)
    for problem, found in zip(problems, solutions, strict=True):
        alone = MarginClassifier(l2=problem.l2, tol=1e-9, fit_intercept=False).fit(design, y)
        np.testing.assert_allclose(np.append(found.coef, found.intercept), alone.coef_[0], atol=1e-4)


def test_replaced_rows_are_a_table_of_their_own(data):
    X, y, flipped = data
    changed = X.copy()
    changed[[3, 50, 299]] *= -4
    replaced, factor = Replaced.between(X, changed), DesignFactor(X)
    problems = [
        Problem(labels, LogisticLoss(), 0.01, factor=variables, tol=1e-8, max_iter=500)
        for labels in (y, flipped)
        for variables in (factor, None)
    ]
    together = minimise_many(X, [*problems, *(replace(problem, replaced=replaced) for problem in problems)])
    for own, table in ((together[:4], X), (together[4:], changed)):
        for solution, alone in zip(own, minimise_many(table, problems), strict=True):
            np.testing.assert_allclose(solution.coef, alone.coef, atol=1e-6)
            assert solution.value == pytest.approx(alone.value, abs=1e-12)


def test_a_row_with_label_zero_is_left_out(data):
    X, y, _ = data
    out = np.arange(300) % 3 == 0
    factor, how = DesignFactor(X), {"tol": 1e-9, "max_iter": 500}
    for loss in (LogisticLoss(), TwoTemperatureLoss(0.5, 1.3), SmoothedHinge(0.1)):
        (masked,) = minimise_many(X, [Problem(np.where(out, 0, y), loss, 0.01, factor=factor, **how)])
        (without,) = minimise_many(X[~out], [Problem(y[~out], loss, 0.01, factor=factor, **how)])
        assert masked.value == pytest.approx(without.value, abs=1e-12)
        np.testing.assert_allclose(masked.coef, without.coef, atol=1e-6)
