"""Claims about tempered functions and the log-partition itself (Sections 2 and 4)."""

from __future__ import annotations

import numpy as np
from scipy.special import rel_entr

from marginloss.losses.tempered import (
    escort,
    exp_t,
    log_partition,
    log_partition_margin,
    log_t,
    softmax_t,
    tsallis_divergence,
    tsallis_entropy,
)
from marginloss.theory import Array, Finding, claim, outcome

TEMPERATURES = (0.0, 0.3, 0.5, 0.9, 1.0, 1.12, 1.5, 2.0, 3.0)


@claim("amid2019:c1")
def inverse_functions() -> Finding:
    """Inverse of each other, limits at 1, one-sided bounds that are reached far out: equations (1) and (4)."""
    x = np.geomspace(0.1, 10, 101)
    y = np.log(x)
    trip = max(np.abs(exp_t(log_t(x, t), t) / x - 1).max() for t in TEMPERATURES)
    steps = (-1e-6, 1e-6)
    # to first order log_{1+h} x = log x - h (log x)^2 / 2 and exp_{1+h} y = e^y (1 + h y^2 / 2)
    limit = max(np.abs(log_t(x, 1 + h) - y + h * y**2 / 2).max() for h in steps)
    limit = max(limit, *(np.abs(exp_t(y, 1 + h) / x - 1 - h * y**2 / 2).max() for h in steps))
    far = np.geomspace(1e-200, 1e200, 401)
    distances = np.array(
        [log_t(far, t) + 1 / (1 - t) if t < 1 else 1 / (t - 1) - log_t(far, t) for t in TEMPERATURES if t != 1]
    )
    closest = distances.min(axis=1)
    return outcome(
        -max(trip, limit, np.abs(closest).max()),
        tolerance=1e-10,
        evidence={"round_trip_error": trip, "limit_error": limit, "smallest_distance_to_bound": closest.min()},
    )


@claim("amid2019:c2")
def no_product_rule() -> Finding:
    """The logarithm of a product is not the sum, except at 1."""
    gaps = [abs(log_t(6.0, t) - log_t(2.0, t) - log_t(3.0, t)) for t in (0.5, 1.5)]
    at_one = abs(log_t(6.0, 1) - log_t(2.0, 1) - log_t(3.0, 1))
    # a gap of the size of rounding would not tell the two apart
    return outcome(min(gaps) - 1e-12, evidence={"gap": min(gaps), "gap_at_one": at_one})


@claim("amid2019:c3")
def entropy_and_divergence() -> Finding:
    """Two forms of the entropy (2) and of the divergence (3), and its limit, Kullback and Leibler's by definition."""
    rng = np.random.default_rng(0)
    p, q = rng.dirichlet(np.ones(5), size=(2, 200))
    forms = max(
        np.abs(tsallis_entropy(p, t) - ((p**t).sum(axis=1) - 1) / (1 - t)).max() for t in (0.3, 0.5, 1.5, 2.0, 3.0)
    )
    # by the rule for quotients (c24) the divergence is minus the entropy minus the mean of p^t log_t q
    for t in (0.3, 0.5, 1.5, 2.0):
        other = -tsallis_entropy(p, t) - (p**t * log_t(q, t)).sum(axis=1)
        forms = max(forms, np.abs(tsallis_divergence(p, q, t) / other - 1).max())
    kl = rel_entr(p, q).sum(axis=1)
    errors = {h: max(np.abs(tsallis_divergence(p, q, 1 + s * h) - kl).max() for s in (-1, 1)) for h in (1e-3, 1e-6)}
    # the distance to the limit must shrink with h itself
    return outcome(
        min(1e-12 - forms, 2e-3 * errors[1e-3] - errors[1e-6]),
        evidence={"difference_of_forms": forms, "distance_at_1e-3": errors[1e-3], "distance_at_1e-6": errors[1e-6]},
    )


