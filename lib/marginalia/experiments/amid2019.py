"""Experiments of amid2019, Section 7: linear models of two classes with wrong labels or inputs, and their cost."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from marginalia.datasets import load_cifar10, load_covertype, load_fashion_mnist, make_font_images
from marginalia.linear import DesignFactor, MarginClassifier
from marginalia.linear.batch import Problem, minimise_many
from marginalia.linear.objective import SmoothedHinge
from marginalia.linear.solver import Solution
from marginalia.losses import HingeLoss, LogisticLoss, MarginLoss, TLogisticLoss, TwoTemperatureLoss
from marginalia.losses.fixed_point import fixed_point_excess
from marginalia.losses.log_partition import excess, log_exp_t
from marginalia.losses.tempered import fixed_point_updates, log_t
from marginalia.noise import flip_by_margin, flip_labels, replace_instances
from marginalia.theory.amid2019.iterations import one_against_many
from marginalia.theory.amid2019.training import plain_fit

__all__ = [
    "DATASETS",
    "LOWEST",
    "METHODS",
    "NOISES",
    "PENALTIES",
    "Task",
    "curvature_map",
    "in_triangle",
    "initialisation_run",
    "load_task",
    "noise_run",
    "partition_accuracy",
    "runtime_run",
    "selected",
    "simplex_risk",
]

Array = NDArray[np.float64]

METHODS = ("hinge", "logistic", "t-logistic", "two-temperature")
#: The two-temperature model once more, with the lower objective of two starts: zero, as above, and the logistic solution.
LOWEST = "lower of two minima"
#: Label noise at 10 % in three ways, then instance noise at three rates; the first is the clean data.
NOISES = ("clean", "random", "small-margin", "large-margin", "instance 10 %", "instance 20 %", "instance 33 %")
RATES = {"instance 10 %": 0.10, "instance 20 %": 0.20, "instance 33 %": 0.33}
LABEL_RATE = 0.10
#: The ends are the paper's; the points between them are ours.
PENALTIES = (1e-1, 1e-2, 1e-3, 1e-5)
#: Penalty of the logistic regression on clean data whose margins say which labels to flip; not in the paper.
REFERENCE_L2 = 1e-3
# far below what changes an accuracy; the solver's own tests go to 1e-9
TOL, MAX_ITER = 1e-4, 60


@dataclass(frozen=True)
class Task:
    """Two classes of one data set, with inputs of the other classes and the temperatures that the paper chose."""

    X: NDArray[Any]
    y: NDArray[np.int64]
    others: NDArray[Any]
    t1: float
    t2: float

    @property
    def losses(self) -> dict[str, MarginLoss]:
        """The four losses of the paper, by the name of the method."""
        losses = (HingeLoss(), LogisticLoss(), TLogisticLoss(self.t2), TwoTemperatureLoss(self.t1, self.t2))
        return dict(zip(METHODS, losses, strict=True))


def _fashion_mnist(rng: np.random.Generator) -> Task:
    """T-shirts against sandals; the paper does not name its pair."""
    data = load_fashion_mnist()
    pair = np.isin(data.target, (0, 5))
    X = data.data.astype(np.float32) / 255
    return Task(X[pair], np.where(data.target[pair] == 5, 1, -1), X[~pair], 0.1, 1.12)


def _cifar10(rng: np.random.Generator) -> Task:
    """Airplanes against automobiles in grey; other classes from the colour sample, made grey in the same way."""
    X, y = load_cifar10(return_X_y=True)
    colour = load_cifar10(part="colour")
    grey = np.rint(colour.data.reshape(len(colour.data), -1, 3) @ np.array([0.299, 0.587, 0.114]))
    others = grey[~np.isin(colour.target, (0, 1))].astype(np.float32)
    return Task(X.astype(np.float32) / 255, y, others / 255, 0.1, 1.12)


def _fonts(rng: np.random.Generator) -> Task:
    """Rendered letters, serif against sans; two further fonts give the outliers. A stand-in for the UCI set."""
    X, y = make_font_images(6000, rng)
    others, _ = make_font_images(2400, rng, fonts=("DejaVu Sans Mono", "STIX"))
    return Task(X.astype(np.float32) / 255, y, others.astype(np.float32) / 255, 0.9, 1.3)


def _covertype(rng: np.random.Generator) -> Task:
    """Lodgepole against Ponderosa pine, the pair whose size fits the paper's; columns scaled to unit deviation."""
    data = load_covertype(part="sample")
    X = (data.data - data.data.mean(axis=0)) / np.maximum(data.data.std(axis=0), 1e-9)
    pair = np.isin(data.target, (1, 2))
    X = X.astype(np.float32)
    return Task(X[pair], np.where(data.target[pair] == 1, 1, -1), X[~pair], 0.1, 1.12)


DATASETS: dict[str, Callable[[np.random.Generator], Task]] = {
    "fashion_mnist": _fashion_mnist,
    "cifar10": _cifar10,
    "fonts": _fonts,
    "covertype": _covertype,
}


