"""Accuracies of several methods side by side, and what Figure 1, Table 1 and Figure 3 of sypherd2022 say about them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from marginloss.companion.experiments.sypherd2022.boosters import (
    Method,
    accuracy,
    importances,
    profile_entropy,
    step_response,
)
from marginloss.companion.sweeps import sweep

__all__ = [
    "best_pilboost_alpha",
    "compare",
    "insider_profiles",
    "lead",
    "published_gaps",
    "step_families",
    "tune_steps",
]

BASELINES = ["AdaBoost", "XGBoost"]


def compare(
    data: str, twister: str, levels: Iterable[float], methods: Iterable[Method], runs: int, value: str = "accuracy"
) -> pd.DataFrame:
    """Sweep :func:`accuracy` and lay it out: one row a level and run, one column a method."""
    table = sweep(
        accuracy, {"data": [data], "twister": [twister], "level": list(levels), "method": list(methods)}, runs
    )
    table["name"] = [method.name for method in table["method"]]
    return table.pivot(index=["level", "run"], columns="name", values=value)


def _pilboost(means: pd.DataFrame) -> pd.DataFrame:
    return means[[name for name in means.columns if name.startswith("PILBoost")]]


def lead(table: pd.DataFrame, of: str = "best") -> pd.Series:
    """Mean accuracy of the best (or the worst) PILBoost minus that of the better baseline, at each level.

    Parameters
    ----------
    table : DataFrame
        Made by :func:`compare` with the methods of the paper.
    of : {"best", "worst"}
    """
    means = table.groupby("level").mean()
    ours = _pilboost(means)
    return (ours.max(axis=1) if of == "best" else ours.min(axis=1)) - means[BASELINES].max(axis=1)


def best_pilboost_alpha(table: pd.DataFrame, level: float) -> float:
    """The α of the PILBoost with the highest mean accuracy at a level; methods are called ``"PILBoost <alpha>"``."""
    return float(_pilboost(table.groupby("level").mean()).loc[level].idxmax().split()[1])


def published_gaps(table: pd.DataFrame, published: dict[str, Any]) -> pd.DataFrame:
    """Distance of our means from published ones in units of both standard deviations together.

    Parameters
    ----------
    table : DataFrame
        Made by :func:`compare`; its levels are in the order of the published lists.
    published : dict
        For each method a list of means and, with ``sd_`` before its name, one of standard deviations; blanks in names
        are underscores. A deviation below 0.005 counts as 0.005, because published ones are rounded to three digits
        and some are zero.
    """
    groups = table.groupby("level")
    mean, deviation = groups.mean(), groups.std()
    gaps = {}
    for name in table.columns:
        key = name.replace(" ", "_")
        unit = np.maximum(np.hypot(deviation[name], published[f"sd_{key}"]), 0.005)
        gaps[name] = np.abs(mean[name] - published[key]) / unit
    return pd.DataFrame(gaps)


def insider_profiles(methods: Iterable[Method]) -> tuple[dict[tuple[str, str], pd.DataFrame], pd.DataFrame]:
    """Importances with and without the insider twist, one run, and how far each profile moved.

    Returns
    -------
    profiles : dict
        A table of importances for each pair of method and twister (``"none"`` or ``"insider"``).
    summary : DataFrame
        For each method the normalised ``entropy`` of its profile ``none`` and ``insider``, that of the total gain
        (``insider_total``), and the total variation between both profiles (``moved``).
    """
    table = sweep(importances, {"twister": ["none", "insider"], "method": list(methods)}, 1)
    table["name"] = [method.name for method in table["method"]]
    profiles = {key: part.set_index("feature") for key, part in table.groupby(["name", "twister"])}
    rows = {}
    for name in table["name"].unique():
        clean, twisted = profiles[name, "none"], profiles[name, "insider"]
        rows[name] = {
            "none": profile_entropy(clean["average"]),
            "insider": profile_entropy(twisted["average"]),
            "insider_total": profile_entropy(twisted["total"]),
            "moved": float(np.abs(clean["average"] - twisted["average"]).sum() / 2),
        }
    return profiles, pd.DataFrame(rows).T


def step_families(step_sizes: Iterable[float], shrinkages: Iterable[float], rounds: int) -> list[Method]:
    """The methods of Figure 1 and logistic boosting (the exact link at α = 1), each at several steps.

    Examples
    --------
    >>> sorted({method.name for method in step_families([1.0], [0.1], 10)})
    ['AdaBoost', 'PILBoost 1.1', 'PILBoost 2', 'PILBoost 4', 'XGBoost', 'logistic']
    """
    links = {"logistic": (1.0, "exact"), **{f"PILBoost {a:g}": (a, "pseudo") for a in (1.1, 2.0, 4.0)}}
    ours = [
        Method(name, "PILBoost", alpha, step, rounds, link)
        for name, (alpha, link) in links.items()
        for step in step_sizes
    ]
    return ours + [Method(k, k, step_size=s, rounds=rounds) for k in BASELINES for s in shrinkages]


def tune_steps(data: str, level: float, methods: list[Method], runs: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What the step is worth under label noise, and what a user gets who chooses it on held-out noisy data.

    Returns
    -------
    by_step : DataFrame
        Mean and standard deviation over runs of the clean test accuracy by name and step.
    tuned : DataFrame
        Mean and standard deviation over runs of the test accuracy at the step with the best validation accuracy of
        that run; the smaller of equal steps.
    """
    table = sweep(step_response, {"data": [data], "level": [level], "method": methods}, runs)
    table["name"], table["step"] = [m.name for m in table["method"]], [m.step_size for m in table["method"]]
    table = table.sort_values("step", kind="stable", ignore_index=True)
    chosen = table.loc[table.groupby(["name", "run"])["validation"].idxmax()]
    by_step, tuned = (
        part["test"].agg(["mean", "std"]) for part in (table.groupby(["name", "step"]), chosen.groupby("name"))
    )
    return by_step, tuned
