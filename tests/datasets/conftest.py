"""Data sets that are not here: skipped with the reason, but a failure where a data folder was promised."""

import os

import pytest

from marginalia.datasets import available


@pytest.fixture
def need():
    """Call it with the name of a data set that the test reads."""

    def check(name):
        if not available(name):
            message = f"data set {name} is not here: marginalia data {name} --fetch"
            if os.environ.get("MARGINALIA_DATA"):
                pytest.fail(message)
            pytest.skip(message)

    return check


@pytest.fixture
def empty_machine(tmp_path, monkeypatch):
    """No data folder, an empty cache, and no memory of hosts that were silent."""
    from marginalia.datasets import routes

    monkeypatch.delenv("MARGINALIA_DATA", raising=False)
    monkeypatch.setenv("MARGINALIA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(routes, "_silent", set())
    routes.answers.cache_clear()
    yield tmp_path / "cache" / "data"
    routes.answers.cache_clear()
