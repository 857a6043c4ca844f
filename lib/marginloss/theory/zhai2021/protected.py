"""Who pays, which learner is boosted, and who asks again (zhai2021, sections 1, 3.1 and 5)."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import make_classification

from marginloss.boosting import AdaBoostAlphaClassifier, AdaLPBoostClassifier
from marginloss.risk import cvar, cvar_weights, lpboost
from marginloss.theory import Array, Finding, claim, outcome

__all__ = ["best_stump_error", "payment"]


def payment(before: Array, after: Array, alpha: float) -> tuple[float, float]:
    """Rise of the mean loss outside of the tail of ``before``, and the least that a better tail must cost there."""
    outside = (1 / len(before) - alpha * cvar_weights(before, alpha)) / (1 - alpha)
    due = alpha / (1 - alpha) * (cvar(before, alpha) - cvar(after, alpha))
    return float(outside @ (after - before)), due


def best_stump_error(X: Array, y: Array, weight: Array) -> float:
    """Least weighted error of any threshold on one feature, in either direction, and of the constants."""
    order = np.argsort(X, axis=0, kind="stable")
    # weighted labels up to each place, where the next value of the feature differs
    above = np.diff(np.take_along_axis(X, order, axis=0), axis=0, append=np.inf) > 0
    edges = np.sum(weight * y) - 2 * np.cumsum((weight * y)[order], axis=0)
    return float((weight.sum() - np.abs(edges[above]).max()) / 2)


@claim("zhai2021:c30")
def c30() -> Finding:
    """Losses of the same or a higher mean and a lower tail: what those outside of the tail pay."""
    rng = np.random.default_rng(4)
    spare, least = np.inf, np.inf
    for _ in range(2000):
        n, alpha = int(rng.integers(3, 40)), float(rng.uniform(0.05, 0.9))
        before, after = (rng.random(n) < 0.3).astype(float), rng.random(n)
        after = 1 - (1 - after) * min(1.0, (1 - before.mean()) / (1 - after.mean()))  # a mean as high at least
        paid, due = payment(before, after, alpha)
        spare, least = min(spare, paid - due), min(least, paid if due > 1e-9 else np.inf)
    return outcome(spare, holds=spare >= -1e-12 and least > 0, evidence={"least_paid": least}, tolerance=1e-12)


@claim("zhai2021:c31")
def c31() -> Finding:
    """The vote of weak models, the tail that no mixture of such models can leave, and the tail of unfair ones."""
    X, y = make_classification(400, 10, n_informative=6, flip_y=0.0, random_state=0)
    y, alpha = 2 * y - 1, 0.1
    vote = 1 - AdaBoostAlphaClassifier(alpha=0.5, n_estimators=400).fit(X, y).score(X, y)
    found = {}
    for depth in (1, 5):
        model = AdaLPBoostClassifier(max_depth=depth, n_estimators=100, random_state=0).fit(X, y)
        found[depth] = model, lpboost(model.training_losses_, alpha)
    # all stumps err on the hardest weights of these by as much, so that every mixture of stumps has such a tail
    floor = best_stump_error(X, y, found[1][1].sample_weights)
    evidence = {"vote": vote, "weak_floor": floor, "weak_tail": found[1][1].value, "unfair_tail": found[5][1].value}
    evidence |= {"first_weak": float(found[1][0].training_losses_[:, 0].mean()), "largest_g": found[5][0].errors_.max()}
    slack = min(evidence["first_weak"] - vote, floor - found[5][1].value)
    return outcome(slack, holds=slack > 0 and floor <= found[1][1].value + 1e-9, evidence=evidence)


@claim("zhai2021:c32")
def c32() -> Finding:
    """Applicants who ask ten times, by a draw for each asking and by one that is frozen for each row."""
    X, y = make_classification(1500, 6, n_informative=3, flip_y=0.2, random_state=0)
    model = AdaLPBoostClassifier(alpha=0.1, n_estimators=30, random_state=0).fit(X[:500], y[:500])
    X, got = X[500:], {}
    for sampling in ("per_sample", "frozen"):
        model.set_params(sampling=sampling)
        granted = np.array([model.predict(X) == 1 for _ in range(10)])
        got[sampling] = granted[0].mean(), granted.any(axis=0).mean()
    formula = float((1 - model.predict_proba(X)[:, 0] ** 10).mean())
    evidence = {"once": got["per_sample"][0], "in_ten": got["per_sample"][1], "formula": formula}
    evidence |= {"frozen_in_ten": got["frozen"][1], "frozen_once": got["frozen"][0]}
    slack = got["per_sample"][1] - got["per_sample"][0]
    return outcome(slack, holds=slack > 0 and abs(formula - evidence["in_ten"]) < 0.02, evidence=evidence)
