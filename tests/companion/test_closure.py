"""The digest of a closure changes with the code that a module reaches, and with nothing else."""

import pytest

from marginloss.companion.closure import closure, closure_digest

USED = '''"""Module."""
from math import exp


def formula(x):
    """Docstring."""
    return 2 * exp(x)
'''
USER = """from toy.room import formula


def late():
    from toy.lazy import VALUE

    return formula(VALUE)
"""
FILES = {
    "toy/__init__.py": "",
    "toy/room/__init__.py": "from toy.room.used import formula\nfrom toy.room.other import thing\n",
    "toy/room/used.py": USED,
    "toy/room/other.py": "def thing():\n    return 1\n",
    "toy/lazy.py": "VALUE = 3\n",
    "toy/user.py": USER,
    "toy/whole.py": "from toy import room\n\nprint(room.formula(1))\n",
}


@pytest.fixture
def toy(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def edited(toy, name, old, new):
    before = closure_digest("toy.user", folder=toy)
    text = (toy / name).read_text()
    assert old in text
    (toy / name).write_text(text.replace(old, new))
    return closure_digest("toy.user", folder=toy) != before


def test_reach_goes_through_a_room_to_the_definition_and_into_functions(toy):
    assert closure(["toy.user"], toy) == ["toy.lazy", "toy.room.used", "toy.user"]


def test_room_imported_as_a_whole_reaches_what_is_read_from_it(toy):
    assert closure(["toy.whole"], toy) == ["toy.room.used", "toy.whole"]


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("toy/room/used.py", "2 * exp", "3 * exp"),
        ("toy/lazy.py", "VALUE = 3", "VALUE = 3.0"),
        ("toy/user.py", "formula(VALUE)", "formula(-VALUE)"),
        ("toy/room/__init__.py", "toy.room.used import formula", "toy.room.other import thing as formula"),
    ],
)
def test_edit_of_what_is_reached_counts(toy, name, old, new):
    assert edited(toy, name, old, new)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("toy/room/used.py", "Docstring.", "Another one."),
        ("toy/room/used.py", "Module.", "A module."),
        ("toy/room/used.py", "return 2 * exp(x)", "return 2 * exp(\n        x  # the margin\n    )"),
        ("toy/room/other.py", "return 1", "return 2"),
        ("toy/room/__init__.py", "from toy.room.other import thing\n", ""),
        ("toy/whole.py", "room", "rooms"),
    ],
)
def test_edit_of_words_or_of_other_code_does_not_count(toy, name, old, new):
    assert not edited(toy, name, old, new)


def test_slices_are_told_apart(toy):
    assert edited(toy, "toy/lazy.py", "VALUE = 3", "VALUE = [1, 2][1:]")
    assert edited(toy, "toy/lazy.py", "[1:]", "[:1]")


def test_library_reaches_what_it_imports():
    reached = closure(["marginloss.linear"])
    assert "marginloss.losses.base" in reached
    assert not [name for name in reached if name.startswith(("marginloss.interop", "marginloss.companion"))]


def test_room_that_lists_its_own_modules(toy):
    (toy / "toy/room/__init__.py").write_text("from toy.room import used\n")
    (toy / "toy/user.py").write_text("from toy.room import used\n")
    assert closure(["toy.user"], toy) == ["toy.room.used", "toy.user"]
