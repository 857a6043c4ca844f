"""Boosters of the five papers on one loop, with weak learners of our own or of scikit-learn."""

from marginloss.boosting.adaboost_alpha import AdaBoostAlphaClassifier
from marginloss.boosting.adalpboost import AdaLPBoostClassifier
from marginloss.boosting.bregmanboost import BregmanBoostClassifier
from marginloss.boosting.encode import EncodedMatrix, encode
from marginloss.boosting.halfspace import HalfspaceLearner
from marginloss.boosting.lpboost import LPBoostClassifier
from marginloss.boosting.madaboost import MadaBoostClassifier
from marginloss.boosting.noise_estimate import NoiseEstimate, estimate_noise
from marginloss.boosting.pac import HalfspaceGuarantee, halfspace_guarantee
from marginloss.boosting.pilboost import PILBoostClassifier
from marginloss.boosting.pnorm import PNormLearner
from marginloss.boosting.smoothboost import SmoothBoostClassifier

__all__ = [
    "AdaBoostAlphaClassifier",
    "AdaLPBoostClassifier",
    "BregmanBoostClassifier",
    "EncodedMatrix",
    "HalfspaceGuarantee",
    "HalfspaceLearner",
    "LPBoostClassifier",
    "MadaBoostClassifier",
    "NoiseEstimate",
    "PILBoostClassifier",
    "PNormLearner",
    "SmoothBoostClassifier",
    "encode",
    "estimate_noise",
    "halfspace_guarantee",
]
