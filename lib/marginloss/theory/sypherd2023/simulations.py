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
from marginloss.theory import Array, Finding, claim, outcome

NOISE = 0.1
ROUNDS = (100, 500)
RUNS, DEPTH_RUNS, MIXTURE_RUNS, SURVEY_RUNS = 8, 5, 4, 4  # of the checks themselves, apart from those of the chapters


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
        leads[rounds] = min(map(_beyond_doubt, differences))
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
def mixture(alpha: float = 2.0, flat_from: float = 5.0) -> Finding:
    """Closer to the Bayes line for α > 1 at every noise level; flat for large α, under a budget or as a direction.

    A line has no length: read so, what is compared is the direction, at the optimum. With the length, the error is flat
    under a budget of steps only: from α = 5 to 20 it falls less than from 1 to 5. Each difference beyond two errors.
    """
    levels = (0.05, 0.1, 0.2, 0.3, 0.4)
    steps = {(p, a): _mixture_errors(p, a, "gd") for p in levels for a in {1.0, 5.0, 20.0, alpha, flat_from}}
    turned = {a: _mixture_errors(0.2, a, "lbfgs", direction=True) for a in (1.0, 3.0, 10.0, 20.0)}
    closer = [steps[p, 1.0] - steps[p, alpha] for p in levels] + [turned[1.0] - turned[a] for a in (3.0, 10.0, 20.0)]
    closer += [steps[p, 1.0] - 2 * steps[p, flat_from] + steps[p, 20.0] for p in levels]  # it falls faster before
    # at the optimum without noise the parameters are alpha times the Bayes line: an error of (alpha - 1)^2 |line|^2 / 3
    line = _bayes_line()
    converged = {a: float(_mixture_errors(0.0, a, "lbfgs").mean()) for a in (1.0, 2.0, 3.0)}
    law = float(line @ line) / 3
    slack = min(_beyond_doubt(difference) for difference in closer)
    return outcome(
        slack,
        holds=slack > 0,
        caveat=converged[3.0] > 2 * converged[2.0] > 20 * converged[1.0],
        evidence={
            **{f"budgeted_ratio_p{100 * p:.0f}": steps[p, alpha].mean() / steps[p, 1.0].mean() for p in levels},
            "budgeted_change_5_to_20": max(abs(steps[p, 20.0].mean() - steps[p, 5.0].mean()) for p in (0.1, 0.2)),
            **{f"direction_error_alpha_{a:g}": errors.mean() for a, errors in turned.items()},
            **{f"converged_error_alpha_{a:g}": error for a, error in converged.items()},
            "law_alpha_2": law,
            "law_alpha_3": 4 * law,
            "runs": MIXTURE_RUNS,
        },
    )


@claim("sypherd2023:section-5.2-covid")
def survey(alphas: tuple[float, ...] = (1.2, 1.5, 2.0, 3.0)) -> Finding:
    """On simulated surveys some α > 1 is closest to the clean model; sensitivity rises with α at 10 % noise only.

    Each difference must exceed two standard errors over the surveys drawn.
    """
    gains = {p: _survey(p, 1.0, "error") - _least_error(p, alphas)[1] for p in (0.1, 0.15)}
    rises = {p: _survey(p, max(alphas), "sensitivity") - _survey(p, 0.6, "sensitivity") for p in (0.1, 0.15)}
    slack = min(*map(_beyond_doubt, gains.values()), _beyond_doubt(rises[0.1]))
    return outcome(
        slack,
        holds=slack > 0,
        caveat=_beyond_doubt(rises[0.15]) <= 0,
        evidence={
            "error_reduced_p10": gains[0.1].mean(),
            "error_reduced_p15": gains[0.15].mean(),
            "sensitivity_rise_p10": rises[0.1].mean(),
            "sensitivity_rise_p15": rises[0.15].mean(),
            "runs": SURVEY_RUNS,
        },
    )


@claim("sypherd2023:section-5.2-accuracy")
def survey_accuracy(alphas: tuple[float, ...] = (1.2, 1.5, 2.0, 3.0), start: float = 1.0) -> Finding:
    """The share of true labels right at the α above 1 of the least error, less that at α = 1, on simulated surveys.

    Another survey may say otherwise: what does not hold on ours is undecided.
    """
    gains = {p: _survey(p, _least_error(p, alphas)[0], "right") - _survey(p, start, "right") for p in (0.1, 0.15)}
    slack = min(map(_beyond_doubt, gains.values()))
    return outcome(
        slack,
        holds=slack > 0,
        certain=False,
        evidence={f"change_p{100 * p:.0f}": gain.mean() for p, gain in gains.items()} | {"runs": SURVEY_RUNS},
    )


def _beyond_doubt(differences: Array) -> float:
    """Mean of differences over the runs, less two standard errors."""
    return float(differences.mean() - 2 * differences.std(ddof=1) / len(differences) ** 0.5)


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


def _mixture_errors(p: float, alpha: float, solver: str, n: int = 2000, direction: bool = False) -> Array:
    """Mean squared error of the fitted parameters to the Bayes line, one per run; ``gd`` is 200 steps of 0.1.

    With ``direction``, after they were scaled to its length.
    """
    errors, line = [], _bayes_line()
    for seed in range(MIXTURE_RUNS):
        rng = np.random.default_rng(seed)
        X, y = make_gaussian_mixture(n if solver == "gd" else 10 * n, rng)
        y = flip_labels(y, p, rng)
        max_iter, step_size = (200, 0.1) if solver == "gd" else (2000, None)
        model = MarginClassifier(AlphaLoss(alpha), solver=solver, max_iter=max_iter, step_size=step_size)
        theta = _parameters(model, X, y)
        if direction:
            theta = theta * np.linalg.norm(line) / np.linalg.norm(theta)
        errors.append(np.mean((theta - line) ** 2))
    return np.array(errors)


def _least_error(p: float, alphas: tuple[float, ...]) -> tuple[float, Array]:
    """The exponent closest to the clean model in the mean, and its errors."""
    errors = {alpha: _survey(p, alpha, "error") for alpha in alphas}
    best = min(errors, key=lambda alpha: errors[alpha].mean())
    return best, errors[best]


def _survey(p: float, alpha: float, what: str) -> Array:
    """One number per survey: ``error``, ``sensitivity`` or share ``right``."""
    return np.array([_survey_fit(p, alpha, seed)[what] for seed in range(SURVEY_RUNS)])


@cache
def _survey_fit(p: float, alpha: float, seed: int) -> dict[str, float]:
    """A fit to noisy answers, held against the clean model and against clean answers."""
    rng = np.random.default_rng(seed)
    X, y = make_symptom_survey(20_000, rng)
    clean = _parameters(MarginClassifier(), X, y)
    noisy = flip_labels(y, p, rng, kind="stratified")
    model = MarginClassifier(AlphaLoss(alpha))
    error = float(np.mean((_parameters(model, X, noisy) - clean) ** 2))
    X_test, y_test = make_symptom_survey(20_000, rng)
    right = model.predict(X_test) == y_test
    return {"error": error, "sensitivity": float(right[y_test == 1].mean()), "right": float(right.mean())}


def _parameters(model: Any, X: Array, y: NDArray[np.int64]) -> Array:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a budget is meant to run out
        model.fit(X, y)
    return np.concatenate([model.intercept_, model.coef_[0]])