@claim("amid2019:c4")
def gradient_is_the_escort() -> Finding:
    """Gradient of the log-partition by differences against the escort of the probabilities, (8)."""
    rng = np.random.default_rng(1)
    a, h = rng.normal(size=(50, 4)), 1e-4
    worst = 0.0
    for t in (0.5, 0.8, 1.0, 1.3, 2.0):
        inside = a if t >= 1 else 0.2 * a  # all classes inside the finite support, where G is smooth
        slopes = [(log_partition(inside + h * e, t) - log_partition(inside - h * e, t)) / (2 * h) for e in np.eye(4)]
        worst = max(worst, np.abs(np.stack(slopes, axis=1) - escort(softmax_t(inside, t), t)).max())
    return outcome(-worst, tolerance=1e-7, evidence={"largest_difference": worst, "step": h})


@claim("amid2019:c5")
def convex_and_shift() -> Finding:
    """Convexity by midpoints, and the shift by a constant; for every temperature from 0 on."""
    rng = np.random.default_rng(2)
    a, b = rng.normal(scale=5, size=(2, 2000, 6))
    bend = min(
        ((log_partition(a, t) + log_partition(b, t)) / 2 - log_partition((a + b) / 2, t)).min() for t in TEMPERATURES
    )
    shift = max(np.abs(log_partition(a + 3.7, t) - log_partition(a, t) - 3.7).max() for t in TEMPERATURES)
    return outcome(min(bend, -shift), tolerance=1e-12, evidence={"smallest_bend": bend, "shift_error": shift})


def _closed_form(size: Array, t: float) -> Array:
    """Log-partition of the activations (size/2, -size/2) by square roots alone, at t = 0, 1/2 and 3/2."""
    h = size / 4
    if t == 0:
        return np.maximum(0.5, size / 2)
    if t == 0.5:
        return np.where(size < 2, 2 * (1 - np.sqrt(np.maximum(0.5 - h**2, 0.0))), size / 2)
    return 2 * (np.sqrt(h**2 + 1 + np.sqrt(1 + 4 * h**2)) - 1)


@claim("amid2019:c6")
def closed_forms() -> Finding:
    """Closed forms besides that at 2, each compared with the root of its equation: a counterexample a piece."""
    size = np.concatenate([np.linspace(0, 8, 801), np.geomspace(8, 1e6, 200)])
    pairs = np.stack([size / 2, -size / 2], axis=-1)
    errors = {t: np.abs(_closed_form(size, t) / log_partition(pairs, t) - 1).max() for t in (0.0, 0.5, 1.5)}
    found = sum(error < 1e-12 for error in errors.values())
    return outcome(
        -float(found),
        evidence={
            "further_closed_forms": found,
            "largest_error": max(errors.values()),
            **{f"error_at_{t:g}": error for t, error in errors.items()},
        },
    )


@claim("amid2019:c23")
def closed_form_at_two() -> Finding:
    """The square root at t = 2 against Newton's root."""
    a = np.concatenate([np.linspace(0, 50, 2001), np.geomspace(50, 1e6, 500)])
    error = np.abs(log_partition_margin(a, 2) / np.sqrt(a**2 / 4 + 1) - 1).max()
    return outcome(-error, tolerance=1e-14, evidence={"relative_error": error})


@claim("amid2019:c24")
def logarithm_of_a_quotient() -> Finding:
    r"""The printed factor :math:`u^t` against the right one, :math:`v^{t-1}`."""
    rng = np.random.default_rng(3)
    u, v = rng.uniform(0.1, 3, size=(2, 500))
    printed, repaired = 0.0, 0.0
    for t in (0.3, 0.7, 1.3, 1.9):
        left, difference = log_t(u / v, t), log_t(u, t) - log_t(v, t)
        printed = max(printed, np.abs(left - u**t * difference).max())
        repaired = max(repaired, np.abs(left - v ** (t - 1) * difference).max())
    return outcome(-printed, tolerance=1e-10, evidence={"error_as_printed": printed, "error_repaired": repaired})
