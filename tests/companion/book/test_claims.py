"""The row of a claim names the run behind its numbers, and a mean carries its standard error."""

import pytest

from marginloss.companion import mean_and_error
from marginloss.companion.book.claims import claim_row
from marginloss.companion.book.verdicts import SIGNS, badge, counted
from marginloss.companion.ledger import ABSENT, VERDICTS, Entry
from marginloss.companion.numbers import shown
from marginloss.theory import Finding

CLAIM = Entry("zhai2021:c1", "claim", "paper", "Section 1", "It gains.", "holds", "By {gain:.2f}.")


def test_a_row_says_whose_run_its_numbers_are_from():
    row = claim_row(CLAIM, Finding("zhai2021:c1", "holds", 0.123456, {"gain": 0.25, "runs": 12.0}))
    assert "*By 0.25.* (Check: 12 runs of its own.)" in row
    assert row.endswith("| 0.123 |")
    assert 'id="zhai2021-c1" href="claims.html#zhai2021-c1"' in row
    assert "of its own" not in claim_row(CLAIM, Finding("zhai2021:c1", "holds", 0.1, {"gain": 0.25}))


def test_what_is_ours_says_so():
    ours = Entry("zhai2021:c1", "claim", "ours", "Section 1", "It gains.", "holds")
    assert "Section 1 (ours)." in claim_row(ours, Finding("zhai2021:c1", "holds", None, {}))


def test_every_verdict_has_a_badge():
    assert SIGNS.keys() == {verdict for verdicts in VERDICTS.values() for verdict in verdicts} | {ABSENT}
    assert badge("holds") == '<span class="verdict" data-verdict="holds">✓\u00a0holds</span>'
    assert badge("") == ""
    assert "✓\u00a02 holds" in counted({"holds": 2, "undecided": 0})


def test_a_mean_needs_two_runs():
    assert mean_and_error(gain=[1.0, 3.0]) == {"gain": 2.0, "gain_se": 1.0}
    with pytest.raises(ValueError, match="gain must hold the values of at least two runs"):
        mean_and_error(gain=[1.0])


@pytest.mark.parametrize(
    ("value", "text"),
    [(1 / 3, "0.333"), (123456.7, "123457"), (12, "12"), (1e-12, "1e-12"), (0.0, "0"), ("a-b", "a-b")],
)
def test_two_or_three_digits(value, text):
    assert shown(value) == text
