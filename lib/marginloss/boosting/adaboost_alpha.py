"""AdaBoost.α: AdaBoost whose weights come from the margin α-loss (sypherd2023, Algorithm 1)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax
from sklearn.utils._param_validation import Interval, StrOptions

from marginloss._validation import POSITIVE, ClassWeight, check_reals
from marginloss.boosting.base import BoostingClassifier
from marginloss.boosting.loop import WeakLearner
from marginloss.boosting.rules import EdgeStep, ErrorStep, LineSearchStep, LossWeights
from marginloss.boosting.tuning import cross_validated_scores
from marginloss.losses import AlphaLoss, MarginLoss

__all__ = ["AdaBoostAlphaClassifier"]

Array = NDArray[np.float64]

CV_ALPHAS = (0.5, 0.8, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0)


class AdaBoostAlphaClassifier(BoostingClassifier):
    r"""AdaBoost.α, a booster that gives up on examples far on the wrong side (``alpha`` is the parameter of the loss).

    Use it for tables with many labels wrong at random, in two or more classes, above all where stumps or shallow trees
    are enough to be right; give it several hundred rounds. With clean labels gradient boosting is at least as good and
    has better probabilities; where wrong labels are hard to tell from rare but right ones, a forest with large leaves
    is safer.

    Algorithm 1 of sypherd2023. Each round weighs the examples by the slope of the loss at their margin, fits a weak
    learner of weighted error :math:`\epsilon_t`, and adds it with a step that depends on this error:

    .. math:: D_i \propto -\tilde\ell^{\alpha\prime}(y_i H(x_i)),\qquad
              H \leftarrow H + \theta_t h_t,\quad \theta_t = \tfrac12\log\frac{1-\epsilon_t}{\epsilon_t}

    With :math:`\alpha = ½` this is AdaBoost, with 1 the weights are logistic; above 1 they fall again for margins below
    :math:`\log(1 - 1/\alpha)`. More than two classes are coded as in SAMME.

    Up to 5000 examples the splits of our trees are exact. Beyond, a feature with more than 255 values is put into 127
    bins, as histogram boosters do; ``fit(encode(X, max_bins=255), y)`` takes more. Copies of an example then shift the
    bins a little, which a weight does not.

    Parameters
    ----------
    alpha : float or "cv", default=2.0
        In :math:`(0, \infty]`; ``"cv"`` chooses among ``alphas`` by cross-validated accuracy on the given labels.
        At ``inf`` the weights of ±1 learners never change; this is allowed, with a warning.
    n_estimators : int, default=100
        Largest number of rounds.
    max_depth : int, default=1
        Depth of the trees.
    step : {"adaboost", "alpha", "edge", "line"}, default="adaboost"
        The step above, or :math:`\alpha\log\frac{1-\epsilon}{\epsilon}` (fast for α up to 2, unstable from 5, not for
        ``inf``), or :math:`\tfrac12\log\frac{1+r}{1-r}` of the edge :math:`r` (for weak hypotheses that answer in
        [−1, 1], two classes), or an exact line search of the α-risk.
    learning_rate : float, default=1.0
        Shrinkage on top of the step rule.
    criterion : {"gini", "error"}, default="gini"
        What the splits of our trees make small.
    estimator : classifier, optional
        Weak learner instead of our trees; its ``fit`` must take ``sample_weight``.
    n_iter_no_change : int, optional
        Stop when the error on a held-out part has not improved by ``tol`` for this many rounds.
    validation_fraction : float, default=0.1
        Size of the held-out part.
    tol : float, default=1e-4
        Smallest improvement that counts.
    alphas : sequence of float, optional
        Candidates of ``alpha="cv"``; 0.5 to 8 if not given.
    cv : int, splitter or iterable of splits, default=5
        Folds of ``alpha="cv"``; a number means that many stratified folds of the shuffled rows.
    random_state : int, RandomState or None
        For the held-out part, the folds and ``estimator``; our trees need none.
    loss : MarginLoss, optional
        Another loss of the margin to weigh the examples by, for two classes; ``alpha`` is then not used.

    Attributes
    ----------
    classes_ : ndarray
        The labels.
    alpha_ : float
        The α in use; ``cv_scores_`` holds the mean accuracies of ``alpha="cv"``. Not set if ``loss`` is given.
    loss_ : MarginLoss
        The loss in use.
    estimators_ : sequence
        The weak hypotheses.
    theta_, errors_, kappa_ : ndarray of shape (n_estimators_,)
        Step, weighted error and smoothness of each round: no example has more than ``1 / (kappa_ n)`` of the
        distribution. An error of 0 was clipped to 1e-10 for its step.
    feature_importances_ : ndarray of shape (n_features,)
        Decrease of the criterion by feature, each tree's normalised and counted with its step; sums to one. Only with
        our trees.
    n_estimators_ : int
        Number of rounds done.
    stop_reason_ : str
        ``"n_rounds"``, ``"no_edge"``, ``"early_stopping"`` or ``"one_class"``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AdaBoostAlphaClassifier(alpha=2, n_estimators=30).fit(X, y)
    >>> model.score(X, y) > 0.97, model.stop_reason_
    (True, 'n_rounds')
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BoostingClassifier._parameter_constraints,
        "alpha": [Interval(Real, 0, np.inf, closed="right"), StrOptions({"cv"})],
        "step": [StrOptions({"adaboost", "alpha", "edge", "line"})],
        "learning_rate": [POSITIVE],
        "loss": [MarginLoss, None],
    }

    def __init__(
        self,
        alpha: float | str = 2.0,
        n_estimators: int = 100,
        max_depth: int = 1,
        step: str = "adaboost",
        learning_rate: float = 1.0,
        criterion: str = "gini",
        estimator: Any = None,
        n_iter_no_change: int | None = None,
        validation_fraction: float = 0.1,
        tol: float = 1e-4,
        alphas: Sequence[float] | None = None,
        cv: Any = 5,
        random_state: Any = None,
        loss: MarginLoss | None = None,
        class_weight: ClassWeight = None,
        verbose: int = 0,
    ) -> None:
        self.alpha, self.loss, self.step, self.learning_rate = alpha, loss, step, learning_rate
        self.n_estimators, self.max_depth, self.criterion = n_estimators, max_depth, criterion
        self.n_iter_no_change, self.validation_fraction, self.tol = n_iter_no_change, validation_fraction, tol
        self.alphas, self.cv, self.random_state = alphas, cv, random_state
        self.estimator, self.class_weight, self.verbose = estimator, class_weight, verbose

    def _choose_parameters(
        self, data: Any, codes: NDArray[np.intp], weight: Array, sample_weight: ArrayLike | None
    ) -> None:
        """Set the given loss, or the α-loss with the given or the cross-validated α."""
        if self.loss is not None:
            self.loss_ = self.loss
            return
        one_class = len(self.classes_) == 1
        if self.alpha == "cv":
            self.alpha_ = 1.0 if one_class else self._choose_alpha(data, codes, weight, sample_weight)
        else:
            self.alpha_ = float(self.alpha)
        if math.isinf(self.alpha_) and not one_class:
            warnings.warn(
                "alpha=inf gives every example the same weight in every round when the weak learner answers -1/+1, "
                "so all rounds repeat the first; use a finite alpha",
                UserWarning,
                stacklevel=5,
            )
        self.loss_ = AlphaLoss(self.alpha_)

    def predict_proba(self, X: Any) -> Array:
        r"""Class probabilities by the posterior of the loss, :math:`\sigma(H/\alpha)` for two classes.

        For K classes :math:`p_k \propto 1/w(f_k/(K-1))`: the probabilities at which these scores are the best ones.
        With α > 1 the loss gives up on classes that are rare at a point, and their probabilities come out too small;
        a score below :math:`(K-1)\log(1-1/\alpha)`, where this begins, counts as that.
        """
        return super().predict_proba(X)

    def _posterior(self, score: Array) -> Array:
        if score.ndim == 1:
            return super()._posterior(score)
        # where the mean of l(f_k / (K - 1)) is smallest for scores that sum to zero, all p_k w(f_k / (K - 1)) are equal
        margin = np.maximum(score / (len(self.classes_) - 1), AlphaLoss(self.alpha_).inflection)
        return softmax(-self.loss_.log_weight(margin), axis=1)

    @property
    def _binary_only(self) -> str:  # type: ignore[override]
        """Why this setting takes two classes only, if it does."""
        if self.loss is not None:
            return f"loss={self.loss!r} is for two classes"
        is_general = self.step in ("adaboost", "line")
        return "" if is_general else f"step={self.step!r} is for two classes; 'adaboost' and 'line' are for more"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.loss is not None and self.step == "alpha":
            raise ValueError("step='alpha' is a rule of the α-loss; with loss= use 'adaboost', 'edge' or 'line'")
        if self.alphas is not None:
            check_reals("alphas", self.alphas, "(0, inf]")
        tried = (CV_ALPHAS if self.alphas is None else self.alphas) if self.alpha == "cv" else (self.alpha,)
        if self.step == "alpha" and np.isinf(np.asarray(tried, dtype=float)).any():
            raise ValueError("step='alpha' is a multiple of alpha, which must then be finite, got inf")

    def _rules(self, learner: WeakLearner) -> tuple[Any, Any]:
        weigh, step = LossWeights(self.loss_), self.step
        if step == "line":
            return weigh, LineSearchStep(self.loss_, learner.sample_weight, self.learning_rate)
        if step == "edge":
            return weigh, EdgeStep(self.learning_rate)
        return weigh, ErrorStep(self.learning_rate * (2 * self.alpha_ if step == "alpha" else 1.0), len(self.classes_))

    def _choose_alpha(
        self, data: Any, codes: NDArray[np.intp], weight: Array, sample_weight: ArrayLike | None
    ) -> float:
        """The candidate with the best cross-validated accuracy; the smaller one among equals."""
        alphas = [float(alpha) for alpha in (CV_ALPHAS if self.alphas is None else self.alphas)]
        candidates = [{"alpha": alpha} for alpha in alphas]
        self.cv_scores_ = cross_validated_scores(self, candidates, data, codes, weight, sample_weight)
        best = np.flatnonzero(self.cv_scores_ >= self.cv_scores_.max() - 1e-12)
        return min(alphas[i] for i in best)
