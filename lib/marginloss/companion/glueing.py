"""What a chapter hands to its page: values and figures by name, kept in the executed notebook beside its cells."""

from __future__ import annotations

import os
from typing import Any

RECORDING = "MARGINLOSS_RECORDING"  # environment variable, set by the runner for its kernels


def is_recording() -> bool:
    """Whether the runner executes this chapter; a reader who runs a cell sees its figure below it instead."""
    return RECORDING in os.environ


def glue(name: str, value: Any) -> None:
    """Keep a value or a figure under a name, if the runner is there to read it.

    Examples
    --------
    >>> glue("gain", 0.25)
    """
    if is_recording():
        from myst_nb import glue as keep

        keep(name, value, display=False)
