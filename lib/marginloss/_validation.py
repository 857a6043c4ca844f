"""Checks of what a user gives: numbers, words and training data; and the base class of all classifiers.

Messages name the parameter, the value and what is allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache, wraps
from numbers import Integral, Real
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import compute_class_weight
from sklearn.utils._param_validation import Interval
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _check_sample_weight, validate_data

from marginloss import __version__

__all__ = [
    "COUNT",
    "POSITIVE",
    "SHARE",
    "ClassWeight",
    "MarginlossClassifier",
    "UnknownName",
    "all_or_nothing",
    "check_choice",
    "check_integer",
    "check_name",
    "check_real",
    "check_reals",
    "check_rng",
]


#: Constraints of parameters that several estimators have: whole numbers from 1, shares, positive numbers.
COUNT = Interval(Integral, 1, None, closed="left")
SHARE = Interval(Real, 0, 1, closed="neither")
POSITIVE = Interval(Real, 0, np.inf, closed="neither")
ClassWeight: TypeAlias = Mapping[Any, float] | Literal["balanced"] | None


class UnknownName(ValueError):
    """A name that is not in the list; the message suggests those that look like it."""


def check_name(kind: str, name: str, allowed: Iterable[str]) -> str:
    """Return ``name`` if it is among ``allowed``, else raise ``UnknownName`` with close matches.

    Examples
    --------
    >>> check_name("chapter", "alfa_loss", ["alpha_loss", "smoothboost"])
    Traceback (most recent call last):
        ...
    marginloss._validation.UnknownName: unknown chapter 'alfa_loss'; did you mean 'alpha_loss'?
    """
    names = list(allowed)
    if name in names:
        return name
    close = get_close_matches(name, names)
    hint = f"did you mean {' or '.join(map(repr, close))}?" if close else f"there are {', '.join(names) or 'none'}"
    raise UnknownName(f"unknown {kind} {name!r}; {hint}")


def check_real(name: str, value: object, interval: str) -> float:
    """Return ``value`` as a float if it lies in ``interval``, such as ``"(0, inf]"``, else raise ``ValueError``.

    Booleans, strings and NaN are refused.

    Examples
    --------
    >>> check_real("alpha", 2, "(0, inf]")
    2.0
    >>> check_real("alpha", -1, "(0, inf]")
    Traceback (most recent call last):
        ...
    ValueError: alpha must be a number in (0, inf], got -1
    """
    low, high = _ends(interval)
    if isinstance(value, Real) and not isinstance(value, bool):
        number = float(value)  # NaN fails both comparisons
        above = number >= low if interval[0] == "[" else number > low
        below = number <= high if interval[-1] == "]" else number < high
        if above and below:
            return number
    raise ValueError(f"{name} must be a number in {interval}, got {value!r}")


@cache  # some checks stand in the loops of boosters
def _ends(interval: str) -> tuple[float, float]:
    """Numbers of an interval."""
    low, high = interval[1:-1].split(",")
    return float(low), float(high)


def check_reals(name: str, values: object, interval: str) -> list[float]:
    """Return ``values``, a sequence or array that is not empty, as floats that all lie in ``interval``.

    Examples
    --------
    >>> check_reals("alphas", np.array([1, 2]), "(0, inf]")
    [1.0, 2.0]
    >>> check_reals("alphas", 3, "(0, inf]")
    Traceback (most recent call last):
        ...
    ValueError: alphas must be a sequence of numbers in (0, inf], got 3
    """
    numbers = list(values) if isinstance(values, Iterable) and not isinstance(values, str) else []
    if not numbers:
        raise ValueError(f"{name} must be a sequence of numbers in {interval}, got {values!r}")
    return [check_real(name, number, interval) for number in numbers]


def check_integer(name: str, value: object, low: int) -> int:
    """Return ``value`` as an int if it is a whole number of at least ``low``, else raise ``ValueError``.

    Examples
    --------
    >>> check_integer("n", 0, 1)
    Traceback (most recent call last):
        ...
    ValueError: n must be a whole number of at least 1, got 0
    """
    if isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= low:
        return int(value)
    raise ValueError(f"{name} must be a whole number of at least {low}, got {value!r}")


def check_rng(rng: object) -> np.random.Generator:
    """Return a generator for ``rng``; nothing is ever drawn from a hidden default.

    Parameters
    ----------
    rng : numpy.random.Generator, numpy.random.SeedSequence or int
        A generator is returned as it is and goes on from where it stands; a seed starts a new one.

    Examples
    --------
    >>> float(check_rng(0).random()) == float(check_rng(0).random())
    True
    >>> check_rng(None)
    Traceback (most recent call last):
        ...
    ValueError: rng must be a numpy.random.Generator or a seed, got None
    """
    if isinstance(rng, np.random.Generator | np.random.SeedSequence | np.random.BitGenerator):
        return np.random.default_rng(rng)
    if isinstance(rng, Integral) and not isinstance(rng, bool) and int(rng) >= 0:
        return np.random.default_rng(int(rng))
    raise ValueError(f"rng must be a numpy.random.Generator or a seed, got {rng!r}")


def check_choice(name: str, value: object, choices: Sequence[str]) -> str:
    """Return ``value`` if it is one of ``choices``, else raise ``ValueError``.

    Examples
    --------
    >>> check_choice("step", "newton", ("adaboost", "line"))
    Traceback (most recent call last):
        ...
    ValueError: step must be one of 'adaboost', 'line', got 'newton'
    """
    if isinstance(value, str) and value in choices:
        return value
    raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}")


def all_or_nothing(fit: Callable[..., Any]) -> Callable[..., Any]:
    """Make a ``fit`` that fails or is interrupted leave the estimator as it was before.

    Examples
    --------
    >>> class Model:
    ...     @all_or_nothing
    ...     def fit(self, X):
    ...         self.classes_ = X
    ...         raise ValueError
    >>> model = Model()
    >>> try:
    ...     model.fit([0, 1])
    ... except ValueError:
    ...     vars(model)
    {}
    """

    @wraps(fit)
    def guarded(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = vars(self).copy()
        try:
            return fit(self, *args, **kwargs)
        except BaseException:
            self.__dict__ = before
            raise

    return guarded


class MarginlossClassifier(ClassifierMixin, BaseEstimator):
    """Base of all estimators: one way to check data, one rule for ties, one version mark.

    Subclasses set ``_binary_only = True`` where they take two classes only, and have a parameter ``class_weight`` where
    a class can be given more weight: ``_check_training`` then multiplies it into the weights of the rows. A fit that
    fails leaves the estimator as it was. A fitted estimator carries the version of the library that made it in
    ``marginloss_version_``, so that a model read from disk can say so.
    """

    _binary_only: bool | str = False  # or why, if that depends on a parameter
    class_weight: ClassWeight = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "fit" in vars(cls):
            cls.fit = all_or_nothing(cls.fit)

    @available_if(lambda self: hasattr(self, "predict_proba"))
    def predict_log_proba(self, X: Any, **params: Any) -> NDArray[np.float64]:
        """Logarithms of what ``predict_proba`` returns, ``-inf`` for a probability of zero."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X, **params))

    def _check_training(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None, **check_params: Any
    ) -> tuple[Any, NDArray[np.intp], NDArray[np.float64]]:
        """Validate the arguments of ``fit``; set ``classes_``, ``n_features_in_`` and ``marginloss_version_``.

        Rows of weight zero are left out here, so that zero weight equals absence for every learner.

        Returns
        -------
        X : ndarray or sparse matrix of shape (n, d)
        codes : ndarray of shape (n,)
            Position of each label in ``classes_``; for two classes the signed label is ``2 * codes - 1``.
        sample_weight : ndarray of shape (n,)
            Positive weights, ones if none were given, times those of ``class_weight``.
        """
        wanted = check_params.get("dtype")
        as_it_is = wanted is None or wanted is np.float64 or (isinstance(wanted, list) and np.float64 in wanted)
        if as_it_is and _is_plain(X, y):  # the full check of such arrays would cost more than a small fit
            self.n_features_in_ = X.shape[1]
            self.__dict__.pop("feature_names_in_", None)
        else:
            try:
                X, y = validate_data(self, X, y, **check_params)
            except ValueError as error:
                raise _with_recipe(X, error) from None
        labels = np.asarray(y)
        if labels.dtype.kind not in "biuU":  # whole numbers and words are classes
            check_classification_targets(labels)
        if sample_weight is None:
            weight = np.ones(len(labels))
        else:
            weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
            present = weight > 0
            if not present.any():
                raise ValueError("sample_weight must not be all zero: there is nothing to learn from")
            if not present.all():
                X, labels, weight = X[present], labels[present], weight[present]
        self.classes_, codes = _classes(labels)
        if self._binary_only and len(self.classes_) > 2:
            message = f"Only binary classification is supported. The type of the target is {type_of_target(labels)}."
            raise ValueError(f"{message} {self._binary_only}" if isinstance(self._binary_only, str) else message)
        with np.errstate(over="ignore"):
            if self.class_weight is not None:
                weight = weight * self._weights_of_classes(codes, weight)[codes]
            if not np.isfinite(weight.sum()):
                raise ValueError(f"sample_weight must have a finite sum, got weights of up to {weight.max()}")
        self.marginloss_version_ = __version__
        return X, codes, weight

    def _weights_of_classes(self, codes: NDArray[np.intp], weight: NDArray[np.float64]) -> NDArray[np.float64]:
        """Factor of each class: ``"balanced"`` gives all classes the same weight together."""
        given, count = self.class_weight, len(self.classes_)
        if given == "balanced":
            return weight.sum() / (count * np.bincount(codes, weight))
        if not isinstance(given, dict):
            raise ValueError(f"class_weight must be a dict, 'balanced' or None, got {given!r}")
        factors = compute_class_weight(given, classes=self.classes_, y=self.classes_)
        if not (np.isfinite(factors) & (factors > 0)).all():
            raise ValueError(f"class_weight must be positive numbers, got {given!r}")
        return np.asarray(factors, dtype=np.float64)

    def _need_two_classes(self) -> None:
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} needs samples of at least 2 classes in the data, but the data contains only "
                f"one class: {self.classes_.tolist()[0]!r}"
            )

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Share of the rows whose predicted label is ``y``."""
        return float(super().score(X, y, sample_weight))

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of the largest score; for two classes its sign, a score of exactly 0 being ``classes_[0]``."""
        return self._labels(self.decision_function(X))

    def _labels(self, score: NDArray[np.float64]) -> NDArray[Any]:
        """Labels that belong to these scores."""
        if score.ndim == 2:
            return self.classes_[score.argmax(axis=1)]
        return self.classes_[(score > 0).astype(np.intp) * (len(self.classes_) - 1)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = not self._binary_only
        return tags


def _with_recipe(X: Any, error: ValueError) -> ValueError:
    """The error, with what to do about words in the columns of a frame."""
    if "could not convert string" not in str(error) or not hasattr(X, "select_dtypes"):
        return error
    words = X.select_dtypes(exclude="number").columns.tolist()
    return ValueError(
        f"{error}: columns {words} are not numbers. Put an OrdinalEncoder before this estimator if their values have "
        "an order, a OneHotEncoder if not, or take RobustXGBClassifier, which splits categories"
    )


def _is_plain(X: Any, y: Any) -> bool:
    """Whether these are a finite matrix in double precision and as many whole numbers, which need no conversion."""
    if not (type(X) is type(y) is np.ndarray and X.dtype == np.float64 and y.dtype.kind in "biu"):
        return False
    if X.ndim != 2 or X.size == 0 or y.shape != X.shape[:1]:
        return False
    with np.errstate(over="ignore", invalid="ignore"):  # large numbers may add up to infinity: left to the full check
        return bool(np.isfinite(X.sum()))


def _classes(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Sorted labels, and the position of each among them; two whole numbers are seen without sorting."""
    if y.dtype.kind in "iu":
        low, high = y.min(), y.max()
        positive = y == high
        if low < high and np.count_nonzero(positive) + np.count_nonzero(y == low) == len(y):
            return np.array([low, high]), positive.astype(np.intp)
    classes = np.unique(y)
    return classes, np.searchsorted(classes, y)  # several times faster than the inverse of np.unique