def partition_accuracy(classes: int, t: float) -> dict[str, float]:
    """How the paper's fixed point and Newton do at one temperature, worst over one class against all others.

    ``updates`` of Algorithm 1 to an error of 1e-10; ``five_total``, the sum of the probabilities after five updates;
    ``newton`` steps to rounding, and ``newton_error``, how far the sum is from one then.
    """
    gaps = one_against_many(classes, 80)
    worst = int(fixed_point_updates(gaps, t).argmax())
    near = gaps[max(worst - 1, 0) : worst + 2, 1]
    gaps = np.concatenate([gaps, one_against_many(classes, 40, near[0], near[-1])])
    five = next(islice(fixed_point_excess(gaps, t), 5, None))
    root, steps = excess(gaps, t, return_iterations=True)
    totals = [np.exp(log_exp_t(-(g[:, None] + gaps), t)).sum(axis=1) for g in (five, root)]
    return {
        "updates": int(fixed_point_updates(gaps, t).max()),
        "five_total": float(totals[0].max()),
        "newton": int(steps.max()),
        "newton_error": float(np.abs(totals[1] - 1).max()),
    }


def curvature_map(temperatures: Array, n_margins: int = 801) -> Array:
    """Smallest second derivative of the binary loss inside its support, one row for each t2, one column for each t1."""
    found = np.empty((len(temperatures), len(temperatures)))
    for i, t2 in enumerate(temperatures):
        reach = 40.0 if t2 >= 1 else 0.999 / (1 - t2)
        margins = np.linspace(-reach, reach, n_margins)
        for j, t1 in enumerate(temperatures):
            found[i, j] = TwoTemperatureLoss(t1, t2).derivative(margins, 2).min()
    return found


def simplex_risk(p: Array, t1: float, resolution: int = 60) -> tuple[Array, Array]:
    """Expected loss under ``p`` at model probabilities on a grid inside the triangle; t2 moves no point of it."""
    steps = np.arange(1, resolution)
    a, b = np.meshgrid(steps, steps, indexing="ij")
    inside = a + b < resolution
    points = np.stack([a[inside], b[inside], resolution - a[inside] - b[inside]], axis=1) / resolution
    return points, -log_t(points, t1) @ p


def in_triangle(points: Array) -> tuple[Array, Array]:
    """Plane coordinates of three probabilities: the corners are those of an equilateral triangle."""
    return points[..., 1] + points[..., 2] / 2, points[..., 2] * 3**0.5 / 2


def load_task(dataset: str, rng: np.random.Generator, size: int | None = None) -> Task:
    """The two classes of a data set, in random order; at most ``size`` rows of them."""
    if dataset not in DATASETS:
        raise ValueError(f"dataset must be one of {list(DATASETS)}, got {dataset!r}")
    task = DATASETS[dataset](rng)
    rows = rng.permutation(len(task.y))[:size]
    return Task(task.X[rows], task.y[rows], task.others, task.t1, task.t2)


def noise_run(dataset: str, size: int, rng: np.random.Generator) -> list[dict[str, float]]:
    """One split of one data set: all kinds of noise, all methods, all penalties.

    A tenth of the rows is the clean test part; a tenth of the noisy rest is held out to choose the penalty on. One row
    for each noise and penalty, with the accuracies ``<method> held`` (noisy) and ``<method> test`` (clean).
    """
    task = load_task(dataset, rng, size)
    n = len(task.y)
    test, noisy = np.arange(n // 10), np.arange(n // 10, n)
    X, y = task.X[noisy], task.y[noisy]
    factor = DesignFactor(X)
    (reference,) = minimise_many(X, [Problem(y.astype(float), LogisticLoss(), REFERENCE_L2)], factor, TOL, MAX_ITER)
    margin = y * (X @ reference.coef[:, 0] + reference.intercept)
    spoiled = [_spoil(noise, X, y, margin, task.others, rng) for noise in NOISES]
    # label noise leaves the inputs alone: these models share their matrix products
    tables: dict[int, list[int]] = {}
    for number, (inputs, _) in enumerate(spoiled):
        tables.setdefault(id(inputs), []).append(number)
    rows = []
    for numbers in tables.values():
        labels = [spoiled[number][1] for number in numbers]
        rows += _fit_all(task, spoiled[numbers[0]][0], labels, numbers, factor, test)
    return rows


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
    task: Task,
    X: NDArray[Any],
    labels: list[NDArray[np.int64]],
    numbers: list[int],
    factor: DesignFactor,
    test: NDArray[np.intp],
) -> list[dict[str, float]]:
    """All methods and penalties for several label vectors of the same rows, of which the first tenth is held out."""
    held = len(X) // 10
    inputs, points = X[held:], [(y, l2) for y in labels for l2 in PENALTIES]

    def pose(loss: Any, starts: Sequence[Solution] = ()) -> list[Problem]:
        first: list[tuple[Array, Array] | None] = [(s.coef, s.intercept) for s in starts]
        first = first or [None] * len(points)
        return [Problem(y[held:].astype(float), loss, l2, s) for (y, l2), s in zip(points, first, strict=True)]

    _, logistic, tempered, bounded = task.losses.values()
    k = len(points)
    first = [*pose(logistic), *pose(tempered), *pose(bounded), *pose(SmoothedHinge(0.3))]
    found = minimise_many(inputs, first, factor, TOL, MAX_ITER)
    # the narrower parabola of the hinge from the wider one; the bounded loss again, from the logistic solution
    second = [*pose(SmoothedHinge(0.03), found[3 * k :]), *pose(bounded, found[:k])]
    more = minimise_many(inputs, second, factor, TOL, MAX_ITER)
    best = [min(pair, key=lambda s: s.value) for pair in zip(found[2 * k : 3 * k], more[k:], strict=True)]
    own = (more[:k], found[:k], found[k : 2 * k], found[2 * k : 3 * k], best)
    solutions = dict(zip((*METHODS, LOWEST), own, strict=True))
    rows: list[dict[str, float]] = [{"noise": number, "l2": l2} for number in numbers for l2 in PENALTIES]
    for method, fits in solutions.items():
        for row, (y, _), solution in zip(rows, points, fits, strict=True):
            row[f"{method} held"] = _accuracy(solution, X[:held], y[:held])
            row[f"{method} test"] = _accuracy(solution, task.X[test], task.y[test])
            row[f"{method} steps"] = solution.n_iter
    return rows


