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
    NOISES,
    PENALTIES,
    TEMPERATURES,
    ahead,
    by_penalty,
    clean_run,
    instance_run,
    label_run,
    selected,
    temperature_run,
)
from marginloss.companion.experiments.amid2019.tasks import DATASETS, METHODS, PAIRS, Task, load_task
