"""Figure 2 and Table 1: four linear models of two classes with wrong labels or wrong inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from marginloss.companion.experiments.amid2019.batch import minimise_many
from marginloss.companion.experiments.amid2019.tasks import METHODS, load_task
from marginloss.linear.objective import SmoothedHinge
from marginloss.losses import LogisticLoss, TwoTemperatureLoss
from marginloss.noise import flip_by_margin, flip_labels, replace_instances

Array = NDArray[np.float64]

#: The two-temperature model once more, with the lower objective of two starts: zero, and the logistic solution.
LOWEST = "lower of two minima"
#: What a method chooses from by cross-validation, beside the penalty: itself, or all temperatures that the paper names.
CHOICES = {
    **{method: (method,) for method in METHODS},
    "t-logistic, chosen": ("t-logistic", "t-logistic elsewhere"),
    "two-temperature, chosen": (*METHODS[1:], "t-logistic elsewhere", "two-temperature elsewhere"),
}
#: Temperatures of the map: those of logistic, t-logistic and generalised cross-entropy regression among them.
TEMPERATURES = [(t1, t2) for t2 in (1.0, 1.12, 1.5, 1.9) for t1 in (0.1, 0.4, 0.7, 1.0)]
#: Label noise at 10 % in three ways; instance noise at three rates, after the clean data.
LABEL_NOISES = ("random", "small-margin", "large-margin")
INSTANCE_NOISES = ("clean", "instance 10 %", "instance 20 %", "instance 33 %")
NOISES = (*LABEL_NOISES, *INSTANCE_NOISES)
RATES = {"instance 10 %": 0.10, "instance 20 %": 0.20, "instance 33 %": 0.33}
LABEL_RATE = 0.10
#: The ends are the paper's; the points between them are ours.
PENALTIES = (1e-1, 1e-2, 1e-3, 1e-5)
# far below what changes an accuracy; the solver's own tests go to 1e-9
TOL, MAX_ITER = 1e-4, 60
TOL_PLAIN, MAX_ITER_PLAIN = 1e-5, 150  # in the original variables it takes longer


def label_run(dataset: str, size: int, folds: int, rng: np.random.Generator) -> list[dict[str, float]]:
    """Table 1, one split of one data set: wrong labels of three kinds, all methods, all penalties.

    A tenth of all rows is the clean test part; at most ``size`` of the others train. One row for each noise and
    penalty, with the accuracies ``<loss> test``, clean, of the model of all training rows, and ``<loss> held``, noisy,
    the mean over the first ``folds`` of ten folds of models that do not see the fold. All minimise the mean loss plus
    half the penalty times the squared weights, that of a constant feature included. A bounded loss is fitted as in the
    paper, by L-BFGS in the original variables, from zero, the limit of its small random weights; ``LOWEST`` also from
    the logistic solution.
    """
    return _noise_run(dataset, size, (folds, 10), rng, LABEL_NOISES)


def instance_run(dataset: str, size: int, folds: int, rng: np.random.Generator) -> list[dict[str, float]]:
    """Figure 2, one split of one data set: wrong inputs at three rates, four methods; as :func:`label_run`."""
    return _noise_run(dataset, size, (folds, 10), rng, INSTANCE_NOISES)


def temperature_run(dataset: str, size: int, rng: np.random.Generator) -> list[dict[str, float]]:
    """One split under each kind of noise: losses ``"t1 t2"`` for all ``TEMPERATURES``, and three folds."""
    losses: dict[str, Any] = {f"{t1:g} {t2:g}": TwoTemperatureLoss(t1, t2) for t1, t2 in TEMPERATURES}
    return _noise_run(dataset, size, (3, 3), rng, (*LABEL_NOISES, "clean", "instance 33 %"), losses)


def clean_run(dataset: str, size: int, rng: np.random.Generator) -> list[dict[str, float]]:
    """Logistic regression on the clean labels of one split: how hard two classes are for a linear classifier."""
    return _noise_run(dataset, size, (0, 1), rng, ("clean",), {"logistic": LogisticLoss()})


def _noise_run(
    dataset: str,
    size: int,
    folds: tuple[int, int],
    rng: np.random.Generator,
    noises: Sequence[str],
    losses: dict[str, Any] | None = None,
) -> list[dict[str, float]]:
    task = load_task(dataset, rng)
    wrong_labels = noises[0] in LABEL_NOISES
    if losses is None:
        named = {**task.losses, "hinge": SmoothedHinge(0.03)}
        losses = named if wrong_labels else {method: named[method] for method in METHODS}
    part = len(task.y) // 10
    # the intercept is the weight of a constant column, penalised like the others
    X, others = (np.pad(x, ((0, 0), (0, 1)), constant_values=1) for x in (task.X[: part + size], task.others))
    y = task.y[: part + size]
    test, train = slice(part), slice(part, None)
    moments = X[train].T.astype(np.float64) @ X[train] / len(X[train])
    roots = {l2: np.linalg.cholesky(moments / 4 + l2 * np.eye(len(moments))) for l2 in PENALTIES}
    margin = _clean_margin(X[train], y[train], roots) if wrong_labels else np.empty(0)
    held = np.array_split(np.arange(len(X) - part), folds[1])[: folds[0]]
    rows: list[dict[str, float]] = []
    for noise in noises:
        inputs, labels = _spoil(noise, X[train], y[train], margin, others, rng)
        for l2, root in roots.items():
            row: dict[str, float] = {"noise": NOISES.index(noise), "l2": l2}
            fits = _fit_all(inputs, labels, losses, l2, root, held, noise in LABEL_NOISES)
            for name, (final, *parts) in fits.items():
                row[f"{name} test"] = _accuracy(final, X[test], y[test])
                if parts:
                    seen = zip(parts, held, strict=True)
                    row[f"{name} held"] = float(np.mean([_accuracy(w, inputs[out], labels[out]) for w, out in seen]))
            rows.append(row)
    return rows


def _clean_margin(X: NDArray[Any], y: NDArray[np.int64], roots: dict[float, Array]) -> Array:
    """Margins of a logistic regression on the clean labels, which say whose label to flip.

    The paper does not give its penalty; it is chosen as all others are, on the held-out tenth, clean here.
    """
    held, loss = np.arange(len(X) // 10), {"logistic": LogisticLoss()}
    fits = [_fit_all(X, y, loss, l2, root, [held])["logistic"] for l2, root in roots.items()]
    best = int(np.argmax([_accuracy(part, X[held], y[held]) for _, part in fits]))  # of equals the strongest
    margin: Array = y * (X @ fits[best][0])
    return margin


def _spoil(
    noise: str, X: NDArray[Any], y: NDArray[np.int64], margin: Array, others: NDArray[Any], rng: np.random.Generator
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Inputs and labels with one kind of noise; any row can be changed, held-out ones too."""
    if noise in RATES:
        return replace_instances(X, y, RATES[noise], rng, outliers=others), y
    if noise == "random":
        return X, flip_labels(y, LABEL_RATE, rng, kind="count")
    if noise == "clean":
        return X, y
    return X, flip_by_margin(y, margin, LABEL_RATE, where=noise.removesuffix("-margin"))


