r"""Online linear learners: the :math:`p`-norm perceptron and normalised Winnow (servedio2003, Section 4)."""

from __future__ import annotations

import math
import warnings
from abc import abstractmethod
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted, validate_data

from marginloss._norms import attaining_vector
from marginloss._validation import COUNT, POSITIVE, SHARE, ClassWeight, MarginlossClassifier, check_real

__all__ = ["PNormPerceptron", "Winnow", "mistake_bound"]

Array = NDArray[np.float64]

_BLOCK = 64  # rows in which the next mistake is looked for at once
_TIE = 1e-12  # scores below this share of the largest entry are zero: a tie must not depend on the order of a sum


def mistake_bound(difficulty: float, p: float, hinge: float = 0.0) -> float:
    r"""Bound on the mistakes of the :math:`p`-norm perceptron on any stream.

    .. math:: M \le \tfrac14\Bigl(A\sqrt{p-1} + \sqrt{A^2(p-1) + 4H}\Bigr)^2,\qquad
              H = \sum_j \max\{0,\, 1 - y_j\,u\cdot x_j/\xi\}

    The explicit form of the :math:`O(A^2 + KA)` in servedio2003, Section 4: :math:`K` malicious examples cost at most
    :math:`H \le K(1 + A)`. It grows with :math:`p`; there is no bound of this kind at :math:`p = \infty`.

    Parameters
    ----------
    difficulty : float
        :math:`A = R\|u\|_q/\xi \ge 1`.
    p : float
        In :math:`[2, \infty)`.
    hinge : float
        Total hinge loss :math:`H` of the comparison vector.

    Examples
    --------
    >>> mistake_bound(3, p=2)
    9.0
    """
    difficulty = check_real("difficulty", difficulty, "[1, inf)")
    p = check_real("p", p, "[2, inf)")
    hinge = check_real("hinge", hinge, "[0, inf)")
    root = difficulty * math.sqrt(p - 1)
    return 0.25 * (root + math.sqrt(root**2 + 4 * hinge)) ** 2


