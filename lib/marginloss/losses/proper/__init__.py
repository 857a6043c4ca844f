"""Class-probability losses and their links: the α-loss that untwists, and two that tilt one way only (sypherd2022)."""

from marginloss.losses.proper.alpha import AlphaCPELoss
from marginloss.losses.proper.base import ClassProbabilityLoss
from marginloss.losses.proper.one_sided import FocalLoss, SuperLoss
from marginloss.losses.proper.twist import blunts, flip_posterior, unflip_posterior, untwisting_alpha

__all__ = [
    "AlphaCPELoss",
    "ClassProbabilityLoss",
    "FocalLoss",
    "SuperLoss",
    "blunts",
    "flip_posterior",
    "unflip_posterior",
    "untwisting_alpha",
]
