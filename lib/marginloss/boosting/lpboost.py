"""α-LPBoost: models trained for one tail fraction, sample weights from a program each round (zhai2021, Algorithm 1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from marginloss._validation import COUNT, ClassWeight
from marginloss.boosting.loop import Round, Stop, WeakLearner
from marginloss.boosting.mixture import MixtureClassifier
from marginloss.risk import entropic_lpboost, lpboost

__all__ = ["LPBoostClassifier"]

Array = NDArray[np.float64]

NO_GAIN = 1e-9
TRAINING_GAP = 1e-7  # of the programs that only steer the training


class LPBoostClassifier(MixtureClassifier):
    r"""Randomised classifier trained for the worst fraction ``alpha`` of the samples (``alpha`` is a tail fraction).

    Use it when the worst-off fraction of the people or cases matters and decisions may be drawn at random. Not for
    accuracy, not for labels with noise, whose wrong ones are the tail, and not if decisions must be deterministic.
    :class:`AdaLPBoostClassifier` is faster and serves all tail fractions at once.

    With ``sampling=None`` predictions are the most probable class: a deterministic classifier, whose CVaR is
    :math:`\min(1, R/\alpha)` and which has no gain in the tail. The gain belongs to the mixture: to ``expected_loss``,
    ``cvar`` and the random modes of ``predict``.

    Algorithm 1 of zhai2021. Each round gives the base learner the sample weights that are worst for all models so far,

    .. math:: w = \arg\min_{w\in\mathcal C_\alpha}\ \max_s\,(1-\langle w,\ell^s\rangle) +
              \tfrac1\beta\mathrm{KL}(w\,\|\,u),

    and the model weights in the end are those of least CVaR on the validation samples. A learner that always returns
    weighted error at most :math:`g` brings the training CVaR below :math:`g + \delta` in
    :math:`O(\delta^{-2}\log\frac1\alpha)` rounds (Theorem 4); without ``beta`` it may take :math:`1/\alpha`.

    Parameters
    ----------
    alpha : float, default=0.1
        Tail fraction in (0, 1] for which the models are trained.
    beta : float or None, default=100.0
        Regularisation of the sample weights; ``None`` for the plain program.
    estimator : classifier, optional
        Base learner instead of our trees; one with ``warm_up`` and ``tuned`` is tuned from one warm start.
    n_estimators : int, default=100
        Largest number of models.
    sampling : {None, "per_sample", "per_call", "frozen"}, default=None
        How ``predict`` uses the mixture: the most probable class, a model drawn for each row, one for the whole call,
        or one fixed for each row by a keyed hash of its values.
    max_depth : int, default=3
        Depth of our trees.
    resample : bool, optional
        Draw rows by weight instead of passing ``sample_weight``; if not given, where the estimator takes none.
    model_weights : {"lp", "smoothed", "bagged", "uniform", "first"}, default="lp"
        The program, its entropic version, the mean of programs on 5 bootstrap samples, even weights, or the first model
        alone (ERM).
    patience : int, default=3
        Stop after this many models in a row that could not improve the program.
    random_state : int, RandomState or None
        For the base learner and the draws of ``predict``.

    Attributes
    ----------
    classes_ : ndarray
    estimators_ : sequence
        The models.
    errors_ : ndarray
        Weighted error :math:`g_t` of each model.
    model_weights_ : ndarray
        Probability of each model at ``alpha_``.
    value_ : float
        CVaR of the mixture on the validation samples.
    validation_losses_ : ndarray of shape (n_val, T)
        0/1 losses from which the model weights are computed.
    training_losses_ : ndarray of shape (n, T)
        0/1 losses on the rows that the models were trained on; our trees merge equal rows first.
    stop_reason_ : str
        ``"n_rounds"``, ``"no_gain"`` or ``"one_class"``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LPBoostClassifier(alpha=0.05, max_depth=1, n_estimators=20).fit(X, y)
    >>> first = float((model.estimators_[0].predict(X) != 2 * y - 1).mean())
    >>> model.cvar(X, y) < min(1, first / 0.05)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **MixtureClassifier._parameter_constraints,
        "patience": [COUNT],
    }

    def __init__(
        self,
        alpha: float = 0.1,
        beta: float | None = 100.0,
        estimator: Any = None,
        n_estimators: int = 100,
        sampling: str | None = None,
        max_depth: int = 3,
        resample: bool | None = None,
        model_weights: str = "lp",
        patience: int = 3,
        random_state: Any = None,
        n_iter_no_change: int | None = None,
        class_weight: ClassWeight = None,
        verbose: int = 0,
    ) -> None:
        self.alpha, self.beta, self.model_weights, self.sampling = alpha, beta, model_weights, sampling
        self.estimator, self.n_estimators, self.max_depth = estimator, n_estimators, max_depth
        self.resample, self.patience, self.random_state = resample, patience, random_state
        self.n_iter_no_change, self.class_weight, self.verbose = n_iter_no_change, class_weight, verbose

    def _weigher(self, learner: WeakLearner, columns: list[NDArray[np.bool_]]) -> Callable[[Array, float], Array]:
        multiplicity = learner.sample_weight
        model_weights = np.empty(0)

        def weigh(margin: Array, total: float) -> Array:
            nonlocal model_weights
            if not columns:
                return np.zeros(len(multiplicity))
            losses = np.column_stack(columns).astype(np.float64)
            if self.beta is None:
                solved = lpboost(losses, self.alpha, tol=TRAINING_GAP, sample_weight=multiplicity)
            else:
                start = np.append(model_weights, 0.0) if len(model_weights) else None
                solved = entropic_lpboost(losses, self.alpha, self.beta, multiplicity, start=start, tol=TRAINING_GAP)
            model_weights = solved.model_weights
            with np.errstate(divide="ignore"):  # samples outside the tail of the plain program have no weight
                return np.log(solved.sample_weights / multiplicity)

        return weigh

    def _collector(self, columns: list[NDArray[np.bool_]]) -> Callable[[Round], float]:
        collect = super()._collector(columns)
        futile = 0

        def step(now: Round) -> float:
            nonlocal futile
            # a model helps only if it errs less on the current weights than every model before it
            best = min((float(now.weight @ column) for column in columns), default=np.inf)
            futile = futile + 1 if now.error >= best - NO_GAIN else 0
            if futile > self.patience:
                raise Stop("no_gain")
            return collect(now)

        return step
