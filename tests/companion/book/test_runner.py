"""The runner executes what changed, keeps what did not, stops at an error and goes on after an interruption.

The tests of this file follow one small book through its life, in the order in which they are written.
"""

import json
import os
import re
import signal
import time


def result(book, name, scale="quick"):
    path = book.folder / "_build/results" / scale / f"{name}.json"
    return json.loads(path.read_text("utf-8")) if path.is_file() else None


def test_first_run_records_values_and_the_page_shows_them(small_book):
    status, output = small_book.call("run")
    assert status == 0, output
    assert "2 executed" in output and "01_first" in output
    assert result(small_book, "01_first")["values"] == {"largest": 2.0, "runs": 4}
    assert "foreign line" not in output, "what a process below a kernel prints is kept apart"
    status, output = small_book.call("build")
    assert status == 0, output
    page = (small_book.folder / "_build/html/chapters/01_first.html").read_text("utf-8")
    assert "2.0000" in page


def test_second_run_executes_nothing(small_book):
    before = result(small_book, "01_first")
    assert "0 executed" in small_book.call("run")[1]
    assert result(small_book, "01_first") == before


def test_other_scale_has_its_own_results(small_book):
    assert "1 executed" in small_book.call("run", "first", "--scale", "paper")[1]
    assert result(small_book, "01_first", "paper")["values"]["runs"] == 80
    assert result(small_book, "01_first")["values"]["runs"] == 4
    status, output = small_book.call("build", "--scale", "paper")
    assert status == 1 and "02_second" in output, "a chapter that was not run at this scale is named"


def test_words_execute_nothing(small_book):
    small_book.edit("chapters/01_first.md", "No example", "Not one example")
    small_book.edit("lib/marginloss/small.py", "At most 2.", "At most two.")
    small_book.edit("lib/marginloss/small.py", "import math", "import math  # for the exponential")
    assert "0 executed" in small_book.call("run")[1]


def test_changed_formula_executes_what_uses_it_and_changes_the_page(small_book):
    before = result(small_book, "02_second")
    small_book.edit("lib/marginloss/small.py", "return 2.0 /", "return 4.0 /")
    assert "1 executed" in small_book.call("run")[1]
    assert result(small_book, "01_first")["values"]["largest"] == 4.0
    assert result(small_book, "02_second") == before
    status, output = small_book.call("build")
    assert status == 0, output
    page = (small_book.folder / "_build/html/chapters/01_first.html").read_text("utf-8")
    assert "Not one example costs more than 4.0000" in re.sub("<[^>]*>", "", page)


def test_failing_cell_shows_its_traceback_and_stops(small_book):
    small_book.edit("chapters/02_second.md", "print('second')", "print('second'); 1 / 0")
    status, output = small_book.call("run", "second")
    assert status == 1
    assert "02_second failed in this cell" in output and "ZeroDivisionError" in output
    assert "multiprocessing" not in output, "the traceback is that of the cell, not that of the runner"
    assert result(small_book, "02_second")["values"] == {}, "the last good run is kept"
    small_book.edit("chapters/02_second.md", "; 1 / 0", "")


def test_unreadable_value_is_an_error(small_book):
    small_book.edit(
        "chapters/02_second.md",
        "print('second')",
        "from myst_nb import glue; glue('x', object())",
    )
    status, output = small_book.call("run", "second")
    assert status == 1
    assert "'x'" in output and "float(" in output


def test_killed_run_goes_on_where_it_stopped(small_book):
    flag = small_book.folder / "go"
    waits = f"import pathlib, time\nwhile not pathlib.Path({str(flag)!r}).exists():\n    time.sleep(0.1)"
    small_book.edit("chapters/02_second.md", "from myst_nb import glue; glue('x', object())", waits)
    small_book.edit("chapters/01_first.md", "scaled(quick=4", "1 * scaled(quick=4")
    old = result(small_book, "01_first")["digest"]
    process = small_book.start("run")
    deadline = time.monotonic() + 120
    while (result(small_book, "01_first") or {"digest": old})["digest"] == old:
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    flag.touch()
    status, output = small_book.call("run")
    assert status == 0, output
    assert "1 executed" in output and "1 unchanged" in output
    assert not list((small_book.folder / "_build/results/quick").glob(".*")), "no half-written file is left"


def test_try_leaves_the_book_alone(small_book):
    before = result(small_book, "01_first")
    status, output = small_book.call("try", "first", "-p", "margin=0.0")
    assert status == 0, output
    assert (small_book.folder / "_build/try/01_first.ipynb").is_file()
    assert "largest: 2.3529" in (small_book.folder / "_build/try/01_first.ipynb").read_text("utf-8")
    assert result(small_book, "01_first") == before


def test_removed_chapter_is_forgotten(small_book):
    small_book.edit("_toc.yml", "  - file: chapters/02_second\n", "")
    assert small_book.call("run")[0] == 0
    assert result(small_book, "02_second") is None
