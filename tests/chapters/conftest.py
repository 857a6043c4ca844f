"""Chapters are executed by the runner, once; here is only what it recorded."""

import pytest

from marginalia.book import chapters, results
from marginalia.book.runner import run
from marginalia.experiments import current_scale


@pytest.fixture(scope="session")
def recorded():
    """Results of all chapters at the current scale, by name; nothing is executed if nothing has changed."""
    scale = current_scale()
    run(chapters(), scale)
    return results(scale)
