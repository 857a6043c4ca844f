"""The tail of the losses: CVaR, the capped simplex and the linear programs of LPBoost (zhai2021, servedio2003)."""

from marginalia.risk.cvar import cvar, cvar_curve, cvar_weights
from marginalia.risk.simplex import project_capped_simplex
from marginalia.risk.smoothed import smoothed_cvar

__all__ = ["cvar", "cvar_curve", "cvar_weights", "project_capped_simplex", "smoothed_cvar"]
