"""Running the chapters that need it, one per core, with progress, and going on where a run was interrupted."""

from __future__ import annotations

import os
from collections.abc import Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context
from pathlib import Path

from tqdm import tqdm

from marginloss._validation import check_name
from marginloss.companion.book.execute import execute, kernel_environment
from marginloss.companion.book.layout import Chapter, chapters
from marginloss.companion.folders import build_folder
from marginloss.companion.results import Result
from marginloss.companion.scale import SCALES


def outdated(wanted: Iterable[Chapter], scale: str) -> dict[Chapter, str]:
    """Chapters whose stored run is missing or belongs to another state of things, with their digests now."""
    digests = {chapter: chapter.digest(scale) for chapter in wanted}
    return {chapter: digest for chapter, digest in digests.items() if not _is_current(chapter, digest, scale)}


def run(wanted: Iterable[Chapter], scale: str, workers: int | None = None) -> list[Result]:
    """Execute what is outdated among ``wanted`` and return the new results.

    Each chapter is stored by the process that ran it as soon as it is done, so an interrupted run loses nothing that
    was finished. The first failure stops the run with ``ChapterError``.
    """
    check_name("scale", scale, SCALES)
    _forget_removed(scale)
    todo = outdated(wanted, scale)
    if not todo:
        return []
    cores = os.cpu_count() or 1
    workers = min(workers or cores, len(todo))
    # at paper scale a chapter can outlast all others: its sweeps then use the cores that these have left
    environment = kernel_environment(scale, jobs=cores if scale == "paper" else max(1, cores // workers))
    log = build_folder() / "runs" / f"{scale}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.unlink(missing_ok=True)
    # the longest first, so that none of them starts when all others have ended; those never run could be long
    waiting = sorted(todo, key=lambda chapter: _last_seconds(chapter, scale))
    running: dict[Future[Result], Chapter] = {}
    done: list[Result] = []
    # spawn: a forked child would inherit the threads of whoever calls this
    with (
        ProcessPoolExecutor(workers, get_context("spawn"), _speak_into, (log,)) as pool,
        tqdm(total=len(todo), unit="chapter", disable=None) as bar,
    ):
        while waiting or running:
            while waiting and len(running) < workers:
                chapter = waiting.pop()
                running[pool.submit(execute, chapter.path, todo[chapter], environment)] = chapter
            bar.set_description(", ".join(chapter.name for chapter in running.values()))
            for future in wait(running, timeout=1, return_when=FIRST_COMPLETED).done:
                del running[future]
                result = future.result()
                done.append(result)
                tqdm.write(f"  {result.chapter:<28} {result.seconds:6.1f} s")
                bar.update()
    return done


def _speak_into(log: Path) -> None:
    """What libraries print past Python, here and in the kernels to come, goes into a file and not into the progress."""
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(file, 1)
    os.dup2(file, 2)


def _is_current(chapter: Chapter, digest: str, scale: str) -> bool:
    result = Result.read(chapter.result(scale))
    return result is not None and result.digest == digest and chapter.notebook(scale).is_file()


def _last_seconds(chapter: Chapter, scale: str) -> float:
    result = Result.read(chapter.result(scale))
    return float("inf") if result is None else result.seconds


def _forget_removed(scale: str) -> None:
    """Remove what chapters left that are no longer in the book."""
    names = {chapter.name for chapter in chapters()}
    for kind in ("runs", "results"):
        for path in (build_folder() / kind / scale).glob("[!.]*.*"):
            if path.stem not in names:
                path.unlink()
