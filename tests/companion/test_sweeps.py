"""Sweeps: pairing, cache, kill, equality over backends, bad input."""

from __future__ import annotations

import functools
import importlib
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest

from marginloss.companion import current_scale, folders, scaled, sweep, sweeps
from marginloss.companion.fingerprint import describe
from marginloss.losses import AlphaLoss


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MARGINLOSS_CACHE", str(tmp_path))
    monkeypatch.delenv("MARGINLOSS_JOBS", raising=False)
    return tmp_path


@pytest.fixture
def calls(own_cache):
    """What :func:`remember` was called with so far."""
    return lambda: [int(line) for line in (own_cache / "calls").read_text().split()]


def draw(scale, rng):
    return {"x": scale * rng.normal(), "n": int(rng.integers(10))}


def remember(value, rng):
    with Path(os.environ["MARGINLOSS_CACHE"], "calls").open("a") as file:
        file.write(f"{value}\n")
    return {"square": value**2}


def curve(n, rng):
    return [{"step": i, "x": float(rng.random())} for i in range(n)]


def test_runs_are_paired_and_rows_are_in_the_order_of_the_grid():
    table = sweep(draw, {"scale": [1.0, 2.0]}, seeds=3)
    assert table.columns.tolist() == ["scale", "run", "x", "n"]
    assert table.scale.tolist() == [1.0] * 3 + [2.0] * 3 and table.run.tolist() == [0, 1, 2] * 2
    one, two = (table[table.scale == scale].reset_index() for scale in (1.0, 2.0))
    assert (2 * one.x == two.x).all() and one.x.nunique() == 3


def test_run_i_gets_child_i_of_one_seed_sequence():
    children = np.random.SeedSequence(5).spawn(4)
    expected = [np.random.default_rng(child).normal() for child in children]
    assert sweep(draw, {"scale": [1.0]}, seeds=4, entropy=5).x.tolist() == expected


def test_more_points_and_runs_leave_the_others_unchanged():
    small = sweep(draw, {"scale": [2.0]}, seeds=2, cache=False)
    large = sweep(draw, {"scale": [1.0, 2.0, 3.0]}, seeds=5, cache=False)
    pd.testing.assert_frame_equal(large[(large.scale == 2.0) & (large.run < 2)].reset_index(drop=True), small)


def test_a_list_of_dicts_gives_a_row_each():
    table = sweep(curve, {"n": [1, 3]}, seeds=2)
    assert table.groupby(["n", "run"]).size().tolist() == [1, 1, 3, 3]


def test_two_names_make_a_product():
    table = sweep(lambda a, b, rng: {"sum": a + b}, {"a": [1, 2], "b": (10, 20)}, seeds=1, cache=False)
    assert table["sum"].tolist() == [11, 21, 12, 22]


def test_objects_can_be_values_of_the_grid():
    losses = [AlphaLoss(1), AlphaLoss(2)]
    table = sweep(lambda loss, rng: {"bound": loss.bound}, {"loss": losses}, seeds=1)
    assert table.loss.tolist() == losses and table.bound.tolist() == [math.inf, 2.0]


# ---------------------------------------------------------------------------------------------------------- the cache


def test_nothing_is_computed_twice_and_stored_results_are_identical(calls):
    first = sweep(remember, {"value": [1, 2]}, seeds=2)
    assert calls() == [1, 1, 2, 2]
    again = sweep(remember, {"value": [1, 2, 3]}, seeds=2)
    assert calls() == [1, 1, 2, 2, 3, 3]
    pd.testing.assert_frame_equal(again[again.value < 3], first)


def test_special_numbers_survive_the_cache():
    values = [math.nan, math.inf, -math.inf, 5e-324, 0.1 + 0.2, -0.0]

    def special(rng):
        return {f"v{i}": value for i, value in enumerate(values)} | {"flag": True, "big": 2**60}

    fresh, stored = sweep(special, {}, seeds=1), sweep(special, {}, seeds=1)
    pd.testing.assert_frame_equal(fresh, stored, check_exact=True)
    assert math.copysign(1, stored.v5[0]) == -1 and stored.big[0] == 2**60


