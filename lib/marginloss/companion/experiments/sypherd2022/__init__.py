"""Experiments of *Being Properly Improper* (sypherd2022): functions that chapters call, sweep and plot."""

from marginloss.companion.experiments.sypherd2022.boosters import (
    DEPTHS,
    STEP_SIZES,
    Method,
    accuracy,
    importances,
    link_contest,
    majority_share,
    paper_methods,
    profile_entropy,
    step_response,
)
from marginloss.companion.experiments.sypherd2022.curves import (
    SHARP_CONSTANT,
    attained_bound,
    bound_example,
    fixed_exponents,
    gain_landmarks,
    link_seconds,
    scaled_link_gap,
)
from marginloss.companion.experiments.sypherd2022.tables import (
    best_pilboost_alpha,
    compare,
    insider_profiles,
    lead,
    published_gaps,
    step_families,
    tune_steps,
)

__all__ = [
    "DEPTHS",
    "SHARP_CONSTANT",
    "STEP_SIZES",
    "Method",
    "accuracy",
    "attained_bound",
    "best_pilboost_alpha",
    "bound_example",
    "compare",
    "fixed_exponents",
    "gain_landmarks",
    "importances",
    "insider_profiles",
    "lead",
    "link_contest",
    "link_seconds",
    "majority_share",
    "paper_methods",
    "profile_entropy",
    "published_gaps",
    "scaled_link_gap",
    "step_families",
    "step_response",
    "tune_steps",
]
