"""The built book; it is built first where that has not been done."""

import functools
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from marginloss.companion import current_scale
from marginloss.companion.book import chapters
from marginloss.companion.book.build import build
from marginloss.companion.book.runner import run


@pytest.fixture(scope="session")
def html() -> Path:
    """Folder of the built pages, up to date."""
    run(chapters(), current_scale())
    return build(current_scale()).parent


@pytest.fixture(scope="session")
def soups(html):
    """Parsed pages by their path, relative to the built folder; all of them, also those nobody wrote."""
    files = [file for file in sorted(html.rglob("*.html")) if "_static" not in file.parts]
    return {file.relative_to(html).as_posix(): BeautifulSoup(file.read_text("utf-8"), "html.parser") for file in files}


@pytest.fixture(scope="session")
def anchors(soups):
    """Ids that links can point to, by page."""
    return {page: {tag["id"] for tag in soup.find_all(id=True)} for page, soup in soups.items()}


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture(scope="session")
def address(html):
    """Where the book is served, on this machine only."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(html)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture(scope="session")
def browser(chromium):
    """One context for all pages, so that scripts are fetched and compiled once."""
    context = chromium.new_context(viewport={"width": 390, "height": 844})
    yield context
    context.close()


@pytest.fixture
def opened(request, browser, address):
    """A page as a phone shows it, with everything that went wrong while it was loaded."""
    page = browser.new_page()
    page.remote, page.missing, page.errors, page.sizes = [], [], [], {}
    page.on("request", lambda r: None if r.url.startswith((address, "data:", "blob:")) else page.remote.append(r.url))
    page.on("response", lambda r: page.missing.append(r.url) if r.status >= 400 else None)
    page.on("response", lambda r: page.sizes.update({r.url: int(r.headers.get("content-length", 0))}))
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("console", lambda message: page.errors.append(message.text) if message.type == "error" else None)
    page.route(lambda url: not url.startswith((address, "data:", "blob:")), lambda route: route.abort())
    page.goto(f"{address}/{request.param}")
    page.evaluate("async () => { if (window.MathJax) await MathJax.startup.promise; }")
    yield page
    page.close()
