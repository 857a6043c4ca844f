"""Where smoothness ends: two targets that look alike, and label noise on breast cancer and Long–Servedio data."""

from __future__ import annotations

import math

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from marginloss.boosting import AdaBoostAlphaClassifier, MadaBoostClassifier, PNormLearner
from marginloss.companion.experiments.servedio2003.setting import (
    KAPPA,
    LONG_SERVEDIO_GAMMA,
    TEST_SIZE,
    boosters,
    error_of,
    fit_quietly,
    smoothboost,
)
from marginloss.datasets import make_long_servedio
from marginloss.noise import MaliciousOracle, TwoTargets, flip_labels

Numbers = dict[str, float]


def two_targets(epsilon: float, rate: float, rng: np.random.Generator) -> Numbers:
    """Whether SmoothBoost, and the majority vote at the hard point, fail on the problem of Section 5."""
    source = TwoTargets(epsilon, int(rng.integers(2)))
    X, y, _ = MaliciousOracle("maxmargin", rate, source).draw(4000, rng)
    table = np.column_stack([X, y])
    # all entries are signs: one number tells the kinds of rows apart, and sorts them as the rows would be
    _, place, count = np.unique(table @ [4.0, 2.0, 1.0], return_index=True, return_counts=True)
    rows = table[place]
    model = smoothboost(PNormLearner(p=math.inf, R=1.0), 0.25, epsilon / 4, n_estimators=400)
    fit_quietly(model, rows[:, :2], rows[:, 2], count.astype(float))
    hard = np.array([1.0, -1.0])
    label = float(np.sign(hard @ source.target))
    votes = y[(hard == X).all(axis=1)].sum()
    # a tie is a failure for both: theory counts ties as errors
    return {"smooth": label * float(model.decision_function(hard[None, :])[0]) <= 0, "best": label * votes <= 0}


def stumps_under_noise(rate: float, rng: np.random.Generator) -> Numbers:
    """Test error with decision stumps on breast cancer, labels of the training part flipped at a rate."""
    X, y = load_breast_cancer(return_X_y=True)
    seed = int(rng.integers(2**31))
    X_train, X_test, y_train, y_test = train_test_split(X, y, train_size=380, stratify=y, random_state=seed)
    y_train = flip_labels(y_train, rate, rng)
    models = {
        "smooth": smoothboost(None, 0.05, n_estimators=600, max_depth=1, criterion="error"),
        "mada": MadaBoostClassifier(KAPPA, n_estimators=200, criterion="error"),
        "ada": AdaBoostAlphaClassifier(0.5, n_estimators=200, criterion="error"),
    }
    result: Numbers = {}
    for name, model in models.items():
        result[name] = error_of(fit_quietly(model, X_train, y_train), X_test, y_test)
        result[f"{name}_smoothness"] = float((1 / model.kappa_).max())
    return result


def long_servedio_noise(p: float, rate: float, rng: np.random.Generator) -> Numbers:
    """Error on clean points after training on Long–Servedio data with flipped labels."""
    X, y = make_long_servedio(1000, rng)
    R = 1.0 if math.isinf(p) else float(21 ** (1 / p))
    noisy = flip_labels(y, rate, rng)
    clean = make_long_servedio(TEST_SIZE, rng)
    models = boosters(p, R, LONG_SERVEDIO_GAMMA)
    return {name: error_of(fit_quietly(model, X, noisy), *clean) for name, model in models.items()}
