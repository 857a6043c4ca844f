"""Losses of the margin, elementwise, silent and finite wherever the mathematics is."""

from marginalia.losses.base import MarginLoss
from marginalia.losses.margin import (
    AlphaLoss,
    ExponentialLoss,
    GeneralizedCrossEntropyLoss,
    HingeLoss,
    LogisticLoss,
    SigmoidLoss,
)
from marginalia.losses.smoothboost import SmoothBoostLoss
from marginalia.losses.two_temperature import TLogisticLoss, TwoTemperatureLoss

__all__ = [
    "AlphaLoss",
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
