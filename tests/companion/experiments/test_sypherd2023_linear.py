"""Linear models under noise: what the experiments return, and the findings at a small size."""

import numpy as np
import pandas as pd
import pytest

from marginloss.companion.experiments.sypherd2023.linear import (
    MIXTURE_ALPHAS,
    SURVEY_ALPHAS,
    mixture_errors,
    survey_errors,
    survey_sample,
)
from marginloss.datasets import gaussian_mixture_bayes


def test_mixture_errors():
    rows = mixture_errors(p=0.0, n=3000, steps=200, step_size=0.1, rng=np.random.default_rng(0))
    table = pd.DataFrame(rows).set_index("alpha")
    assert tuple(table.index) == MIXTURE_ALPHAS
    bayes = np.r_[gaussian_mixture_bayes()[0], gaussian_mixture_bayes()[1]]
    # without noise the optimum is alpha times the Bayes line
    for alpha in (1.5, 2.0):
        assert np.isclose(table.loc[alpha, "converged"], (alpha - 1) ** 2 * np.mean(bayes**2), rtol=0.6)
    assert table.loc[1.0, "converged"] < 0.1 < table.loc[1.0, "budgeted"]
    assert (table["converged"].isna() == table["run_away"].astype(bool)).all()


def test_noise_favours_alpha_above_one():
    runs = [mixture_errors(p=0.1, n=2000, steps=100, step_size=0.2, rng=np.random.default_rng(i)) for i in range(2)]
    mean = pd.DataFrame([row for run in runs for row in run]).groupby("alpha").mean()
    assert mean.loc[2.0, "budgeted"] < 0.6 * mean.loc[1.0, "budgeted"]
    assert mean.loc[2.0, "budgeted_direction"] < mean.loc[1.0, "budgeted_direction"]


def test_survey_errors_on_the_simulated_survey():
    rows = survey_errors("simulated", "stratified", 40_000, np.random.default_rng(0), rates=(0.0, 0.1))
    clean, noisy = (part.set_index("alpha") for _, part in pd.DataFrame(rows).groupby("p"))
    assert tuple(clean.index) == SURVEY_ALPHAS and clean["error"].idxmin() == 1.0 and clean.loc[1.0, "error"] < 1e-8
    # more rates leave the others unchanged
    (alone,) = (
        r
        for r in survey_errors("simulated", "stratified", 40_000, np.random.default_rng(0), rates=(0.1,))
        if r["alpha"] == 2.0
    )
    assert alone["error"] == noisy.loc[2.0, "error"]
    # the gain is one of length: scaled to the clean model, no alpha is closer than the logistic loss by a fifth
    assert noisy["direction"].min() > 0.8 * noisy.loc[1.0, "direction"] > 0.05
    assert noisy["error"].idxmin() >= 1.2 and (noisy["specificity"] > 0.98).all()


@pytest.mark.parametrize(("source", "name"), [("carbon", "covid_carbon"), ("israel", "covid_israel")])
def test_public_tests_are_thinned_to_the_share_of_the_survey(source, name, need):
    need(name)
    X, y = survey_sample(source, 5000, np.random.default_rng(0))
    assert len(y) == 5000 and (y == 1).mean() == 0.14 and len(X) == 5000
    again, _ = survey_sample(source, 5000, np.random.default_rng(0))
    np.testing.assert_array_equal(X, again)
    everything, labels = survey_sample(source, 10**9, np.random.default_rng(0))
    assert abs((labels == 1).mean() - 0.14) < 1e-3 and len(everything) < 10**6


def test_unknown_source():
    with pytest.raises(ValueError, match="unknown source 'israle'; did you mean 'israel'"):
        survey_sample("israle", 10, np.random.default_rng(0))
