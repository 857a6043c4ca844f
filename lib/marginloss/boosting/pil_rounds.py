"""The loop of :func:`marginloss.boosting.loop.boost` as machine code, for PILBoost with its own link and our trees."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from marginloss._compiled import kernel
from marginloss.boosting.grow import grow
from marginloss.boosting.loop import BoostRecord
from marginloss.boosting.nodes import more_nodes, new_nodes
from marginloss.boosting.trees import Forest, Tree, TreeLearner
from marginloss.losses.proper import AlphaCPELoss
from marginloss.losses.proper.compiled import pseudo_inverse_link

__all__ = ["boost_pil"]

REASONS = ("n_rounds", "no_weight", "no_edge")


def boost_pil(learner: TreeLearner, loss: AlphaCPELoss, step_size: float, n_rounds: int) -> BoostRecord:
    """What ``boost(learner, LinkWeights(loss), GradientStep(step_size), n_rounds)`` returns, for two classes."""
    done, start, nodes, rows, margin, reason = _boost(
        learner.recipe, learner.ranked, learner.sample_weight, loss.alpha, loss.beta, step_size, n_rounds
    )
    theta, error, edge, density, kappa = rows[:, :done]
    forest = Forest(start[: done + 1], Tree(*(part[: start[done]] for part in nodes)))
    return BoostRecord(forest, theta, error, edge, density, kappa, margin, REASONS[reason])


@kernel
def _boost(recipe: Any, ranked: Any, base: Any, alpha: float, beta: float, step_size: float, n_rounds: int) -> Any:
    n, sign = len(base), 2.0 * recipe[1] - 1.0
    rows, roots = np.empty((5, n_rounds)), np.zeros(n_rounds + 1, dtype=np.int64)
    room = min(2 ** (recipe[6] + 1) - 1, 2 * n - 1)
    nodes = new_nodes(room * min(n_rounds, 64))
    output, weight, margin = np.empty(n), np.empty(n), np.zeros(n)
    count = base.sum()
    for t in range(n_rounds):
        density, kappa = _weigh(margin, base, count, alpha, beta, output, weight)
        if density == 0.0:
            return t, roots, nodes, rows, margin, 1
        first = roots[t]
        if first + room > len(nodes[0]):
            nodes = more_nodes(nodes, first)
        size = grow(recipe, ranked, weight, nodes, first, output)
        error, edge = _judge(sign, weight, output)
        if edge <= 0.0:
            return t, roots, nodes, rows, margin, 2
        theta = step_size * density * edge
        for i in range(n):
            margin[i] += theta * output[i]
        rows[0, t], rows[1, t], rows[2, t], rows[3, t], rows[4, t] = theta, error, edge, density, kappa
        roots[t + 1] = first + size
    return n_rounds, roots, nodes, rows, margin, 0


@partial(kernel, fastmath={"reassoc"})
def _weigh(margin: Any, base: Any, count: float, alpha: float, beta: float, spare: Any, weight: Any) -> Any:
    """Write the distribution of a round; its mean before it was normalised, and its smoothness."""
    total, largest = 0.0, 0.0
    for i in range(len(margin)):
        spare[i] = -margin[i]
    pseudo_inverse_link(spare, alpha, beta, weight)
    for i in range(len(margin)):
        largest = max(largest, weight[i])
        weight[i] *= base[i]
        total += weight[i]
    if total > 0:
        for i in range(len(margin)):
            weight[i] /= total
    return total / count, total / (count * largest)


@partial(kernel, fastmath={"reassoc"})
def _judge(sign: Any, weight: Any, output: Any) -> Any:
    """Turn the answers of a tree into margins; the weighted share that is not positive, and their weighted mean."""
    error, edge = 0.0, 0.0
    for i in range(len(sign)):
        output[i] *= sign[i]
        error += weight[i] * (output[i] <= 0)
        edge += weight[i] * output[i]
    return error, edge
