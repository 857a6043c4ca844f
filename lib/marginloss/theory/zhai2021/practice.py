"""What zhai2021 says about its experiments: step sizes, rounds, training time, COMPAS, and the set that counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_classification
from sklearn.neural_network import MLPClassifier

from marginloss.boosting import AdaLPBoostClassifier
from marginloss.datasets import available, load_compas
from marginloss.risk import (
    cvar_curve,
    cvar_floor_curve,
    hedge_excess,
    hedge_rounds,
    hedge_step,
    label_conflicts,
    lpboost_path,
)
from marginloss.theory import Finding, claim, outcome

__all__ = ["CORE_SPEED", "NETWORKS", "SIZES", "time_ratio", "times_of_erm", "training_hours"]

SIZES = {"compas": (5049, 100), "cifar10": (45_000, 100), "celeba": (162_770, 50), "cifar100": (45_000, 50)}
"""Training samples and models of the four data sets."""

NETWORKS = {
    "cifar10": (5.5e7, 128, 20, 5000),  # WRN-28-1, our count
    "celeba": (1.8e9, 400, 5, 4000),  # ResNet-18 at 224 x 224 pixels
    "cifar100": (5.2e9, 128, 40, 10_000),  # WRN-28-10
}
"""Multiply-adds for one picture, and from Appendix B the batch, the epochs of warm-up and the steps of each model."""

CORE_SPEED = 5e10
"""Multiply-adds a second that one core may do."""

ROUNDING = 1e-12

NOT_HERE = Finding("", "not attempted", None, {})  # a data set that this machine does not have


def time_ratio(warm_up: int, a_model: int, models: int, erm: float) -> float:
    """Steps of boosting over steps of ERM."""
    return (warm_up + models * a_model) / erm


def training_hours(name: str) -> int:
    """CPU-hours that one seed of the paper's experiment takes, to one digit: an estimate has no more.

    Examples
    --------
    >>> training_hours("cifar10")
    60
    """
    multiply_adds, batch, epochs, steps = NETWORKS[name]
    samples, models = SIZES[name]
    pictures = epochs * samples + models * steps * batch
    hours = 3 * multiply_adds * pictures / CORE_SPEED / 3600  # the way back costs twice as much as the way there
    return int(float(f"{hours:.1g}"))


@claim("zhai2021:c17")
def c17() -> Finding:
    """AdaLPBoost against ERM and the average: where the weights were fitted, where the models were, and elsewhere."""
    levels = np.arange(2, 51, 4) / 100
    excess = dict.fromkeys(("where_fitted", "in_training", "on_fresh_examples"), -np.inf)
    for seed in range(3):
        X, y = make_classification(1500, 20, n_informative=8, flip_y=0.05, random_state=seed)
        model = AdaLPBoostClassifier(alpha=0.5, n_estimators=40, max_depth=5, random_state=0)
        model.fit(X[:500], y[:500], X_val=X[500:900], y_val=y[500:900])
        weights = np.array([result.model_weights for result in lpboost_path(model.validation_losses_, levels)])
        tables = (model.validation_losses_, model.model_losses(X[:500], y[:500]), model.model_losses(X[900:], y[900:]))
        for where, losses in zip(excess, tables, strict=True):
            tail = [cvar_curve(losses @ row, [level])[0] for row, level in zip(weights, levels, strict=True)]
            first, even = cvar_curve(losses[:, 0], levels), cvar_curve(losses.mean(axis=1), levels)
            excess[where] = max(excess[where], float((tail - np.minimum(first, even)).max()))
    evidence = {f"excess_{where}": number for where, number in excess.items()}
    caveat = max(excess["in_training"], excess["on_fresh_examples"]) > 1e-6
    return outcome(-excess["where_fitted"], caveat=caveat, evidence=evidence, tolerance=1e-9)


@claim("zhai2021:c18")
def c18() -> Finding:
    """The step of Theorem 5 for the four data sets, and what the guarantee loses by taking 1."""
    steps = {name: hedge_step(*size) for name, size in SIZES.items()}
    loss = max(hedge_excess(*size, 1.0) / hedge_excess(*size) for size in SIZES.values()) - 1
    evidence = {f"step_{name}": step for name, step in steps.items()} | {"largest_loss_of_guarantee": loss}
    return outcome(0.1 - loss, caveat=max(abs(np.log(list(steps.values())))) > np.log(1.1), evidence=evidence)


@claim("zhai2021:c19")
def c19() -> Finding:
    """Rounds of Theorem 5 for 50 000 samples and an excess of 0.1."""
    rounds = hedge_rounds(50_000, 0.1)
    before, after = hedge_excess(50_000, rounds - 1), hedge_excess(50_000, rounds)
    evidence = {"rounds": rounds, "excess_a_round_earlier": before, "excess": after}
    return outcome(rounds - 500, holds=rounds >= 500 and after <= 0.1 < before, evidence=evidence)


@claim("zhai2021:c24")
def c24() -> Finding:
    """Weight of the errors after the printed update and after the repaired one."""
    losses = np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    weight = np.full(10, 0.1)
    error = float(weight @ losses)
    ratio = error / (1 - error)
    printed, repaired = weight * ratio**losses, weight * ratio ** (1 - losses)
    after, right = float(printed @ losses / printed.sum()), float(repaired @ losses / repaired.sum())
    evidence = {"before": error, "after_printed": after, "after_repaired": right}
    return outcome(after - error, evidence=evidence)


def _descent(X: NDArray[Any], y: NDArray[Any]) -> MLPClassifier:
    """ERM with the width, step size, momentum and batch of Appendix B, in as many whole epochs as it has steps.

    The division of the step size by ten after 400 of the last 500 steps is not among scikit-learn's schedules.
    """
    network = MLPClassifier(
        (100, 100),
        solver="sgd",
        learning_rate_init=0.01,
        momentum=0.9,
        nesterovs_momentum=False,
        alpha=0.0,
        batch_size=128,
        random_state=0,
    )
    epochs = 3 + round(500 * 128 / len(X))
    for _ in range(epochs):
        network.partial_fit(X, y, classes=[-1, 1])
    return network


@claim("zhai2021:c28")
def c28() -> Finding:
    """On the COMPAS table: the best deterministic classifier there is, the coin, and ERM by gradient descent."""
    if not available("compas"):
        return NOT_HERE
    bunch = load_compas()
    X, y = bunch.data[bunch.train], bunch.target[bunch.train]
    _, least_error = label_conflicts(X, y)
    levels = np.arange(1, 51) / 100  # the range that the paper plots
    # the smallest CVaR of any function of the features, less that of the best mixture of such functions
    lead = np.minimum(1.0, least_error / levels) - cvar_floor_curve(X, y, levels)
    descent = 1.0 - float(_descent(X, y).score(X, y))
    evidence = {"least_error": least_error, "error_of_descent": descent, "coin_wins_up_to": 2 * least_error}
    evidence |= {"lead_at_0.1": lead[9], "leads_up_to": float(levels[lead > ROUNDING].max(initial=0.0))}
    # never worse; but no better at the larger fractions, and not what gradient descent finds
    caveat = descent > least_error + 0.05 or bool((lead <= ROUNDING).any())
    holds = float(lead.min()) >= -ROUNDING and lead[9] > ROUNDING
    return outcome(float(lead.min()), holds=holds, caveat=caveat, evidence=evidence, tolerance=ROUNDING)


def times_of_erm(erm: float | None = None) -> list[float]:
    """Steps of 30 models over those of ERM on CIFAR-10 and CIFAR-100, CelebA and COMPAS, by Appendix B.

    ERM is what section 4.1 says, one base model after the warm-up, or has so many epochs.
    """
    found = []
    for samples, batch, epochs, steps in [
        (45_000, 128, 20, 5000),
        (45_000, 128, 40, 10_000),
        (162_770, 400, 5, 4000),
        (5049, 128, 3, 500),
    ]:
        epoch = -(-samples // batch)
        once = epochs * epoch + steps if erm is None else erm * epoch
        found.append(time_ratio(epochs * epoch, steps, 30, once))
    return found


@claim("zhai2021:c29")
def c29() -> Finding:
    """Steps of 30 models over steps of the paper's ERM, and the epochs of an ERM for which the sentence is true."""
    ratios = times_of_erm()
    one_epoch = times_of_erm(1)[0]
    evidence = {"least": min(ratios), "most": max(ratios), "epochs_from": one_epoch / 6, "epochs_to": one_epoch / 3}
    # the sentence may have another ERM in mind than section 4.1, whose budget is not stated
    return outcome(min(min(ratios) - 3, 6 - max(ratios)), evidence=evidence, certain=False)
