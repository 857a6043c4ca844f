"""Files: checked when read, whole when written, safe when several processes write."""

import gzip
import multiprocessing

import numpy as np
import pytest

from marginloss.datasets import ChecksumError, files
from marginloss.datasets.registry import DataFile

TEXT = b"a,b\n" + b"1,2\n" * 5000
ARRAYS = {"X": np.arange(12.0).reshape(3, 4), "y": np.array([0, 1, 1], dtype=np.uint8)}


@pytest.mark.parametrize(("name", "content"), [("t/t.csv.gz", TEXT), ("t/t.npz", ARRAYS)])
def test_round_trip_and_tampering(tmp_path, name, content):
    file = DataFile(name, files.digest(content))
    files.write(tmp_path, file, content)
    read = files.read(tmp_path, file)
    assert files.digest(read) == file.sha256
    changed = TEXT.replace(b"1,2", b"1,3", 1) if isinstance(content, bytes) else ARRAYS | {"y": 1 - ARRAYS["y"]}
    files.write(tmp_path, file, changed)
    with pytest.raises(ChecksumError) as error:
        files.read(tmp_path, file)
    assert file.sha256 in str(error.value) and files.digest(changed) in str(error.value)


@pytest.mark.parametrize(("name", "content"), [("t.csv.gz", TEXT), ("t.npz", ARRAYS)])
def test_cut_or_foreign_file_is_refused(tmp_path, name, content):
    file = DataFile(name, files.digest(content))
    files.write(tmp_path, file, content)
    whole = (tmp_path / name).read_bytes()
    for damaged in (whole[: len(whole) // 2], b"", b"<html>not found</html>"):
        (tmp_path / name).write_bytes(damaged)
        with pytest.raises(ChecksumError):
            files.read(tmp_path, file)


def test_compression_does_not_matter(tmp_path):
    file = DataFile("t.csv.gz", files.digest(TEXT))
    for level in (1, 9):
        (tmp_path / "t.csv.gz").write_bytes(gzip.compress(TEXT, level, mtime=level))
        assert files.read(tmp_path, file) == TEXT


def test_digest_sees_names_types_and_shapes():
    X = np.zeros((2, 3), dtype=np.int16)
    variants = [{"X": X}, {"Y": X}, {"X": X.astype(np.int32)}, {"X": X.reshape(3, 2)}, {"X": X + 1}]
    assert len({files.digest(variant) for variant in variants}) == len(variants)
    assert files.digest({"a": X, "b": X + 1}) == files.digest({"b": X + 1, "a": X})


def test_checksum_is_noted_where_none_is_published(tmp_path):
    file = DataFile("t.npz")
    files.write(tmp_path, file, ARRAYS)
    assert (tmp_path / "t.npz.sha256").read_text() == files.digest(ARRAYS)
    np.savez_compressed(tmp_path / "t.npz", **(ARRAYS | {"y": 1 - ARRAYS["y"]}))
    with pytest.raises(ChecksumError, match=files.digest(ARRAYS)):
        files.read(tmp_path, file)


def test_pickled_arrays_are_refused(tmp_path):
    np.savez(tmp_path / "t.npz", X=np.array([{"a": 1}], dtype=object))
    with pytest.raises(ChecksumError, match="damaged"):
        files.read(tmp_path, DataFile("t.npz"))


def test_failed_write_leaves_nothing(tmp_path, monkeypatch):
    file = DataFile("t.csv.gz", files.digest(TEXT))
    monkeypatch.setattr(files.os, "replace", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        files.write(tmp_path, file, TEXT)
    assert list(tmp_path.iterdir()) == []


def _write_and_read(folder, start, queue):
    file = DataFile("t/t.csv.gz", files.digest(TEXT))
    start.wait()
    try:
        for _ in range(30):
            files.write(folder, file, TEXT)
            assert files.read(folder, file) == TEXT
        queue.put("ok")
    except BaseException as error:
        queue.put(repr(error))


def test_two_processes_at_once(tmp_path):
    # fork where there is one: a spawned process would spend its time importing
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("fork" if "fork" in methods else "spawn")
    start, queue = context.Event(), context.Queue()
    workers = [context.Process(target=_write_and_read, args=(tmp_path, start, queue)) for _ in range(2)]
    for worker in workers:
        worker.start()
    start.set()
    assert [queue.get(timeout=60) for _ in workers] == ["ok", "ok"]
    for worker in workers:
        worker.join()
    assert [path.name for path in (tmp_path / "t").iterdir()] == ["t.csv.gz"]
