"""What the live figures compute is what the library's own estimators and theory compute."""

import re
from pathlib import Path

import numpy as np
import pytest

from marginloss.boosting import AdaBoostAlphaClassifier, PNormLearner, SmoothBoostClassifier
from marginloss.companion.live.figures import GAMMA, boost_plane, fit_line, roll, train_stumps
from marginloss.companion.live.lines import loss_curve
from marginloss.companion.plotting import METHODS
from marginloss.datasets import make_long_servedio
from marginloss.losses import AlphaLoss, TwoTemperatureLoss
from marginloss.theory.sypherd2023.bifurcation import minima
from marginloss.theory.sypherd2023.long_servedio import Landscape


@pytest.mark.parametrize(
    ("family", "first", "second", "loss"),
    [(0, a, 0.0, AlphaLoss(a)) for a in (0.5, 1.0, 4.0)]
    + [(1, t1, t2, TwoTemperatureLoss(t1, t2)) for t1, t2 in ((0.3, 1.8), (0.0, 3.0), (1.0, 1.0))],
)
def test_losses_are_the_librarys(family, first, second, loss):
    z = np.linspace(-6, 6, 25)
    value, weight = np.empty((2, 25))
    loss_curve(z, family, first, second, value, weight)
    np.testing.assert_allclose(value, loss.value(z), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(weight, loss.weight(z), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(("family", "first", "second"), [(0, 1.0, 0.0), (0, 3.0, 0.0), (1, 0.3, 1.8)])
def test_a_line_is_a_minimum_of_its_risk(family, first, second):
    rng = np.random.default_rng(0)
    y = rng.choice([-1.0, 1.0], 40)
    X = rng.normal(0, 0.6, (40, 2)) + 0.4 * y[:, None]
    loss = AlphaLoss(first) if family == 0 else TwoTemperatureLoss(first, second)
    theta, _ = fit_line(X, y, family, first, second, 1e-3)

    def risk(w):
        return loss.value(y * (X @ w[:2] + w[2])).mean() + 1e-3 / 2 * w[:2] @ w[:2]

    around = [risk(theta + step) for step in 0.01 * rng.normal(size=(50, 3))]
    assert min(around) > risk(theta)


def test_rounds_are_those_of_the_estimator():
    X, y, kind = make_long_servedio(300, rng=2, return_kind=True)
    given = y.copy()
    given[:40] *= -1
    right, _ = train_stumps(X, y, given, kind, 2.0, 60)
    model = AdaBoostAlphaClassifier(alpha=2.0, n_estimators=60).fit(X, given)
    for k, t in ((0, 5), (1, 20), (2, 60)):
        stage = list(model.staged_predict(X))[t - 1]
        assert right[k, t - 1] == np.sum((stage == y)[kind == k])


@pytest.mark.parametrize("alpha", [1.0, 2.0, 3.0])
def test_the_ball_ends_where_the_landscape_has_its_minima(alpha):
    ends = [point.theta for point in minima(Landscape(alpha, 2.0, GAMMA))]
    for start in ([0.0, 0.0], [45.0, 0.0], [4.0, 8.0]):
        path = roll(alpha, 2.0, start)
        assert path[:, 0].tolist() == start
        assert min(np.hypot(*(path[:, -1] - end)) for end in ends) < 1e-4
        np.testing.assert_allclose(path[:, -1], Landscape(alpha, 2.0, GAMMA).descend(start), atol=1e-4)


@pytest.mark.filterwarnings("ignore:SmoothBoost did not stop")
def test_the_two_boosters_are_the_librarys():
    rng = np.random.default_rng(1)
    X = rng.uniform(-0.7, 0.7, (80, 2))
    y = np.where(rng.random(80) < 0.1, -1, 1) * np.sign(X @ [0.8, 0.6])
    weak = PNormLearner(p=2.0, R=1.0)
    ada = AdaBoostAlphaClassifier(0.5, n_estimators=100, step="edge", estimator=weak).fit(X, y)
    smooth = SmoothBoostClassifier.as_published(
        0.2, 0.1, theta=0.048, estimator=weak, n_estimators=100, on_failure="ignore"
    ).fit(X, y)
    for model, gamma in ((ada, 0.0), (smooth, 0.1)):
        mine = X @ boost_plane(X, y, gamma, 0.2, 0.048, rounds=100)
        theirs = model.decision_function(X)
        cosine = mine @ theirs / np.linalg.norm(mine) / np.linalg.norm(theirs)
        assert cosine == pytest.approx(1.0, abs=1e-9)


def test_colours_are_those_of_the_plotting_module():
    style = (Path(__file__).parents[3] / "chapters/_static/draw.css").read_text("utf-8")
    found = dict(re.findall(r"--m-(\w+): (#\w{6});", style.split("}")[0]))
    names = {"ada": "AdaBoost", "logistic": "logistic", "alpha": "alpha-loss", "two": "two-temperature",
             "smooth": "SmoothBoost", "theory": "theory"}  # fmt: skip
    assert found == {key: METHODS[name][0].lower() for key, name in names.items()}
