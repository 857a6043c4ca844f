"""Links to the repository stand on the pages where there is one, and nowhere else."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from marginloss.companion.book.repository import find_repository, links_to

CONF = """
extensions = ["myst_nb", "sphinx.ext.autodoc", "marginloss.companion.book.extension"]
html_theme = "sphinx_book_theme"
html_theme_options = {"repository_url": "https://github.com/executablebooks/jupyter-book"}  # as Jupyter Book sets it
nb_execution_mode = "off"
myst_enable_extensions = ["colon_fence"]
"""
PAGE = """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {display_name: Python 3, language: python, name: python3}
---

# A page

:::{opening}
Nothing.
:::
"""


def clone(folder: Path, **remotes: str) -> Path:
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    for name, address in remotes.items():
        subprocess.run(["git", "-C", str(folder), "remote", "add", name, address], check=True)
    return folder


def test_the_environment_of_a_workflow_names_the_repository(tmp_path):
    folder = clone(tmp_path, origin="https://github.com/a/b")
    assert find_repository(folder, {"GITHUB_REPOSITORY": "somebody/book"}) == "somebody/book"


@pytest.mark.parametrize(
    "address",
    [
        "https://github.com/some-body/the.book",
        "https://github.com/some-body/the.book.git",
        "https://token@github.com/some-body/the.book.git",
        "git@github.com:some-body/the.book.git",
        "ssh://git@github.com/some-body/the.book",
    ],
)
def test_a_remote_on_github_names_it(address, tmp_path):
    assert find_repository(clone(tmp_path, origin=address), {}) == "some-body/the.book"


def test_other_remotes_and_folders_name_none(tmp_path):
    assert find_repository(clone(tmp_path / "a", origin="https://example.org/github.com/a/b"), {}) is None
    assert find_repository(clone(tmp_path / "b"), {}) is None
    assert find_repository(tmp_path / "absent", {}) is None
    assert (
        find_repository(clone(tmp_path / "c", fork="git@github.com:x/fork", origin="git@github.com:x/y"), {}) == "x/y"
    )


def links(folder: Path, environment: dict[str, str]) -> set[str]:
    """Addresses that a built page with an opening links to."""
    (folder / "source").mkdir()
    (folder / "source/conf.py").write_text(CONF)
    (folder / "source/index.md").write_text(PAGE)
    command = [sys.executable, "-m", "sphinx", "-q", str(folder / "source"), str(folder / "html")]
    base = {name: value for name, value in os.environ.items() if name != "GITHUB_REPOSITORY"}
    subprocess.run(command, env=base | environment, check=True, capture_output=True)
    soup = BeautifulSoup((folder / "html/index.html").read_text("utf-8"), "html.parser")
    return {tag["href"] for tag in soup.find_all("a", href=True)}


def test_pages_link_to_the_repository_where_there_is_one(tmp_path):
    found = links(tmp_path, {"GITHUB_REPOSITORY": "somebody/book"})
    assert "https://github.com/somebody/book" in found  # the button
    assert any(address.startswith("https://github.com/somebody/book/issues/new") for address in found)
    assert any(address.startswith("https://mybinder.org/v2/gh/somebody/book/main") for address in found)
    assert "https://colab.research.google.com/github/somebody/book/blob/gh-pages/_sources/index.ipynb" in found


def test_pages_link_to_no_repository_where_there_is_none(tmp_path):
    empty = clone(tmp_path / "empty")
    found = links(tmp_path, {"GIT_DIR": str(empty / ".git")})
    assert [address for address in found if "github" in address or "mybinder" in address or "colab" in address] == []


def test_an_option_of_the_theme_is_never_left_to_its_default():
    assert set(links_to(None)) < set(links_to("somebody/book"))
    assert links_to(None)["repository_url"] == ""
