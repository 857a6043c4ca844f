"""P2: stumps on ±1 features, ten thousand examples."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import Comparison, p01_signs

GOAL = "P2"
TITLE = "AdaBoost.α, stumps, ±1 features (Long–Servedio, 21 features), m = 10 000, T = 100"


def comparisons() -> Iterator[Comparison]:
    return p01_signs.comparisons(10_000, (65, 5))
