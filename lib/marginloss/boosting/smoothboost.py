r"""SmoothBoost, and what smooth boosters share (servedio2003, Section 2)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils._param_validation import Interval, StrOptions

from marginloss._validation import COUNT, SHARE, ClassWeight
from marginloss.boosting.base import BoostingClassifier
from marginloss.boosting.bounds import adaptive_rounds, smoothboost_rounds, theta_of
from marginloss.boosting.loop import BoostRecord, Round, Stop, Watch, WeakLearner, boost, normalise
from marginloss.boosting.pnorm import LinearVote
from marginloss.boosting.rules import EdgeStep, LossWeights, UnitStep
from marginloss.boosting.watching import together
from marginloss.losses.smoothboost import CappedExponentialLoss, SmoothBoostLoss

__all__ = ["SmoothBoostClassifier", "SmoothBooster"]

Array = NDArray[np.float64]

_SLACK = 1e-9  # rounding allowed in advantages and in the range of weak hypotheses
_MOST = 200_000  # rounds of all restarts together: where labels contradict each other no advantage is small enough


class SmoothBooster(BoostingClassifier):
    r"""Base of boosters whose distributions are capped at :math:`1/(\kappa m)`; their score is a vote in [−1, 1].

    Fitted attributes, beyond those of every booster: ``advantages_``, ``densities_`` and ``smoothness_`` (:math:`m`
    times the largest weight), one number per round; ``margins_``, the margins of the training rows as the weak learner
    holds them (our trees merge identical ones, a :class:`PNormLearner` may drop some); ``mean_coef_`` where all
    hypotheses are linear, so that the vote is too.
    """

    _binary_only = True

    def _keep(self, record: BoostRecord) -> None:
        super()._keep(record)
        self.advantages_, self.densities_ = record.edges / 2, record.densities
        self.smoothness_ = 1 / record.kappas
        self._total_step = float(record.steps.sum()) or 1.0
        self.margins_ = record.margin / self._total_step
        if isinstance(self.estimators_, LinearVote):
            self.mean_coef_ = self.theta_ @ self.estimators_.coefs / self._total_step

    def decision_function(self, X: Any) -> Array:
        r"""The vote :math:`f(x) = \sum_t\alpha_th_t(x)/\sum_t\alpha_t` in [−1, 1]; ``y * f`` is the margin."""
        return super().decision_function(X) / self._total_step

    def predict_proba(self, X: Any) -> Array:
        r"""Class probabilities by the posterior of the potential.

        The weight of an example as a function of its margin is the slope of a potential, an exponential that is capped
        at one, :math:`\min\{1, e^{-\beta N}\}`; at the sum :math:`H(x) = \sum_t\alpha_th_t(x)` its posterior is
        :math:`\sigma(\beta H)`. The rate is
        :math:`\beta = -\tfrac12\ln(1-\gamma)` in SmoothBoost, 1 where it is adaptive and in MadaBoost, and η in
        BregmanBoost. The margin θ does not enter. Since a run ends when most weights are small, probabilities say who
        is ahead rather than how often: calibrate them where that matters.
        """
        return super().predict_proba(X)

    def staged_decision_function(self, X: Any) -> Iterator[Array]:
        """Votes after 1, 2, ... rounds, each normalised by its own steps."""
        for score, total in zip(self._staged_scores(self._check_new(X)), np.cumsum(self.theta_), strict=True):
            yield score / total

    def decision_at(self, X: Any, rounds: Sequence[int]) -> Array:
        """Votes after each of some increasing numbers of rounds, each normalised by its own steps."""
        scores, total = super().decision_at(X, rounds), np.cumsum(self.theta_)
        return scores / total[np.minimum(rounds, len(total)) - 1][:, None] if len(total) else scores

    def suspects(self, X: Any, y: ArrayLike, margin: float = 0.0) -> NDArray[np.bool_]:
        """Examples whose margin is at most ``margin``: those that the booster was allowed to give up.

        On training data with a few malicious examples these are the ones to look at first.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : array-like of shape (n,)
            Labels as in ``fit``.
        margin : float, default 0

        Returns
        -------
        ndarray of bool of shape (n,)
            All false where one class was all there was to learn.
        """
        score = self.decision_function(X)
        labels: NDArray[Any] = column_or_1d(y)
        check_consistent_length(score, labels)
        unknown = labels[~np.isin(labels, self.classes_)].tolist()
        if unknown:
            raise ValueError(f"y must hold labels seen in fit, {self.classes_.tolist()}, got {unknown[0]!r}")
        if len(self.classes_) == 1:
            return np.zeros(len(labels), dtype=np.bool_)
        return np.where(labels == self.classes_[1], score, -score) <= margin


class SmoothBoostClassifier(SmoothBooster):
    r"""SmoothBoost: no example ever has more than :math:`1/(\kappa m)` of the distribution.

    Use it where a small part of the *examples* may be malicious, inputs and all, and a bound on their influence is
    wanted, or to find them (``suspects``). Not for many wrong labels, on which it spends its rounds, and not for
    calibrated probabilities; for a linear rule take :class:`HalfspaceLearner`.

    Figure 1 of servedio2003. Round :math:`t` weighs an example by its measure
    :math:`M(N) = \min\{1, (1-\gamma)^{N/2}\}`, where :math:`N = \sum_s (y h_s(x) - \theta)` says how far it is ahead
    of the margin θ, and stops when the mean measure falls below κ. Then fewer than a fraction κ of the examples have
    margin at most θ (Theorem 1), whatever the weak learner does; with advantages of at least γ and
    :math:`\theta=\gamma/(2+\gamma)` this takes fewer than :math:`2/(\kappa\gamma^2\sqrt{1-\gamma})` rounds (Theorem
    2).

    Parameters
    ----------
    kappa : float, default 0.05
        Fraction of examples that may be given up, in (0, 1); several times the expected fraction of corrupted ones.
    gamma : float, default 0.1
        Advantage expected of the weak learner, in (0, ½); an error of :math:`½ - \gamma` for one that answers −1/+1.
    theta : float, optional
        Margin aimed at, in [0, 1); :math:`\gamma/(2+\gamma)` if not given.
    estimator : classifier, optional
        Weak learner: any classifier whose ``fit`` takes ``sample_weight``, or :class:`PNormLearner`. ``None``: our
        trees.
    n_estimators : int, optional
        Largest number of rounds. ``None``: the bound of Theorem 2, so that reaching it proves that some advantage was
        below γ; with ``on_failure="halve"`` at most 200 000 rounds in all.
    adaptive : bool, default True
        Use the steps :math:`\tfrac12\ln\frac{(1+r_t)(1-\theta)}{(1-r_t)(1+\theta)}` of the edges :math:`r_t` found in
        place of the fixed decay: same cap, same margin, fewer rounds, and γ serves only for the default of θ and the
        bound. A derivation of ours in the manner of Gavinsky's smooth and adaptive boosting.
    on_failure : {"warn", "raise", "stop", "ignore", "halve"}, default "stop"
        What to do when an advantage is below γ (``adaptive``: an edge not above θ, which always ends the run): warn
        once and go on, raise ``RuntimeError``, stop without this hypothesis, go on, or start again with γ and θ
        halved.
    early_stop : bool, default False
        Stop as soon as fewer than a fraction κ of the examples have margin at most θ, often much earlier.
    max_depth : int, default 2
        Depth of our trees.
    criterion : {"error", "gini"}, default "error"
        What the splits of our trees make small; the error gives the largest advantage.
    random_state : int, RandomState or None
        For ``estimator``.

    Attributes
    ----------
    estimators_ : sequence
        The weak hypotheses; ``theta_`` holds their steps.
    gamma_, target_margin_ : float
        γ and θ in use; smaller than asked after ``on_failure="halve"``.
    advantages_, densities_, smoothness_ : ndarray of shape (n_estimators_,)
        Advantage, mean measure, and :math:`m\|D_t\|_\infty \le 1/\kappa` of each round.
    certified_fraction_ : float
        Mean measure after the last round: no more than this fraction of the examples has margin at most θ.
    bound_ : float
        The bound on the number of rounds for ``gamma_`` and ``target_margin_``.
    n_estimators_, n_rounds_total_ : int
        Rounds of the final run, and of all runs together after restarts.
    stop_reason_ : str
        ``"converged"``, ``"early_stop"``, ``"n_rounds"``, ``"weak_learner_failed"``, ``"no_edge"`` or ``"one_class"``.

    Notes
    -----
    For :math:`\kappa m < 1` the cap is void and the booster must get all examples right. Contradictory twins in more
    than a fraction κ of the sample, or more corruption than κ allows, keep the measure above κ for ever:
    ``n_estimators`` ends the run, and a ``ConvergenceWarning`` says so.

    Examples
    --------
    >>> from marginloss.boosting import PNormLearner, SmoothBoostClassifier
    >>> from marginloss.noise import MaliciousOracle, SparseMajority
    >>> X, y, dirty = MaliciousOracle("fake", 0.01, SparseMajority(50, 3)).draw(500, rng=0)
    >>> weak = PNormLearner(p=float("inf"), R=1.0)
    >>> model = SmoothBoostClassifier.as_published(kappa=0.05, gamma=1 / 12, estimator=weak).fit(X, y)
    >>> model.stop_reason_, bool(model.smoothness_.max() <= 20), bool((model.suspects(X, y) == dirty).all())
    ('converged', True, True)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SmoothBooster._parameter_constraints,
        "kappa": [SHARE],
        "gamma": [Interval(Real, 0, 0.5, closed="neither")],
        "theta": [Interval(Real, 0, 1, closed="left"), None],
        "n_estimators": [COUNT, None],
        "adaptive": ["boolean"],
        "on_failure": [StrOptions({"warn", "raise", "stop", "ignore", "halve"})],
        "early_stop": ["boolean"],
    }

    def __init__(
        self,
        kappa: float = 0.05,
        gamma: float = 0.1,
        theta: float | None = None,
        estimator: Any = None,
        n_estimators: int | None = None,
        adaptive: bool = True,
        on_failure: str = "stop",
        early_stop: bool = False,
        max_depth: int = 2,
        criterion: str = "error",
        random_state: Any = None,
        n_iter_no_change: int | None = None,
        class_weight: ClassWeight = None,
        verbose: int = 0,
    ) -> None:
        self.kappa, self.gamma, self.theta, self.adaptive = kappa, gamma, theta, adaptive
        self.on_failure, self.early_stop, self.n_iter_no_change = on_failure, early_stop, n_iter_no_change
        self.estimator, self.n_estimators, self.max_depth = estimator, n_estimators, max_depth
        self.criterion, self.random_state = criterion, random_state
        self.class_weight, self.verbose = class_weight, verbose

    @classmethod
    def as_published(
        cls, kappa: float = 0.05, gamma: float = 0.05, theta: float | None = None, **parameters: Any
    ) -> SmoothBoostClassifier:
        """SmoothBoost as in Figure 1 of the paper: a fixed decay, stumps, a warning where an advantage is below γ."""
        published: dict[str, Any] = {"adaptive": False, "on_failure": "warn", "max_depth": 1}
        return cls(kappa, gamma, theta, **(published | parameters))

    def _choose_parameters(
        self, data: Any, codes: NDArray[np.intp], weight: Array, sample_weight: ArrayLike | None
    ) -> None:
        self.gamma_ = float(self.gamma)
        self.target_margin_ = theta_of(self.gamma_) if self.theta is None else float(self.theta)
        self.n_rounds_total_, self.certified_fraction_, self.bound_ = 0, 0.0, self._bound()

    def _run(self, learner: WeakLearner, watchers: list[Watch]) -> BoostRecord:
        record = self._run_once(learner, watchers)
        while self.on_failure == "halve" and self._asks_too_much(record):
            self.gamma_ /= 2
            self.target_margin_ /= 2
            record = self._run_once(learner, watchers)
        return record

    def _keep(self, record: BoostRecord) -> None:
        super()._keep(record)
        self._warn()

    def _run_once(self, learner: WeakLearner, watchers: list[Watch]) -> BoostRecord:
        """Figure 1 with the present γ and θ."""
        theta, n_rounds = self.target_margin_, self._rounds_left()
        self.loss_ = CappedExponentialLoss() if self.adaptive else SmoothBoostLoss(self.gamma_)
        measure = LossWeights(self.loss_, theta)
        step_of = EdgeStep(margin=theta) if self.adaptive else UnitStep()
        share = learner.sample_weight / learner.sample_weight.sum()

        def step(now: Round) -> float:
            self._judge(now)
            return step_of(now)

        def stop(now: Round, hypotheses: list[Any], steps: list[float]) -> None:
            if now.density < self.kappa:
                raise Stop("converged")
            if self.early_stop and share @ (now.margin <= theta * now.total) < self.kappa:
                raise Stop("early_stop")
            if now.number == n_rounds:
                raise Stop("n_rounds")

        # one round more than allowed, so that the last test of the measure is made
        record = boost(learner, measure, step, n_rounds + 1, together([stop, *watchers]))
        self.n_rounds_total_ += len(record.steps)
        self.certified_fraction_ = normalise(measure(record.margin, record.steps.sum()), learner.sample_weight)[1]
        return record

    def _bound(self) -> float:
        bound = adaptive_rounds if self.adaptive else smoothboost_rounds
        return bound(self.kappa, self.gamma_, self.target_margin_)

    def _rounds_left(self) -> int:
        """Largest number of rounds of the next run."""
        self.bound_ = self._bound()
        if self.n_estimators is not None:
            return int(self.n_estimators)
        rounds = math.ceil(self.bound_)
        return min(rounds, _MOST - self.n_rounds_total_) if self.on_failure == "halve" else rounds

    def _falls_short(self, edge: Any) -> Any:
        """Whether an edge is below the one asked for; an array gives an array."""
        return edge <= self.target_margin_ if self.adaptive else edge < 2 * self.gamma_ - _SLACK

    def _judge(self, now: Round) -> None:
        """Refuse answers outside of [-1, 1], and do what ``on_failure`` says about an edge that is too small."""
        largest = np.abs(now.gain).max(initial=0.0)
        if largest > 1 + _SLACK:
            raise ValueError(f"weak hypotheses must answer in [-1, 1], got {largest}")
        if now.edge > 0 and self._falls_short(now.edge):  # the step rule stops where there is no edge at all
            if self.on_failure == "raise":
                raise RuntimeError(self._shortfall(now.number))
            if self.adaptive or self.on_failure in ("stop", "halve"):
                raise Stop("weak_learner_failed")

    def _asks_too_much(self, record: BoostRecord) -> bool:
        """Whether a run shows that some advantage is below γ, and a smaller γ may still be tried."""
        if self.gamma_ <= _SLACK or (self.n_estimators is None and self.n_rounds_total_ >= _MOST):
            return False
        # within the bound the measure falls below kappa if no advantage is smaller, even if none was seen (adaptive)
        disproved = record.stop_reason == "n_rounds" and self.n_estimators is None
        ran_dry = record.stop_reason == "no_edge" and len(record.steps) > 0
        return disproved or ran_dry or record.stop_reason == "weak_learner_failed"

    def _shortfall(self, number: int) -> str:
        asked = f"theta={self.target_margin_:.4g}" if self.adaptive else f"2 * gamma = {2 * self.gamma_:.4g}"
        return f"the weak learner's edge in round {number + 1} is below {asked}"

    def _warn(self) -> None:
        """Say once that an advantage was too small, and that the run did not come to its end."""
        short = np.append(self._falls_short(2 * self.advantages_), self.stop_reason_ == "weak_learner_failed")
        if self.on_failure == "warn" and short.any():
            warnings.warn(self._shortfall(int(short.argmax())), ConvergenceWarning, stacklevel=6)
        if self.stop_reason_ == "n_rounds":
            warnings.warn(
                f"SmoothBoost did not stop within {self.n_estimators_} rounds: mean measure "
                f"{self.certified_fraction_:.4g} is not below kappa={self.kappa}, smallest advantage "
                f"{self.advantages_.min():.4g}",
                ConvergenceWarning,
                stacklevel=6,
            )

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.n_estimators is not None:
            return
        if not self.adaptive and math.isinf(smoothboost_rounds(self.kappa, self.gamma, self.theta)):
            raise ValueError(
                f"theta={self.theta} is too large for gamma={self.gamma}: no bound on the rounds, give n_estimators"
            )
        if self.adaptive and self.theta is not None and self.theta >= 2 * self.gamma:
            raise ValueError(
                f"theta={self.theta} must be below 2 * gamma = {2 * self.gamma} for a bound, or give n_estimators"
            )
