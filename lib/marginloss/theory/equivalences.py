"""Where the five papers say the same thing: identities between their losses and their weights, each computed.

The two sides of a line come from different modules, written from different papers. The gap between them is rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from marginloss.losses import (
    AlphaLoss,
    ExponentialLoss,
    GeneralizedCrossEntropyLoss,
    LogisticLoss,
    MarginLoss,
    SigmoidLoss,
    SmoothBoostLoss,
    TLogisticLoss,
    TwoTemperatureLoss,
)
from marginloss.losses.proper import AlphaCPELoss
from marginloss.risk import cvar_weights, project_capped_simplex
from marginloss.theory import Array

__all__ = ["Equivalence", "equivalences"]

MARGINS = np.linspace(-20, 20, 801)
ALPHAS = (0.6, 0.8, 1.0, 1.25, 2.0, 5.0)


@dataclass(frozen=True)
class Equivalence:
    """Two things that are one.

    Attributes
    ----------
    left, right : str
        What is compared.
    papers : tuple of str
        Keys of the papers that bring the two sides.
    gap : float
        Largest difference found, relative to the size of the values.
    tolerance : float
        Rounding that the computation may show; zero gap is the mathematics.
    """

    left: str
    right: str
    papers: tuple[str, ...]
    gap: float
    tolerance: float

    @property
    def holds(self) -> bool:
        """Whether the gap is rounding."""
        return self.gap <= self.tolerance


def equivalences() -> list[Equivalence]:
    """All identities that tie the five papers together, computed.

    Examples
    --------
    >>> all(line.holds for line in equivalences())
    True
    """
    return [
        Equivalence(
            "α-loss",
            "two-temperature loss with t₁ = 1/α, t₂ = 1",
            ("sypherd2023", "amid2019"),
            _same_losses(AlphaLoss, lambda a: TwoTemperatureLoss(1 / a, 1)),
            1e-13,
        ),
        Equivalence(
            "α-loss, α ≥ 1",
            "generalised cross entropy with q = 1 − 1/α",
            ("sypherd2023", "amid2019"),
            _same_losses(AlphaLoss, lambda a: GeneralizedCrossEntropyLoss(1 - 1 / a), (1.0, 1.25, 2.0, 5.0)),
            1e-13,
        ),
        Equivalence(
            "α-loss at ½, 1, ∞",
            "exponential, logistic, sigmoid loss",
            ("sypherd2023",),
            max(
                _gap(ExponentialLoss().value(MARGINS), np.exp(-MARGINS)),
                _gap(LogisticLoss().value(MARGINS), np.log1p(np.exp(-MARGINS))),
                _gap(SigmoidLoss().value(MARGINS), 1 / (1 + np.exp(MARGINS))),
            ),
            1e-13,
        ),
        Equivalence(
            "t-logistic loss",
            "two-temperature loss with t₁ = 1, t₂ = t",
            ("amid2019",),
            _same_losses(TLogisticLoss, lambda t: TwoTemperatureLoss(1, t), (1.0, 1.3, 1.8)),
            1e-13,
        ),
        Equivalence(
            "α-loss of the margin z",
            "class-probability α-loss of σ(z)",
            ("sypherd2023", "sypherd2022"),
            max(_gap(AlphaLoss(a).value(MARGINS), AlphaCPELoss(a).partial(expit(MARGINS), 1)) for a in ALPHAS),
            1e-7,  # far out little of 1 - σ(z) is left in a double, which the probability form cannot undo
        ),
        Equivalence(
            "posterior that the α-loss reads off a score",
            "inverse of the tilt that its minimiser applies",
            ("sypherd2023", "sypherd2022"),
            _tilt_gap(),
            1e-13,
        ),
        Equivalence(
            "SmoothBoost's distribution",
            "projection of e^(−βN) on the capped simplex, in relative entropy",
            ("servedio2003", "zhai2021"),
            _smoothboost_gap(),
            1e-13,
        ),
        Equivalence(
            "CVaR's weights",
            "limit of the projected exponential weights",
            ("zhai2021", "servedio2003"),
            _cvar_gap(),
            1e-13,
        ),
    ]


def _same_losses(
    left: Callable[[float], MarginLoss], right: Callable[[float], MarginLoss], knobs: tuple[float, ...] = ALPHAS
) -> float:
    """Largest gap between two families, in value and in weight."""
    pairs = [(left(knob), right(knob)) for knob in knobs]
    return max(
        max(_gap(a.value(MARGINS), b.value(MARGINS)), _gap(a.weight(MARGINS), b.weight(MARGINS))) for a, b in pairs
    )


def _tilt_gap() -> float:
    eta = np.linspace(0.01, 0.99, 99)
    found = [AlphaLoss(a).posterior(logit(AlphaCPELoss(a).tilt(eta))) for a in (0.6, 0.8, 1.0, 1.25, 2.0)]
    return max(_gap(posterior, eta) for posterior in found)


def _smoothboost_gap() -> float:
    """The measure of a random state, normalised, against the projection with the cap 1/|M|."""
    state = np.random.default_rng(0).normal(3, 10, 500)
    gaps = []
    for gamma in (0.05, 0.2, 0.45):
        loss = SmoothBoostLoss(gamma)
        measure = loss.weight(state)
        projected = project_capped_simplex(-loss.decay * state, 1 / measure.sum())
        gaps.append(_gap(projected, measure / measure.sum()))
    return max(gaps)


def _cvar_gap() -> float:
    losses = np.random.default_rng(0).permutation(np.linspace(0, 1, 200))
    return max(
        _gap(cvar_weights(losses, tail, beta=1e5), cvar_weights(losses, tail)) for tail in (0.05, 0.113, 0.5, 1.0)
    )


def _gap(found: Array, wanted: Array) -> float:
    """Largest difference relative to the size of the values; two equal infinities do not differ."""
    with np.errstate(invalid="ignore"):
        difference = np.where(found == wanted, 0.0, np.abs(found - wanted))
    return float(np.max(difference / np.maximum(np.abs(wanted), np.abs(wanted).max() * 1e-12)))
