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
    margins_by_theta,
    paired_path,
    relatives,
    rounds_of_variants,
    sinker_rounds,
    smoothness_by_round,
)
from marginloss.companion.experiments.servedio2003.setting import (
    KAPPA,
    LONG_SERVEDIO_GAMMA,
    SOURCES,
    boosters,
    smoothboost,
)
from marginloss.theory.servedio2003.rounds import largest_gain, straight_gain
