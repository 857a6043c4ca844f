"""Numbers in words: nothing is called all that is not all, and nothing none that is not none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marginloss.companion.results import Recorded, Result, result_file
from marginloss.companion.wording import find, say, sentence_part


@pytest.mark.parametrize(
    ("number", "form", "words"),
    [
        (1.0, "at least", "all"),
        (0.0, "at most", "none"),
        (0.9961, "at least", "at least 99.6\N{NO-BREAK SPACE}%"),
        (0.99999, "percent", "99.999\N{NO-BREAK SPACE}%"),
        (0.745, "percent", "74\N{NO-BREAK SPACE}%"),
        (1.0, "share", "all"),
        (0.253, "points", "25 points"),
        (-0.034, "points", "\N{MINUS SIGN}3.4 points"),
        (0.01, "points", "1 point"),
        (0.0001, "points", "less than 0.1 points"),
        (0.034, "lead", "leads by 3.4 points"),
        (0.0, "lead", "is level"),
        (2.0, "times", "twice"),
        (4.12, "times", "4.1 times"),
        (4, "count", "four"),
        (80, "count", "80"),
        (10000, "", "10,000"),
        (-0.0431, ".3f", "\N{MINUS SIGN}0.043"),
    ],
)
def test_say(number, form, words):
    assert say(number, form) == words


@given(st.floats(0, 1, exclude_min=True, exclude_max=True))
def test_only_all_is_called_100_percent(share):
    if 1e-7 < share < 1 - 1e-7:
        assert float(say(share, "percent").split("\N{NO-BREAK SPACE}")[0]) not in (0.0, 100.0)


def test_names_are_found_by_their_end():
    values = {"a.fig-5.gain": 1.0, "b.fig-5.gain": 2.0, "a.fig-6.gain": 3.0}
    assert find("fig-6.gain", values) == 3.0
    with pytest.raises(KeyError, match=r"fig-5.gain could be any of a.fig-5.gain, b.fig-5.gain"):
        find("fig-5.gain", values)
    with pytest.raises(ValueError, match="unknown recorded value 'gian'"):
        find("gian", {"gain": 1.0})


def test_other_chapters_are_asked_by_full_names_only(tmp_path, monkeypatch):
    monkeypatch.setattr("marginloss.companion.results.build_folder", lambda: tmp_path)
    for chapter, key in (("11_one", "a"), ("21_two", "b")):
        values = {f"{key}.fig-5.gain": ord(key), "plateau": -ord(key)}
        Result(chapter, "quick", "", 1.0, values).write(result_file(chapter, "quick"))
    page = Recorded("11_one", "quick")
    assert find("gain", page) == find("fig-5.gain", page) == ord("a")
    assert find("b.fig-5.gain", page) == ord("b")
    assert find("21_two/plateau", page) == -ord("b")
    assert find("plateau", page) == -ord("a")
    with pytest.raises(ValueError, match="unknown recorded value 'plateau'"):
        find("plateau", Recorded("index", "quick"))


def test_two_numbers_that_are_alike_are_said_once():
    assert sentence_part("a, b:both", {"a": 1.0, "b": 1.0}) == "both 100\N{NO-BREAK SPACE}%"
