"""Where the package's own data live: the ledger and the registry of data sets."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["build_folder", "data_folder"]


def data_folder() -> Path:
    """Folder with ``ledger/`` and ``sets/``: inside an installed wheel, else ``data/`` of the checkout.

    Examples
    --------
    >>> (data_folder() / "ledger").is_dir()
    True
    """
    package = Path(__file__).parent
    installed = package / "_data"
    return installed if installed.is_dir() else package.parents[1] / "data"


def build_folder() -> Path:
    """Folder of everything generated: ``_build/`` of the checkout, else ``MARGINALIA_CACHE`` or ``_build/`` here.

    Examples
    --------
    >>> build_folder().is_absolute()
    True
    """
    root = Path(__file__).parents[2]
    if (root / "_toc.yml").is_file():
        return root / "_build"
    return Path(os.environ.get("MARGINALIA_CACHE", "_build")).absolute()
