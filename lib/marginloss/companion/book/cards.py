"""Cards: what a reference to an equation, a claim, a paper or a word of the glossary leads to, in the page that refers.

In a chapter the first use of each word of the glossary is such a reference. Cards lie in each page as an inert element,
so that nothing is fetched when ``book.js`` shows one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

ARTICLE = re.compile(r'<article class="bd-article".*?</article>', re.DOTALL)
LINK = re.compile(r'<a\b(?P<before>[^>]*)\bhref="(?P<page>[^"#:]*)#(?P<id>[^"]+)"(?P<after>[^>]*)>')
EQUATION = re.compile(
    r'<div class="math[^"]*" id="(?P<id>equation-[\w-]+)">\s*(?:<span class="eqno">.*?</span>)?'
    r"(?P<text>\\\[.*?\\\])</div>",
    re.DOTALL,
)
PAPER = re.compile(r'<div class="citation" id="(?P<id>[\w-]+)".*?<p>(?P<text>.*?)</p>', re.DOTALL)
WORD = re.compile(r'<dt id="(?P<id>term-[\w-]+)">(?P<words>[^<]*).*?<dd>(?P<text>.*?)</dd>', re.DOTALL)
CLAIM = re.compile(
    r'<div class="ledger-entry" id="(?P<id>[\w-]+)"[^>]*><p class="ledger-head">.*?'
    r'(?P<verdict><span class="verdict".*?</span>)</p>\s*(?P<text><p>.*?</p>)',
    re.DOTALL,
)
PLAIN = {"advantage", "alpha", "claim", "coin", "large margin", "link", "measure", "tilt", "weight"}
"""Words of the glossary that sentences use in their everyday meaning too."""
TAG = re.compile(r"(<[^>]+>)")
NAMED = ("a", "code", "pre", "script", "button", "figcaption", "strong", "table")
"""Elements within which no word becomes a link."""
SOURCES = {"bibliography.html": PAPER, "glossary.html": WORD, "claims.html": CLAIM}


def add_cards(pages: Path) -> None:
    """Write into each page the cards of its references."""
    texts = {path: path.read_text(encoding="utf-8") for path in [pages / "index.html", *pages.glob("chapters/*.html")]}
    known = {key: card for path, text in texts.items() for key, card in _targets(path.name, text).items()}
    words = {
        word.strip(): found["id"]
        for found in WORD.finditer(texts.get(pages / "chapters" / "glossary.html", ""))
        for word in found["words"].split(",")
    }
    for path, text in texts.items():
        if path.name[0].isdigit():
            text = ARTICLE.sub(lambda article: _with_words(article[0], words), text, count=1)
        path.write_text(ARTICLE.sub(_with_cards(path.name, known), text, count=1), encoding="utf-8")


def _targets(name: str, text: str) -> dict[tuple[str, str], str]:
    """Cards of what stands on a page, by page and anchor; a link within a card would be out of reach."""
    patterns = [EQUATION, *([SOURCES[name]] if name in SOURCES else [])]
    return {(name, found["id"]): _card(found) for pattern in patterns for found in pattern.finditer(text)}


def _card(found: re.Match[str]) -> str:
    facts = found.groupdict()
    text = re.sub(r"</?a\b[^>]*>", "", facts["text"])
    if found["id"].startswith("equation-"):
        text = f'<div class="math notranslate nohighlight">{text}</div>'
    return facts.get("verdict", "") + text


def _with_words(article: str, words: dict[str, str]) -> str:
    """The article with a link at the first use of each word of the glossary, in sentences only."""
    known = sorted(words.keys() - PLAIN, key=len, reverse=True)
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, known))})(?=s?\b)", re.IGNORECASE)
    by_lower, used = {word.lower(): id_ for word, id_ in words.items()}, set()

    def mark(found: re.Match[str]) -> str:
        id_ = by_lower[found[0].lower()]
        if id_ in used:
            return found[0]
        used.add(id_)
        return f'<a class="word" href="glossary.html#{id_}">{found[0]}</a>'

    parts, sentence, depth = TAG.split(article), False, 0
    for i, part in enumerate(parts):
        if i % 2:  # a tag
            sentence = part == "<p>" or (sentence and part != "</p>")
            name = re.match(r"</?(\w*)", part)
            depth += bool(name and name[1] in NAMED) * (-1 if part.startswith("</") else 1)
        elif sentence and not depth and known and "\\(" not in part:
            parts[i] = pattern.sub(mark, part)
    return "".join(parts)


def _with_cards(name: str, known: dict[tuple[str, str], str]) -> Callable[[re.Match[str]], str]:
    """The function that puts cards into the article of a page."""

    def add(article: re.Match[str]) -> str:
        used: dict[str, str] = {}

        def mark(link: re.Match[str]) -> str:
            target = (link["page"].rpartition("/")[2] or name, link["id"])
            own = target[0] == name and name in SOURCES  # the page that explains itself
            if target not in known or own or "headerlink" in link[0] or f'id="{link["id"]}"' in link[0]:
                return link[0]
            card = f"card-{target[0].removesuffix('.html')}-{target[1]}"
            used[card] = known[target]
            return f'{link[0][:-1]} data-card="{card}">'

        text = LINK.sub(mark, article[0])
        cards = "".join(f'<div id="{card}">{content}</div>' for card, content in sorted(used.items()))
        return text.replace("</article>", f'<template class="cards">{cards}</template></article>') if used else text

    return add
