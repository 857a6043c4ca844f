"""Bridges to other engines: our losses as objectives of XGBoost and LightGBM."""

from marginloss.interop.objectives import MarginObjective, lightgbm_objective, xgboost_objective

__all__ = ["MarginObjective", "lightgbm_objective", "xgboost_objective"]
