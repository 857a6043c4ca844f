"""Live figures in Chromium: bits, requests, mouse, keyboard, touch, address, and what stays without WebAssembly."""

import base64
import functools
import shutil
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from marginloss.companion.live import figures
from marginloss.companion.live.kernels import FIGURES

pytestmark = pytest.mark.browser

STATIC = Path(__file__).parents[3] / "chapters" / "_static"
KINDS = {"float64": "Float64Array", "int8": "Int8Array", "uint8": "Uint8Array"}
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,"><link rel="stylesheet" href="draw.css"><body>{figure}
<script defer src="draw.js"></script><script defer src="live.js"></script>
<script defer src="live_{name}.js"></script>"""
# calls kernels with arrays given as text, and gives back what they left in them
CALL = """calls => { const { kernels } = document.querySelector(".live"); return calls.map(([name, given]) => {
    const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer;
    const values = given.map(v => v.kind ? live.fill(new globalThis[v.kind](bytes(v.bytes)), ...v.shape) : v);
    const letters = a => Array.from(new Uint8Array(a.buffer), b => String.fromCharCode(b));
    const text = a => btoa(letters(a).join(""));
    const result = kernels[name](...values);
    return [result === undefined ? null : result, values.filter(v => v.buffer).map(text)];
}); }"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder with a page for each figure and the scripts beside it."""
    plt = pytest.importorskip("matplotlib.pyplot")
    folder = tmp_path_factory.mktemp("site")
    for path in [*STATIC.glob("*.js"), STATIC / "draw.css"]:
        shutil.copy(path, folder)
    for name in FIGURES:
        page = PAGE.format(figure=getattr(figures, f"{name}_figure")()._repr_html_(), name=name)
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
    plt.close("all")
    return folder


@pytest.fixture
def visit(chromium, site):
    """Opens a figure as a phone with touch and mouse; what it asked for and what went wrong are kept."""
    opened = []

    def visit(name, address="", base=None, before="", **options):
        context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True, **options)
        opened.append(context)
        page = context.new_page()
        page.asked, page.errors = [], []
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        page.add_init_script(before)
        page.goto(f"{base or site.as_uri()}/{name}.html{address}")
        if options.get("java_script_enabled", True):
            page.wait_for_selector(".live[data-state]")
        return page

    yield visit
    for context in opened:
        context.close()


def said(page):
    """What the figure says in words, without the time that it took; after the next frame."""
    page.wait_for_timeout(120)
    return page.locator(".said").text_content().split(" Trained")[0].split(" Three lines")[0]


def in_plane(page, x, y, touch=False):
    """Click or tap at a share of the width and height of a figure's first drawing."""
    box = page.locator(".drawing").first.bounding_box()
    at = box["x"] + x * box["width"], box["y"] + y * box["height"]
    (page.touchscreen.tap if touch else page.mouse.click)(*at)


def packed(value):
    if not isinstance(value, np.ndarray):
        return value
    content = base64.b64encode(value.tobytes()).decode()
    return {"kind": KINDS[str(value.dtype)], "bytes": content, "shape": list(value.shape)}


@pytest.mark.parametrize("name", FIGURES)
def test_the_browser_has_the_bits_of_this_process(name, visit, settings):
    calls, expected = [], []
    for kernel, arguments in settings(name):
        calls.append([kernel, [packed(a) for a in arguments]])
        result = FIGURES[name][kernel][0](*arguments)
        expected.append([result, [packed(a)["bytes"] for a in arguments if isinstance(a, np.ndarray)]])
    found = visit(name).evaluate(CALL, calls)
    assert len(found) >= 100
    assert [call[0] for call, a, b in zip(calls, found, expected, strict=True) if a != b] == []


@pytest.mark.parametrize("name", FIGURES)
def test_nothing_is_requested_from_a_folder_or_over_http(name, visit, site):
    page = visit(name, offline=True)
    assert [url for url in page.asked if not url.startswith((site.as_uri(), "data:", "blob:"))] == []
    assert page.errors == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}"
    page = visit(name, base=base)
    assert [url for url in page.asked if not url.startswith((base, "data:", "blob:"))] == []
    assert page.locator(".live").get_attribute("data-state") == "live" and page.errors == []
    server.shutdown()


@pytest.mark.parametrize("name", FIGURES)
def test_every_control_redraws_and_the_address_brings_it_back(name, visit):
    page = visit(name)
    for slider in page.locator(".controls input").all():
        before = slider.get_attribute("aria-valuetext")
        slider.press("ArrowLeft" if slider.input_value() == slider.get_attribute("max") else "ArrowRight")
        assert slider.get_attribute("aria-valuetext") != before
    for select in page.locator(".controls select").all():
        select.select_option(index=1)
    words, address = said(page), "#" + page.url.split("#")[1]
    assert words != said(visit(name)) and page.errors == []
    assert said(visit(name, address)) == words
    page.get_by_text("start again").click()
    assert said(page) == said(visit(name))


