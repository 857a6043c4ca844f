"""Experiments on smooth boosting and malicious noise: one function of one seed an exhibit (servedio2003).

The paper has no experiments; these are ours. Each function returns numbers, and chapters sweep them over parameters.
"""

from __future__ import annotations

import math
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split

from marginalia.boosting import (
    AdaBoostAlphaClassifier,
    BregmanBoostClassifier,
    MadaBoostClassifier,
    PNormLearner,
    SmoothBoostClassifier,
)
from marginalia.boosting.bounds import bregman_rounds, smoothboost_rounds
from marginalia.datasets import make_long_servedio
from marginalia.linear import HalfspaceLearner, PNormPerceptron, Winnow
from marginalia.noise import (
    DenseHalfspace,
    GoodDistribution,
    MaliciousOracle,
    SparseMajority,
    TwoTargets,
    flip_labels,
)
from marginalia.norms import dual_exponent, p_norm
from marginalia.theory.servedio2003.pairing import pair_segments
from marginalia.theory.servedio2003.plays import friendly, nested_sinker, play_smoothboost, sinker
from marginalia.theory.servedio2003.rounds import largest_gain

__all__ = [
    "KAPPA",
    "SOURCES",
    "boosters",
    "error_by_margin",
    "error_by_rate",
    "friendly_rounds",
    "known_radius",
    "largest_gain",
    "long_servedio_noise",
    "margins_by_theta",
    "needed_sample",
    "norms_and_online",
    "paired_path",
    "rounds_of_variants",
    "sinker_rounds",
    "smoothness_by_round",
    "stumps_under_noise",
    "two_targets",
]

Array = NDArray[np.float64]
Numbers = dict[str, float]

KAPPA = 0.05
SOURCES: dict[str, GoodDistribution] = {"sparse": SparseMajority(100, 3), "dense": DenseHalfspace(40, 0.1)}
TEST_SIZE = 20_000
LONG_SERVEDIO_GAMMA = 1 / 42  # half the best minimum margin, 1/21


def boosters(p: float, R: float, gamma: float, kappa: float = KAPPA, ties: str = "uniform") -> dict[str, Any]:
    """SmoothBoost, MadaBoost and AdaBoost with the p-norm learner, with as many rounds as each is given throughout."""
    weak = PNormLearner(p=p, R=R, ties=ties)
    return {
        "smooth": SmoothBoostClassifier(kappa, gamma, estimator=weak, n_estimators=1500, on_failure="ignore"),
        "mada": MadaBoostClassifier(kappa, n_estimators=500, estimator=weak),
        "ada": AdaBoostAlphaClassifier(0.5, n_estimators=500, step="edge", estimator=weak),
    }


def _fit(model: Any, *data: Array) -> Any:
    """Fit quietly: a run beyond the guarantee is expected not to stop."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*data)


def _error(model: Any, X: Array, y: Array) -> float:
    return float(1 - model.score(X, y))


def smoothness_by_round(rate: float, rng: np.random.Generator) -> list[Numbers]:
    """Largest weight times m in each round, of four boosters on the sparse target with concentrated fakes (X1)."""
    source = SOURCES["sparse"]
    X, y, dirty = MaliciousOracle("fake", rate, source).draw(1000, rng)
    models = boosters(source.p, source.R, 1 / (4 * source.difficulty))
    models["bregman"] = BregmanBoostClassifier(KAPPA, 500, estimator=PNormLearner(p=source.p, R=source.R))
    smoothness = {name: 1 / _fit(model, X, y).kappa_ for name, model in models.items()}
    largest = {f"{name}_largest": float(series.max()) for name, series in smoothness.items()}
    smooth = models["smooth"]
    largest["density"] = smooth.certified_fraction_
    largest["dirty"] = float(dirty.mean())
    largest["stopped"] = smooth.stop_reason_ == "converged"
    rounds = np.unique(np.geomspace(1, 500, 40).round().astype(int))
    return [
        {"round": t, **{name: float(series[min(t, len(series)) - 1]) for name, series in smoothness.items()}, **largest}
        for t in rounds
    ]


def error_by_rate(target: str, adversary: str, rate: float, rng: np.random.Generator) -> Numbers:
    """Error on clean points of three boosters at a malicious rate, and how SmoothBoost's run went (X2, X7)."""
    source = SOURCES[target]
    X, y, dirty = MaliciousOracle(adversary, rate, source).draw(1000, rng)
    clean = source.draw(TEST_SIZE, rng)
    gamma = 1 / (4 * source.difficulty)
    models = boosters(source.p, source.R, gamma)
    result: Numbers = {name: _error(_fit(model, X, y), *clean) for name, model in models.items()}
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
    """Error of five boosters with the same cap that aim at different margins, on the sparse target (X13)."""
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
        result[name] = _error(_fit(model, X, y), *clean)
        result[f"{name}_smoothness"] = float(model.smoothness_.max())
    return result


