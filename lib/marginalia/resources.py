"""Where the package's own data live: the ledger and the registry of data sets."""

from __future__ import annotations

from pathlib import Path

__all__ = ["data_folder"]


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
