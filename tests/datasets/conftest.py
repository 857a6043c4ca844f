"""A machine without any data."""

import pytest


@pytest.fixture
def empty_machine(tmp_path, monkeypatch):
    """No data folder, an empty cache, and no memory of hosts that were silent."""
    from marginloss.datasets import routes

    monkeypatch.delenv("MARGINLOSS_DATA", raising=False)
    monkeypatch.setenv("MARGINLOSS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(routes, "_silent", set())
    routes.answers.cache_clear()
    yield tmp_path / "cache" / "data"
    routes.answers.cache_clear()
