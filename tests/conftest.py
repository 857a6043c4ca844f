"""What must be set before any test imports the library, and what to do without a data set."""

import os
import shutil

import pytest
from hypothesis import settings

os.environ.setdefault("OMP_NUM_THREADS", "1")

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

settings.register_profile("untimed", deadline=None)  # how long an example takes says more about the machine
settings.load_profile("untimed")


@pytest.fixture
def need():
    """Call it with the names of data sets that the test reads, or with one name and a part.

    One that is not here skips the test, with the reason; where a data folder was promised, it fails (large sets aside).
    """
    from marginloss.datasets import available
    from marginloss.datasets.registry import dataset

    def check(*names, part=None):
        for name in names:
            if not available(name, part):
                message = f"data set {name} is not here: marginloss data {name} --fetch"
                entry = dataset(name)
                if os.environ.get("MARGINLOSS_DATA") and not {part or next(iter(entry.parts))} <= set(entry.large):
                    pytest.fail(message)
                pytest.skip(message)

    return check


@pytest.fixture
def empty_machine(tmp_path, monkeypatch):
    """No data folder and an empty cache."""
    monkeypatch.delenv("MARGINLOSS_DATA", raising=False)
    monkeypatch.setenv("MARGINLOSS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "data"


@pytest.fixture(scope="session")
def chromium():
    """The browser of this machine, started once in a process: Playwright allows no second."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the extra 'browser'")
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip("no Chromium browser on this machine")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()