def _fit_all(
    X: NDArray[Any],
    labels: NDArray[np.int64],
    losses: dict[str, Any],
    l2: float,
    root: Array,
    held: list[NDArray[np.intp]],
    twice: bool = False,
) -> dict[str, Array]:
    """Coefficients of each loss with all rows, then without each fold, (1 + folds, d).

    A bounded loss is fitted as in the paper, in the original variables from zero: it is not convex, and the minimum
    that is reached depends on the path. For the other losses only the speed does. The two-temperature model can have
    a second start, the logistic solution, and with it ``LOWEST``.
    """
    y = np.tile(labels.astype(np.float64), (1 + len(held), 1))
    for fold, out in enumerate(held, start=1):
        y[fold, out] = 0
    bounded = {name: loss for name, loss in losses.items() if isinstance(loss, TwoTemperatureLoss) and loss.t1 < 1}
    convex = {name: loss for name, loss in losses.items() if name not in bounded}
    fits: dict[str, Array] = {}
    values: dict[str, Array] = {}
    for part, *how in ((bounded, None, TOL_PLAIN, MAX_ITER_PLAIN), (convex, root, TOL, MAX_ITER)):
        each = [loss for loss in part.values() for _ in y]
        found = minimise_many(X, np.tile(y, (len(part), 1)), each, l2, *how)
        fits |= dict(zip(part, found.coef.reshape(-1, *y.shape[:1], X.shape[1]), strict=True))
        values |= dict(zip(part, found.value.reshape(-1, len(y)), strict=True))
    if twice and "two-temperature" in losses:
        loss, first = losses["two-temperature"], fits["logistic"][:1]
        again = minimise_many(X, y[:1], [loss], l2, root, TOL, MAX_ITER, first)
        fits[LOWEST] = again.coef if again.value < values["two-temperature"][0] else fits["two-temperature"][:1]
    return fits


