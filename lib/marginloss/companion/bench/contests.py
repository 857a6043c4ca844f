"""One contest: all learners on one table with one corruption.

Nothing clean reaches a learner: its setting is chosen on the training labels as they are given. Only the scores are
taken on clean test rows.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from time import thread_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from marginloss.companion.bench.corruptions import CORRUPTIONS
from marginloss.companion.bench.learners import LEARNERS, Contender
from marginloss.companion.bench.tables import encoder, split
from marginloss.risk import cvar

__all__ = ["contest"]

FOLDS = 3


def contest(
    table: str, corruption: str, rows: int, learners: Sequence[str], rng: np.random.Generator
) -> list[dict[str, float]]:
    """One draw: a split, a corruption of its training rows, all learners.

    Parameters
    ----------
    table, corruption : str
        Of :data:`TABLES` and :data:`CORRUPTIONS`.
    rows : int
        Largest number of training rows.
    learners : sequence of str
        Names in :data:`LEARNERS`.
    rng : numpy.random.Generator

    Returns
    -------
    list of dict
        A row for each learner: ``learner`` (place in ``learners``); on clean test rows ``accuracy``, ``log_loss`` and
        ``worst_tenth``, the mean probability that the tenth of the rows that fares worst gets of the wrong class;
        ``seconds`` of one core for the choice of the setting and the fit.
    """
    seed = int(rng.integers(2**31))
    X, y, X_test, y_test, words = split(table, rows, seed)
    X, y = CORRUPTIONS[corruption](X, y, words, rng)
    labels, truth = (y > 0).astype(int), (y_test > 0).astype(int)  # the peers insist on 0 and 1
    found = []
    with threadpool_limits(1), warnings.catch_warnings():  # one task, one core
        warnings.simplefilter("ignore")  # convergence on noisy data, weak learners without an edge, unknown words
        encode = encoder(X, words)
        X, X_test = encode.transform(X), encode.transform(X_test)
        chosen: dict[str, tuple[dict[str, Any], float]] = {}
        for place, learner in enumerate(LEARNERS[name] for name in learners):
            judge = LEARNERS[learner.like] if learner.like else learner
            if judge.name not in chosen:
                chosen[judge.name] = _choose(judge, X, labels, seed)
            setting, seconds = chosen[judge.name]
            start = thread_time()
            model = learner.build(setting, seed).fit(X, labels)
            found.append(
                {"learner": place, **_scores(model, X_test, truth), "seconds": seconds + thread_time() - start}
            )
    return found


def _choose(learner: Contender, X: NDArray[Any], y: NDArray[Any], seed: int) -> tuple[dict[str, Any], float]:
    """The setting with the best accuracy over three folds of the given labels (of equals the first); its seconds."""
    if len(learner.settings) == 1:
        return learner.settings[0], 0.0
    start = thread_time()
    right = np.zeros(len(learner.settings))
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(X, y):
        for k, setting in enumerate(learner.settings):
            model = learner.build({**setting, **dict(learner.draft)}, seed).fit(X[train], y[train])
            right[k] += np.sum(model.predict(X[test]) == y[test])
    return learner.settings[int(np.argmax(right))], thread_time() - start


def _scores(model: Any, X: NDArray[Any], y: NDArray[Any]) -> dict[str, float]:
    p = model.predict_proba(X)[:, 1]
    return {
        "accuracy": float(np.mean(model.predict(X) == y)),
        "log_loss": float(log_loss(y, np.clip(p, 1e-6, 1 - 1e-6))),
        "worst_tenth": cvar(np.where(y == 1, 1 - p, p), 0.1),
    }
