"""Boosters of the five papers on one loop, with weak learners of our own or of scikit-learn."""

from marginalia.boosting.adaboost_alpha import AdaBoostAlphaClassifier
from marginalia.boosting.adalpboost import AdaLPBoostClassifier
from marginalia.boosting.bregmanboost import BregmanBoostClassifier
from marginalia.boosting.encode import EncodedMatrix, encode
from marginalia.boosting.lpboost import LPBoostClassifier
from marginalia.boosting.madaboost import MadaBoostClassifier
from marginalia.boosting.network import NetworkClassifier
from marginalia.boosting.noise_estimate import NoiseEstimate, estimate_noise
from marginalia.boosting.pilboost import PILBoostClassifier
from marginalia.boosting.pnorm import PNormLearner
from marginalia.boosting.smoothboost import SmoothBoostClassifier

__all__ = [
    "AdaBoostAlphaClassifier",
    "AdaLPBoostClassifier",
    "BregmanBoostClassifier",
    "EncodedMatrix",
    "LPBoostClassifier",
    "MadaBoostClassifier",
    "NetworkClassifier",
    "NoiseEstimate",
    "PILBoostClassifier",
    "PNormLearner",
    "SmoothBoostClassifier",
    "encode",
    "estimate_noise",
]
