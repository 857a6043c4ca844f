r"""The :math:`p`-norm weak learner of halfspaces, alone and inside a booster (servedio2003, Figure 2)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from marginloss._norms import attaining_vector, p_norm
from marginloss._validation import POSITIVE, MarginlossClassifier

__all__ = ["LinearHypothesis", "LinearLearner", "LinearVote", "PNormLearner"]

Array = NDArray[np.float64]


class LinearHypothesis:
    r"""The function :math:`x \mapsto v \cdot x`."""

    __slots__ = ("coef",)

    def __init__(self, coef: Array) -> None:
        self.coef = coef

    def predict(self, X: Any) -> Array:
        """Value for each row of ``X``."""
        return np.asarray(X @ self.coef, dtype=np.float64)


class LinearVote(Sequence[LinearHypothesis]):
    """Linear hypotheses stored as one matrix; their vote is linear again, so it costs one product."""

    def __init__(self, coefs: Array) -> None:
        self.coefs = coefs

    @classmethod
    def join(cls, hypotheses: Sequence[LinearHypothesis]) -> LinearVote:
        """One vote from single hypotheses, at least one."""
        return cls(np.array([hypothesis.coef for hypothesis in hypotheses]))

    def __len__(self) -> int:
        return len(self.coefs)

    def __getitem__(self, index: Any) -> Any:
        return LinearVote(self.coefs[index]) if isinstance(index, slice) else LinearHypothesis(self.coefs[index])

    def vote(self, X: Any, steps: Array, first: int = 0) -> Array:
        """Sum of ``steps[t] * v_t . x`` for each row of ``X``, over the hypotheses from ``first`` on."""
        return np.asarray(X @ (steps @ self.coefs[first : first + len(steps)]), dtype=np.float64)


class LinearLearner:
    r"""Weak learner for :func:`marginloss.boosting.loop.boost`: the linear function of largest edge.

    Of all :math:`v \cdot x` with :math:`\|v\|_q \le 1/R` it returns the one with the largest edge
    :math:`\sum_j D_j y_j\, v\cdot x_j`, which is :math:`\|z\|_p / R` for :math:`z = \sum_j D_j y_j x_j`.

    Parameters
    ----------
    X : ndarray of shape (n, d), float64 or float32
        Points with :math:`\|x\|_p \le R`.
    sign : ndarray of shape (n,)
        Labels −1/+1.
    sample_weight : ndarray of shape (n,)
    p, R : float
    ties : {"uniform", "first"}
    """

    def __init__(self, X: Any, sign: Array, sample_weight: Array, p: float, R: float, ties: str) -> None:
        # rows one after the other in memory: both products of a round run along them
        self.X = np.ascontiguousarray(X)
        self.sign = sign.astype(self.X.dtype)
        self.sample_weight = sample_weight
        self.p, self.R, self.ties = p, R, ties

    def fit(self, weight: Array) -> tuple[LinearHypothesis, Array]:
        """Hypothesis for these weights, and the margin it gives to each row."""
        z = self.X.T @ (weight * self.sign).astype(self.X.dtype)
        hypothesis = LinearHypothesis(attaining_vector(z, self.p, self.ties) / self.R)
        gain = self.sign * (self.X @ hypothesis.coef.astype(self.X.dtype))  # without a copy in another precision
        return hypothesis, gain.astype(np.float64)


class PNormLearner(MarginlossClassifier):
    r"""Weak learner WLA of servedio2003: the average signed example, turned into a hypothesis in [−1, 1].

    .. math:: h(x) = \frac{w \cdot x}{\|w\|_q R},\qquad w_i = \operatorname{sign}(z_i)|z_i|^{p-1},\qquad
              z = \sum_j D(j)\, y_j x^j

    Figure 2 there. Its advantage is exactly :math:`\|z\|_p/(2R)`, the most that any linear function bounded by one on
    the ball can have, and Theorem 3 bounds it from below by :math:`1/(4A)` for smooth D with few dirty examples. As
    ``estimator`` of a booster it is the learner of Section 3.4; alone it is a classifier that sees the data once.

    Parameters
    ----------
    p : float, default 2
        In :math:`[1, \infty]`: 2 for targets that use all features, :math:`\infty` for few among many.
    R : float, optional
        Radius of the ball :math:`\|x\|_p \le R` that holds every clean point. It should be *known*: estimated from
        the sample, as it is with a warning when left out, one outlier shrinks every hypothesis.
    outside : {"raise", "drop", "scale"}, default "raise"
        What to do with points of the sample beyond ``R``, which are certainly dirty: refuse them, leave them out, or
        pull them back to the sphere.
    ties : {"uniform", "first"}, default "uniform"
        At :math:`p = \infty`: share between equally good features, or take the first, a signed single feature.

    Attributes
    ----------
    coef_ : ndarray of shape (1, d)
        The vector :math:`v`; halfspaces go through the origin, so append a constant feature for an intercept.
    R_, advantage_ : float
        Radius in use, and advantage under the given weights.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 1.0], [1.0, 0.0], [-1.0, 0.0]])
    >>> model = PNormLearner(p=np.inf, R=1.0).fit(X, [1, 1, -1])
    >>> model.coef_, model.advantage_
    (array([[1., 0.]]), 0.5)
    """

    _binary_only = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "p": [Interval(Real, 1, np.inf, closed="both")],
        "R": [POSITIVE, None],
        "outside": [StrOptions({"raise", "drop", "scale"})],
        "ties": [StrOptions({"uniform", "first"})],
    }

    def __init__(self, p: float = 2.0, R: float | None = None, outside: str = "raise", ties: str = "uniform") -> None:
        self.p, self.R, self.outside, self.ties = p, R, outside, ties

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> PNormLearner:
        """Average the signed examples and transform the average.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
            The distribution D, up to a factor.
        """
        X, codes, weight = self._check_training(X, y, sample_weight, dtype=[np.float64, np.float32])
        learner = self.weak_learner(X, codes if len(self.classes_) == 2 else codes + 1, weight)
        share = learner.sample_weight / learner.sample_weight.sum()
        hypothesis, gain = learner.fit(share)
        self.R_ = learner.R
        self.coef_ = hypothesis.coef[None, :]
        self.advantage_ = 0.5 * float(share @ gain)
        return self

    def weak_learner(self, X: Any, codes: NDArray[np.intp], weight: Array) -> LinearLearner:
        """The learner for a boosting loop, with its data: checks the parameters, finds R, treats points outside.

        Parameters
        ----------
        X : array-like of shape (n, d)
        codes : ndarray of shape (n,)
            Classes 0 and 1.
        weight : ndarray of shape (n,)
        """
        self._validate_params()
        p = float(self.p)
        X = check_array(X, dtype=[np.float64, np.float32])
        sign = np.where(codes > 0, 1.0, -1.0)
        norms = p_norm(X, p)
        if self.R is None:
            R = float(norms.max()) or 1.0
            warnings.warn(
                f"R was estimated as the largest norm in the sample, {R:.6g}; a single outlier would weaken every "
                "hypothesis, so pass R if you know it",
                UserWarning,
                stacklevel=4,
            )
        else:
            R = float(self.R)
        beyond = norms > R * (1 + 100 * np.finfo(X.dtype).eps)  # a point on the sphere is inside, rounding apart
        if beyond.any():
            if self.outside == "raise":
                raise ValueError(
                    f"R={R:g} must bound the {p:g}-norm of every point, got one of norm {norms.max():.6g}; "
                    "outside='drop' leaves such points out"
                )
            if self.outside == "drop":
                X, sign, weight = X[~beyond], sign[~beyond], weight[~beyond]
                if len(X) == 0:
                    raise ValueError(f"R={R:g} must leave some points, got none of {p:g}-norm at most R")
            else:
                X = np.where(beyond[:, None], X * (R / np.where(beyond, norms, 1.0))[:, None], X).astype(X.dtype)
        return LinearLearner(X, sign, weight, p, R, self.ties)

    def decision_function(self, X: Any) -> Array:
        r"""Confidence :math:`v \cdot x`, in [−1, 1] for points inside the ball."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        return np.asarray(X @ self.coef_[0], dtype=np.float64)
