"""Who is protected? The tail and the worst group on two tables about people, Adult and COMPAS (zhai2021, section 5)."""

from __future__ import annotations

import warnings
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from marginloss.boosting import AdaLPBoostClassifier
from marginloss.companion.experiments.zhai2021.network import NetworkClassifier
from marginloss.datasets import load_adult, load_compas
from marginloss.noise import flip_labels
from marginloss.risk import cvar, group_lpboost
from marginloss.theory.zhai2021.games import group_dro

__all__ = ["CUTS", "LABELLED", "MIXTURES", "groups_of", "people", "table_of_people"]

Array = NDArray[np.float64]
Single = NDArray[np.float32]
Codes = NDArray[np.intp]

CUTS = {
    "compas_who": ("compas", ("race", "sex"), "COMPAS, race and sex"),
    "compas_truth": ("compas", ("race", "truth"), "COMPAS, race and truth"),
    "adult_who": ("adult", ("race", "sex"), "Adult, race and sex"),
    "adult_truth": ("adult", ("sex", "truth"), "Adult, sex and truth"),
}
"""Each table in groups twice: its name, what the groups are made of, a title."""

LABELLED = (5, 20, 80)
"""Persons of each group whose group is known, at most."""

MIXTURES = ("erm", "even", "tail", *(f"known_{count}" for count in LABELLED), "known_all", "dro", "dro_lp")
"""Ordinary training; even weights; the tail as large as the smallest group; the worst group as far as groups are known
(three samples, all); and models of Group DRO, with even weights and with those for the worst group."""


@lru_cache(maxsize=2)
def table_of_people(name: str) -> tuple[Single, Codes, pd.DataFrame]:
    """Features, labels, and who the persons are: race, with its two largest values and all others together, and sex.

    Words become one column for each, as race and sex do: they are among the features of both tables.
    """
    bunch = {"adult": load_adult, "compas": load_compas}[name]()
    race, sex = bunch.frame["race"].str.replace("-", " "), bunch.frame["sex"]
    race = race.where(race.isin(race.value_counts().index[:2]), "other")
    features = pd.DataFrame(bunch.data, columns=bunch.feature_names)
    if name == "adult":
        words = {column: pd.Categorical(features[column]) for column in bunch.codes}
        features = pd.get_dummies(features.assign(**words), dummy_na=True)
    y = np.asarray(bunch.target)
    truth = np.where(y > 0, *{"adult": ("over 50K", "up to 50K"), "compas": ("charged", "not charged")}[name])
    who = pd.DataFrame({"race": race, "sex": sex.map({"Male": "men", "Female": "women"}), "truth": truth})
    return StandardScaler().fit_transform(features.astype(float)).astype(np.float32), y, who


def groups_of(name: str, by: tuple[str, str]) -> tuple[Codes, list[str]]:
    """Group of each person, and the groups' names from the largest to the smallest."""
    who = table_of_people(name)[2]
    label = who[by[0]] + " " + who[by[1]]
    group = pd.Categorical(label, label.value_counts().index)
    return group.codes.astype(np.intp), group.categories.tolist()


def people(
    name: str, by: tuple[str, str], n_models: int, rng: np.random.Generator, noise: float = 0.0, trim: float = 0.0
) -> dict[str, float]:
    """Losses of persons outside of training under ``MIXTURES``, for one split of the table.

    Three fifths of the persons are for training, a fifth for the model weights, a fifth for testing. For each mixture
    there is the mean loss, that of each group and of the worst, the CVaR at the smallest group's share of all persons,
    and the share of persons whose answer is nearly a coin's. ``noise`` flips labels of the first two parts, and
    ``noise_weight`` is the weight of a flipped label after the last round over that of another; ``trim`` is DORO's, in
    the booster and in the program of the tail, and ``caught`` the share of flipped labels among the trimmed.
    """
    X, y, _ = table_of_people(name)
    group, _ = groups_of(name, by)
    rest, test = train_test_split(np.arange(len(y)), test_size=0.2, random_state=_seed(rng), stratify=group)
    train, valid = train_test_split(rest, test_size=0.25, random_state=_seed(rng), stratify=group[rest])
    given, alpha = y.copy(), float(np.bincount(group).min() / len(y))
    given[rest] = flip_labels(y[rest], noise, rng=rng)
    model = AdaLPBoostClassifier(
        alpha=alpha, trim=trim, estimator=_network(), n_estimators=n_models, random_state=_seed(rng)
    )
    with warnings.catch_warnings():  # that so small a tail is fitted to few persons is what the question is about
        warnings.simplefilter("ignore", UserWarning)
        model.fit(X[train], given[train], X_val=X[valid], y_val=given[valid])
    known, losses = model.validation_losses_, model.model_losses(X[test], y[test])
    order = rng.permutation(len(valid))
    rank = pd.Series(order).groupby(group[valid][order]).cumcount().to_numpy()
    z = {"erm": losses[:, 0], "even": losses.mean(axis=1), "tail": losses @ model.model_weights_}
    for count in (*LABELLED, len(valid)):
        few = order[rank < count]
        label = count if count in LABELLED else "all"
        z[f"known_{label}"] = losses @ group_lpboost(known[few], group[valid][few]).model_weights
    aware = _aware(X, given, group, train, n_models, rng)
    z["dro"] = aware[test].mean(axis=1)
    z["dro_lp"] = aware[test] @ group_lpboost(aware[valid], group[valid]).model_weights
    found = {"alpha": alpha}
    for mixture in MIXTURES:
        loss = z[mixture].astype(float)
        each = np.bincount(group[test], loss) / np.bincount(group[test])
        found |= {f"{mixture}_mean": loss.mean(), f"{mixture}_worst": each.max(), f"{mixture}_cvar": cvar(loss, alpha)}
        found[f"{mixture}_coin"] = (abs(loss - 0.5) < 0.1).mean()
        found |= {f"{mixture}_group_{g}": share for g, share in enumerate(each)}
    if noise:
        total, spoilt = model.training_losses_.sum(axis=1), given[train] != y[train]
        weight = softmax(total * model.step_size)
        found["noise_weight"] = weight[spoilt].mean() / weight[~spoilt].mean()
        found["caught"] = spoilt[np.argsort(-total, kind="stable")[: round(trim * len(total))]].mean() if trim else 0.0
    return {key: float(value) for key, value in found.items()}


def _aware(
    X: Single, y: Codes, group: Codes, train: Codes, n_models: int, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """0/1 losses of all persons under models that were trained by Group DRO on some, with the paper's step of 1."""
    random, codes, columns = np.random.RandomState(_seed(rng)), (y > 0).astype(np.intp), list[NDArray[np.bool_]]()
    network, sizes = _network(), np.bincount(group[train])
    network.warm_up(X[train], codes[train], 2, random)

    def answer(weight: Array) -> Array:
        model = network.tuned(X[train], codes[train], (weight / sizes)[group[train]], random)
        columns.append(model.predict(X) != codes)
        return np.bincount(group[train], columns[-1][train]) / sizes

    group_dro(answer, len(sizes), n_models, step=1.0)
    return np.column_stack(columns)


def _network() -> NetworkClassifier:
    """The recipe of Appendix B for COMPAS, smaller and shorter."""
    return NetworkClassifier(hidden_layer_sizes=(50,), n_iterations=300, decay_at=(240,))


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**31))
