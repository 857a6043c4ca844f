"""The built book; it is built first where that has not been done."""

from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from marginloss.companion import current_scale
from marginloss.companion.book import chapters
from marginloss.companion.book.build import build
from marginloss.companion.book.runner import run


@pytest.fixture(scope="session")
def html() -> Path:
    """Folder of the built pages, up to date."""
    run(chapters(), current_scale())
    return build(current_scale()).parent


@pytest.fixture(scope="session")
def soups(html):
    """Parsed pages by their path, relative to the built folder; all of them, also those nobody wrote."""
    files = [file for file in sorted(html.rglob("*.html")) if "_static" not in file.parts]
    return {file.relative_to(html).as_posix(): BeautifulSoup(file.read_text("utf-8"), "html.parser") for file in files}


@pytest.fixture(scope="session")
def anchors(soups):
    """Ids that links can point to, by page."""
    return {page: {tag["id"] for tag in soup.find_all(id=True)} for page, soup in soups.items()}
