"""What helps a reader: cards of references, figures enlarged, paper, search, pictures without scripts, a gallery."""

import json
import re
import shutil
import subprocess
import sys
from collections import Counter

import pytest
from bs4 import BeautifulSoup

from marginloss.companion.book.layout import pages, root
from marginloss.companion.book.pdf import PDF, one_page
from marginloss.companion.ledger import entries

PAGES = [path.relative_to(root()).with_suffix(".html").as_posix() for path in pages()]
NUMBERED = [page for page in PAGES if page.removeprefix("chapters/")[0].isdigit()]
EXPLAINED = re.compile(r"#equation-|bibliography\.html#|glossary\.html#term-|claims\.html#")
# what print would cut: boxes whose content is wider than they are
CUT = """() => [...document.querySelectorAll("article pre, article div.math, article table, article .proof")]
    .filter(e => e.getClientRects().length && e.scrollWidth > e.clientWidth + 2 && !e.closest("details:not([open])"))
    .filter(e => e.tagName !== "TABLE" || e.scrollWidth > e.parentElement.clientWidth + 2)
    .map(e => `${e.className} ${e.textContent.trim().slice(0, 40)}: ${e.scrollWidth} in ${e.clientWidth}`)"""


@pytest.mark.parametrize("page", NUMBERED)
def test_references_have_cards(page, soups):
    article = soups[page].select_one("article")
    store = article.select_one("template.cards")
    cards = {card["id"] for card in store.find_all(recursive=False)} if store else set()
    links = [a for a in article.select("a[href]:not(.headerlink)") if EXPLAINED.search(a["href"])]
    rows = [a for a in links if a.get("id")]  # of a table of claims, which says it all
    assert [a["href"] for a in links if a not in rows and a.get("data-card") not in cards] == []
    assert cards == {a["data-card"] for a in article.select("a[data-card]")}
    assert store is None or not store.select("a, [id] [id]"), "a link or an anchor that nobody can reach"


def test_a_word_of_the_glossary_is_a_reference_where_it_is_first_used(soups):
    words = soups["chapters/51_cvar.html"].select("article a.word")
    assert "CVaR" in [word.get_text() for word in words]
    assert len({word["href"] for word in words}) == len(words)
    assert not soups["chapters/51_cvar.html"].select("h1 a.word, pre a.word, figcaption a.word, table a.word")


@pytest.mark.browser
@pytest.mark.parametrize("opened", ["chapters/51_cvar.html"], indirect=True)
def test_a_card_comes_with_the_pointer_and_with_the_focus(opened):
    card = opened.locator("#card-shown")
    equation = opened.locator("a[data-card*=equation]").first
    equation.scroll_into_view_if_needed()
    equation.hover()
    card.wait_for(state="visible")
    assert card.locator("mjx-container").count() == 1
    box = card.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    opened.keyboard.press("Escape")
    assert card.is_hidden()
    opened.mouse.move(0, 0)
    paper = opened.locator("a[data-card*=bibliography]").first
    paper.focus()
    card.wait_for(state="visible")
    assert paper.get_attribute("aria-describedby") == "card-shown"
    assert re.search(r"\(?\d{4}\)?", card.inner_text())
    paper.blur()
    assert card.is_hidden() and paper.get_attribute("aria-describedby") is None
    assert opened.errors == []


@pytest.mark.browser
def test_the_first_tap_shows_a_card_and_the_second_follows(browser, address):
    context = browser.browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    page = context.new_page()
    page.goto(f"{address}/chapters/51_cvar.html")
    word = page.locator("article a.word").first
    word.tap()
    page.locator("#card-shown").wait_for(state="visible")
    assert "51_cvar" in page.url
    assert page.locator(".card-more").is_visible()
    word.tap()
    page.wait_for_url("**/glossary.html#term-*")
    context.close()


@pytest.mark.browser
@pytest.mark.parametrize("opened", ["chapters/13_adaboost_alpha.html"], indirect=True)
def test_a_figure_is_enlarged_on_a_phone(opened):
    button = opened.locator("figure > .enlarge").first
    button.press("Enter")
    shown = opened.locator("dialog.enlarged img")
    assert shown.bounding_box()["width"] > 700 and shown.get_attribute("alt")
    opened.keyboard.press("Escape")
    assert shown.count() == 0
    opened.locator("article figure > img").first.click()
    opened.locator("dialog.enlarged .close").click()
    assert shown.count() == 0 and opened.errors == []


@pytest.mark.browser
@pytest.mark.parametrize("opened", NUMBERED, indirect=True)
def test_paper_cuts_nothing(opened):
    opened.set_viewport_size({"width": 680, "height": 960})  # A4 within its margins
    opened.emulate_media(media="print")
    opened.wait_for_timeout(100)
    assert opened.evaluate(CUT) == []


