"""Data that are generated, and data that are read, checked and prepared as the papers' authors did."""

from marginloss.datasets.coded import load_adult, load_keel, load_letter, load_mushroom
from marginloss.datasets.covid import load_covid_carbon, load_covid_israel
from marginloss.datasets.files import ChecksumError
from marginloss.datasets.fonts import make_font_images
from marginloss.datasets.images import load_cifar10, load_cifar10n, load_covertype, load_fashion_mnist
from marginloss.datasets.inventory import available
from marginloss.datasets.long_servedio import long_servedio_points, make_long_servedio
from marginloss.datasets.mixture import gaussian_mixture_bayes, make_gaussian_mixture
from marginloss.datasets.registry import DatasetNotFound
from marginloss.datasets.survey import SURVEY_FEATURES, make_symptom_survey
from marginloss.datasets.tables import load_breast_cancer, load_compas, load_online_shoppers, load_pima, load_xd6
from marginloss.datasets.xd6 import make_xd6, xd6_rule, xd6_table

__all__ = [
    "SURVEY_FEATURES",
    "ChecksumError",
    "DatasetNotFound",
    "available",
    "gaussian_mixture_bayes",
    "load_adult",
    "load_breast_cancer",
    "load_cifar10",
    "load_cifar10n",
    "load_compas",
    "load_covertype",
    "load_covid_carbon",
    "load_covid_israel",
    "load_fashion_mnist",
    "load_keel",
    "load_letter",
    "load_mushroom",
    "load_online_shoppers",
    "load_pima",
    "load_xd6",
    "long_servedio_points",
    "make_font_images",
    "make_gaussian_mixture",
    "make_long_servedio",
    "make_symptom_survey",
    "make_xd6",
    "xd6_rule",
    "xd6_table",
]
