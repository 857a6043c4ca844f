"""Twisted posteriors: what label noise does to them, and the exponent that undoes a twist at one point."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logit

from marginloss._validation import check_real
from marginloss.losses.proper.base import as_probability

__all__ = ["blunts", "flip_posterior", "unflip_posterior", "untwisting_alpha"]


def untwisting_alpha(eta_clean: ArrayLike, eta_twisted: ArrayLike) -> Any:
    r"""Exponent whose tilt maps the twisted posterior to the clean one (Lemma 8 c of sypherd2022), elementwise.

    .. math:: \alpha^* = \operatorname{logit}(\eta_c)/\operatorname{logit}(\eta_t)

    Where many exponents do, the corner cases are: ±∞ at :math:`\eta_t = ½` (the tilt is then a set that contains
    :math:`\eta_c`), ±1 if both are 0 or 1, and 1 if both are ½.

    Examples
    --------
    >>> untwisting_alpha([0.9, 0.1, 0.9], [0.74, 0.26, 0.26]).round(4)
    array([ 2.1007,  2.1007, -2.1007])
    """
    clean, twisted = as_probability("eta_clean", eta_clean), as_probability("eta_twisted", eta_twisted)
    with np.errstate(all="ignore"):
        top, bottom = logit(clean), logit(twisted)
        ratio = top / bottom
        ratio = np.where(np.isinf(top) & np.isinf(bottom), np.sign(top) * np.sign(bottom), ratio)
        ratio = np.where(bottom == 0, np.where(top == 0, 1.0, np.sign(top) * np.inf), ratio)
        return np.where(np.isnan(clean + twisted), np.nan, ratio)[()]


def flip_posterior(eta: ArrayLike, rate: float) -> Any:
    r"""Posterior after labels are flipped with probability ``rate``: :math:`\eta(1-p) + (1-\eta)p`.

    Examples
    --------
    >>> float(flip_posterior(0.9, 0.2).round(12))
    0.74
    """
    eta, rate = as_probability("eta", eta), check_real("rate", rate, "[0, 1]")
    return (eta * (1 - rate) + (1 - eta) * rate)[()]


def unflip_posterior(eta: ArrayLike, rate: float) -> Any:
    r"""Clean posterior :math:`(\eta_t - p)/(1 - 2p)` behind labels flipped with probability ``rate``, within [0, 1].

    Examples
    --------
    >>> float(unflip_posterior(0.74, 0.2).round(12))
    0.9
    """
    eta, rate = as_probability("eta", eta), check_real("rate", rate, "[0, 1]")
    if rate == 0.5:
        raise ValueError("rate must not be 0.5: such labels say nothing about the clean ones")
    return np.clip((eta - rate) / (1 - 2 * rate), 0.0, 1.0)[()]


def blunts(eta_clean: ArrayLike, eta_twisted: ArrayLike, strictly: bool = False) -> Any:
    r"""Whether the twist moves the posterior towards ½ without crossing it (Definition 3 of sypherd2022), elementwise.

    Examples
    --------
    >>> blunts([0.9, 0.9, 0.9], [0.7, 0.95, 0.3])
    array([ True, False, False])
    """
    clean, twisted = as_probability("eta_clean", eta_clean), as_probability("eta_twisted", eta_twisted)
    below = (clean < twisted) if strictly else (clean <= twisted)
    above = (clean > twisted) if strictly else (clean >= twisted)
    return ((below & (twisted <= 0.5)) | (above & (twisted >= 0.5)))[()]
