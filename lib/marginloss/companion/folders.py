"""Where everything that is generated goes."""

from __future__ import annotations

from pathlib import Path

from marginloss.datasets.folders import cache_folder


def build_folder() -> Path:
    """Folder of everything generated: ``_build/`` of the checkout, else ``MARGINLOSS_CACHE`` or the user's cache.

    Examples
    --------
    >>> build_folder().is_absolute()
    True
    """
    root = Path(__file__).parents[3]
    if (root / "_toc.yml").is_file():
        return root / "_build"
    return cache_folder().absolute()
