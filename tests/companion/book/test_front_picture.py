"""The picture of the README is the one that the library draws now."""

import re

import numpy as np

from marginloss.companion.book.build import FRONT
from marginloss.companion.book.layout import root
from marginloss.companion.live.figures import draw_lines
from marginloss.companion.policies import as_svg

NUMBER = re.compile(r"-?\d+\.\d+")


def test_the_committed_picture_is_in_step():
    kept, drawn = (root() / FRONT).read_text(encoding="utf-8"), as_svg(draw_lines())
    assert NUMBER.sub("#", kept) == NUMBER.sub("#", drawn)
    np.testing.assert_allclose(*[np.array(NUMBER.findall(text), float) for text in (kept, drawn)], atol=0.01)


def test_the_readme_shows_the_picture_and_no_result():
    readme = (root() / "README.md").read_text(encoding="utf-8")
    assert f"]({FRONT})" in readme
    found = readme.partition("## What we found")[2].partition("\n## ")[0]
    assert found and not re.search(r"\d+(\.\d+)?( %| points)", found)
