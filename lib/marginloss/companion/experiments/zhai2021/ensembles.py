"""Experiments of zhai2021: one function a figure, each of one seed, each returning numbers only."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import joblib
import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from marginloss.boosting import AdaLPBoostClassifier, LPBoostClassifier
from marginloss.companion.experiments.zhai2021.network import NetworkClassifier
from marginloss.datasets import load_cifar10, load_compas, load_fashion_mnist
from marginloss.risk import cvar, cvar_curve, cvar_floor_curve, label_conflicts, lpboost_path

__all__ = ["GRID", "compas", "compas_floor", "crossing", "images", "outliers", "regularised"]

GRID = (np.arange(1, 51) / 100).tolist()
"""Tail fractions of the paper's curves: 0.01, 0.02, ..., 0.5."""

Array = NDArray[np.float64]
Row = dict[str, float]


def compas(n_models: int, rng: np.random.Generator) -> list[Row]:
    """Figure 1 (a): ERM, AdaBoost + Average and AdaLPBoost on COMPAS by its protocol, one row per tail fraction.

    ``lp`` has its model weights from the training set, as the paper says; ``lp_on_test`` from the test set, as its code
    does. ``coin`` is the share of test rows on which the mixture is a fair coin.
    """
    bunch = load_compas()
    X, y, train, test = bunch.data, bunch.target, bunch.train, bunch.test
    model = AdaLPBoostClassifier(
        estimator=NetworkClassifier.preset("compas"), n_estimators=n_models, random_state=_seed(rng)
    ).fit(X[train], y[train])
    fitted, losses = (table.astype(float) for table in (model.training_losses_, model.model_losses(X[test], y[test])))
    answers = np.where(losses, -y[test][:, None], y[test][:, None])
    shared: Row = {
        "training_error": float(fitted[:, 0].mean()),
        "best_single_error": float(losses.mean(axis=0).min()),
        "constant_models": float((answers == answers[0]).all(axis=0).sum()),
        "worst_training_loss": float(fitted.mean(axis=1).max()),
        "guarantee": model.guarantee_,
        "mean_g": float(model.errors_.mean()),
        "largest_g": float(model.errors_.max()),
    }
    path = model.alpha_path(GRID).model_weights
    rows = _curves(losses, path)
    on_test = _curves(losses, np.array([result.model_weights for result in lpboost_path(losses, GRID)]))
    for row, other, weights in zip(rows, on_test, path, strict=True):
        row |= shared
        row |= {"lp_on_test": other["lp"], "coin": float(np.isclose(losses @ weights, 0.5, atol=1e-9).mean())}
    return rows


def compas_floor() -> dict[str, Any]:
    """What conflicting labels allow on COMPAS: floors over the tail fractions, and shares of rows in conflict."""
    bunch = load_compas()
    found: dict[str, Any] = {}
    for name in ("train", "test"):
        X, y = bunch.data[bunch[name]], bunch.target[bunch[name]]
        found[f"floor_{name}"] = cvar_floor_curve(X, y, GRID).tolist()
        found[f"conflict_{name}"], found[f"minority_{name}"] = label_conflicts(X, y)
    return found


def images(name: str, n_models: int, n_train: int, rng: np.random.Generator) -> list[Row]:
    """Figures 1 (b), 2 (a) and 4 (a) on the stand-ins: one row for each number of models used and tail fraction.

    ``name`` is ``"fashion_mnist"``, or ``"cifar10"`` for the sample of it that is here. ``above_crossing`` is 1 where
    the test curve of ERM has fallen below that of the even mixture for good.
    """
    data = _images(name, n_train)
    model = AdaLPBoostClassifier(
        model_weights="first",  # the programs follow, for many tail fractions and numbers of models
        estimator=_SharedStart.preset("images"),
        n_estimators=n_models,
        random_state=_seed(rng),
    ).fit(*data["train"], X_val=data["valid"][0], y_val=data["valid"][1])
    validation, losses = model.validation_losses_.astype(float), model.model_losses(*data["test"]).astype(float)
    shared: Row = {
        "guarantee": model.guarantee_,
        "worst_training_loss": float(model.training_losses_.mean(axis=1).max()),
        "training_error": float(model.training_losses_[:, 0].mean()),
    }
    rows = []
    for used in _prefixes(n_models):
        levels = GRID if used == n_models else GRID[4::5]
        weights = np.array([result.model_weights for result in lpboost_path(validation[:, :used], levels)])
        fitted, tested = (_curves(table[:, :used], weights, levels) for table in (validation, losses))
        crossed = crossing(levels, [row["erm"] for row in tested], [row["average"] for row in tested])
        for row, inside in zip(tested, fitted, strict=True):
            excess = inside["lp"] - min(inside["erm"], inside["average"])
            above = float(row["alpha"] > crossed)
            rows.append(row | shared | {"used": float(used), "valid_excess": excess, "above_crossing": above})
    return rows


def crossing(alphas: ArrayLike, erm: ArrayLike, average: ArrayLike) -> float:
    """Tail fraction from which on ERM has the tail of the even mixture or a better one; infinite if there is none.

    In the smallest tails both lose everything: that they agree there is no crossing.

    Examples
    --------
    >>> crossing([0.1, 0.2, 0.3], [1.0, 0.8, 0.5], [1.0, 0.7, 0.6])
    0.3
    """
    behind = np.flatnonzero(np.asarray(erm) > np.asarray(average))
    later = np.asarray(alphas, dtype=np.float64)[behind[-1] + 1 if len(behind) else 0 :]
    return float(later[0]) if len(later) else np.inf


