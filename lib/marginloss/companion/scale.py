"""Two scales of one book: quick for a first read, paper for the papers' own number of runs."""

from __future__ import annotations

import os
from typing import TypeVar

SCALES = ("quick", "paper")

Value = TypeVar("Value")


def current_scale() -> str:
    """The scale in the environment variable ``MARGINLOSS_SCALE``, ``quick`` if it is not set."""
    scale = os.environ.get("MARGINLOSS_SCALE", "quick")
    if scale not in SCALES:
        raise ValueError(f"MARGINLOSS_SCALE must be one of {', '.join(SCALES)}, got {scale!r}")
    return scale


def scaled(*, quick: Value, paper: Value) -> Value:
    """The value for the current scale.

    Parameters
    ----------
    quick, paper : object
        Values for a quick run and for the papers' own scale.

    Examples
    --------
    >>> n_runs = scaled(quick=4, paper=80)
    """
    return {"quick": quick, "paper": paper}[current_scale()]
