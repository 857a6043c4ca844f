"""Linear classifiers."""

from marginalia.linear.halfspace import HalfspaceLearner
from marginalia.linear.pac import HalfspaceGuarantee, halfspace_guarantee
from marginalia.linear.perceptron import PNormPerceptron, Winnow, mistake_bound

__all__ = [
    "HalfspaceGuarantee",
    "HalfspaceLearner",
    "PNormPerceptron",
    "Winnow",
    "halfspace_guarantee",
    "mistake_bound",
]
