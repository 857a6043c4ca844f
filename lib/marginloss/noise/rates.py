"""How often the labels of each class are flipped, judged from the labels alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from marginloss._validation import check_real

__all__ = ["estimate_flip_rates"]


def estimate_flip_rates(y: ArrayLike, probabilities: ArrayLike, quantile: float = 0.05) -> tuple[float, float]:
    r"""Rates at which true +1 are labelled −1, and true −1 labelled +1.

    Where an example certainly belongs to a class, the probability of the other label is the rate at which that class is
    flipped. The certain ones are taken to be a share ``quantile`` of those that carry the label; where the classes
    overlap everywhere no example is certain, and the rates come out too large.

    Parameters
    ----------
    y : array_like of shape (n,)
        Given labels; the larger of two is +1.
    probabilities : array_like of shape (n,)
        Probability of the label +1 for each example, by a model that did not see it:
        ``cross_val_predict(model, X, y, method="predict_proba")[:, 1]``.
    quantile : float, default=0.05

    Returns
    -------
    rate_positive, rate_negative : float
        For :class:`marginloss.losses.CorrectedLoss`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([-1, 1], 500)
    >>> given = np.where((y > 0) & (rng.random(1000) < 0.3), -1, y)  # a model that knows the rates: 0.7 and 0
    >>> estimate_flip_rates(given, np.where(y > 0, 0.7, 0.0))
    (0.30000000000000004, 0.0)
    """
    quantile = check_real("quantile", quantile, "[0, 1]")
    y, p = np.asarray(y), np.asarray(probabilities, dtype=np.float64)
    labels = np.unique(y)
    if len(labels) != 2 or p.shape != y.shape or not ((p >= 0) & (p <= 1)).all():
        raise ValueError(
            f"y must hold two labels and probabilities a number in [0, 1] for each, got {labels[:5]} and {p.shape}"
        )
    positive = y == labels[1]
    return float(1 - np.quantile(p[positive], 1 - quantile)), float(np.quantile(p[~positive], quantile))
