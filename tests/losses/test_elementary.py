"""Polynomials instead of logarithm and exponential, against those of the C library."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from marginloss._compiled import kernel
from marginloss.losses.elementary import exp_and_expm1, log1p


@kernel
def exponentials(x, power, less):
    for i in range(len(x)):
        power[i], less[i] = exp_and_expm1(x[i])


@kernel
def logarithms(x, out):
    for i in range(len(x)):
        out[i] = log1p(x[i])


@settings(deadline=None)  # the first call compiles
@given(st.lists(st.floats(-700, 700), min_size=1, max_size=40))
def test_exponential_and_what_it_is_above_one(numbers):
    x = np.array(numbers)
    power, less = np.empty_like(x), np.empty_like(x)
    exponentials(x, power, less)
    np.testing.assert_allclose(power, np.exp(x), rtol=5e-16)
    np.testing.assert_allclose(less, np.expm1(x), rtol=2e-15)


@settings(deadline=None)  # the first call compiles
@given(st.lists(st.floats(-0.9999, 1e300), min_size=1, max_size=40))
def test_logarithm_of_one_and_a_bit(numbers):
    x = np.array(numbers)
    out = np.empty_like(x)
    logarithms(x, out)
    np.testing.assert_allclose(out, np.log1p(x), rtol=2e-15)
