"""Linear classifiers."""

from marginalia.linear.factor import DesignFactor
from marginalia.linear.halfspace import HalfspaceLearner
from marginalia.linear.margin_classifier import MarginClassifier
from marginalia.linear.pac import HalfspaceGuarantee, halfspace_guarantee
from marginalia.linear.perceptron import PNormPerceptron, Winnow, mistake_bound
from marginalia.linear.two_temperature import TwoTemperatureClassifier

__all__ = [
    "DesignFactor",
    "HalfspaceGuarantee",
    "HalfspaceLearner",
    "MarginClassifier",
    "PNormPerceptron",
    "TwoTemperatureClassifier",
    "Winnow",
    "halfspace_guarantee",
    "mistake_bound",
]
