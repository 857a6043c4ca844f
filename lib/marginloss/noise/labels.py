"""Wrong labels: at random, in exact numbers, by class, or where a classifier is most or least sure."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from marginloss._validation import check_choice, check_real, check_rng

__all__ = ["flip_by_margin", "flip_labels"]


def flip_labels(
    y: ArrayLike, rate: float | Mapping[Any, float], rng: Any, kind: str = "iid", *, classes: ArrayLike | None = None
) -> NDArray[Any]:
    r"""Exchange the two labels on a random part of the rows.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels of two classes, of any type.
    rate : float or mapping {label: float}
        Share of labels to flip, in [0, 1]. A mapping gives each class its own rate (class-conditional noise); a class
        that is not named stays clean.
    rng : numpy.random.Generator or int
        Generator or seed.
    kind : {"iid", "count", "stratified"}, default="iid"
        * ``"iid"``: every label is flipped with probability ``rate``, independently;
        * ``"count"``: exactly ``round(rate * n)`` labels, drawn without replacement (of each class, for a mapping);
        * ``"stratified"``: exactly :math:`\lfloor rate \cdot n / 2 \rfloor` labels *of each class*. At 14 % positives
          and ``rate=0.15`` this spoils more than half of the positives. Only for a single rate.
    classes : array-like of two labels, optional
        The two labels, where ``y`` itself might show only one of them.

    Returns
    -------
    ndarray of shape (n,)
        A changed copy; the flipped rows are where it differs from ``y``.

    Examples
    --------
    >>> y = np.array([-1, -1, 1, 1, 1, 1])
    >>> int((flip_labels(y, 0.5, rng=0, kind="count") != y).sum())
    3
    >>> flip_labels(y, {1: 1.0}, rng=0).tolist()
    [-1, -1, -1, -1, -1, -1]
    """
    generator = check_rng(rng)
    labels, pair = _two_classes(y, classes)
    check_choice("kind", kind, ("iid", "count", "stratified"))
    if isinstance(rate, Mapping):
        if kind == "stratified":
            raise ValueError("kind='stratified' takes a single rate: it already fixes the number in each class")
        unknown = [label for label in rate if label not in pair.tolist()]
        if unknown:
            raise ValueError(f"rate names the label {unknown[0]!r}, but the labels are {pair.tolist()}")
        rates = [check_real(f"rate[{label!r}]", rate.get(label, 0.0), "[0, 1]") for label in pair.tolist()]
        groups = [np.flatnonzero(labels == label) for label in pair]
        counts = [round(r * len(rows)) for r, rows in zip(rates, groups, strict=True)]
    else:
        share = check_real("rate", rate, "[0, 1]")
        rates, groups, counts = [share], [np.arange(len(labels))], [round(share * len(labels))]
        if kind == "stratified":
            groups = [np.flatnonzero(labels == label) for label in pair]
            counts = [int(share * len(labels) / 2)] * 2
            for label, rows, count in zip(pair.tolist(), groups, counts, strict=True):
                if count > len(rows):
                    raise ValueError(f"rate={rate!r} asks for {count} flips of label {label!r}, which has {len(rows)}")
    if kind == "iid":
        flipped = [rows[generator.random(len(rows)) < r] for r, rows in zip(rates, groups, strict=True)]
    else:
        flipped = [generator.choice(rows, k, replace=False) for k, rows in zip(counts, groups, strict=True)]
    return _exchanged(labels, pair, np.concatenate(flipped))


def flip_by_margin(
    y: ArrayLike, margin: ArrayLike, rate: float, where: str = "small", *, classes: ArrayLike | None = None
) -> NDArray[Any]:
    """Exchange the labels that a reference classifier finds hardest, or easiest.

    Only rows on the right side, ``margin > 0``, can be flipped, as in the label noise of amid2019. Of those the
    ``round(rate * n)`` with the smallest or the largest margin are; rows of equal margin go in their order.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels of two classes, of any type.
    margin : array-like of shape (n,)
        Signed label times the score of the reference classifier, fitted to clean data.
    rate : float
        Share of all labels to flip, in [0, 1]. If fewer rows are on the right side, all of them are flipped, with a
        warning.
    where : {"small", "large"}, default="small"
        Near the boundary, or far from it.
    classes : array-like of two labels, optional
        The two labels, where ``y`` itself might show only one of them.

    Returns
    -------
    ndarray of shape (n,)
        A changed copy.

    Examples
    --------
    >>> flip_by_margin([-1, 1, 1, 1], [0.1, 3.0, 2.0, -5.0], rate=0.25, where="large").tolist()
    [-1, -1, 1, 1]
    """
    labels, pair = _two_classes(y, classes)
    margins = np.asarray(margin, dtype=np.float64)
    if margins.shape != labels.shape:
        raise ValueError(f"margin must have one value per label, got shape {margins.shape} for {len(labels)} labels")
    if np.isnan(margins).any():
        raise ValueError("margin contains NaN")
    check_choice("where", where, ("small", "large"))
    count = round(check_real("rate", rate, "[0, 1]") * len(labels))
    right = np.flatnonzero(margins > 0)
    if count > len(right):
        warnings.warn(f"{count} flips were asked for, only {len(right)} rows have a positive margin", stacklevel=2)
    order = np.argsort(margins[right] if where == "small" else -margins[right], kind="stable")
    return _exchanged(labels, pair, right[order[:count]])


def _two_classes(y: ArrayLike, classes: ArrayLike | None) -> tuple[NDArray[Any], NDArray[Any]]:
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise ValueError(f"y must be a vector of labels, got shape {labels.shape}")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise ValueError("y contains NaN or infinity")
    if labels.dtype == object and pd.isna(labels).any():
        raise ValueError("y contains missing labels")
    present = np.unique(labels)
    pair = present if classes is None else np.unique(np.asarray(classes))
    if len(pair) != 2:
        hint = "; give both labels as classes=" if len(pair) < 2 and classes is None else ""
        raise ValueError(f"two labels are needed to exchange them, got {pair.tolist()}{hint}")
    if not np.isin(present, pair).all():
        raise ValueError(f"y has the labels {present.tolist()}, but classes are {pair.tolist()}")
    return labels, pair


def _exchanged(labels: NDArray[Any], pair: NDArray[Any], rows: NDArray[np.intp]) -> NDArray[Any]:
    return with_rows(labels, rows, np.where(labels[rows] == pair[0], pair[1], pair[0]))


def with_rows(old: NDArray[Any], rows: NDArray[np.intp], new: NDArray[Any]) -> NDArray[Any]:
    """Copy of ``old`` with other values in some rows, in a wider type where its own would cut them off.

    Examples
    --------
    >>> with_rows(np.array(["a", "b"]), np.array([1]), np.array(["long"])).tolist()
    ['a', 'long']
    """
    kept = new.astype(old.dtype)
    fits = (kept == new).all() or (old.dtype.kind == new.dtype.kind == "f")  # fewer digits are no other number
    changed = old.copy() if fits else old.astype(np.result_type(old, new))
    changed[rows] = kept if fits else new
    return changed
