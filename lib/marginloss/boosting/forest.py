"""Trees in arrays, and many of them in common arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import gen_batches

from marginloss.boosting.encode import DENSE, EncodedMatrix
from marginloss.boosting.nodes import apply, vote

__all__ = ["Forest", "Tree"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Tree:
    """One tree in arrays, root first. A node with ``feature`` -1 is a leaf; the right child follows the left one.

    ``value`` is what a node would say as a leaf: a class, a sign, or the weighted mean of the labels ±1.
    ``gain`` is the decrease of the weighted criterion by the split of a node. Missing values go to the right child, or
    to the left one where ``missing_left`` says so.
    """

    feature: NDArray[np.int32]
    threshold: Array
    left: NDArray[np.int32]
    value: Array
    gain: Array
    missing_left: NDArray[np.bool_]

    @classmethod
    def of(cls, nodes: Array, encoded: EncodedMatrix) -> Tree:
        """From the five rows that kernels write, one column a node, and the encoding that they speak of."""
        feature, threshold, left, value, gain = nodes
        feature, n_features = feature.astype(np.int32), encoded.shape[1]
        missing_left = feature >= n_features
        feature[missing_left] = encoded.copied[feature[missing_left] - n_features]
        return cls(feature, threshold, left.astype(np.int32), value, gain, missing_left)

    def predict(self, X: Any) -> Array:
        """Value of the leaf that each row of ``X`` falls into."""
        return _by_blocks(X, lambda part: apply(*self.read(part), self.threshold, self.left, self.value))

    def read(self, X: NDArray[np.floating]) -> tuple[NDArray[np.floating], NDArray[np.int32]]:
        """The matrix and the columns that the nodes read: more of them where missing values go left."""
        if not self.missing_left.any():
            return X, self.feature
        names, place = np.unique(self.feature[self.missing_left], return_inverse=True)
        feature = self.feature.copy()
        feature[self.missing_left] = X.shape[1] + place
        return np.hstack([X, np.where(np.isnan(X[:, names]), -np.inf, X[:, names])]), feature


def _by_blocks(X: Any, answer: Callable[[Any], Array]) -> Array:
    """Answer for each row; some rows of a sparse matrix at a time are made dense."""
    if not sparse.issparse(X):
        return answer(X)
    blocks = gen_batches(X.shape[0], max(1, DENSE // X.shape[1]))
    return np.concatenate([answer(X[rows].toarray()) for rows in blocks])


class Forest(Sequence[Tree]):
    """Trees stored one after the other in common arrays; behaves like a tuple of :class:`Tree`."""

    def __init__(self, start: NDArray[np.int64], nodes: Tree) -> None:
        self.start = start
        self.nodes = nodes

    @classmethod
    def join(cls, trees: Sequence[Tree]) -> Forest:
        """One forest from single trees."""
        none = Tree(*(np.empty(0, kind) for kind in (np.int32, float, np.int32, float, float, bool)))
        parts = [np.concatenate([getattr(tree, name.name) for tree in (none, *trees)]) for name in fields(Tree)]
        return cls(_starts([len(tree.feature) for tree in trees]), Tree(*parts))

    @classmethod
    def of(cls, sizes: Any, nodes: Array, encoded: EncodedMatrix) -> Forest:
        """From the numbers of nodes of the trees, and what :meth:`Tree.of` takes for all together."""
        return cls(_starts(sizes), Tree.of(nodes, encoded))

    def __len__(self) -> int:
        return len(self.start) - 1

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        t = range(len(self))[index]
        part = slice(self.start[t], self.start[t + 1])
        return Tree(*(getattr(self.nodes, name.name)[part] for name in fields(Tree)))

    def importances(self, steps: Array, n_features: int) -> Array:
        """Share of each feature in the decrease of the criterion, summed over the trees with weights ``steps``."""
        nodes = self.nodes
        inner = nodes.feature >= 0
        tree = np.repeat(np.arange(len(self)), np.diff(self.start))[inner]
        gain = nodes.gain[inner]
        total = np.bincount(tree, gain, minlength=len(self))
        share = np.divide(gain, total[tree], out=np.zeros_like(gain), where=total[tree] > 0)
        return np.bincount(nodes.feature[inner], steps[tree] * share, minlength=n_features).astype(float)

    def vote(self, X: Any, steps: Array, first: int = 0) -> Array:
        """Sum of ``steps[t] * tree_t(x)`` for each row of ``X``, over the trees from ``first`` on."""
        nodes = self.nodes

        def answer(part: Any) -> Array:
            table, feature = nodes.read(part)
            return vote(table, self.start[first:], feature, nodes.threshold, nodes.left, nodes.value, steps)

        return _by_blocks(X, answer)


def _starts(sizes: Any) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
