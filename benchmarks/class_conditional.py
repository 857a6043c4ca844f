"""Labels flipped at different rates in the two classes: corrected losses beside cleanlab, on the same splits.

``python -m benchmarks.class_conditional`` prints the table and writes it to ``benchmarks/CLASS_CONDITIONAL.md``. Each
run draws at most 1500 training rows and tests on the others, whose labels stay clean; all learners are XGBoost with
trees of depth 2, rate 0.1 and 100 rounds, but for the loss and for what is done with the labels. Rates are not told.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import xgboost
from cleanlab.classification import CleanLearning
from cleanlab.filter import find_label_issues
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import cross_val_predict

from marginloss import datasets
from marginloss.interop import RobustXGBClassifier
from marginloss.losses import AlphaLoss, CorrectedLoss, LogisticLoss, MarginLoss
from marginloss.noise import estimate_flip_rates, flip_labels

TABLES = ("breast_cancer", "pima", "compas", "online_shoppers", "adult", "mushroom")
FLIPS = {
    "none": (0.0, 0.0),
    "both 20 %": (0.2, 0.2),
    "+1 40 %": (0.4, 0.0),
    "−1 40 %": (0.0, 0.4),
    "30/10 %": (0.3, 0.1),
}
RUNS, ROWS = 5, 1500
SETTINGS = {"max_depth": 2, "learning_rate": 0.1, "n_estimators": 100, "n_jobs": 1}

Fit = Callable[[np.ndarray, np.ndarray, np.ndarray], Any]


def plain(X: np.ndarray, y: np.ndarray, p: np.ndarray) -> Any:
    return xgboost.XGBClassifier(**SETTINGS).fit(X, y)


def robust(loss: MarginLoss) -> Fit:
    return lambda X, y, p: RobustXGBClassifier(loss, **SETTINGS).fit(X, y)


def corrected(loss: MarginLoss) -> Fit:
    return lambda X, y, p: RobustXGBClassifier(CorrectedLoss(loss, *estimate_flip_rates(y, p)), **SETTINGS).fit(X, y)


def cleanlab(X: np.ndarray, y: np.ndarray, p: np.ndarray) -> Any:
    return CleanLearning(xgboost.XGBClassifier(**SETTINGS), cv_n_folds=5, seed=0).fit(X, y)


def pruned(X: np.ndarray, y: np.ndarray, p: np.ndarray) -> Any:
    """Both: what cleanlab finds is left out, and the loss gives up on what it missed."""
    keep = ~find_label_issues(y, np.stack([1 - p, p], axis=1))
    return RobustXGBClassifier(AlphaLoss(2), **SETTINGS).fit(X[keep], y[keep])


LEARNERS: dict[str, Fit] = {
    "XGBoost": plain,
    "α = 2": robust(AlphaLoss(2)),
    "corrected logistic": corrected(LogisticLoss()),
    "corrected α = 2": corrected(AlphaLoss(2)),
    "cleanlab + XGBoost": cleanlab,
    "cleanlab's rows, α = 2": pruned,
}


def one_run(table: str, rates: tuple[float, float], seed: int) -> dict[str, tuple[float, float]]:
    X, y = getattr(datasets, f"load_{table}")(return_X_y=True)
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(y))
    train, test = np.split(order, [min(ROWS, 2 * len(y) // 3)])
    given = (flip_labels(y[train], {1: rates[0], -1: rates[1]}, rng) > 0).astype(int)
    p = cross_val_predict(xgboost.XGBClassifier(**SETTINGS), X[train], given, method="predict_proba")[:, 1]
    out = {}
    for name, fit in LEARNERS.items():
        answers = np.asarray(fit(X[train], given, p).predict(X[test])).astype(int)
        truth = (y[test] > 0).astype(int)
        out[name] = float(np.mean(answers == truth)), float(balanced_accuracy_score(truth, answers))
    return out


def main() -> None:
    """All runs; two tables, mean over tables and runs."""
    warnings.simplefilter("ignore")
    found = {
        (flips, table): [one_run(table, rates, seed) for seed in range(RUNS)]
        for flips, rates in FLIPS.items()
        for table in TABLES
    }
    lines = ["# Class-conditional flips: corrected losses beside cleanlab", "", (__doc__ or "").split("\n\n", 1)[1]]
    for k, measure in enumerate(("Accuracy", "Balanced accuracy")):
        lines += ["", f"## {measure} on clean labels, %, mean over {len(TABLES)} tables and {RUNS} runs", ""]
        lines += [f"| learner | {' | '.join(FLIPS)} |", f"|:--|{'--:|' * len(FLIPS)}"]
        for name in LEARNERS:
            means = [
                100 * np.mean([run[name][k] for table in TABLES for run in found[flips, table]]) for flips in FLIPS
            ]
            lines.append(f"| {name} | {' | '.join(f'{mean:.1f}' for mean in means)} |")
    for flips in ("+1 40 %", "−1 40 %"):
        lines += ["", f"## Accuracy by table, {flips}", "", f"| learner | {' | '.join(TABLES)} |"]
        lines.append(f"|:--|{'--:|' * len(TABLES)}")
        for name in LEARNERS:
            means = [100 * np.mean([run[name][0] for run in found[flips, table]]) for table in TABLES]
            lines.append(f"| {name} | {' | '.join(f'{mean:.1f}' for mean in means)} |")
    text = "\n".join(lines) + "\n"
    (Path(__file__).parent / "CLASS_CONDITIONAL.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
