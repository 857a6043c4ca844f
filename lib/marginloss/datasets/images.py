"""Loaders of pictures and of the forest: large sets with many classes, of which a task may take two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marginloss._validation import check_choice
from marginloss.datasets import files
from marginloss.datasets.inventory import contents
from marginloss.datasets.registry import dataset
from marginloss.datasets.tables import as_bunch

__all__ = ["load_cifar10", "load_cifar10n", "load_covertype", "load_fashion_mnist"]


def load_fashion_mnist(*, classes: Sequence[int] | None = None, return_X_y: bool = False) -> Any:
    """Fashion-MNIST: 70,000 grey pictures of 28 × 28 pixels, the 60,000 for training first.

    Used by amid2019.

    Parameters
    ----------
    classes : sequence of int, optional
        Keep these classes only, by their position in ``target_names``. Two classes become −1 and +1 in this order,
        more become 0, 1, ….
    return_X_y : bool, default=False
        Return ``(X, y)`` instead of a Bunch.

    Returns
    -------
    Bunch
        ``data`` (pixels 0 to 255, ``uint8``), ``target``, ``target_names``, ``feature_names``, ``train``, ``test``
        (rows of the published split), ``licence``, ``source``, ``status``, ``DESCR``.

    Raises
    ------
    DatasetNotFound
        If the data are not on this machine; the message says how to get them.
    """
    names = list(dataset("fashion_mnist").classes)
    _check_classes(classes, names)
    raw = contents("fashion_mnist")
    # the IDX format: a header of 16 bytes for pictures and 8 for labels, then one byte a value
    blocks = [
        np.frombuffer(content, np.uint8, offset=offset)  # type: ignore[arg-type]
        for content, offset in zip(raw, (16, 8, 16, 8), strict=True)
    ]
    X = np.concatenate([blocks[0], blocks[2]]).reshape(-1, 784)
    y = np.concatenate([blocks[1], blocks[3]])
    first = np.arange(len(y)) < len(blocks[1])
    return _chosen("fashion_mnist", X, y, first, names, classes, return_X_y)


def load_cifar10(*, part: str | None = None, return_X_y: bool = False) -> Any:
    """CIFAR-10: all airplanes and automobiles in grey, a colour sample of all ten classes, or all 60,000 pictures.

    amid2019 uses two classes in grey, without saying which; zhai2021 uses colour. Grey is 0.299 R + 0.587 G + 0.114 B,
    rounded. The pair and the formula are our choice.

    Parameters
    ----------
    part : {"pair", "colour", "full"}, default=None
        ``None`` or ``"pair"``: 12,000 × 1,024, airplane −1 and automobile +1, complete. ``"colour"``: 6,000 × 32 × 32
        × 3, ten classes 0 to 9, the first 500 training and 100 test pictures of each. ``"full"``: 60,000 × 32 × 32 ×
        3, in the published order, the 50,000 for training first (184 MB).
    return_X_y : bool, default=False
        Return ``(X, y)`` instead of a Bunch.

    Returns
    -------
    Bunch
        ``data`` (``uint8``), ``target``, ``target_names``, ``train``, ``test`` (rows of the published split),
        ``licence``, ``source``, ``status``, ``DESCR``.

    Raises
    ------
    DatasetNotFound
        If the data are not on this machine; the message says how to get them.
    """
    part = part or "pair"
    check_choice("part", part, ("pair", "colour", "full"))
    arrays = _arrays("cifar10", part)
    if part == "full":
        X, y, n_train = arrays["X"], arrays["y"], 50_000
    else:
        X = np.concatenate([arrays["X_train"], arrays["X_test"]])
        y, n_train = np.concatenate([arrays["y_train"], arrays["y_test"]]), len(arrays["y_train"])
    first = np.arange(len(y)) < n_train
    names = list(dataset("cifar10").classes) if part == "pair" else arrays["class_names"].tolist()
    return _chosen("cifar10", X, y, first, names, None, return_X_y, check=part == "pair")


def load_cifar10n(*, return_X_y: bool = False) -> Any:
    """CIFAR-10N: what people answered for the 50,000 training pictures of CIFAR-10, beside the published labels.

    In the order of ``load_cifar10(part="full")``. The licence forbids commercial use; cite wei2022.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.

    Returns
    -------
    Bunch
        ``data`` (labels 0 to 9 by people, one column each for ``feature_names``: ``aggre``, the majority of three
        people; ``random1`` to ``random3``, each of them; ``worst``, a wrong answer if there is one), ``target`` (the
        published labels), ``target_names``, ``licence``, ``source``, ``status``, ``DESCR``.

    Raises
    ------
    DatasetNotFound
        If the data are not on this machine; the message says how to get them.
    """
    arrays = _arrays("cifar10n")
    answers = ["aggre", "random1", "random2", "random3", "worst"]
    y = arrays["clean"].astype(np.int64)
    X = np.column_stack([arrays[name] for name in answers])
    names = list(dataset("cifar10n").classes)
    return as_bunch("cifar10n", X, y, return_X_y, counted=y, feature_names=answers, target_names=names)


def load_covertype(*, part: str = "auto", classes: Sequence[int] | None = None, return_X_y: bool = False) -> Any:
    """Forest Covertype: 54 cartographic variables, seven cover types; a sample of 24,744 rows or all 581,012.

    Used by amid2019 with 287,000 rows, which the sample cannot reach: say which size was used.

    Parameters
    ----------
    part : {"auto", "sample", "full"}, default="auto"
        ``"auto"`` takes the sample if it is there and the full data otherwise; ``part`` of the result says which.
    classes : sequence of int, optional
        Keep these classes only, by their position in ``target_names``. Two classes become −1 and +1 in this order,
        more become 0, 1, ….
    return_X_y : bool, default=False
        Return ``(X, y)`` instead of a Bunch.

    Returns
    -------
    Bunch
        ``data`` (``float64``), ``target``, ``target_names``, ``feature_names``, ``part``, ``licence``, ``source``,
        ``status``, ``DESCR``.

    Raises
    ------
    DatasetNotFound
        If the data are not on this machine; the message says how to get them.
    """
    check_choice("part", part, ("auto", "sample", "full"))
    entry = dataset("covertype")
    names = list(entry.classes)
    _check_classes(classes, names)
    if part == "auto":
        part = "sample" if files.find(entry, "sample") is not None else "full"
    arrays = _arrays("covertype", part)
    X, y = arrays["X"].astype(np.float64), arrays["y"] - 1
    more = {"feature_names": arrays["feature_names"].tolist(), "part": part}
    return _chosen("covertype", X, y, None, names, classes, return_X_y, check=part == "sample", **more)


def _arrays(name: str, part: str | None = None) -> Mapping[str, NDArray[Any]]:
    """The arrays of a set that is one file."""
    (arrays,) = contents(name, part)
    assert not isinstance(arrays, bytes)
    return arrays


def _check_classes(classes: Sequence[int] | None, names: list[str]) -> None:
    if classes is None:
        return
    if len(classes) < 2 or len(set(classes)) < len(classes) or not set(classes) <= set(range(len(names))):
        raise ValueError(f"classes must be two or more different numbers from 0 to {len(names) - 1}, got {classes!r}")


def _chosen(
    name: str,
    X: NDArray[Any],
    y: NDArray[np.uint8],
    first: NDArray[np.bool_] | None,
    names: list[str],
    classes: Sequence[int] | None,
    return_X_y: bool,
    check: bool = True,
    **more: Any,
) -> Any:
    """Keep the chosen classes and number them anew; ``first`` marks the rows of the published training part."""
    counted = y if check else None
    chosen = list(range(len(names))) if classes is None else list(classes)
    position = np.full(len(names), -1)
    position[chosen] = np.arange(len(chosen))
    keep = position[y] >= 0
    X, target = X if keep.all() else X[keep], position[y[keep]]
    if first is not None:
        more |= {"train": np.flatnonzero(first[keep]), "test": np.flatnonzero(~first[keep])}
    more.setdefault("feature_names", [f"pixel{i}" for i in range(int(np.prod(X.shape[1:])))])
    target = 2 * target - 1 if len(chosen) == 2 else target
    return as_bunch(name, X, target, return_X_y, counted, target_names=[names[i] for i in chosen], **more)
