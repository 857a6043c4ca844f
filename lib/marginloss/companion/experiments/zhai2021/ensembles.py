"""Experiments of zhai2021: one function a figure, each of one seed, each returning numbers only."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import train_test_split

from marginloss.boosting import AdaLPBoostClassifier, LPBoostClassifier
from marginloss.companion.experiments.pictures import cifar10_features
from marginloss.companion.experiments.zhai2021.groups import table_of_people
from marginloss.companion.experiments.zhai2021.network import NetworkClassifier
from marginloss.datasets import load_adult, load_compas, load_letter
from marginloss.risk import cvar, cvar_curve, cvar_floor_curve, label_conflicts, lpboost_path

__all__ = [
    "GRID",
    "boosted",
    "compas",
    "compas_floor",
    "crossing",
    "images",
    "outside_share",
    "regularised",
    "stand_in",
]

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
    model = AdaLPBoostClassifier(estimator=NetworkClassifier(), n_estimators=n_models, random_state=_seed(rng)).fit(
        X[train], y[train]
    )
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


def images(
    part: str,
    n_models: int,
    rng: np.random.Generator,
    hidden: tuple[int, ...] = (),
    passes: float = 1.0,
    reweight: str = "constant",
) -> list[Row]:
    """Figures 1 (b), 2 (a), 4 (a) on features of CIFAR-10, as :func:`boosted` gives them.

    ``passes`` are those of one model over as many examples as there are.
    """
    data = _pictures(part)
    return boosted(data, _recipe(hidden, passes, len(data["train"][1])), n_models, rng, reweight)


def stand_in(name: str, n_models: int, rng: np.random.Generator) -> list[Row]:
    """Figures 1 (c) and (d), 2 (b), 4 (b) on other data in the same roles, as :func:`boosted` gives them.

    ``"letter"`` for CIFAR-100: 26 classes. ``"adult"`` for CelebA: two classes, of which one is rare. Their own test
    parts; of the training part a tenth is for validation.
    """
    if name == "adult":
        X, y, _ = table_of_people(name)
        y, n = (y > 0).astype(int), len(load_adult().train)
    else:
        X, y = load_letter(return_X_y=True)
        n = 16_000  # those that its authors trained on
        X = (X - X[:n].mean(axis=0)) / X[:n].std(axis=0)
    train, valid = train_test_split(np.arange(n), test_size=0.1, random_state=_seed(rng), stratify=y[:n])
    data = {"train": (X[train], y[train]), "valid": (X[valid], y[valid]), "test": (X[n:], y[n:])}
    return boosted(data, SCHEDULES[name], n_models, rng)


SCHEDULES = {
    "letter": NetworkClassifier(
        (100,), step_size=0.1, l2=5e-4, warmup_epochs=40, n_iterations=500, decay_at=(200, 400)
    ),
    "adult": NetworkClassifier((50,), step_size=0.01, l2=1e-3, warmup_epochs=5, n_iterations=500, decay_at=(250, 375)),
}
"""Networks for the stand-ins, with the decays and the warm-up of Appendix B for CIFAR-100 and CelebA."""


def boosted(
    data: dict[str, tuple[Any, Any]],
    learner: NetworkClassifier,
    n_models: int,
    rng: np.random.Generator,
    reweight: str = "constant",
) -> list[Row]:
    """Curves of ERM, AdaBoost + Average and AdaLPBoost: one row for each number of models used and tail fraction.

    ``published`` is ERM as the authors' code plots it, the model with the best test accuracy of all; ``lp_with_start``
    has the warm-up model as one more column of the program, as there; ``average_inside`` is the tail of the even
    mixture on the training set. ``above_crossing`` is 1 where the test curve of ERM has fallen below that of the even
    mixture for good.
    """
    model = AdaLPBoostClassifier(
        reweight=reweight,
        model_weights="first",  # the programs follow, for many tail fractions and numbers of models
        estimator=learner,
        n_estimators=n_models,
        random_state=_seed(rng),
    ).fit(*data["train"], X_val=data["valid"][0], y_val=data["valid"][1])
    inside, validation = model.training_losses_, model.validation_losses_.astype(float)
    losses = model.model_losses(*data["test"]).astype(float)
    start, start_inside = (
        (model.estimators_[0].start_.predict(X) != y)[:, None].astype(float) for X, y in (data["test"], data["valid"])
    )
    shared: Row = {
        "guarantee": model.guarantee_,
        "worst_training_loss": float(inside.mean(axis=1).max()),
        "training_error": float(inside[:, 0].mean()),
    }
    rows = []
    for used in _prefixes(n_models):
        levels = GRID if used == n_models else GRID[4::5]
        table, fitted = losses[:, :used], validation[:, :used]
        paths = [lpboost_path(each, levels) for each in (fitted, np.column_stack([start_inside, fitted]))]
        weights, with_start = (np.array([result.model_weights for result in path]) for path in paths)
        best = min(float(start.mean()), float(table.mean(axis=0).min()))
        even = cvar_curve(inside[:, :used].mean(axis=1), levels)
        tested, known = _curves(table, weights, levels), _curves(fitted, weights, levels)
        crossed = crossing(levels, [row["erm"] for row in tested], [row["average"] for row in tested])
        for i, (row, seen) in enumerate(zip(tested, known, strict=True)):
            alpha = row["alpha"]
            row |= shared | {
                "used": float(used),
                "valid_excess": seen["lp"] - min(seen["erm"], seen["average"]),
                "above_crossing": float(alpha > crossed),
                "published": min(1.0, best / alpha),
                "lp_with_start": cvar(np.column_stack([start, table]) @ with_start[i], alpha),
                "start_weight": float(with_start[i, 0]),
                "average_inside": float(even[i]),
            }
            rows.append(row)
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


def outside_share(rows: pd.DataFrame) -> float:
    """Share of tail fractions at which AdaLPBoost's average loss leaves the range between ERM and the even mixture.

    It has left it where the mean over the runs has done so by more than two standard errors.
    """
    ends = rows[["erm_mean", "average_mean"]]
    apart = pd.DataFrame({"below": ends.min(axis=1) - rows.lp_mean, "above": rows.lp_mean - ends.max(axis=1)})
    by_level = apart.groupby(rows.alpha)
    return float((by_level.mean() > 2 * by_level.sem() + 1e-9).any(axis=1).mean())


def regularised(part: str, alpha: float, n_models: int, rng: np.random.Generator) -> Row:
    """Figure 3 on the same features: regularised LPBoost with beta = 100, trained for one tail fraction."""
    data = _pictures(part)
    model = LPBoostClassifier(
        alpha=alpha,
        beta=100.0,
        estimator=_recipe((), 1.0, len(data["train"][1])),
        n_estimators=n_models,
        patience=n_models,  # a model that did not improve this time may do so next time
        random_state=_seed(rng),
    ).fit(*data["train"])
    validation, losses = model.model_losses(*data["valid"]).astype(float), model.model_losses(*data["test"])
    z = losses @ lpboost_path(validation, [alpha])[0].model_weights
    return {"tail": cvar(z, alpha), "mean": float(z.mean()), "training_tail": model.value_}


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


def _pictures(part: str) -> dict[str, tuple[Any, Any]]:
    """Features of CIFAR-10 or of its sample: of the published training part the last tenth is for validation."""
    bunch = cifar10_features(part, n_patches=N_PATCHES[part])
    n = len(bunch.train)
    rows = {"train": slice(n - n // 10), "valid": slice(n - n // 10, n), "test": slice(n, None)}
    return {name: (bunch.data[chosen], bunch.target[chosen]) for name, chosen in rows.items()}


N_PATCHES = {"full": 400, "colour": 50}


def _recipe(hidden: tuple[int, ...], passes: float, n: int) -> NetworkClassifier:
    """The schedule of Appendix B on CIFAR-10, of another length and rate: no hidden layer makes a linear head."""
    steps = round(passes * n / 128)
    return NetworkClassifier(
        hidden_layer_sizes=hidden,
        step_size=0.01,
        l2=5e-4,
        warmup_epochs=20,
        n_iterations=steps,
        decay_at=(2 * steps // 5, 4 * steps // 5),
    )


def _prefixes(n_models: int) -> list[int]:
    """Numbers of models at which Figure 4 looks, the last being all of them."""
    return [*(used for used in (2, 5, 10, 20, 30, 50, 70) if used < n_models), n_models]


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**31))
