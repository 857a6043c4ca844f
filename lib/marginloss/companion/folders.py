"""Where everything that is generated goes."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["build_folder"]


def build_folder() -> Path:
    """Folder of everything generated: ``_build/`` of the checkout, else ``MARGINLOSS_CACHE`` or ``_build/`` here.

    Examples
    --------
    >>> build_folder().is_absolute()
    True
    """
    root = Path(__file__).parents[3]
    if (root / "_toc.yml").is_file():
        return root / "_build"
    return Path(os.environ.get("MARGINLOSS_CACHE", "_build")).absolute()
