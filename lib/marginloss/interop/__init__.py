"""Bridges to other engines: our losses in XGBoost and LightGBM, as objectives and as complete classifiers."""

from marginloss.interop.objectives import MarginObjective, lightgbm_objective, xgboost_objective
from marginloss.interop.robust import RobustLGBMClassifier, RobustXGBClassifier

__all__ = [
    "MarginObjective",
    "RobustLGBMClassifier",
    "RobustXGBClassifier",
    "lightgbm_objective",
    "xgboost_objective",
]