def margins_by_theta(share: float | None, rng: np.random.Generator) -> Numbers:
    """Rounds and margins of SmoothBoost on clean Long–Servedio data for a margin ``share * gamma`` (X3)."""
    X, y = make_long_servedio(600, rng)
    gamma = LONG_SERVEDIO_GAMMA
    weak = PNormLearner(p=math.inf, R=1.0, ties="first")
    model = SmoothBoostClassifier(KAPPA, gamma, None if share is None else share * gamma, estimator=weak).fit(X, y)
    return {
        "rounds": model.n_estimators_,
        "rounds_over_bound": model.n_estimators_ / model.bound_,
        "fraction": float(np.mean(model.margins_ <= model.target_margin_)),
        "quantile": float(np.quantile(model.margins_, KAPPA) / (2 * gamma)),
        "stopped": model.stop_reason_ == "converged",
    }


def friendly_rounds(kappa: float, gamma: float, m: int = 400) -> int:
    """Rounds against a learner with exactly the advantage asked for everywhere (X4)."""
    return int(play_smoothboost(friendly(gamma), m, kappa, gamma).n_estimators_)


def sinker_rounds(kappa: float, gamma: float, m: int = 400, nested: bool = False) -> Numbers:
    """Rounds against a learner that is wrong on a fixed set as long as it can, and their share of the bound (X4)."""
    size = round(kappa * m)
    sizes = [round(m * 0.5**i) for i in range(1, 40) if m * 0.5**i > size] if nested else []
    play = nested_sinker(gamma, [*sizes, size]) if nested else sinker(gamma, size)
    rounds = int(play_smoothboost(play, m, kappa, gamma).n_estimators_)
    return {"rounds": rounds, "over_bound": rounds / smoothboost_rounds(kappa, gamma)}


def paired_path(path: list[float]) -> list[Numbers]:
    """Segments of a path as in Figure 3: ends in time and height, and the number of their pair, 0 if there is none."""
    found = pair_segments([Fraction(height).limit_denominator(1000) for height in path])
    number = {place: k for k, pair in enumerate(found.pairs, start=1) for place in pair}
    exact = [Fraction(height).limit_denominator(1000) for height in path]
    pieces = []
    for place, s in enumerate(found.segments):
        slope = exact[s.step] - exact[s.step - 1]
        low = exact[s.step - 1] + slope * (s.start - s.step + 1)
        pieces.append(
            {
                "start": float(s.start),
                "end": float(s.end),
                "low": float(low),
                "high": float(low + s.rise),
                "rise": float(s.rise),
                "pair": number.get(place, 0),
            }
        )
    return pieces


def needed_sample(k: int, p: float, m: int, rng: np.random.Generator) -> Numbers:
    """Error after m clean examples of a majority of k among 60 features (X5)."""
    source = SparseMajority(60, k)
    X, y = source.draw(m, rng)
    R = 1.0 if math.isinf(p) else float(60 ** (1 / p))
    difficulty = float(R * p_norm(source.target, dual_exponent(p)))
    if len(np.unique(y)) < 2:
        return {"error": 0.5, "difficulty": difficulty}
    weak = PNormLearner(p=p, R=R)
    model = SmoothBoostClassifier(
        0.025, 1 / (4 * difficulty), estimator=weak, n_estimators=2000, early_stop=True, on_failure="ignore"
    )
    return {"error": _error(_fit(model, X, y), *source.draw(4000, rng)), "difficulty": difficulty}


def norms_and_online(target: str, rate: float, rng: np.random.Generator) -> Numbers:
    """SmoothBoost at p = 2 and infinity beside the online algorithms that see each example once (X6).

    Both norms get the γ of the target's own norm; that of the other one would ask for hundreds of thousands of rounds.
    """
    source, m = (DenseHalfspace(40, 0.1), 400) if target == "dense" else (SparseMajority(200, 3), 150)
    X, y, _ = MaliciousOracle("fake", rate, source).draw(m, rng)
    clean = source.draw(TEST_SIZE, rng)
    n = source.target.size
    result: Numbers = {}
    for name, p in (("p_2", 2.0), ("p_inf", math.inf)):
        R = float(n ** (1 / p)) if p < source.p else 1.0
        model = boosters(p, R, 1 / (4 * source.difficulty))["smooth"]
        result[name] = _error(_fit(model, X, y), *clean)
    step = source.xi / float(p_norm(source.target, 1))
    online = {
        "perceptron": PNormPerceptron(p=2.0, max_iter=1, fit_intercept=False),
        "p_log": PNormPerceptron(p=2 * math.log(n), max_iter=1, fit_intercept=False),
        "winnow": Winnow(step_size=step, max_iter=1, fit_intercept=False),
    }
    return {**result, **{name: _error(model.fit(X, y), *clean) for name, model in online.items()}}


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
        "error": _error(model, *source.draw(TEST_SIZE, rng)),
    }


