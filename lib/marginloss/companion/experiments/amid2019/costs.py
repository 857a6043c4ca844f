"""Table 2 and the remark on initial weights: what a fit costs, and where it ends."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from marginloss.companion.experiments.amid2019.noise import LABEL_RATE, TOL
from marginloss.companion.experiments.amid2019.tasks import METHODS, load_task
from marginloss.linear import MarginClassifier
from marginloss.losses import TwoTemperatureLoss
from marginloss.noise import flip_labels
from marginloss.theory.amid2019.training import counted, plain_fit


def initialisation_run(scale: float, std: float, size: int, rng: np.random.Generator) -> dict[str, float]:
    """Where plain L-BFGS ends from normal weights: Fashion-MNIST with pixels up to ``scale`` and random label noise.

    ``accuracy`` is on a clean test part, a tenth of all rows; ``objective`` on ``size`` training rows at penalty 1e-5.
    """
    task = load_task("fashion_mnist", rng)
    part = len(task.y) // 10
    rows = slice(part, part + size)
    X = scale * task.X[rows].astype(np.float64)
    y = flip_labels(task.y[rows], LABEL_RATE, rng, kind="count").astype(np.float64)
    start = np.asarray(rng.normal(scale=std, size=X.shape[1]))
    w, result = plain_fit(X, y, TwoTemperatureLoss(task.t1, task.t2), 1e-5, start)
    right = np.sign(task.X[:part] @ w) == task.y[:part]
    return {"accuracy": float(right.mean()), "objective": float(result.fun), "steps": int(result.nit)}


def runtime_run(dataset: str, size: int, rng: np.random.Generator) -> dict[str, float]:
    """Processor seconds of one fit with random label noise at penalty 1e-3.

    ``<method> plain``: L-BFGS in the original variables, as in the paper; ``<method> ours``: in whitened variables, the
    factor included. ``<method> operations``: those of the plain fit, counted: two matrix products in each evaluation,
    and the updates for the log-partition.
    """
    task = load_task(dataset, rng)
    y = flip_labels(task.y[:size], LABEL_RATE, rng, kind="count").astype(np.float64)
    X = task.X[:size].astype(np.float64)
    l2 = 1e-3
    start = rng.normal(scale=0.001, size=X.shape[1])
    row: dict[str, float] = {}
    for method in METHODS:
        loss = task.losses[method]
        row[f"{method} plain"], (_, result) = _timed(plain_fit, X, y, loss, l2, start, 500)
        row[f"{method} steps"] = int(result.nit)
        updates = 20 if method in METHODS[2:] else 0  # for the log-partition, as the paper states
        row[f"{method} operations"] = int(result.nfev) * len(y) * (4 * X.shape[1] + counted(updates))
        model = MarginClassifier(loss, l2=l2, tol=TOL, n_starts=1, max_iter=500)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            row[f"{method} ours"], _ = _timed(model.fit, X, y)
    return row


def _timed(call: Callable[..., Any], *args: Any) -> tuple[float, Any]:
    start = time.process_time()
    result = call(*args)
    return time.process_time() - start, result
