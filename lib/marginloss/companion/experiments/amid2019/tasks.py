"""Two classes of each data set of Section 7, with the paper's temperatures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marginloss.datasets import load_cifar10, load_covertype, load_fashion_mnist, make_font_images
from marginloss.losses import HingeLoss, LogisticLoss, MarginLoss, TLogisticLoss, TwoTemperatureLoss

GREY = np.array([0.299, 0.587, 0.114])
METHODS = ("hinge", "logistic", "t-logistic", "two-temperature")


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
        """The four losses of the paper by the name of the method, and two at the temperatures of other data sets."""
        losses = (HingeLoss(), LogisticLoss(), TLogisticLoss(self.t2), TwoTemperatureLoss(self.t1, self.t2))
        t1, t2 = (0.9, 1.3) if self.t1 < 0.5 else (0.1, 1.12)
        elsewhere = {"t-logistic elsewhere": TLogisticLoss(t2), "two-temperature elsewhere": TwoTemperatureLoss(t1, t2)}
        return {**dict(zip(METHODS, losses, strict=True)), **elsewhere}


def _fashion_mnist() -> Task:
    """T-shirts against sandals; the paper does not name its pair."""
    data = load_fashion_mnist()
    pair = np.isin(data.target, (0, 5))
    X = data.data.astype(np.float32) / 255
    return Task(X[pair], np.where(data.target[pair] == 5, 1, -1), X[~pair], 0.1, 1.12)


def _cifar10() -> Task:
    """Airplanes against automobiles in grey; other classes from the colour sample, made grey in the same way."""
    X, y = load_cifar10(return_X_y=True)
    colour = load_cifar10(part="colour")
    grey = np.rint(colour.data.reshape(len(colour.data), -1, 3) @ GREY)
    others = grey[~np.isin(colour.target, (0, 1))].astype(np.float32)
    return Task(X.astype(np.float32) / 255, y, others / 255, 0.1, 1.12)


def _cifar10_sample(first: int, second: int) -> Task:
    """Two classes of the colour sample, made grey: 600 pictures each."""
    colour = load_cifar10(part="colour")
    grey = np.rint(colour.data.reshape(len(colour.data), -1, 3) @ GREY).astype(np.float32) / 255
    pair = np.isin(colour.target, (first, second))
    return Task(grey[pair], np.where(colour.target[pair] == second, 1, -1), grey[~pair], 0.1, 1.12)


def _fonts() -> Task:
    """Rendered letters, serif against sans; two further fonts give the outliers. A stand-in for the UCI set."""
    rng = np.random.default_rng(0)  # the same letters for every split, as a data set on disk would be
    X, y = make_font_images(12_000, rng)
    others, _ = make_font_images(4800, rng, fonts=("DejaVu Sans Mono", "STIX"))
    return Task(X.astype(np.float32) / 255, y, others.astype(np.float32) / 255, 0.9, 1.3)


def _covertype() -> Task:
    """Lodgepole against Ponderosa pine, the pair whose size fits the paper's; columns scaled to unit deviation.

    All rows where only the full data are there, else the sample.
    """
    data = load_covertype()
    X = (data.data - data.data.mean(axis=0)) / np.maximum(data.data.std(axis=0), 1e-9)
    pair = np.isin(data.target, (1, 2))
    X = X.astype(np.float32)
    return Task(X[pair], np.where(data.target[pair] == 1, 1, -1), X[~pair], 0.1, 1.12)


DATASETS: dict[str, Callable[[], Task]] = {
    "fashion_mnist": _fashion_mnist,
    "cifar10": _cifar10,
    "fonts": _fonts,
    "covertype": _covertype,
}

OBJECTS = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
#: All pairs of classes of CIFAR-10, from a sample of 600 pictures a class.
PAIRS = {
    f"{OBJECTS[first]} and {OBJECTS[second]}": partial(_cifar10_sample, first, second)
    for first, second in combinations(range(10), 2)
}


def load_task(dataset: str, rng: np.random.Generator) -> Task:
    """The two classes of a data set, all their rows in random order."""
    if dataset not in (*DATASETS, *PAIRS):
        raise ValueError(f"dataset must be one of {list(DATASETS)} or a pair of classes of CIFAR-10, got {dataset!r}")
    task = _stored(dataset)
    rows = rng.permutation(len(task.y))
    return replace(task, X=task.X[rows], y=task.y[rows])


@lru_cache(maxsize=1)
def _stored(dataset: str) -> Task:
    """Rows as they are stored; kept for the next split of the same data set."""
    tasks: dict[str, Callable[[], Task]] = {**DATASETS, **PAIRS}
    return tasks[dataset]()
