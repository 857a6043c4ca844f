"""Experiments: one module per paper (functions of one seed that return numbers), and the engine that sweeps them."""

from marginalia.experiments._scale import SCALES, current_scale, scaled
from marginalia.experiments._sweep import sweep

__all__ = ["SCALES", "current_scale", "scaled", "sweep"]
