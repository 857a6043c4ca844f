"""Claims that rest on experiments, Sections 5.1 and 5.2, from small runs of the library's own learners.

The chapters repeat them at the paper's number of runs; here a few seeds have to be enough to see each effect.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from marginloss.boosting import AdaBoostAlphaClassifier, PILBoostClassifier
from marginloss.datasets import (
    gaussian_mixture_bayes,
    make_gaussian_mixture,
    make_long_servedio,
    make_symptom_survey,
)
from marginloss.linear import MarginClassifier
from marginloss.losses import AlphaLoss
from marginloss.noise import flip_labels
from marginloss.theory import Finding, claim, outcome

Array = NDArray[np.float64]

NOISE = 0.1
ROUNDS = (100, 500)
RUNS, DEPTH_RUNS, SURVEY_RUNS = 8, 5, 4  # of the checks themselves, apart from those of the chapters


def _boosters_of_figure_4(max_depth: int) -> dict[str, Any]:
    """AdaBoost.α, PILBoost with its authors' exponent and step, and XGBoost as it comes, 100 trees each."""
    try:
        from xgboost import XGBClassifier
    except ImportError as error:
        raise ImportError("this check needs XGBoost: pip install '.[bench]' in a clone") from error
    return {
        **{f"α = {a:g}": AdaBoostAlphaClassifier(a, 100, max_depth) for a in (0.5, 1.0, 2.0, 8.0)},
        "PILBoost": PILBoostClassifier(1.1, 7.0, 100, max_depth),
        "XGBoost": XGBClassifier(n_estimators=100, max_depth=max_depth, n_jobs=1),
    }


@claim("sypherd2023:section-5.1-depth")
def depth(boosters: Callable[[int], Mapping[str, Any]] = _boosters_of_figure_4) -> Finding:
    """With shallow trees α = 2 beats the convex boosters; with deeper trees all boosters of the figure are closer.

    "Roughly the same" has no number: what decides is that the medians of all boosters draw together from depth 1 to 4.
    The caveat: one of them stays more than 4 points, twice what counts as alike elsewhere, behind the best.
    """
    gains, apart, alike = {}, {}, {}
    for max_depth in (1, 2, 3, 4):
        accuracy = {name: _median_accuracy(model) for name, model in boosters(max_depth).items()}
        above = {name: value for name, value in accuracy.items() if name in ("α = 2", "α = 8")}
        gains[max_depth] = accuracy["α = 2"] - max(value for name, value in accuracy.items() if name not in above)
        apart[max_depth] = max(accuracy.values()) - min(accuracy.values())
        ours = [value for name, value in accuracy.items() if name.startswith("α")]
        alike[max_depth] = max(ours) - min(ours)
    slack = min(gains[1], gains[2])
    return outcome(
        min(slack, apart[1] - apart[4]),
        caveat=max(apart[3], apart[4]) > 0.04,
        evidence={
            **{f"gain_depth_{d}": g for d, g in gains.items()},
            **{f"all_apart_depth_{d}": s for d, s in apart.items()},
            **{f"alphas_apart_depth_{d}": s for d, s in alike.items()},
            "runs": DEPTH_RUNS,
        },
    )


@claim("sypherd2023:section-5.1-gain")
def gain(published: float = 0.25) -> Finding:
    """About 25 points after 500 rounds; far less after the 100 rounds of the other figures."""
    early, late = ({a: float(np.mean(_accuracy(a)[:, i])) for a in (0.5, 1.0, 2.0)} for i in range(2))
    gains = {t: means[2.0] - max(means[0.5], means[1.0]) for t, means in zip(ROUNDS, (early, late), strict=True)}
    return outcome(
        0.05 - abs(gains[500] - published),
        caveat=gains[100] < published / 2,
        evidence={
            "gain_100_rounds": gains[100],
            "gain_500_rounds": gains[500],
            "accuracy_alpha_2": late[2.0],
            "runs": RUNS,
        },
    )


