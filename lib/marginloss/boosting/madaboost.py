r"""MadaBoost: AdaBoost whose weights are cut off at one (servedio2003, Section 2.4)."""

from __future__ import annotations

from typing import Any, ClassVar

from numpy.typing import ArrayLike

from marginloss._validation import COUNT, SHARE
from marginloss.boosting.base import TREE
from marginloss.boosting.loop import Round, Stop, boost
from marginloss.boosting.rules import EdgeStep, LossWeights
from marginloss.boosting.smoothboost import SmoothBooster
from marginloss.losses.smoothboost import CappedExponentialLoss

__all__ = ["MadaBoostClassifier"]


class MadaBoostClassifier(SmoothBooster):
    r"""MadaBoost of Domingo and Watanabe: weights :math:`\min\{1, e^{-z}\}` of the margin so far.

    Adaptive smooth boosting that aims at no margin: the steps are AdaBoost's :math:`\tfrac12\ln\frac{1+r_t}{1-r_t}`,
    the distributions are capped at :math:`1/(\kappa m)`, and the run stops when the mean weight falls below κ. With
    advantages of at least γ that takes at most :math:`1/(2\kappa\gamma^2)` rounds, about, a quarter of the bound that
    servedio2003 quotes.

    Parameters
    ----------
    kappa : float, default 0.05
        Fraction of examples that may be given up, in (0, 1).
    n_estimators : int, default 500
        Largest number of rounds.
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
        Hypotheses and steps.
    advantages_, densities_, smoothness_ : ndarray of shape (n_estimators_,)
        Advantage, mean weight, and :math:`m\|D_t\|_\infty \le 1/\kappa` of each round.
    stop_reason_ : str
        ``"converged"``, ``"n_rounds"``, ``"no_edge"`` or ``"one_class"``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = MadaBoostClassifier(kappa=0.1).fit(X, y)
    >>> model.stop_reason_, model.score(X, y) > 0.9
    ('converged', True)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**TREE, "kappa": [SHARE], "n_estimators": [COUNT]}

    def __init__(
        self,
        kappa: float = 0.05,
        n_estimators: int = 500,
        estimator: Any = None,
        max_depth: int = 1,
        criterion: str = "error",
        random_state: Any = None,
    ) -> None:
        self.kappa = kappa
        self.n_estimators = n_estimators
        self.estimator = estimator
        self.max_depth = max_depth
        self.criterion = criterion
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> MadaBoostClassifier:
        """Boost until the mean weight falls below κ.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
            A weight of 2 equals two copies of the example.
        """
        self._validate_params()
        data, codes, weight = self._check_data(X, y, sample_weight)
        if len(self.classes_) == 1:
            self._keep_constant()
            return self
        learner = self._weak_learner(
            data, codes, weight, self.random_state, max_depth=self.max_depth, criterion=self.criterion
        )

        def stop(now: Round, hypotheses: list[Any], steps: list[float]) -> None:
            if now.density < self.kappa:
                raise Stop("converged")

        self._keep(boost(learner, LossWeights(CappedExponentialLoss()), EdgeStep(), self.n_estimators, stop))
        return self
