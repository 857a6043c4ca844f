"""Parameters by cross-validation inside ``fit``, for boosters that accept ``"cv"``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from marginloss._rows import folds
from marginloss.boosting.encode import EncodedMatrix

__all__ = ["cross_validated_scores", "rows_of"]


def cross_validated_scores(
    model: Any,
    candidates: Sequence[Mapping[str, Any]],
    data: Any,
    codes: NDArray[np.intp],
    weight: NDArray[np.float64],
    sample_weight: ArrayLike | None,
) -> NDArray[np.float64]:
    """Mean accuracy of ``model`` with each set of parameters, on the folds of ``model.cv``.

    Parameters
    ----------
    model : estimator
        With parameters ``cv`` (a number means that many stratified folds of the shuffled rows) and ``random_state``.
    candidates : sequence of mappings
        Parameters to set.
    data : array or EncodedMatrix
    codes, weight : ndarray of shape (n,)
        Labels and weights; the accuracy is that on the given, possibly noisy, labels.
    sample_weight : array_like, optional
        The weights before rows of weight zero were left out, of which the splits in ``model.cv`` speak.
    """
    splits = list(folds(model.cv, codes, sample_weight, shuffle=True, random_state=model.random_state))
    scores = np.zeros(len(candidates))
    for train, test in splits:
        part, rest = rows_of(data, train), rows_of(data, test)
        for i, parameters in enumerate(candidates):
            candidate = clone(model).set_params(**parameters, class_weight=None, verbose=0)  # weight holds the former
            fitted = candidate.fit(part, codes[train], weight[train])
            scores[i] += fitted.score(rest, codes[test], weight[test]) / len(splits)
    return scores


def rows_of(data: Any, rows: NDArray[np.integer]) -> Any:
    """These rows of a matrix, encoded or not."""
    return data.take(rows) if isinstance(data, EncodedMatrix) else data[rows]
