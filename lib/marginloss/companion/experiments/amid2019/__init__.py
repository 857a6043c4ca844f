"""Experiments of amid2019: tempered functions, four linear models under noise, and what they cost."""

from marginloss.companion.experiments.amid2019.costs import initialisation_run, runtime_run
from marginloss.companion.experiments.amid2019.functions import (
    curvature_map,
    in_triangle,
    partition_accuracy,
    simplex_risk,
)
from marginloss.companion.experiments.amid2019.noise import (
    INSTANCE_NOISES,
    LABEL_NOISES,
    LOWEST,
    PENALTIES,
    ahead,
    by_penalty,
    instance_run,
    label_run,
    selected,
)
from marginloss.companion.experiments.amid2019.tasks import DATASETS, METHODS, Task, load_task

__all__ = [
    "DATASETS",
    "INSTANCE_NOISES",
    "LABEL_NOISES",
    "LOWEST",
    "METHODS",
    "PENALTIES",
    "Task",
    "ahead",
    "by_penalty",
    "curvature_map",
    "in_triangle",
    "initialisation_run",
    "instance_run",
    "label_run",
    "load_task",
    "partition_accuracy",
    "runtime_run",
    "selected",
    "simplex_risk",
]
