"""Building the pages from what the runner left, without executing anything."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from marginloss._validation import check_name
from marginloss.companion.book.assets import MATHEMATICS, copy_mathematics, trim_theme
from marginloss.companion.book.cards import add_cards
from marginloss.companion.book.execute import with_outputs
from marginloss.companion.book.layout import chapters, pages, root
from marginloss.companion.book.notebooks import readable
from marginloss.companion.book.repository import find_repository
from marginloss.companion.book.runner import outdated
from marginloss.companion.digest import combine, library_digest
from marginloss.companion.findings import findings
from marginloss.companion.folders import build_folder
from marginloss.companion.live.figures import draw_lines
from marginloss.companion.policies import as_svg, draw_social
from marginloss.companion.results import Recorded, Result, write_atomically
from marginloss.companion.scale import SCALES

PACKED = "marginloss-book.zip"
FRONT = "docs/front.svg"  # the picture of the README: the first live figure as it opens


class BuildError(Exception):
    """The pages could not be built; the message says why."""


def build(scale: str) -> Path:
    """Build the book from the chapters executed at ``scale`` and return its first page.

    Nothing is done if nothing has changed since the pages were built.
    """
    check_name("scale", scale, SCALES)
    stale = [chapter.name for chapter in outdated(chapters(), scale)]
    if stale:
        raise BuildError(f"not run at scale {scale}: {', '.join(stale)}; try 'marginloss run --scale {scale}' first")
    front, stamp = build_folder() / "html" / "index.html", build_folder() / "html.json"
    inputs = {"scale": scale, "repository": find_repository(root()), "digest": _inputs(scale)}
    if front.is_file() and stamp.is_file() and json.loads(stamp.read_text(encoding="utf-8")) == inputs:
        return front
    stamp.unlink(missing_ok=True)
    copy_mathematics(root() / "chapters" / "_static")
    _fill_cache(scale)
    findings()  # here, where progress can be seen; the pages read what is kept
    write_atomically(root() / FRONT, as_svg(draw_lines()))
    _jupyter_book(scale)
    add_cards(front.parent)
    trim_theme(front.parent)
    draw_social(front.parent / "_static" / "social.png")
    _write_notebooks(scale, front.parent)
    _pack(front.parent)
    write_atomically(stamp, json.dumps(inputs))
    return front


def _inputs(scale: str) -> str:
    """Digest of everything that is on the pages."""
    sources = [root() / "_config.yml", root() / "_toc.yml", *pages(), *sorted((root() / "data").rglob("*.yml"))]
    sources += [
        path for path in sorted((root() / "chapters").rglob("*")) if path.is_file() and MATHEMATICS not in path.parts
    ]
    sources += [chapter.result(scale) for chapter in chapters()]
    return combine([library_digest(), *(path.read_text(encoding="utf-8", errors="replace") for path in sources)])


def _fill_cache(scale: str) -> None:
    """Hand the executed notebooks to the execution cache that the book reads."""
    import nbformat
    from jupyter_cache import get_cache
    from jupyter_cache.base import CacheBundleIn

    cache = get_cache(str(build_folder() / ".jupyter_cache"))
    for chapter in chapters():
        notebook = with_outputs(chapter.read(), nbformat.read(chapter.notebook(scale), as_version=4))
        result = Result.read(chapter.result(scale))
        data = {"execution_seconds": result.seconds if result else None}
        bundle = CacheBundleIn(notebook, str(chapter.path), data=data)
        cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)


def _write_notebooks(scale: str, pages: Path) -> None:
    """Put notebooks that other programs can read in the place of those that the book links to."""
    import nbformat

    for chapter in chapters():
        notebook = nbformat.read(chapter.notebook(scale), as_version=4)
        shown = readable(notebook, Recorded(chapter.name, scale))
        place = chapter.path.relative_to(root()).with_suffix(".ipynb")
        write_atomically(pages / "_sources" / place, nbformat.writes(shown))


def _pack(pages: Path) -> None:
    """The whole book as one file beside its first page, for readers who are offline."""
    target = pages / PACKED
    with tempfile.TemporaryDirectory(dir=pages.parent) as folder:
        packed = Path(folder) / PACKED
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(pages.rglob("*")):
                if path.is_file() and path != target:
                    archive.write(path, Path(target.stem) / path.relative_to(pages))
        os.replace(packed, target)


def _jupyter_book(scale: str) -> None:
    """Call Jupyter Book; its report goes to ``_build/book.log``."""
    command = "import sys; from jupyter_book.cli.main import main; sys.exit(main())"
    # --all: Sphinx does not read a page again when only its cached outputs have changed
    options = ["build", str(root()), "--all", "-W", "-n", "--keep-going"]
    log = build_folder() / "book.log"
    with log.open("w", encoding="utf-8") as file:
        status = subprocess.run(
            [sys.executable, "-c", command, *options],
            stdout=file,
            stderr=subprocess.STDOUT,
            env=os.environ | {"MARGINLOSS_SCALE": scale, "PYTHONIOENCODING": "utf-8"},
            check=False,
        ).returncode
    report = log.read_text(encoding="utf-8", errors="replace")
    if status:
        problems = [line for line in report.splitlines() if "WARNING" in line or "ERROR" in line]
        shown = "\n".join(problems or report.splitlines()[-30:])
        raise BuildError(f"the book was not built; the whole report is {log}\n{shown}")
    if "Executing notebook" in report:
        raise BuildError(f"the book executed a notebook that the runner had executed already; see {log}")
    for line in report.splitlines():
        if "a live figure is a picture only" in line:  # the page says it too
            print(line)
