"""Chapters are executed by the runner, once; here is only what it recorded."""

import pytest

from marginloss.companion import current_scale
from marginloss.companion.book import chapters, results
from marginloss.companion.book.runner import run


@pytest.fixture(scope="session")
def recorded():
    """Results of all chapters at the current scale, by name; nothing is executed if nothing has changed."""
    scale = current_scale()
    run(chapters(), scale)
    return results(scale)
