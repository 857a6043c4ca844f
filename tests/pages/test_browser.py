"""What only a browser can see, on every page: requests, errors, drawn mathematics, widths, contrast."""

import re

import pytest

from marginloss.companion.book.layout import pages, root

pytestmark = pytest.mark.browser

PAGES = [path.relative_to(root()).with_suffix(".html").as_posix() for path in pages()]
NUMBERED = [page for page in PAGES if page.removeprefix("chapters/")[0].isdigit()]
MEASURE = """() => ({
    math: document.querySelectorAll("article .math").length,
    drawn: document.querySelectorAll("article mjx-container").length,
    failed: document.querySelectorAll("mjx-merror").length,
    width: document.documentElement.scrollWidth,
})"""
CUT = """() => [...document.querySelectorAll("div.cell_input pre")]
    .filter(code => code.clientWidth && code.scrollWidth > code.clientWidth)
    .map(code => code.textContent.slice(0, 60))"""
# text whose contrast with what lies behind it is below WCAG's AA (4.5, or 3 for large type)
CONTRAST = """() => {
    const rgb = text => (text.match(/[\\d.]+/g) || []).map(Number);
    const luminance = c => c.slice(0, 3).map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const over = (top, below) => top.slice(0, 3).map((v, i) => v * (top[3] ?? 1) + below[i] * (1 - (top[3] ?? 1)));
    const background = element => {
        const layers = [];
        for (let e = element; e; e = e.parentElement) layers.push(rgb(getComputedStyle(e).backgroundColor));
        return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
    };
    const poor = new Set();
    const walk = document.createTreeWalker(document.querySelector("article"), NodeFilter.SHOW_TEXT);
    for (let node; (node = walk.nextNode());) {
        const element = node.parentElement, style = getComputedStyle(element);
        if (!node.textContent.trim() || !element.getClientRects().length || style.visibility === "hidden") continue;
        if (element.closest("script, style, svg, mjx-container, .headerlink, button")) continue;
        const behind = background(element), ink = over(rgb(style.color), behind);
        const [a, b] = [luminance(ink), luminance(behind)].sort((x, y) => y - x);
        const ratio = (a + 0.05) / (b + 0.05), size = parseFloat(style.fontSize);
        const large = size >= 24 || (size >= 18.66 && +style.fontWeight >= 700);
        if (ratio < (large ? 3 : 4.5)) poor.add(`${node.textContent.trim().slice(0, 30)}: ${ratio.toFixed(2)}`);
    }
    return [...poor];
}"""


@pytest.mark.parametrize("opened", PAGES, indirect=True)
def test_page_in_a_browser(opened):
    seen = opened.evaluate(MEASURE)
    assert opened.remote == [], "requests to other hosts"
    assert opened.missing == [], "files that are not there"
    assert opened.errors == [], "errors of scripts"
    assert seen["drawn"] >= seen["math"], "mathematics that was not drawn"
    assert seen["failed"] == 0, "mathematics with errors"
    assert seen["width"] <= 390, "horizontal scrolling at 390 px"
    poor = {}
    for theme in ("light", "dark"):
        opened.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
        opened.wait_for_timeout(350)  # the theme fades between its colours
        poor[theme] = opened.evaluate(CONTRAST)
    assert poor == {"light": [], "dark": []}, "text that is hard to read"
    opened.set_viewport_size({"width": 1280, "height": 900})
    if re.search(r"/chapters/\d", opened.url):
        assert opened.evaluate(CUT) == [], "code that scrolls sideways at 1280 px"


@pytest.mark.parametrize("opened", NUMBERED, indirect=True)
def test_what_a_chapter_loads_is_light(opened):
    figures = re.compile(r"/_images/|\.(?:png|svg|wasm)$")  # its own file holds figures too
    loaded = sum(size for url, size in opened.sizes.items() if url != opened.url and not figures.search(url))
    assert 3e5 < loaded < 1.4e6, opened.sizes


