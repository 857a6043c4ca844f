"""Class-probability losses and their links: the α-loss that untwists, and two that tilt one way only (sypherd2022)."""

from marginloss.losses.proper.alpha import AlphaCPELoss
from marginloss.losses.proper.base import ClassProbabilityLoss
from marginloss.losses.proper.clipped import clipped_inverse_link
from marginloss.losses.proper.divergence import (
    ConstructiveAlpha,
    best_alpha,
    binary_entropy,
    constructive_alpha,
    tilt_gain,
    tilted_cross_entropy,
    tilted_divergence,
)
from marginloss.losses.proper.one_sided import FocalLoss, SuperLoss
from marginloss.losses.proper.twist import blunts, flip_posterior, unflip_posterior, untwisting_alpha

__all__ = [
    "AlphaCPELoss",
    "ClassProbabilityLoss",
    "ConstructiveAlpha",
    "FocalLoss",
    "SuperLoss",
    "best_alpha",
    "binary_entropy",
    "blunts",
    "clipped_inverse_link",
    "constructive_alpha",
    "flip_posterior",
    "tilt_gain",
    "tilted_cross_entropy",
    "tilted_divergence",
    "unflip_posterior",
    "untwisting_alpha",
]
