"""What all classifiers of the library share: checks of the training data, the sign rule and the version mark."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _check_sample_weight, validate_data

from marginalia import __version__

__all__ = ["MarginaliaClassifier"]


class MarginaliaClassifier(ClassifierMixin, BaseEstimator):
    """Base of all estimators: one way to check data, one rule for ties, one version mark.

    Subclasses set ``_binary_only = True`` where they take two classes only. A fitted estimator carries the version of
    the library that made it in ``marginalia_version_``, so that a model read from disk can say so.
    """

    _binary_only = False

    def _check_training(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None, **check_params: Any
    ) -> tuple[Any, NDArray[np.intp], NDArray[np.float64]]:
        """Validate the arguments of ``fit``; set ``classes_``, ``n_features_in_`` and ``marginalia_version_``.

        Rows of weight zero are left out here, so that zero weight equals absence for every learner.

        Returns
        -------
        X : ndarray or sparse matrix of shape (n, d)
        codes : ndarray of shape (n,)
            Position of each label in ``classes_``; for two classes the signed label is ``2 * codes - 1``.
        sample_weight : ndarray of shape (n,)
            Positive weights, ones if none were given.
        """
        wanted = check_params.get("dtype")
        as_it_is = wanted is None or wanted is np.float64 or (isinstance(wanted, list) and np.float64 in wanted)
        if as_it_is and _is_plain(X, y):  # the full check of such arrays would cost more than a small fit
            self.n_features_in_ = X.shape[1]
            self.__dict__.pop("feature_names_in_", None)
        else:
            X, y = validate_data(self, X, y, **check_params)
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
            with np.errstate(over="ignore"):
                if not np.isfinite(weight.sum()):
                    raise ValueError(f"sample_weight must have a finite sum, got weights of up to {weight.max()}")
            if not present.all():
                X, labels, weight = X[present], labels[present], weight[present]
        self.classes_, codes = _classes(labels)
        if self._binary_only and len(self.classes_) > 2:
            raise ValueError(
                f"Only binary classification is supported. The type of the target is {type_of_target(labels)}."
            )
        self.marginalia_version_ = __version__
        return X, codes, weight

    def _labels_from_score(self, score: NDArray[np.float64]) -> NDArray[Any]:
        """Labels of two classes by the sign of the score; a score of exactly 0 is ``classes_[0]``."""
        return self.classes_[(score > 0).astype(np.intp) if len(self.classes_) == 2 else np.zeros(len(score), np.intp)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = not self._binary_only
        return tags


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
