"""How noisy are the labels? A rate from the purest leaves of one small tree, and the exponent that undoes it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import _check_sample_weight, check_X_y

from marginloss._validation import check_choice
from marginloss.losses.proper import flip_posterior, unflip_posterior, untwisting_alpha

__all__ = ["NoiseEstimate", "estimate_noise"]

LARGEST_ALPHA = 8.0  # the paper quotes [1.1, 8] as the useful range


@dataclass(frozen=True)
class NoiseEstimate:
    """What :func:`estimate_noise` found.

    Attributes
    ----------
    rate : float
        Estimated share of flipped labels, in [0, ½].
    alpha : float
        Exponent that untwists the mean leaf posterior, in [1, 8].
    posterior : float
        Mean share of the larger class over the leaves.
    """

    rate: float
    alpha: float
    posterior: float


def estimate_noise(
    X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, mean: str = "twisted"
) -> NoiseEstimate:
    r"""Estimate symmetric label noise with one tree, and the exponent of the α-loss that goes with it.

    A tree grown by information gain, with at most :math:`\lceil\ln m\rceil` leaves of at least
    :math:`\lceil\sqrt m\rceil` examples, has leaf posteriors :math:`\hat\eta_l`; pure leaves would be impure by the
    noise alone, hence

    .. math:: \hat p = \sqrt{\eta_{\min}(1 - \eta_{\max})},\qquad
              \alpha_0 = \operatorname{logit}\tfrac{\bar\eta - \hat p}{1 - 2\hat p} / \operatorname{logit}\bar\eta

    with :math:`\bar\eta` the plain mean of the leaf posteriors. Section 6 of sypherd2022, after Menon et al. (2015).
    The rate comes out too high where classes overlap, and too low where noise is strong.

    Parameters
    ----------
    X : array of shape (n, d)
    y : array of shape (n,)
        Two labels, possibly noisy; the larger one is positive.
    sample_weight : array of shape (n,), optional
        A weight of 2 equals two copies of the example: their sum is the size :math:`m` of the sample, which limits the
        tree, so do not scale them to sum to one.
    mean : {"twisted", "clean"}, default="twisted"
        Which posterior the mean of the leaves stands for. The tree sees noisy labels, so it is the twisted one, as in
        the authors' code; their text takes it for the clean one.

    Returns
    -------
    NoiseEstimate
        With ``alpha`` 1 if :math:`\bar\eta` is ½, and 8 where the formula is undefined or larger. The authors'
        code adds 0.01, which keeps their link from overflowing; ours does not need it.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> noisy = np.where(np.random.default_rng(0).random(len(y)) < 0.2, 1 - y, y)
    >>> clean, twisted = estimate_noise(X, y), estimate_noise(X, noisy)
    >>> clean.rate < twisted.rate, clean.alpha < twisted.alpha
    (True, True)
    """
    check_choice("mean", mean, ("twisted", "clean"))
    X, given = check_X_y(X, y, dtype=[np.float64, np.float32], accept_sparse="csc")
    weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    labels = np.unique(given[weight > 0])
    if len(labels) > 2:
        raise ValueError(f"Only binary classification is supported. The type of the target is {type_of_target(given)}.")
    if len(labels) < 2:
        return NoiseEstimate(0.0, 1.0, 1.0)
    size = float(weight.sum())
    tree = DecisionTreeClassifier(
        criterion="entropy",
        max_leaf_nodes=max(2, math.ceil(math.log(size))) if size > 1 else 2,
        # by weight, so that weights equal repetition; the last factor forgives rounding
        min_weight_fraction_leaf=min(0.5, math.ceil(math.sqrt(size)) / size * (1 - 1e-12)),
        random_state=0,  # breaks ties between equal splits
    ).fit(X, given == labels[1], sample_weight=weight)
    leaves = tree.tree_.children_left == -1
    share = tree.tree_.value[leaves, 0]
    eta = share[:, -1] / share.sum(axis=1)
    rate = math.sqrt(eta.min() * (1 - eta.max()))
    centre = float(eta.mean())
    if abs(centre - 0.5) < 1e-12:  # no exponent moves one half
        return NoiseEstimate(rate, 1.0, centre)
    if mean == "twisted":
        alpha = float(untwisting_alpha(unflip_posterior(centre, rate), centre))
    else:
        alpha = float(untwisting_alpha(centre, flip_posterior(centre, rate)))
    return NoiseEstimate(rate, min(max(alpha, 1.0), LARGEST_ALPHA) if alpha > 0 else LARGEST_ALPHA, centre)
