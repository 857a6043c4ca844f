"""Every way of spoiling a training set that the papers use; each returns a changed copy."""

from marginloss.noise.features import flip_features, insider_twist, replace_instances, swap_features
from marginloss.noise.labels import flip_by_margin, flip_labels
from marginloss.noise.malicious import (
    ADVERSARIES,
    DenseHalfspace,
    GoodDistribution,
    MaliciousOracle,
    SparseMajority,
    TwoTargets,
)
from marginloss.noise.rates import estimate_flip_rates

__all__ = [
    "ADVERSARIES",
    "DenseHalfspace",
    "GoodDistribution",
    "MaliciousOracle",
    "SparseMajority",
    "TwoTargets",
    "estimate_flip_rates",
    "flip_by_margin",
    "flip_features",
    "flip_labels",
    "insider_twist",
    "replace_instances",
    "swap_features",
]
