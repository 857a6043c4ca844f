"""All learners on one bench: the same data, the same corruptions, the same honest tuning, and what follows from it."""

from marginalia.experiments.bench.advice import Comparison, compare_sides
from marginalia.experiments.bench.contests import contest, schedule
from marginalia.experiments.bench.learners import LEARNERS, Contender
from marginalia.experiments.bench.ranks import critical_difference, groups, mean_ranks
from marginalia.experiments.bench.tasks import CORRUPTIONS, TASKS

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