@claim("sypherd2023:section-5.1-intervals")
def intervals(large: tuple[float, ...] = (8.0, 20.0)) -> Finding:
    """The spread over the runs after 500 rounds is wider at α = 8 and 20 than at 2."""
    spread = {a: float(np.std(_accuracy(a)[:, 1], ddof=1)) for a in (2.0, *large)}
    slack = min(spread[a] for a in large) - spread[2.0]
    return outcome(
        slack, holds=slack > 0, evidence={f"deviation_alpha_{a:g}": s for a, s in spread.items()} | {"runs": RUNS}
    )


@claim("sypherd2023:section-5.1-range")
def effective_range(
    inside: tuple[float, ...] = (1.0, 2.0, 5.0, 8.0), outside: tuple[float, ...] = (0.5, 20.0)
) -> Finding:
    """After 500 rounds the best α of the range leads both outside of it; the caveat: after 100 rounds not yet.

    Each lead is that of the best mean, less two standard errors of its differences run by run.
    """
    leads = {}
    for i, rounds in enumerate(ROUNDS):
        means = {a: float(np.mean(_accuracy(a)[:, i])) for a in inside}
        best = max(means, key=means.__getitem__)
        differences = [_accuracy(best)[:, i] - _accuracy(a)[:, i] for a in outside]
        leads[rounds] = min(float(d.mean() - 2 * d.std(ddof=1) / RUNS**0.5) for d in differences)
    return outcome(
        leads[500],
        holds=leads[500] > 0,
        caveat=leads[100] <= 0,
        evidence={
            **{f"lead_{t}_rounds": lead for t, lead in leads.items()},
            **{f"accuracy_alpha_{a:g}": float(np.mean(_accuracy(a)[:, 1])) for a in (*inside, *outside)},
            "runs": RUNS,
        },
    )


@claim("sypherd2023:section-5.2-gmm")
def mixture(alpha: float = 2.0) -> Finding:
    """Closer to the Bayes line for α > 1 at every noise level; flat for large α, under a budget or as a direction.

    A line has no length: read so, what is compared is the direction, at the optimum. With the length, the error is flat
    under a budget of steps only.
    """
    ratio = {p: _mixture_error(p, alpha, "gd") / _mixture_error(p, 1.0, "gd") for p in (0.05, 0.1, 0.2, 0.3, 0.4)}
    flat = max(abs(_mixture_error(p, 20.0, "gd") - _mixture_error(p, 5.0, "gd")) for p in (0.1, 0.2))
    turned = {a: _mixture_error(0.2, a, "lbfgs", direction=True) for a in (1.0, 3.0, 10.0, 20.0)}
    # at the optimum without noise the parameters are alpha times the Bayes line: an error of (alpha - 1)^2 |line|^2 / 3
    line = _bayes_line()
    converged = {a: _mixture_error(0.0, a, "lbfgs") for a in (1.0, 2.0, 3.0)}
    law = float(line @ line) / 3
    return outcome(
        min(1 - max(ratio.values()), turned[1.0] - max(turned[a] for a in (3.0, 10.0, 20.0))),
        caveat=converged[3.0] > 2 * converged[2.0] > 20 * converged[1.0],
        evidence={
            **{f"budgeted_ratio_p{100 * p:.0f}": r for p, r in ratio.items()},
            "budgeted_change_5_to_20": flat,
            **{f"direction_error_alpha_{a:g}": error for a, error in turned.items()},
            **{f"converged_error_alpha_{a:g}": error for a, error in converged.items()},
            "law_alpha_2": law,
            "law_alpha_3": 4 * law,
            "runs": 1,
        },
    )


