"""Cards of references, made from pages as Sphinx writes them."""

import pytest

from marginloss.companion.book.cards import add_cards

PAGES = {
    "chapters/11_one.html": '<div class="math notranslate" id="equation-eq-a">\n<span class="eqno">(1.1)'
    '<a class="headerlink" href="#equation-eq-a">#</a></span>\\[a &lt; b\\]</div>'
    '<p><span class="edge" title="edge">An</span> edge by '
    '<a class="reference internal" href="#equation-eq-a">(1.1)</a>; more edges. <code>twist</code></p>'
    '<p>See <a class="reference internal" href="bibliography.html#id5">Servedio</a> and <a href="claims.html#k-1">k</a>'
    '; in a table <a id="k-1" href="claims.html#k-1">k</a>. Twists of <span>\\(edge\\)</span>.</p>',
    "chapters/bibliography.html": '<div class="citation" id="id5"><span>Ser</span>\n<p>R. <em>Servedio</em></p></div>',
    "chapters/glossary.html": '<dl><dt id="term-edge">edge<a class="headerlink" href="#term-edge">#</a></dt><dd>'
    '<p>Of a <a href="#term-twist">twist</a></p></dd><dt id="term-twist">twist</dt><dd><p>A turn.</p></dd></dl>',
    "chapters/claims.html": '<div class="ledger-entry" id="k-1"><p class="ledger-head"><code>k:1</code> '
    '<span class="verdict">holds</span></p>\n<p>One is <strong>one</strong>.</p>\n<p>More.</p></div>',
    "index.html": "<p>Nothing here is a link: an edge.</p>",
}


@pytest.fixture
def page(tmp_path):
    (tmp_path / "chapters").mkdir()
    for name, text in PAGES.items():
        (tmp_path / name).write_text(f'<main><article class="bd-article">{text}</article></main>', encoding="utf-8")
    add_cards(tmp_path)
    assert "data-card" not in (tmp_path / "index.html").read_text("utf-8")
    return (tmp_path / "chapters" / "11_one.html").read_text("utf-8")


def test_each_reference_has_its_card_once(page):
    _, _, cards = page.partition('<template class="cards">')
    assert cards.count('<div id="card-') == 5
    assert (
        '<div id="card-11_one-equation-eq-a"><div class="math notranslate nohighlight">\\[a &lt; b\\]</div></div>'
        in cards
    )
    assert '<div id="card-bibliography-id5">R. <em>Servedio</em></div>' in cards
    assert '<span class="verdict">holds</span><p>One is <strong>one</strong>.</p></div>' in cards
    assert "<a" not in cards


def test_anchors_and_rows_that_say_it_themselves_have_none(page):
    assert '<a class="headerlink" href="#equation-eq-a">' in page
    assert '<a id="k-1" href="claims.html#k-1">' in page


def test_the_first_use_of_a_word_is_a_reference(page):
    def link(word, shown):
        return f'<a class="word" href="glossary.html#term-{word}" data-card="card-glossary-term-{word}">{shown}</a>'

    assert f'<span class="edge" title="edge">An</span> {link("edge", "edge")} by' in page
    assert f"{link('twist', 'Twist')}s of" in page
    assert page.count('class="word"') == 2
