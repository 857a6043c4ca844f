"""A simulated symptom survey, which takes the place of a survey that only a data-use agreement opens."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from marginloss._validation import check_integer, check_real, check_rng

__all__ = ["SURVEY_FEATURES", "make_symptom_survey"]

# symptom: (log-odds in negatives, added in positives, slope on the hidden severity)
_SYMPTOMS = {
    "LossOfSmellTaste": (-4.4, 4.0, 0.8),
    "ShortBreath": (-3.0, 0.9, 1.2),
    "Aches": (-2.0, 1.1, 1.2),
    "Tired": (-1.4, 1.1, 1.2),
    "Cough": (-1.9, 1.1, 0.8),
    "Fever": (-4.0, 2.2, 1.2),
}

#: Columns of the survey: those of Table 1 of sypherd2023.
SURVEY_FEATURES = ("Age", "Gender", *_SYMPTOMS)


def make_symptom_survey(n: int, rng: Any, *, prior: float = 0.14) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    r"""Simulate a COVID-19 symptom survey with the columns and the class share of Table 1 of sypherd2023.

    A test is positive with probability ``prior``. All symptoms of a person share a hidden severity
    :math:`u \sim N(0, 1)`; each is present with probability :math:`\sigma(a + b\,[y = 1] + c\,u)`. Age is one of seven
    bands, scaled to [0, 1]; gender is a bit. The rates are our assumptions, set so that a clean logistic fit has about
    the sensitivity and specificity that the paper's data show. Nothing here is a statement about the disease.

    Parameters
    ----------
    n : int
        Number of rows.
    rng : numpy.random.Generator or int
        Generator or seed.
    prior : float, default=0.14
        Share of positive tests, in [0, 1].

    Returns
    -------
    X : ndarray of shape (n, 8)
        Columns ``SURVEY_FEATURES``.
    y : ndarray of shape (n,)
        Test result −1/+1.

    Examples
    --------
    >>> X, y = make_symptom_survey(1000, rng=0)
    >>> X.shape, float(X.min()), float(X.max())
    ((1000, 8), 0.0, 1.0)
    """
    n, generator = check_integer("n", n, 1), check_rng(rng)
    positive = generator.random(n) < check_real("prior", prior, "[0, 1]")
    severity = generator.standard_normal(n)
    band = np.rint(np.where(positive, 3.35, 3.6) + 1.6 * generator.standard_normal(n)).clip(0, 6)
    gender = generator.random(n) < np.where(positive, 0.38, 0.35)
    base, effect, slope = np.array(list(_SYMPTOMS.values())).T
    symptoms = generator.random((n, len(base))) < expit(base + np.outer(positive, effect) + np.outer(severity, slope))
    X = np.column_stack([band / 6, gender, symptoms])
    return X.astype(np.float64), np.where(positive, 1, -1)
