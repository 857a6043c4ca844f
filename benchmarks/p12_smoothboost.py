from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks import Comparison, Scaling
from marginloss.boosting import PNormLearner
from marginloss.boosting.fused import CappedExponential, FusedRows
from marginloss.boosting.loop import Rows
from marginloss.losses import SmoothBoostLoss

GOAL = "P12"
TITLE = "SmoothBoost with the p-norm learner: one round"

GAMMA = 0.05
THETA = GAMMA / (2 + GAMMA)


def _data(m: int, n: int, kind: type) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((m, n), dtype=np.float32).astype(kind)
    X /= np.sqrt(np.einsum("ij,ij->i", X, X))[:, None] * kind(1.001)
    return X, (X @ rng.standard_normal(n).astype(kind) > 0).astype(np.intp)


class OneRound:
    """A round of SmoothBoost, again and again on the same data: weights, hypothesis, step."""

    def __init__(self, X: np.ndarray, codes: np.ndarray, rows: type[Rows]) -> None:
        learner = PNormLearner(p=2.0, R=1.0).weak_learner(X, codes, np.ones(len(X)))
        self.rows = rows(learner, CappedExponential(SmoothBoostLoss(GAMMA).decay, lambda number: THETA * number))
        self.number = 0

    def __call__(self) -> None:
        now = self.rows.weighted(self.number)
        self.rows.fit(now)
        self.rows.add(now, 1.0)
        self.number += 1


class TwoPasses:
    """What a round costs at least with a product for the scores and one for the average."""

    def __init__(self, X: np.ndarray) -> None:
        self.X, self.v = X, np.full(X.shape[1], 0.01, dtype=X.dtype)

    def __call__(self) -> None:
        self.X @ self.v
        self.X @ self.v


def _agree(X: np.ndarray, codes: np.ndarray) -> None:
    part = slice(0, 20_000)
    fused, plain = (OneRound(X[part], codes[part], rows) for rows in (FusedRows, Rows))
    for _ in range(5):
        fused()
        plain()
    np.testing.assert_allclose(
        fused.rows.margin, plain.rows.margin, rtol=0, atol=1e-4 if X.dtype == np.float32 else 1e-10
    )


def comparisons() -> Iterator[Comparison]:
    m, n = 1_000_000, 100
    double, codes = _data(m, n, np.float64)
    yield Comparison(
        workload="1 000 000 × 100, float64",
        peer="two X @ v in numpy, float64",
        theirs=TwoPasses(double),
        ours=OneRound(double, codes, FusedRows),
        goal=1.3,
        agree=lambda: _agree(double, codes),
    )
    single = double.astype(np.float32)
    yield Comparison(
        workload="1 000 000 × 100, float32",
        peer="two X @ v in numpy, float64",
        theirs=TwoPasses(double),
        ours=OneRound(single, codes, FusedRows),
        goal=1.3,
        agree=lambda: _agree(single, codes),
    )
    yield Comparison(
        workload="1 000 000 × 100, float32",
        peer="two X @ v in numpy, float32",
        theirs=TwoPasses(single),
        ours=OneRound(single, codes, FusedRows),
        goal=1.0,
        note="beyond the goal: in single precision, too, the exponential of each row is done in double",
    )


def _one_round(m: int) -> OneRound:
    return OneRound(*_data(m, 100, np.float64), FusedRows)


def scalings() -> Iterator[Scaling]:
    yield Scaling("one round, 100 features", "m", (10_000, 100_000, 1_000_000), _one_round, lambda m: 800 * m)
