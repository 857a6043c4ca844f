"""Two-temperature logistic regression for two or more classes (amid2019)."""

from __future__ import annotations

from itertools import product
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils._param_validation import StrOptions

from marginloss._rows import best_parameters, merge_rows
from marginloss._validation import POSITIVE, ClassWeight, check_choice
from marginloss.linear.base import LinearModel
from marginloss.linear.factor import DesignFactor
from marginloss.linear.objective import ActivationObjective, MarginObjective, Objective
from marginloss.linear.solver import best_of
from marginloss.losses import TwoTemperatureLoss
from marginloss.losses.tempered import softmax_t, two_temperature_posterior

__all__ = ["TwoTemperatureClassifier"]

Array = NDArray[np.float64]

#: Temperatures among which ``"cv"`` chooses, the range of section 7 of the paper; those nearest to logistic first.
GRID_T1 = (1.0, 0.9, 0.7, 0.5, 0.3, 0.1)
GRID_T2 = (1.12, 1.3, 1.6, 1.9)


class TwoTemperatureClassifier(LinearModel):
    r"""Two-temperature logistic regression.

    Use it for two or more classes with many labels wrong at random, where a linear rule fits. With clean labels
    logistic regression is as good; where wrong labels lie close to the boundary no loss can tell them from right ones.

    .. math:: \min_{W,b}\ \frac{\sum_i s_i\,\xi(W^\top x_i + b,\, c_i)}{\sum_i s_i} + \frac{\lambda}{2}\|W\|^2,
              \qquad \xi(a, c) = -\log_{t_1}\exp_{t_2}\bigl(a_c - G_{t_2}(a)\bigr)

    Equations (13) and, for two classes with the activations :math:`\pm\frac12(w^\top x + b)`, (16) of amid2019.
    :math:`t_1 < 1` bounds the loss of a single example, :math:`t_2 > 1` gives the probabilities a heavy tail;
    logistic regression at (1, 1). For :math:`t_1 < t_2` the objective is not convex and is minimised from several
    starts.

    Parameters
    ----------
    t1 : float or "cv", default=0.8
        Temperature of the logarithm, positive. ``"cv"``: by cross-validated accuracy on the given, possibly noisy,
        labels, which margin-dependent noise can mislead.
    t2 : float or "cv", default=1.2
        Temperature of the exponential, positive; at least 1 if ``t1`` is.
    l2 : float, default=1e-4
    solver, radius, fit_intercept, max_iter, tol, step_size, n_starts, warm_start, cv, random_state, class_weight
        As in :class:`MarginClassifier`.

    Attributes
    ----------
    coef_ : ndarray of shape (1, d) or (C, d)
    intercept_ : ndarray of shape (1,) or (C,)
    t1_, t2_ : float
    objective_ : float
    n_iter_ : int
    converged_ : bool
    stop_reason_ : str

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = TwoTemperatureClassifier(t1=0.7, t2=1.3).fit(X, y)
    >>> bool(model.score(X, y) > 0.96)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearModel._parameter_constraints,
        "t1": [POSITIVE, StrOptions({"cv"})],
        "t2": [POSITIVE, StrOptions({"cv"})],
    }

    def __init__(
        self,
        t1: float | Literal["cv"] = 0.8,
        t2: float | Literal["cv"] = 1.2,
        l2: float = 1e-4,
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
        self.t1, self.t2, self.l2, self.solver, self.radius = t1, t2, l2, solver, radius
        self.fit_intercept, self.max_iter, self.tol, self.step_size = fit_intercept, max_iter, tol, step_size
        self.n_starts, self.warm_start, self.cv = n_starts, warm_start, cv
        self.random_state, self.class_weight = random_state, class_weight

    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, factor: DesignFactor | None = None
    ) -> TwoTemperatureClassifier:
        """Fit the coefficients.

        Parameters
        ----------
        X : array_like or sparse matrix of shape (n, d)
        y : array_like of shape (n,)
        sample_weight : array_like of shape (n,), optional
            A weight of k equals k copies.
        factor : DesignFactor, optional
            Made of the same ``X``, to share its cost over a sweep; it does not change the result.
        """
        self._validate_params()
        if self.t1 != "cv" and self.t2 != "cv" and self.t2 < 1 <= self.t1:
            raise ValueError(
                f"t2 must be at least 1 if t1 is, else the loss can be infinite; got t1={self.t1!r}, t2={self.t2!r}"
            )
        whole = self._check_data(X, y, sample_weight)
        X, codes, weight = merge_rows(*whole)
        factor = self._check_factor(factor, X, weight)
        chosen = {"t1": self.t1, "t2": self.t2}
        if "cv" in chosen.values():
            grids = (GRID_T1 if self.t1 == "cv" else (self.t1,)), (GRID_T2 if self.t2 == "cv" else (self.t2,))
            pairs = [(t1, t2) for t1, t2 in product(*grids) if not t2 < 1 <= t1]
            candidates = [{"t1": t1, "t2": t2} for t1, t2 in pairs]
            chosen = dict(best_parameters(self, candidates, *whole, sample_weight, factor=factor))
        self.t1_, self.t2_ = float(chosen["t1"]), float(chosen["t2"])

        def objective(t1: float, t2: float) -> Objective:
            if len(self.classes_) > 2:
                return ActivationObjective(X, codes, weight, (t1, t2), self.fit_intercept)
            signs = np.where(codes == 1, 1.0, -1.0)
            return MarginObjective(X, signs, weight, TwoTemperatureLoss(t1, t2), self.fit_intercept)

        loss = objective(self.t1_, self.t2_)
        convex = None if TwoTemperatureLoss(self.t1_, self.t2_).is_convex else objective(1.0, 1.0)
        starts = self._starts(loss.outputs, factor, convex, X.shape[1])
        self._keep(best_of(self._solve(loss, start, factor) for start in starts))
        return self

    def predict_proba(self, X: Any, kind: str = "escort") -> Array:
        r"""Class probabilities.

        Parameters
        ----------
        X : array_like or sparse matrix of shape (n, d)
        kind : {"escort", "model"}, default="escort"
            The model's own :math:`\hat p = \exp_{t_2}(a - G)` is biased: where the fit is best it is proportional to
            :math:`p^{1/t_1}` (section 5). Its escort of order :math:`t_1` undoes that.
        """
        scores = self.decision_function(X)
        check_choice("kind", kind, ("escort", "model"))
        activations = np.stack([-scores / 2, scores / 2], axis=1) if scores.ndim == 1 else scores
        return (
            softmax_t(activations, self.t2_)
            if kind == "model"
            else two_temperature_posterior(activations, self.t1_, self.t2_)
        )
