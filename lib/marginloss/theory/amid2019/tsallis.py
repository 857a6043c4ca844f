"""Claims about what the paper's title names: the t-exponential family, and a loss made of Tsallis divergences."""

from __future__ import annotations

import numpy as np

from marginloss.losses.tempered import (
    escort,
    log_partition,
    log_t,
    softmax_t,
    tsallis_divergence,
    tsallis_entropy,
    two_temperature_loss,
)
from marginloss.theory import Finding, claim, outcome

TEMPERATURES = (0.4, 0.8, 1.0, 1.12, 1.5, 2.0)


@claim("amid2019:eq-5-7")
def exponential_family() -> Finding:
    """A t-exponential family over seven points of the plane: sums of (6) and (7), G convex, escort the member at t = 1.

    The mean of the points under the escort is the gradient of G, (8), here in the parameters of the family.
    """
    rng = np.random.default_rng(0)
    points = rng.normal(size=(7, 2))
    sums, bend, same, differs, slope, h = 0.0, np.inf, 0.0, np.inf, 0.0, 1e-5
    for t in TEMPERATURES:
        theta, other = (0.3 if t < 1 else 2.0) * rng.normal(size=(2, 40, 2))
        p = softmax_t(theta @ points.T, t)
        q = escort(p, t)
        sums = max(sums, np.abs(p.sum(axis=1) - 1).max(), np.abs(q.sum(axis=1) - 1).max())
        middle = log_partition((theta + other) / 2 @ points.T, t)
        ends = (log_partition(theta @ points.T, t) + log_partition(other @ points.T, t)) / 2
        bend = min(bend, float((ends - middle).min()))
        if t == 1:
            same = float(np.abs(p - q).max())
        else:
            differs = min(differs, float(np.abs(p - q).max()))
        for axis, mean in zip(np.eye(2), (q @ points).T, strict=True):
            up, down = (log_partition((theta + s * h * axis) @ points.T, t) for s in (1, -1))
            slope = max(slope, float(np.abs((up - down) / (2 * h) - mean).max()))
    return outcome(
        min(bend, 1e-12 - sums, 1e-12 - same, differs - 1e-3, 1e-6 - slope),
        tolerance=1e-12,
        evidence={"error_of_the_sums": sums, "smallest_bend": bend, "error_of_the_gradient": slope},
    )


@claim("amid2019:eq-13")
def loss_from_divergence(rest: float = 1e-300) -> Finding:
    """The divergence (12) from labels that are almost certain to the model tends to the loss (13).

    What the other classes add is of the order of ``rest`` to the power t1, so that the limit needs t1 > 0.
    """
    rng = np.random.default_rng(0)
    activations, labels = rng.normal(scale=2, size=(60, 4)), rng.integers(0, 4, 60)
    almost = np.where(np.arange(4) == labels[:, None], 1 - 3 * rest, rest)
    error = 0.0
    for t1 in (0.1, 0.5, 0.9, 1.0, 1.5):
        for t2 in (1.0, 1.12, 1.6):
            divergence = tsallis_divergence(almost, softmax_t(activations, t2), t1)
            error = max(error, float(np.abs(divergence - two_temperature_loss(activations, labels, t1, t2)).max()))
    return outcome(-error, tolerance=1e-12, evidence={"largest_difference": error})


@claim("amid2019:eq-18")
def chain_of_18() -> Finding:
    """(18a) to (18c) for a law on six inputs, and the mean that the sum (18d) estimates with labels of two kinds.

    Labels drawn in proportion to p^t give the second term of (18c), after division by the sum of p^t; labels drawn from
    p itself, as data are, do not: the assumption that the paper names.
    """
    rng = np.random.default_rng(0)
    weight = rng.dirichlet(np.ones(6))
    p, model = rng.dirichlet(np.ones(4), size=(2, 6))
    steps, tempered, bias = 0.0, 0.0, np.inf
    for t in (0.3, 0.7, 1.0, 1.4, 1.9):
        first = weight @ tsallis_divergence(p, model, t)
        second = weight @ (p**t * (log_t(p, t) - log_t(model, t))).sum(axis=1)
        cross = -(p**t * log_t(model, t)).sum(axis=1)
        third = -weight @ tsallis_entropy(p, t) + weight @ cross
        steps = max(steps, abs(first - second), abs(second - third))
        drawn = -(escort(p, t) * log_t(model, t)).sum(axis=1)
        tempered = max(tempered, float(np.abs((p**t).sum(axis=1) * drawn - cross).max()))
        if t != 1:
            bias = min(bias, float(np.abs(-(p * log_t(model, t)).sum(axis=1) - cross).max()))
    return outcome(
        -max(steps, tempered),
        tolerance=1e-12,
        caveat=bias > 1e-3,
        evidence={"error_of_the_steps": steps, "error_with_tempered_labels": tempered, "bias_with_given_labels": bias},
    )
