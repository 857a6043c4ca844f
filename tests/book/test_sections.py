"""Where a chapter treats an entry, and what of the library it uses there."""

from __future__ import annotations

from marginalia.book.sections import chapter_title, section_of

CHAPTER = """---
kernelspec: {name: python3}
---

# The *chapter*

```{code-cell} ipython3
:tags: [hide-input]
# this comment is no heading
from marginalia import losses
from marginalia.exhibits import record
from marginalia.losses import AlphaLoss, HingeLoss
```

(first-label)=
## One knob, $\\alpha$

```{code-cell} ipython3
loss = AlphaLoss(2)
record("a:fig-1", x=1)
```

## The second: `code` & more

### Below

```{code-cell} ipython3
record("a:fig-10", x=losses.HingeLoss().bound)
```
"""


def test_title():
    assert chapter_title(CHAPTER) == "The chapter"


def test_a_label_is_the_anchor():
    section = section_of("a:fig-1", CHAPTER)
    assert (section.title, section.anchor) == ("One knob, alpha", "first-label")
    assert [name for _, _, name in section.functions] == ["AlphaLoss"]


def test_the_nearest_heading_counts():
    section = section_of("a:fig-10", CHAPTER)
    assert (section.title, section.anchor) == ("Below", "below")
    assert [name for _, _, name in section.functions] == ["HingeLoss"]


def test_ids_that_begin_alike_are_told_apart():
    assert section_of("a:fig-100", CHAPTER) is None
    assert section_of("a:fig", CHAPTER) is None


def test_a_given_anchor_wins():
    assert section_of("a:fig-1", CHAPTER, "elsewhere").anchor == "elsewhere"
