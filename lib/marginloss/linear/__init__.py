"""Linear classifiers."""

from marginloss.linear.factor import DesignFactor
from marginloss.linear.margin_classifier import MarginClassifier
from marginloss.linear.perceptron import PNormPerceptron, Winnow, mistake_bound
from marginloss.linear.two_temperature import TwoTemperatureClassifier

__all__ = [
    "DesignFactor",
    "MarginClassifier",
    "PNormPerceptron",
    "TwoTemperatureClassifier",
    "Winnow",
    "mistake_bound",
]
