"""Experiments: one module per paper (functions of one seed that return numbers), and the engine that sweeps them."""

from marginalia.experiments._sweep import sweep
from marginalia.scale import SCALES, current_scale, scaled

__all__ = ["SCALES", "current_scale", "scaled", "sweep"]
