"""The dual linear program of LPBoost for HiGHS: few rows, one boxed column a sample (zhai2021, equation 5)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from marginloss.risk.masses import Array

__all__ = ["DualProgram"]


class DualProgram:
    r"""Maximise :math:`\theta` over sample weights, with a basis that survives changes.

    .. math:: \max_{v,\theta}\ \theta\quad\text{s.t.}\quad \theta \le \langle v,\ell^s\rangle + b_s\ \ \forall s,
              \qquad \sum_i v_i = k,\qquad 0 \le v_i \le c_i

    For :math:`b=0`, :math:`k=1` and :math:`c_i = p_i/\alpha` this is problem (5) of zhai2021. Its T + 1 rows make it
    several times cheaper than the primal (6), which has a row a sample. The prices of the first T rows are the model
    weights, the price of the last is the edge of the tail.

    Parameters
    ----------
    losses : ndarray of shape (n, T)
    upper : ndarray of shape (n,)
        Bounds :math:`c_i`.
    total : float
        The sum :math:`k`.
    offset : ndarray of shape (T,), optional
        What samples outside the program, at their bounds, add to each model's loss.
    """

    def __init__(self, losses: Array, upper: Array, total: float, offset: Array | None = None) -> None:
        import highspy  # where it is used: those who only measure a tail need no solver

        self._api: Any = highspy
        self._n_models = n_models = losses.shape[1]
        self._solver: Any = highspy.Highs()
        for option, value in (
            ("output_flag", False),
            ("presolve", "off"),  # would have to be undone before a hot start
            ("primal_feasibility_tolerance", 1e-10),
            ("dual_feasibility_tolerance", 1e-10),
        ):
            self._solver.setOptionValue(option, value)
        program = highspy.HighsLp()
        program.num_col_, program.num_row_ = 1, n_models + 1
        program.sense_ = highspy.ObjSense.kMaximize
        program.col_cost_ = np.ones(1)  # the first column is theta
        program.col_lower_, program.col_upper_ = np.full(1, -highspy.kHighsInf), np.full(1, highspy.kHighsInf)
        program.row_lower_ = np.append(np.zeros(n_models) if offset is None else -offset, total)
        program.row_upper_ = np.append(np.full(n_models, highspy.kHighsInf), total)
        program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        program.a_matrix_.start_ = np.array([0, n_models])
        program.a_matrix_.index_ = np.arange(n_models)
        program.a_matrix_.value_ = np.full(n_models, -1.0)
        self._solver.passModel(program)
        self._add_samples(losses, upper)

    def _add_samples(self, losses: Array, upper: Array) -> None:
        n = len(losses)
        matrix = csr_array(np.hstack([losses, np.ones((n, 1))]))
        columns = matrix.nnz, matrix.indptr[:-1].astype(np.int32), matrix.indices, matrix.data
        self._solver.addCols(n, np.zeros(n), np.zeros(n), upper, *columns)

    def begin_at(self, model_weights: Array, distance: Array) -> None:
        """Begin at the basis of a guess at the model weights, not at the slacks: few pivots are left if it is good.

        As many samples are between their bounds at an optimum as there are models in the mixture: here those nearest
        to the edge of the tail. ``distance`` of each sample from this edge is positive above it, at the upper bound.
        """
        status = self._api.HighsBasisStatus
        size = min(int(np.count_nonzero(model_weights)), len(distance))
        rows = np.full(self._n_models + 1, status.kBasic)
        rows[np.argsort(-model_weights)[:size]] = rows[-1] = status.kLower
        columns = np.where(distance > 0, status.kUpper, status.kLower)
        columns[np.argsort(np.abs(distance))[:size]] = status.kBasic
        basis = self._solver.getBasis()
        basis.row_status, basis.col_status = rows.tolist(), [status.kBasic, *columns]
        basis.valid = True
        self._solver.setBasis(basis)

    def set_total(self, total: float) -> None:
        """Ask for another sum of the weights; an optimal basis stays dual feasible."""
        self._solver.changeRowBounds(self._n_models, total, total)

    def extend(self, losses: Array, upper: Array, at_upper: NDArray[np.bool_], total: float, offset: Array) -> None:
        """Take in further samples, which start at one of their bounds, so that the basis stays primal feasible."""
        basis = self._solver.getBasis()
        status, old = self._api.HighsBasisStatus, list(basis.col_status)
        self._add_samples(losses, upper)
        for row, bound in enumerate(-offset):
            self._solver.changeRowBounds(row, float(bound), self._api.kHighsInf)
        self.set_total(total)
        basis.col_status = old + [status.kUpper if top else status.kLower for top in at_upper]
        self._solver.setBasis(basis)

    def solve(self) -> tuple[Array, Array, float]:
        """Sample weights in the order they came in, model weights and the edge of the tail."""
        optimal = self._api.HighsModelStatus.kOptimal
        self._solver.run()
        if self._solver.getModelStatus() != optimal:  # the simplex method cycles or stalls: an interior point does not
            self._solver.clearSolver()
            self._solver.setOptionValue("solver", "ipm")
            self._solver.run()
            self._solver.setOptionValue("solver", "choose")
        solution = self._solver.getSolution()
        prices = np.asarray(solution.row_dual, dtype=np.float64)
        # HiGHS prices a row of a maximisation by the gain of raising its bound: negative for the models' rows
        model_weights = np.maximum(-prices[:-1], 0.0)
        return np.asarray(solution.col_value, dtype=np.float64)[1:], model_weights, float(prices[-1])
