"""Folds of a cross-validation inside ``fit``, where examples of weight zero have been left out."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import StratifiedKFold, check_cv

from marginalia.parameters import check_integer

__all__ = ["folds"]

Rows = NDArray[np.intp]


def folds(
    cv: Any, codes: NDArray[np.intp], sample_weight: ArrayLike | None = None, **shuffle: Any
) -> Iterator[tuple[Rows, Rows]]:
    """Training and test rows of each fold, as positions among the examples that have weight.

    Parameters
    ----------
    cv : int, splitter or iterable of splits
        A number means that many stratified folds of the examples that have weight. The others speak of all examples
        that were given to ``fit``; of their rows those without weight are left out.
    codes : ndarray of shape (n,)
        Labels of the examples that have weight.
    sample_weight : array_like, optional
        As it was given to ``fit``.
    **shuffle
        Parameters of :class:`sklearn.model_selection.StratifiedKFold` for a number of folds.

    Examples
    --------
    >>> given = [([0, 1], [2, 3])]
    >>> [(train.tolist(), test.tolist()) for train, test in folds(given, np.array([0, 1, 1]), [1, 0, 1, 2])]
    [([0], [1, 2])]
    """
    if isinstance(cv, Integral):
        yield from StratifiedKFold(check_integer("cv", cv, 2), **shuffle).split(codes, codes)
        return
    present = np.ones(len(codes), dtype=bool)
    if sample_weight is not None and np.ndim(sample_weight):
        present = np.asarray(sample_weight) > 0
    place, labels = np.full(len(present), -1), np.zeros(len(present), dtype=np.intp)
    place[present], labels[present] = np.arange(len(codes)), codes
    for train, test in check_cv(cv).split(labels, labels):
        yield place[train][present[train]], place[test][present[test]]
