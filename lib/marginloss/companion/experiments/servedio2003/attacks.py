"""Halfspaces under malicious noise: error against rate, adversary, margin, norm and sample size."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from scipy.stats import ortho_group

from marginloss._norms import dual_exponent, p_norm
from marginloss.boosting import HalfspaceLearner, PNormLearner
from marginloss.companion.experiments.servedio2003.setting import (
    SOURCES,
    TEST_SIZE,
    boosters,
    error_of,
    fit_quietly,
    impagliazzo,
    smoothboost,
)
from marginloss.linear import PNormPerceptron, Winnow
from marginloss.noise import DenseHalfspace, MaliciousOracle, SparseMajority

Numbers = dict[str, float]


def error_by_rate(target: str, adversary: str, rate: float, rng: np.random.Generator, strong: bool = False) -> Numbers:
    """Error on clean points of three boosters at a malicious rate, and how SmoothBoost's run went."""
    source = SOURCES[target]
    X, y, dirty = MaliciousOracle(adversary, rate, source, strong).draw(1000, rng)
    clean = source.draw(TEST_SIZE, rng)
    gamma = 1 / (4 * source.difficulty)
    models = boosters(source.p, source.R, gamma)
    result: Numbers = {name: error_of(fit_quietly(model, X, y), *clean) for name, model in models.items()}
    smooth = models["smooth"]
    suspects = smooth.suspects(X, y)
    return {
        **result,
        "stopped": smooth.stop_reason_ == "converged",
        "advantage_over_gamma": float(smooth.advantages_.min() / gamma),
        "caught": int((suspects & dirty).sum()),
        "suspects": int(suspects.sum()),
        "dirty": int(dirty.sum()),
    }


def error_by_margin(adversary: str, rate: float, rng: np.random.Generator) -> Numbers:
    """Error of six boosters with the same cap, three of which aim at a margin, on the sparse target."""
    source = SOURCES["sparse"]
    X, y, _ = MaliciousOracle(adversary, rate, source).draw(1000, rng)
    clean = source.draw(TEST_SIZE, rng)
    gamma = 1 / (4 * source.difficulty)
    settings: dict[str, dict[str, Any]] = {
        "smooth": {},
        "smooth_theta_0": {"theta": 0.0},
        "adaptive_theta_0": {"theta": 0.0, "adaptive": True},
        "adaptive": {"adaptive": True},
        "adaptive_larger": {"theta": 0.1, "adaptive": True},
    }
    result: Numbers = {}
    for name, options in settings.items():
        model = boosters(source.p, source.R, gamma)["smooth"].set_params(**options)
        result[name] = error_of(fit_quietly(model, X, y), *clean)
        result[f"{name}_smoothness"] = float(model.smoothness_.max())
    done, coef = impagliazzo(PNormLearner(p=source.p, R=source.R), gamma, X, y, 1500)
    result["impagliazzo"] = float(np.mean(clean[1] * (clean[0] @ coef) <= 0))
    result["impagliazzo_smoothness"] = float((1 / done.kappas).max())
    return result


def norms_and_online(target: str, rate: float, rng: np.random.Generator) -> Numbers:
    """SmoothBoost at p = 2 and infinity beside online algorithms made into batch learners.

    Both norms get the γ of the target's own norm; that of the other one would ask for hundreds of thousands of rounds.
    The online algorithms see two thirds of the examples once, and the rest chooses among their hypotheses: the
    conversion of Theorem 7.
    """
    source, m = (SOURCES["wide"], 400) if target == "dense" else (SparseMajority(200, 3), 150)
    X, y, _ = MaliciousOracle("fake", rate, source).draw(m, rng)
    clean = source.draw(TEST_SIZE, rng)
    n = source.target.size
    result: Numbers = {}
    for name, p in (("p_2", 2.0), ("p_inf", math.inf)):
        R = float(n ** (1 / p)) if p < source.p else 1.0
        model = boosters(p, R, 1 / (4 * source.difficulty))["smooth"]
        result[name] = error_of(fit_quietly(model, X, y), *clean)
    conversion: dict[str, Any] = {"max_iter": 1, "fit_intercept": False, "validation_fraction": 1 / 3}
    online = {
        "perceptron": PNormPerceptron(p=2.0, **conversion),
        "p_log": PNormPerceptron(p=2 * math.log(n), **conversion),
        "winnow": Winnow(step_size=source.xi / float(p_norm(source.target, 1)), **conversion),
    }
    return {**result, **{name: error_of(model.fit(X, y), *clean) for name, model in online.items()}}


def turned_target(rng: np.random.Generator) -> Numbers:
    """Error at p = infinity on the clean dense target of :func:`norms_and_online`, in a random direction."""
    source = SOURCES["wide"]
    turn = ortho_group.rvs(source.target.size, random_state=rng)
    (X, y), (X_test, y_test) = (source.draw(n, rng) for n in (400, TEST_SIZE))
    model = boosters(math.inf, 1.0, 1 / (4 * source.difficulty))["smooth"]
    return {"p_inf": error_of(fit_quietly(model, X @ turn, y), X_test @ turn, y_test)}


def needed_sample(k: int, p: float, m: int, rng: np.random.Generator) -> Numbers:
    """Error after m clean examples of a majority of k among 60 features."""
    source = SparseMajority(60, k)
    X, y = source.draw(m, rng)
    R = 1.0 if math.isinf(p) else float(60 ** (1 / p))
    difficulty = float(R * p_norm(source.target, dual_exponent(p)))
    if len(np.unique(y)) < 2:
        return {"error": 0.5, "difficulty": difficulty}
    model = smoothboost(PNormLearner(p=p, R=R), 1 / (4 * difficulty), 0.025, n_estimators=2000)
    return {"error": error_of(fit_quietly(model, X, y), *source.draw(4000, rng)), "difficulty": difficulty}


def known_radius(radius: float | None, rng: np.random.Generator) -> Numbers:
    """One outlier of norm 50 among 500 points of norm one, with the radius known or estimated."""
    source = DenseHalfspace(10, 0.3)
    X, y = source.draw(500, rng)
    X, y = np.vstack([X, -50 * source.target]), np.append(y, 1.0)
    model = HalfspaceLearner(0.2, 2.0, radius, source.difficulty, fit_intercept=False, max_rounds=1500, outside="drop")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    return {
        "advantage": float(model.booster_.advantages_.min()),
        "stopped": model.converged_,
        "error": error_of(model, *source.draw(TEST_SIZE, rng)),
    }
