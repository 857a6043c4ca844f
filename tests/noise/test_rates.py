import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

from marginloss.noise import estimate_flip_rates, flip_labels


@pytest.mark.parametrize("rates", [(0.0, 0.0), (0.3, 0.0), (0.0, 0.3), (0.3, 0.15)])
def test_rates_are_found_where_classes_are_apart(rates):
    rng = np.random.default_rng(0)
    y = np.where(rng.random(6000) < 0.3, "spam", "ham")
    X = np.where(y == "spam", 4.0, -4.0)[:, None] + rng.normal(size=(6000, 2))
    given = flip_labels(y, {"spam": rates[0], "ham": rates[1]}, rng)
    p = cross_val_predict(LogisticRegression(), np.sign(X), given, method="predict_proba")[:, 1]
    assert estimate_flip_rates(given, p) == pytest.approx(rates, abs=0.04)


@pytest.mark.parametrize(
    ("y", "p"),
    [([0, 0], [0.1, 0.2]), ([0, 1], [0.1]), ([0, 1], [0.1, 1.2]), ([0, 1], [0.1, np.nan]), ([0, 1, 2], [0] * 3)],
)
def test_what_makes_no_sense_is_refused(y, p):
    with pytest.raises(ValueError, match="two labels and probabilities"):
        estimate_flip_rates(y, p)
