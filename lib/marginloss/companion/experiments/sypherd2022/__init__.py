"""Experiments of *Being Properly Improper* (sypherd2022): functions that chapters call, sweep and plot."""

from marginloss.companion.experiments.sypherd2022.boosters import (
    DEPTHS,
    STEP_SIZES,
    Method,
    accuracy,
    clean_log_loss,
    importances,
    link_contest,
    majority_share,
    paper_methods,
    profile_entropy,
    step_response,
)
from marginloss.companion.experiments.sypherd2022.curves import (
    attained_bound,
    bound_example,
    fixed_exponents,
    gain_landmarks,
    link_seconds,
)
from marginloss.companion.experiments.sypherd2022.malevolent import LOSSES, malevolent_twist, reach
from marginloss.companion.experiments.sypherd2022.tables import (
    best_pilboost_alpha,
    climb_of_best_alpha,
    compare,
    falls_of_best_alpha,
    insider_profiles,
    label_noise_tables,
    lead_by_run,
    published_gaps,
    step_families,
    step_spread,
    tune_steps,
    tuned_alphas,
)
from marginloss.theory.sypherd2022.links import SHARP_CONSTANT, scaled_link_gap
