"""Which default parameters serve users? ``python -m benchmarks.choose_defaults`` writes the answer to ``DEFAULTS.md``.

Boosters with many settings on the binary tables of KEEL that neither the bench nor a chapter uses. Training labels are
flipped at four rates, test labels are clean; at most 500 rows are trained on, the same splits and flips for all
settings.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from marginloss import datasets
from marginloss.boosting import PILBoostClassifier, SmoothBoostClassifier, encode
from marginloss.noise import flip_labels

TABLES = (
    "banana",
    "bands",
    "breast",
    "heart",
    "housevotes",
    "ionosphere",
    "monk-2",
    "saheart",
    "sonar",
    "tic-tac-toe",
    "wisconsin",
)
RATES = (0.0, 0.1, 0.2, 0.3)
SEEDS = 1
ROWS = 500
ROUNDS = (30, 50, 100, 200, 300, 1000)
PILBOOST = ("adaptive", 1.1, 2.0), (0.5, 1.0, 2.0, 7.0), (1, 2, 3)
SMOOTHBOOST = (0.05, 0.1, 0.2, 0.3), (0.05, 0.1), (False, True), (1, 2)
MOST = 1000  # rounds of SmoothBoost: where it has not stopped by then it hardly changes any more


def main() -> None:
    """Measure all settings and write the table."""
    rows: list[dict[str, Any]] = []
    for seed, table, rate in product(range(SEEDS), TABLES[::-1], RATES):
        X, y = datasets.load_keel(table, return_X_y=True)
        rng = np.random.default_rng([seed, TABLES.index(table)])
        train, test = train_test_split(np.arange(len(y)), test_size=0.3, stratify=y, random_state=seed)
        train = train[:ROWS]
        noisy = flip_labels(y[train], rate, rng)
        part = encode(X[train]), noisy, X[test], y[test]
        for found in (*pilboost(*part), *smoothboost(*part)):
            rows.append({"table": table, "noise": f"{rate:.0%}", "seed": seed, **found})
        print(table, rate, seed, flush=True)
        Path(__file__).with_name("DEFAULTS.md").write_text(page(pd.DataFrame(rows)))


def pilboost(data: Any, y: Any, X_test: Any, y_test: Any) -> Iterator[dict[str, Any]]:
    """Accuracy after several numbers of rounds of one fit."""
    for alpha, step_size, depth in product(*PILBOOST):
        model = PILBoostClassifier(alpha, step_size, max(ROUNDS), depth).fit(data, y)
        for rounds, score in zip(ROUNDS, model.decision_at(X_test, ROUNDS), strict=True):
            setting = f"alpha={alpha!r}, step_size={step_size}, n_estimators={rounds}, max_depth={depth}"
            yield {"booster": "PILBoost", "setting": setting, "right": 100 * np.mean((score > 0) == (y_test > 0))}


def smoothboost(data: Any, y: Any, X_test: Any, y_test: Any) -> Iterator[dict[str, Any]]:
    """Accuracy of each setting; warnings that it did not stop are expected."""
    for kappa, gamma, adaptive, depth in product(*SMOOTHBOOST):
        model = SmoothBoostClassifier(kappa, gamma, n_estimators=MOST, adaptive=adaptive, max_depth=depth)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            right = 100 * model.fit(data, y).score(X_test, y_test)
        setting = f"kappa={kappa}, gamma={gamma}, adaptive={adaptive}, max_depth={depth}"
        yield {"booster": "SmoothBoost", "setting": setting, "right": right}


def page(results: pd.DataFrame) -> str:
    """Best settings of each booster by their mean accuracy, the defaults and the published ones."""
    lines = [
        "# Default parameters",
        "",
        "Written by `python -m benchmarks.choose_defaults`. " + " ".join((__doc__ or "").split("\n\n")[1].split()),
        "",
        f"Mean accuracy (%) over {', '.join(results['table'].unique())}; splits of each: {SEEDS}.",
    ]
    named = {
        "PILBoost": {
            "the default": "alpha=1.1, step_size=2.0, n_estimators=300, max_depth=3",
            "`as_published()`": "alpha=1.1, step_size=7.0, n_estimators=1000, max_depth=3",
        },
        "SmoothBoost": {
            "the default": "kappa=0.05, gamma=0.1, adaptive=True, max_depth=2",
            "`as_published()`": "kappa=0.05, gamma=0.05, adaptive=False, max_depth=1",
        },
    }
    for booster, part in results.groupby("booster"):
        table = part.pivot_table("right", "setting", "noise", sort=False)
        table["mean"] = table.mean(axis=1)
        table["rank"] = table["mean"].rank(ascending=False, method="min").astype(int)
        best = table.sort_values("mean", ascending=False)
        lines += ["", f"## {booster}, {len(table)} settings", ""]
        lines += ["| | setting | " + " | ".join(table.columns) + " |", "|:--|:--" + "|--:" * 6 + "|"]
        rows = [("", setting) for setting in best.index[:8]] + list(named[str(booster)].items())
        for name, setting in rows:
            *values, rank = table.loc[setting]
            lines.append(f"| {name} | `{setting}` | " + " | ".join(f"{v:.1f}" for v in values) + f" | {rank:.0f} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
