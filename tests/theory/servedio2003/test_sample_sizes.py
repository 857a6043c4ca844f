import math

import mpmath
import numpy as np
import pytest

from marginloss.boosting import halfspace_guarantee
from marginloss.theory.servedio2003.sample_sizes import (
    fat_shattering_bound,
    khintchine_constant,
    margin_bound,
    margin_bound_as_printed,
    sample_size,
)


def test_parameters_of_section_3_4():
    g = halfspace_guarantee(0.2, 3.0, 0.1)
    assert (g.kappa, g.gamma) == pytest.approx((0.05, 1 / 12))
    assert g.theta == pytest.approx(1 / (8 * 3 + 1))
    assert g.noise_rate == pytest.approx(0.2 / 96)
    assert g.dirty_fraction == pytest.approx(2 * g.noise_rate)
    assert g.n_samples_noise == math.ceil(96 * 3 / 0.2 * math.log(20))


def test_corrected_bound_against_many_digits():
    with mpmath.workdps(40):
        m, d = mpmath.mpf(10) ** 7, 250
        bracket = d * mpmath.log(34 * mpmath.e * m / d) * mpmath.log(578 * m, 2) + mpmath.log(4 / mpmath.mpf("0.05"))
        exact = 100 / m + mpmath.sqrt(2 / m * bracket)
    assert margin_bound(100, 1e7, 250, 0.05) == pytest.approx(float(exact), rel=1e-13)


def test_bound_grows_with_dimension_and_printed_one_falls():
    dimensions = [1, 10, 100, 1000]
    corrected = [margin_bound(0, 1e7, d, 0.05) for d in dimensions]
    printed = [margin_bound_as_printed(0, 1e7, d, 0.05) for d in dimensions]
    assert corrected == sorted(corrected)
    assert printed == sorted(printed, reverse=True)


def test_degenerate_dimensions():
    assert margin_bound(0, 100, 3401, 0.05) == 1.0
    assert margin_bound(0, 100, 0, 0.05) == pytest.approx(math.sqrt(0.02 * math.log(80)))


def test_khintchine_is_the_normal_moment_and_below_p_minus_1():
    for p in (2.0, 3.0, 4.0, 10.0, 50.0):
        with mpmath.workdps(30):
            moment = mpmath.quad(lambda x, p=p: abs(x) ** p * mpmath.npdf(x), [-mpmath.inf, 0, mpmath.inf])
        assert khintchine_constant(p) == pytest.approx(float(moment ** (2 / mpmath.mpf(p))), rel=1e-10)
        assert khintchine_constant(p) <= p - 1 + 1e-12


def test_sharp_fat_bound_is_smaller():
    for p in (2.0, 6.0, math.inf):
        assert fat_shattering_bound(0.1, 50, p) < fat_shattering_bound(0.1, 50)


@pytest.mark.parametrize("p", [None, 2.0])
def test_sample_size_is_where_the_term_reaches_half_epsilon(p):
    m = sample_size(0.1, 10, 100, p)
    d = fat_shattering_bound(halfspace_guarantee(0.1, 10).theta / 16, 100, p)
    assert margin_bound(0, m, d, 0.05) == pytest.approx(0.05, rel=1e-9)
    slope = np.log(sample_size(0.1, 20, 100, p) / m) / np.log(2)
    assert 1.9 < slope < 2.1


@pytest.mark.parametrize("arguments", [(0.0, 3), (1.0, 3), (0.1, 0.9), (0.1, math.inf)])
def test_bad_input(arguments):
    with pytest.raises(ValueError, match="must be a number in"):
        halfspace_guarantee(*arguments)