def _accuracy(solution: Solution, X: NDArray[Any], y: NDArray[np.int64]) -> float:
    score = X @ solution.coef[:, 0] + solution.intercept
    return float((np.where(score > 0, 1, -1) == y).mean())


def selected(table: pd.DataFrame) -> pd.DataFrame:
    """Accuracy on clean test data, with the penalty chosen on the noisy held-out part and with the best one.

    Returns
    -------
    DataFrame
        Indexed by data set, noise and method; columns ``honest``, ``honest_std`` (over the splits, penalty chosen in
        each on its own noisy held-out part), ``oracle`` and ``oracle_std`` (the one penalty with the best mean on
        clean test data), and ``l2_oracle``.
    """
    found = []
    for (dataset, number), part in table.groupby(["dataset", "noise"], sort=False):
        for method in (*METHODS, LOWEST):
            accuracy = part.pivot(index="run", columns="l2", values=f"{method} test")
            held = part.pivot(index="run", columns="l2", values=f"{method} held")[list(PENALTIES)[::-1]]
            # of equals the strongest penalty: columns run from weak to strong, the last maximum counts
            best = held.columns[::-1][held.to_numpy()[:, ::-1].argmax(axis=1)]
            honest = np.array([accuracy.loc[run, l2] for run, l2 in zip(accuracy.index, best, strict=True)])
            l2 = accuracy.mean().idxmax()
            found.append(
                {
                    "dataset": dataset,
                    "noise": NOISES[int(number)],
                    "method": method,
                    "honest": honest.mean(),
                    "honest_std": honest.std(),
                    "oracle": accuracy[l2].mean(),
                    "oracle_std": accuracy[l2].std(ddof=0),
                    "l2_oracle": l2,
                }
            )
    return pd.DataFrame(found).set_index(["dataset", "noise", "method"])


def initialisation_run(scale: float, std: float, size: int, rng: np.random.Generator) -> dict[str, float]:
    """Accuracy and objective after plain L-BFGS from normal weights, Fashion-MNIST with pixels up to ``scale``."""
    task = load_task("fashion_mnist", rng, size)
    X, y = scale * task.X.astype(np.float64), task.y.astype(np.float64)
    start = np.asarray(rng.normal(scale=std, size=X.shape[1]))
    w, result = plain_fit(X, y, TwoTemperatureLoss(task.t1, task.t2), 1e-5, start)
    return {"accuracy": float((np.sign(X @ w) == y).mean()), "objective": float(result.fun), "steps": int(result.nit)}


def runtime_run(dataset: str, size: int, rng: np.random.Generator) -> dict[str, float]:
    """Processor seconds of one fit with random label noise at penalty 1e-3.

    ``<method> plain``: L-BFGS in the original variables, as in the paper; ``<method> ours``: in whitened variables, the
    factor included; ``scikit-learn``: its logistic regression, stopped at the same gradient.
    """
    task = load_task(dataset, rng, size)
    y = flip_labels(task.y, LABEL_RATE, rng, kind="count").astype(np.float64)
    X = task.X.astype(np.float64)
    l2 = 1e-3
    start = rng.normal(scale=0.001, size=X.shape[1])
    row: dict[str, float] = {}
    for method, loss in task.losses.items():
        row[f"{method} plain"], (_, result) = _timed(plain_fit, X, y, loss, l2, start, 500)
        row[f"{method} steps"] = int(result.nit)
        model = MarginClassifier(loss, l2=l2, tol=TOL, n_starts=1, max_iter=500)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            row[f"{method} ours"], _ = _timed(model.fit, X, y)
    peer = LogisticRegression(C=1 / (l2 * len(y)), tol=TOL, max_iter=5000)
    row["scikit-learn"], _ = _timed(peer.fit, X, y)
    return row


def _timed(call: Callable[..., Any], *args: Any) -> tuple[float, Any]:
    start = time.process_time()
    result = call(*args)
    return time.process_time() - start, result
