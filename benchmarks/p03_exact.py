"""P3: exact splits on a small table."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks import Comparison
from benchmarks.p01_signs import same_steps
from marginloss.boosting import AdaBoostAlphaClassifier

GOAL = "P3"
TITLE = "AdaBoost.α, breast cancer 398 × 30, T = 100, exact splits, depth 1 and 3"


def comparisons() -> Iterator[Comparison]:
    from sklearn.datasets import load_breast_cancer
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.model_selection import train_test_split
    from sklearn.tree import DecisionTreeClassifier
    from xgboost import XGBClassifier

    X, y = load_breast_cancer(return_X_y=True)
    X, _, y, _ = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)
    y = np.where(np.random.default_rng(0).random(len(y)) < 0.1, 1 - y, y)
    for depth, goals in ((1, (45, 5)), (3, (12, 2))):
        ours = AdaBoostAlphaClassifier(0.5, n_estimators=100, max_depth=depth)
        tree = AdaBoostClassifier(DecisionTreeClassifier(max_depth=depth), n_estimators=100)
        boosted = XGBClassifier(n_estimators=100, max_depth=depth, tree_method="exact", n_jobs=1)
        for name, peer, goal in zip(("scikit-learn AdaBoost", "XGBoost exact"), (tree, boosted), goals, strict=True):
            yield Comparison(
                f"fit, α = 0.5, depth {depth}",
                name,
                lambda peer=peer: peer.fit(X, y),
                lambda ours=ours: ours.fit(X, y),
                goal,
                same_steps(ours, peer, X, y) if depth == 1 and peer is tree else None,
            )
