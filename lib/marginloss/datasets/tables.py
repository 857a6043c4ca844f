"""Loaders of tables, prepared as the papers' authors prepared them."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import train_test_split
from sklearn.utils import Bunch

from marginloss.datasets import files
from marginloss.datasets.inventory import contents
from marginloss.datasets.registry import dataset
from marginloss.datasets.xd6 import xd6_table

__all__ = ["load_breast_cancer", "load_compas", "load_online_shoppers", "load_pima", "load_xd6"]

SIGNS = np.array([-1, 1])


def as_bunch(
    name: str, X: NDArray[Any], y: ArrayLike, return_X_y: bool, counted: ArrayLike | None = None, **more: Any
) -> Any:
    """The common form of all loaders; refuses data whose class counts are not those of the registry.

    ``counted`` holds the classes of all rows of the published set, as positions in the registry's list of classes.
    """
    entry = dataset(name)
    if counted is not None:
        sizes = dict(zip(entry.classes, np.bincount(np.asarray(counted)).tolist(), strict=False))
        if sizes != dict(entry.classes):
            raise ValueError(f"{entry.title} has the class counts {sizes}, expected {dict(entry.classes)}")
    target = np.asarray(y)
    if return_X_y:
        return X, target
    text = f"{entry.title}. {entry.summary}\n\nSource: {entry.source}. Licence: {entry.licence}."
    facts = {"licence": entry.licence, "source": entry.source, "status": entry.status, "DESCR": text}
    return Bunch(data=X, target=target, name=name, **facts, **more)


def bunch_of_table(name: str, features: pd.DataFrame, classes: ArrayLike, return_X_y: bool, **more: Any) -> Any:
    """The same for a table of numbers with named columns; ``classes`` are positions in the registry's list.

    Two classes become −1 and +1. What is given by name takes the place of what the registry says.
    """
    position = np.asarray(classes).astype(np.int64)
    target = SIGNS[position] if position.max() == 1 else position
    given: dict[str, Any] = {
        "counted": position,
        "feature_names": list(features.columns),
        "target_names": list(dataset(name).classes)[: position.max() + 1],
    }
    return as_bunch(name, np.ascontiguousarray(features, dtype=np.float64), target, return_X_y, **given | more)


def table_of(name: str, part: str | None = None, **options: Any) -> pd.DataFrame:
    """The table of a set, or of a part of it, that is one CSV file."""
    (content,) = contents(name, part)
    assert isinstance(content, bytes)
    return pd.read_csv(BytesIO(content), **options)


def load_breast_cancer(*, return_X_y: bool = False) -> Any:
    """Breast cancer Wisconsin (diagnostic): 569 × 30, malignant −1 and benign +1, from scikit-learn's copy.

    Used by sypherd2022 and sypherd2023. Raw features; the authors split 70/30, stratified.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(X, y)`` instead of a Bunch.

    Returns
    -------
    Bunch
        ``data``, ``target``, ``feature_names``, ``target_names``, ``licence``, ``source``, ``status``, ``DESCR``.

    Examples
    --------
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X.shape, int((y == -1).sum())
    ((569, 30), 212)
    """
    from sklearn.datasets import load_breast_cancer as load

    bunch = load()
    features = pd.DataFrame(bunch.data, columns=bunch.feature_names.tolist())
    return bunch_of_table("breast_cancer", features, bunch.target, return_X_y)


def load_xd6(*, return_X_y: bool = False) -> Any:
    """The published table xd6: 973 rows of nine bits and a noise-free Boolean function of them, as −1/+1.

    Used by sypherd2022. The rows are generated from the rule and come in the order of their nine bits; if the file is
    there, it is checked to hold the same rows. So the result is the same on every machine.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(X, y)`` instead of a Bunch.

    Returns
    -------
    Bunch
        ``data``, ``target``, ``feature_names``, ``target_names``, ``licence``, ``source``, ``status``, ``DESCR``.

    Examples
    --------
    >>> X, y = load_xd6(return_X_y=True)
    >>> X.shape, int((y == 1).sum())
    ((973, 9), 322)
    """
    X, y = xd6_table()
    if files.find(dataset("xd6"), "all") is not None:
        published = table_of("xd6").to_numpy()
        published = published[np.argsort(published[:, :9] @ (1 << np.arange(8, -1, -1)), kind="stable")]
        if not np.array_equal(published, np.column_stack([X, y == 1])):
            raise ValueError("the file of xd6 does not hold the rows that its rule gives")
    features = pd.DataFrame(X, columns=[f"a{i}" for i in range(1, 10)])
    return bunch_of_table("xd6", features, y == 1, return_X_y)


def load_pima(*, return_X_y: bool = False) -> Any:
    """Pima Indians diabetes: 768 × 8, no diabetes −1 and diabetes +1.

    Used by sypherd2022. Zeros stand for missing values in glucose, pressure, triceps, insulin and mass, as published.
    The authors' script takes the first patient for a header and so uses 767 rows; here are all 768.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(X, y)`` instead of a Bunch.

    Returns
    -------
    Bunch
        ``data``, ``target``, ``feature_names``, ``target_names``, ``frame``, ``licence``, ``source``, ``status``,
        ``DESCR``.

    Raises
    ------
    DatasetNotFound
        If the data are not on this machine; the message says how to get them.
    """
    frame = table_of("pima")
    return bunch_of_table("pima", frame.drop(columns="diabetes"), frame["diabetes"], return_X_y, frame=frame)


def load_online_shoppers(*, return_X_y: bool = False) -> Any:
    """Online Shoppers Purchasing Intention: 12,330 × 17, no purchase −1 and purchase +1.

    Used by sypherd2022. As in the authors' script, Month, VisitorType and Weekend are coded in alphabetical order
    (10, 3 and 2 codes) and nothing is scaled; the columns are those that
    :func:`marginloss.noise.insider_twist` expects. 125 rows that repeat others are kept, as published.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(X, y)`` instead of a Bunch.

    Returns
    -------
    Bunch
        ``data``, ``target``, ``feature_names``, ``target_names``, ``codes`` ({column: words in the order of their
        codes}), ``frame`` (the table before coding), ``licence``, ``source``, ``status``, ``DESCR``.

    Raises
    ------
    DatasetNotFound
        If the data are not on this machine; the message says how to get them.
    """
    frame = table_of("online_shoppers")
    features = frame.drop(columns="Revenue")
    codes: dict[str, list[str]] = {}
    for column in ("Month", "VisitorType"):
        words, numbers = np.unique(features[column].to_numpy(dtype=str), return_inverse=True)
        codes[column], features[column] = words.tolist(), numbers
    return bunch_of_table("online_shoppers", features, frame["Revenue"], return_X_y, codes=codes, frame=frame)


def load_compas(*, return_X_y: bool = False) -> Any:
    """COMPAS: 7,214 defendants, 8 features, not charged again −1 and charged again +1 (``is_recid``).

    Used by zhai2021, and prepared as in its code: counts of juvenile felonies, misdemeanours and other offences, count
    of priors, age / 10, charge degree (F 0, M 1), sex (Female 0, Male 1), race (Caucasian 0, all others 1). The split
    is theirs too: 5,049 rows for training and 2,165 for testing (their code also validates on the latter; the paper
    says the former).

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(X, y)`` instead of a Bunch.

    Returns
    -------
    Bunch
        ``data``, ``target``, ``feature_names``, ``target_names``, ``train``, ``test`` (rows of the split), ``frame``
        (15 columns as published), ``licence``, ``source``, ``status``, ``DESCR``.

    Raises
    ------
    DatasetNotFound
        If the data are not on this machine; the message says how to get them.
    """
    frame = table_of("compas")
    features = frame[["juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count"]].assign(
        age=frame["age"] / 10,
        c_charge_degree=frame["c_charge_degree"] == "M",
        sex=frame["sex"] == "Male",
        race=frame["race"] != "Caucasian",
    )
    train, test = train_test_split(np.arange(len(frame)), test_size=0.3, random_state=42, shuffle=True)
    return bunch_of_table("compas", features, frame["is_recid"], return_X_y, train=train, test=test, frame=frame)
