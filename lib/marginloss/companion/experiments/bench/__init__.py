"""All learners on one bench: the same data, the same corruptions, the same honest tuning, and what follows from it."""

from marginloss.companion.experiments.bench.advice import Comparison, compare_sides
from marginloss.companion.experiments.bench.contests import contest, schedule
from marginloss.companion.experiments.bench.learners import LEARNERS, Contender
from marginloss.companion.experiments.bench.ranks import critical_difference, groups, mean_ranks
from marginloss.companion.experiments.bench.tasks import CORRUPTIONS, TASKS

__all__ = [
    "CORRUPTIONS",
    "LEARNERS",
    "TASKS",
    "Comparison",
    "Contender",
    "compare_sides",
    "contest",
    "critical_difference",
    "groups",
    "mean_ranks",
    "schedule",
]
