r"""MadaBoost: AdaBoost whose weights are cut off at one (servedio2003, Section 2.4)."""

from __future__ import annotations

from typing import Any, ClassVar

from marginloss._validation import SHARE, ClassWeight
from marginloss.boosting.loop import BoostRecord, Round, Stop, Watch, WeakLearner
from marginloss.boosting.rules import EdgeStep, LossWeights
from marginloss.boosting.smoothboost import SmoothBooster
from marginloss.losses.smoothboost import CappedExponentialLoss

__all__ = ["MadaBoostClassifier"]


class MadaBoostClassifier(SmoothBooster):
    r"""MadaBoost of Domingo and Watanabe: weights :math:`\min\{1, e^{-z}\}` of the margin so far.

    Use it as :class:`SmoothBoostClassifier`, when no margin is asked for and the advantage of the weak learner is not
    known: it has fewer parameters and takes fewer rounds. Where a margin matters, as for linear rules with malicious
    examples, SmoothBoost is better.

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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**SmoothBooster._parameter_constraints, "kappa": [SHARE]}
    loss_ = CappedExponentialLoss()

    def __init__(
        self,
        kappa: float = 0.05,
        n_estimators: int = 500,
        estimator: Any = None,
        max_depth: int = 1,
        criterion: str = "error",
        random_state: Any = None,
        n_iter_no_change: int | None = None,
        class_weight: ClassWeight = None,
        verbose: int = 0,
    ) -> None:
        self.kappa, self.n_estimators, self.n_iter_no_change = kappa, n_estimators, n_iter_no_change
        self.estimator, self.max_depth, self.criterion = estimator, max_depth, criterion
        self.random_state, self.class_weight, self.verbose = random_state, class_weight, verbose

    def _rules(self, learner: WeakLearner) -> tuple[Any, Any]:
        return LossWeights(self.loss_), EdgeStep()

    def _run(self, learner: WeakLearner, watchers: list[Watch]) -> BoostRecord:
        def stop(now: Round, hypotheses: list[Any], steps: list[float]) -> None:
            if now.density < self.kappa:
                raise Stop("converged")

        return super()._run(learner, [stop, *watchers])
