"""Who may look at the rounds of any booster: early stopping on a held-out part, and lines that tell how far it is."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from marginloss.boosting.encode import EncodedMatrix
from marginloss.boosting.loop import Round, Stop, Watch
from marginloss.boosting.tuning import rows_of

__all__ = ["hold_out", "report", "together"]

Array = NDArray[np.float64]


def together(watchers: list[Watch]) -> Watch | None:
    """One watcher that calls all of these, in their order."""

    def watch(now: Round, hypotheses: list[Any], steps: list[float]) -> None:
        for watcher in watchers:
            watcher(now, hypotheses, steps)

    return watch if watchers else None


def report(model: Any, sample_weight: Array) -> Watch:
    """Print a line every ``model.verbose`` rounds."""

    def watch(now: Round, hypotheses: list[Any], steps: list[float]) -> None:
        if steps and now.number % int(model.verbose) == 0:
            wrong = np.average(now.margin <= 0, weights=sample_weight)
            name = type(model).__name__
            print(f"{name}: {now.number} rounds, training error {wrong:.4f}, last step {steps[-1]:.3g}", flush=True)

    return watch


def hold_out(model: Any, data: Any, codes: NDArray[np.intp], weight: Array) -> tuple[Any, Any, Array, Watch]:
    """Training part, and a watcher that stops when the risk of the model on the other part no longer falls."""
    n_held = math.ceil(model.validation_fraction * len(codes))
    if n_held == len(codes):
        raise ValueError(
            f"validation_fraction={model.validation_fraction!r} of {len(codes)} samples leaves none to fit"
        )
    counts = np.bincount(codes)
    can_stratify = counts.min() > 1 and min(n_held, len(codes) - n_held) >= len(counts)
    kept, held = train_test_split(
        np.arange(len(codes)),
        test_size=n_held,
        random_state=model.random_state,
        stratify=codes if can_stratify else None,
    )
    part = rows_of(data, held)
    part = part.decode() if isinstance(part, EncodedMatrix) else part
    risk_of, best, best_round = model._held_out_risk(part, codes[held], weight[held]), math.inf, 0

    def watch(now: Round, hypotheses: list[Any], steps: list[float]) -> None:
        nonlocal risk_of, best, best_round
        if not steps:  # a first round, perhaps after a restart
            risk_of, best, best_round = model._held_out_risk(part, codes[held], weight[held]), math.inf, 0
            return
        risk = risk_of(hypotheses[-1], steps[-1], now.number)
        if risk < best - model.tol:
            best, best_round = risk, now.number
        elif now.number - best_round >= model.n_iter_no_change:
            raise Stop("early_stopping")

    return rows_of(data, kept), codes[kept], weight[kept], watch
