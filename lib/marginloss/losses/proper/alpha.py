"""The α-loss of class-probability estimation with its links, for every α of the extended real line."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize_scalar
from scipy.special import expit, logit

from marginloss._validation import check_real
from marginloss.losses.base import Array, softplus
from marginloss.losses.margin import AlphaLoss
from marginloss.losses.proper import links
from marginloss.losses.proper.base import ClassProbabilityLoss, as_probability, as_sign, elementwise

__all__ = ["AlphaCPELoss"]


@dataclass(frozen=True)
class AlphaCPELoss(ClassProbabilityLoss):
    r"""α-loss of a class-probability estimate, with links and convex surrogate (``alpha``: the parameter of the loss).

    .. math:: \ell_1^\alpha(u) = \frac{\alpha}{\alpha-1}\bigl(1 - u^{1-1/\alpha}\bigr),\qquad
              t_\alpha(\eta) = \sigma(\alpha\operatorname{logit}\eta)

    Definition 7 of sypherd2022: log-loss at 1, :math:`1 - u` at ∞; for :math:`\alpha < 0` the classes change roles. The
    tilt :math:`t_\alpha` is temperature scaling of the posterior with temperature :math:`1/\alpha` (Lemma 8), which
    sharpens above 1, blunts in (0, 1) and flips below 0. Bayes risk, links and surrogate depend on :math:`|\alpha|`.

    Parameters
    ----------
    alpha : float
        In :math:`[-\infty, \infty]`.

    Examples
    --------
    >>> from marginloss.losses.proper import AlphaCPELoss
    >>> loss = AlphaCPELoss(2)
    >>> loss.tilt([0.1, 0.5, 0.8]).round(4)
    array([0.0122, 0.5   , 0.9412])
    >>> loss.inverse_link([-2.0, -1.0, 0.0]).round(4)
    array([0.   , 0.311, 0.5  ])
    >>> loss.pseudo_inverse_link([-2.0, -1.0, 0.0]).round(4)
    array([0.    , 0.2743, 0.5   ])
    """

    alpha: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", check_real("alpha", self.alpha, "[-inf, inf]"))

    @cached_property  # boosters ask for it in every round
    def beta(self) -> float:
        r"""The exponent :math:`\beta = 1 - 1/|\alpha|`, ``-inf`` at 0."""
        return AlphaLoss(abs(self.alpha)).exponent if self.alpha else -math.inf

    @property
    def clip(self) -> float:
        r"""Largest link value :math:`\alpha_c = |\alpha|/(|\alpha|-1)` if :math:`|\alpha| > 1`, else ``inf``."""
        return 1 / self.beta if self.beta > 0 else math.inf

    def _value(self, s: Array) -> Array:
        if self.alpha == 0:
            return np.where(s == np.inf, 0.0, np.inf)
        return AlphaLoss(abs(self.alpha)).value(math.copysign(1, self.alpha) * s)

    def _log_slope(self, s: Array) -> Array:
        # -l_1' = u^(-1/alpha); for alpha < 0 the same of 1 - u, and the loss increases
        decay = softplus(-math.copysign(1, self.alpha) * s)
        return np.where(decay == 0, 0.0, decay / abs(self.alpha)) if self.alpha else np.where(decay == 0, 0.0, np.inf)

    def partial_derivative(self, u: ArrayLike, y: ArrayLike, order: int = 1) -> Any:
        r"""Derivative of :math:`\ell_y(u)` in ``u`` of order 1, 2 or 3; :math:`-u^{-1/\alpha}` for y = +1, order 1."""
        if order not in (1, 2, 3):
            raise ValueError(f"order must be 1, 2 or 3, got {order!r}")
        u, y = as_probability("u", u), as_sign(y)
        side = y * math.copysign(1, self.alpha)
        power = 1 / abs(self.alpha) if self.alpha else math.inf
        factor = -math.prod(-(power + k) for k in range(order - 1))
        with np.errstate(all="ignore"):
            log_u = np.where(side > 0, np.log(u), np.log1p(-u))
            rate = power + (order - 1)  # 1/alpha survives next to an order of 1 only
            exponent = np.where((log_u == 0) | (rate == 0), 0.0, -rate * log_u)
            slope = side**order * factor * np.exp(exponent) if factor else np.zeros_like(exponent)
            return np.where(np.isnan(u), np.nan, slope)[()]

    def is_set_valued(self, eta: ArrayLike) -> Any:
        r"""Whether the minimiser of the conditional risk is a whole interval: α = 0, or α = ±∞ at η = ½."""
        eta = as_probability("eta", eta)
        return ((eta == 0.5) & math.isinf(self.alpha)) | (np.full(eta.shape, self.alpha == 0))[()]

    def _tilted_score(self, eta: Array) -> Array:
        score = self.alpha * logit(eta)
        return np.where(np.isnan(score), 0.0, score)  # 0 * inf: a set, whose representative is one half

    def untilt(self, u: ArrayLike) -> Any:
        r"""Posterior whose tilt is ``u``: :math:`t_{1/\alpha}(u)`."""
        return AlphaCPELoss(1 / self.alpha if self.alpha else math.copysign(math.inf, self.alpha)).tilt(u)

    @elementwise
    def bayes_risk(self, eta: Array) -> Array:
        r"""Smallest conditional risk, the Arimoto entropy; Shannon's at α = 1.

        .. math:: \tfrac{\alpha}{\alpha-1}\bigl(1 - (\eta^\alpha + (1-\eta)^\alpha)^{1/\alpha}\bigr)
        """
        if self.alpha == 0:
            as_probability("eta", eta)
            return np.where((eta == 0) | (eta == 1), 0.0, np.inf)
        return super().bayes_risk(eta)

    @elementwise
    def link(self, u: Array) -> Array:
        r"""Canonical link :math:`\psi(u) = -\underline L'(u)`, odd about ½, in :math:`[-\alpha_c, \alpha_c]`."""
        u = as_probability("u", u)
        if self.alpha == 0:
            return np.where(u == 0.5, 0.0, np.sign(u - 0.5) * np.inf)
        return links.score_link(np.where(u == 0.5, 0.0, abs(self.alpha) * logit(u)), self.beta)

    @elementwise
    def inverse_link(self, z: Array) -> Array:
        r"""Exact inverse :math:`V = \psi^{-1}`: 0 below :math:`-\alpha_c`, 1 above :math:`\alpha_c`.

        Closed forms at α = ½, 1, 2 and ∞; otherwise Newton inside a bracket of width log 2.
        """
        return self._of_size(z, links.link_score)

    @elementwise
    def pseudo_inverse_link(self, z: Array) -> Array:
        r"""Pseudo-inverse link :math:`\tilde f` of PILBoost, equation (160) of sypherd2022; never overflows.

        Agrees with :meth:`inverse_link` at 0 and beyond :math:`\pm\alpha_c`, and within :math:`0.0858/\alpha` elsewhere
        (α ≥ 1). At α = 1 it is the distribution function of the Laplace law, not the sigmoid.
        """
        return self._of_size(z, links.pseudo_score)

    @elementwise
    def pseudo_inverse_link_slope(self, z: Array) -> Array:
        r"""Derivative :math:`\tilde f'(z)`: :math:`1/(2\alpha)` at 0, 0 beyond :math:`\pm\alpha_c` (for α ≥ 1)."""
        if self.alpha == 0 or math.isinf(self.alpha):
            return np.zeros_like(z)
        size = np.abs(z)
        score = links.pseudo_score(size, self.beta)
        scale = 1.0 if self.beta >= 0 else 2.0**self.beta
        # d log t / dz = scale / (1 - beta scale z), and d logit t = d log t / (1 - t)
        log_slope = min(self.beta, 0.0) * math.log(2) - np.log1p(-self.beta * scale * size) + softplus(-score)
        v = score / abs(self.alpha)
        slope = np.exp(log_slope - softplus(v) - softplus(-v)) / abs(self.alpha)
        return np.where(size < self.clip, slope, 0.0)

    @elementwise
    def surrogate(self, z: Array) -> Array:
        r"""Convex surrogate :math:`F(z) = \sup_u\{\underline L(u) - zu\}`, logistic loss at α = 1; :math:`F' = -V(-z)`.

        With ``s`` the score of the exact inverse link, :math:`F(z) = \ell_1(\sigma(s))`, and :math:`F(z) = -z` below
        :math:`-\alpha_c`.
        """
        if math.isinf(self.alpha):
            return np.maximum(np.maximum(0.0, (1 - z) / 2), -z)
        if self.alpha == 0:
            return np.where(z == np.inf, 0.0, np.inf)
        value = AlphaLoss(abs(self.alpha)).value(np.sign(z) * links.link_score(np.abs(z), self.beta))
        return value + np.maximum(-z - self.clip, 0.0) if self.beta > 0 else value

    @elementwise
    def surrogate_curvature(self, z: Array) -> Array:
        r"""Second derivative :math:`F''(z) = v(1-v)/(\alpha g'(s))`, 0 from :math:`\alpha_c` on; unbounded if α > 2."""
        if self.alpha == 0 or math.isinf(self.alpha):
            return np.zeros_like(z)
        size = np.abs(z)
        curvature = self._curvature_at_score(links.link_score(size, self.beta))
        return np.where((size < self.clip) & np.isfinite(size), curvature, 0.0)

    @property
    def curvature_bound(self) -> float:
        r"""Supremum of :math:`F''`: :math:`2^{-1-1/\alpha}/\alpha` up to α = 1.5, ½ at 2, ``inf`` above 2."""
        size = abs(self.alpha)
        if size > 2:
            return math.inf
        if size == 2:
            return 0.5
        if size == 0:
            return 0.0
        grid = np.concatenate([[0.0], np.geomspace(1e-3, 500, 300)])
        best = int(np.argmax(self._curvature_at_score(grid)))
        if best == 0:
            return float(self._curvature_at_score(grid[0]))
        around = (grid[best - 1], grid[min(best + 1, len(grid) - 1)])
        found = minimize_scalar(lambda s: -self._curvature_at_score(s), bounds=around, method="bounded")
        return -float(found.fun)

    def _curvature_at_score(self, s: Any) -> Any:
        with np.errstate(all="ignore"):
            v = s / abs(self.alpha)
            # logarithms: numerator and denominator both vanish at the clipping point
            return np.exp(-softplus(v) - softplus(-v) - links.log_link_slope(s, self.beta)) / abs(self.alpha)

    def _of_size(self, z: Array, score: Any) -> Array:
        """Probability at ``z`` from the score of ``|z|``; odd about one half."""
        size = np.abs(z)
        if math.isinf(self.alpha):
            s = np.where(size < 1, 0.0, np.inf)
        elif self.alpha == 0:
            s = np.where(np.isinf(z), np.inf, 0.0)
        else:
            s = score(size, self.beta) / abs(self.alpha)
            s = np.where(size == 0, 0.0, np.where(size < self.clip, s, np.inf))
        return expit(np.sign(z) * s)
