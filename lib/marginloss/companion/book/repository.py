"""The repository on GitHub that the pages link to, if there is one; no source names its address."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

REMOTE = re.compile(r"(?:https://|ssh://git@|git@)(?:[^@/]*@)?github\.com[/:](?P<name>[\w.-]+/[\w.-]+?)(?:\.git)?/?")


def find_repository(clone: Path, environment: Mapping[str, str] = os.environ) -> str | None:
    """The repository as ``owner/name``: from ``GITHUB_REPOSITORY``, else from a GitHub remote of the clone, else None.

    The remote ``origin`` comes before the others.
    """
    if name := environment.get("GITHUB_REPOSITORY"):
        return name
    command = ["git", "-C", str(clone), "config", "--local", "--get-regexp", r"^remote\..*\.url$"]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
    except OSError:  # a copy of the sources on a machine without git
        return None
    lines = sorted(listed, key=lambda line: not line.startswith("remote.origin.url "))
    found = [match["name"] for line in lines if (match := REMOTE.fullmatch(line.split(maxsplit=1)[1]))]
    return found[0] if found else None


def links_to(repository: str | None) -> dict[str, object]:
    """Options of the theme: buttons for the repository, its issues and Binder, or none of them.

    Examples
    --------
    >>> links_to("somebody/book")["repository_url"], links_to(None)
    ('https://github.com/somebody/book', {'repository_url': '', 'launch_buttons': {}})
    """
    if repository is None:
        return {"repository_url": "", "launch_buttons": {}}  # Jupyter Book's default is the address of its own
    return {
        "repository_url": f"https://github.com/{repository}",
        "repository_branch": "main",
        "use_repository_button": True,
        "use_issues_button": True,
        "launch_buttons": {"binderhub_url": "https://mybinder.org", "notebook_interface": "jupyterlab"},
    }


def pages_of(repository: str | None) -> str:
    """Where GitHub shows the published book, an empty text without a repository.

    Examples
    --------
    >>> pages_of("somebody/book")
    'https://somebody.github.io/book/'
    """
    owner, _, name = (repository or "").partition("/")
    return f"https://{owner}.github.io/{name}/" if repository else ""
