"""Where things live: the ledger and the registry of data sets, the data sets themselves, and what is generated."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

__all__ = ["build_folder", "data_cache", "data_folder", "data_set_folders"]


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


def data_cache() -> Path:
    """Folder into which data sets are fetched: in ``MARGINALIA_CACHE``, else in the user's cache of the system.

    Examples
    --------
    >>> data_cache().name
    'data'
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pooch asks tqdm for a notebook widget, which a page should not complain about
        import pooch

    return Path(os.environ.get("MARGINALIA_CACHE") or pooch.os_cache("marginalia")) / "data"


def data_set_folders() -> list[Path]:
    """Folders that are searched for data sets, in order: ``MARGINALIA_DATA`` if it is set, then the cache.

    Examples
    --------
    >>> data_set_folders()[-1] == data_cache()
    True
    """
    given = os.environ.get("MARGINALIA_DATA")
    return [*([Path(given)] if given else []), data_cache()]
