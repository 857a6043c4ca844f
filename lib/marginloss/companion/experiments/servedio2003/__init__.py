"""Experiments on smooth boosting and malicious noise (servedio2003): one function of one seed an exhibit.

The paper has no experiments; these are ours. Each function returns numbers, and chapters sweep them over parameters.
"""

from marginloss.companion.experiments.servedio2003.attacks import (
    error_by_margin,
    error_by_rate,
    known_radius,
    needed_sample,
    norms_and_online,
    turned_target,
)
from marginloss.companion.experiments.servedio2003.limits import long_servedio_noise, stumps_under_noise, two_targets
from marginloss.companion.experiments.servedio2003.rounds import (
    friendly_rounds,
    heaviest_by_round,
    largest_gain,
    margins_by_theta,
    paired_path,
    relatives,
    rounds_of_variants,
    sinker_rounds,
    smoothness_by_round,
    straight_gain,
)
from marginloss.companion.experiments.servedio2003.setting import (
    KAPPA,
    LONG_SERVEDIO_GAMMA,
    SOURCES,
    boosters,
    smoothboost,
)

__all__ = [
    "KAPPA",
    "LONG_SERVEDIO_GAMMA",
    "SOURCES",
    "boosters",
    "error_by_margin",
    "error_by_rate",
    "friendly_rounds",
    "heaviest_by_round",
    "known_radius",
    "largest_gain",
    "long_servedio_noise",
    "margins_by_theta",
    "needed_sample",
    "norms_and_online",
    "paired_path",
    "relatives",
    "rounds_of_variants",
    "sinker_rounds",
    "smoothboost",
    "smoothness_by_round",
    "straight_gain",
    "stumps_under_noise",
    "turned_target",
    "two_targets",
]
