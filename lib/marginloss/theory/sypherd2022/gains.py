"""The pointwise gain of a tilt as a function of the twisted posterior: zeros, shape, maximum (Appendix A.6)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq, minimize_scalar
from scipy.special import logit

from marginloss.losses.proper import AlphaCPELoss
from marginloss.theory import Array, Finding, claim, outcome
from marginloss.theory.sypherd2022.tilting import tilt_gain

__all__ = ["gain_curvature", "gain_maximiser", "gain_zero"]


def _printed_gain(alpha: float, clean: float, x: Array) -> Array:
    """Equation (98) as it stands."""
    return (alpha - 1) * (clean * np.log(x) + (1 - clean) * np.log1p(-x)) - np.log(x**alpha + (1 - x) ** alpha)


def gain_curvature(alpha: float, eta_clean: float, eta_twisted: ArrayLike) -> Any:
    r"""Second derivative of the gain (98) in the twisted posterior."""
    x = np.asarray(eta_twisted, dtype=np.float64)
    t = AlphaCPELoss(alpha).tilt(x)
    entropy = eta_clean / x**2 + (1 - eta_clean) / (1 - x) ** 2
    spread = t / x**2 + (1 - t) / (1 - x) ** 2
    slope = t / x - (1 - t) / (1 - x)
    return -(alpha - 1) * entropy - alpha * (alpha - 1) * spread + (alpha * slope) ** 2


def gain_zero(alpha: float, eta_clean: float) -> float:
    """The zero of the gain other than ½, on the side of the clean posterior (α > 1)."""
    outer = 1 - 1e-12 if eta_clean > 0.5 else 1e-12
    inner = gain_maximiser(alpha, eta_clean)
    return float(brentq(lambda x: float(tilt_gain(alpha, eta_clean, x)), inner, outer, xtol=1e-14))


def gain_maximiser(alpha: float, eta_clean: float) -> float:
    """Where the gain is largest: the root of (103), between ½ and the clean posterior (α > 1)."""

    def stationary(x: float) -> float:
        return math.log(
            (alpha * (1 - eta_clean) + eta_clean - x) / (alpha * eta_clean - eta_clean + x)
        ) + alpha * float(logit(x))

    low, high = sorted((0.5, eta_clean))
    return float(brentq(stationary, low, high, xtol=1e-14))


@claim("sypherd2022:eq-98-zeros")
def zeros() -> Finding:
    """Zeros for a clean posterior of 0.9, their order in α and their limits; beyond ½ the gain changes sign once.

    On the other side of ½ it does not, for other clean posteriors as well.
    """
    alphas = (1.0001, 1.1, 1.4, 2.0, 10.0, 100.0)
    found = np.array([gain_zero(alpha, 0.9) for alpha in alphas])
    x = np.linspace(0.501, 0.999, 997)
    cases = [(alpha, clean) for alpha in alphas for clean in (0.6, 0.75, 0.9, 0.99)]
    changes = {np.count_nonzero(np.diff(np.sign(tilt_gain(alpha, clean, x)))) for alpha, clean in cases}
    other_side = {np.count_nonzero(np.diff(np.sign(tilt_gain(alpha, clean, 1 - x)))) for alpha, clean in cases}
    printed = max(np.abs(tilt_gain(alpha, 0.9, x) - _printed_gain(alpha, 0.9, x)).max() for alpha in alphas)
    at_half = max(abs(float(tilt_gain(alpha, 0.9, 0.5))) for alpha in alphas)
    vanishing = np.abs(tilt_gain(1 + 1e-9, 0.9, x)).max()
    holds = changes == {1} and other_side == {0} and at_half < 1e-15 and vanishing < 1e-7 and printed < 1e-12
    holds &= abs(found[0] - 0.9) < 1e-4 and found[-1] < 0.52
    evidence = {f"zero_{alpha:g}": zero for alpha, zero in zip(alphas, found, strict=True)}
    evidence["difference_from_the_printed_gain"] = printed
    return outcome(-np.diff(found).max(), holds=holds and (np.diff(found) < 0).all(), evidence=evidence)


@claim("sypherd2022:eq-98-concavity")
def concavity() -> Finding:
    """Largest second derivative on a grid; positive means not concave."""
    x = np.linspace(0.001, 0.999, 999)
    worst, middle = (
        max(gain_curvature(a, c, x).max() for a in (1.1, 2, 3, 10, 30) for c in cleans)
        for cleans in ((0.001, 0.01, 0.05, 0.2, 0.5), np.linspace(0.05, 0.95, 19))
    )
    return outcome(
        -worst,
        evidence={
            "at_clean_0.01_alpha_10_twisted_0.291": gain_curvature(10, 0.01, 0.291),
            "at_clean_0.001_alpha_3_twisted_0.071": gain_curvature(3, 0.001, 0.071),
            "largest_for_clean_from_5_to_95_percent": middle,
        },
    )


@claim("sypherd2022:eq-98-at-half")
def curvature_at_half() -> Finding:
    """Second derivative at ½ for every clean posterior, by the formula and by differences; its order in α."""
    alphas, h = np.array([1.1, 2.0, 5.0, 20.0, 100.0]), 1e-5
    cleans = (0.001, 0.3, 0.5, 0.9, 0.999)
    at_half = np.array([[float(gain_curvature(a, c, 0.5)) for c in cleans] for a in alphas])
    x = 0.5 + h * np.array([-1.0, 0.0, 1.0])
    differences = np.array([[np.diff(tilt_gain(a, c, x), 2)[0] / h**2 for c in cleans] for a in alphas])
    apart = np.abs(at_half / differences - 1).max()
    order = math.log(at_half[-1].mean() / at_half[-2].mean()) / math.log(5)
    rise = np.diff(at_half, axis=0).max()  # more concave with every α
    evidence = {"order_in_alpha": order, "largest_rise": rise, "error": apart, "at_alpha_2": at_half[1, 0]}
    holds = at_half.max() < 0 and rise < 0 and abs(order - 2) < 0.01 and apart < 1e-3
    return outcome(-max(at_half.max(), rise), holds=holds, evidence=evidence)


@claim("sypherd2022:eq-98-convexity")
def convexity() -> Finding:
    """Smallest second derivative for α in (0, 1) on a grid, and smallest second difference of the gain itself.

    A proof of the first: no term of ``gain_curvature`` is negative.
    """
    x = np.concatenate([np.geomspace(1e-6, 0.01, 60), np.linspace(0.01, 0.99, 981), 1 - np.geomspace(1e-6, 0.01, 60)])
    cases = [(a, c) for a in (0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99) for c in (0.0, 0.001, 0.01, 0.1, 0.3, 0.5)]
    curvature = np.array([gain_curvature(a, c, x) for a, c in cases])
    case, place = np.unravel_index(np.argmin(curvature), curvature.shape)
    bend = min(np.diff(tilt_gain(a, c, np.linspace(0.01, 0.99, 99)), 2).min() for a, c in cases)
    evidence = dict(zip(("alpha", "clean", "twisted"), (*cases[case], x[place]), strict=True))
    return outcome(min(curvature.min(), bend), evidence=evidence | {"smallest_second_difference": bend})


@claim("sypherd2022:eq-103")
def maximum() -> Finding:
    """The root of (103) against a direct search for the largest gain, on a grid as well, and its limit for large α."""
    gaps, x = [], np.linspace(0.001, 0.999, 999)
    for alpha in (1.01, 1.1, 1.4, 2.0, 10.0):
        for clean in (0.6, 0.75, 0.9, 0.99, 0.1):
            low, high = sorted((0.5, clean))
            found = minimize_scalar(lambda x, a=alpha, c=clean: -float(tilt_gain(a, c, x)), bounds=(low, high), method="bounded", options={"xatol": 1e-10})  # fmt: skip  # noqa: E501
            root = gain_maximiser(alpha, clean)
            largest = max(-float(found.fun), tilt_gain(alpha, clean, x).max())
            gaps.append(largest - float(tilt_gain(alpha, clean, root)))
    far = gain_maximiser(1000.0, 0.9)
    return outcome(-max(gaps), holds=max(gaps) < 1e-12 and abs(far - 0.5) < 0.01, evidence={"at_alpha_1000": far})


@claim("sypherd2022:eq-103-limit")
def maximum_limit() -> Finding:
    """Roots of (103) next to α = 1 against the printed limit and against the exact one."""
    cleans = np.array([0.6, 0.75, 0.9, 0.99])
    printed = cleans / 2 + 0.25
    exact = [brentq(lambda x, c=c: (c - x) / (x * (1 - x)) - logit(x), 0.5, c, xtol=1e-14) for c in cleans]
    near = np.array([gain_maximiser(1 + 1e-6, clean) for clean in cleans])
    gap = np.abs(near - printed)
    evidence = {f"limit_{clean:g}": root for clean, root in zip(cleans, exact, strict=True)}
    evidence |= {"at_99_percent_printed": printed[-1], "at_99_percent_exact": exact[-1], "largest_gap": gap.max()}
    evidence["error_of_exact_limit"] = np.abs(near - exact).max()
    return outcome(-gap.max(), tolerance=1e-5, evidence=evidence)
