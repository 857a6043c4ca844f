"""Accuracies of several methods side by side, and what Figure 1, Table 1 and Figure 3 of sypherd2022 say about them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from marginloss.companion.experiments.sypherd2022.boosters import (
    DEPTHS,
    STEP_SIZES,
    Method,
    accuracy,
    importances,
    paper_methods,
    profile_entropy,
    step_response,
)
from marginloss.companion.sweeps import sweep
from marginloss.datasets import available

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


def label_noise_tables(runs: int, runs_others: int, rounds: int, rounds_shoppers: int) -> dict[str, pd.DataFrame]:
    """The methods of Figure 1 under flipped labels: breast cancer, and its companions of Appendix B.3 that are here."""
    return {
        data: compare(
            data,
            "labels",
            [0.0, 0.15, 0.3],
            paper_methods(data, rounds_shoppers if data == "online_shoppers" else rounds),
            runs if data == "breast_cancer" else runs_others,
        )
        for data in filter(available, DEPTHS)
    }


def best_pilboost_alpha(table: pd.DataFrame, level: float) -> float:
    """The α of the PILBoost with the highest mean accuracy at a level; methods are called ``"PILBoost <alpha>"``."""
    means = table.loc[level].mean()
    return float(means[[name for name in means.index if name.startswith("PILBoost")]].idxmax().split()[1])


def lead_by_run(table: pd.DataFrame, level: float, of: str = "best") -> NDArray[np.float64]:
    """Accuracy of the best (or the worst) PILBoost minus that of the better baseline at a level, run by run.

    Parameters
    ----------
    table : DataFrame
        Made by :func:`compare` with the methods of the paper.
    level : float
    of : {"best", "worst"}
        Both methods are chosen by their means over the runs.
    """
    part = table.loc[level]
    means = part.mean()
    ours = means[[name for name in means.index if name.startswith("PILBoost")]]
    name = ours.idxmax() if of == "best" else ours.idxmin()
    return (part[name] - part[means[BASELINES].idxmax()]).to_numpy()


def climb_of_best_alpha(table: pd.DataFrame) -> NDArray[np.float64]:
    """Places by which the best of the α climbs from the lowest to the highest level, run by run.

    The place of an α is 0 for the smallest; α that are equally good share the mean of their places.
    """
    names = sorted((name for name in table.columns if name.startswith("PILBoost")), key=lambda name: float(name[9:]))
    best = table[names].eq(table[names].max(axis=1), axis=0).to_numpy(dtype=float)
    places = pd.Series(best @ np.arange(len(names)) / best.sum(axis=1), table.index).unstack("level")
    return (places[max(places)] - places[min(places)]).to_numpy()


def falls_of_best_alpha(table: pd.DataFrame) -> int:
    """How often the α with the best mean is smaller than at the level before."""
    return int(np.sum(np.diff([best_pilboost_alpha(table, level) for level in table.index.unique("level")]) < 0))


def published_gaps(table: pd.DataFrame, published: dict[str, Any]) -> pd.DataFrame:
    """Distance of our means from published ones in units of the standard error of the difference.

    Parameters
    ----------
    table : DataFrame
        Made by :func:`compare`; its levels are in the order of the published lists.
    published : dict
        For each method a list of means and, with ``sd_`` before its name, one of standard deviations; blanks in names
        are underscores; ``runs`` is the number of runs behind them. A deviation below 0.005 counts as 0.005, because
        published ones are rounded to three digits and some are zero.
    """
    groups = table.groupby("level")
    mean, deviation, size = groups.mean(), groups.std(), groups.size()
    gaps = {}
    for name in table.columns:
        key = name.replace(" ", "_")
        theirs = np.maximum(published[f"sd_{key}"], 0.005) / np.sqrt(published["runs"])
        unit = np.hypot(np.maximum(deviation[name], 0.005) / np.sqrt(size), theirs)
        gaps[name] = np.abs(mean[name] - published[key]) / unit
    return pd.DataFrame(gaps)


def insider_profiles(methods: Iterable[Method], runs: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Importances with and without the insider twist, and how far each profile moved.

    Returns
    -------
    profiles : DataFrame
        The mean profiles over runs: one row a method, twister (``"none"`` or ``"insider"``) and feature, columns
        ``average`` and ``total``.
    summary : DataFrame
        One row a method and run: the normalised entropy of the profile of average gains, ``none`` and ``insider``; of
        totals, ``insider_total``; and the total variation between both profiles, ``moved`` and ``moved_total``.
    """
    table = sweep(importances, {"twister": ["none", "insider"], "method": list(methods)}, runs)
    table["name"] = [method.name for method in table["method"]]
    rows = []
    for (name, run), part in table.groupby(["name", "run"]):
        clean, twisted = (part[part["twister"] == twister].set_index("feature") for twister in ("none", "insider"))
        moved = {kind: float(np.abs(clean[kind] - twisted[kind]).sum() / 2) for kind in ("average", "total")}
        entropies = {"none": profile_entropy(clean["average"]), "insider": profile_entropy(twisted["average"])}
        entropies["insider_total"] = profile_entropy(twisted["total"])
        rows.append({"name": name, "run": run, **entropies, "moved": moved["average"], "moved_total": moved["total"]})
    profiles = table.groupby(["name", "twister", "feature"])[["average", "total"]].mean()
    return profiles, pd.DataFrame(rows).set_index(["name", "run"])


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
        Clean test accuracy, one row a name and step, one column a run.
    tuned : DataFrame
        Test accuracy at the step with the best validation accuracy of that run, the smaller of equal steps: one row a
        run, one column a name.
    """
    table = sweep(step_response, {"data": [data], "level": [level], "method": methods}, runs)
    table["name"], table["step"] = [m.name for m in table["method"]], [m.step_size for m in table["method"]]
    table = table.sort_values("step", kind="stable", ignore_index=True)
    chosen = table.loc[table.groupby(["name", "run"])["validation"].idxmax()]
    by_step = table.pivot(index=["name", "step"], columns="run", values="test")
    return by_step, chosen.pivot(index="run", columns="name", values="test")


def tuned_alphas(data: str, levels: Iterable[float], rounds: int, runs: int) -> pd.DataFrame:
    """PILBoost with the three α of the paper, each at the best of three steps on held-out noisy data.

    The steps are a quarter of the printed one, the printed one and four times it. One row a level and run.
    """
    methods = [
        Method(f"PILBoost {alpha:g}", "PILBoost", alpha, factor * step, rounds)
        for alpha, step in STEP_SIZES[data].items()
        for factor in (0.25, 1.0, 4.0)
    ]
    return pd.concat({level: tune_steps(data, level, methods, runs)[1] for level in levels}, names=["level"])


def step_spread(by_step: pd.DataFrame, name: str, low: float, high: float) -> NDArray[np.float64]:
    """Accuracy at the best minus that at the worst of a method's steps from ``low`` to ``high``, run by run."""
    part = by_step.loc[name].loc[low:high]
    means = part.mean(axis=1)
    return (part.loc[means.idxmax()] - part.loc[means.idxmin()]).to_numpy()
