"""Features of pictures: by a slow direct way, in bounded memory, computed once."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from sklearn.utils import Bunch

from marginloss.companion.experiments import pictures
from marginloss.datasets import DatasetNotFound


def some_pictures(n: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, (n, 32, 32, 3)).astype(np.uint8)


def test_features_are_those_of_the_formula():
    """One patch after the other, in double precision and in the order in which the page tells it."""
    X = some_pictures(3)
    X[0, :16, :16] = 7  # flat
    weights, offsets = pictures.random_filters(X, 5, np.random.default_rng(1))
    expected = np.zeros((3, 4, 2, 5))
    counts = np.zeros(4)
    for picture, row, column in np.ndindex(3, 27, 27):
        patch = X[picture, row : row + 6, column : column + 6].transpose(2, 0, 1).ravel().astype(float)
        even = (patch - patch.mean()) / np.sqrt(patch.var() + pictures.FLATNESS)
        response = even @ weights.astype(float) - offsets
        quarter = 2 * (row >= 14) + (column >= 14)
        expected[picture, quarter] += np.maximum([response, -response], pictures.THRESHOLD) - pictures.THRESHOLD
        counts[quarter] += picture == 0
    assert counts.tolist() == [196, 182, 182, 169]
    expected /= counts[:, None, None]
    np.testing.assert_allclose(
        pictures.patch_features(X, weights, offsets), expected.reshape(3, -1), atol=1e-4 * expected.max()
    )


def test_filters_are_whitened_patches_of_unit_length():
    """Responses of patches have mean 0 and, up to the ridge, the variance of white noise."""
    X = some_pictures(200)
    weights, offsets = pictures.random_filters(X, 30, np.random.default_rng(0))
    patches = X[:, 3:9, 8:14].transpose(0, 3, 1, 2).reshape(200, -1)
    responses = pictures._even_contrast(patches) @ weights - offsets
    assert abs(responses.mean()) < 0.05
    assert responses.var() == pytest.approx(1 / (1 + pictures.RIDGE), rel=0.1)


def test_memory_does_not_grow_with_the_pictures():
    """Beyond the result itself."""
    X = some_pictures(150)
    filters = pictures.random_filters(X, 100, np.random.default_rng(0))
    extra = []
    for n in (30, 150):
        tracemalloc.start()
        result = pictures.patch_features(X[:n], *filters)
        extra.append(tracemalloc.get_traced_memory()[1] - result.nbytes)
        tracemalloc.stop()
    assert max(extra) < 30e6
    assert extra[1] < 1.1 * extra[0]


@pytest.fixture
def small(monkeypatch, tmp_path):
    """Sixty pictures in the place of CIFAR-10, and an empty cache."""
    bunch = Bunch(data=some_pictures(60), target=np.arange(60) % 10, target_names=list("abcdefghij"))
    bunch.train, bunch.test = np.arange(50), np.arange(50, 60)
    monkeypatch.setenv("MARGINLOSS_CACHE", str(tmp_path))
    monkeypatch.setattr(pictures, "load_cifar10", lambda part: bunch)
    return tmp_path / "features"


def test_features_are_computed_once_and_standardised(small, monkeypatch):
    """A second call reads; what an older version wrote goes."""
    small.mkdir()
    (small / "cifar10-colour-10-old.npy").write_bytes(b"")
    first = pictures.cifar10_features("colour", n_patches=10)
    assert first.data.shape == (60, 80)
    assert first.data.dtype == np.float32
    np.testing.assert_allclose(first.data[:50].mean(axis=0), 0, atol=1e-5)
    np.testing.assert_allclose(first.data[:50].std(axis=0), 1, atol=1e-4)
    assert len(list(small.iterdir())) == 1
    monkeypatch.delattr(pictures, "patch_features")
    np.testing.assert_array_equal(pictures.cifar10_features("colour", n_patches=10).data, first.data)


def test_an_interrupted_computation_leaves_nothing(small, monkeypatch):
    """Neither a file that looks whole nor a rest."""
    monkeypatch.setattr(pictures, "patch_features", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        pictures.cifar10_features("colour", n_patches=10)
    assert list(small.iterdir()) == []


def test_missing_pictures_are_named(monkeypatch, tmp_path):
    """No other data take their place."""
    monkeypatch.setenv("MARGINLOSS_DATA", str(tmp_path))
    monkeypatch.setenv("MARGINLOSS_CACHE", str(tmp_path))
    with pytest.raises(DatasetNotFound, match="cifar10"):
        pictures.cifar10_features("full")
