"""Compiled loops give the same bits on every processor, at every optimisation level, and from the cache."""

import os
import subprocess
import sys

import pytest

FITS = """
import hashlib
import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris
from marginloss.boosting import AdaBoostAlphaClassifier as Alpha, PILBoostClassifier as PIL

rng = np.random.default_rng(0)
signs = rng.choice([-1.0, 1.0], size=(300, 12))
noisy = (signs[:, :5].sum(axis=1) + rng.normal(size=300) > 0).astype(int)
weight = rng.uniform(0.5, 2.0, 300)
cells, y = load_breast_cancer(return_X_y=True)
y = np.where(rng.random(len(y)) < 0.2, 1 - y, y)
iris, kind = load_iris(return_X_y=True)
fits = [Alpha(a, 40).fit(signs, noisy, weight) for a in (0.5, 0.8, 1.0, 2.0)]
fits += [Alpha(a, 15, depth).fit(cells[:, :10], y) for a in (0.5, 2.0) for depth in (1, 3)]
fits += [Alpha(2.0, 15, 2).fit(iris, kind), Alpha(0.8, 15, 3).fit(iris, rng.permutation(kind == 1))]
fits += [PIL(a, n_estimators=15, max_depth=2).fit(iris, rng.permutation(kind == 1)) for a in (1.0, 1.1, 4.0)]
for model in fits:
    nodes = model.estimators_.nodes
    parts = model.theta_, model.errors_, model.kappa_, nodes.threshold, nodes.value, nodes.gain
    print(hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in parts)).hexdigest())
"""


def bits(folder, **settings):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder), "PYTHONPATH": os.pathsep.join(sys.path), **settings}
    done = subprocess.run([sys.executable, "-c", FITS], env=environment, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.fixture(scope="module")
def cold(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kept")
    return folder, bits(folder)


def test_a_process_that_loads_gives_the_bits_of_the_one_that_compiled(cold):
    folder, expected = cold
    assert bits(folder) == expected and len(set(expected)) == 13


@pytest.mark.parametrize("settings", [{"NUMBA_CPU_NAME": "generic"}, {"NUMBA_OPT": "0"}], ids=str)
def test_other_processors_and_optimisation_levels_give_the_same_bits(cold, settings, tmp_path):
    assert bits(tmp_path, **settings) == cold[1]