def test_pages_open_from_a_folder(browser, html):
    page, errors = browser.new_page(), []
    page.on("requestfailed", lambda request: errors.append(request.url))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.goto((html / "search.html").as_uri() + "?q=margin")
    page.wait_for_selector("ul.search li")
    for name in ("index.html", "chapters/exhibits.html", *NUMBERED[::8]):
        page.goto((html / name).as_uri())
        page.evaluate("async () => { if (window.MathJax) await MathJax.startup.promise; }")
        assert page.evaluate(MEASURE)["failed"] == 0
    page.close()
    assert errors == []


@pytest.mark.parametrize("opened", ["chapters/00_prologue.html"], indirect=True)
def test_slider_follows_the_keyboard(opened):
    figure = opened.locator(".sliderfig").first
    label, curve = figure.locator("output"), figure.locator(".layer .family0").first
    before = label.inner_text(), curve.get_attribute("d")
    figure.locator("input").press("ArrowRight")
    assert (label.inner_text() != before[0]) and (curve.get_attribute("d") != before[1])


@pytest.mark.parametrize("opened", ["chapters/64_explorer.html"], indirect=True)
def test_every_slider_of_the_explorer_redraws_something(opened):
    def drawn():
        return opened.evaluate(
            """() => [...document.querySelectorAll(".explorer .layer .curve, .explorer image, .explorer .ball")]
                .map(e => e.getAttribute("d") || e.getAttribute("href") || e.getAttribute("cx")).join("")"""
        )

    sliders = opened.locator(".explorer input[type=range]")
    names = sliders.evaluate_all("nodes => nodes.map(n => n.getAttribute('aria-label'))")
    assert len(set(names)) == 8 and all(names)  # one of them stands in both groups
    for i, name in enumerate(names):
        before, said = drawn(), sliders.nth(i).get_attribute("aria-valuetext")
        sliders.nth(i).press("End" if name in names[:i] else "Home")  # a key, as a finger's tap at the end
        assert drawn() != before, name
        assert sliders.nth(i).get_attribute("aria-valuetext") != said
    assert "alpha=6" in opened.url  # the address carries the setting
    opened.locator(".explorer button").click()
    assert "#" not in opened.url


def test_the_search_for_poor_contrast_finds_it(browser):
    page = browser.new_page()
    page.set_content("<article><p style='color:#999;background:#fff'>pale</p><p style='color:#333'>dark</p></article>")
    assert [line.split(":")[0] for line in page.evaluate(CONTRAST)] == ["pale"]
    page.close()


@pytest.mark.parametrize("opened", ["chapters/claims.html"], indirect=True)
def test_the_ledger_is_filtered_without_a_kernel(opened):
    form = opened.locator("form.ledger-filter")
    everything = opened.locator(".ledger-entry").count()
    form.locator("select[name=paper]").select_option("servedio2003")
    form.locator("select[name=verdict]").select_option("fails as printed")
    shown = opened.locator(".ledger-entry:visible")
    assert 0 < shown.count() < everything
    assert form.locator("output").inner_text() == f"{shown.count()} of {everything} entries"
    kinds = shown.evaluate_all("nodes => [...new Set(nodes.map(n => `${n.dataset.paper}: ${n.dataset.verdict}`))]")
    assert kinds == ["servedio2003: fails as printed"]
    # a link to an entry shows it, whatever the filter was
    opened.evaluate("location.hash = 'sypherd2023-lemma-3'")
    opened.wait_for_timeout(100)
    assert opened.locator("#sypherd2023-lemma-3").is_visible()


@pytest.mark.parametrize("opened", ["chapters/claims.html"], indirect=True)
def test_words_match_the_place_first_and_stay_in_the_address(opened):
    opened.locator("form.ledger-filter input[name=words]").fill("Theorem 1")
    shown = opened.locator(".ledger-entry:visible")
    places = shown.evaluate_all("nodes => nodes.map(n => n.dataset.place)")
    assert places and all(place.startswith("Theorem 1,") for place in places)
    assert "words=Theorem+1" in opened.url
    opened.reload()
    assert shown.count() == len(places)
