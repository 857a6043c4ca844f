"""The landscape over α: what is followed, where it leads, and the bottom of the valley."""

import numpy as np
import pytest

from marginloss.companion.experiments.sypherd2023.plane import anneal, basins, branches, valley
from marginloss.theory.sypherd2023.bifurcation import minima
from marginloss.theory.sypherd2023.long_servedio import Landscape


def test_branches_are_stationary():
    table = branches([1.0, 1.44, 3.0])
    for row in table.itertuples():
        np.testing.assert_allclose(Landscape(row.alpha).gradient((row.theta_1, row.theta_2)), 0, atol=1e-8)
    # the table of the specification: a perfect minimum at 1.44 and 3, none at 1
    perfect = table[(table.kind == "minimum") & (table.accuracy == 1)]
    assert perfect["alpha"].tolist() == [1.44, 3.0]
    np.testing.assert_allclose(perfect["theta_1"], [18.4082, 41.58883083], rtol=1e-5)


def test_annealing_shows_hysteresis():
    alphas = [1.0, 1.5, 2.0, 2.5, 3.1]
    up = Landscape(1.0).accuracy(anneal(alphas, [0.0, 0.0]))
    down = Landscape(1.0).accuracy(anneal(alphas[::-1], [0.0, 0.0]))[::-1]
    assert up.tolist() == [0.5, 0.5, 0.5, 0.5, 1.0]
    assert down.tolist() == [0.5, 1.0, 1.0, 1.0, 1.0]


@pytest.mark.parametrize("alpha", [1.6, 3.0])
def test_basins_contain_their_minima(alpha):
    for point in minima(Landscape(alpha)):
        assert basins(alpha, [point.theta[0]], [point.theta[1]])[0, 0] == point.accuracy
    assert basins(alpha, [0.0, 1.0, 2.0], [0.0, 1.0]).shape == (2, 3)


def test_valley_is_the_lowest_over_the_second_coordinate():
    first, fine = np.array([0.5, 5.0, 25.0]), np.linspace(-5, 5, 20_001)
    for alpha in (1.0, 2.0, 3.5):
        found = valley(alpha, first)
        for t, low in zip(first, found, strict=True):
            grid = Landscape(alpha).risk(np.column_stack([np.full_like(fine, t), fine]))
            assert grid.min() - 1e-6 < low <= grid.min() + 1e-12
