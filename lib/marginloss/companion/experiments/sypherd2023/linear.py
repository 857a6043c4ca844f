"""Linear models under label noise: two Gaussians with a known Bayes line, and symptom surveys."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from copy import deepcopy
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from marginloss._rows import merge_rows
from marginloss._validation import check_name
from marginloss.datasets import (
    gaussian_mixture_bayes,
    load_covid_carbon,
    load_covid_israel,
    make_gaussian_mixture,
    make_symptom_survey,
)
from marginloss.linear import MarginClassifier
from marginloss.losses import AlphaLoss
from marginloss.noise import flip_labels

Array = NDArray[np.float64]

#: Values of α in the experiment with two Gaussians (Figure 7 of sypherd2023).
MIXTURE_ALPHAS = (0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0)
#: Values of α in the experiments with surveys (Figures 8 and 30).
SURVEY_ALPHAS = (0.6, 0.8, 1.0, 1.2, 1.35, 1.5, 1.7, 2.0, 2.5, 3.0)
#: Sources of survey-like data: ours, and two public collections of tests.
SURVEYS = ("simulated", "carbon", "israel")

_PRIOR = 0.14  # share of positives in the survey of the paper
_FAR = 100.0  # a norm at which a solution counts as run away, far beyond that of the Bayes line


def mixture_errors(
    p: float, n: int, steps: int, step_size: float, rng: np.random.Generator, kind: str = "iid"
) -> list[dict[str, float]]:
    """Distance of fitted parameters from the Bayes line, for gradient descent with a budget and for a converged solver.

    Parameters
    ----------
    p : float
        Rate of label noise.
    n : int
        Number of examples.
    steps, step_size
        Budget of gradient descent, from zero.
    rng : numpy.random.Generator
        For data and noise.
    kind : {"iid", "stratified"}
        Independent flips as in (10), or the same number in both classes, as in the authors' code.

    Returns
    -------
    list of dict
        For each α: mean squared error of intercept and slopes after the budget (``budgeted``) and at the optimum
        (``converged``, NaN where the solution runs away to a norm above 100, which ``run_away`` marks), and both again
        after the parameters were scaled to the length of the Bayes line (``budgeted_direction``,
        ``converged_direction``).
    """
    X, y = make_gaussian_mixture(n, rng)
    noisy = flip_labels(y, p, rng, kind=kind)
    intercept, slopes = gaussian_mixture_bayes()
    bayes = np.array([intercept, *slopes])
    rows = []
    for alpha in MIXTURE_ALPHAS:
        loss = AlphaLoss(alpha)
        budgeted = _fit(loss, X, noisy, solver="gd", max_iter=steps, step_size=step_size, n_starts=1)
        converged = _fit(loss, X, noisy, max_iter=300)
        row = {"alpha": alpha, "run_away": float(np.linalg.norm(converged) > _FAR)}
        for name, theta in (("budgeted", budgeted), ("converged", converged)):
            row |= {name: _mean_square(theta - bayes), f"{name}_direction": _direction_error(theta, bayes)}
        if row["run_away"]:
            row["converged"] = math.nan
        rows.append(row)
    return rows


def survey_sample(source: str, n: int, rng: np.random.Generator) -> tuple[Array, NDArray[np.int64]]:
    """Rows of a survey, 14 % of them positive: simulated, or drawn from public tests with negatives thinned out.

    Parameters
    ----------
    source : {"simulated", "carbon", "israel"}
        The last two stand in for the survey of the paper; age of ``"carbon"`` is in hundreds of years.
    n : int
        Number of rows; fewer if the source has too few positives.
    rng : numpy.random.Generator
    """
    check_name("source", source, SURVEYS)
    if source == "simulated":
        return make_symptom_survey(n, rng, prior=_PRIOR)
    X, y = _public_tests(source)
    positive, negative = np.flatnonzero(y == 1), np.flatnonzero(y == -1)
    n = min(n, int(len(positive) / _PRIOR), int(len(negative) / (1 - _PRIOR)))
    counts = round(_PRIOR * n), n - round(_PRIOR * n)
    rows = np.concatenate(
        [rng.choice(group, k, replace=False) for group, k in zip((positive, negative), counts, strict=True)]
    )
    rows = rng.permutation(rows)
    return X[rows], y[rows]


def survey_errors(
    source: str, kind: str, n: int, rng: np.random.Generator, rates: Sequence[float] = (0.0, 0.05, 0.1, 0.15)
) -> list[dict[str, float]]:
    """Distance of parameters fitted to noisy labels from the clean logistic model, and sensitivity, for each α.

    Half of the rows are fitted (converged), the other half is for testing and stays clean.

    Parameters
    ----------
    source : str
        See :func:`survey_sample`.
    kind : {"stratified", "iid"}
        The same number of flips in both classes, as in the authors' code, or independent flips.
    n : int
        Number of rows in all.
    rng : numpy.random.Generator
    rates : sequence of float
        Noise rates; drawing the rows takes as long as the fits, so that all rates share them.

    Returns
    -------
    list of dict
        For each rate ``p`` and each α: ``error`` (mean squared difference of intercept and coefficients),
        ``direction`` (the same after scaling to the length of the clean model), ``sensitivity``, ``specificity``.
    """
    X, y = survey_sample(source, n, rng)
    half = len(y) // 2
    # distinct rows with their counts, found once for all fits: surveys have few of them
    clean = _fit(AlphaLoss(1.0), *_merged(X[:half], y[:half]))
    X_test, y_test = X[half:], y[half:]
    rows = []
    for p in rates:
        noisy = _merged(X[:half], flip_labels(y[:half], p, deepcopy(rng), kind=kind))  # of each rate the same draws
        for alpha in SURVEY_ALPHAS:
            theta = _fit(AlphaLoss(alpha), *noisy)
            called = theta[0] + X_test @ theta[1:] > 0
            rows.append(
                {
                    "p": p,
                    "alpha": alpha,
                    "error": _mean_square(theta - clean),
                    "direction": _direction_error(theta, clean),
                    "sensitivity": float(called[y_test == 1].mean()),
                    "specificity": float((~called[y_test == -1]).mean()),
                }
            )
    return rows


@cache
def _public_tests(source: str) -> tuple[Array, NDArray[np.int64]]:
    if source == "israel":
        return load_covid_israel(return_X_y=True)
    X, y = load_covid_carbon(return_X_y=True)
    return X / np.r_[100.0, np.ones(X.shape[1] - 1)], y


def _merged(X: Array, y: NDArray[np.int64]) -> tuple[Array, NDArray[np.intp], Array]:
    """Distinct rows, their labels, and how often each is there."""
    rows, codes, counts = merge_rows(X, (y > 0).astype(np.intp), np.ones(len(y)))
    return rows, 2 * codes - 1, counts


def _fit(loss: AlphaLoss, X: Array, y: Any, sample_weight: Any = None, **options: Any) -> Array:
    """Intercept and coefficients; that a budget is used up is the point here, not a reason to warn."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = MarginClassifier(loss, **options).fit(X, y, sample_weight=sample_weight)
    return np.r_[model.intercept_, model.coef_[0]]


def _direction_error(theta: Array, target: Array) -> float:
    """Mean squared difference after scaling to the length of the target."""
    return _mean_square(theta * np.linalg.norm(target) / np.linalg.norm(theta) - target)


def _mean_square(values: Array | Sequence[float]) -> float:
    return float(np.mean(np.square(values)))
