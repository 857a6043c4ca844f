"""How noisy are the labels? A rate from the purest leaves of one small tree, and the exponent that undoes it."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, chdtrc
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import _check_sample_weight, check_X_y

from marginloss._validation import check_choice
from marginloss.losses.proper import flip_posterior, unflip_posterior, untwisting_alpha

__all__ = ["NoiseEstimate", "estimate_noise"]

LARGEST_ALPHA = 8.0  # the paper quotes [1.1, 8] as the useful range
LEVEL = 0.05  # of the interval, and of the test that leaves are equally impure


Array = NDArray[np.float64]


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
    interval : tuple of float
        Rates that the labels allow. It begins at 0 unless all leaves on the same side of ½ are equally impure.
    """

    rate: float
    alpha: float
    posterior: float
    interval: tuple[float, float]


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
    A leaf is impure because labels are flipped or because classes overlap, and labels alone cannot tell which: the rate
    is too high where classes overlap. It is too low where the purest leaf was picked for its luck. The interval allows
    for both. Its leaves are grown on one half of the examples and counted on the other, both ways round. It ends at the
    impurity that the purest leaves can have, and it begins at 0 unless noise alone explains every leaf, as it does when
    all on the same side of ½ are equally impure.

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

    Warns
    -----
    UserWarning
        If the interval contains 0: the estimate may be the overlap of the classes.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> noisy = np.where(np.random.default_rng(0).random(len(y)) < 0.2, 1 - y, y)
    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     clean, twisted = estimate_noise(X, y), estimate_noise(X, noisy)
    >>> clean.rate < twisted.rate, clean.alpha < twisted.alpha
    (True, True)
    >>> clean.interval[1] < 0.2 < twisted.interval[1]
    True
    """
    check_choice("mean", mean, ("twisted", "clean"))
    X, given = check_X_y(X, y, dtype=[np.float64, np.float32], accept_sparse="csc")
    weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    labels = np.unique(given[weight > 0])
    if len(labels) > 2:
        raise ValueError(f"Only binary classification is supported. The type of the target is {type_of_target(given)}.")
    if len(labels) < 2:
        return NoiseEstimate(0.0, 1.0, 1.0, (0.0, 0.0))
    positive = given == labels[1]
    tree = _small_tree(X, positive, weight)
    leaves = tree.tree_.children_left == -1
    share = tree.tree_.value[leaves, 0]
    eta = share[:, -1] / share.sum(axis=1)
    rate = math.sqrt(eta.min() * (1 - eta.max()))
    centre = float(eta.mean())
    order = np.random.default_rng(0).permutation(len(weight))
    halves = order[::2], order[1::2]
    both = [_allowed_rates(X, positive, weight, *pair) for pair in (halves, halves[::-1])]
    interval = min(low for low, _ in both), max(high for _, high in both)
    if interval[0] == 0:
        warnings.warn(
            f"the labels allow any flip rate from 0 to {interval[1]:.2g}: the estimate {rate:.2g} may be the overlap "
            "of the classes and not noise",
            stacklevel=2,
        )
    if abs(centre - 0.5) < 1e-12:  # no exponent moves one half
        return NoiseEstimate(rate, 1.0, centre, interval)
    if mean == "twisted":
        alpha = float(untwisting_alpha(unflip_posterior(centre, rate), centre))
    else:
        alpha = float(untwisting_alpha(centre, flip_posterior(centre, rate)))
    alpha = min(max(alpha, 1.0), LARGEST_ALPHA) if alpha > 0 else LARGEST_ALPHA
    return NoiseEstimate(rate, alpha, centre, interval)


def _small_tree(X: Any, positive: NDArray[np.bool_], weight: Array) -> DecisionTreeClassifier:
    size = float(weight.sum())
    return DecisionTreeClassifier(
        criterion="entropy",
        max_leaf_nodes=max(2, math.ceil(math.log(size))) if size > 1 else 2,
        # by weight, so that weights equal repetition; the last factor forgives rounding
        min_weight_fraction_leaf=min(0.5, math.ceil(math.sqrt(size)) / size * (1 - 1e-12)),
        random_state=0,  # breaks ties between equal splits
    ).fit(X, positive, sample_weight=weight)


def _allowed_rates(
    X: Any, positive: NDArray[np.bool_], weight: Array, grown: NDArray[np.intp], counted: NDArray[np.intp]
) -> tuple[float, float]:
    """Flip rates that the leaves of a tree on one half allow, by what the other half holds in them."""
    if len(np.unique(positive[grown][weight[grown] > 0])) < 2:
        return 0.0, 0.5
    tree = _small_tree(X[grown], positive[grown], weight[grown])
    eta = tree.tree_.value[:, 0, -1]
    leaf, given = tree.apply(X[counted]), weight[counted]
    low = high = 1.0
    for side, contrary in ((eta, positive[counted]), (1 - eta, ~positive[counted])):
        purest = np.flatnonzero(tree.tree_.children_left == -1)
        purest = purest[np.argsort(side[purest], kind="stable")]
        total = np.bincount(leaf, given, len(eta))[purest]
        flipped = np.bincount(leaf, given * contrary, len(eta))[purest]
        high *= _share_limit(flipped[0], total[0], 1 - LEVEL / 2)
        same = side[purest] < 0.5
        low *= _common_share(flipped[same], total[same])
    return math.sqrt(low), min(0.5, math.sqrt(high))


def _share_limit(count: float, total: float, level: float) -> float:
    """Limit of Clopper and Pearson for a share: the upper one if ``level`` is above ½."""
    upper = level > 0.5
    if count == (total if upper else 0):
        return float(upper)
    return float(betaincinv(count + upper, total - count + (not upper), level))


def _common_share(count: Array, total: Array) -> float:
    """Lower limit of the share that all leaves have in common; 0 if there are fewer than two, or it differs."""
    share = count.sum() / max(total.sum(), 1e-300)
    if len(count) < 2 or not 0 < share < 1:
        return 0.0
    spread = ((count - total * share) ** 2 / np.maximum(total, 1e-300)).sum() / (share * (1 - share))
    return _share_limit(count.sum(), total.sum(), LEVEL / 2) if chdtrc(len(count) - 1, spread) > LEVEL else 0.0
