"""Linear classifier for any loss of the margin."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from marginalia.base import MarginaliaClassifier
from marginalia.linear.factor import DesignFactor
from marginalia.linear.objective import MarginObjective, Objective, SmoothedHinge
from marginalia.linear.solver import Solution, best_of, descend, minimise_in_ball
from marginalia.losses import AlphaLoss, HingeLoss, LogisticLoss, MarginLoss
from marginalia.parameters import check_integer, check_real
from marginalia.rows import merge_rows

__all__ = ["LinearMarginModel", "MarginClassifier"]

Array = NDArray[np.float64]

#: Losses among which ``loss="cv"`` chooses; convex ones first, so that ties go to them.
CANDIDATES = tuple(AlphaLoss(alpha) for alpha in (1, 0.7, 1.5, 2, 3, 5))
#: Widths of the parabola that replaces the kink of the hinge, each solution the start of the next.
HINGE_WIDTHS = (1.0, 0.1, 0.01, 0.001)


class LinearMarginModel(MarginaliaClassifier):
    """What the linear classifiers share: checks, starts, solver and the report of where it stopped."""

    l2: float
    solver: str
    radius: float | None
    fit_intercept: bool
    max_iter: int
    tol: float
    step_size: float | None
    n_starts: int
    warm_start: bool
    random_state: Any

    def decision_function(self, X: Any) -> Array:
        """Signed score ``X @ coef + intercept``, one column a class if there are more than two."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        scores = np.asarray(X @ self.coef_.T) + self.intercept_
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of the largest score; for two classes its sign, a score of 0 being ``classes_[0]``."""
        scores = self.decision_function(X)
        return self._labels_from_score(scores) if scores.ndim == 1 else self.classes_[scores.argmax(axis=1)]

    def _check_parameters(self) -> None:
        check_real("l2", self.l2, "[0, inf)")
        check_real("tol", self.tol, "(0, inf)")
        check_integer("max_iter", self.max_iter, 1)
        check_integer("n_starts", self.n_starts, 1)
        if self.radius is not None:
            check_real("radius", self.radius, "(0, inf)")
        if self.step_size is not None:
            check_real("step_size", self.step_size, "(0, inf)")
        if self.solver not in ("lbfgs", "gd"):
            raise ValueError(f"solver must be 'lbfgs' or 'gd', got {self.solver!r}")

    def _check_data(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[Any, NDArray[np.intp], NDArray[np.float64]]:
        X, codes, weight = self._check_training(X, y, sample_weight, accept_sparse="csr", dtype=np.float64)
        if len(self.classes_) < 2:
            raise ValueError(
                "This solver needs samples of at least 2 classes in the data, but the data contains only one class: "
                f"{self.classes_[0]!r}"
            )
        return X, codes, weight

    def _check_factor(self, factor: DesignFactor | None, X: Any, weight: Array) -> DesignFactor:
        if factor is None:
            return DesignFactor(X, weight)
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
            step = 1 / (factor.largest_curvature() + self.l2)
        return descend(objective, start, self.l2, step, self.radius, self.tol, self.max_iter)

    def _starts(
        self, outputs: int, factor: DesignFactor | None, convex: Objective | None, n_features: int
    ) -> Iterator[tuple[Array, Array]]:
        """Zero or, with ``warm_start``, the last solution; for a non-convex loss more."""
        if self.warm_start and hasattr(self, "coef_") and self.coef_.shape == (outputs, n_features):
            yield self.coef_.T.copy(), self.intercept_.copy()
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
                stacklevel=3,
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class MarginClassifier(LinearMarginModel):
    r"""Linear classifier that minimises a loss of the margin.

    .. math:: \min_{w,b}\ \frac{\sum_i s_i\,\ell\bigl(y_i(w^\top x_i + b)\bigr)}{\sum_i s_i} + \frac{\lambda}{2}\|w\|^2,
              \qquad \|w\| \le r

    With ``loss=None`` (logistic) and ``l2=lam`` this is ``LogisticRegression(C=1 / (lam * n))``. Losses that are not
    convex are minimised from several starts, and the best is kept.

    Parameters
    ----------
    loss : MarginLoss or "cv", optional
        Logistic if None. ``"cv"`` chooses an α-loss by cross-validated accuracy on the given, possibly noisy, labels;
        of equals the one nearest to logistic.
    l2 : float, default=0.0
        Penalty :math:`\lambda`; the intercept is free.
    solver : {"lbfgs", "gd"}, default="lbfgs"
        L-BFGS in whitened variables, or gradient descent with a fixed step and ``max_iter`` steps from zero.
    radius : float, optional
        Norm ball :math:`r` for the coefficients.
    fit_intercept : bool, default=True
    max_iter : int, default=1000
        Largest number of steps (of all starts one by one).
    tol : float, default=1e-6
        Stop when no entry of the gradient is larger.
    step_size : float, optional
        Step of ``"gd"``; one over the curvature of the logistic loss if None.
    n_starts : int, default=2
        Starts for a non-convex loss: zero, the logistic solution, then random points.
    warm_start : bool, default=False
        Start from the last solution only; so can a homotopy in the loss be written.
    cv : int, splitter or iterable of splits, default=5
        For ``loss="cv"``; a number means stratified folds.
    random_state : int, RandomState or None
        For the third and further starts.

    Attributes
    ----------
    coef_ : ndarray of shape (1, d)
    intercept_ : ndarray of shape (1,)
    loss_ : MarginLoss
    objective_ : float
    n_iter_ : int
    converged_ : bool
    stop_reason_ : str

    Examples
    --------
    >>> from marginalia.losses import AlphaLoss
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> MarginClassifier(AlphaLoss(2), l2=0.01).fit(X, ["a", "a", "b", "b"]).predict([[0.5], [2.5]])
    array(['a', 'b'], dtype='<U1')
    """

    _binary_only = True

    def __init__(
        self,
        loss: Any = None,
        l2: float = 0.0,
        solver: str = "lbfgs",
        radius: float | None = None,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float = 1e-6,
        step_size: float | None = None,
        n_starts: int = 2,
        warm_start: bool = False,
        cv: Any = 5,
        random_state: Any = None,
    ) -> None:
        self.loss = loss
        self.l2 = l2
        self.solver = solver
        self.radius = radius
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.step_size = step_size
        self.n_starts = n_starts
        self.warm_start = warm_start
        self.cv = cv
        self.random_state = random_state

    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, factor: DesignFactor | None = None
    ) -> MarginClassifier:
        """Fit the coefficients.

        Parameters
        ----------
        X : array_like or sparse matrix of shape (n, d)
        y : array_like of shape (n,)
            Two classes; the larger is the positive one.
        sample_weight : array_like of shape (n,), optional
            A weight of k equals k copies.
        factor : DesignFactor, optional
            Made of the same ``X``, to share its cost over a sweep; it does not change the result.
        """
        self._check_parameters()
        if self.loss is not None and self.loss != "cv" and not isinstance(self.loss, MarginLoss):
            raise ValueError(f"loss must be a MarginLoss, None or 'cv', got {self.loss!r}")
        X, codes, weight = self._check_data(X, y, sample_weight)
        whole = X, codes, weight
        X, codes, weight = merge_rows(X, codes, weight)
        signs = np.where(codes == 1, 1.0, -1.0)
        if self.solver == "lbfgs" or self.step_size is None:
            factor = self._check_factor(factor, X, weight)
        self.loss_ = self._choose(*whole, factor) if self.loss == "cv" else self.loss or LogisticLoss()

        def objective(loss: Any) -> MarginObjective:
            return MarginObjective(X, signs, weight, loss, self.fit_intercept)

        convex = None if self.loss_.is_convex else objective(LogisticLoss())
        starts = self._starts(1, factor, convex, X.shape[1])
        if isinstance(self.loss_, HingeLoss) and self.solver == "lbfgs":
            start, n_iter = next(starts), 0
            for width in HINGE_WIDTHS:
                solution = self._solve(objective(SmoothedHinge(width)), start, factor)
                start, n_iter = (solution.coef, solution.intercept), n_iter + solution.n_iter
            self._keep(solution)
            self.n_iter_ = n_iter
            self.objective_ = objective(self.loss_)(*start)[0] + self.l2 / 2 * solution.norm**2
        else:
            self._keep(best_of(self._solve(objective(self.loss_), start, factor) for start in starts))
        return self

    def predict_proba(self, X: Any) -> Array:
        """Class probabilities at which the score would be optimal for the loss: its posterior."""
        scores = self.decision_function(X)
        positive = self.loss_.posterior(scores)
        return np.stack([1 - positive, positive], axis=1)

    def odds_ratios(self) -> Array:
        r"""Factor by which the odds of the positive class grow with one unit of each feature.

        :math:`\exp(\kappa w_j)`, where :math:`\kappa` is the slope of the posterior's log-odds in the score:
        :math:`1/\alpha` for the α-loss, everywhere; for other losses the slope at score 0.

        Returns
        -------
        ndarray of shape (d,)
        """
        check_is_fitted(self)
        slope = 2 * self.loss_.derivative(0.0, 2) / self.loss_.weight(0.0)
        if slope == 0:
            raise ValueError(f"loss must have a posterior that changes with the score, got {self.loss_!r}")
        return np.exp(slope * self.coef_[0])

    def _choose(self, X: Any, codes: NDArray[np.intp], weight: Array, factor: DesignFactor | None) -> MarginLoss:
        right = np.zeros(len(CANDIDATES))
        for train, test in check_cv(self.cv, codes, classifier=True).split(X, codes):
            for k, loss in enumerate(CANDIDATES):
                model = clone(self).set_params(loss=loss)
                model.fit(X[train], codes[train], weight[train], factor=factor)
                right[k] += weight[test] @ (model.predict(X[test]) == codes[test])
        return CANDIDATES[int(np.argmax(right))]
