"""Boosters of the five papers on one loop, with weak learners of our own or of scikit-learn."""

from marginalia.boosting.adaboost_alpha import AdaBoostAlphaClassifier
from marginalia.boosting.encode import EncodedMatrix, encode
from marginalia.boosting.pilboost import PILBoostClassifier

__all__ = ["AdaBoostAlphaClassifier", "EncodedMatrix", "PILBoostClassifier", "encode"]
