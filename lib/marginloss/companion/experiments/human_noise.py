"""Linear heads on pictures whose labels people got wrong (CIFAR-10N), each with another loss of the book."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from marginloss.companion.experiments.pictures import cifar10_features
from marginloss.datasets import load_cifar10n
from marginloss.losses import (
    AlphaLoss,
    ExponentialLoss,
    GeneralizedCrossEntropyLoss,
    HingeLoss,
    LogisticLoss,
    MarginLoss,
    SigmoidLoss,
    SmoothBoostLoss,
)
from marginloss.losses.tempered import bitempered_loss, two_temperature_loss

__all__ = ["KINDS", "LOSSES", "given_labels", "human_noise", "margins"]

Array = NDArray[np.float64]
Labels = NDArray[np.intp]
#: Gradient of the losses of a batch in its activations (n, ..., C), given labels (n, ...) and the noise matrix (C, C).
Slopes = Callable[[Array, Labels, Array], Array]

KINDS = ("clean", "people", "same matrix", "uniform")
"""Where the labels come from: see :func:`given_labels`."""

N_PATCHES = {"full": 400, "colour": 50}
STEPS, PENALTIES = (0.3, 1.2, 5.0, 20.0), (1e-4, 1e-2)  # steps over the mean squared length of a row
ROWS, BATCH, EPOCHS, MOMENTUM = 10_000, 250, 10, 0.9


def margins(activations: Array, labels: Labels) -> tuple[Array, Array]:
    """Log-odds of the given class against all others, and how these share the probability that is left to them.

    Examples
    --------
    >>> z, others = margins(np.log([[0.5, 0.3, 0.2]]), np.array([0]))
    >>> z.round(3), others.round(3)
    (array([0.]), array([[0. , 0.6, 0.4]]))
    """
    given, rest = labels[..., None], activations - activations.max(axis=-1, keepdims=True)
    own = np.take_along_axis(rest, given, -1)[..., 0]
    np.put_along_axis(rest, given, -np.inf, -1)
    top = rest.max(axis=-1)
    np.exp(rest - top[..., None], out=rest)
    total = rest.sum(axis=-1)
    return own - top - np.log(total), rest / total[..., None]


def _of_the_margin(loss: MarginLoss, tail: float = 1.0) -> Slopes:
    """A margin loss for several classes; with ``tail``, the mean over that fraction of the batch with most loss."""

    def slopes(activations: Array, labels: Labels, matrix: Array) -> Array:
        z, pull = margins(activations, labels)
        weight = loss.weight(z) * (z <= np.quantile(z, tail, axis=0)) / tail
        np.put_along_axis(pull, labels[..., None], -1.0, -1)
        return weight[..., None] * pull

    return slopes


def _corrected(activations: Array, labels: Labels, matrix: Array) -> Array:
    """Logistic loss, unbiased if labels are wrong as the noise matrix says, whatever the picture."""
    found: Array = softmax(activations, axis=-1) - np.linalg.inv(matrix)[labels]
    return found


def _tempered(loss: Callable[..., Any], t1: float, t2: float) -> Slopes:
    return lambda activations, labels, matrix: loss(activations, labels, t1, t2, gradient=True)[1]


LOSSES: Mapping[str, Slopes] = {
    "logistic": _of_the_margin(LogisticLoss()),
    "exponential": _of_the_margin(ExponentialLoss()),
    "hinge": _of_the_margin(HingeLoss()),
    "α = 2": _of_the_margin(AlphaLoss(2)),
    "α = 4": _of_the_margin(AlphaLoss(4)),
    "sigmoid, α = ∞": _of_the_margin(SigmoidLoss()),
    "generalised cross-entropy": _of_the_margin(GeneralizedCrossEntropyLoss(0.7)),
    "t-logistic": _tempered(two_temperature_loss, 1.0, 1.5),
    "two temperatures": _tempered(two_temperature_loss, 0.8, 1.2),
    "two temperatures, far apart": _tempered(two_temperature_loss, 0.5, 1.5),
    "bi-tempered": _tempered(bitempered_loss, 0.8, 1.2),
    "corrected": _corrected,
    "SmoothBoost": _of_the_margin(SmoothBoostLoss(0.1)),
    "worst half": _of_the_margin(LogisticLoss(), tail=0.5),
}
"""Every loss of the book as a loss of ten activations, by its slopes."""


def given_labels(clean: Labels, people: Labels, kind: str, rng: np.random.Generator) -> Labels:
    """Labels to learn from.

    ``"clean"``; those of ``"people"``; ``"same matrix"``: the answers of people, dealt out anew among the pictures of
    each class, so that any picture of it can be the wrong one; ``"uniform"``: as many wrong ones, but on any picture
    and with any other class.

    Examples
    --------
    >>> given_labels(np.array([0, 0, 1]), np.array([1, 0, 1]), "same matrix", np.random.default_rng(3)).tolist()
    [1, 0, 1]
    """
    if kind == "same matrix":
        order = np.lexsort((rng.random(len(clean)), clean))  # rows of a class in any order
        dealt = np.empty_like(people)
        dealt[np.argsort(clean, kind="stable")] = people[order]
        return dealt
    if kind == "uniform":
        other = (clean + rng.integers(1, 1 + clean.max(), len(clean))) % (1 + clean.max())
        return np.where(rng.permutation(people != clean), other, clean)
    return {"clean": clean, "people": people}[kind]


def human_noise(part: str, answers: str, rng: np.random.Generator) -> list[dict[str, float]]:
    """Every loss on every kind of labels: step and penalty are chosen by a fifth of the labels as they are given.

    Parameters
    ----------
    part : {"colour", "full"}
        The sample of 5,000 training pictures, or 10,000 drawn of all.
    answers : {"aggre", "worst"}
        The majority of three people, or a wrong answer if there is one.
    rng : numpy.random.Generator

    Returns
    -------
    list of dict
        For each kind and loss their places in :data:`KINDS` and :data:`LOSSES`, the ``rate`` of wrong labels, the
        ``step`` that was chosen, the ``accuracy`` on clean test pictures, its ``gain`` over logistic on the same labels
        and over the same loss on those of people (``gain_on_people``), each with its standard error over the pictures.
    """
    bunch, asked = cifar10_features(part, N_PATCHES[part]), load_cifar10n()
    n = len(bunch.train)
    place = np.empty(len(asked.target), dtype=int)  # the sample has the first pictures of each class
    place[np.argsort(asked.target, kind="stable")] = np.tile(np.arange(5000), 10)
    column = asked.data[place < n // 10, asked.feature_names.index(answers)]
    rows = rng.permutation(n)[:ROWS]
    clean, people = bunch.target[rows].astype(np.intp), column[rows].astype(np.intp)
    X, X_test = (  # a column of ones for the intercepts
        np.pad(np.asarray(bunch.data[chosen]), ((0, 0), (0, 1)), constant_values=1) for chosen in (rows, bunch.test)
    )
    labels = {kind: given_labels(clean, people, kind, rng) for kind in KINDS}
    right, steps, held, found = {}, {}, len(rows) // 5, []
    for kind, given in labels.items():
        matrix = np.zeros((10, 10))
        np.add.at(matrix, (clean, given), 1.0)
        heads = _heads(X[held:], given[held:], matrix / matrix.sum(axis=1, keepdims=True), rng)
        best = np.mean(_answers(heads, X[:held]) == given[:held, None, None], axis=0).argmax(axis=1)
        steps[kind] = np.repeat(STEPS, len(PENALTIES))[best].tolist()
        answer = _answers(heads[:, np.arange(len(best)), best], X_test)
        right[kind] = (answer == bunch.target[bunch.test][:, None]).astype(float)
    for i, kind in enumerate(KINDS):
        gains = {"gain": right[kind] - right[kind][:, :1], "gain_on_people": right[kind] - right["people"]}
        for j, accuracy in enumerate(right[kind].mean(axis=0).tolist()):
            row = {"kind": i, "loss": j, "rate": float(np.mean(labels[kind] != clean)), "accuracy": accuracy}
            row["step"] = steps[kind][j]
            for name, gain in gains.items():
                row |= {name: float(gain[:, j].mean()), f"{name}_se": float(gain[:, j].std() / np.sqrt(len(gain)))}
            found.append(row)
    return found


def _answers(heads: Any, X: Any) -> Labels:
    """Class of the largest activation for each row and head."""
    found = (X @ heads.reshape(len(heads), -1)).reshape(len(X), *heads.shape[1:])
    return found.argmax(axis=-1)


def _heads(X: Any, labels: Labels, matrix: Array, rng: np.random.Generator) -> Any:
    """Heads (d, losses, settings, 10) by momentum descent in lock-step, the rates falling to zero.

    A rate counts in units of the slope of its loss at the start, else a flat loss would hardly move, and of the mean
    squared length of a row, else more features would make it longer.
    """
    step, l2 = np.array(list(product(STEPS, PENALTIES)), dtype=np.float32).T[:, None, :, None]
    heads = np.zeros((X.shape[1], len(LOSSES), step.size, 10), dtype=np.float32)
    velocity = np.zeros_like(heads)
    n_steps = EPOCHS * len(X) // BATCH
    batches = np.concatenate([rng.permutation(len(X)) for _ in range(EPOCHS)])[: n_steps * BATCH]
    start = np.zeros((1, 10)), np.zeros(1, dtype=int), matrix
    slope = np.array([np.abs(loss(*start)).max() for loss in LOSSES.values()], np.float32)
    step = step / (slope * np.square(X).sum(axis=1).mean())[:, None, None]
    with np.errstate(all="ignore"):  # a step that is too long for a loss diverges, and is not chosen
        for i, rows in enumerate(batches.reshape(n_steps, BATCH)):
            batch = X[rows]
            activations = (batch @ heads.reshape(len(heads), -1)).reshape(BATCH, *heads.shape[1:])
            y = np.repeat(labels[rows, None], heads.shape[2], axis=1)
            slopes = np.empty_like(activations)
            for j, loss in enumerate(LOSSES.values()):
                slopes[:, j] = loss(activations[:, j].astype(np.float64), y, matrix)
            pull = (batch.T @ slopes.reshape(BATCH, -1)).reshape(heads.shape) / BATCH
            velocity = MOMENTUM * velocity + pull + l2 * heads
            heads -= step * (1 - i / n_steps) * velocity
    return heads
