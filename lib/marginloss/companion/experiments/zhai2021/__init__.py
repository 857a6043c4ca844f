"""Experiments of zhai2021."""

from marginloss.companion.experiments.zhai2021.ensembles import (
    GRID,
    compas,
    compas_floor,
    crossing,
    images,
    outside_share,
    regularised,
    stand_in,
)
from marginloss.companion.experiments.zhai2021.groups import CUTS, LABELLED, MIXTURES, groups_of, people

__all__ = [
    "CUTS",
    "GRID",
    "LABELLED",
    "MIXTURES",
    "compas",
    "compas_floor",
    "crossing",
    "groups_of",
    "images",
    "outside_share",
    "people",
    "regularised",
    "stand_in",
]
