"""Loaders of tables with words in their cells: each word becomes a number, and ``?`` a missing value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from marginloss._validation import check_name
from marginloss.datasets.registry import dataset
from marginloss.datasets.tables import bunch_of_table, table_of

__all__ = ["coded", "load_adult", "load_keel", "load_letter", "load_mushroom"]


def coded(frame: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, list[str]]]:
    """Columns of words as positions in their alphabet, ``?`` and empty cells as NaN, numbers as they are.

    Examples
    --------
    >>> table, codes = coded(pd.DataFrame({"colour": ["red", "?", "blue"], "size": [1, 2, 3]}))
    >>> table["colour"].tolist(), codes
    ([1.0, nan, 0.0], {'colour': ['blue', 'red']})
    """
    table, codes = frame.copy(), {}
    for name in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[name]):
            words = pd.Categorical(frame[name].where(frame[name] != "?"))
            codes[str(name)] = words.categories.tolist()
            table[name] = np.where(words.codes < 0, np.nan, words.codes)
    return table, codes


def load_adult(*, return_X_y: bool = False) -> Any:
    """Adult, the census income of 1994: 48,842 × 14, at most 50,000 dollars −1 and more +1.

    On the bench, and in the role of CelebA for zhai2021: two classes, one of them rare, and groups that are known.
    Eight columns of words are coded alphabetically; missing values (in three of them) are NaN.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(X, y)`` instead of a Bunch.

    Returns
    -------
    Bunch
        ``data``, ``target``, ``feature_names``, ``target_names``, ``codes`` ({column: words in the order of their
        codes}), ``train``, ``test`` (rows of the published split), ``frame`` (with the protected groups ``race`` and
        ``sex`` in words), ``licence``, ``source``, ``status``, ``DESCR``.

    Raises
    ------
    DatasetNotFound
        If the data are not on this machine; the message says how to get them.
    """
    frame = table_of("adult")
    features, codes = coded(frame.drop(columns=["income", "part"]))
    split = {part: np.flatnonzero(frame["part"] == part) for part in ("train", "test")}
    more = {"target_names": ["<=50K", ">50K"], "codes": codes, "frame": frame}
    return bunch_of_table("adult", features, frame["income"] == ">50K", return_X_y, **more, **split)


def load_mushroom(*, return_X_y: bool = False) -> Any:
    """Mushrooms of two families: 8,124 × 22 columns of words, edible −1 and poisonous +1.

    Used by wilton2024 and on the bench. Words are coded alphabetically; the missing stalk roots (2,480) are NaN.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(X, y)`` instead of a Bunch.

    Returns
    -------
    Bunch
        ``data``, ``target``, ``feature_names``, ``target_names``, ``codes`` ({column: letters in the order of their
        codes}), ``frame``, ``licence``, ``source``, ``status``, ``DESCR``.

    Raises
    ------
    DatasetNotFound
        If the data are not on this machine; the message says how to get them.
    """
    frame = table_of("mushroom")
    features, codes = coded(frame.drop(columns="class"))
    return bunch_of_table("mushroom", features, frame["class"] == "p", return_X_y, codes=codes, frame=frame)


def load_letter(*, return_X_y: bool = False) -> Any:
    """Letter recognition: 20,000 × 16 whole numbers that describe a printed letter, 26 classes 0 to 25.

    In the role of CIFAR-100 for zhai2021: many classes. A stand-in, not pictures.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(X, y)`` instead of a Bunch.

    Returns
    -------
    Bunch
        ``data``, ``target``, ``feature_names``, ``target_names``, ``licence``, ``source``, ``status``, ``DESCR``.

    Raises
    ------
    DatasetNotFound
        If the data are not on this machine; the message says how to get them.
    """
    frame = table_of("letter")
    letters = pd.Categorical(frame["letter"], list(dataset("letter").classes))
    return bunch_of_table("letter", frame.drop(columns="letter"), letters.codes, return_X_y)


def load_keel(name: str, *, return_X_y: bool = False) -> Any:
    """One of 26 tables with two classes from the KEEL repository, the larger label +1; on the bench.

    Rows with missing values are left out in the package that carries the tables. Columns of words are coded
    alphabetically. The columns have no names there.

    Parameters
    ----------
    name : str
        A table: ``"australian"``, ``"banana"``, …; a wrong name is answered with the nearest right one.
    return_X_y : bool, default=False
        Return ``(X, y)`` instead of a Bunch.

    Returns
    -------
    Bunch
        ``data``, ``target``, ``feature_names``, ``target_names``, ``codes`` ({column: words in the order of their
        codes}), ``frame``, ``licence``, ``source``, ``status``, ``DESCR``.

    Raises
    ------
    DatasetNotFound
        If the data are not on this machine; the message says how to get them.
    """
    check_name("KEEL table", name, list(dataset("keel").parts))
    frame = table_of("keel", name, header=None, skipinitialspace=True)
    frame.columns = pd.Index([*(f"a{i}" for i in range(1, frame.shape[1])), "class"])
    labels, positions = np.unique(frame["class"], return_inverse=True)
    features, codes = coded(frame.drop(columns="class"))
    more = {"counted": None, "target_names": [str(label) for label in labels], "codes": codes, "frame": frame}
    return bunch_of_table("keel", features, positions, return_X_y, **more)
