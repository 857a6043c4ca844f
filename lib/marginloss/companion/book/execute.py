"""Executing one chapter, in a process of its own."""

from __future__ import annotations

import ast
import copy
import logging
import os
import time
from pathlib import Path
from typing import Any

from marginloss._validation import check_name
from marginloss.companion.book.layout import Chapter
from marginloss.companion.book.notebooks import readable
from marginloss.companion.folders import build_folder
from marginloss.companion.glueing import RECORDING
from marginloss.companion.results import Result, glued_values, write_atomically

# the first removes a line of every kernel about its transport
KERNEL = {
    "kernel_name": "python3",
    "progress_bar": False,
    # numbers that a cell shows have no type around them
    "extra_arguments": [
        "--IPKernelApp.log_level=50",
        "--IPKernelApp.exec_lines=import numpy; numpy.set_printoptions(legacy='1.25'); del numpy",
        # and a warning has no path of this machine in front of it
        "--IPKernelApp.exec_lines=import warnings; "
        "warnings.formatwarning = lambda message, kind, *_: f'{kind.__name__}: {message}\\n'; del warnings",
    ],
}
CELL_TIMEOUT = 1800  # a cell that hangs fails instead of blocking for ever


class ChapterError(Exception):
    """A chapter that did not run to its end; the message is the traceback of the cell."""


def kernel_environment(scale: str, jobs: int) -> dict[str, str]:
    """Environment variables for kernels: scale, jobs, one BLAS thread, figures in the page."""
    return {
        "MARGINLOSS_SCALE": scale,
        "MARGINLOSS_JOBS": str(jobs),
        RECORDING: "1",
        "OMP_NUM_THREADS": "1",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",  # a warm kernel imports Matplotlib before it starts
    }


def execute(path: Path, digest: str, environment: dict[str, str]) -> Result:
    """Execute a chapter as it is and store its notebook and its values.

    The stored notebook is the source with outputs added: papermill's own carries metadata that would hide it from
    the execution cache of the book.
    """
    chapter, scale = Chapter(path), environment["MARGINLOSS_SCALE"]
    source = chapter.read()
    started = time.perf_counter()
    done = _papermill(source, chapter, environment)
    seconds = time.perf_counter() - started
    with_outputs(source, done)
    try:
        values = glued_values(chapter.name, source)
    except ValueError as error:
        raise ChapterError(str(error)) from None
    result = Result(chapter.name, scale, digest, round(seconds, 2), values)
    # the old record goes first: killed between the two writes, no record vouches for the wrong notebook
    chapter.result(scale).unlink(missing_ok=True)
    write_atomically(chapter.notebook(scale), _text(source))
    result.write(chapter.result(scale))
    return result


def with_outputs(source: Any, done: Any) -> Any:
    """A notebook with the outputs of one that was executed; their words and comments may differ."""
    codes = [[cell for cell in notebook.cells if cell.cell_type == "code"] for notebook in (source, done)]
    for cell, ran in zip(*codes, strict=True):
        cell.outputs, cell.execution_count = ran.outputs, ran.execution_count
    return source


def execute_copy(chapter: Chapter, parameters: dict[str, Any], environment: dict[str, str]) -> Path:
    """Execute a copy with other parameters; the book does not see it."""
    notebook = chapter.read()
    known = _parameter_names(notebook)
    for name in parameters:
        check_name(f"parameter of {chapter.name}", name, known)
    done = _papermill(notebook, chapter, environment, parameters)
    target = build_folder() / "try" / f"{chapter.name}.ipynb"
    write_atomically(target, _text(readable(done, glued_values(chapter.name, done))))
    return target


def _papermill(notebook: Any, chapter: Chapter, environment: dict[str, str], parameters: Any = None) -> Any:
    import papermill
    from papermill.exceptions import PapermillExecutionError

    from marginloss.companion.book.kernels import kernel_manager

    os.environ.update(environment)  # kernels inherit it
    logging.getLogger("papermill").setLevel(logging.ERROR)  # it warns of parameter cells that it cannot parse; we can
    try:
        return papermill.execute_notebook(
            copy.deepcopy(notebook),
            None,
            parameters=parameters,
            cwd=str(chapter.path.parent),
            execution_timeout=CELL_TIMEOUT,
            kernel_manager_class=kernel_manager(),
            **KERNEL,
        )
    except PapermillExecutionError as error:
        raise ChapterError(f"{chapter.name} failed in this cell:\n\n{error.source}\n{error}") from None


def _parameter_names(notebook: Any) -> list[str]:
    """Names assigned in the cells tagged ``parameters``."""
    tagged = [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])]
    trees = [node for cell in tagged for node in ast.walk(ast.parse(cell.source))]
    return [node.id for node in trees if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]


def _text(notebook: Any) -> str:
    import nbformat

    return nbformat.writes(notebook)
