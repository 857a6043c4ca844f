"""The kernels of the live figures: the page has the bits of this process, and knows when it cannot have them."""

import base64
import json
import os
import subprocess
import sys

import numpy as np
import pytest

from marginloss.companion.live.figure import KERNELS, LiveFigure, module
from marginloss.companion.live.kernels import FIGURES
from marginloss.companion.live.link import KernelError, imports
from marginloss.companion.live.lower import ENVIRONMENT, EXPECTED, compile_kernels

# the same kernels with the freedom of fast-math, which no two processors use alike
FAST = """
import sys
from marginloss._compiled import Kernel
from marginloss.companion.live import kernels, lower
for module in list(sys.modules.values()):
    for value in list(vars(module).values()) if module.__name__.startswith("marginloss") else ():
        if isinstance(value, Kernel):
            value.options["fastmath"] = True
lower._main("marginloss.companion.live.kernels:FIGURES", "poison")
"""


def compared(calls, figure, page):
    """Whether a page and this process leave the same bytes in all arrays, for each call."""
    for name, arguments in calls:
        there = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
        result = FIGURES[figure][name][0](*arguments)
        same = page.call(name, there) == result
        arrays = [(a, b) for a, b in zip(arguments, there, strict=True) if isinstance(a, np.ndarray)]
        yield name, same and all(a.tobytes() == b.tobytes() for a, b in arrays)


@pytest.mark.parametrize("figure", FIGURES)
def test_a_page_has_the_bits_of_this_process(figure, settings, engine):
    found = list(compared(settings(figure), figure, engine(*module(figure))))
    assert len(found) >= 100
    assert [name for name, same in found if not same] == []


def test_fast_math_would_be_noticed(settings, engine):
    command = [sys.executable, "-W", "ignore", "-c", FAST]
    run = subprocess.run(command, env=os.environ | ENVIRONMENT, stdout=subprocess.PIPE, check=True)
    code, about = json.loads(run.stdout)["poison"]
    page = engine(base64.b64decode(code), about)
    assert not all(same for _, same in compared(settings("poison"), "poison", page))


@pytest.mark.parametrize("figure", FIGURES)
def test_a_page_supplies_what_its_kernels_import(figure):
    assert imports(module(figure)[0]) <= EXPECTED


def test_two_builds_give_the_same_bytes():
    assert compile_kernels(KERNELS, "poison")["poison"] == module("poison")


def test_a_kernel_that_calls_a_stranger_is_named(tmp_path, monkeypatch):
    (tmp_path / "strange.py").write_text(
        "import math\n"
        "from marginloss._compiled import kernel\n"
        "@kernel\ndef plain(x):\n    return x + 1.0\n"
        "@kernel\ndef libm(x):\n    return math.erf(x)\n"
        "TABLE = {'a': {'plain': (plain, 'float64(float64)'), 'libm': (libm, 'float64(float64)')}}\n"
    )
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    with pytest.raises(KernelError, match="kernel 'libm' calls erf"):
        compile_kernels("strange:TABLE")


def test_an_unknown_numba_leaves_the_picture_and_says_why(monkeypatch, tmp_path):
    plt = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.setattr("numba.__version__", "0.99.0")
    from marginloss.companion.live import lower

    with pytest.raises(KernelError, match=r"numba 0\.99\.0 is not known"):
        lower.lower({})
    monkeypatch.setattr("marginloss.companion.live.figure.module", lambda name: lower.lower({}))
    with pytest.warns(UserWarning, match="'drag' is a picture only: numba"):
        page = LiveFigure("drag", {}, plt.figure(), label="a < b")._repr_html_()
    assert "data:image/webp" in page and "a &lt; b" in page and '"missing":"numba 0.99.0' in page
    plt.close("all")
