r"""Boosting by relative-entropy projection onto the capped simplex: as smooth as SmoothBoost, in fewer rounds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from marginloss._validation import check_choice, check_integer, check_real
from marginloss.boosting.loop import Round, Rows, Stop, boost
from marginloss.boosting.smoothboost import SmoothBooster
from marginloss.risk import project_capped_simplex

__all__ = ["BregmanBoostClassifier"]

Array = NDArray[np.float64]


class ProjectedWeights:
    r"""Log-weights of the projection onto the capped simplex, relative to the cap: their mean is always κ.

    Parameters
    ----------
    share : ndarray of shape (n,)
        Share of each row in the sample, positive.
    kappa, eta : float
        Fraction that may be given up, and factor of the margins.
    """

    def __init__(self, share: Array, kappa: float, eta: float) -> None:
        self.share, self.kappa, self.eta = share, kappa, eta

    def __call__(self, margin: Array, number: int) -> Array:
        """Log-weights of rows with these margins, the same in every round."""
        caps = self.share / self.kappa
        with np.errstate(divide="ignore"):  # a weight that underflows is a weight of zero
            return np.log(project_capped_simplex(np.log(self.share) - self.eta * margin, caps) / caps)


class ProjectedRows(Rows):
    """Rows under :class:`ProjectedWeights`: the same projection in machine code, without logarithms on the way."""

    weigh: ProjectedWeights

    def weighted(self, number: int) -> Round:
        """The distribution of round ``number``."""
        from marginloss.risk.compiled import capped_tilt  # on first use: numba takes a second

        share, kappa = self.weigh.share, self.weigh.kappa
        weight = np.empty(len(share))
        capped_tilt(-self.margin, np.argsort(self.margin), share, kappa, self.weigh.eta, weight)
        return Round(number, self.margin, weight, kappa, 1 / float((weight / share).max()))


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
        kappa = check_real("kappa", self.kappa, "(0, 1)")
        n_rounds = check_integer("n_estimators", self.n_estimators, 1)
        if self.step_size is not None:
            check_real("step_size", self.step_size, "(0, inf)")
        check_integer("max_depth", self.max_depth, 1)
        check_choice("criterion", self.criterion, ("error", "gini"))
        data, codes, weight = self._check_data(X, y, sample_weight)
        eta = math.sqrt(2 * math.log(1 / kappa) / n_rounds) if self.step_size is None else float(self.step_size)
        self.step_size_ = eta
        if len(self.classes_) == 1:
            self.certificate_ = 1.0
            self._keep_constant()
            return self

        learner = self._weak_learner(
            data, codes, weight, self.random_state, max_depth=self.max_depth, criterion=self.criterion
        )

        def step(now: Round) -> float:
            if now.edge <= 0:
                raise Stop("no_edge")
            return 1.0

        weigh = ProjectedWeights(learner.sample_weight / learner.sample_weight.sum(), kappa, eta)
        self._keep(boost(learner, weigh, step, n_rounds, rows=ProjectedRows))
        rounds = max(self.n_estimators_, 1)
        self.certificate_ = float(
            2 * np.mean(self.advantages_) - math.log(1 / kappa) / (eta * rounds) - eta / 2
            if self.n_estimators_
            else -1.0
        )
        return self
