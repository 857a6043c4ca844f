"""Boosting in the page: what the rounds over stumps did to each example, and two boosters in the plane."""

from __future__ import annotations

import math
from typing import Any

from marginloss._compiled import kernel
from marginloss.companion.live.lines import alpha_loss
from marginloss.losses.elementary import exp, log1p

__all__ = ["boost_plane", "replay"]


@kernel
def replay(signs: Any, label: Any, truth: Any, kind: Any, record: Any, begin: int, end: int, exponent: float,
           score: Any, weight: Any, right: Any) -> None:  # fmt: skip
    """Add rounds of a booster over stumps to the scores, and look at all examples after each.

    Parameters
    ----------
    signs : ndarray of shape (d, n)
        Features −1/+1.
    label, truth : ndarray of shape (n,)
        Labels −1/+1 that the booster saw, and true ones.
    kind : ndarray of shape (n,)
        Which of the kinds of examples each is.
    record : ndarray of shape (10, T + 1)
        What :func:`~marginloss.boosting.stump_rounds.stump_rounds` wrote.
    begin, end : int
        Rounds to add.
    exponent : float
        Of the loss, ``1 - 1/alpha``.
    score : ndarray of shape (n,)
        Changed.
    weight : ndarray of shape (n,)
        Filled with the weights after the last round.
    right : ndarray of shape (k, T)
        Filled with the number of examples of each kind on the right side of their true label.
    """
    for t in range(begin, end):
        theta, feature = record[0, t], int(record[5, t])
        low, high = theta * record[7, t], theta * record[8, t]
        if feature < 0:
            feature, low, high = 0, theta * record[6, t], theta * record[6, t]
        for k in range(len(right)):
            right[k, t] = 0.0
        for i in range(len(score)):
            score[i] += high if signs[feature, i] > 0 else low
            right[kind[i], t] += 1.0 if score[i] * truth[i] > 0.0 else 0.0
    for i in range(len(score)):
        weight[i] = alpha_loss(label[i] * score[i], 1.0 / (1.0 - exponent))[1]


@kernel
def boost_plane(x: Any, y: Any, radius: float, gamma: float, kappa: float, target: float, rounds: int, hypothesis: Any,
                margin: Any, weight: Any, record: Any) -> int:  # fmt: skip
    """Boost the average signed example of the plane, by AdaBoost or by SmoothBoost; the number of rounds.

    Parameters
    ----------
    x, y : ndarray of shapes (2, n), (n,)
        Points and labels −1/+1.
    radius : float
        Of the smallest disc around zero that holds all points.
    gamma : float
        Advantage of the weak learner that SmoothBoost counts on; 0 for AdaBoost.
    kappa : float
        SmoothBoost stops when the mean weight falls below it.
    target : float
        SmoothBoost's margin θ.
    rounds : int
        At most so many.
    hypothesis : ndarray of shape (2,)
        Filled with the voted hypothesis, of length 1.
    margin : ndarray of shape (n,)
        Filled with normalised margins.
    weight : ndarray of shape (n,)
        Filled with the last distribution.
    record : ndarray of shape (2, T)
        Filled with the edge and the largest weight times n of each round.
    """
    n, decay = len(y), 0.5 * log1p(-gamma)
    w1, w2, votes, done = 0.0, 0.0, 0.0, 0
    for i in range(n):
        margin[i] = 0.0
    for t in range(rounds):
        total, top, low = 0.0, 0.0, margin[0]
        for i in range(1, n):
            low = min(low, margin[i])
        for i in range(n):
            weight[i] = exp(low - margin[i]) if gamma == 0.0 else exp(decay * max(margin[i], 0.0))
            total += weight[i]
            top = max(top, weight[i])
        for i in range(n):
            weight[i] /= total
        if gamma > 0.0 and total < kappa * n:
            break
        z1, z2 = 0.0, 0.0
        for i in range(n):
            z1 += weight[i] * y[i] * x[0, i]
            z2 += weight[i] * y[i] * x[1, i]
        norm = math.sqrt(z1 * z1 + z2 * z2)
        edge = norm / radius
        record[0, t], record[1, t], done = edge, n * top / total, t + 1
        if edge < 1e-9:
            break
        step = 1.0 if gamma > 0.0 else 0.5 * log1p(2.0 * edge / (1.0 - min(edge, 1.0 - 1e-12)))
        z1, z2, votes = step * z1 / norm, step * z2 / norm, votes + step
        w1, w2 = w1 + z1, w2 + z2
        for i in range(n):
            margin[i] += y[i] * (z1 * x[0, i] + z2 * x[1, i]) / radius - (target * step if gamma > 0.0 else 0.0)
    norm = max(math.sqrt(w1 * w1 + w2 * w2), 1e-300)
    hypothesis[0], hypothesis[1] = w1 / norm, w2 / norm
    for i in range(n):
        margin[i] = y[i] * (w1 * x[0, i] + w2 * x[1, i]) / (radius * max(votes, 1e-300))
    return done
