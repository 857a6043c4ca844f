r"""The complete learner of halfspaces under malicious noise (servedio2003, Section 3.4)."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from marginloss._norms import p_norm
from marginloss._validation import COUNT, POSITIVE, SHARE, ClassWeight, MarginlossClassifier
from marginloss.boosting.pac import HalfspaceGuarantee, halfspace_guarantee
from marginloss.boosting.pnorm import PNormLearner
from marginloss.boosting.smoothboost import SmoothBoostClassifier

__all__ = ["HalfspaceLearner"]

Array = NDArray[np.float64]


class HalfspaceLearner(MarginlossClassifier):
    r"""SmoothBoost with the :math:`p`-norm learner: a linear classifier that tolerates malicious examples.

    Use it for a linear rule with a margin when some examples may be malicious and their bound ``R`` is known, above all
    with few relevant features among many (``p=inf``). Not for label noise near the boundary or for data without a
    margin: take :class:`~marginloss.linear.MarginClassifier`.

    For accuracy ε and difficulty :math:`A = R\|u\|_q/\xi` the parameters are :math:`\kappa = \epsilon/4`,
    :math:`\gamma = 1/(4A)` and :math:`\theta = \gamma/(2+\gamma)`; a malicious rate of :math:`\epsilon/(32A)` is
    tolerated (Theorem 6), and in practice several times as much. The result is one weight vector.

    Parameters
    ----------
    epsilon : float, default 0.2
        Accuracy asked for, in (0, 1); a quarter of it is the fraction of examples that may be given up.
    p : float, default 2
        Norm, in :math:`[2, \infty]`: 2 for targets that use all features, :math:`\infty` for few among many.
    R : float, optional
        Radius of the ball that holds every clean point, known and not estimated from dirty data. ``None`` takes the
        largest norm in the sample, with a warning.
    difficulty : float, optional
        :math:`A \ge 1`, if it is known. ``None``: start from :math:`\gamma = ¼` and halve as long as the weak learner
        falls short, which keeps every guarantee.
    fit_intercept : bool, default True
        Append a constant feature as large as ``R``; the margin must then hold in that larger space.
    outside : {"raise", "drop", "scale"}, default "drop"
        What to do with points beyond ``R``, which are certainly dirty.
    n_estimators : int, optional
        Largest number of rounds; ``None``: the bound of Theorem 2, at most ``max_rounds``.
    max_rounds : int, default 5000
        Ends runs on data that hold more dirt than is tolerated, which would otherwise use up the whole bound.
    delta : float, default 0.05
        Confidence, used for the sample sizes in ``guarantee_``.
    class_weight : dict or "balanced", optional
        Factor of the weights of each class.

    Attributes
    ----------
    coef_ : ndarray of shape (1, d)
    intercept_ : ndarray of shape (1,)
    booster_ : SmoothBoostClassifier
        The fitted booster, with advantages, densities and smoothness of every round.
    guarantee_ : HalfspaceGuarantee
        Parameters, tolerated noise rate, bounds on rounds and on the sample size.
    n_iter_ : int
        Rounds.
    converged_ : bool
        Whether the measure fell below κ, so that all but a fraction κ of the examples have margin θ.

    Examples
    --------
    >>> from marginloss.noise import MaliciousOracle, SparseMajority
    >>> X, y, dirty = MaliciousOracle("maxmargin", 0.01, SparseMajority(60, 3)).draw(600, rng=0)
    >>> model = HalfspaceLearner(p=float("inf"), R=1.0, difficulty=3, fit_intercept=False).fit(X, y)
    >>> clean_X, clean_y = SparseMajority(60, 3).draw(1000, rng=1)
    >>> model.score(clean_X, clean_y), model.converged_, round(model.guarantee_.noise_rate, 4)
    (1.0, True, 0.0021)
    """

    _binary_only = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "epsilon": [SHARE],
        "p": [Interval(Real, 2, np.inf, closed="both")],
        "R": [POSITIVE, None],
        "difficulty": [Interval(Real, 1, None, closed="left"), None],
        "fit_intercept": ["boolean"],
        "outside": [StrOptions({"raise", "drop", "scale"})],
        "n_estimators": [COUNT, None],
        "max_rounds": [COUNT],
        "delta": [SHARE],
    }

    def __init__(
        self,
        epsilon: float = 0.2,
        p: float = 2.0,
        R: float | None = None,
        difficulty: float | None = None,
        fit_intercept: bool = True,
        outside: str = "drop",
        n_estimators: int | None = None,
        max_rounds: int = 5000,
        delta: float = 0.05,
        class_weight: ClassWeight = None,
    ) -> None:
        self.epsilon, self.p, self.R, self.difficulty, self.delta = epsilon, p, R, difficulty, delta
        self.fit_intercept, self.outside, self.class_weight = fit_intercept, outside, class_weight
        self.n_estimators, self.max_rounds = n_estimators, max_rounds

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> HalfspaceLearner:
        """Learn the halfspace.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
        """
        self._validate_params()
        epsilon, p = float(self.epsilon), float(self.p)
        X, codes, weight = self._check_training(X, y, sample_weight, dtype=[np.float64, np.float32])
        self._need_two_classes()
        R, constant = self.R, 0.0
        if self.fit_intercept:
            constant = float(p_norm(X, p).max() or 1.0) if R is None else float(R)
            X = np.column_stack([X, np.full(len(X), constant, dtype=X.dtype)])
            R = None if R is None else float(p_norm([R, constant], p))
        # gamma = 1/(4A) is at most 1/4: the largest value to start halving from
        self.guarantee_: HalfspaceGuarantee = halfspace_guarantee(epsilon, self.difficulty or 1.0, self.delta)
        rounds = self.n_estimators
        if rounds is None and (self.difficulty is None or self.guarantee_.n_rounds > self.max_rounds):
            rounds = self.max_rounds
        self.booster_ = SmoothBoostClassifier.as_published(
            kappa=self.guarantee_.kappa,
            gamma=self.guarantee_.gamma,
            estimator=PNormLearner(p=p, R=R, outside=self.outside),
            n_estimators=rounds,
            on_failure="halve" if self.difficulty is None else "ignore",
        ).fit(X, codes, weight)
        if self.difficulty is None:
            self.guarantee_ = halfspace_guarantee(epsilon, 1 / (4 * self.booster_.gamma_), self.delta)
        mean = getattr(self.booster_, "mean_coef_", np.zeros(X.shape[1]))  # no round, no hypothesis to average
        self.coef_ = mean[None, : self.n_features_in_]
        self.intercept_ = mean[self.n_features_in_ :] * constant if self.fit_intercept else np.zeros(1)
        self.n_iter_ = self.booster_.n_estimators_
        self.converged_ = self.booster_.stop_reason_ == "converged"
        if self.booster_.stop_reason_ in ("no_edge", "weak_learner_failed"):
            warnings.warn(
                f"HalfspaceLearner stopped after {self.n_iter_} rounds ({self.booster_.stop_reason_}): no linear "
                "function is better than chance on the examples that are left",
                ConvergenceWarning,
                stacklevel=3,
            )
        return self

    def decision_function(self, X: Any) -> Array:
        """The margin of each row, in [−1, 1] for points inside the ball; positive for ``classes_[1]``."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        return np.asarray(X @ self.coef_[0] + self.intercept_[0], dtype=np.float64)

    def predict_proba(self, X: Any) -> Array:
        r"""Class probabilities by the posterior of SmoothBoost's potential: see its ``predict_proba``."""
        score = self.decision_function(X)
        second = self.booster_.loss_.posterior(score * self.booster_.theta_.sum())
        return np.column_stack([1 - second, second])
