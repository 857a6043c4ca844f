r"""What a step of a small network does between its matrix products, as machine code; imported on first use.

A minibatch is some ten thousand numbers, on which an array operation costs as much to call and to store as to do. Each
pass reads what the last product has just written and does all that comes before the next one. Sums run over the rows
in their order, and nothing is reassociated: the same bits as the array operations give.
"""

from __future__ import annotations

from typing import Any

from marginloss._compiled import kernel

__all__ = ["activate", "centre", "gate", "move", "residual"]


@kernel
def activate(hidden: Any, bias: Any) -> None:
    """``hidden = max(hidden + bias, 0)``; what is not a number stays so."""
    zero = hidden.dtype.type(0)
    for i in range(hidden.shape[0]):
        for j in range(hidden.shape[1]):
            value = hidden[i, j] + bias[j]
            hidden[i, j] = zero if value <= zero else value


@kernel
def centre(scores: Any, bias: Any) -> None:
    """Add the bias to the scores and take the largest off each row: their exponentials cannot overflow."""
    for i in range(scores.shape[0]):
        largest = scores[i, 0] + bias[0]
        for j in range(scores.shape[1]):
            scores[i, j] += bias[j]
            if scores[i, j] > largest:
                largest = scores[i, j]
        for j in range(scores.shape[1]):
            scores[i, j] -= largest


@kernel
def residual(error: Any, total: Any, y: Any, slope: Any) -> None:
    """Turn exponentials into the gradient of the mean cross-entropy, ``(p - [class = y]) / n``; ``slope`` is its sum.

    ``total`` holds the sum of each row of exponentials, in a column.
    """
    n, one = error.dtype.type(error.shape[0]), error.dtype.type(1)
    slope[:] = 0
    for i in range(error.shape[0]):
        for j in range(error.shape[1]):
            probability = error[i, j] / total[i, 0]
            error[i, j] = (probability - one if j == y[i] else probability) / n
            slope[j] += error[i, j]


@kernel
def gate(error: Any, hidden: Any, slope: Any) -> None:
    """Let the gradient pass where the unit is active; ``slope`` is its sum over the rows."""
    zero, one = error.dtype.type(0), error.dtype.type(1)
    slope[:] = 0
    for i in range(error.shape[0]):
        for j in range(error.shape[1]):
            # a product and not a choice: infinity in a silent unit must show
            error[i, j] *= one if hidden[i, j] > zero else zero
            slope[j] += error[i, j]


@kernel
def move(parameters: Any, velocity: Any, gradient: Any, rate: Any, momentum: Any, l2: Any) -> None:
    """One step of momentum descent with weight decay."""
    for i in range(len(parameters)):
        velocity[i] = velocity[i] * momentum + (gradient[i] + l2 * parameters[i])
        parameters[i] -= rate * velocity[i]
