"""The door to the compiler: quick imports, code kept on disk by what it was made of, trouble with disks."""

import os
import subprocess
import sys

import pytest

OUTER = """from marginloss._compiled import kernel
from inner import twice

@kernel
def outer(x):
    return twice(x) + 1
"""
INNER = "from marginloss._compiled import helper\n@helper\ndef twice(x):\n    return {} * x\n"
CALL = "import warnings; warnings.simplefilter('always'); from outer import outer; print(outer(3.0))"


def run(code, folder, **environment):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "kept"), **environment}
    environment["PYTHONPATH"] = os.pathsep.join([str(folder), *sys.path])
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture
def modules(tmp_path):
    (tmp_path / "inner.py").write_text(INNER.format("2.0"))
    (tmp_path / "outer.py").write_text(OUTER)
    return tmp_path


def files(folder):
    return {path: path.stat().st_mtime_ns for path in (folder / "kept").rglob("*.nb*")}


def test_importing_the_boosters_does_not_import_the_compiler(tmp_path):
    assert run("import marginloss.boosting, sys; print('numba' in sys.modules)", tmp_path).stdout == "False\n"


def test_an_edit_in_a_called_file_is_seen_and_one_of_comments_changes_nothing(modules):
    assert run(CALL, modules).stdout == "7.0\n"
    before = files(modules)
    (modules / "inner.py").write_text(INNER.format("2.0") + "# a comment\n")
    assert run(CALL, modules).stdout == "7.0\n" and files(modules) == before != {}
    (modules / "inner.py").write_text(INNER.format("5.0"))
    assert run(CALL, modules).stdout == "16.0\n"


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_damaged_files_cost_one_warning_and_are_replaced(modules, ending):
    run(CALL, modules)
    for path in files(modules):
        if path.suffix == f".{ending}":
            path.write_bytes(path.read_bytes()[:20])
    damaged, after = run(CALL, modules), run(CALL, modules)
    assert damaged.stdout == after.stdout == "7.0\n"
    assert damaged.stderr.count("cannot be kept on disk") == 1 and not after.stderr


def test_without_a_writable_place_there_is_one_warning(modules):
    (modules / "kept").write_text("a file, not a folder")
    done = run(CALL, modules, NUMBA_CACHE_LOCATOR_CLASSES="UserProvidedCacheLocator")  # not beside the source either
    assert done.stdout == "7.0\n" and done.stderr.count("cannot be kept on disk") == 1


def test_a_full_disk_costs_one_warning(modules):
    full = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    full += "resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))\n"
    done = run(full + CALL, modules)
    assert done.stdout == "7.0\n" and done.stderr.count("cannot be kept on disk") == 1
