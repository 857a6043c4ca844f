"""One contest: all learners on one data set with one corruption.

Nothing clean reaches a learner: its setting is chosen on the corrupted training labels. Only the score is taken on
clean test rows.
"""

from __future__ import annotations

import math
import warnings
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit, cross_val_score, train_test_split

from marginloss.companion.experiments.bench.learners import LEARNERS, Contender
from marginloss.companion.experiments.bench.tasks import CORRUPTIONS, TASKS, rows_of
from marginloss.risk import cvar

__all__ = ["contest", "schedule"]


def schedule(everything: bool) -> dict[str, list[str]]:
    """Which corruptions each data set meets.

    Parameters
    ----------
    everything : bool
        All of them; otherwise two or three, such that every corruption meets three data sets, and every two
        corruptions meet in exactly one. (The lines of Fano's plane, one of its seven points left out.)

    Examples
    --------
    >>> schedule(everything=False)["xd6"]
    ['flips of one class', 'large-margin flips 10 %', 'malicious 5 %']
    """
    names = list(CORRUPTIONS)
    if everything:
        return dict.fromkeys(TASKS, names)
    lines = [{(place + step) % len(TASKS) for step in (0, 1, 3)} for place in range(len(TASKS))]
    return {task: [names[i] for i in sorted(line) if i < len(names)] for task, line in zip(TASKS, lines, strict=True)}


def contest(
    task: str, corruption: str, n_rows: int, n_rounds: int, folds: int, rng: np.random.Generator
) -> list[dict[str, float]]:
    """One run of all learners on one data set and one corruption.

    Parameters
    ----------
    task : str
        One of :data:`TASKS`.
    corruption : str
        One of :data:`CORRUPTIONS`; spoils the training rows only.
    n_rows : int
        At most so many training rows, and as many test rows.
    n_rounds : int
        Rounds of the boosters.
    folds : int
        Folds of the cross-validation that chooses a learner's setting, on the corrupted labels; 1: a third is held out.
    rng : numpy.random.Generator

    Returns
    -------
    list of dict
        A row for each learner: ``learner`` (place in :data:`LEARNERS`), ``accuracy``, ``log_loss`` (NaN without
        probabilities), ``cvar`` (of the expected 0-1 loss at a tail of 10 %), ``seconds`` of the final fit.
    """
    X, y = rows_of(task)
    seed = int(rng.integers(2**31))
    size = min(n_rows, len(y) // 2)
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, train_size=size, test_size=size, random_state=seed, stratify=y
    )
    X_train, y_train = CORRUPTIONS[corruption](X_train, y_train, rng)
    if folds == 1:
        inner: Any = StratifiedShuffleSplit(1, test_size=1 / 3, random_state=seed)
    else:
        inner = StratifiedKFold(folds, shuffle=True, random_state=seed)
    # 0/1 for the peers that insist on it; the order of the classes is the same
    labels, truth = (y_train > 0).astype(int), (y_test > 0).astype(int)
    rows = []
    for place, contender in enumerate(LEARNERS):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # convergence on noisy data, weak learners without an edge
            model, seconds = _tuned(contender, X_train, labels, inner, n_rounds, seed)
            rows.append({"learner": place, "seconds": seconds, **_scores(model, X_test, truth)})
    return rows


def _tuned(
    contender: Contender, X: NDArray[Any], y: NDArray[Any], inner: Any, n_rounds: int, seed: int
) -> tuple[Any, float]:
    """The learner at its best setting, fitted to all training rows, and the seconds of that fit."""
    found = [
        cross_val_score(contender.build(setting, n_rounds, seed), X, y, cv=inner, scoring="accuracy").mean()
        for setting in contender.settings
    ]
    best = contender.build(contender.settings[int(np.argmax(found))], n_rounds, seed)
    start = process_time()
    best.fit(X, y)
    return best, process_time() - start


def _scores(model: Any, X: NDArray[Any], y: NDArray[Any]) -> dict[str, float]:
    wrong = (model.predict(X) != y).astype(float)
    # a randomised classifier errs with a probability, which is what its tail is about
    loss = np.asarray(model.expected_loss(X, y)) if hasattr(model, "expected_loss") else wrong
    probability = model.predict_proba(X)[:, 1] if hasattr(model, "predict_proba") else None
    return {
        "accuracy": 1 - float(wrong.mean()),
        "log_loss": math.nan if probability is None else float(log_loss(y, np.clip(probability, 1e-6, 1 - 1e-6))),
        "cvar": cvar(loss, 0.1),
    }