def rounds_of_variants(rng: np.random.Generator) -> Numbers:
    """Rounds of SmoothBoost, of the adaptive and of the Bregman form for the same cap and margin (X8)."""
    X, y = make_long_servedio(600, rng)
    gamma = LONG_SERVEDIO_GAMMA
    theta = gamma / (2 + gamma)
    weak = PNormLearner(p=math.inf, R=1.0, ties="first")
    smooth, early, adaptive = (
        SmoothBoostClassifier(KAPPA, gamma, estimator=weak, **options).fit(X, y)  # type: ignore[arg-type]
        for options in ({}, {"early_stop": True}, {"adaptive": True})
    )
    rounds = math.ceil(bregman_rounds(KAPPA, gamma, theta))
    bregman = BregmanBoostClassifier(KAPPA, rounds, 2 * gamma - theta, estimator=weak).fit(X, y)
    coefs: Any = bregman.estimators_
    votes = X @ np.cumsum(coefs.coefs, axis=0).T / np.arange(1, rounds + 1)
    behind = np.mean(y[:, None] * votes <= theta, axis=0)
    return {
        "smooth": smooth.n_estimators_,
        "adaptive": adaptive.n_estimators_,
        "bregman": rounds,
        "smooth_first": early.n_estimators_,
        "bregman_first": int(np.argmax(behind < KAPPA)) + 1,
        "bregman_fraction": float(behind[-1]),
        "certificate": bregman.certificate_ / (2 * gamma),
        "quantile": float(np.quantile(bregman.margins_, KAPPA) / (2 * gamma)),
    }


def two_targets(epsilon: float, rate: float, rng: np.random.Generator) -> Numbers:
    """Whether SmoothBoost, and the majority vote at the hard point, fail on the problem of Section 5 (X9)."""
    source = TwoTargets(epsilon, int(rng.integers(2)))
    X, y, _ = MaliciousOracle("maxmargin", rate, source).draw(4000, rng)
    rows, place = np.unique(np.column_stack([X, y]), axis=0, return_inverse=True)
    count = np.bincount(place.ravel()).astype(float)
    weak = PNormLearner(p=math.inf, R=1.0)
    model = SmoothBoostClassifier(epsilon / 4, 0.25, estimator=weak, n_estimators=400, on_failure="ignore")
    _fit(model, rows[:, :2], rows[:, 2], count)
    hard = np.array([1.0, -1.0])
    label = float(np.sign(hard @ source.target))
    votes = y[(hard == X).all(axis=1)].sum()
    # a tie is a failure for both: theory counts ties as errors
    return {"smooth": label * float(model.decision_function(hard[None, :])[0]) <= 0, "best": label * votes <= 0}


def stumps_under_noise(rate: float, rng: np.random.Generator) -> Numbers:
    """Test error with decision stumps on breast cancer, labels of the training part flipped at a rate (X10)."""
    X, y = load_breast_cancer(return_X_y=True)
    seed = int(rng.integers(2**31))
    X_train, X_test, y_train, y_test = train_test_split(X, y, train_size=380, stratify=y, random_state=seed)
    y_train = flip_labels(y_train, rate, rng)
    models = {
        "smooth": SmoothBoostClassifier(KAPPA, 0.05, n_estimators=600, on_failure="ignore"),
        "mada": MadaBoostClassifier(KAPPA, n_estimators=200),
        "ada": AdaBoostAlphaClassifier(0.5, n_estimators=200, criterion="error"),
    }
    result: Numbers = {}
    for name, model in models.items():
        result[name] = _error(_fit(model, X_train, y_train), X_test, y_test)
        result[f"{name}_smoothness"] = float((1 / model.kappa_).max())
    return result


def long_servedio_noise(p: float, rate: float, rng: np.random.Generator) -> Numbers:
    """Error on clean points after training on Long–Servedio data with flipped labels (X11)."""
    X, y = make_long_servedio(1000, rng)
    R = 1.0 if math.isinf(p) else float(21 ** (1 / p))
    noisy = flip_labels(y, rate, rng)
    clean = make_long_servedio(TEST_SIZE, rng)
    models = boosters(p, R, LONG_SERVEDIO_GAMMA)
    return {name: _error(_fit(model, X, noisy), *clean) for name, model in models.items()}
