"""Numbers: a mean with its standard error, and how a number is shown."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike


def mean_and_error(**runs: ArrayLike) -> dict[str, float]:
    """Mean over the runs under each name, and its standard error under ``<name>_se``: what ``record`` takes.

    A part of the ledger with ``error: <name>_se`` is met or missed only by more than two of them.

    Examples
    --------
    >>> mean_and_error(gain=[0.2, 0.3, 0.25, 0.25])
    {'gain': 0.25, 'gain_se': 0.02041...}
    """
    found: dict[str, float] = {}
    for name, values in runs.items():
        each = np.asarray(values, dtype=float)
        if each.ndim != 1 or each.size < 2:
            raise ValueError(f"{name} must hold the values of at least two runs, got shape {each.shape}")
        found |= {name: float(each.mean()), f"{name}_se": float(each.std(ddof=1) / np.sqrt(each.size))}
    return found


def shown(value: Any) -> str:
    """A number with three significant digits, a minus sign at which no line is broken, lists with commas.

    Examples
    --------
    >>> shown(0.123456), shown(1234.5), shown(864154), shown(True), shown([0.5, 2e-9]), shown(-0.25)
    ('0.123', '1234', '864154', 'yes', '0.5, 2e-09', '−0.25')
    """
    if isinstance(value, list | tuple):
        return ", ".join(map(shown, value))
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, float | np.floating):
        number = float(value)
        value = f"{number:.0f}" if 1000 <= abs(number) < 1e6 else f"{number:.3g}"
    return str(value).replace("-", "\N{MINUS SIGN}") if str(value).startswith("-") else str(value)
