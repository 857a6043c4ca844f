"""Experiments of zhai2021."""

from marginloss.companion.experiments.zhai2021.ensembles import (
    GRID,
    compas,
    compas_floor,
    crossing,
    images,
    outliers,
    regularised,
)

__all__ = ["GRID", "compas", "compas_floor", "crossing", "images", "outliers", "regularised"]
