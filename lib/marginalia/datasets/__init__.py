"""Data that are generated, and data that are fetched, checked and prepared as the papers' authors did."""

from marginalia.datasets.fonts import make_font_images
from marginalia.datasets.long_servedio import long_servedio_points, make_long_servedio
from marginalia.datasets.mixture import gaussian_mixture_bayes, make_gaussian_mixture
from marginalia.datasets.survey import SURVEY_FEATURES, make_symptom_survey
from marginalia.datasets.xd6 import make_xd6, xd6_rule, xd6_table

__all__ = [
    "SURVEY_FEATURES",
    "gaussian_mixture_bayes",
    "long_servedio_points",
    "make_font_images",
    "make_gaussian_mixture",
    "make_long_servedio",
    "make_symptom_survey",
    "make_xd6",
    "xd6_rule",
    "xd6_table",
]
