"""Checks about finding a good solution fail when they are handed a wrong statement."""

from __future__ import annotations

from marginloss.theory.sypherd2023 import search


def test_a_strip_that_reaches_too_far_is_not_perfect():
    assert search.eq_43().verdict == "holds with a caveat"
    assert search.eq_43(reach=40.0).verdict == "fails as printed"


def test_descent_is_not_easy_where_the_fair_coin_lasts():
    found = search.descent_from_zero()
    assert found.verdict == "holds with a caveat" and found.evidence["accuracy_alpha_2"] == 0.5
    assert search.descent_from_zero((2.5, 3.0)).verdict == "fails as printed"


def test_a_strong_penalty_is_found_out():
    assert search.regularised_or_stopped().verdict == "holds with a caveat"
    assert search.regularised_or_stopped(penalties=(0.0, 0.1)).verdict == "fails as printed"
