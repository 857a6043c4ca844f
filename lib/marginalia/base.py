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
        X, labels = validate_data(self, X, y, **check_params)
        y = np.asarray(labels)
        if y.dtype.kind not in "biuU":  # whole numbers and words are classes; the question costs more than a small fit
            check_classification_targets(y)
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        present = weight > 0
        if not present.any():
            raise ValueError("sample_weight must not be all zero: there is nothing to learn from")
        if not present.all():
            X, y, weight = X[present], y[present], weight[present]
        self.classes_ = np.unique(y)
        codes = np.searchsorted(self.classes_, y)  # several times faster than the inverse of np.unique
        if self._binary_only and len(self.classes_) > 2:
            raise ValueError(f"Only binary classification is supported. The type of the target is {type_of_target(y)}.")
        self.marginalia_version_ = __version__
        return X, codes, weight

    def _labels_from_score(self, score: NDArray[np.float64]) -> NDArray[Any]:
        """Labels of two classes by the sign of the score; a score of exactly 0 is ``classes_[0]``."""
        return self.classes_[(score > 0).astype(np.intp) if len(self.classes_) == 2 else np.zeros(len(score), np.intp)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = not self._binary_only
        return tags
