"""Linear classifiers."""

from marginalia.linear.perceptron import PNormPerceptron, Winnow, mistake_bound

__all__ = ["PNormPerceptron", "Winnow", "mistake_bound"]
