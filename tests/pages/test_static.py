"""What can be seen in the files of every built page, without a browser."""

import re
import zipfile
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from bs4 import BeautifulSoup

from marginloss.companion import current_scale
from marginloss.companion.book import chapters
from marginloss.companion.book.layout import pages, root
from marginloss.companion.book.repository import find_repository

PAGES = [path.relative_to(root()).with_suffix(".html").as_posix() for path in pages()]
CHAPTERS = [chapter.path.relative_to(root()).with_suffix(".html").as_posix() for chapter in chapters()]
NUMBERED = [page for page in CHAPTERS if Path(page).name[0].isdigit()]  # back matter opens as it likes
LOADED = {"script", "img", "iframe", "source", "video", "audio", "embed"}
LINKED = {"stylesheet", "preload", "prefetch", "preconnect", "icon", "manifest"}


def requests(soup: BeautifulSoup) -> list[str]:
    """Addresses that a browser loads with the page."""
    loaded = [tag["src"] for tag in soup.find_all(list(LOADED)) if tag.get("src")]
    return loaded + [tag["href"] for tag in soup.find_all("link") if LINKED & set(tag.get("rel", []))]


def css_requests(text: str) -> list[str]:
    """Addresses that a style sheet loads."""
    return re.findall(r"""(?:url\(|@import)\s*["']?([^"')\s;]+)""", text)


def is_external(address: str) -> bool:
    return bool(re.match(r"(https?:)?//", address.strip()))


def article(soup: BeautifulSoup):
    return soup.find("article") or soup.find("main") or soup


def test_all_pages_of_the_contents_are_there(soups):
    assert set(PAGES) <= set(soups)


def test_no_page_loads_from_another_host(soups):
    loaded = {(page, address) for page, soup in soups.items() for address in requests(soup) if is_external(address)}
    styles = {(page, a) for page, soup in soups.items() for s in soup.find_all("style") for a in css_requests(s.text)}
    assert loaded | {(page, address) for page, address in styles if is_external(address)} == set()


def test_no_style_sheet_loads_from_another_host(html):
    sheets = list(html.rglob("*.css"))
    assert sheets
    found = {(str(sheet), a) for sheet in sheets for a in css_requests(sheet.read_text("utf-8")) if is_external(a)}
    assert found == set()


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_one_heading_one_title_and_a_description(page, soups):
    soup = soups[page]
    assert len(soup.find_all("h1")) == 1
    name, _, book = soup.title.text.rpartition(" \N{EM DASH} ")
    assert book == "Marginalia" != name
    facts = {tag.get("property") or tag.get("name"): tag["content"] for tag in soup.find_all("meta", content=True)}
    assert facts["description"] == facts["og:description"] != ""
    assert "og:image" not in facts or facts["og:image"].startswith("https://")


def test_icons_that_pages_show_have_letters(soups, html):
    (sheet,) = html.glob("_static/vendor/fontawesome/*/css/all.min.css")
    rules = set(re.findall(r"\.(fa-[\w-]+):before", sheet.read_text("utf-8")))
    shown = {name for soup in soups.values() for tag in soup.select("i[class*=fa-]") for name in tag["class"]}
    assert {name for name in shown if name.startswith("fa-")} - rules <= {
        "fa-solid",
        "fa-brands",
        "fa-regular",
        "fa-lg",
    }


def test_the_search_for_requests_finds_them():
    page = '<script src="https://cdn.example/x.js"></script><link rel="stylesheet" href="//fonts.example/a.css">'
    assert [is_external(address) for address in requests(BeautifulSoup(page, "html.parser"))] == [True, True]
    assert [is_external(a) for a in css_requests("@import 'https://a.example/x.css'; b{src:url(f.woff2)}")] == [
        True,
        False,
    ]


@pytest.mark.parametrize("page", PAGES)
def test_nothing_went_wrong_on_the_page(page, soups):
    text = article(soups[page]).get_text()
    assert "Traceback (most recent call last)" not in text
    assert "mjx-merror" not in str(soups[page])
    sources = {code.get_text() for code in article(soups[page]).select("div.cell_input")}
    prose = text
    for source in sources:  # a cell may write a role into its Markdown output
        prose = prose.replace(source, "")
    assert not re.search(r"\{(glue|cite|numref|eq|ref)(:\w+)?\}", prose), "a role that was not understood"
    assert "np.float64(" not in text


