"""The tail of the losses: CVaR, the capped simplex and the linear programs of LPBoost (zhai2021, servedio2003)."""

from marginloss.risk.cvar import cvar, cvar_curve, cvar_weights
from marginloss.risk.entropic import entropic_lpboost
from marginloss.risk.floor import coin_cvar, cvar_floor, cvar_floor_curve, label_conflicts
from marginloss.risk.guarantees import hedge_excess, hedge_rounds, hedge_step, lpboost_beta, lpboost_rounds
from marginloss.risk.lpboost import lpboost, lpboost_path
from marginloss.risk.result import LPBoostResult
from marginloss.risk.simplex import project_capped_simplex
from marginloss.risk.smoothed import smoothed_cvar
from marginloss.risk.variants import group_lpboost, trimmed_cvar, trimmed_lpboost

__all__ = [
    "LPBoostResult",
    "coin_cvar",
    "cvar",
    "cvar_curve",
    "cvar_floor",
    "cvar_floor_curve",
    "cvar_weights",
    "entropic_lpboost",
    "group_lpboost",
    "hedge_excess",
    "hedge_rounds",
    "hedge_step",
    "label_conflicts",
    "lpboost",
    "lpboost_beta",
    "lpboost_path",
    "lpboost_rounds",
    "project_capped_simplex",
    "smoothed_cvar",
    "trimmed_cvar",
    "trimmed_lpboost",
]