@pytest.mark.browser
def test_without_scripts_every_figure_has_a_picture(browser, html, soups):
    context = browser.browser.new_context(java_script_enabled=False)
    page, seen = context.new_page(), 0
    for name, soup in soups.items():
        figures = soup.select(".live, .sliderfig, .explorer")
        if figures:
            page.goto((html / name).as_uri())
            stills = page.locator(":is(.live, .sliderfig, .explorer) > img.still")
            assert stills.count() == len(figures) and all(still.is_visible() for still in stills.all()), name
            assert page.locator(".sliderfig input:visible").count() == 0, "a slider that moves nothing"
            seen += len(figures)
    context.close()
    assert seen > 10


@pytest.mark.browser
def test_search_finds_sentences_and_no_code(browser, address, html):
    index = (html / "searchindex.js").read_text("utf-8")
    words = (
        set(json.loads(re.search(r"terms:(\{.*?\}),", index.replace("\\", "\\\\"))[1])) if "terms:{" in index else set()
    )
    words = words or set(re.findall(r'"([^"]+)":', index))
    assert "linspac" not in words and "linspace" not in words and "margin" in words
    page = browser.new_page()
    page.goto(f"{address}/search.html?q=giving+up")
    page.wait_for_selector("ul.search li p.context")
    quoted = page.locator("ul.search p.context").all_inner_texts()
    assert quoted and not [text for text in quoted if re.search(r"^import |\bimport numpy|\w+\(\w+=", text)]
    page.close()


def test_the_gallery_has_a_tile_for_each_exhibit(soups):
    soup = soups["chapters/exhibits.html"]
    tiles = soup.select("ul.gallery li a")
    assert [tile["href"][1:] for tile in tiles] == [entry.id.replace(":", "-") for entry in entries(kind="exhibit")]
    assert all(soup.find(id=tile["href"][1:]) and tile.select_one(".verdict") for tile in tiles)
    assert sum(tile.img is not None for tile in tiles) > len(tiles) / 2
    assert not soup.select("[data-tile], [data-exhibit]"), "a place that was not filled"


def test_figures_have_numbers_of_one_kind(soups):
    numbers = [n.get_text().strip() for soup in soups.values() for n in soup.select(".caption-number")]
    assert len(numbers) > 100
    assert [
        number for number in numbers if not re.fullmatch(r"(Fig\.|Table|Theorem|Lemma) (\d+|[A-Z])\.\d+", number)
    ] == []


def test_most_figures_are_vectors_and_follow_the_dark_theme(soups, html):
    drawn = [image["src"] for page in NUMBERED for image in soups[page].select("article figure > img")]
    vectors = [source for source in drawn if source.endswith(".svg")]
    assert len(vectors) > 0.8 * len(drawn)
    style = (html / "_static" / "book.css").read_text("utf-8")
    assert re.search(r'data-theme="dark"\] \.bd-content img[^{]*\{[^}]*invert', style)


def test_the_picture_for_other_sites_is_there(html):
    picture = (html / "_static" / "social.png").read_bytes()
    assert [int.from_bytes(picture[at : at + 4], "big") for at in (16, 20)] == [1200, 630]


def test_all_pages_make_one_with_links_that_stay_inside(html):
    text = one_page(html, pages())
    soup = BeautifulSoup(text, "html.parser")
    assert len(soup.select("body > article")) == len(PAGES)
    ids = [tag["id"] for tag in soup.select("body [id]")]
    twice = {id_ for id_, count in Counter(ids).items() if count > 1}
    inside = [a["href"][1:] for a in soup.select('body a[href^="#"]')]
    assert len(inside) > 500 and [id_ for id_ in inside if id_ not in ids] == []
    assert twice & set(inside) == set()
    assert [
        i["src"]
        for i in soup.select("img[src]")
        if not i["src"].startswith("data:") and not (html / i["src"]).is_file()
    ] == []
    assert all("athjax" in str(s).lower() or "book.js" in str(s) for s in soup.select("script"))


PRINT = """
import sys
from pathlib import Path
from marginloss.companion.book.layout import root
from marginloss.companion.book.pdf import print_book
print_book(Path(sys.argv[1]), [root() / "index.md", root() / "chapters" / "00_prologue.md"])
"""


@pytest.mark.browser
def test_the_book_is_printed(html, browser, tmp_path):
    folder = tmp_path / "html"
    shutil.copytree(html, folder, ignore=shutil.ignore_patterns("*.zip", "_sources", "_modules"))
    subprocess.run([sys.executable, "-c", PRINT, str(folder)], check=True)  # a process has one driver of browsers
    content = (folder / PDF).read_bytes()
    assert content.startswith(b"%PDF") and len(re.findall(rb"/Type\s*/Page\b", content)) > 4
    assert not (folder / "whole_book.html").exists()
