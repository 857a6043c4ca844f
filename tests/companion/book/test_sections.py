"""Where a chapter treats an entry, and what of the library stands behind it."""

from __future__ import annotations

from marginloss.companion.book.provenance import behind
from marginloss.companion.book.sections import chapter_title, section_of

CHAPTER = """---
kernelspec: {name: python3}
---

# The *chapter*

```{code-cell} ipython3
:tags: [hide-input]
# this comment is no heading
from marginloss import losses
from marginloss.companion.exhibits import record
from marginloss.losses import AlphaLoss, HingeLoss
```

(first-label)=
## One knob, $\\alpha$

```{code-cell} ipython3
loss = AlphaLoss(2)
limits = [loss.bound]
other = HingeLoss()
record("a:fig-1", x=limits[0])
```

## The second: `code` & more

### Below

```{code-cell} ipython3
record("a:fig-10", x=losses.HingeLoss().bound)
for kind in ("one", "two"):
    limits = AlphaLoss(3).bound
    record(f"a:table-1-{kind}", x=limits)
```
"""


def functions(entry_id):
    return [name for _, _, name in behind(entry_id, CHAPTER)]


def test_title():
    assert chapter_title(CHAPTER) == "The chapter"


def test_a_label_is_the_anchor():
    section = section_of("a:fig-1", CHAPTER)
    assert (section.title, section.anchor) == ("One knob, alpha", "first-label")


def test_the_nearest_heading_counts():
    section = section_of("a:fig-10", CHAPTER)
    assert (section.title, section.anchor) == ("Below", "below")


def test_ids_that_begin_alike_are_told_apart():
    assert section_of("a:fig-100", CHAPTER) is None
    assert section_of("a:fig", CHAPTER) is None


def test_only_what_a_record_is_computed_from_stands_behind_it():
    assert functions("a:fig-1") == ["AlphaLoss"]
    assert functions("a:fig-10") == ["HingeLoss"]
    assert functions("a:fig-100") == []


def test_ids_that_are_put_together_are_found():
    assert section_of("a:table-1-two", CHAPTER).anchor == "below"
    assert functions("a:table-1-two") == ["AlphaLoss"]


def test_a_given_anchor_wins():
    assert section_of("a:fig-1", CHAPTER, "elsewhere").anchor == "elsewhere"