@claim("sypherd2023:section-5.2-covid")
def survey(alphas: tuple[float, ...] = (1.2, 1.5, 2.0, 3.0)) -> Finding:
    """On simulated surveys some α > 1 is closest to the clean model; sensitivity rises with α at 10 % noise only.

    Each difference must exceed two standard errors over the surveys drawn.
    """
    gains: dict[float, list[float]] = {0.1: [], 0.15: []}
    rises: dict[float, list[float]] = {0.1: [], 0.15: []}
    for seed in range(SURVEY_RUNS):
        reference, _ = _survey_fit(0.0, 1.0, seed)
        for p in gains:
            fits = {alpha: _survey_fit(p, alpha, seed) for alpha in (0.6, 1.0, *alphas)}
            error = {alpha: float(np.mean((theta - reference) ** 2)) for alpha, (theta, _) in fits.items()}
            gains[p].append(error[1.0] - min(error[a] for a in alphas))
            rises[p].append(fits[max(alphas)][1] - fits[0.6][1])
    gain, rise = ({p: float(np.mean(values)) for p, values in of.items()} for of in (gains, rises))
    doubt = {p: 2 * float(np.std(rises[p], ddof=1)) / SURVEY_RUNS**0.5 for p in rises}
    least = min(gain[p] - 2 * float(np.std(gains[p], ddof=1)) / SURVEY_RUNS**0.5 for p in gains)
    slack = min(least, rise[0.1] - doubt[0.1])
    return outcome(
        slack,
        holds=slack > 0,
        caveat=rise[0.15] <= doubt[0.15],
        evidence={
            "error_reduced_p10": gain[0.1],
            "error_reduced_p15": gain[0.15],
            "sensitivity_rise_p10": rise[0.1],
            "sensitivity_rise_p15": rise[0.15],
            "runs": SURVEY_RUNS,
        },
    )


def _long_servedio(seed: int) -> tuple[Array, NDArray[np.int64], Array, NDArray[np.int64]]:
    """Noisy training set and clean test set."""
    rng = np.random.default_rng(seed)
    X, y = make_long_servedio(1000, rng)
    X_test, y_test = make_long_servedio(2000, rng)
    return X, flip_labels(y, NOISE, rng, kind="count"), X_test, y_test


def _median_accuracy(model: Any, runs: int = DEPTH_RUNS) -> float:
    scores = []
    for seed in range(runs):
        X, y, X_test, y_test = _long_servedio(seed)
        scores.append(model.fit(X, y > 0).score(X_test, y_test > 0))  # XGBoost takes no label -1
    return float(np.median(scores))


@cache
def _accuracy(alpha: float, runs: int = RUNS) -> Array:
    """Clean accuracy of boosted stumps after each number of rounds, one row a run."""
    rows = []
    for seed in range(runs):
        X, y, X_test, y_test = _long_servedio(seed)
        stages = list(AdaBoostAlphaClassifier(alpha, max(ROUNDS)).fit(X, y).staged_predict(X_test))
        # a booster that stopped early keeps its last vote
        rows.append([np.mean(stages[min(rounds, len(stages)) - 1] == y_test) for rounds in ROUNDS])
    return np.array(rows)


def _bayes_line() -> Array:
    """Intercept and slopes of the Bayes score of the mixture."""
    intercept, slopes = gaussian_mixture_bayes()
    return np.array([intercept, *slopes])


def _mixture_error(p: float, alpha: float, solver: str, n: int = 2000, direction: bool = False) -> float:
    """Mean squared error of the fitted parameters to the Bayes line; ``gd`` is a budget of 2000 steps of 0.01.

    With ``direction``, after they were scaled to its length.
    """
    rng = np.random.default_rng(0)
    X, y = make_gaussian_mixture(n if solver == "gd" else 10 * n, rng)
    y = flip_labels(y, p, rng)
    model = MarginClassifier(AlphaLoss(alpha), solver=solver, max_iter=2000, step_size=0.01 if solver == "gd" else None)
    theta, line = _parameters(model, X, y), _bayes_line()
    if direction:
        theta = theta * np.linalg.norm(line) / np.linalg.norm(theta)
    return float(np.mean((theta - line) ** 2))


@cache
def _survey_fit(p: float, alpha: float, seed: int) -> tuple[Array, float]:
    """Parameters of a fit to noisy answers, and its sensitivity on clean ones."""
    rng = np.random.default_rng(seed)
    X, y = make_symptom_survey(20_000, rng)
    noisy = flip_labels(y, p, rng, kind="stratified") if p else y
    model = MarginClassifier(AlphaLoss(alpha))
    theta = _parameters(model, X, noisy)
    X_test, y_test = make_symptom_survey(20_000, rng)
    return theta, float(np.mean(model.predict(X_test)[y_test == 1] == 1))


def _parameters(model: Any, X: Array, y: NDArray[np.int64]) -> Array:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a budget is meant to run out
        model.fit(X, y)
    return np.concatenate([model.intercept_, model.coef_[0]])
