"""How far a tilted posterior is from the clean one: divergence, pointwise gain, best and constructive exponents."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import entr, expit, logit

from marginloss._validation import check_real
from marginloss.losses.base import Array, softplus
from marginloss.losses.proper.base import as_probability, times

__all__ = [
    "ConstructiveAlpha",
    "best_alpha",
    "binary_entropy",
    "constructive_alpha",
    "tilt_gain",
    "tilted_cross_entropy",
    "tilted_divergence",
]


def binary_entropy(p: ArrayLike) -> Any:
    r"""Shannon entropy :math:`H_b(p) = -p\log p - (1-p)\log(1-p)` in nats.

    Examples
    --------
    >>> float(binary_entropy(0.5)) == math.log(2)
    True
    """
    p = as_probability("p", p)
    with np.errstate(all="ignore"):
        return (entr(p) - times(1 - p, np.log1p(-p)))[()]


def tilted_cross_entropy(
    alpha: ArrayLike, eta_clean: ArrayLike, eta_twisted: ArrayLike, sample_weight: ArrayLike | None = None
) -> float:
    r"""Mean cross-entropy of the tilted posterior :math:`t_\alpha(\eta_t)` to the clean one, convex in ``alpha``.

    .. math:: CE(\alpha) = E[\eta_c\log(1 + e^{-\alpha\lambda}) + (1-\eta_c)\log(1 + e^{\alpha\lambda})],
              \qquad \lambda = \operatorname{logit}\eta_t

    Parameters
    ----------
    alpha : array_like
        One exponent, or one for each point.
    eta_clean, eta_twisted : array_like of shape (n,)
        Posteriors at n points.
    sample_weight : array_like of shape (n,), optional
        Probabilities of the points up to a factor; uniform if left out.

    Examples
    --------
    >>> eta_c, eta_t = [0.9, 0.1], [0.74, 0.26]
    >>> round(tilted_cross_entropy(1.0, eta_c, eta_t), 4), round(tilted_cross_entropy(2.1, eta_c, eta_t), 4)
    (0.4057, 0.3251)
    """
    clean, twisted = as_probability("eta_clean", eta_clean), as_probability("eta_twisted", eta_twisted)
    return _mean(_cross_entropy(alpha, clean, twisted), sample_weight)


def tilted_divergence(
    alpha: ArrayLike, eta_clean: ArrayLike, eta_twisted: ArrayLike, sample_weight: ArrayLike | None = None
) -> float:
    r"""Mean Kullback–Leibler divergence :math:`D(\alpha) = CE(\alpha) - E[H_b(\eta_c)]` of Theorem 9 of sypherd2022.

    Examples
    --------
    >>> from marginloss.losses.proper import untwisting_alpha
    >>> alpha = untwisting_alpha([0.9, 0.2], [0.74, 0.26])
    >>> abs(tilted_divergence(alpha, [0.9, 0.2], [0.74, 0.26])) < 1e-15
    True
    """
    entropy = _mean(binary_entropy(eta_clean), sample_weight)
    return tilted_cross_entropy(alpha, eta_clean, eta_twisted, sample_weight) - entropy


def tilt_gain(alpha: ArrayLike, eta_clean: ArrayLike, eta_twisted: ArrayLike) -> Any:
    r"""Cross-entropy that the tilt with ``alpha`` saves at one point against no tilt, (98) of sypherd2022, elementwise.

    .. math:: f_{\alpha,\eta_c}(\eta_t) = (\alpha-1)[\eta_c\log\eta_t + (1-\eta_c)\log(1-\eta_t)]
              - \log(\eta_t^\alpha + (1-\eta_t)^\alpha)

    Examples
    --------
    >>> tilt_gain(2.0, 0.9, [0.5, 0.65, 0.9]).round(4)
    array([ 0.    ,  0.1143, -0.1266])
    """
    clean, twisted = as_probability("eta_clean", eta_clean), as_probability("eta_twisted", eta_twisted)
    return (_cross_entropy(1.0, clean, twisted) - _cross_entropy(alpha, clean, twisted))[()]


def best_alpha(eta_clean: ArrayLike, eta_twisted: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
    r"""The one exponent of smallest divergence, root of :math:`CE'(\alpha) = E[(t_\alpha(\eta_t) - \eta_c)\lambda]`.

    This is temperature scaling: logistic regression of the clean label on the twisted logit, without intercept. It is
    ±∞ where the divergence falls for ever, and 1 if every :math:`\eta_t` is ½ (then no exponent changes anything).

    Parameters
    ----------
    eta_clean : array_like of shape (n,)
        Clean posteriors, or clean labels 0 and 1.
    eta_twisted : array_like of shape (n,)
        Twisted posteriors in (0, 1).
    sample_weight : array_like of shape (n,), optional
        Weights of the points.

    Examples
    --------
    >>> round(best_alpha([0.9, 0.1], [0.74, 0.26]), 4)
    2.1007
    """
    clean, twisted = as_probability("eta_clean", eta_clean), as_probability("eta_twisted", eta_twisted)
    ends = (twisted == 0) | (twisted == 1)
    if ends.any():
        value = twisted[ends].flat[0].item()
        raise ValueError(
            f"eta_twisted must be in (0, 1), got {value!r}: there no exponent but 0 has a finite divergence"
        )
    logits = logit(twisted)
    if not logits.any():
        return 1.0

    def slope(alpha: float) -> float:
        s = alpha * logits
        tilted = expit(np.where(np.isnan(s), 0.0, s))
        return _mean((tilted - clean) * logits, sample_weight)

    with np.errstate(all="ignore"):
        for sign in (1.0, -1.0):
            if sign * slope(sign * math.inf) <= 0:
                return sign * math.inf
        reach = 1.0
        while slope(reach) < 0 or slope(-reach) > 0:
            reach *= 2
        return float(brentq(slope, -reach, reach, xtol=1e-13, rtol=1e-14))


@dataclass(frozen=True)
class ConstructiveAlpha:
    r"""The exponent of Theorems 10 and 16 of sypherd2022 with what it is made of.

    Attributes
    ----------
    alpha : float
        :math:`\alpha^*_B = \operatorname{logit}(q)/B`, the minimiser of the upper bound (not of the divergence).
    bound : float
        The bound ``B`` on the twisted logits.
    edge : float
        Logit-edge :math:`\epsilon = E[Y\lambda \mid |\lambda| \le B]/B`.
    inside : float
        Probability of :math:`|\lambda| \le B`.
    outside_edge : float
        :math:`\bar\epsilon = E[\max\{0, -\operatorname{sign}(\alpha^*_B)\,Y\lambda\} \mid |\lambda| > B]/B`.
    """

    alpha: float
    bound: float
    edge: float
    inside: float
    outside_edge: float

    @property
    def q(self) -> float:
        r"""The probability :math:`q = (1+\epsilon)/2`."""
        return (1 + self.edge) / 2

    @property
    def guarantee(self) -> float:
        r"""Upper bound on :math:`CE(\alpha^*_B)`; :math:`H_b(q)` if all logits are inside."""
        size = abs(self.edge)
        inner = self.inside * float(binary_entropy(self.q))
        if self.inside == 1:
            return inner
        tail = (
            (math.inf if size == 1 else self.outside_edge * math.log((1 + size) / (1 - size)))
            if self.outside_edge
            else 0.0
        )
        return inner + (1 - self.inside) * (tail + (1 - size) / (1 + size))

    def inside_bound(self, alpha: ArrayLike) -> Any:
        r"""Bound :math:`\mathcal L(\alpha) = \log(1 + e^{\alpha B}) - \alpha Bq` on the cross-entropy inside."""
        s = np.asarray(alpha, dtype=np.float64) * self.bound
        return (softplus(s) - s * self.q)[()]


def constructive_alpha(
    eta_clean: ArrayLike, eta_twisted: ArrayLike, bound: float, sample_weight: ArrayLike | None = None
) -> ConstructiveAlpha:
    r"""The fixed exponent of Theorems 10 and 16, from the mean of :math:`Y\lambda` over :math:`|\lambda| \le B`.

    Parameters
    ----------
    eta_clean, eta_twisted : array_like of shape (n,)
        Posteriors at n points; clean labels 0 and 1 will do for the first.
    bound : float
        ``B`` in (0, ∞).
    sample_weight : array_like of shape (n,), optional
        Weights of the points.

    Examples
    --------
    >>> found = constructive_alpha([0.9, 0.1], [0.74, 0.26], bound=1.046)
    >>> round(found.alpha, 2), found.inside
    (2.1, 1.0)
    """
    clean, twisted = np.broadcast_arrays(
        as_probability("eta_clean", eta_clean), as_probability("eta_twisted", eta_twisted)
    )
    bound = check_real("bound", bound, "(0, inf)")
    weight = np.broadcast_to(1.0 if sample_weight is None else np.asarray(sample_weight, dtype=np.float64), clean.shape)
    logits = logit(twisted)
    within = np.abs(logits) <= bound * (1 + 1e-14)  # a logit of B may come out one rounding larger
    inside = float(weight[within].sum() / weight.sum())
    if inside == 0:
        raise ValueError(f"bound must leave some twisted logits inside, got {bound!r} below all of them")
    edge = _mean(((2 * clean - 1) * logits)[within], weight[within]) / bound
    edge = min(max(edge, -1.0), 1.0)
    # log1p twice: the logarithm of the ratio is 0/0 at an edge of one
    alpha = (math.inf * edge) if abs(edge) == 1 else (math.log1p(edge) - math.log1p(-edge)) / bound
    outside_edge = 0.0
    if not within.all():
        clean, logits, weight = clean[~within], -np.sign(alpha) * logits[~within], weight[~within]
        wrong = times(clean, np.maximum(0.0, logits)) + times(1 - clean, np.maximum(0.0, -logits))
        outside_edge = _mean(wrong, weight) / bound
    return ConstructiveAlpha(alpha, bound, edge, inside, outside_edge)


def _mean(values: Array, sample_weight: ArrayLike | None) -> float:
    if sample_weight is None:
        return float(np.mean(values))
    return float(np.average(values, weights=np.asarray(sample_weight, dtype=np.float64)))


def _cross_entropy(alpha: ArrayLike, clean: Array, twisted: Array) -> Array:
    with np.errstate(all="ignore"):
        s = np.asarray(alpha, dtype=np.float64) * logit(twisted)
        s = np.where(np.isnan(s), 0.0, s)
        return times(clean, softplus(-s)) + times(1 - clean, softplus(s))
