"""What the linear classifiers share: checks, starts, solver, cross-validation and the report of where it stopped."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from marginloss._validation import COUNT, POSITIVE, MarginlossClassifier
from marginloss.linear.factor import DesignFactor
from marginloss.linear.objective import Objective
from marginloss.linear.solver import Solution, descend, minimise_in_ball

__all__ = ["LinearModel"]

Array = NDArray[np.float64]

#: Single precision is kept, for half the memory traffic: the gradient is then good to about 1e-7 of the features' size.
PRECISIONS = [np.float64, np.float32]


class LinearModel(MarginlossClassifier):
    """Linear classifier that minimises a mean loss with a penalty; subclasses say which loss."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "l2": [Interval(Real, 0, None, closed="left")],
        "solver": [StrOptions({"lbfgs", "gd"})],
        "radius": [POSITIVE, None],
        "fit_intercept": ["boolean"],
        "max_iter": [COUNT],
        "tol": [POSITIVE],
        "step_size": [POSITIVE, None],
        "n_starts": [COUNT],
        "warm_start": ["boolean"],
        "cv": ["cv_object"],
        "random_state": ["random_state"],
    }

    l2: float
    solver: str
    radius: float | None
    fit_intercept: bool
    max_iter: int
    tol: float
    step_size: float | None
    n_starts: int
    warm_start: bool
    cv: Any
    random_state: Any

    def decision_function(self, X: Any) -> Array:
        """Signed score ``X @ coef + intercept``, one column per class if there are more than two."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=PRECISIONS, reset=False)
        scores = np.asarray(X @ self.coef_.T.astype(X.dtype), dtype=np.float64) + self.intercept_
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _check_data(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[Any, NDArray[np.intp], NDArray[np.float64]]:
        X, codes, weight = self._check_training(X, y, sample_weight, accept_sparse="csr", dtype=PRECISIONS)
        self._need_two_classes()
        return X, codes, weight

    def _check_factor(self, factor: DesignFactor | None, X: Any, weight: Array) -> DesignFactor | None:
        """The given factor, or one of these rows where it is needed."""
        if factor is None:
            return DesignFactor(X, weight) if self.solver == "lbfgs" or self.step_size is None else None
        if not isinstance(factor, DesignFactor) or factor.n_features != X.shape[1]:
            raise ValueError(f"factor must be a DesignFactor of {X.shape[1]} features, got {factor!r}")
        return factor

    def _solve(self, objective: Objective, start: tuple[Array, Array], factor: DesignFactor | None) -> Solution:
        if self.solver == "lbfgs":
            assert factor is not None
            return minimise_in_ball(objective, start, factor, self.l2, self.radius, self.tol, self.max_iter)
        step = self.step_size
        if step is None:
            assert factor is not None
            step = 1 / (objective.curvature * factor.largest_curvature() + self.l2)
        return descend(objective, start, self.l2, step, self.radius, self.tol, self.max_iter)

    def _starts(
        self, outputs: int, factor: DesignFactor | None, convex: Objective | None, n_features: int
    ) -> Iterator[tuple[Array, Array]]:
        """Zero or, with ``warm_start``, the last solution; for a non-convex loss more."""
        if self.warm_start and hasattr(self, "coef_") and self.coef_.shape == (outputs, n_features):
            yield self.coef_.T.copy(), self.intercept_ * self.fit_intercept
            return
        zero = np.zeros((n_features, outputs)), np.zeros(outputs)
        yield zero
        if convex is None or self.n_starts == 1 or self.solver == "gd" or factor is None:
            return
        solved = minimise_in_ball(convex, zero, factor, self.l2, self.radius, self.tol, self.max_iter)
        yield solved.coef, solved.intercept
        rng = check_random_state(self.random_state)
        whitening = factor.whitening(self.l2, centred=self.fit_intercept)
        for _ in range(self.n_starts - 2):
            # scores of the size of one whatever the scale of the features
            v = rng.standard_normal((n_features + 1, outputs)) / np.sqrt(n_features)
            v[-1] *= self.fit_intercept
            yield whitening.expand(v)

    def _keep(self, solution: Solution) -> None:
        self.coef_, self.intercept_ = solution.coef.T, solution.intercept
        self.objective_, self.n_iter_ = solution.value, max(1, solution.n_iter)
        self.converged_, self.stop_reason_ = solution.converged, solution.reason
        if not solution.converged:
            warnings.warn(
                f"{type(self).__name__} did not converge: {solution.reason} "
                f"(largest entry of the gradient {solution.gradient:.2e}, tol={self.tol:g}, max_iter={self.max_iter})",
                ConvergenceWarning,
                stacklevel=4,
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
