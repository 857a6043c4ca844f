"""The walk of docs/follow_one_example.md is the way that the code goes."""

import re
import sys
from pathlib import Path

import numpy as np

import marginloss
from marginloss.companion import record, status
from marginloss.companion.experiments.sypherd2023.boosting import long_servedio_against_rounds

PAGE = Path(__file__).parents[2] / "docs" / "follow_one_example.md"
LIBRARY = Path(marginloss.__file__).parent


def walk() -> list[tuple[str, str]]:
    """Steps of the page: the file and the function that each begins with."""
    return re.findall(r"^\d+\. `([\w/]+\.py)`: `([\w.]+)`", PAGE.read_text("utf-8"), flags=re.M)


def run() -> None:
    # no compiled loop serves this step
    settings = {"checkpoints": (1, 5), "alphas": (2.0,), "m": 100, "m_test": 100, "step": "line"}
    long_servedio_against_rounds(0.1, np.random.default_rng(0), **settings)
    record("sypherd2023:fig-5", gain=0.25)
    status("sypherd2023", "quick")


def called() -> list[tuple[str, str]]:
    """Functions of the library that the run calls, by file and name, in the order of their first calls."""
    found: dict[tuple[str, str], None] = {}

    def note(frame, event, argument):
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(LIBRARY):
            found.setdefault((path.relative_to(LIBRARY).as_posix(), frame.f_code.co_qualname))

    run()  # compiles what is to be compiled
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(before)
    return list(found)


def test_the_walk_goes_the_way_of_the_code_without_turning_back():
    steps, calls = walk(), called()
    files = [file for file, _ in steps]
    assert len(steps) > 10 and len(set(files)) == len(files)
    assert [step for step in steps if step not in calls] == []
    assert sorted(steps, key=calls.index) == steps
    assert len({file for file, _ in calls}) <= 22


def test_every_function_of_the_walk_is_defined_in_its_file():
    for file, name in walk():
        assert re.search(rf"^\s*def {name.split('.')[-1]}\(", (LIBRARY / file).read_text("utf-8"), flags=re.M), name
