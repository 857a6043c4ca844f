import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from marginloss._norms import attaining_vector, dual_exponent, p_norm

VECTORS = arrays(np.float64, 6, elements=st.floats(-1e3, 1e3, allow_subnormal=False))
EXPONENTS = st.sampled_from([1.0, 1.5, 2.0, 3.0, 7.0, 30.0, 1e3, 1e8, math.inf])


@pytest.mark.parametrize("p", [1.0, 1.2, 2.0, 5.5, 400.0])
@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e150])
def test_norm_agrees_with_many_digits(p, scale):
    x = scale * np.array([0.3, -1.7, 0.0, 2.4])
    with mpmath.workdps(50):
        exact = mpmath.fsum(abs(mpmath.mpf(v)) ** p for v in x) ** (1 / mpmath.mpf(p))
    np.testing.assert_allclose(float(p_norm(x, p)), float(exact), rtol=1e-13)


@settings(deadline=None)
@given(VECTORS, EXPONENTS)
def test_attains_hoelder(z, p):
    v, norm = attaining_vector(z, p), float(p_norm(z, p))
    assert v @ z == pytest.approx(norm, rel=1e-7, abs=1e-300)
    if norm > 0:
        assert float(p_norm(v, dual_exponent(p))) == pytest.approx(1, rel=1e-7)


@settings(deadline=None)
@given(VECTORS, VECTORS, EXPONENTS)
def test_no_other_vector_does_better(z, other, p):
    size = float(p_norm(other, dual_exponent(p)))
    if size > 0:
        assert other @ z / size <= float(p_norm(z, p)) * (1 + 1e-9) + 1e-9


def test_large_p_tends_to_the_limit():
    z = np.array([0.3, -1.0, 1.0, 0.999])
    np.testing.assert_allclose(attaining_vector(z, 1e8), attaining_vector(z, math.inf), atol=1e-7)


def test_ties_survive_rounding_and_can_be_broken():
    z = np.array([0.1 + 0.2, 0.3, -0.3])  # the first is larger by one rounding error
    np.testing.assert_array_equal(np.abs(attaining_vector(z, math.inf)), np.full(3, 1 / 3))
    np.testing.assert_array_equal(attaining_vector(z, math.inf, ties="first"), [1, 0, 0])


def test_zero_gives_zero():
    for p in (1.0, 2.0, math.inf):
        assert not attaining_vector(np.zeros(3), p).any()
        assert p_norm(np.zeros(3), p) == 0


@pytest.mark.parametrize("p", [0.5, -1, math.nan, "2"])
def test_bad_exponent(p):
    with pytest.raises(ValueError, match="p must be a number in"):
        p_norm([1.0], p)


def test_bad_ties():
    with pytest.raises(ValueError, match="ties must be"):
        attaining_vector([1.0], 2, ties="last")
