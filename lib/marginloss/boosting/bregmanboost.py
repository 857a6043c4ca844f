r"""Boosting by relative-entropy projection onto the capped simplex: as smooth as SmoothBoost, in fewer rounds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from marginloss._validation import COUNT, POSITIVE, SHARE
from marginloss.boosting.base import TREE
from marginloss.boosting.loop import boost
from marginloss.boosting.rules import UnitStep
from marginloss.boosting.smoothboost import SmoothBooster
from marginloss.risk import project_capped_simplex

__all__ = ["BregmanBoostClassifier"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ProjectedWeights:
    r"""Log-weights of the projection :math:`\arg\min_D\{\mathrm{KL}(D\|U) + \eta\,D\cdot z : D_j \le U_j/\kappa\}`.

    Relative to the cap, so that none exceeds one and their mean is κ.

    Parameters
    ----------
    share : ndarray of shape (n,)
        Share :math:`U_j` of each row in the sample, positive.
    kappa, eta : float
        Fraction that may be given up, and factor of the margins.

    Examples
    --------
    >>> weigh = ProjectedWeights(np.full(4, 0.25), kappa=0.5, eta=1.0)
    >>> np.exp(weigh(np.array([-9.0, 0.0, 0.0, 0.0]), 9.0)).round(6)
    array([1.      , 0.333333, 0.333333, 0.333333])
    """

    share: Array
    kappa: float
    eta: float

    def __call__(self, margin: Array, total: float) -> Array:
        """Log-weights at these margins, the same in every round."""
        caps = self.share / self.kappa
        with np.errstate(divide="ignore"):  # a weight that underflows is a weight of zero
            return np.log(project_capped_simplex(np.log(self.share) - self.eta * margin, caps) / caps)


class BregmanBoostClassifier(SmoothBooster):
    r"""Smooth boosting with :math:`O(\log(1/\kappa)/\gamma^2)` rounds and no margin parameter.

    .. math:: D_t = \arg\min_D \Bigl\{\mathrm{KL}(D\|U) + \eta\sum_j D_j G_j \;:\; D_j \le \tfrac1{\kappa m}\Bigr\},
              \qquad G_j = \sum_{s<t} y_jh_s(x_j)

    After Barak, Hardt and Kale (2009); it answers both open questions of servedio2003, Section 6. The mean of the worst
    fraction κ of the margins is at least ``certificate_``. Weight moves to hard examples at once, up to the cap: with
    more dirt than κ much of it sits there, where SmoothBoost stays gentle. Faster is not more robust.

    Parameters
    ----------
    kappa : float, default 0.05
        Fraction of examples that may be given up, in (0, 1).
    n_estimators : int, default 200
        Number of rounds :math:`T`.
    step_size : float, optional
        The factor η; :math:`\sqrt{2\ln(1/\kappa)/T}`, which makes the certificate largest, if not given. With
        :math:`2\gamma-\theta` and ``bregman_rounds`` rounds fewer than :math:`\kappa m`
        examples have margin at most θ.
    estimator : classifier, optional
        Weak learner: any classifier whose ``fit`` takes ``sample_weight``, or :class:`PNormLearner`. ``None``: our
        trees.
    max_depth : int, default 1
        Depth of our trees.
    criterion : {"error", "gini"}, default "error"
        What the splits of our trees make small.
    random_state : int, RandomState or None
        For ``estimator``.

    Attributes
    ----------
    estimators_, theta_
        Hypotheses and steps (all one).
    advantages_, densities_, smoothness_ : ndarray of shape (n_estimators_,)
        Advantage, mean weight (always κ), and :math:`m\|D_t\|_\infty \le 1/\kappa` of each round.
    certificate_ : float
        :math:`\bar r - \ln(1/\kappa)/(\eta T) - \eta/2`, a lower bound on the mean of the worst fraction κ of the
        margins.
    stop_reason_ : str
        ``"n_rounds"``, ``"no_edge"`` or ``"one_class"``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BregmanBoostClassifier(kappa=0.2).fit(X, y)
    >>> worst = np.sort((2 * y - 1) * model.decision_function(X))[: int(0.2 * len(y))]
    >>> bool(worst.mean() >= model.certificate_)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TREE,
        "kappa": [SHARE],
        "n_estimators": [COUNT],
        "step_size": [POSITIVE, None],
    }

    def __init__(
        self,
        kappa: float = 0.05,
        n_estimators: int = 200,
        step_size: float | None = None,
        estimator: Any = None,
        max_depth: int = 1,
        criterion: str = "error",
        random_state: Any = None,
    ) -> None:
        self.kappa = kappa
        self.n_estimators = n_estimators
        self.step_size = step_size
        self.estimator = estimator
        self.max_depth = max_depth
        self.criterion = criterion
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> BregmanBoostClassifier:
        """Boost for ``n_estimators`` rounds.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
            A weight of 2 equals two copies of the example; the cap counts weight.
        """
        self._validate_params()
        data, codes, weight = self._check_data(X, y, sample_weight)
        price = math.log(1 / self.kappa)
        eta = math.sqrt(2 * price / self.n_estimators) if self.step_size is None else float(self.step_size)
        self.step_size_ = eta
        if len(self.classes_) == 1:
            self.certificate_ = 1.0
            self._keep_constant()
            return self
        learner = self._weak_learner(
            data, codes, weight, self.random_state, max_depth=self.max_depth, criterion=self.criterion
        )
        share = learner.sample_weight / learner.sample_weight.sum()
        self._keep(boost(learner, ProjectedWeights(share, self.kappa, eta), UnitStep(), self.n_estimators))
        self.certificate_ = -1.0
        if self.n_estimators_:
            self.certificate_ = float(2 * np.mean(self.advantages_) - price / (eta * self.n_estimators_) - eta / 2)
        return self