def regularised(alpha: float, n_models: int, n_train: int, rng: np.random.Generator) -> Row:
    """Figure 3 on the stand-in: regularised LPBoost with beta = 100, trained for one tail fraction."""
    data = _images("fashion_mnist", n_train)
    model = LPBoostClassifier(
        alpha=alpha,
        beta=100.0,
        estimator=_SharedStart.preset("images"),
        n_estimators=n_models,
        patience=n_models,  # a network that did not improve this time may do so next time
        random_state=_seed(rng),
    ).fit(*data["train"])
    validation, losses = model.model_losses(*data["valid"]).astype(float), model.model_losses(*data["test"])
    z = losses @ lpboost_path(validation, [alpha])[0].model_weights
    return {"tail": cvar(z, alpha), "mean": float(z.mean()), "training_tail": model.value_}


def outliers(noise: float, trim: float, rng: np.random.Generator) -> list[Row]:
    """DORO trimming on digits with flipped training labels and clean test labels, one row per tail fraction."""
    X, y = _digits()
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.4, random_state=_seed(rng), stratify=y)
    # with ten classes a wrong label is any of the nine others
    noisy = np.where(rng.random(len(y)) < noise, (y + rng.integers(1, 10, len(y))) % 10, y)
    first, *others = 0.05, 0.1, 0.2, 0.5
    model = AdaLPBoostClassifier(alpha=first, n_estimators=50, max_depth=6, trim=trim).fit(X, noisy)
    weights = {first: model.model_weights_} | {alpha: model.set_alpha(alpha).model_weights_ for alpha in others}
    losses, rows = model.model_losses(X_test, y_test), []
    for alpha, mixture in weights.items():
        z = losses @ mixture
        rows.append({"alpha": alpha, "tail": cvar(z, alpha), "mean": float(z.mean())})
    return rows


def _curves(losses: Array, weights: Array, levels: list[float] = GRID) -> list[Row]:
    """CVaR and mean loss of the first model, the even mixture and the weighed one, at each tail fraction."""
    erm, average = losses[:, 0], losses.mean(axis=1)
    first, even = cvar_curve(erm, levels), cvar_curve(average, levels)
    rows = []
    for i, (alpha, row) in enumerate(zip(levels, weights, strict=True)):
        z = losses @ row
        rows.append(
            {
                "alpha": alpha,
                "erm": float(first[i]),
                "average": float(even[i]),
                "lp": cvar(z, alpha),
                "erm_mean": float(erm.mean()),
                "average_mean": float(average.mean()),
                "lp_mean": float(z.mean()),
                "first_weight": float(row[0]),
                "support": float((row > 1e-9).sum()),
            }
        )
    return rows


class _SharedStart(NetworkClassifier):
    """Network whose warm-up is done once for all boosters that begin with the same data and draws."""

    def warm_up(self, X: Any, codes: NDArray[np.intp], n_classes: int, random: np.random.RandomState) -> None:
        """Train the start, or take it and the state of ``random`` after it from an earlier booster."""
        key = joblib.hash((X, codes, n_classes, self.get_params(), random.get_state()))
        if key not in _STARTS:
            super().warm_up(X, codes, n_classes, random)
            if len(_STARTS) == MAX_STARTS:
                del _STARTS[next(iter(_STARTS))]  # the oldest
            _STARTS[key] = self.__dict__.copy(), random.get_state()
        fitted, state = _STARTS[key]
        self.__dict__.update(fitted)
        random.set_state(state)


MAX_STARTS = 32  # one a seed
_STARTS: dict[str, tuple[dict[str, Any], Any]] = {}  # the boosters only read them


@lru_cache(maxsize=1)
def _digits() -> Any:
    return load_digits(return_X_y=True)


@lru_cache(maxsize=2)
def _images(name: str, n_train: int) -> dict[str, tuple[Any, Any]]:
    """Pictures pooled to a few hundred numbers: a validation part, a training part and the published test part.

    Fashion-MNIST at 14 × 14, half as many for validation as for training; of CIFAR-10 the sample of 5 000 colour
    pictures at 8 × 8, a fifth of them for validation.
    """
    if name == "fashion_mnist":
        bunch, half, centre, width = load_fashion_mnist(), n_train // 2, 73.0, 82.0
        order, shape = bunch.train, (14, 2, 14, 2, 1)
    else:
        bunch, centre, width = load_cifar10(part="colour"), 120.0, 62.0
        order, shape = np.random.default_rng(0).permutation(bunch.train), (8, 4, 8, 4, 3)
        half = len(order) // 5
    parts = {"valid": order[:half], "train": order[half : half + n_train], "test": bunch.test}
    found = {}
    for part, rows in parts.items():
        pooled = bunch.data[rows].reshape(-1, *shape).mean(axis=(2, 4)).reshape(len(rows), -1)
        found[part] = ((pooled - centre) / width).astype(np.float32), bunch.target[rows]
    return found


def _prefixes(n_models: int) -> list[int]:
    """Numbers of models at which Figure 4 looks, the last being all of them."""
    return [*(used for used in (2, 5, 10, 20, 30, 50, 70) if used < n_models), n_models]


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**31))
