"""Two classes of each data set of Section 7, with the paper's temperatures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marginalia.datasets import load_cifar10, load_covertype, load_fashion_mnist, make_font_images
from marginalia.losses import HingeLoss, LogisticLoss, MarginLoss, TLogisticLoss, TwoTemperatureLoss

__all__ = ["DATASETS", "METHODS", "Task", "load_task"]

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
        """The four losses of the paper, by the name of the method."""
        losses = (HingeLoss(), LogisticLoss(), TLogisticLoss(self.t2), TwoTemperatureLoss(self.t1, self.t2))
        return dict(zip(METHODS, losses, strict=True))


def _fashion_mnist(rng: np.random.Generator, size: int) -> Task:
    """T-shirts against sandals; the paper does not name its pair."""
    data = load_fashion_mnist()
    pair = np.isin(data.target, (0, 5))
    X = data.data.astype(np.float32) / 255
    return Task(X[pair], np.where(data.target[pair] == 5, 1, -1), X[~pair], 0.1, 1.12)


def _cifar10(rng: np.random.Generator, size: int) -> Task:
    """Airplanes against automobiles in grey; other classes from the colour sample, made grey in the same way."""
    X, y = load_cifar10(return_X_y=True)
    colour = load_cifar10(part="colour")
    grey = np.rint(colour.data.reshape(len(colour.data), -1, 3) @ np.array([0.299, 0.587, 0.114]))
    others = grey[~np.isin(colour.target, (0, 1))].astype(np.float32)
    return Task(X.astype(np.float32) / 255, y, others / 255, 0.1, 1.12)


def _fonts(rng: np.random.Generator, size: int) -> Task:
    """Rendered letters, serif against sans; two further fonts give the outliers. A stand-in for the UCI set."""
    n = min(size, 6000)
    X, y = make_font_images(n, rng)
    others, _ = make_font_images(n * 2 // 5, rng, fonts=("DejaVu Sans Mono", "STIX"))
    return Task(X.astype(np.float32) / 255, y, others.astype(np.float32) / 255, 0.9, 1.3)


def _covertype(rng: np.random.Generator, size: int) -> Task:
    """Lodgepole against Ponderosa pine, the pair whose size fits the paper's; columns scaled to unit deviation."""
    data = load_covertype(part="sample")
    X = (data.data - data.data.mean(axis=0)) / np.maximum(data.data.std(axis=0), 1e-9)
    pair = np.isin(data.target, (1, 2))
    X = X.astype(np.float32)
    return Task(X[pair], np.where(data.target[pair] == 1, 1, -1), X[~pair], 0.1, 1.12)


DATASETS: dict[str, Callable[[np.random.Generator, int], Task]] = {
    "fashion_mnist": _fashion_mnist,
    "cifar10": _cifar10,
    "fonts": _fonts,
    "covertype": _covertype,
}


def load_task(dataset: str, rng: np.random.Generator, size: int = 20_000) -> Task:
    """The two classes of a data set, in random order; at most ``size`` rows of them."""
    if dataset not in DATASETS:
        raise ValueError(f"dataset must be one of {list(DATASETS)}, got {dataset!r}")
    task = DATASETS[dataset](rng, size)
    rows = rng.permutation(len(task.y))[:size]
    return Task(task.X[rows], task.y[rows], task.others, task.t1, task.t2)
