"""Experiments of *Being Properly Improper* (sypherd2022): functions that chapters call, sweep and plot."""

from marginalia.experiments.sypherd2022.boosters import (
    DEPTHS,
    STEP_SIZES,
    Method,
    accuracy,
    importances,
    paper_methods,
    profile_entropy,
    step_response,
)
from marginalia.experiments.sypherd2022.curves import (
    SHARP_CONSTANT,
    bound_example,
    fixed_exponents,
    gain_landmarks,
    link_seconds,
    scaled_link_gap,
)

__all__ = [
    "DEPTHS",
    "SHARP_CONSTANT",
    "STEP_SIZES",
    "Method",
    "accuracy",
    "bound_example",
    "fixed_exponents",
    "gain_landmarks",
    "importances",
    "link_seconds",
    "paper_methods",
    "profile_entropy",
    "scaled_link_gap",
    "step_response",
]
