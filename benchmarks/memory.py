"""Peak memory of one call, in a process of its own; ``python -m benchmarks.memory`` measures every estimator.

Its table, at a million rows of 20 features and five million of 10, is written to ``MEMORY.md``: one thread, data of
normal numbers, labels of a linear rule with a tenth of them flipped. CPU time is that of a second fit, compiled
already; memory is what the fit adds at its peak, as a multiple of the input.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from marginloss import boosting, linear
from marginloss.losses import AlphaLoss

__all__ = ["peak_bytes"]

SIZES = ((1_000_000, 20), (5_000_000, 10))
MODELS: dict[str, tuple[Any, dict[str, Any]]] = {
    "AdaBoost.α, 100 stumps": (boosting.AdaBoostAlphaClassifier, {}),
    "AdaLPBoost, 100 trees": (boosting.AdaLPBoostClassifier, {}),
    "AdaBoost.α, 20 trees": (boosting.AdaBoostAlphaClassifier, {"n_estimators": 20, "max_depth": 3}),
    "PILBoost, 20 trees": (boosting.PILBoostClassifier, {"n_estimators": 20}),
    "SmoothBoost, 20 trees": (boosting.SmoothBoostClassifier, {"n_estimators": 20}),
    "MadaBoost, 20 stumps": (boosting.MadaBoostClassifier, {"n_estimators": 20}),
    "BregmanBoost, 20 stumps": (boosting.BregmanBoostClassifier, {"n_estimators": 20}),
    "LPBoost, 5 trees": (boosting.LPBoostClassifier, {"n_estimators": 5}),
    "linear, α = 2": (linear.MarginClassifier, {"loss": AlphaLoss(2)}),
    "linear, two temperatures": (linear.TwoTemperatureClassifier, {}),
    "p-norm perceptron, 1 pass": (linear.PNormPerceptron, {"max_iter": 1}),
    "halfspace learner, 20 rounds": (boosting.HalfspaceLearner, {"n_estimators": 20, "difficulty": 5.0}),
}


def main() -> None:
    """Measure what is not in the table yet: delete a line to measure it again."""
    page = Path(__file__).with_name("MEMORY.md")
    known = page.read_text(encoding="utf-8").splitlines() if page.exists() else []
    lines = ["# Memory and time of large fits", "", " ".join((__doc__ or "").split("\n\n")[1].split()), ""]
    lines += ["| estimator | rows | features | CPU seconds | memory, over the input |", "|:--|--:|--:|--:|--:|"]
    for name in MODELS:
        for n, d in SIZES:
            start = f"| {name} | {n:,} | {d} |"
            line = next((line for line in known if line.startswith(start)), None)
            if line is None:
                peak, seconds = _alone(partial(fit_of, name, d), n) or (0, 0.0)
                line = f"{start} {seconds:.1f} | {peak / (8 * n * d):.2f} |"
            lines.append(line)
            print(line, flush=True)
            page.write_text("\n".join(lines) + "\n", encoding="utf-8")


def fit_of(name: str, d: int, n: int) -> Callable[[], Any]:
    """A fit of one estimator to a table of this size."""
    kind, parameters = MODELS[name]
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    y = ((X[:, 0] + X[:, 1] > 0) ^ (rng.random(n) < 0.1)).astype(np.int64)

    def fit() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return kind(**parameters).fit(X, y)

    return fit


def peak_bytes(make: Callable[[int], Callable[[], Any]], size: int) -> int | None:
    """Bytes that ``make(size)()`` adds to the process at its peak, input not counted; ``None`` outside Linux."""
    found = _alone(make, size)
    return found and found[0]


def _alone(make: Callable[[int], Callable[[], Any]], size: int) -> tuple[int, float] | None:
    if not Path("/proc/self/clear_refs").exists():
        return None
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(_peak, (make, size))


def _peak(make: Callable[[int], Callable[[], Any]], size: int) -> tuple[int, float]:
    make(max(size // 100, 50))()  # compile, import, and let the allocator grow, on a small case
    call = make(size)
    Path("/proc/self/clear_refs").write_text("5")  # the high-water mark starts again from what is in use now
    before, started = _status("VmRSS"), time.process_time()
    call()
    return _status("VmHWM") - before, time.process_time() - started


def _status(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024
    raise LookupError(field)


if __name__ == "__main__":
    main()
