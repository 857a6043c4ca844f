"""Imports point only to the left, those inside of functions too, and no module reaches itself."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from marginloss.companion.closure import closure, read_module, targets

LIBRARY = Path(__file__).parents[1] / "lib"
ROOMS = ["datasets", "noise", "losses", "risk", "linear", "boosting", "interop", "theory", "companion"]
ROOT = {"__init__", "__main__", "_compiled", "_norms", "_rows", "_validation"}
LATE = {("companion.book.execute", "companion.book.kernels"): "kernels need Jupyter, which is an extra"}


def name_of(path):
    parts = path.relative_to(LIBRARY).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in sorted(LIBRARY.rglob("*.py"))}


def imported(module):
    return targets(read_module(module, LIBRARY), "marginloss", LIBRARY) - {module}


def room(module):
    return module.partition(".")[2].partition(".")[0]


def late_imports(module):
    """Modules of ours that a module imports inside of functions."""
    tree = ast.parse(MODULES[module].read_text("utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    nodes = [node for function in functions for node in ast.walk(function)]
    taken = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    taken |= {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return {name for name in taken if name.partition(".")[0] == "marginloss"}


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


def test_no_module_reaches_itself():
    # an import of a name leads to the module that defines it, so rooms that only pass names on are left out
    plain = {module for module, path in MODULES.items() if path.name != "__init__.py"}
    TopologicalSorter({module: imported(module) & plain for module in plain}).prepare()


def test_late_imports_of_our_own_have_a_reason():
    late = {(module, other) for module in MODULES for other in late_imports(module)}
    assert late == {(f"marginloss.{module}", f"marginloss.{other}") for module, other in LATE}
    assert len(LATE) <= 8 and all(LATE.values())