class _OnlineLinear(MarginlossClassifier):
    """Learner that keeps a sum z of signed examples, predicts with a function of z and adds each mistake to z."""

    _binary_only = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "p": [Interval(Real, 1, np.inf, closed="both")],
        "step_size": [POSITIVE],
        "max_iter": [COUNT],
        "fit_intercept": ["boolean"],
        "validation_fraction": [SHARE, None],
    }

    def __init__(
        self,
        max_iter: int = 100,
        fit_intercept: bool = True,
        validation_fraction: float | None = None,
        class_weight: ClassWeight = None,
    ) -> None:
        self.max_iter, self.fit_intercept = max_iter, fit_intercept
        self.validation_fraction, self.class_weight = validation_fraction, class_weight

    @abstractmethod
    def _weights(self, z: Array) -> Array:
        """Weight vector that belongs to the sum z."""

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> _OnlineLinear:
        """Pass over the examples in the given order, again and again until a pass makes no mistake.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
            A weight of k is the example shown k times in a row; a fraction is one smaller step at the end.
        """
        self._validate_params()
        X, codes, weight = self._check_training(X, y, sample_weight, dtype=np.float64)
        self._need_two_classes()
        if self.fit_intercept:
            X = np.column_stack([X, np.ones(len(X))])
        signed = (2.0 * codes - 1.0)[:, None] * X
        held = 0 if self.validation_fraction is None else math.ceil(self.validation_fraction * len(X))
        if held >= len(X):
            raise ValueError(f"validation_fraction={self.validation_fraction} leaves no example to learn from")
        shown, tie = len(X) - held, _TIE * np.abs(signed).max()

        z = np.zeros(X.shape[1])
        best, best_error = self._weights(z), math.inf
        self.mistakes_per_pass_: list[int] = []
        for _ in range(self.max_iter):
            mistakes = 0
            for w, made in self._one_pass(signed[:shown], weight[:shown], z, tie):
                mistakes += made
                if held:  # the conversion of Theorem 7: of all hypotheses the one with least error on fresh examples
                    error = float(weight[shown:] @ (signed[shown:] @ w <= tie))
                    if error < best_error:
                        best, best_error = w, error
                else:
                    best = w
            self.mistakes_per_pass_.append(mistakes)
            if mistakes == 0:
                break
        self.n_iter_ = len(self.mistakes_per_pass_)
        self.converged_ = self.mistakes_per_pass_[-1] == 0
        self.mistakes_ = sum(self.mistakes_per_pass_)
        if not self.converged_ and self.max_iter > 1:
            warnings.warn(
                f"{type(self).__name__} still made {self.mistakes_per_pass_[-1]} mistakes in pass {self.max_iter} "
                "(max_iter): the classes may not be linearly separable",
                ConvergenceWarning,
                stacklevel=3,
            )
        dimension = self.n_features_in_
        self.coef_ = best[None, :dimension]
        self.intercept_ = best[dimension:] if self.fit_intercept else np.zeros(1)
        return self

    def _one_pass(self, signed: Array, weight: Array, z: Array, tie: float) -> Any:
        """Go once through the rows; yield each hypothesis with the mistakes that led to it. Changes ``z``."""
        w, row = self._weights(z), 0
        yield w, 0
        while row < len(signed):
            # the hypothesis changes only at mistakes, so a block of rows is judged at once
            wrong = np.flatnonzero(signed[row : row + _BLOCK] @ w <= tie)
            if not len(wrong):
                row += _BLOCK
                continue
            row += int(wrong[0])
            left, made = float(weight[row]), 0
            while left > 0 and signed[row] @ w <= tie:
                z += min(left, 1.0) * signed[row]
                left, made = left - 1.0, made + 1
                w = self._weights(z)
                if not signed[row].any():  # nothing is learned from zeros: all further copies are mistakes too
                    made += math.ceil(max(left, 0.0))
                    break
            yield w, made
            row += 1

    def decision_function(self, X: Any) -> Array:
        """Score ``X @ coef_ + intercept_``; positive for ``classes_[1]``."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return X @ self.coef_[0] + self.intercept_[0]


class PNormPerceptron(_OnlineLinear):
    r"""The online :math:`p`-norm algorithm: Perceptron at :math:`p = 2`, close to Winnow at :math:`p = 2\ln d`.

    Use it for a stream of examples, or for a bound on the mistakes; a large ``p`` where few of many features matter.
    Not for noisy labels, on which it never settles, nor for probabilities: take :class:`MarginClassifier`.

    Keeps :math:`z = \sum y x` over its mistakes and predicts with
    :math:`w_i \propto \operatorname{sign}(z_i)|z_i|^{p-1}` (Grove, Littlestone and Schuurmans; servedio2003,
    Section 4). :func:`mistake_bound` bounds its mistakes for every finite :math:`p \ge 2`; at :math:`p = \infty` the
    hypothesis is a single feature and the algorithm can fail.

    Parameters
    ----------
    p : float, default 2
        In :math:`[1, \infty]`.
    max_iter : int, default 100
        Largest number of passes. With 1 the learner is an online algorithm that sees each example once.
    fit_intercept : bool, default True
        Append a constant feature 1.
    validation_fraction : float, optional
        Hold out this last part of the examples, counted in rows whatever their weights, and keep the hypothesis with
        least error there: the conversion of an online into a batch learner (Theorem 7). Otherwise the last hypothesis
        is kept.
    class_weight : dict or "balanced", optional
        Weights of the classes, multiplied with those of the examples.

    Attributes
    ----------
    coef_ : ndarray of shape (1, d)
    intercept_ : ndarray of shape (1,)
    mistakes_ : int
        Mistakes of all passes; ``mistakes_per_pass_`` lists them.
    n_iter_ : int
    converged_ : bool
        Whether the last pass made no mistake.

    Notes
    -----
    The order of the examples matters, as for every online algorithm: shuffle them if they are sorted.

    Examples
    --------
    >>> from marginloss.noise import SparseMajority
    >>> X, y = SparseMajority(20, 3).draw(400, rng=0)
    >>> model = PNormPerceptron(p=6.0, fit_intercept=False).fit(X, y)
    >>> model.score(X, y), model.converged_
    (1.0, True)
    """

    def __init__(
        self,
        p: float = 2.0,
        max_iter: int = 100,
        fit_intercept: bool = True,
        validation_fraction: float | None = None,
        class_weight: ClassWeight = None,
    ) -> None:
        super().__init__(max_iter, fit_intercept, validation_fraction, class_weight)
        self.p = p

    def _weights(self, z: Array) -> Array:
        return attaining_vector(z, self.p)


class Winnow(_OnlineLinear):
    r"""Normalised Winnow for weights of both signs: :math:`w = \sinh(\eta z) / \sum_k\cosh(\eta z_k)`.

    Use it for a stream of examples with very many features of which few matter; not for noisy labels.

    Keeps :math:`z = \sum y x` over its mistakes, so that weights change by factors (servedio2003, Section 4).

    Parameters
    ----------
    step_size : float, default 0.1
        The factor's exponent :math:`\eta`; :math:`\xi/(R_\infty^2\|u\|_1)` where these are known.
    max_iter, fit_intercept, validation_fraction, class_weight
        As for :class:`PNormPerceptron`.

    Examples
    --------
    >>> from marginloss.noise import SparseMajority
    >>> X, y = SparseMajority(20, 3).draw(400, rng=0)
    >>> Winnow(step_size=1 / 3, fit_intercept=False).fit(X, y).score(X, y)
    1.0
    """

    def __init__(
        self,
        step_size: float = 0.1,
        max_iter: int = 100,
        fit_intercept: bool = True,
        validation_fraction: float | None = None,
        class_weight: ClassWeight = None,
    ) -> None:
        super().__init__(max_iter, fit_intercept, validation_fraction, class_weight)
        self.step_size = step_size

    def _weights(self, z: Array) -> Array:
        exponent = self.step_size * z
        largest = np.abs(exponent).max()
        # the largest exponent is subtracted: sinh and cosh overflow from 711 on
        up, down = np.exp(exponent - largest), np.exp(-exponent - largest)
        return (up - down) / (up + down).sum()
