"""Scripts and fonts of other projects, cut to what the pages use, so that a page is light and works from a folder.

Browsers refuse fonts that lie beside a page opened from a folder; those that pages use are written into the files that
ask for them.
"""

from __future__ import annotations

import base64
import io
import re
from importlib.metadata import files
from pathlib import Path

MATHEMATICS = "mathjax"
"""Folder of the scripts that draw mathematics, below the book's static files; made by the build."""
COMPONENTS = ["startup.js", "core.js", "input/tex.js", "output/chtml.js", "output/chtml/fonts/tex.js"]
FACES = ["Main-Regular", "Math-Italic", "AMS-Regular", "Calligraphic-Regular", "Zero"]
FACES += [f"Size{size}-Regular" for size in range(1, 5)]  # a formula in another face fails the tests of the pages
DYNAMIC = re.compile(r"bs-|tooltip|popover|show|fade|collaps|modal|offcanvas")
"""Classes that scripts of the theme put together from pieces."""


def copy_mathematics(static: Path) -> None:
    """Copy the parts of MathJax that formulas need, the fonts within.

    Raises ``FileNotFoundError`` if its package is not as expected.
    """
    package = {str(file).partition("static/mathjax/")[2]: file for file in files("sphinx-mathjax-offline") or []}
    fonts = {f"MathJax_{face}.woff": f"output/chtml/fonts/woff-v2/MathJax_{face}.woff" for face in FACES}
    missing = {*COMPONENTS, *fonts.values()} - set(package)
    if missing:
        raise FileNotFoundError(f"sphinx-mathjax-offline has no {min(missing)}: install the extra 'book' again")
    data = {font: _data_address(Path(str(package[place].locate())).read_bytes()) for font, place in fonts.items()}
    for name in COMPONENTS:
        script = Path(str(package[name].locate())).read_text(encoding="utf-8")
        script = re.sub(r"%%URL%%/([\w-]+\.woff)", lambda font: data.get(font[1], font[0]), script)
        target = static / MATHEMATICS / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(script, encoding="utf-8")


def trim_theme(pages: Path) -> None:
    """Keep of Font Awesome, which the theme brings whole, the icons that occur, as fonts within one small style sheet.

    Its script, which draws the same icons a second time, becomes empty. The heading that the theme adds for print, a
    second one of the first rank, becomes a paragraph.
    """
    texts = {page: page.read_text(encoding="utf-8") for page in pages.rglob("*.html")}
    icons = {name for text in texts.values() for name in re.findall(r"\bfa-[\w-]+", text)}
    themes = "".join(path.read_text(encoding="utf-8") for path in pages.glob("_static/styles/*.css"))
    for sheet in pages.glob("_static/vendor/fontawesome/*/css/all.min.css"):
        sheet.write_text(_trimmed(sheet.read_text(encoding="utf-8"), icons, themes, sheet.parents[1] / "webfonts"))
        for script in sheet.parents[1].glob("js/*.js"):
            script.write_text("// icons are drawn by the style sheet\n", encoding="utf-8")
    words = set(
        re.findall(r"[\w-]+", " ".join([*texts.values(), *(path.read_text("utf-8") for path in _scripts(pages))]))
    )
    for sheet in [*pages.glob("_static/styles/bootstrap.css"), *pages.glob("_static/sphinx-design.min.css")]:
        sheet.write_text(_used(sheet.read_text(encoding="utf-8"), words), encoding="utf-8")
    for page, text in texts.items():
        light = re.sub(r"<link[^>]*fontawesome[^>]*webfonts[^>]*>\s*", "", text)  # fonts that would be fetched ahead
        light = re.sub(r'(id="jb-print-docs-body"[^>]*>\s*)<h1>(.*?)</h1>', r'\1<p class="print-title">\2</p>', light)
        if light != text:
            page.write_text(light, encoding="utf-8")


def _trimmed(sheet: str, icons: set[str], themes: str, fonts: Path) -> str:
    """The style sheet with the rules of these icons, and fonts with their letters and those of the themes."""
    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib import TTFont

    # rules of icons, .fa-bars:before,.fa-navicon:before{content:"\f0c9"}, without those that no page names
    sheet = re.sub(
        r'(?:\.fa-[\w-]+:before,?)+\{content:"[^"]*"\}',
        lambda rule: rule[0] if icons & set(re.findall(r"fa-[\w-]+", rule[0])) else "",
        sheet,
    )
    # names that fonts had in older versions, each a second copy
    sheet = re.sub(r'@font-face\{[^}]*font-family:(?:"?FontAwesome"?|Font Awesome\\ 5 \w+)[;}][^}]*\}', "", sheet)
    letters = {int(code, 16) for code in re.findall(r'"\\([0-9a-f]{4})"', sheet + themes)}
    letters |= {ord(letter) for letter in themes if "\ue000" <= letter < "\uf900"}  # some are written as themselves
    for font in fonts.glob("*.ttf"):
        face, written = TTFont(font), io.BytesIO()
        subsetter = Subsetter(Options(layout_features=[]))
        subsetter.populate(unicodes=letters)
        subsetter.subset(face)
        face.flavor = "woff"
        face.save(written)
        both = rf'url\([^)]*{font.stem}\.woff2\) format\("woff2"\),url\([^)]*\) format\("truetype"\)'
        sheet = re.sub(both, f'url({_data_address(written.getvalue())}) format("woff")', sheet)
    return sheet


def _scripts(pages: Path) -> list[Path]:
    return [path for path in pages.glob("_static/**/*.js") if MATHEMATICS not in path.parts]


def _used(sheet: str, words: set[str]) -> str:
    """The style sheet without the rules for classes that neither a page nor a script names."""

    def applies(selector: str) -> bool:
        return all(name in words or DYNAMIC.match(name) for name in re.findall(r"\.(-?[a-zA-Z_][\w-]*)", selector))

    def kept(rule: re.Match[str]) -> str:
        return rule[0] if any(map(applies, rule["selectors"].split(","))) else ""

    return re.sub(r"(?P<selectors>[^{}@;]+)\{[^{}]*\}", kept, sheet)


def _data_address(data: bytes) -> str:
    return f"data:font/woff;base64,{base64.b64encode(data).decode('ascii')}"
