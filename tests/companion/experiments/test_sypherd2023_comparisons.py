"""Differences and spreads over runs, against their definitions and against a known standard error."""

import numpy as np
import pandas as pd
import pytest

from marginloss.companion import mean_and_error
from marginloss.companion.experiments.sypherd2023.comparisons import ahead, apart, jackknife, log_deviation_ratio


def test_the_best_is_chosen_by_its_mean_and_not_in_each_run():
    runs = pd.DataFrame({"a": [0.0, 1.0, 0.0], "b": [0.5, 0.5, 0.5], "c": [0.25, 0.25, 0.25]})
    assert ahead(runs, ["a", "b"], ["c"]).tolist() == [0.25, 0.25, 0.25]
    assert ahead(runs, ["c"], ["a", "b"]).tolist() == [-0.25, -0.25, -0.25]
    assert apart(runs).tolist() == [0.25, 0.25, 0.25]


def test_jackknife_gives_the_error_of_a_mean_and_takes_the_bias_off_a_variance():
    runs = pd.DataFrame({"a": np.random.default_rng(0).normal(size=12)})
    plain = mean_and_error(a=runs["a"])
    assert mean_and_error(a=jackknife(lambda table: table["a"].mean(), runs)) == pytest.approx(plain)
    biased = jackknife(lambda table: table["a"].var(ddof=0), runs)
    assert biased.mean() == pytest.approx(runs["a"].var())


def test_a_wider_column_is_told_from_an_equal_one():
    rng = np.random.default_rng(0)
    draws = rng.normal(size=(400, 2)) * [1.0, 2.0]
    runs = pd.DataFrame(draws, columns=["narrow", "wide"])
    found = mean_and_error(ratio=log_deviation_ratio(runs, "wide", "narrow"))
    assert found["ratio"] == pytest.approx(np.log(2), abs=3 * found["ratio_se"])
    # of two independent normal samples: a variance of 1 / (2n) for each logarithm
    assert found["ratio_se"] == pytest.approx(1 / np.sqrt(400), rel=0.15)
    two = pd.concat({"wide": runs[["wide", "wide"]], "narrow": runs[["narrow", "narrow"]]}, axis=1)
    assert log_deviation_ratio(two, "wide", "narrow").mean() == pytest.approx(found["ratio"])