@pytest.mark.parametrize("page", PAGES)
def test_figures_have_caption_alt_text_and_anchor(page, soups):
    main = article(soups[page])
    for figure in main.find_all("figure"):
        assert figure.get("id"), f"no anchor: {figure.get_text()[:80]}"
        caption = figure.find("figcaption")
        assert caption is not None and len(caption.get_text(strip=True)) > 20, f"{figure['id']} has no caption"
    assert [image["src"] for image in main.find_all("img") if not image.get("alt", "").strip()] == []
    # an alt text that is the name of a file or of a glued object says nothing
    assert [image["alt"] for image in main.find_all("img") if " " not in image["alt"].strip()] == []
    moving = main.select(".sliderfig, .live, .explorer")
    assert all(figure.select_one("img.still[alt]") for figure in moving), "nothing to see where no script runs"


@pytest.mark.parametrize("page", PAGES)
def test_every_table_of_results_is_introduced(page, soups):
    # a table directive has a caption; a plain Markdown table is prose and needs none, but a header
    assert [str(table)[:80] for table in article(soups[page]).find_all("table") if not table.find("th")] == []


@pytest.mark.parametrize("page", PAGES)
def test_internal_links_resolve(page, soups, anchors, html):
    broken = []
    for link in article(soups[page]).find_all("a", href=True):
        parts = urlsplit(link["href"])
        if parts.scheme or parts.netloc:
            continue
        target = (html / page).parent / unquote(parts.path) if parts.path else html / page
        target = Path(target.resolve())
        if not target.exists():
            broken.append(link["href"])
            continue
        known = anchors.get(target.relative_to(html.resolve()).as_posix(), set())
        if parts.fragment and target.suffix == ".html" and unquote(parts.fragment) not in known:
            broken.append(link["href"])
    assert broken == []


@pytest.mark.parametrize("page", PAGES)
def test_the_page_names_its_scale(page, soups):
    banner = soups[page].select_one(".bd-header-announcement")
    assert banner is not None
    assert f"{current_scale()} scale" in banner.get_text().lower()


@pytest.mark.parametrize("page", NUMBERED)
def test_chapters_open_with_a_box_and_offer_their_notebook(page, soups, html):
    box = soups[page].select_one(".admonition.opening")
    assert box is not None, "no {opening} directive"
    assert re.search(r"Time to re-run: \d+ (s|min) at", box.get_text())
    links = {link.get_text(): link["href"] for link in box.find_all("a")}
    assert ((html / page).parent / links["notebook to download"]).resolve().is_file()
    repository = find_repository(root())
    assert ("Binder" in links) == ("Colab" in links) == (repository is not None)
    if repository:
        assert links["Binder"].startswith(f"https://mybinder.org/v2/gh/{repository}/")
        assert links["Colab"].startswith(f"https://colab.research.google.com/github/{repository}/blob/gh-pages/")


@pytest.mark.parametrize("page", CHAPTERS)
def test_chapters_show_something(page, soups):
    main = article(soups[page])
    without_data = main.find(string=re.compile(r"Data set \w+ is not here"))  # then a box says so, and how to get it
    assert main.find("figure") or main.select("table caption") or without_data, "no figure and no table with a caption"
    assert main.find("h2"), "no section"


def test_the_build_executed_nothing(html):
    log = (html.parent / "book.log").read_text("utf-8")
    assert "Executing notebook" not in log
    assert len(re.findall("Using cached notebook", log)) == len(CHAPTERS)


def test_the_zip_holds_every_page_and_what_it_loads(html):
    with zipfile.ZipFile(html / "marginloss-book.zip") as archive:
        names = set(archive.namelist())
        assert archive.testzip() is None
    on_disk = {path.relative_to(html).as_posix() for path in html.rglob("*") if path.is_file()} - {
        "marginloss-book.zip"
    }
    assert names == {f"marginloss-book/{name}" for name in on_disk}
