"""A book of two small chapters with a copy of the library and a module more below it, all free to be edited."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
HEAD = """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {display_name: Python 3, language: python, name: python3}
---

"""
FIRST = (
    HEAD
    + """# First

## A number

```{code-cell} ipython3
:tags: [parameters]

margin = -1e6
```

```{code-cell} ipython3
from myst_nb import glue
from marginloss.companion import scaled
from marginloss.small import cost
glue("largest", cost(margin), display=False)
print(f"largest: {cost(margin):.4f}")
glue("runs", scaled(quick=4, paper=80), display=False)
```

No example costs more than {glue:text}`largest:.4f`, over {glue:text}`runs` runs.
"""
)
FOREIGN = "import os\nos.system('echo foreign line 1>&2')\n"
SECOND = HEAD + f"# Second\n\n## Words\n\n```{{code-cell}} ipython3\n{FOREIGN}print('second')\n```\n"
SMALL = '''"""A module of one formula."""

import math


def cost(margin):
    """At most 2."""
    return 2.0 / (1 + 0.7 * math.exp(margin))
'''
CONFIG = """title: Small
only_build_toc_files: true
exclude_patterns: ["lib/**", "data/**", "_build/**"]
execute: {execute_notebooks: cache}
sphinx: {config: {mathjax_path: mathjax/startup.js, html_static_path: [chapters/_static]}}
"""


class SmallBook:
    """A folder that looks like the repository, and the command run on it in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        chapters = folder / "chapters"
        (chapters / "_static").mkdir(parents=True)
        (folder / "data/ledger").mkdir(parents=True)
        shutil.copytree(ROOT / "lib", folder / "lib", ignore=shutil.ignore_patterns("__pycache__"))
        (folder / "lib/marginloss/small.py").write_text(SMALL)
        shutil.copytree(ROOT / "data/sets", folder / "data/sets")
        (folder / "_config.yml").write_text(CONFIG)
        (folder / "_toc.yml").write_text(
            "format: jb-book\nroot: index\nchapters:\n  - file: chapters/01_first\n  - file: chapters/02_second\n"
        )
        (folder / "index.md").write_text("# Small\n\nA small book.\n")
        (chapters / "01_first.md").write_text(FIRST)
        (chapters / "02_second.md").write_text(SECOND)
        (chapters / "references.bib").write_text("")

    @property
    def environment(self) -> dict[str, str]:
        return os.environ | {
            "PYTHONPATH": str(self.folder / "lib"),
            "MARGINLOSS_CACHE": str(self.folder / "cache"),
            "OMP_NUM_THREADS": "1",
        }

    def start(self, *arguments: str) -> subprocess.Popen:
        return subprocess.Popen(
            [sys.executable, "-m", "marginloss", *arguments],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def call(self, *arguments: str) -> tuple[int, str]:
        process = self.start(*arguments)
        output, _ = process.communicate(timeout=300)
        return process.returncode, output

    def edit(self, name: str, old: str, new: str) -> None:
        path = self.folder / name
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new), "utf-8")


@pytest.fixture(scope="module")
def small_book(tmp_path_factory):
    return SmallBook(tmp_path_factory.mktemp("book"))
