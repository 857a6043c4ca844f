"""LPBoost's primal program as printed, in a modelling language: the readable route and the oracle of the tests."""

from __future__ import annotations

import numpy as np

from marginloss.risk.masses import Array

__all__ = ["primal_by_cvxpy"]


def primal_by_cvxpy(losses: Array, mass: Array, alpha: float, tol: float) -> tuple[Array, Array]:
    r"""Solve problem (6) of zhai2021 with cvxpy; the sample weights are the prices of its rows.

    .. math:: \min_{\lambda\in\Delta,\,\eta,\,\xi\ge0}\ \eta + \frac1\alpha\sum_i p_i\,\xi_i
              \quad\text{s.t.}\quad \xi \ge L\lambda - \eta
    """
    try:
        import cvxpy
    except ImportError as error:
        raise ImportError("solver='cvxpy' needs cvxpy: pip install '.[bench]' in a clone") from error
    n, n_models = losses.shape
    model_weights = cvxpy.Variable(n_models, nonneg=True)
    excess = cvxpy.Variable(n, nonneg=True)
    level = cvxpy.Variable()
    rows = excess >= losses @ model_weights - level
    problem = cvxpy.Problem(cvxpy.Minimize(level + mass @ excess / alpha), [rows, cvxpy.sum(model_weights) == 1])
    problem.solve(solver="CLARABEL", tol_gap_abs=tol / 10, tol_gap_rel=tol / 10, tol_feas=tol / 10)
    return np.maximum(np.asarray(model_weights.value), 0.0), np.asarray(rows.dual_value)
