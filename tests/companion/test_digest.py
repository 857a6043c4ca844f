"""The digest changes with what numbers depend on, and with nothing else."""

import pytest

from marginloss.companion import digest


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A library of one file, with data beside it, that may be edited."""
    library, data = tmp_path / "marginloss", tmp_path / "data"
    library.mkdir(), data.mkdir()
    (library / "digest.py").write_text("VALUE = 1\n")
    (data / "ledger.yml").write_text("a: 1\n")
    monkeypatch.setattr(digest, "__file__", str(library / "companion" / "digest.py"))
    monkeypatch.setattr(digest, "data_folder", lambda: data)
    monkeypatch.delenv("MARGINLOSS_DATA", raising=False)
    monkeypatch.setenv("MARGINLOSS_CACHE", str(tmp_path / "cache"))
    return tmp_path


def test_same_files_same_digest(copy):
    assert digest.foundation_digest() == digest.foundation_digest()


@pytest.mark.parametrize("name", ["marginloss/digest.py", "marginloss/new.py", "data/ledger.yml", "data/new.yml"])
def test_edit_or_new_file_changes_the_digest(copy, name):
    before = digest.foundation_digest()
    (copy / name).write_text("VALUE = 2  # longer\n")
    assert digest.foundation_digest() != before


def test_renamed_file_changes_the_digest(copy):
    before = digest.foundation_digest()
    (copy / "data/ledger.yml").rename(copy / "data/other.yml")
    assert digest.foundation_digest() != before


def test_compiled_files_do_not_count(copy):
    before = digest.foundation_digest()
    (copy / "marginloss/digest.pyc").write_bytes(b"0")
    assert digest.foundation_digest() == before


def test_data_sets_count(copy, monkeypatch):
    before = digest.foundation_digest()
    sets = copy / "sets"
    sets.mkdir()
    monkeypatch.setenv("MARGINLOSS_DATA", str(sets))
    assert digest.foundation_digest() == before, "an empty folder adds nothing"
    (sets / "pima.csv").write_text("1,2\n")
    given = digest.foundation_digest()
    assert given != before
    fetched = copy / "cache" / "data"
    fetched.mkdir(parents=True)
    (fetched / "xd6.csv").write_text("1,2\n")
    assert digest.foundation_digest() != given, "a set fetched into the cache counts too"


def test_a_second_copy_in_the_cache_does_not_count(copy, monkeypatch):
    given, fetched = copy / "sets", copy / "cache" / "data"
    given.mkdir(), fetched.mkdir(parents=True)
    (given / "pima.csv").write_text("1,2\n")
    monkeypatch.setenv("MARGINLOSS_DATA", str(given))
    before = digest.foundation_digest()
    (fetched / "pima.csv").write_text("1,2,3\n")
    assert digest.foundation_digest() == before, "it is not the one that is read"
    (fetched / "compas.csv").write_text("1\n")
    assert digest.foundation_digest() != before


def test_half_a_download_does_not_count(copy, monkeypatch):
    before = digest.foundation_digest()
    sets = copy / "sets"
    sets.mkdir()
    (sets / ".pima.csv.part").write_text("1")
    monkeypatch.setenv("MARGINLOSS_DATA", str(sets))
    assert digest.foundation_digest() == before


def test_versions_and_python_count(copy, monkeypatch):
    before = digest.foundation_digest()
    monkeypatch.setattr(digest, "_versions", lambda: ("numpy==0",))
    other = digest.foundation_digest()
    monkeypatch.setattr("sys.version", "another Python")
    assert len({before, other, digest.foundation_digest()}) == 3


def test_library_digest_looks_at_the_source_only(copy):
    before = digest.library_digest()
    (copy / "data/ledger.yml").write_text("a: 2\n")
    assert digest.library_digest() == before
    (copy / "marginloss/digest.py").write_text("VALUE = 2\n")
    assert digest.library_digest() != before
