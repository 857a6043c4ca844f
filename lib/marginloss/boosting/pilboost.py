"""PILBoost: boosting a convex surrogate of the α-loss through its pseudo-inverse link (sypherd2022, Algorithm 1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from marginloss._validation import POSITIVE, ClassWeight, check_choice, check_reals
from marginloss.boosting.base import BoostingClassifier
from marginloss.boosting.encode import EncodedMatrix
from marginloss.boosting.loop import BoostRecord, WeakLearner
from marginloss.boosting.noise_estimate import NoiseEstimate, estimate_noise
from marginloss.boosting.rules import GradientStep, LinkWeights
from marginloss.boosting.trees import TreeLearner
from marginloss.boosting.tuning import cross_validated_scores
from marginloss.losses.proper import AlphaCPELoss

__all__ = ["PILBoostClassifier"]

Array = NDArray[np.float64]

CV_ALPHAS = (1.0, 1.1, 2.0, 4.0, 8.0)
CV_STEP_SIZES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)


class PILBoostClassifier(BoostingClassifier):
    r"""PILBoost, boosting that untwists its class probabilities (``alpha`` is the parameter of the loss).

    Use it for two classes with some labels wrong at random, when probabilities of the *clean* label are asked for;
    ``alpha="adaptive"`` estimates the noise. Not for several classes, nor where one class is flipped more than the
    other, for which :class:`~marginloss.losses.CorrectedLoss` is made. With clean labels gradient boosting is as good.

    Algorithm 1 of sypherd2022, with the link :math:`\tilde f` of equation (160). Each round weighs the examples, fits a
    regression tree :math:`h` to the labels ±1 and adds it in proportion to its unnormalised edge:

    .. math:: w_i = \tilde f(-y_i H(x_i)),\qquad H \leftarrow H + a_f\, e\, h,\quad e = \frac1m\sum_i w_i y_i h(x_i)

    For α > 1 an example with margin beyond :math:`\alpha/(\alpha-1)` has no weight at all. Theorem 11 guarantees a
    decrease of the surrogate risk in each round while the step is below 2 over its curvature, about 8 for α = 1.1 and 4
    for α = 2; longer steps fit noise faster.

    Parameters
    ----------
    alpha : float, "adaptive" or "cv", default=1.1
        In :math:`(0, \infty]`; larger for noisier labels. ``"adaptive"`` takes it from
        :func:`~marginloss.boosting.estimate_noise`, ``"cv"`` chooses among ``alphas``.
    step_size : float or "cv", default=2.0
        The factor :math:`a_f`; ``"cv"`` chooses among ``step_sizes``.
    n_estimators : int, default=300
        Largest number of rounds. This and the step are what did best on tables with flipped labels;
        :meth:`as_published` has the paper's.
    max_depth : int, default=3
        Depth of the trees.
    link : {"pseudo", "exact"}, default="pseudo"
        The pseudo-inverse link of the paper, or the inverse of the canonical link of the α-loss; with ``"exact"`` and
        α = 1 this is logistic boosting. Only the former has a compiled loop, which is several times as fast.
    estimator : classifier, optional
        Weak learner instead of our trees; its ``fit`` must take ``sample_weight``, and it answers with labels.
    alphas, step_sizes : sequence of float, optional
        Candidates of ``"cv"``; 1 to 8, and 0.25 to 8, if not given.
    cv : int, splitter or iterable of splits, default=5
        Folds of ``"cv"``; a number means that many stratified folds of the shuffled rows.
    random_state : int, RandomState or None
        For the folds and ``estimator``; our trees need none.

    Attributes
    ----------
    classes_ : ndarray
        The labels.
    alpha_, step_size_ : float
        Values in use; ``cv_scores_`` holds the mean accuracies of ``"cv"``, one row an α and one column a step size.
    noise_ : NoiseEstimate
        What ``alpha="adaptive"`` rests on.
    loss_ : AlphaCPELoss
        The loss in use.
    estimators_ : sequence
        The trees.
    theta_, errors_, kappa_ : ndarray of shape (n_estimators_,)
        Factor, weighted error of the sign and smoothness of each round.
    edges_, densities_ : ndarray of shape (n_estimators_,)
        The edges :math:`e` and the mean weights :math:`\frac1m\sum_i w_i`.
    feature_importances_ : ndarray of shape (n_features,)
        Decrease of the squared error by feature, each tree's normalised and counted with its factor; sums to one. Only
        with our trees.
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
    >>> model.predict_proba(X[:1]).shape, model.predict_proba(X[:1], kind="twisted").shape
    ((1, 2), (1, 2))
    """

    _binary_only = True
    estimate_noise = staticmethod(estimate_noise)

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BoostingClassifier._parameter_constraints,
        "alpha": [Interval(Real, 0, np.inf, closed="right"), StrOptions({"adaptive", "cv"})],
        "step_size": [POSITIVE, StrOptions({"cv"})],
        "link": [StrOptions({"pseudo", "exact"})],
    }

    def __init__(
        self,
        alpha: float | str = 1.1,
        step_size: float | str = 2.0,
        n_estimators: int = 300,
        max_depth: int = 3,
        link: str = "pseudo",
        estimator: Any = None,
        alphas: Sequence[float] | None = None,
        step_sizes: Sequence[float] | None = None,
        cv: Any = 5,
        random_state: Any = None,
        n_iter_no_change: int | None = None,
        class_weight: ClassWeight = None,
        verbose: int = 0,
    ) -> None:
        self.alpha, self.step_size, self.link = alpha, step_size, link
        self.n_estimators, self.max_depth, self.n_iter_no_change = n_estimators, max_depth, n_iter_no_change
        self.alphas, self.step_sizes, self.cv, self.random_state = alphas, step_sizes, cv, random_state
        self.estimator, self.class_weight, self.verbose = estimator, class_weight, verbose

    @classmethod
    def as_published(
        cls, alpha: float | str = 1.1, step_size: float | str = 7.0, n_estimators: int = 1000, **parameters: Any
    ) -> PILBoostClassifier:
        """PILBoost with the paper's step and number of rounds, with which it fits the noise if there is some."""
        return cls(alpha, step_size, n_estimators, **parameters)

    def _rules(self, learner: WeakLearner) -> tuple[Any, Any]:
        return self._weights(), GradientStep(self.step_size_)

    def _keep(self, record: BoostRecord) -> None:
        super()._keep(record)
        self.edges_, self.densities_ = record.densities * record.edges, record.densities

    def _weak_learner(self, data: Any, codes: NDArray[np.intp], weight: Array) -> WeakLearner:
        if self.estimator is None:
            return TreeLearner(data, codes, weight, max_depth=self.max_depth, leaf="mean")
        return super()._weak_learner(data, codes, weight)

    def predict_proba(self, X: Any, kind: str = "untwisted") -> Array:
        r"""Class probabilities.

        Parameters
        ----------
        X : array of shape (n, d)
        kind : {"untwisted", "twisted"}, default="untwisted"
            ``"twisted"``: of the label as it was seen in training, noise included, the inverse link at the score.
            ``"untwisted"``: of the clean label, :math:`t_\alpha` of that, sharper for α > 1 (Lemma 8 of sypherd2022).

        Returns
        -------
        ndarray of shape (n, n_classes)
        """
        check_choice("kind", kind, ("untwisted", "twisted"))
        twisted = super().predict_proba(X)
        return twisted if kind == "twisted" else self._untwisted(twisted)

    def staged_predict_proba(self, X: Any, kind: str = "untwisted") -> Iterator[Array]:
        """Class probabilities after 1, 2, ... rounds."""
        check_choice("kind", kind, ("untwisted", "twisted"))
        for twisted in super().staged_predict_proba(X):
            yield twisted if kind == "twisted" else self._untwisted(twisted)

    def _untwisted(self, twisted: Array) -> Array:
        second = self.loss_.tilt(twisted[:, -1])
        return np.column_stack([1 - second, second])[:, -twisted.shape[1] :]

    def _posterior(self, score: Array) -> Array:
        return self._weights().inverse(score)

    def _weights(self) -> LinkWeights:
        return LinkWeights(self.loss_, self.link)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.alphas is not None:
            check_reals("alphas", self.alphas, "(0, inf]")
        if self.step_sizes is not None:
            check_reals("step_sizes", self.step_sizes, "(0, inf)")

    def _choose_parameters(
        self, data: Any, codes: NDArray[np.intp], weight: Array, sample_weight: ArrayLike | None
    ) -> None:
        """Set ``alpha_`` and ``step_size_``; among equal scores the smaller α, then the smaller step."""
        one_class = len(self.classes_) == 1
        alphas: Sequence[Any] = [self.alpha]
        if self.alpha == "adaptive":
            self.noise_: NoiseEstimate = estimate_noise(_ordered(data), codes, weight)
            alphas = [self.noise_.alpha]
        elif self.alpha == "cv":
            alphas = [1.0] if one_class else sorted(CV_ALPHAS if self.alphas is None else self.alphas)
        steps: Sequence[Any] = [self.step_size]
        if self.step_size == "cv":
            steps = [1.0] if one_class else sorted(CV_STEP_SIZES if self.step_sizes is None else self.step_sizes)
        pairs = list(product(alphas, steps))
        best = pairs[0]
        if len(pairs) > 1:
            candidates = [{"alpha": float(alpha), "step_size": float(step)} for alpha, step in pairs]
            scores = cross_validated_scores(self, candidates, data, codes, weight, sample_weight)
            self.cv_scores_ = scores.reshape(len(alphas), len(steps))
            best = pairs[int(np.flatnonzero(scores >= scores.max() - 1e-12)[0])]
        self.alpha_, self.step_size_ = map(float, best)
        self.loss_ = AlphaCPELoss(self.alpha_)


def _ordered(data: Any) -> Any:
    """The matrix, or its bins: they are in the order of the values, so that a tree splits them alike."""
    if not isinstance(data, EncodedMatrix):
        return data
    bins = data.codes[: data.shape[1]].T  # without copies
    return bins if data.group is None else bins[data.group]
