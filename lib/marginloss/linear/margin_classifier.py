"""Linear classifier for any loss of the margin."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from marginloss._rows import best_parameters, merge_rows
from marginloss._validation import ClassWeight
from marginloss.linear.base import LinearModel
from marginloss.linear.factor import DesignFactor
from marginloss.linear.objective import MarginObjective, SmoothedHinge
from marginloss.linear.solver import best_of
from marginloss.losses import AlphaLoss, HingeLoss, LogisticLoss, MarginLoss
from marginloss.losses.base import with_posterior

__all__ = ["MarginClassifier"]

Array = NDArray[np.float64]

#: Losses among which ``loss="cv"`` chooses; convex ones first, so that ties go to them.
CANDIDATES = tuple(AlphaLoss(alpha) for alpha in (1, 0.7, 1.5, 2, 3, 5))


class MarginClassifier(LinearModel):
    r"""Linear classifier that minimises a loss of the margin.

    Use it with many labels wrong at random, where a linear rule fits: ``AlphaLoss(2)`` or ``loss="cv"`` gives up on
    examples far on the wrong side. With clean labels logistic regression is as good, and is the case ``loss=None``. For
    more than two classes take :class:`TwoTemperatureClassifier`, for rules that are not linear a booster.

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
    class_weight : dict or "balanced", optional
        Weights of the classes, multiplied with those of the examples; ``"balanced"`` gives all the same total.

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
    >>> from marginloss.losses import AlphaLoss
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> MarginClassifier(AlphaLoss(2), l2=0.01).fit(X, ["a", "a", "b", "b"]).predict([[0.5], [2.5]])
    array(['a', 'b'], dtype='<U1')
    """

    _binary_only = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearModel._parameter_constraints,
        "loss": [MarginLoss, StrOptions({"cv"}), None],
    }

    def __init__(
        self,
        loss: MarginLoss | Literal["cv"] | None = None,
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
        class_weight: ClassWeight = None,
    ) -> None:
        self.loss, self.l2, self.solver, self.radius = loss, l2, solver, radius
        self.fit_intercept, self.max_iter, self.tol, self.step_size = fit_intercept, max_iter, tol, step_size
        self.n_starts, self.warm_start, self.cv = n_starts, warm_start, cv
        self.random_state, self.class_weight = random_state, class_weight

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
        self._validate_params()
        whole = self._check_data(X, y, sample_weight)
        X, codes, weight = merge_rows(*whole)
        signs = np.where(codes == 1, 1.0, -1.0)
        factor = self._check_factor(factor, X, weight)
        if self.loss == "cv":
            candidates = [{"loss": loss} for loss in CANDIDATES]
            self.loss_ = best_parameters(self, candidates, *whole, sample_weight, factor=factor)["loss"]
        else:
            self.loss_ = self.loss or LogisticLoss()

        def objective(loss: Any) -> MarginObjective:
            return MarginObjective(X, signs, weight, loss, self.fit_intercept)

        convex = None if self.loss_.is_convex else objective(LogisticLoss())
        starts = self._starts(1, factor, convex, X.shape[1])
        if isinstance(self.loss_, HingeLoss) and self.solver == "lbfgs":
            start, n_iter = next(starts), 0
            # a parabola replaces the kink, narrower from solution to solution; a warm start needs the last one only
            last = max(1e-3, self.tol**0.5)
            for width in [last] if self.warm_start and start[0].any() else [1.0, 10 * last, last]:
                solution = self._solve(objective(SmoothedHinge(width)), start, factor)
                start, n_iter = (solution.coef, solution.intercept), n_iter + solution.n_iter
            self._keep(solution)
            self.n_iter_ = n_iter
            self.objective_ = objective(self.loss_)(*start)[0] + self.l2 / 2 * solution.norm**2
        else:
            loss = objective(self.loss_.on_label(signs))
            self._keep(best_of(self._solve(loss, start, factor) for start in starts))
        return self

    @with_posterior
    def predict_proba(self, X: Any) -> Array:
        """Class probabilities at which the score would be optimal for the loss: its posterior.

        Hinge and sigmoid losses have none: their best score says on which side of ½ a probability is, not where.
        """
        scores = self.decision_function(X)
        return self.loss_.posterior(np.stack([-scores, scores], axis=1))

    def odds_ratios(self) -> Array:
        r"""Factor by which the odds of the positive class grow with one unit of each feature.

        :math:`\exp(\kappa w_j)`, where :math:`\kappa` is the slope of the posterior's log-odds in the score:
        :math:`1/\alpha` for the α-loss, everywhere; for other losses the slope at score 0.

        Returns
        -------
        ndarray of shape (d,)
        """
        check_is_fitted(self)
        slope = self.loss_.posterior_slope
        if slope == 0:
            raise ValueError(f"loss must have a posterior that changes with the score, got {self.loss_!r}")
        return np.exp(slope * self.coef_[0])
