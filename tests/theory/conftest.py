"""Claims are checked once for each state of the code, and all tests read what came out."""

from functools import cache

import pytest

from marginloss.companion.findings import findings


@pytest.fixture(scope="session")
def found():
    """The stored finding on a claim, by its id."""
    of_paper = cache(findings)
    return lambda claim: of_paper(claim.partition(":")[0])[claim]
