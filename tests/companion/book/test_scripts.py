"""Pages get the scripts of what is drawn in them, and the build says which figures cannot compute."""

import logging

from marginloss.companion.book.extension import add_scripts


class Recorder:
    def __init__(self):
        self.scripts = []

    def add_js_file(self, name, loading_method):
        assert loading_method == "defer"  # in this order, after the page is there
        self.scripts.append(name)


def scripts_of(body):
    app = Recorder()
    add_scripts(app, "page", "page.html", {"body": body}, None)
    return app.scripts


def test_a_page_gets_its_scripts_and_no_others():
    assert scripts_of("<p>words</p>") == []
    assert scripts_of('<div class="sliderfig"><svg>') == ["draw.js", "sliderfig.js"]
    live = '<div class="live" data-live="roll" role="group">'
    assert scripts_of(live + '<div class="explorer" role') == ["draw.js", "live.js", "live_roll.js", "explorer.js"]


def test_a_figure_without_kernels_is_reported(caplog):
    logging.getLogger("sphinx").propagate = True
    with caplog.at_level(logging.INFO):
        scripts_of('<div class="live" data-live="roll"><script>{"missing":"numba 0.99 is not known"}</script>')
    assert "page: a live figure is a picture only: numba 0.99 is not known" in caplog.text
