import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.special import log_softmax

from marginloss.companion.experiments import human_noise as experiment
from marginloss.companion.experiments.human_noise import KINDS, LOSSES, given_labels, human_noise, margins
from marginloss.losses import AlphaLoss, ExponentialLoss, HingeLoss, LogisticLoss
from marginloss.losses.tempered import two_temperature_loss

ACTIVATIONS, LABEL = np.array([0.3, -1.2, 0.9, 0.1]), 2
EVEN = np.eye(4) * 0.6 + 0.1


def slope(name):
    return LOSSES[name](ACTIVATIONS[None], np.array([LABEL]), EVEN)[0]


@pytest.mark.parametrize(
    ("name", "loss"),
    [("exponential", ExponentialLoss()), ("hinge", HingeLoss()), ("α = 2", AlphaLoss(2)), ("logistic", LogisticLoss())],
)
def test_slopes_are_those_of_the_loss_of_the_margin(name, loss):
    def value(a):
        return float(loss.value(margins(a[None], np.array([LABEL]))[0][0]))

    np.testing.assert_allclose(slope(name), approx_fprime(ACTIVATIONS, value, 1e-7), atol=1e-6)


def test_the_margin_is_the_log_odds_of_the_given_class():
    p = np.exp(log_softmax(ACTIVATIONS))
    z, others = margins(ACTIVATIONS[None], np.array([LABEL]))
    np.testing.assert_allclose(z, np.log(p[LABEL] / (1 - p[LABEL])))
    np.testing.assert_allclose(others[0], np.where(np.arange(4) == LABEL, 0, p / (1 - p[LABEL])))
    # and the alpha-loss of it is the two-temperature loss with t1 = 1/alpha, up to a factor of 1
    theirs = two_temperature_loss(ACTIVATIONS[None], [LABEL], 0.5, 1.0, gradient=True)[1][0]
    np.testing.assert_allclose(slope("α = 2"), theirs, atol=1e-12)


def test_the_corrected_loss_is_on_average_that_of_the_clean_label():
    given = np.arange(4)
    average = EVEN[LABEL] @ LOSSES["corrected"](np.tile(ACTIVATIONS, (4, 1)), given, EVEN)
    np.testing.assert_allclose(average, slope("logistic"), atol=1e-12)


def test_the_worst_half_is_the_half_with_most_loss():
    activations = np.array([[3.0, 0, 0, 0], [0, 0, 0, 0], [-3.0, 0, 0, 0], [1.0, 0, 0, 0]])
    labels = np.zeros(4, dtype=int)
    found = LOSSES["worst half"](activations, labels, EVEN)
    expected = 2 * LOSSES["logistic"](activations, labels, EVEN)
    np.testing.assert_allclose(found, np.where([[False], [True], [True], [False]], expected, 0))
    # of each setting on its own: another one beside it changes nothing
    both = np.stack([activations, 100 * activations[::-1]], axis=1)
    np.testing.assert_array_equal(LOSSES["worst half"](both, np.zeros((4, 2), dtype=int), EVEN)[:, 0], found)


def test_dealt_out_answers_keep_the_matrix_and_forget_the_picture():
    rng = np.random.default_rng(0)
    clean = rng.integers(0, 10, 5000)
    people = np.where(np.arange(5000) < 2000, rng.integers(0, 10, 5000), clean)  # wrong ones come first
    counts = {}
    for kind in KINDS:
        given = given_labels(clean, people, kind, rng)
        counts[kind] = np.histogram2d(clean, given, bins=np.arange(11))[0]
        wrong = given != clean
        early = wrong[:2000].sum() / max(wrong.sum(), 1)
        assert early == {"clean": 0, "people": 1}.get(kind, pytest.approx(0.4, abs=0.05))
        assert wrong.sum() == (0 if kind == "clean" else np.sum(people != clean))
    np.testing.assert_array_equal(counts["same matrix"], counts["people"])
    uneven = clean.copy()
    uneven[clean == 3] = 5  # all of one class are called another, which uniform noise does not know
    assert np.all(given_labels(clean, uneven, "same matrix", rng) == uneven)
    assert len(set(given_labels(clean, uneven, "uniform", rng)[clean == 4])) == 10


def test_every_loss_learns_from_pictures_and_pays_for_wrong_labels(need, monkeypatch):
    need("cifar10", part="colour")
    need("cifar10n")
    monkeypatch.setattr(experiment, "ROWS", 1500)
    rows = human_noise("colour", "worst", np.random.default_rng(0))
    assert len(rows) == len(KINDS) * len(LOSSES)
    accuracy = np.reshape([row["accuracy"] for row in rows], (len(KINDS), -1))
    steps = np.reshape([row["step"] for row in rows], accuracy.shape)
    assert (steps.max(axis=0) > min(experiment.STEPS)).all()  # no loss is left with the shortest
    assert steps[:, list(LOSSES).index("exponential")].max() < max(experiment.STEPS)
    assert (accuracy[0] > 0.25).all() and (accuracy[0] > accuracy[1:]).mean() > 0.9
    for row in rows:
        assert row["rate"] == (0 if row["kind"] == 0 else pytest.approx(0.4, abs=0.04))
        own, logistic, people = (
            accuracy[i, j] for i, j in [(row["kind"], row["loss"]), (row["kind"], 0), (1, row["loss"])]
        )
        assert row["gain"] == pytest.approx(own - logistic) and row["gain_on_people"] == pytest.approx(own - people)
        assert 0 <= row["gain_se"] < 0.03