def test_points_are_dragged_flipped_and_moved(visit):
    page = visit("drag")
    points = lambda: page.evaluate("document.querySelector('.live').api.points.map(p => [...p])")  # noqa: E731
    start, i = points(), 40
    box = page.locator(f".grip[data-i='{i}']").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y - 40, steps=4)
    page.mouse.up()
    moved = points()
    assert moved[i][0] > start[i][0] + 0.3 and moved[i][1] > start[i][1] + 0.2 and moved[i][2] == start[i][2]
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Space")
    flipped = points()
    assert flipped[i][0] == pytest.approx(moved[i][0] - 0.05) and flipped[i][2] == -moved[i][2]
    page.wait_for_timeout(60)
    box = page.locator(f".grip[data-i='{i}']").bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert points()[i][2] == moved[i][2]
    assert said(visit("drag", "#" + page.url.split("#")[1])).split("The chosen")[0] == said(page).split("The chosen")[0]


def test_a_finger_moves_a_point_and_not_the_page(visit):
    page = visit("drag", is_mobile=True)
    page.evaluate("document.body.style.paddingBottom = '900px'")  # a page that could scroll
    grip = page.locator(".grip[data-i='40']")
    grip.scroll_into_view_if_needed()
    page.wait_for_timeout(100)
    point, scrolled = "document.querySelector('.live').api.points[40].slice()", page.evaluate("scrollY")
    box, start = grip.bounding_box(), page.evaluate(point)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    finger = page.context.new_cdp_session(page)
    for kind, step in [("touchStart", 0), *(("touchMove", step) for step in range(1, 8)), ("touchEnd", None)]:
        points = [] if step is None else [{"x": x + 8 * step, "y": y - 10 * step}]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        page.wait_for_timeout(30)
    end = page.evaluate(point)
    assert end[0] > start[0] + 0.35 and end[1] > start[1] + 0.45
    assert page.evaluate("scrollY") == scrolled


def test_rounds_are_played(visit):
    page = visit("boost")
    page.get_by_text("play the rounds").tap()
    page.wait_for_selector(".live[data-round]")
    first = page.locator(".live").get_attribute("data-round")
    page.wait_for_timeout(1500)
    assert int(page.locator(".live").get_attribute("data-round")) > int(first)
    page.get_by_text("stop", exact=True).focus()
    page.keyboard.press("Enter")
    page.wait_for_timeout(100)
    stopped = page.locator(".live").get_attribute("data-round")
    page.wait_for_timeout(300)
    assert page.locator(".live").get_attribute("data-round") == stopped


def test_the_ball_rolls_at_once_for_those_who_want_no_motion(visit):
    page = visit("roll", reduced_motion="reduce")
    in_plane(page, 0.8, 0.3)
    assert "all examples right" in said(page).split("At α")[0]
    in_plane(page, 0.16, 0.2, touch=True)
    assert "a fair coin" in said(page).split("At α")[0]
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Enter")
    assert said(page).startswith("Dropped at")
    assert "ball=" in page.url
    page.get_by_text("lower α").click()
    lowered = said(page)
    page.get_by_text("raise α").click()
    assert "all examples right" in lowered.split("At α")[0] and "a fair coin" in said(page).split("At α")[0]


def test_poison_is_placed(visit):
    page = visit("poison")
    count = lambda: page.locator(".live").get_attribute("data-poison")  # noqa: E731
    in_plane(page, 0.6, 0.7)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    in_plane(page, 0.4, 0.4, touch=True)
    assert said(page).startswith("3 malicious") and count() == "3"
    page.keyboard.press("Backspace")
    assert said(page).startswith("2 malicious")
    assert said(visit("poison", "#" + page.url.split("#")[1])) == said(page)


# trains once more, and says how many milliseconds that took
AGAIN = """name => { const { api, dataset } = document.querySelector(".live");
    const once = () => (name === "roll" ? api.roll(2, [4, 8]).ms : (api.show(), +dataset.ms));
    return Math.min(...Array.from({ length: 15 }, once));
}"""


@pytest.mark.parametrize("name", FIGURES)
def test_training_is_done_before_a_finger_moves(name, visit):
    page = visit(name)
    assert page.evaluate(AGAIN, name) < 50
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 6})
    assert page.evaluate(AGAIN, name) < 150, "on a processor that is six times slower"


@pytest.mark.parametrize("name", FIGURES)
def test_without_scripts_the_picture_stays(name, visit):
    page = visit(name, java_script_enabled=False)
    assert page.locator(".still").is_visible()
    assert "With scripts switched on" in page.locator(".live-missing").inner_text()


@pytest.mark.parametrize("name", FIGURES)
def test_without_web_assembly_the_picture_stays(name, visit):
    page = visit(name, before="delete globalThis.WebAssembly")
    assert page.locator(".still").is_visible() and page.locator(".drawing").count() == 0
    assert page.locator(".live-missing").inner_text().startswith("This browser has no WebAssembly")
    assert page.errors == []


def test_a_figure_is_light(site):
    """At most 60 kB for the element, its script and those that all figures share."""
    for name in FIGURES:
        size = len((site / f"{name}.html").read_bytes()) + (site / f"live_{name}.js").stat().st_size
        shared = sum((site / script).stat().st_size for script in ("draw.js", "live.js"))
        assert size + shared <= 60_000, (name, size, shared)
