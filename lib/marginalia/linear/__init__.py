"""Linear classifiers."""

from marginalia.linear.factor import DesignFactor
from marginalia.linear.margin_classifier import MarginClassifier
from marginalia.linear.perceptron import PNormPerceptron, Winnow, mistake_bound

__all__ = ["DesignFactor", "MarginClassifier", "PNormPerceptron", "Winnow", "mistake_bound"]
