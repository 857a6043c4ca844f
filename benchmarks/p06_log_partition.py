"""P6: the binary log-partition of a million margins."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks import Comparison, Scaling, has_avx512
from marginloss.losses.log_partition import excess
from marginloss.losses.tempered import log_partition_margin

GOAL = "P6"
TITLE = "binary log-partition, n = 1 000 000, error at most 1e-14"

TRIED = (
    "where the processor has AVX-512, NumPy's exponentials and powers, of which the peers are made, are several times "
    "as fast as elsewhere. The table gains nothing from wide registers: it takes six loads a margin. On processors "
    "without AVX-512 the goals are met."
)

N = 1_000_000
GOALS = {1.12: 20, 1.6: 20, 2.0: 20} if has_avx512() else {1.12: 60, 1.6: 90, 2.0: 20}


def algorithm_2(margin: np.ndarray, t: float, tol: float = 1e-10) -> np.ndarray:
    """The paper's iteration with its factor restored, as its users write it: powers of arrays until nothing moves."""
    a = np.abs(margin)
    scaled = a
    while True:
        z = 1 + (1 + (t - 1) * scaled) ** (1 / (1 - t))
        moved = z ** (1 - t) * a
        if np.abs(moved - scaled).max() <= tol:
            return a / 2 + (z ** (t - 1) - 1) / (t - 1)
        scaled = moved


def comparisons() -> Iterator[Comparison]:
    margin = 5 * np.random.default_rng(0).standard_normal(N)
    for t, goal in GOALS.items():
        log_partition_margin(margin, t)  # compiles, and makes the table

        def agree(t: float = t) -> None:
            newton = np.abs(margin) / 2 + excess(np.stack([np.zeros(N), np.abs(margin)], axis=1), t)
            np.testing.assert_allclose(log_partition_margin(margin, t), newton, rtol=1e-14)
            np.testing.assert_allclose(log_partition_margin(margin, t), algorithm_2(margin, t), rtol=1e-8)

        ours = lambda t=t: log_partition_margin(margin, t)  # noqa: E731
        yield Comparison(
            f"t = {t:g}", "Algorithm 2 to 1e-10", lambda t=t: algorithm_2(margin, t), ours, goal, agree, repeats=3
        )
        yield Comparison(f"t = {t:g}", "one np.exp pass", lambda: np.exp(margin), ours, 1.0, repeats=9)


def _make(n: int):
    margin = 5 * np.random.default_rng(0).standard_normal(n)
    log_partition_margin(margin, 1.6)
    return lambda: log_partition_margin(margin, 1.6)


def scalings() -> Iterator[Scaling]:
    yield Scaling(
        "binary log-partition, t = 1.6", "n", (10_000, 100_000, 1_000_000, 10_000_000), _make, lambda n: 8 * n
    )
