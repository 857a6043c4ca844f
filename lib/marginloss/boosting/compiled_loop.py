"""What calls the compiled rounds: in chunks, between which Python looks at signals and calls the watcher."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from marginloss.boosting.forest import Forest, Tree
from marginloss.boosting.loop import BoostRecord, Round, Stop, Watch
from marginloss.boosting.stump_rounds import margins_of_odds, stump_rounds, weigh_odds
from marginloss.boosting.tree_rounds import PERFECT, ROUNDS

__all__ = ["Rule", "run"]

Array = NDArray[np.float64]

CHUNK = 1024  # rounds
WORK = 2e7  # values of a table looked at in a chunk: about a tenth of a second


class Rule(NamedTuple):
    r"""Weights and steps that the rounds know.

    ``by_link``: PILBoost's with its own link, β = ``exponent``; else AdaBoost's step and the weights of the loss
    :math:`(1-\sigma(z)^s)/s` with s = ``exponent``. ``factor`` is that of the step.
    """

    by_link: bool
    exponent: float
    factor: float


def run(learner: Any, rule: Rule, n_rounds: int, watch: Watch | None = None) -> BoostRecord:
    """What :func:`~marginloss.boosting.loop.boost` returns for a tree learner and the rules behind ``rule``."""
    course = _Course(learner, rule, n_rounds, watch)
    try:
        if learner.max_depth == 1 and learner.n_classes == 2 and learner.encoded.is_binary and not rule.by_link:
            course.do_stumps()
        course.do_trees()
    except Stop as stop:
        course.stop_reason = stop.reason
    done = course.done
    theta, error, edge, density, kappa = course.record[:5, :done]
    nodes = np.concatenate([np.empty((5, 0)), *course.nodes], axis=1)
    forest = Forest.of(np.concatenate([np.empty(0), *course.sizes]), nodes, learner.encoded)
    return BoostRecord(forest, theta, error, edge, density, kappa, course.margin, course.stop_reason)


class _Course:
    """Rounds done so far: their record, their trees and the margins that they lead to."""

    def __init__(self, learner: Any, rule: Rule, n_rounds: int, watch: Watch | None) -> None:
        self.learner, self.rule, self.n_rounds, self.watch = learner, rule, n_rounds, watch
        n = len(learner.sample_weight)
        self.record, self.margin, self.done, self.stop_reason = np.empty((10, n_rounds + 1)), np.zeros(n), 0, ""
        self.nodes: list[Array] = []
        self.sizes: list[Array] = []
        self.seen: list[Tree] = []  # by the watcher, who was asked before round
        self.asked = -1
        self.chunk = int(np.clip(WORK / (n * max(1, learner.encoded.shape[1]) * learner.max_depth), 1, CHUNK))

    def next_end(self, margin: Any, weight: Any) -> int:
        """Call the watcher, if there is one, with the round to come; return the round at which to come back."""
        t, record = self.done, self.record
        if self.watch is None:
            return min(t + self.chunk, self.n_rounds)
        if t == self.asked:  # stumps have left this round to the other rounds
            return t + 1
        self.asked = t
        steps = record[0, :t].tolist()
        self.watch(Round(t, sum(steps), margin(), weight(), record[3, t], record[4, t]), self.seen, steps)
        return t + 1

    def keep(self, done: int, sizes: Array, nodes: Array) -> None:
        """Store the trees of some rounds."""
        self.done = done
        self.sizes.append(sizes)
        self.nodes.append(nodes)
        if self.watch is not None:
            self.seen.extend(Forest.of(sizes, nodes, self.learner.encoded))

    def is_perfect(self) -> bool:
        """Whether the last hypothesis made no error, which ends the rounds of AdaBoost."""
        self.stop_reason = "perfect" if self.record[3, self.done] == PERFECT else ""
        return self.stop_reason != ""

    def do_trees(self) -> None:
        """Rounds over trees, from the margins on that there are."""
        learner, rule, record = self.learner, self.rule, self.record
        if self.done == self.n_rounds or self.stop_reason:
            self.stop_reason = self.stop_reason or "n_rounds"
            return
        rounds, data = ROUNDS[learner.ranked is not None, rule.by_link], (learner.recipe, learner.sample_weight, *rule)
        rows = self.margin, *np.empty((3, len(self.margin)))  # and the raw weights, the weights, the answers
        rounds(*data, self.done, self.done, np.empty((5, 0)), record, *rows)
        while self.done < self.n_rounds:
            begin, end = self.done, self.next_end(self.margin.copy, rows[2].copy)
            nodes = np.empty((5, learner.room * (end - begin)))
            done = rounds(*data, begin, end, nodes, record, *rows)
            sizes = record[5, begin:done].copy()
            self.keep(done, sizes, nodes[:, : int(sizes.sum())].copy())
            if self.is_perfect():
                return
            if done < end:
                self.stop_reason = "no_weight" if rule.by_link and record[3, done] == 0 else "no_edge"
                return
        self.stop_reason = "n_rounds"

    def do_stumps(self) -> None:
        """Rounds over stumps on two values, as long as odds do not overflow."""
        learner, record = self.learner, self.record
        order = np.argsort(learner.y, kind="stable")  # class 0 first: then one sum per feature and class is enough
        zeros, base = int(np.count_nonzero(learner.y == 0)), learner.sample_weight[order]
        data = np.take(learner.signs(), order, axis=1), zeros, base, learner.by_error, *self.rule[1:]
        odds, (raw, weight) = np.ones(len(base)), np.empty((2, len(base)))
        back = np.argsort(order)
        weigh_odds(self.rule.exponent, odds, base, raw, weight, record, 0)
        try:
            while self.done < self.n_rounds:
                begin, end = self.done, self.next_end(lambda: _margins(odds)[back], lambda: weight[back])
                done = stump_rounds(*data, begin, end, record, odds, raw, weight)
                self.keep(done, *_stumps(record[5:, begin:done], learner.encoded))
                if self.is_perfect():
                    break
                if done < end:
                    self.stop_reason = "" if record[0, done] else "no_edge"
                    break
        finally:
            self.margin[order] = _margins(odds)


def _margins(odds: Array) -> Array:
    margin = np.empty_like(odds)
    margins_of_odds(odds, margin)
    return margin


def _stumps(columns: Array, encoded: Any) -> tuple[Array, Array]:
    """Sizes and nodes of the trees that these columns of the record describe."""
    feature, root, low, high, gain = columns
    split = feature >= 0
    nodes = np.zeros((5, len(feature), 3))
    nodes[0] = -1
    nodes[0, :, 0], nodes[2, :, 0], nodes[4, :, 0] = feature, split, gain
    nodes[1, split, 0] = encoded.cuts[encoded.start[feature[split].astype(np.intp)]]
    nodes[3] = np.stack([root, low, high], axis=1)
    there = np.ones((len(feature), 3), dtype=bool)
    there[:, 1:] = split[:, None]
    return np.where(split, 3.0, 1.0), nodes[:, there]