def test_old_code_stores_nothing_under_an_edited_source(monkeypatch, own_cache):
    monkeypatch.setattr(sweeps, "library_digest", lambda: "edited")
    with pytest.warns(UserWarning, match="has changed since it was imported"):
        sweep(remember, {"value": [1]}, seeds=1)
    assert not list(own_cache.rglob("*.json"))


def test_another_entropy_is_a_new_question():
    assert sweep(draw, {"scale": [1.0]}, 1).x[0] != sweep(draw, {"scale": [1.0]}, 1, entropy=1).x[0]


def test_other_source_is_a_new_question(tmp_path):
    results = []
    for body in ("value", "value + 1"):
        file = tmp_path / "changing.py"
        file.write_text(f"def function(value, rng):\n    return {{'x': {body}}}\n")
        code = (
            "import sys; sys.path.insert(0, sys.argv[1]); from changing import function;"
            "from marginloss.companion import sweep; print(sweep(function, {'value': [1]}, 1).x[0])"
        )
        done = subprocess.run(
            [sys.executable, "-B", "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
        )
        results.append(int(done.stdout))
    assert results == [1, 2]


HELPERS = {
    "attribute": ("import helper", "def function(rng):\n    return {'x': helper.f()}"),
    "constant": ("import helper", "def function(rng):\n    return {'x': helper.CONST}"),
    "local import": ("", "def function(rng):\n    from helper import f\n    return {'x': f()}"),
    "local module": ("", "def function(rng):\n    import helper\n    return {'x': helper.f()}"),
    "import of an import": ("import between", "def function(rng):\n    return {'x': between.g()}"),
    "base class": ("from derived import Derived", "def function(rng):\n    return {'x': Derived().f()}"),
    "method": ("from derived import Derived", "def function(rng):\n    return {'x': Derived().g()}"),
    "package": ("from parcel import inside", "def function(rng):\n    return {'x': inside.h()}"),
}
MODULES = {
    "helper.py": "CONST = {n}\n\ndef f():\n    return {n}\n\nclass Base:\n    def f(self):\n        return {n}\n",
    "between.py": "from helper import f\n\ndef g():\n    return f()\n",
    "derived.py": "import helper\n\nclass Derived(helper.Base):\n    def g(self):\n        return helper.CONST\n",
    "parcel/__init__.py": "",
    "parcel/inside.py": "def h():\n    from . import deep\n    return deep.CONST\n",
    "parcel/deep.py": "CONST = {n}\n",
}


@pytest.mark.parametrize("how", HELPERS)
def test_what_the_users_own_modules_hold_is_part_of_the_question(how, tmp_path, monkeypatch):
    head, function = HELPERS[how]
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (tmp_path / "parcel").mkdir()
    (tmp_path / "asking.py").write_text(f"{head}\n\n{function}\n")
    texts, results = [], []
    for n in (1, 1, 2):
        for name, text in MODULES.items():
            (tmp_path / name).write_text(text.replace("{n}", str(n)))
        for name in ("asking", *(name.removesuffix(".py").replace("/", ".") for name in MODULES), "parcel"):
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        asked = importlib.import_module("asking").function
        texts.append(describe(asked, "function"))
        results.append(asked(None)["x"])
    assert results == [1, 1, 2]
    assert texts[0] == texts[1] != texts[2]


@pytest.mark.parametrize("how", ["closure", "global", "partial", "default"])
def test_what_a_function_reads_from_outside_is_part_of_the_question(how, monkeypatch):
    results = []
    for extra in (1, 2):
        if how == "closure":

            def function(rng):
                return {"x": extra}  # noqa: B023
        elif how == "global":
            monkeypatch.setitem(globals(), "OUTSIDE", extra)
            function = reads_a_global
        elif how == "partial":
            function = functools.partial(draw_constant, constant=extra)
        else:

            def function(rng, constant=extra):
                return {"x": constant}

        results.append(int(sweep(function, {}, seeds=1).x[0]))
    assert results == [1, 2]


OUTSIDE = 0


def reads_a_global(rng):
    return {"x": OUTSIDE}


def draw_constant(rng, constant):
    return {"x": constant}


def test_two_lambdas_on_one_line_are_two_questions():
    one, two = (lambda rng: {"x": 1}), (lambda rng: {"x": 2})
    assert sweep(one, {}, 1).x[0] == 1 and sweep(two, {}, 1).x[0] == 2


def test_a_broken_file_is_computed_again(own_cache, calls):
    first = sweep(remember, {"value": [1]}, seeds=1)
    (file,) = own_cache.rglob("*.json")
    file.write_text(file.read_text()[:-3])
    pd.testing.assert_frame_equal(sweep(remember, {"value": [1]}, seeds=1), first)
    assert calls() == [1, 1]


@pytest.mark.parametrize(
    "rubbish",
    [
        b"[]",
        b"{}",
        b"null",
        b"\xff\xfe",
        b'[{"value": 7, "square": 1}]',
        b'[{"square": "1"}]',
        b'[{"run": 3}]',
        b"[[1]]",
    ],
)
def test_rubbish_in_the_cache_is_computed_again(own_cache, calls, rubbish):
    first = sweep(remember, {"value": [1]}, seeds=1)
    (file,) = own_cache.rglob("*.json")
    file.write_bytes(rubbish)
    pd.testing.assert_frame_equal(sweep(remember, {"value": [1]}, seeds=1), first)
    assert calls() == [1, 1]


def test_a_full_disk_costs_the_file_and_not_the_result(own_cache, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.warns(RuntimeWarning, match="a result is not kept: .*No space left"):
        assert sweep(draw, {"scale": [0.0]}, seeds=1).x.tolist() == [0.0]
    assert not [path for path in own_cache.rglob("*") if path.is_file()]


def test_installed_it_keeps_results_in_the_users_cache_and_not_in_the_current_folder(tmp_path, monkeypatch):
    installed = tmp_path / "site-packages" / "marginloss" / "companion" / "folders.py"
    monkeypatch.setattr(folders, "__file__", str(installed))
    monkeypatch.chdir(tmp_path)
    assert folders.build_folder() == tmp_path  # MARGINLOSS_CACHE
    monkeypatch.delenv("MARGINLOSS_CACHE")
    assert tmp_path not in folders.build_folder().parents


def test_without_cache_nothing_is_kept(own_cache):
    sweep(remember, {"value": [1]}, seeds=1, cache=False)
    assert not list(own_cache.rglob("*.json"))


# ---------------------------------------------------------------------------------------------------------------- kill

VICTIM = """
import os, time
from pathlib import Path
import joblib
from marginloss.companion import sweep

def slow(value, rng):
    time.sleep(0.01)
    Path(os.environ["STARTED"], f"{value}-{rng.integers(2**60)}").touch()
    return {"x": float(rng.normal()), "text": 1.0 * value}

if __name__ == "__main__":
    print("ready", flush=True)
    with joblib.parallel_config(backend=os.environ["BACKEND"]):
        sweep(slow, {"value": range(40)}, seeds=4, n_jobs=2)
    print("done", flush=True)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL on this system")
@pytest.mark.parametrize(("backend", "kills"), [("threading", 3), ("loky", 2)])
def test_killed_at_any_moment_it_loses_nothing(tmp_path, backend, kills):
    """After kills at different moments all that was finished is there, and only the rest is computed."""
    script, started = tmp_path / "victim.py", tmp_path / "started"
    started.mkdir()
    script.write_text(VICTIM)
    environment = os.environ | {
        "MARGINLOSS_CACHE": str(tmp_path / "cache"),
        "STARTED": str(started),
        "BACKEND": backend,
    }
    kept = 0
    for attempt in range(kills):
        with subprocess.Popen(
            [sys.executable, str(script)],
            env=environment,
            stdout=subprocess.PIPE,
            start_new_session=True,  # a group of its own, so that workers die with their parent
        ) as process:
            assert process.stdout.readline() == b"ready\n"
            target = kept + 5 + 3 * attempt
            while len(list((tmp_path / "cache").rglob("*.json"))) < target and process.poll() is None:
                time.sleep(0.003)
            os.killpg(process.pid, signal.SIGKILL)
        files = list((tmp_path / "cache").rglob("*.json"))
        assert len(files) >= target, "the sweep did not get on"
        assert all(sweeps._load(file, {}) is not None for file in files), "a broken file"
        assert len(files) >= kept, "a finished task was lost"
        kept = len(files)
    computed = len(list(started.iterdir()))
    final = subprocess.run([sys.executable, str(script)], env=environment, capture_output=True, text=True, check=True)
    assert final.stdout == "ready\ndone\n"
    # the last run did only what was missing
    assert len(list(started.iterdir())) <= 160 and 160 - kept >= len(list(started.iterdir())) - computed
    assert len(list((tmp_path / "cache").rglob("*.json"))) == 160


# ------------------------------------------------------------------------------------------------------------ backends


def chaotic(a, rng):
    """Digits that would show any difference in order or state."""
    x = rng.random(50)
    for _ in range(30):
        x = a * x * (1 - x)
    return {"x": float(x.sum()), "y": float(np.random.default_rng(rng.integers(2**40)).normal())}


def run_chaotic(**options):
    return sweep(chaotic, {"a": [3.7, 3.9, 3.99]}, seeds=6, cache=False, **options)


def test_serial_threads_and_processes_agree_to_the_bit():
    serial = run_chaotic(n_jobs=1)
    for backend in ("threading", "loky"):
        with joblib.parallel_config(backend=backend):
            pd.testing.assert_frame_equal(run_chaotic(n_jobs=2), serial, check_exact=True)


@pytest.mark.cluster
def test_dask_agrees_to_the_bit(own_cache):
    distributed = pytest.importorskip("distributed", reason="needs the extra 'cluster'")
    serial = run_chaotic(n_jobs=1)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config(backend="dask"),
    ):
        pd.testing.assert_frame_equal(run_chaotic(), serial, check_exact=True)
        pd.testing.assert_frame_equal(sweep(chaotic, {"a": [3.7, 3.9, 3.99]}, seeds=6), serial, check_exact=True)
    assert len(list(own_cache.rglob("*.json"))) == 18


def test_jobs_come_from_the_environment(monkeypatch):
    seen = []
    original = joblib.Parallel
    monkeypatch.setattr(joblib, "Parallel", lambda n_jobs, **options: seen.append(n_jobs) or original(1, **options))
    monkeypatch.setenv("MARGINLOSS_JOBS", "3")
    sweep(draw, {"scale": [1.0]}, 1)
    sweep(draw, {"scale": [1.0]}, 1, n_jobs=2)
    monkeypatch.delenv("MARGINLOSS_JOBS")
    sweep(draw, {"scale": [1.0]}, 1)
    assert seen == [3, 2, None]
    monkeypatch.setenv("MARGINLOSS_JOBS", "many")
    with pytest.raises(ValueError, match="MARGINLOSS_JOBS must be a whole number, got 'many'"):
        sweep(draw, {"scale": [1.0]}, 1)


# ----------------------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("result", "error", "message"),
    [
        ({"x": "one"}, TypeError, r"bad\(value=1\), run 0: x must be a number, got str 'one'"),
        ({"x": None}, TypeError, "x must be a number, got NoneType"),
        ({"x": 1j}, TypeError, "x must be a number, got complex"),
        ({"x": np.arange(3)}, TypeError, "x must be a number, got ndarray"),
        ([1, 2], TypeError, "must return a dict of numbers or a list of them, got int"),
        (3.0, TypeError, "must return a dict of numbers or a list of them, got float"),
        (None, TypeError, "must return a dict of numbers or a list of them, got NoneType"),
        ({"value": 1}, ValueError, "'value' cannot be the name of a result"),
        ({"run": 1}, ValueError, "'run' cannot be the name of a result"),
    ],
)
def test_results_that_are_no_numbers_are_refused(result, error, message, own_cache):
    def bad(value, rng):
        return result

    bad.__qualname__ = "bad"
    with pytest.raises(error, match=message):
        sweep(bad, {"value": [1]}, seeds=1, cache=False)
    assert not list(own_cache.rglob("*.json"))


@pytest.mark.parametrize(
    ("grid", "seeds", "message"),
    [
        ({"scale": 1.0}, 1, "grid of draw: scale must be a list of values, got 1.0"),
        ({"scale": "abc"}, 1, "grid of draw: scale must be a list of values, got 'abc'"),
        ({"scale": []}, 1, "grid of draw: scale has no values"),
        ({"rng": [1]}, 1, "grid of draw: 'rng' cannot be the name of an argument"),
        ({"scale": [1.0]}, 0, "seeds must be a whole number of at least 1, got 0"),
        ({"scale": [1.0]}, 2.5, "seeds must be a whole number of at least 1, got 2.5"),
    ],
)
def test_bad_arguments_are_named(grid, seeds, message):
    with pytest.raises(ValueError, match=message):
        sweep(draw, grid, seeds)


def test_an_error_in_the_function_says_where():
    def fails(value, rng):
        raise RuntimeError("no luck")

    with pytest.raises(RuntimeError, match="no luck") as caught:
        sweep(fails, {"value": [7]}, seeds=1, cache=False)
    assert "fails(value=7), run 0" in caught.value.__notes__[0]


def test_a_function_without_source_is_refused_unless_nothing_is_kept():
    names: dict[str, object] = {}
    exec("def unseen(rng):\n    return {'x': 1}", names)
    with pytest.raises(TypeError, match=r"the source of unseen cannot be read.*cache=False"):
        sweep(names["unseen"], {}, seeds=1)
    assert sweep(names["unseen"], {}, seeds=1, cache=False).x[0] == 1


def test_an_argument_that_cannot_be_described_is_refused():
    with pytest.raises(TypeError, match="grid: object cannot be part of the key of stored results"):
        sweep(lambda thing, rng: {"x": 1}, {"thing": [object()]}, seeds=1)


# --------------------------------------------------------------------------------------------------------------- scale


def test_scaled_reads_the_environment(monkeypatch):
    for scale, value in (("quick", 4), ("paper", 80)):
        monkeypatch.setenv("MARGINLOSS_SCALE", scale)
        assert scaled(quick=4, paper=80) == value
    monkeypatch.delenv("MARGINLOSS_SCALE")
    assert current_scale() == "quick"
    monkeypatch.setenv("MARGINLOSS_SCALE", "huge")
    with pytest.raises(ValueError, match="MARGINLOSS_SCALE must be one of quick, paper, got 'huge'"):
        scaled(quick=4, paper=80)


def test_overhead(own_cache):
    """Below 1 ms a task on an idle machine; the bound leaves room for a busy one."""

    def nothing(value, rng):
        return {"x": value}

    sweep(nothing, {"value": range(5)}, seeds=1)  # digest of the library, imports
    started = time.process_time()
    sweep(nothing, {"value": range(1000)}, seeds=1)
    assert (time.process_time() - started) / 1000 < 1e-3
    assert Path(own_cache).exists()
