"""The whole book as one PDF: all pages in one, printed by a browser."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from marginloss.companion.book.layout import pages, root

PDF = "Marginalia.pdf"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
FIRST = "chapters/00_prologue.html"  # whose head has the scripts for mathematics
HEAD = re.compile(r"<head>.*?</head>", re.DOTALL)
ARTICLE = re.compile(r'<article class="bd-article">(.*?)</article>', re.DOTALL)
SCRIPT = re.compile(r"<script\b.*?</script>", re.DOTALL)
INERT = re.compile(r'<template class="cards">.*?</template>|<a class="headerlink".*?</a>', re.DOTALL)
LINK = re.compile(r'href="(?![\w./]*_modules/)(?:[\w./]*/)?(?P<page>\w+)\.html(?:#(?P<id>[^"]*))?"')
STYLE = """<style>
article { break-before: page; } article:first-of-type { break-before: auto; }
body { display: block; font-size: 10pt; } details > summary { break-after: avoid; }
</style>"""
FOOT = '<div style="font: 8pt sans-serif; width: 100%; text-align: center"><span class="pageNumber"></span></div>'
# the end of typesetting, and formulas that are too wide for the paper made smaller
READY = """async () => {
    await MathJax.startup.promise;
    await document.fonts.ready;
    document.querySelectorAll("img").forEach(image => { image.loading = "eager"; });
    await Promise.all([...document.images].map(image => image.decode().catch(() => {})));
}"""


def one_page(html: Path, sources: Sequence[Path]) -> str:
    """Pages of the book as one, with links that stay inside and figures as pictures."""
    names = [path.relative_to(root()).with_suffix(".html") for path in sources]
    stems = {name.stem for name in names}
    head = HEAD.search((html / FIRST).read_text(encoding="utf-8"))
    assert head is not None
    scripts = [script for script in SCRIPT.findall(head[0]) if "athjax" in script or "MathJax" in script]
    scripts.append('<script defer src="_static/book.js"></script>')
    front = SCRIPT.sub("", head[0]).replace("</head>", "\n".join([*scripts, STYLE, "</head>"])).replace('"../', '"')
    articles = [_inside(name.stem, (html / name).read_text(encoding="utf-8"), stems) for name in names]
    return f'<!DOCTYPE html>\n<html lang="en" data-theme="light">{front}<body>{"".join(articles)}</body></html>'


def _inside(stem: str, page: str, stems: set[str]) -> str:
    """The article of a page, its anchors told from those of other pages."""
    found = ARTICLE.search(page)
    assert found is not None
    text = INERT.sub("", SCRIPT.sub("", found[1])).replace('"../', '"')
    text = re.sub(r'\bid="([^"]+)"', rf'id="{stem}--\1"', text)
    text = re.sub(r'href="#([^"]+)"', rf'href="#{stem}--\1"', text)

    def inward(link: re.Match[str]) -> str:
        page = link["page"]
        anchor = f"{page}--{link['id']}" if link["id"] else page
        return f'href="#{anchor}"' if page in stems else link[0]

    return f'<article class="bd-article bd-content" id="{stem}">{LINK.sub(inward, text)}</article>'


def print_book(html: Path, sources: Sequence[Path] | None = None) -> Path:
    """Print the built pages of these sources, all if none are named.

    ``ImportError`` or ``FileNotFoundError`` says what is missing.
    """
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        raise ImportError("the PDF is printed by a browser: pip install '.[browser]' in a clone") from error
    browser_path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser_path is None:
        raise FileNotFoundError(f"the PDF is printed by a browser, one of {', '.join(BROWSERS)}; none is installed")
    whole, target = html / "whole_book.html", html / PDF
    whole.write_text(one_page(html, sources or pages()), encoding="utf-8")
    try:
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=browser_path, args=["--no-sandbox", "--disable-gpu"])
            page = browser.new_page(viewport={"width": 680, "height": 960})
            page.set_default_timeout(600_000)
            page.goto(whole.as_uri())
            page.evaluate(READY)
            page.emulate_media(media="print")
            page.pdf(
                path=target,
                format="A4",
                margin={"top": "16mm", "bottom": "16mm", "left": "16mm", "right": "16mm"},
                outline=True,
                tagged=True,
                print_background=True,
                display_header_footer=True,
                header_template="<span></span>",
                footer_template=FOOT,
            )
            browser.close()
    finally:
        whole.unlink()
    return target
