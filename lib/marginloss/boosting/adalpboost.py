"""α-AdaLPBoost: one set of models for every tail fraction, one program for each (zhai2021, Algorithm 2)."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from marginloss._validation import POSITIVE, ClassWeight
from marginloss.boosting.loop import Round, WeakLearner
from marginloss.boosting.mixture import MixtureClassifier
from marginloss.boosting.rules import adaboost_step
from marginloss.risk import hedge_excess

__all__ = ["AdaLPBoostClassifier"]

Array = NDArray[np.float64]


class AdaLPBoostClassifier(MixtureClassifier):
    r"""Randomised classifier for the worst fraction ``alpha`` of the samples (``alpha`` is a tail fraction).

    Use it when the worst-off fraction of the people or cases matters, decisions may be drawn at random, and the
    fraction is still open. Not for accuracy, not for noisy labels (unless ``trim`` leaves them out), and not if
    decisions must be deterministic. Give ``X_val`` and ``y_val`` if the models interpolate.

    With ``sampling=None`` predictions are the most probable class: a deterministic classifier, whose CVaR is
    :math:`\min(1, R/\alpha)` and which has no gain in the tail. The gain belongs to the mixture: to ``expected_loss``,
    ``cvar`` and the random modes of ``predict``.

    Algorithm 2 of zhai2021: exponential weights with a constant step, then LPBoost's program for the model weights,

    .. math:: w^{t+1}_i \propto \exp\Big(\eta\sum_{s\le t}\ell^s_i\Big),\qquad
              \lambda_\alpha = \arg\min_{\lambda\in\Delta_T}\mathrm{CVaR}_\alpha(L_{\text{val}}\lambda).

    Only the second part depends on ``alpha``: ``set_alpha`` and ``alpha_path`` train nothing. Two special cases
    have names: ``model_weights="uniform"`` is the paper's AdaBoost + Average, ``"first"`` is ERM. On the samples where
    the weights were fitted, ``"lp"`` is never worse than either; on others it can be.

    Parameters
    ----------
    alpha : float, default=0.1
        Tail fraction in (0, 1] of the model weights.
    step_size : float, default=1.0
        The step η; :func:`marginloss.risk.hedge_step` gives that of Theorem 5.
    reweight : {"constant", "adaboost", "none"}, default="constant"
        The step of each round: η, or AdaBoost's own :math:`\log\frac{1-\epsilon_t}{\epsilon_t}` of the weighted error,
        or none, so that all models are trained with even weights and differ by chance only.
    model_weights : {"lp", "smoothed", "bagged", "uniform", "first"}, default="lp"
        The program, its entropic version, the mean of programs on 5 bootstrap samples, even weights, or the first model
        alone.
    trim : float, default=0.0
        Fraction in [0, 1) of the samples, those with the largest losses so far, that get no weight, and that the
        program leaves out: outliers (DORO). Not with ``"smoothed"`` or ``"bagged"`` weights.
    sampling : {None, "per_sample", "per_call", "frozen"}, default=None
        How ``predict`` uses the mixture: the most probable class, a model drawn for each row, one for the whole call,
        or one fixed for each row by a keyed hash of its values.
    estimator : classifier, optional
        Base learner instead of our trees; one with ``warm_up`` and ``tuned`` is tuned from one warm start.
    n_estimators : int, default=100
        Number of models T.
    max_depth : int, default=3
        Depth of our trees.
    resample : bool, optional
        Draw rows by weight instead of passing ``sample_weight``; if not given, where the estimator takes none.
    beta : float, default=100.0
        Of ``model_weights="smoothed"``.
    random_state : int, RandomState or None
        For the base learner and the draws of ``predict``.

    Attributes
    ----------
    classes_ : ndarray
    estimators_ : sequence
        The models.
    errors_ : ndarray
        Weighted error :math:`g_t` of each model.
    guarantee_ : float
        Bound on the largest expected training loss of the even mixture, from the realised :math:`g_t`:
        their mean plus :func:`marginloss.risk.hedge_excess`; ``inf`` when samples are trimmed or the step is another.
    model_weights_ : ndarray
        Probability of each model at ``alpha_``.
    value_ : float
        CVaR of the mixture on the validation samples.
    validation_losses_ : ndarray of shape (n_val, T)
        0/1 losses from which the model weights are computed.
    training_losses_ : ndarray of shape (n, T)
        0/1 losses on the rows that the models were trained on; our trees merge equal rows first.
    stop_reason_ : str
        ``"n_rounds"`` or ``"one_class"``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AdaLPBoostClassifier(alpha=0.05, max_depth=1, n_estimators=30).fit(X, y)
    >>> tail = model.cvar(X, y)
    >>> all(tail <= model.set_params(model_weights=m).set_alpha(0.05).cvar(X, y) for m in ("uniform", "first"))
    True
    >>> model.set_params(model_weights="lp").alpha_path([0.1, 0.5]).model_weights.shape
    (2, 30)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **MixtureClassifier._parameter_constraints,
        "step_size": [POSITIVE],
        "reweight": [StrOptions({"constant", "adaboost", "none"})],
        "trim": [Interval(Real, 0, 1, closed="left")],
    }

    def __init__(
        self,
        alpha: float = 0.1,
        step_size: float = 1.0,
        reweight: str = "constant",
        model_weights: str = "lp",
        trim: float = 0.0,
        sampling: str | None = None,
        estimator: Any = None,
        n_estimators: int = 100,
        max_depth: int = 3,
        resample: bool | None = None,
        beta: float = 100.0,
        random_state: Any = None,
        n_iter_no_change: int | None = None,
        class_weight: ClassWeight = None,
        verbose: int = 0,
    ) -> None:
        self.alpha, self.step_size, self.reweight, self.trim = alpha, step_size, reweight, trim
        self.model_weights, self.sampling, self.beta = model_weights, sampling, beta
        self.estimator, self.n_estimators, self.max_depth = estimator, n_estimators, max_depth
        self.resample, self.random_state, self.verbose = resample, random_state, verbose
        self.n_iter_no_change, self.class_weight = n_iter_no_change, class_weight

    @property
    def guarantee_(self) -> float:
        """Bound on the largest expected training loss of the even mixture."""
        if self.trim or self.reweight != "constant" or len(self.classes_) == 1:
            return np.inf
        return float(self.errors_.mean()) + hedge_excess(self._n_trained, len(self.errors_), self.step_size)

    def _weigher(self, learner: WeakLearner, columns: list[NDArray[np.bool_]]) -> Callable[[Array, float], Array]:
        others = len(self.classes_) - 1
        # an error lowers the margin by this much more than a hit raises it: 2 for two classes
        spread = 1 / others + 1 / others**2
        rate = {"constant": self.step_size, "adaboost": 1.0, "none": 0.0}[self.reweight] / spread
        mass = learner.sample_weight / learner.sample_weight.sum()
        self._n_trained = round(1 / max(mass.min(), np.finfo(np.float64).tiny))

        def weigh(margin: Array, total: float) -> Array:
            weights = -rate * margin
            if self.trim and total:
                worst = np.argsort(margin, kind="stable")
                weights[worst[np.cumsum(mass[worst]) <= self.trim]] = -np.inf
            return weights

        return weigh

    def _collector(self, columns: list[NDArray[np.bool_]]) -> Callable[[Round], float]:
        collect = super()._collector(columns)

        def adaboost(now: Round) -> float:
            collect(now)
            return 2 * adaboost_step(now.error, 2)

        return adaboost if self.reweight == "adaboost" else collect
