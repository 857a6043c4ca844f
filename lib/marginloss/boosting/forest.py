"""Trees in arrays, and many of them in common arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from marginloss.boosting.nodes import apply, vote

__all__ = ["Forest", "Tree"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Tree:
    """One tree in arrays, root first. A node with ``feature`` -1 is a leaf; the right child follows the left one.

    ``value`` is what a node would say as a leaf: a class, a sign, or the weighted mean of the labels ±1.
    ``gain`` is the decrease of the weighted criterion by the split of a node.
    """

    feature: NDArray[np.int32]
    threshold: Array
    left: NDArray[np.int32]
    value: Array
    gain: Array

    @classmethod
    def of(cls, nodes: Array) -> Tree:
        """From the five rows that kernels write, one column a node."""
        feature, threshold, left, value, gain = nodes
        return cls(feature.astype(np.int32), threshold, left.astype(np.int32), value, gain)

    def predict(self, X: NDArray[np.floating]) -> Array:
        """Value of the leaf that each row of ``X`` falls into."""
        return apply(X, self.feature, self.threshold, self.left, self.value)


class Forest(Sequence[Tree]):
    """Trees stored one after the other in common arrays; behaves like a tuple of :class:`Tree`."""

    def __init__(self, start: NDArray[np.int64], nodes: Tree) -> None:
        self.start = start
        self.nodes = nodes

    @classmethod
    def join(cls, trees: Sequence[Tree]) -> Forest:
        """One forest from single trees."""
        parts = [np.array([tree.feature, tree.threshold, tree.left, tree.value, tree.gain]) for tree in trees]
        return cls.of([len(tree.feature) for tree in trees], np.concatenate([np.empty((5, 0)), *parts], axis=1))

    @classmethod
    def of(cls, sizes: Any, nodes: Array) -> Forest:
        """From the numbers of nodes of the trees, and the five rows that kernels write."""
        return cls(np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]), Tree.of(nodes))

    def __len__(self) -> int:
        return len(self.start) - 1

    @overload
    def __getitem__(self, index: int) -> Tree: ...
    @overload
    def __getitem__(self, index: slice) -> list[Tree]: ...
    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        t = range(len(self))[index]
        part = slice(self.start[t], self.start[t + 1])
        nodes = self.nodes
        return Tree(nodes.feature[part], nodes.threshold[part], nodes.left[part], nodes.value[part], nodes.gain[part])

    def __iter__(self) -> Iterator[Tree]:
        return (self[t] for t in range(len(self)))

    def importances(self, steps: Array, n_features: int) -> Array:
        """Share of each feature in the decrease of the criterion, summed over the trees with weights ``steps``."""
        nodes = self.nodes
        inner = nodes.feature >= 0
        tree = np.repeat(np.arange(len(self)), np.diff(self.start))[inner]
        gain = nodes.gain[inner]
        total = np.bincount(tree, gain, minlength=len(self))
        share = np.divide(gain, total[tree], out=np.zeros_like(gain), where=total[tree] > 0)
        return np.bincount(nodes.feature[inner], steps[tree] * share, minlength=n_features).astype(float)

    def vote(self, X: NDArray[np.floating], steps: Array, first: int = 0) -> Array:
        """Sum of ``steps[t] * tree_t(x)`` for each row of ``X``, over the trees from ``first`` on."""
        nodes = self.nodes
        return vote(X, self.start[first:], nodes.feature, nodes.threshold, nodes.left, nodes.value, steps)
