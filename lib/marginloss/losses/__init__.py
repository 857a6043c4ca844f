"""Losses of the margin, elementwise, silent and finite wherever the mathematics is."""

from marginloss.losses.base import MarginLoss
from marginloss.losses.corrected import CorrectedLoss
from marginloss.losses.margin import (
    AlphaLoss,
    ExponentialLoss,
    GeneralizedCrossEntropyLoss,
    HingeLoss,
    LogisticLoss,
    SigmoidLoss,
)
from marginloss.losses.smoothboost import SmoothBoostLoss
from marginloss.losses.two_temperature import TLogisticLoss, TwoTemperatureLoss

__all__ = [
    "AlphaLoss",
    "CorrectedLoss",
    "ExponentialLoss",
    "GeneralizedCrossEntropyLoss",
    "HingeLoss",
    "LogisticLoss",
    "MarginLoss",
    "SigmoidLoss",
    "SmoothBoostLoss",
    "TLogisticLoss",
    "TwoTemperatureLoss",
]
