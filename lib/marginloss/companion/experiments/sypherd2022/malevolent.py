"""A malevolent twist on xd6: labels flipped more often than not in a known region (beyond sypherd2022, Section 4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from marginloss.datasets import load_xd6
from marginloss.losses.proper import AlphaCPELoss, ClassProbabilityLoss, FocalLoss, SuperLoss, flip_posterior
from marginloss.noise import flip_labels
from marginloss.theory.sypherd2022.tilting import best_alpha

Array = NDArray[np.float64]
Family = Callable[[], list[ClassProbabilityLoss]]

LOSSES: dict[str, Family] = {
    "log-loss": lambda: [AlphaCPELoss(1)],
    "focal": lambda: [FocalLoss(gamma) for gamma in (0.0, 0.5, 1.0, 2.0, 5.0, 20.0)],
    "Super Loss": lambda: [SuperLoss(tau, lam) for tau in (-1.0, 0.0, 1.0, 3.0) for lam in (0.3, 1.0, 10.0, 1e3)],
}
"""Losses that a user could try on every example alike: the proper one, and two families."""


def reach(family: str, eta: Array) -> Array:
    """Estimates at the twisted posteriors ``eta``, one row a member of a family."""
    return np.array([loss.tilt(eta) for loss in LOSSES[family]()])


def malevolent_twist(inside: float, outside: float, rng: np.random.Generator) -> dict[str, float]:
    """Clean accuracy in the region x₁ = 1 of xd6, where labels are flipped at the rate ``inside``, and elsewhere.

    One tree is grown on the twisted labels; the estimate in a leaf is the one with the least loss there, which is the
    tilt of its share of positive labels. Of the families in ``LOSSES`` the member with the best *clean* accuracy
    counts; the α-loss gets one exponent a part, ``best_alpha`` for its flip rate.

    Returns
    -------
    dict
        Accuracy of each loss ``<name>_inside`` and ``<name>_outside``, and the two exponents.

    Examples
    --------
    >>> found = malevolent_twist(0.8, 0.1, np.random.default_rng(0))
    >>> found["log-loss_inside"] < 0.5 < found["alpha_inside"]
    True
    """
    X, y = load_xd6(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=int(rng.integers(2**31)))
    region, region_test = X[:, 0] > 0, X_test[:, 0] > 0
    y = y.copy()
    for part, rate in ((region, inside), (~region, outside)):
        y[part] = flip_labels(y[part], rate, rng, kind="count")
    tree = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=15, random_state=0).fit(X, y)
    share: Array = tree.predict_proba(X_test)[:, 1]

    def right(estimate: Array) -> dict[str, float]:
        hits = (estimate > 0.5) == (y_test > 0)
        return {"inside": float(hits[region_test].mean()), "outside": float(hits[~region_test].mean())}

    result: dict[str, Any] = {}
    for name in LOSSES:
        best = max((right(estimate) for estimate in reach(name, share)), key=lambda found: found["inside"])
        result |= {f"{name}_{part}": value for part, value in best.items()}
    posteriors = np.linspace(0.05, 0.95, 91)
    exponents = {rate: best_alpha(posteriors, flip_posterior(posteriors, rate)) for rate in (inside, outside)}
    estimate = np.where(
        region_test, AlphaCPELoss(exponents[inside]).tilt(share), AlphaCPELoss(exponents[outside]).tilt(share)
    )
    result |= {f"alpha_{part}": value for part, value in right(estimate).items()}
    return result | {"exponent_inside": exponents[inside], "exponent_outside": exponents[outside]}
