"""Where things are: the chapters of the table of contents and the folders of the build."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from marginloss._validation import check_name
from marginloss.companion.digest import code_digest, combine
from marginloss.companion.folders import build_folder
from marginloss.companion.results import result_file


def root() -> Path:
    """Folder of the book: the checkout that the library is imported from."""
    folder = Path(__file__).parents[4]
    if not (folder / "_toc.yml").is_file():
        raise FileNotFoundError("the installed package has no chapters: clone the repository and say 'make book' there")
    return folder


@dataclass(frozen=True)
class Chapter:
    """A page that is executed: a MyST notebook in the table of contents.

    Parameters
    ----------
    path : Path
        The source, ``chapters/11_alpha_loss.md``.
    """

    path: Path

    @property
    def name(self) -> str:
        """Name in files and on the command line, ``11_alpha_loss``."""
        return self.path.stem

    @cached_property
    def text(self) -> str:
        """Source of the chapter."""
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def head(self) -> dict[str, Any]:
        """What stands between the two lines ``---`` at the top, if anything."""
        parts = re.split(r"^---\s*$", self.text, maxsplit=2, flags=re.MULTILINE)
        return yaml.safe_load(parts[1]) if len(parts) == 3 and not parts[0] else {}

    @property
    def title(self) -> str:
        """The first heading, without markup."""
        heading = re.search(r"^# +(.+)$", self.text, re.MULTILINE)
        return re.sub(r"[$`*]|\{[^}]*\}|\\", "", heading[1]).strip() if heading else self.name

    def code(self) -> str:
        """Code of all cells."""
        return "\n".join(re.findall(r"^```\{code-cell\}.*?\n(.*?)^```", self.text, re.MULTILINE | re.DOTALL))

    def read(self) -> Any:
        """The chapter as a notebook without outputs."""
        try:
            import jupytext
        except ImportError as error:
            raise ImportError("reading chapters needs the extra 'book': pip install '.[book]' in a clone") from error
        return jupytext.reads(self.text, fmt="md:myst")

    def digest(self, scale: str) -> str:
        """What the chapter's numbers depend on: the code of its cells and all that it reaches, the scale, its files.

        A chapter names files that it reads besides, such as results of the benchmarks, as ``inputs`` in its head.
        """
        cells = [cell.source for cell in self.read().cells if cell.cell_type == "code"]
        inputs = [(self.path.parent / name).read_text(encoding="utf-8") for name in self.head.get("inputs", [])]
        return combine([code_digest(cells), scale, *inputs])

    def notebook(self, scale: str) -> Path:
        """Executed notebook of this chapter."""
        return build_folder() / "runs" / scale / f"{self.name}.ipynb"

    def result(self, scale: str) -> Path:
        """Recorded values of this chapter."""
        return result_file(self.name, scale)


def pages() -> list[Path]:
    """All sources of the table of contents, in reading order."""
    toc = yaml.safe_load((root() / "_toc.yml").read_text(encoding="utf-8"))
    return [root() / f"{name}.md" for name in _files(toc)]


def chapters() -> list[Chapter]:
    """All pages that are executed, in reading order.

    Examples
    --------
    >>> "11_alpha_loss" in [chapter.name for chapter in chapters()]
    True
    """
    return [chapter for chapter in map(Chapter, pages()) if "kernelspec" in chapter.head]


def find_chapters(names: Iterable[str] = ()) -> list[Chapter]:
    """Chapters by name, with or without the number and the folder; all of them for no name.

    Examples
    --------
    >>> [chapter.name for chapter in find_chapters(["alpha_loss"])]
    ['11_alpha_loss']
    """
    every = chapters()
    known = {chapter.name: chapter for chapter in every}
    known |= {re.sub(r"^\d+[a-z]?_", "", chapter.name): chapter for chapter in every}
    wanted = {known[check_name("chapter", Path(name).name.removesuffix(".md"), known)].name for name in names}
    return [chapter for chapter in every if chapter.name in wanted or not wanted]


def _files(node: Any) -> Iterator[str]:
    """Names of files in a table of contents, depth first."""
    if isinstance(node, dict):
        yield from (node[key] for key in ("root", "file") if key in node)
        for key in ("parts", "chapters", "sections"):
            yield from _files(node.get(key, []))
    elif isinstance(node, list):
        for child in node:
            yield from _files(child)
