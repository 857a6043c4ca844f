"""From what a package or a server holds to the files of the registry: columns chosen and coded, no row lost.

Each function takes the raw members by name (bytes; a table for OpenML and scikit-learn) and returns contents by path.
The results are checked afterwards, so a source that changes is noticed and not believed.
"""

from __future__ import annotations

import gzip
import json
import struct
from collections.abc import Callable, Mapping
from io import BytesIO
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from marginloss.datasets.files import Content

__all__ = ["PREPARE"]

Raw = Mapping[str, Any]

_PIMA = ["pregnant", "glucose", "pressure", "triceps", "insulin", "mass", "pedigree", "age", "diabetes"]
_COMPAS = [
    "id",
    "sex",
    "age",
    "age_cat",
    "race",
    "juv_fel_count",
    "juv_misd_count",
    "juv_other_count",
    "priors_count",
    "days_b_screening_arrest",
    "c_charge_degree",
    "is_recid",
    "decile_score",
    "score_text",
    "two_year_recid",
]
_CARBON_SYMPTOMS = [
    "cough",
    "fever",
    "sob",
    "diarrhea",
    "fatigue",
    "headache",
    "loss_of_smell",
    "loss_of_taste",
    "runny_nose",
    "muscle_sore",
    "sore_throat",
]
_ISRAEL = [
    "test_date",
    "cough",
    "fever",
    "sore_throat",
    "shortness_of_breath",
    "head_ache",
    "age_60_and_above",
    "gender",
    "test_indication",
    "corona_result",
]


def _csv(table: pd.DataFrame) -> bytes:
    return table.to_csv(index=False, lineterminator="\n").encode()


def _only(raw: Raw) -> Any:
    (value,) = raw.values()
    return value


def _pima(table: pd.DataFrame) -> dict[str, Content]:
    table.columns = pd.Index(_PIMA)
    whole = [name for name in _PIMA if name not in ("mass", "pedigree")]
    return {"pima/pima.csv.gz": _csv(table.astype(dict.fromkeys(whole, np.int64)))}


def pima_raw(raw: Raw) -> dict[str, Content]:
    """From npm: a CSV file with longer column names."""
    return _pima(pd.read_csv(BytesIO(_only(raw))))


def pima_keel(raw: Raw) -> dict[str, Content]:
    """From PyPI: the format of KEEL, a header of lines that start with @ and the class in words."""
    table = pd.read_csv(BytesIO(_only(raw)), comment="@", header=None, skipinitialspace=True)
    table[8] = (table[8] == "positive").astype(np.int64)
    return _pima(table)


def pima_openml(raw: Raw) -> dict[str, Content]:
    """From OpenML: the class is tested_positive or tested_negative."""
    table = _only(raw)
    positive = (table.iloc[:, 8].astype(str) == "tested_positive").astype(np.int64)
    return _pima(pd.concat([table.iloc[:, :8], positive], axis=1))


def compas_propublica(raw: Raw) -> dict[str, Content]:
    """The columns that experiments need; names, dates and case numbers are not kept, and no row is removed."""
    # the file has two equal columns decile_score and two priors_count; pandas renames the second ones
    return {"compas/compas_two_years.csv.gz": _csv(pd.read_csv(BytesIO(_only(raw)))[_COMPAS])}


def _shoppers(table: pd.DataFrame) -> dict[str, Content]:
    for name in ("Weekend", "Revenue"):
        table[name] = (table[name].astype(str).str.lower().isin(["true", "1"])).astype(np.int64)
    return {"online_shoppers/online_shoppers_intention.csv.gz": _csv(table)}


def shoppers_uci(raw: Raw) -> dict[str, Content]:
    """From UCI: two columns of TRUE and FALSE become 1 and 0."""
    return _shoppers(pd.read_csv(BytesIO(_only(raw))))


def shoppers_openml(raw: Raw) -> dict[str, Content]:
    """From OpenML, with the column types of the published file."""
    table = _only(raw).copy()
    real = {"Administrative_Duration", "Informational_Duration", "ProductRelated_Duration", "BounceRates"}
    real |= {"ExitRates", "PageValues", "SpecialDay"}
    words = {"Month", "VisitorType", "Weekend", "Revenue"}
    types = {name: float if name in real else np.int64 for name in table.columns if name not in words}
    return _shoppers(table.astype(types))


def carbon_weekly(raw: Raw) -> dict[str, Content]:
    """The weekly files in the order of their dates: symptoms as 0 and 1, the result as a bit."""
    weeks = [pd.read_csv(BytesIO(raw[name]), dtype=str, keep_default_na=False) for name in sorted(raw)]
    table = pd.concat(weeks, ignore_index=True)
    symptoms = table[_CARBON_SYMPTOMS].apply(lambda c: c.str.upper()).replace({"TRUE": "1", "FALSE": "0"})
    chosen = pd.concat(
        [
            table[["batch_date", "age", "days_since_symptom_onset"]],
            pd.to_numeric(table["temperature"].replace("", None)),
            symptoms,
            (table["covid19_test_results"] == "Positive").astype(np.int64).rename("positive"),
        ],
        axis=1,
    )
    return {"covid_carbon/carbon_health_tests.csv.gz": _csv(chosen)}


