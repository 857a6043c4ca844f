"""One arithmetic: kernels give the same bits on a generic processor, compiled or loaded from disk."""

import os
import subprocess
import sys

import pytest

CODE = """
import hashlib
import numpy as np
from marginloss.losses.tempered import log_partition_margin
from marginloss.losses.newton import excess_rows

rng = np.random.default_rng(0)
margins, activations = np.append(8 * rng.normal(size=4000), 1e5), 3 * rng.normal(size=(1500, 10))
found = []
for t in (0.4, 1.12, 1.5, 1.9, 2.0):
    excess, steps = np.empty(1500), np.empty(1500, dtype=np.int64)
    excess_rows(activations, t - 1, excess, steps)
    found += [excess, steps]
    if t > 1:
        found.append(log_partition_margin(margins[:-1], t))
print(hashlib.sha256(b"".join(part.tobytes() for part in found)).hexdigest())
"""


def bits(cache, **environment):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)} | environment
    return subprocess.run(
        [sys.executable, "-c", CODE], env=environment, capture_output=True, text=True, check=True
    ).stdout


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("kernels")


@pytest.fixture(scope="module")
def here(cache):
    return bits(cache)


def test_loaded_kernels_give_the_bits_of_compiled_ones(here, cache):
    assert bits(cache) == here


@pytest.mark.parametrize("setting", [{"NUMBA_CPU_NAME": "generic"}, {"NUMBA_OPT": "1"}], ids=str)
def test_another_processor_gives_the_same_bits(here, tmp_path, setting):
    assert bits(tmp_path, **setting) == here
