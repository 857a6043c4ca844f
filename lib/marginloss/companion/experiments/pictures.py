"""Colour pictures as numbers: how strongly random patches respond in each quarter (Coates and Ng 2011)."""

from __future__ import annotations

import secrets
from pathlib import Path

import numpy as np
from numpy.lib.format import open_memmap
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from sklearn.utils import Bunch

from marginloss.companion.digest import reach_digest
from marginloss.datasets import load_cifar10
from marginloss.datasets.folders import cache_folder

Single = NDArray[np.float32]

SIDE = 6  # pixels of a patch
THRESHOLD = 1.0  # responses below it count as none; chosen on the training part of the sample
FLATNESS = 10.0  # added to the variance of a patch, so that noise on a flat one is not blown up
RIDGE = 0.1  # the same for directions in which patches hardly differ
N_WHITENED = 50_000  # patches from which mean and directions are learnt
ROWS = 4  # pictures at once: their responses stay in the processor's cache
BLOCK = 1_000  # pictures that are written at once


def cifar10_features(part: str = "full", n_patches: int = 400) -> Bunch:
    """CIFAR-10 as ``8 * n_patches`` numbers a picture, computed once and then read from the user's cache.

    Responses to random patches of training pictures, each number with mean 0 and variance 1 over the published training
    part. No label is used.

    Parameters
    ----------
    part : {"full", "colour"}
        All 60,000 pictures (a minute on one core, 768 MB on disk), or the sample of 6,000.
    n_patches : int, default=400

    Returns
    -------
    Bunch
        ``data`` (``float32``, mapped from disk and read-only, in the order of
        :func:`marginloss.datasets.load_cifar10`), ``target`` (0 to 9), ``target_names``, ``train`` and ``test`` (rows
        of the published split).

    Raises
    ------
    DatasetNotFound
        If the pictures are not on this machine.
    """
    bunch = load_cifar10(part=part)
    folder, stem = cache_folder() / "features", f"cifar10-{part}-{n_patches}-"
    file = folder / f"{stem}{reach_digest(__name__)}.npy"
    if not file.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        filters = random_filters(bunch.data[bunch.train], n_patches, np.random.default_rng(0))
        _write(file, bunch.data, len(bunch.train), *filters)
        for old in set(folder.glob(f"{stem}*.npy")) - {file}:
            old.unlink(missing_ok=True)
    kept = {name: bunch[name] for name in ("target", "target_names", "train", "test")}
    return Bunch(data=np.load(file, mmap_mode="r"), **kept)


def random_filters(pictures: NDArray[np.uint8], n_patches: int, rng: np.random.Generator) -> tuple[Single, Single]:
    """Whitened patches of unit length at random places: weights for a patch of even contrast, and their offsets."""
    places = pictures.shape[1] - SIDE + 1
    row, *corner = rng.integers([[len(pictures)], [places], [places]], size=(3, N_WHITENED))
    windows = sliding_window_view(pictures, (SIDE, SIDE), axis=(1, 2))
    patches = _even_contrast(windows[row, corner[0], corner[1]].reshape(N_WHITENED, -1))
    mean = patches.mean(axis=0)
    strength, directions = np.linalg.eigh(np.cov(patches, rowvar=False))
    whiten = directions / np.sqrt(strength + RIDGE) @ directions.T
    chosen = (patches[:n_patches] - mean) @ whiten
    weights = whiten @ (chosen / np.linalg.norm(chosen, axis=1, keepdims=True)).T
    return weights.astype(np.float32), (mean @ weights).astype(np.float32)


def patch_features(pictures: NDArray[np.uint8], weights: Single, offsets: Single) -> Single:
    """Mean excess of each response above the threshold, and below minus the threshold, in each quarter of a picture."""
    places = pictures.shape[1] - SIDE + 1
    half = np.arange(places) >= (places + 1) // 2
    quarter = (2 * half[:, None] + half).ravel()
    pool = np.equal.outer(np.arange(4), quarter).astype(np.float32)
    pool /= pool.sum(axis=1, keepdims=True)
    low, high = offsets - np.float32(THRESHOLD), offsets + np.float32(THRESHOLD)
    found = np.empty((len(pictures), 4, 2, len(offsets)), np.float32)
    for start in range(0, len(pictures), ROWS):
        windows = sliding_window_view(pictures[start : start + ROWS], (SIDE, SIDE), axis=(1, 2))
        responses = _even_contrast(windows.reshape(-1, len(weights))) @ weights
        responses = responses.reshape(-1, places**2, len(offsets))
        found[start : start + ROWS, :, 0] = pool @ np.maximum(responses, high) - high
        found[start : start + ROWS, :, 1] = low - pool @ np.minimum(responses, low)
    return found.reshape(len(pictures), -1)


def _even_contrast(patches: NDArray[np.uint8]) -> Single:
    """Patches with mean 0 and variance 1, flat ones less."""
    even = patches.astype(np.float32)
    even -= even.mean(axis=1, keepdims=True)
    even /= np.sqrt(np.square(even).mean(axis=1, keepdims=True) + FLATNESS)
    return even


def _write(file: Path, pictures: NDArray[np.uint8], n_train: int, weights: Single, offsets: Single) -> None:
    """Standardised features, block by block into a file that appears as a whole; the training part comes first."""
    temporary = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
    blocks = [slice(start, start + BLOCK) for start in range(0, len(pictures), BLOCK)]
    total = np.zeros((2, 8 * len(offsets)))
    try:
        found = open_memmap(temporary, "w+", np.float32, (len(pictures), 8 * len(offsets)))
        for block in blocks:
            found[block] = patch_features(pictures[block], weights, offsets)
            known = found[block.start : min(block.stop, n_train)].astype(np.float64)
            total += known.sum(axis=0), np.square(known).sum(axis=0)
        mean, square = total / n_train
        width = np.sqrt(square - mean**2)
        for block in blocks:
            found[block] = (found[block] - mean) / np.where(width > 0, width, 1)
        found.flush()
        temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)
