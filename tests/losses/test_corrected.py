"""Losses corrected for labels flipped at a rate of their class."""

import math

import numpy as np
import pytest
from sklearn.base import clone

from marginloss.linear import MarginClassifier
from marginloss.losses import AlphaLoss, CorrectedLoss, ExponentialLoss, HingeLoss, LogisticLoss, TwoTemperatureLoss

BASES = [
    LogisticLoss(),
    AlphaLoss(2),
    AlphaLoss(math.inf),
    ExponentialLoss(),
    HingeLoss(),
    TwoTemperatureLoss(0.6, 1.6),
]
RATES = [(0.0, 0.0), (0.3, 0.0), (0.0, 0.3), (0.2, 0.4), (0.45, 0.45)]
SCORES = np.linspace(-6, 6, 49) + 1e-3


@pytest.mark.parametrize("base", BASES, ids=repr)
@pytest.mark.parametrize("rates", RATES)
def test_the_mean_over_flipped_labels_is_the_loss_of_the_true_one(base, rates):
    corrected = CorrectedLoss(base, *rates)
    for label, rate in ((1, rates[0]), (-1, rates[1])):
        kept, flipped = corrected.on_label(label), corrected.on_label(-label)
        for order in (0, 1, 2, 3):
            take = (lambda loss, z, n=order: loss.derivative(z, n)) if order else (lambda loss, z: loss.value(z))
            sign = (-1) ** order  # the margin of the flipped label falls with the score of the true one
            mean = (1 - rate) * take(kept, label * SCORES) + sign * rate * take(flipped, -label * SCORES)
            np.testing.assert_allclose(mean, take(base, label * SCORES), rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("base", BASES[:3], ids=repr)
def test_one_label_for_each_margin(base):
    corrected, labels = CorrectedLoss(base, 0.3, 0.1), np.where(np.arange(49) % 2, 1, -1)
    together = corrected.on_label(labels)
    for label in (-1, 1):
        rows = labels == label
        for method in ("value", "weight", "log_weight"):
            alone = getattr(corrected.on_label(label), method)(SCORES[rows])
            np.testing.assert_array_equal(getattr(together, method)(SCORES)[rows], alone)


@pytest.mark.parametrize("base", BASES, ids=repr)
def test_rates_of_zero_change_nothing_even_at_infinity(base):
    margins = np.array([-np.inf, -1e300, -3.0, 0.0, 3.0, 1e300, np.inf])
    corrected = CorrectedLoss(base, 0.0, 0.0)
    for method in ("value", "weight", "posterior"):
        expected = getattr(base, method)(margins)
        np.testing.assert_allclose(getattr(corrected, method)(margins), expected, rtol=1e-14)
    assert corrected.bound == base.bound


def test_bound_and_convexity():
    assert CorrectedLoss(AlphaLoss(2), 0.2, 0.3).bound == pytest.approx(0.8 / 0.5 * 2)
    values = CorrectedLoss(AlphaLoss(2), 0.2, 0.3).on_label(-1).value(np.linspace(-50, 50, 1001))
    assert values.max() <= 0.8 / 0.5 * 2 and values.min() >= -0.3 / 0.5 * 2
    assert CorrectedLoss(LogisticLoss(), 0.2, 0.3).is_convex
    assert not CorrectedLoss(HingeLoss(), 0.2, 0.3).is_convex  # its two halves bend at different margins
    assert not CorrectedLoss(AlphaLoss(2), 0.2, 0.3).is_convex


def test_equal_rates_need_no_label_and_different_ones_ask_for_it():
    same = CorrectedLoss(LogisticLoss(), 0.2, 0.2)
    np.testing.assert_array_equal(same.value(SCORES), same.on_label(-1).value(SCORES))
    with pytest.raises(ValueError, match=r"CorrectedLoss\(.*\)\.on_label\(label\)"):
        CorrectedLoss(LogisticLoss(), 0.2, 0.1).value(SCORES)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("logistic", 0.1, 0.1), "loss must be a loss of the margin such as .*, got 'logistic'"),
        ((LogisticLoss(), -0.1, 0.1), "rate_positive must be a number in .*, got -0.1"),
        ((LogisticLoss(), 0.1, 1), "rate_negative must be a number in .*, got 1"),
        ((LogisticLoss(), 0.5, 0.5), "add up to less than 1, .*; got 0.5 and 0.5"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        CorrectedLoss(*arguments)


@pytest.mark.parametrize("base", [LogisticLoss(), AlphaLoss(2)], ids=repr)
def test_a_linear_model_finds_the_probabilities_of_the_true_labels(base):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40_000, 2))
    truth = 1 / (1 + np.exp(-(X @ [2.0, -1.0] + 0.5)))
    y = rng.random(len(X)) < truth
    given = np.where(rng.random(len(X)) < np.where(y, 0.35, 0.05), ~y, y)
    model = MarginClassifier(CorrectedLoss(base, 0.35, 0.05), l2=1e-4)
    corrected = clone(model).fit(X, given).predict_proba(X)[:, 1]
    plain = MarginClassifier(base, l2=1e-4).fit(X, given).predict_proba(X)[:, 1]
    assert np.abs(corrected - truth).mean() < 0.02 < 0.1 < np.abs(plain - truth).mean()
