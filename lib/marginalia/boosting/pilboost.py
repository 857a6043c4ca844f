"""PILBoost: boosting a convex surrogate of the α-loss through its pseudo-inverse link (sypherd2022, Algorithm 1)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from marginalia.boosting.base import BoostingClassifier
from marginalia.boosting.loop import Round, Stop, boost
from marginalia.losses.proper import AlphaCPELoss
from marginalia.parameters import check_choice, check_integer, check_real

__all__ = ["PILBoostClassifier"]

Array = NDArray[np.float64]


class PILBoostClassifier(BoostingClassifier):
    r"""PILBoost, with regression trees on the labels ±1 (``alpha`` is the parameter of the loss).

    Algorithm 1 of sypherd2022, with the link :math:`\tilde f` of equation (160). Each round weighs the examples, fits a
    tree :math:`h` by weighted least squares and adds it in proportion to its unnormalised edge:

    .. math:: w_i = \tilde f(-y_i H(x_i)),\qquad H \leftarrow H + a_f\, e\, h,\quad e = \frac1m\sum_i w_i y_i h(x_i)

    Parameters
    ----------
    alpha : float, default=1.1
        In :math:`(0, \infty]`.
    step_size : float, default=7.0
        The factor :math:`a_f`.
    n_estimators : int, default=1000
        Largest number of rounds.
    max_depth : int, default=3
        Depth of the trees.
    link : {"pseudo", "exact"}, default="pseudo"
        The pseudo-inverse link of the paper, or the inverse of the canonical link of the α-loss.

    Attributes
    ----------
    classes_ : ndarray
        The labels.
    loss_ : AlphaCPELoss
        The loss in use.
    estimators_ : Forest
        The trees.
    theta_, errors_, kappa_ : ndarray of shape (n_estimators_,)
        Factor, weighted error of the sign and smoothness of each round.
    edges_ : ndarray of shape (n_estimators_,)
        The edges :math:`e`.
    feature_importances_ : ndarray of shape (n_features,)
        Decrease of the squared error by feature, each tree counted with its factor; sums to one.
    n_estimators_ : int
        Number of rounds done.
    stop_reason_ : str
        ``"n_rounds"``, ``"no_weight"`` (all examples are beyond the clip), ``"no_edge"`` or ``"one_class"``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = PILBoostClassifier(n_estimators=50, max_depth=1).fit(X, y)
    >>> model.score(X, y) > 0.97
    True
    """

    _binary_only = True

    def __init__(
        self,
        alpha: float = 1.1,
        step_size: float = 7.0,
        n_estimators: int = 1000,
        max_depth: int = 3,
        link: str = "pseudo",
    ) -> None:
        self.alpha = alpha
        self.step_size = step_size
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.link = link

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> PILBoostClassifier:
        """Fit the booster.

        Parameters
        ----------
        X : array of shape (n, d), or EncodedMatrix
        y : array of shape (n,)
            Two labels.
        sample_weight : array of shape (n,), optional
            A weight of 2 equals two copies of the example, a weight of 0 its absence.

        Returns
        -------
        self
        """
        check_real("alpha", self.alpha, "(0, inf]")
        step_size = check_real("step_size", self.step_size, "(0, inf)")
        check_integer("n_estimators", self.n_estimators, 1)
        check_integer("max_depth", self.max_depth, 1)
        check_choice("link", self.link, ("pseudo", "exact"))
        data, codes, weight = self._check_data(X, y, sample_weight)
        self.loss_ = AlphaCPELoss(self.alpha)
        if len(self.classes_) == 1:
            self._keep_constant()
            self.edges_, self.feature_importances_ = np.empty(0), np.zeros(self.n_features_in_)
            return self
        inverse_link = self.loss_.pseudo_inverse_link if self.link == "pseudo" else self.loss_.inverse_link

        def weigh(margin: Array, number: int) -> Array:
            with np.errstate(divide="ignore"):  # an example beyond the clip has no weight
                return np.log(inverse_link(-margin))

        def watch(now: Round, hypotheses: list[Any], steps: list[float]) -> None:
            if now.density == 0:
                raise Stop("no_weight")

        def step(now: Round) -> float:
            if now.edge <= 0:
                raise Stop("no_edge")
            return step_size * now.density * now.edge  # density * edge is the mean of w y h

        learner = self._weak_learner(data, codes, weight, max_depth=self.max_depth, leaf="mean")
        record = boost(learner, weigh, step, self.n_estimators, watch)
        self._keep(record)
        self.edges_ = record.densities * record.edges
        total = np.zeros(self.n_features_in_)
        for tree, theta in zip(self.estimators_, self.theta_, strict=True):
            total += theta * tree.importances(self.n_features_in_)
        self.feature_importances_ = total / total.sum() if total.sum() > 0 else total
        return self
