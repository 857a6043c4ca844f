r"""Two other mixtures by the same program: the worst group, and the tail after the outliers (zhai2021, section 5)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from marginloss._validation import check_integer, check_real
from marginloss.risk.cvar import cvar
from marginloss.risk.lpboost import lpboost
from marginloss.risk.masses import Array, check_losses, check_tail, masses, spread
from marginloss.risk.result import LPBoostResult

__all__ = ["group_lpboost", "trimmed_cvar", "trimmed_lpboost"]


def group_lpboost(losses: ArrayLike, groups: ArrayLike) -> LPBoostResult:
    r"""Model weights with the least loss of the worst group, for when group labels arrive after training.

    .. math:: \min_{\lambda\in\Delta_T}\max_k\ G_k\lambda,\qquad G_{kt} = \text{mean loss of model } t
              \text{ in group } k

    This is LPBoost with the K groups as samples and :math:`\alpha = 1/K`. The worst group's loss never exceeds the CVaR
    at the fraction of the smallest group.

    Parameters
    ----------
    losses : array_like of shape (n, T)
    groups : array_like of shape (n,)
        Group of each sample.

    Returns
    -------
    LPBoostResult
        ``sample_weights`` has one weight per group, in sorted order of the groups.

    Examples
    --------
    >>> result = group_lpboost([[0, 1], [0, 1], [1, 0]], ["a", "a", "b"])
    >>> result.model_weights.round(12), round(result.value, 12)
    (array([0.5, 0.5]), 0.5)
    """
    matrix = check_losses(losses, ndim=2)
    names, group = np.unique(np.asarray(groups), return_inverse=True)
    if group.shape != (len(matrix),):
        raise ValueError(f"groups must have shape ({len(matrix)},), got {np.shape(groups)}")
    sums = np.zeros((len(names), matrix.shape[1]))
    np.add.at(sums, group, matrix)
    return lpboost(sums / np.bincount(group)[:, None], alpha=1.0 / len(names))


def trimmed_cvar(losses: ArrayLike, alpha: float, trim: float, sample_weight: ArrayLike | None = None) -> float:
    r"""CVaR of tail fraction ``alpha`` after the worst fraction ``trim`` of the samples is left out (DORO).

    The samples kept are :math:`n - \lfloor\epsilon n\rfloor`, those with the smallest losses. With ``sample_weight``
    those are left out that fit into the fraction as a whole.

    Examples
    --------
    >>> trimmed_cvar([9.0, 1.0, 0.0, 0.0, 0.0], alpha=0.25, trim=0.2)
    1.0
    """
    values = check_losses(losses, ndim=1)
    mass = masses(sample_weight, len(values))
    kept = _kept(values, mass, trim)
    return cvar(values[kept], alpha, mass[kept])


def trimmed_lpboost(
    losses: ArrayLike, alpha: float, trim: float, max_iter: int = 50, sample_weight: ArrayLike | None = None
) -> LPBoostResult:
    r"""Model weights for the tail after outliers: leave out the worst fraction ``trim``, solve, repeat.

    For fixed model weights, leaving out the largest losses is the best choice; for a fixed choice the program is
    LPBoost's. So the trimmed CVaR never increases and the alternation ends, at a point that is best in each of the two
    but not always in both: the joint problem is not convex.

    Parameters
    ----------
    losses : array_like of shape (n, T)
    alpha : float
        Tail fraction in (0, 1] of the samples that are kept.
    trim : float
        Fraction of outliers in [0, 1).
    max_iter : int
        Programs solved at most.
    sample_weight : array_like of shape (n,), optional
        Weights of the samples.

    Returns
    -------
    LPBoostResult
        ``value`` is the trimmed CVaR; ``gap`` is that of the last program.

    Examples
    --------
    >>> import numpy as np
    >>> losses = np.vstack([np.eye(5), np.ones((1, 5))])  # the last sample is beyond every model
    >>> trimmed_lpboost(losses, alpha=0.2, trim=0.2).model_weights.round(12)
    array([0.2, 0.2, 0.2, 0.2, 0.2])
    """
    matrix = check_losses(losses, ndim=2)
    alpha = check_tail(alpha)
    check_integer("max_iter", max_iter, 1)
    mass = masses(sample_weight, len(matrix))
    z: Array = matrix.mean(axis=1)
    best: LPBoostResult | None = None
    for _ in range(max_iter):
        kept = _kept(z, mass, trim)
        found = lpboost(matrix[kept], alpha, sample_weight=mass[kept])
        z = matrix @ found.model_weights
        value = trimmed_cvar(z, alpha, trim, mass)
        if best is not None and value >= best.value - 1e-12:
            break
        best = LPBoostResult(found.model_weights, spread(found.sample_weights, kept), value, found.gap)
    assert best is not None
    return best


def _kept(values: Array, mass: Array, trim: float) -> NDArray[np.bool_]:
    """Which samples stay; of equal losses the earlier ones go first."""
    trim = check_real("trim", trim, "[0, 1)")
    worst = np.argsort(-values, kind="stable")
    kept = np.ones(len(values), dtype=bool)
    # up to rounding: a tenth of ten samples is one sample
    kept[worst[np.cumsum(mass[worst]) <= trim * (1 + 1e-12)]] = False
    return kept
