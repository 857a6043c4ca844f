"""Where data live: what ships with the library (ledger, registry of data sets), and the data sets themselves."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

__all__ = ["cache_folder", "data_cache", "data_folder", "data_set_folders"]


def data_folder() -> Path:
    """Folder with ``ledger/`` and ``sets/``: inside an installed wheel, else ``data/`` of the checkout.

    Examples
    --------
    >>> (data_folder() / "ledger").is_dir()
    True
    """
    package = Path(__file__).parents[1]
    installed = package / "_data"
    return installed if installed.is_dir() else package.parents[1] / "data"


def data_cache() -> Path:
    """Folder into which data sets are fetched: in ``MARGINLOSS_CACHE``, else in the user's cache of the system.

    Examples
    --------
    >>> data_cache().name
    'data'
    """
    return cache_folder() / "data"


def cache_folder() -> Path:
    """``MARGINLOSS_CACHE`` if it is set, else the user's cache folder of the system."""
    given = os.environ.get("MARGINLOSS_CACHE")
    if given:
        return Path(given)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pooch asks tqdm for a notebook widget, which a page should not complain about
        import pooch

    return Path(pooch.os_cache("marginloss"))


def data_set_folders() -> list[Path]:
    """Folders that are searched for data sets, in order: ``MARGINLOSS_DATA`` if it is set, then the cache.

    Examples
    --------
    >>> data_set_folders()[-1] == data_cache()
    True
    """
    given = os.environ.get("MARGINLOSS_DATA")
    return [*([Path(given)] if given else []), data_cache()]