def _accuracy(coef: Array, X: NDArray[Any], y: NDArray[np.int64]) -> float:
    return float(np.mean(np.where(X @ coef > 0, 1, -1) == y))


def selected(table: pd.DataFrame) -> pd.DataFrame:
    """Accuracy on clean test data, with penalty and temperatures chosen on noisy labels, and with the best penalty.

    Returns
    -------
    DataFrame
        Indexed by data set, noise and method; columns ``honest``, ``honest_std`` (over the splits, chosen in each on
        its own noisy held-out rows), ``oracle`` and ``oracle_std`` (what has the best mean on clean test data),
        ``l2_oracle``, ``splits``, the accuracies behind ``honest``, split by split, and ``choice``, what was chosen
        most often.
    """
    found = []
    for (dataset, number), part in table.groupby(["dataset", "noise"], sort=False):
        for method, names in _choices(table).items():
            # of equals the strongest penalty, which comes first
            columns = [(name, l2) for l2 in PENALTIES for name in names]
            test, held = (
                part.set_index(["run", "l2"])[[f"{_held(name, what)} {what}" for name in names]]
                .set_axis(list(names), axis=1)
                .unstack("l2")[columns]
                for what in ("test", "held")
            )
            best = held.to_numpy().argmax(axis=1)
            honest = test.to_numpy()[np.arange(len(best)), best]
            oracle = test[columns[int(test.mean().to_numpy().argmax())]]
            found.append(
                {
                    "dataset": dataset,
                    "noise": NOISES[int(number)],
                    "method": method,
                    "honest": honest.mean(),
                    "honest_std": honest.std(),
                    "oracle": oracle.mean(),
                    "oracle_std": oracle.std(ddof=0),
                    "l2_oracle": oracle.name[1],
                    "splits": honest,
                    "choice": columns[np.bincount(best).argmax()][0],
                }
            )
    return pd.DataFrame(found).set_index(["dataset", "noise", "method"])


def ahead(splits: pd.Series, method: str, over: Sequence[str]) -> Array:
    """Accuracy of one method less that of whichever of the others is best in the mean, split by split.

    Examples
    --------
    >>> splits = pd.Series({"hinge": np.array([0.5, 0.75]), "two-temperature": np.array([1.0, 0.75])})
    >>> ahead(splits, "two-temperature", ["hinge"]).tolist()
    [0.5, 0.0]
    """
    best = max(over, key=lambda other: float(splits[other].mean()))
    gap: Array = splits[method] - splits[best]
    return gap


def by_penalty(table: pd.DataFrame) -> pd.DataFrame:
    """Mean accuracy on clean data at every penalty: one row per data set, noise and penalty, one column per method."""
    columns = {f"{method} test": method for method in (*METHODS, LOWEST) if f"{method} test" in table}
    named = table.assign(noise=[NOISES[int(number)] for number in table.noise])
    return named.groupby(["dataset", "noise", "l2"], sort=False)[list(columns)].mean().rename(columns=columns)


def _choices(table: pd.DataFrame) -> dict[str, tuple[str, ...]]:
    """What each method chooses from; in the map of temperatures each loss is a method, and ``"chosen"`` has all."""
    grid = tuple(name for name in (f"{t1:g} {t2:g}" for t1, t2 in TEMPERATURES) if f"{name} test" in table)
    if grid:
        return {**{name: (name,) for name in grid}, "chosen": grid}
    known = {**CHOICES, LOWEST: (LOWEST,)}
    return {method: names for method, names in known.items() if all(f"{name} test" in table for name in names)}


def _held(name: str, what: str) -> str:
    """The lower of two minima has the penalty that the two-temperature model chooses."""
    return "two-temperature" if what == "held" and name == LOWEST else name
