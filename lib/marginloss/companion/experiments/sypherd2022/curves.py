"""Curves of sypherd2022 that need no data: gains, divergences, bounds, and what the links cost."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar
from scipy.special import expit, logit

from marginloss.losses.proper import AlphaCPELoss, flip_posterior, untwisting_alpha
from marginloss.theory.sypherd2022.gains import gain_maximiser, gain_zero
from marginloss.theory.sypherd2022.tilting import (
    ConstructiveAlpha,
    best_alpha,
    constructive_alpha,
    tilt_gain,
    tilted_cross_entropy,
    tilted_divergence,
)

Array = NDArray[np.float64]


def gain_landmarks(alpha: float, eta_clean: float) -> dict[str, float]:
    """Place and height of the largest gain of a tilt, and its zero other than ½ (Figures 6 and 7).

    Examples
    --------
    >>> {name: round(value, 4) for name, value in gain_landmarks(2.0, 0.9).items()}
    {'peak': 0.6498, 'height': 0.1143, 'zero': 0.8198}
    """
    peak = gain_maximiser(alpha, eta_clean)
    height = float(tilt_gain(alpha, eta_clean, peak))
    return {"peak": peak, "height": height, "zero": gain_zero(alpha, eta_clean)}


def fixed_exponents(rate: float, alphas: ArrayLike, n_points: int = 180) -> dict[str, Array | float]:
    """Divergence of tilted posteriors after label noise, for posteriors spread evenly over [0.05, 0.95].

    Parameters
    ----------
    rate : float
        Share of flipped labels.
    alphas : array_like
        Exponents at which the divergence is wanted.
    n_points : int, default 180
        Number of posteriors, even: at ½ no exponent matters.

    Returns
    -------
    dict
        ``divergence`` at each exponent; ``best`` and ``infimum``, the best exponent and the smallest pointwise one; the
        divergence ``at_one``, ``at_best`` and ``at_infimum``.
    """
    clean = np.linspace(0.05, 0.95, n_points)
    twisted = flip_posterior(clean, rate)
    points = {"one": 1.0, "best": best_alpha(clean, twisted), "infimum": float(untwisting_alpha(clean, twisted).min())}
    return {
        "divergence": np.array([tilted_divergence(a, clean, twisted) for a in np.asarray(alphas, dtype=float)]),
        "best": points["best"],
        "infimum": points["infimum"],
        **{f"at_{name}": tilted_divergence(alpha, clean, twisted) for name, alpha in points.items()},
    }


def bound_example(alphas: ArrayLike, clip: bool = False, n_points: int = 20000) -> dict[str, Array | float]:
    r"""Cross-entropy and its bound for :math:`\eta_c = \sigma(x/10)`, :math:`\eta_t = \sigma(x/0.6)`, x uniform on [-2, 2], B = 2.

    Parameters
    ----------
    alphas : array_like
        Exponents.
    clip : bool, default False
        Whether twisted logits are clipped to ±B, as the theorem asks; the paper's figure leaves them.
    n_points : int, default 20000
        Midpoints that stand for the uniform law.

    Returns
    -------
    dict
        ``risk`` and ``bound`` at each exponent, ``edge``, and ``alpha``, the minimiser of the bound.
    """  # noqa: E501
    limit = 2.0
    x = (np.arange(n_points) + 0.5) / n_points * 4 - 2
    clean, logits = expit(x / 10), x / 0.6
    if clip:
        logits = np.clip(logits, -limit, limit)
    edge = float(np.mean((2 * clean - 1) * logits)) / limit
    found = ConstructiveAlpha(float(logit((1 + edge) / 2)) / limit, limit, edge, 1.0, 0.0)
    grid = np.asarray(alphas, dtype=float)
    return {
        "risk": np.array([tilted_cross_entropy(alpha, clean, expit(logits)) for alpha in grid]),
        "bound": found.inside_bound(grid),
        "edge": edge,
        "alpha": found.alpha,
    }


def attained_bound(p: ArrayLike) -> dict[str, Array | float]:
    """Cross-entropies for twisted logits of ±1 that agree with the clean label with probability ``p`` (Figure 9).

    Parameters
    ----------
    p : array_like of shape (n,)
        Probabilities.

    Returns
    -------
    dict
        ``tilted`` with the exponent of Theorem 10 and ``untilted``, at each ``p``; ``touch``, where the two are
        closest, and ``gap``, by how much they differ there.

    Examples
    --------
    >>> round(attained_bound([0.5])["touch"], 4)
    0.7311
    """
    twisted = expit([1.0, -1.0])

    def pair(share: float) -> tuple[float, float]:
        clean = [share, 1 - share]
        alpha = constructive_alpha(clean, twisted, 1.0).alpha
        return tilted_cross_entropy(alpha, clean, twisted), tilted_cross_entropy(1.0, clean, twisted)

    def gap(share: float) -> float:
        tilted, untilted = pair(share)
        return untilted - tilted

    tilted, untilted = np.array([pair(share) for share in np.asarray(p, dtype=float)]).T
    closest = minimize_scalar(gap, bounds=(0.5, 1.0), method="bounded", options={"xatol": 1e-9})
    return {"tilted": tilted, "untilted": untilted, "touch": float(closest.x), "gap": float(closest.fun)}


def link_seconds(alpha: float, n_points: int = 20000, repeats: int = 5) -> dict[str, float]:
    """Seconds that exact and pseudo-inverse link take for ``n_points`` margins, the shortest of ``repeats`` each."""
    loss = AlphaCPELoss(alpha)
    z = np.linspace(-1.5, 1.5, n_points) * min(loss.clip, 8.0)

    def shortest(link: Callable[[Array], Array]) -> float:
        times = []
        for _ in range(repeats):
            start = time.perf_counter()
            link(z)
            times.append(time.perf_counter() - start)
        return min(times)

    return {"exact": shortest(loss.inverse_link), "pseudo": shortest(loss.pseudo_inverse_link)}
