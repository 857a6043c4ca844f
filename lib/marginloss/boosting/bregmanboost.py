r"""Boosting by relative-entropy projection onto the capped simplex: as smooth as SmoothBoost, in fewer rounds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from marginloss._validation import POSITIVE, SHARE, ClassWeight
from marginloss.boosting.loop import BoostRecord, WeakLearner
from marginloss.boosting.rules import UnitStep
from marginloss.boosting.smoothboost import SmoothBooster
from marginloss.losses.smoothboost import CappedExponentialLoss
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

    Use it for the fewest rounds under a cap on the weights, when clearly less than a fraction κ of the examples is
    dirty. With more dirt than that take :class:`SmoothBoostClassifier`.

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
        **SmoothBooster._parameter_constraints,
        "kappa": [SHARE],
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
        n_iter_no_change: int | None = None,
        class_weight: ClassWeight = None,
        verbose: int = 0,
    ) -> None:
        self.kappa, self.n_estimators, self.step_size = kappa, n_estimators, step_size
        self.estimator, self.max_depth, self.criterion = estimator, max_depth, criterion
        self.random_state, self.class_weight, self.verbose = random_state, class_weight, verbose
        self.n_iter_no_change = n_iter_no_change

    def _choose_parameters(
        self, data: Any, codes: NDArray[np.intp], weight: Array, sample_weight: ArrayLike | None
    ) -> None:
        largest = math.sqrt(2 * math.log(1 / self.kappa) / self.n_estimators)
        self.step_size_ = largest if self.step_size is None else float(self.step_size)
        self.loss_ = CappedExponentialLoss(self.step_size_)

    def _rules(self, learner: WeakLearner) -> tuple[Any, Any]:
        share = learner.sample_weight / learner.sample_weight.sum()
        return ProjectedWeights(share, self.kappa, self.step_size_), UnitStep()

    def _keep(self, record: BoostRecord) -> None:
        super()._keep(record)
        self.certificate_ = 1.0 if len(self.classes_) == 1 else -1.0
        if self.n_estimators_:
            price = math.log(1 / self.kappa) / (self.step_size_ * self.n_estimators_)
            self.certificate_ = float(2 * np.mean(self.advantages_) - price - self.step_size_ / 2)