def _israel(raw: Raw, path: str) -> dict[str, Content]:
    table = pd.read_csv(BytesIO(_only(raw)), dtype=str, keep_default_na=False)[_ISRAEL]
    table = table.replace({"None": "", "NULL": ""})
    return {path: _csv(table.groupby(_ISRAEL, sort=True).size().rename("count").reset_index())}


def israel_april(raw: Raw) -> dict[str, Content]:
    """Equal rows counted; nothing is dropped."""
    return _israel(raw, "covid_israel/israel_tests_2020_03_11_to_04_30_counts.csv.gz")


def israel_november(raw: Raw) -> dict[str, Content]:
    """The same for the longer period."""
    return _israel(raw, "covid_israel/israel_tests_2020_03_11_to_11_12_counts.csv.gz")


def fashion_files(raw: Raw) -> dict[str, Content]:
    """The four files as published, decompressed."""
    return {f"fashion_mnist/{name}": gzip.decompress(data) for name, data in raw.items()}


def fashion_openml(raw: Raw) -> dict[str, Content]:
    """From OpenML: one table of 70,000 rows, written as the four files."""
    table = _only(raw)
    images, labels = table.iloc[:, :-1].to_numpy(np.uint8), table.iloc[:, -1].astype(int).to_numpy(np.uint8)
    contents: dict[str, Content] = {}
    for prefix, rows in (("train", slice(0, 60_000)), ("t10k", slice(60_000, None))):
        count = len(labels[rows])
        header = struct.pack(">IIII", 0x803, count, 28, 28)
        contents[f"fashion_mnist/{prefix}-images-idx3-ubyte.gz"] = header + images[rows].tobytes()
        contents[f"fashion_mnist/{prefix}-labels-idx1-ubyte.gz"] = (
            struct.pack(">II", 0x801, count) + labels[rows].tobytes()
        )
    return contents


def cifar_png(raw: Raw) -> dict[str, Content]:
    """From npm: each PNG holds 10,000 pictures, one for each row of 1,024 pixels."""
    try:
        from PIL import Image
    except ImportError as error:
        raise ImportError("CIFAR-10 is unpacked with Pillow: pip install '.[book]' in a clone") from error

    def pictures(name: str) -> NDArray[np.uint8]:
        return np.asarray(Image.open(BytesIO(raw[f"package/{name}.png"]))).reshape(-1, 32, 32, 3)

    parts = {
        "train": (
            np.concatenate([pictures(f"data_batch_{i}") for i in range(1, 6)]),
            np.array(json.loads(raw["package/train_lables.json"]), dtype=np.uint8),
        ),
        "test": (pictures("test_batch"), np.array(json.loads(raw["package/test_lables.json"]), dtype=np.uint8)),
    }
    pair: dict[str, NDArray] = {}
    colour: dict[str, NDArray] = {}
    for name, (images, labels) in parts.items():
        chosen = np.flatnonzero(labels < 2)
        grey = images[chosen].reshape(len(chosen), -1, 3) @ np.array([0.299, 0.587, 0.114])
        pair |= {f"X_{name}": np.rint(grey).astype(np.uint8), f"y_{name}": labels[chosen]}
        pair[f"idx_{name}"] = chosen.astype(np.int32)
        count = 500 if name == "train" else 100
        first = np.sort(np.concatenate([np.flatnonzero(labels == k)[:count] for k in range(10)]))
        colour |= {f"X_{name}": images[first], f"y_{name}": labels[first], f"idx_{name}": first.astype(np.int32)}
    classes = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]
    colour["class_names"] = np.array(classes)
    return {"cifar10/cifar10_gray_airplane_automobile.npz": pair, "cifar10/cifar10_rgb_sample.npz": colour}


def covertype_full(raw: Raw) -> dict[str, Content]:
    """From scikit-learn: all 581,012 rows in whole numbers."""
    bunch = _only(raw)
    X, y = bunch.data.astype(np.int16), bunch.target.astype(np.uint8)
    if X.shape != (581_012, 54) or np.bincount(y)[1:].tolist() != [211840, 283301, 35754, 2747, 9493, 17367, 20510]:
        raise ValueError(f"Covertype has another shape or other class counts than published: {X.shape}")
    return {"covertype/covertype.npz": {"X": X, "y": y, "feature_names": np.array(bunch.feature_names)}}


#: Preparations by the name that the registry uses.
PREPARE: dict[str, Callable[[Raw], dict[str, Content]]] = {
    f.__name__: f
    for f in (
        *(pima_raw, pima_keel, pima_openml, compas_propublica, shoppers_uci, shoppers_openml, carbon_weekly),
        *(israel_april, israel_november, fashion_files, fashion_openml, cifar_png, covertype_full),
    )
}
