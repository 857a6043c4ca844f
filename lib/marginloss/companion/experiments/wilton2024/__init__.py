"""Experiments of wilton2024, whose robust trees have published numbers: our learners on their split of Mushrooms."""

from marginloss.companion.experiments.wilton2024.mushrooms import (
    CONTROLS,
    OURS,
    PEERS,
    RATES,
    beside,
    learner_run,
    published,
)
