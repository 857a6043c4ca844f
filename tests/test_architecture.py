"""Imports point only to the left, those inside of functions too."""

from pathlib import Path

import pytest

from marginloss._closure import closure, read_module, targets

LIBRARY = Path(__file__).parents[1] / "lib"
ROOMS = ["datasets", "noise", "losses", "risk", "linear", "boosting", "interop", "theory", "companion"]
ROOT = {"__init__", "__main__", "_closure", "_compiled", "_norms", "_rows", "_validation"}


def name_of(path):
    parts = path.relative_to(LIBRARY).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in sorted(LIBRARY.rglob("*.py"))}


def imported(module):
    return targets(read_module(module, LIBRARY), "marginloss", LIBRARY) - {module}


def room(module):
    return module.partition(".")[2].partition(".")[0]


def test_the_root_holds_what_the_rooms_share():
    assert {path.stem for path in (LIBRARY / "marginloss").glob("*.py")} <= ROOT


@pytest.mark.parametrize("module", [module for module in MODULES if room(module) in ROOMS])
def test_imports_point_to_the_left(module):
    place = ROOMS.index(room(module))
    wrong = [other for other in imported(module) if room(other) in ROOMS and ROOMS.index(room(other)) > place]
    assert wrong == []


def test_nothing_at_the_root_imports_a_room():
    private = [f"marginloss.{name}" for name in ROOT if name.startswith("_") and not name.startswith("__")]
    present = [name for name in private if name in MODULES]
    assert [name for name in closure(present, LIBRARY) if room(name) in ROOMS] == []
