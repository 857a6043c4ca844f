import math

import numpy as np
import pytest

from marginloss.boosting.bounds import (
    adaptive_rounds,
    bregman_rounds,
    impagliazzo_rounds,
    margin_divergence,
    smoothboost_rounds,
)


@pytest.mark.parametrize("gamma", [1e-3, 0.05, 0.2, 0.49])
@pytest.mark.parametrize("kappa", [0.01, 0.3])
def test_general_form_contains_theorem_2(kappa, gamma):
    printed = 2 / (kappa * gamma**2 * math.sqrt(1 - gamma))
    assert smoothboost_rounds(kappa, gamma) == pytest.approx(printed, rel=1e-12)


def test_special_cases():
    g, k = 1e-4, 0.1
    assert smoothboost_rounds(k, g, theta=0.0) * k * g**2 == pytest.approx(4 / 3, rel=1e-3)
    assert smoothboost_rounds(k, g, theta=g) * k * g**2 == pytest.approx(4, rel=1e-3)
    assert smoothboost_rounds(k, g, theta=0.0, base=2 * g) * k * g**2 == pytest.approx(1, rel=1e-3)
    assert math.isinf(smoothboost_rounds(k, g, theta=2 * g))
    assert math.isinf(adaptive_rounds(k, g, theta=2 * g))
    assert math.isinf(bregman_rounds(k, g, theta=2 * g))


def test_divergence_is_at_least_quadratic():
    a, b = np.meshgrid(np.linspace(-0.9, 0.9, 19), np.linspace(-0.9, 0.9, 19))
    values = np.vectorize(margin_divergence)(a, b)
    assert (values >= (a - b) ** 2 / 2 - 1e-15).all()


def test_adaptive_bound_is_below_the_others():
    for gamma in (0.01, 0.05, 0.1):
        theta = gamma / (2 + gamma)
        assert 0.40 < adaptive_rounds(0.05, gamma, theta) / smoothboost_rounds(0.05, gamma) < 0.45
        assert adaptive_rounds(0.05, gamma) < 2 / (0.05 * gamma**2) / 3.9


def test_orders_in_kappa():
    assert impagliazzo_rounds(0.01, 0.1) / impagliazzo_rounds(0.1, 0.1) == pytest.approx(100)
    assert bregman_rounds(0.01, 0.1) / bregman_rounds(0.1, 0.1) == pytest.approx(2)


@pytest.mark.parametrize("bound", [smoothboost_rounds, impagliazzo_rounds, adaptive_rounds, bregman_rounds])
@pytest.mark.parametrize(("kappa", "gamma"), [(0.0, 0.1), (1.0, 0.1), (0.1, 0.0), (0.1, 0.6), (0.1, math.nan)])
def test_bad_input(bound, kappa, gamma):
    with pytest.raises(ValueError, match=r"(kappa|gamma) must be a number in"):
        bound(kappa, gamma)
