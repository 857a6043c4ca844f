"""The walk from one example to its verdict is the order in which the functions are called."""

import re
import sys
from pathlib import Path

import numpy as np

from marginloss.companion import exhibits
from marginloss.companion.experiments.sypherd2023.boosting import long_servedio_against_rounds

ROOT = Path(__file__).parents[2]
LINES = (ROOT / "docs" / "follow_one_example.md").read_text("utf-8").splitlines()
STEPS = [found.groups() for line in LINES if (found := re.match(r"\d+\. `([\w/.]+)`: `(?:\w+\.)?(\w+)`", line))]


def test_the_walk_has_few_files_and_none_twice():
    files = [file for file, _ in STEPS]
    assert 10 <= len(files) == len(set(files)) <= 22


def test_functions_are_called_in_the_order_of_the_walk():
    settings = (1, 2), "line", (2.0,), 50, 50
    long_servedio_against_rounds(0.1, np.random.default_rng(0), *settings)  # compiles, which would take long in a trace
    seen = []

    def note(frame, event, _):
        if event == "call":
            seen.append((Path(frame.f_code.co_filename), frame.f_code.co_name))

    sys.setprofile(note)
    try:
        long_servedio_against_rounds(0.1, np.random.default_rng(0), *settings)
    finally:
        sys.setprofile(None)
    *called, (file, last) = STEPS
    places = [seen.index((ROOT / "lib" / "marginloss" / path, name)) for path, name in called]
    assert places == sorted(places)
    assert (file, last) == ("companion/exhibits.py", exhibits.record.__name__)
