"""Small trees on encoded columns: one histogram pass serves Gini, weighted error and weighted least squares.

A sample of class y in bin b has the code ``K b + y``. Summing the weights by code gives the class weights of every bin,
and with them every criterion. For labels ±1 the Gini index and squared error choose the same splits, so a tree for
classification and one for least squares differ in what their leaves say only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from marginloss.boosting.encode import EncodedMatrix
from marginloss.boosting.grow import grow
from marginloss.boosting.learners import margin_of_classes
from marginloss.boosting.nodes import apply, new_nodes, vote

__all__ = ["Forest", "Tree", "TreeLearner"]

Array = NDArray[np.float64]

DEEPEST = 60  # the number of nodes of a deeper tree would not fit into 64 bits


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
        start = np.concatenate([[0], np.cumsum([len(tree.feature) for tree in trees], dtype=np.int64)])
        names = ("feature", "threshold", "left", "value", "gain")
        parts = (
            np.concatenate(
                [getattr(t, name) for t in trees] or [np.empty(0, np.int32 if name in ("feature", "left") else float)]
            )
            for name in names
        )
        return cls(start, Tree(*parts))

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


class TreeLearner:
    """Weak learner for :func:`marginloss.boosting.loop.boost`: trees of small depth on an encoded matrix.

    Parameters
    ----------
    encoded : EncodedMatrix
        The data.
    y : ndarray of shape (n_samples,)
        Classes ``0 .. n_classes - 1``.
    sample_weight : ndarray of shape (n_samples,)
        Positive multiplicities.
    n_classes : int
        With two classes the hypotheses answer in -1/+1, with more they answer a class.
    max_depth : int
        Largest number of splits from the root to a leaf.
    criterion : {"gini", "error"}
        What a split makes small: the Gini index as in scikit-learn (which is least squares for labels ±1), or the
        weighted error.
    leaf : {"vote", "mean"}
        Whether a leaf answers its heaviest class or the weighted mean of the labels ±1 (two classes only).

    Attributes
    ----------
    sample_weight : ndarray of shape (n_rows,)
        Multiplicities of the merged rows.
    y : ndarray of shape (n_rows,)
        Their classes.

    Examples
    --------
    >>> from marginloss.boosting.encode import encode
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> learner = TreeLearner(encode(X), np.array([0, 0, 1, 1]), np.ones(4))
    >>> tree, gain = learner.fit(np.full(4, 0.25))
    >>> tree.threshold[0], tree.predict(X)
    (np.float64(1.5), array([-1., -1.,  1.,  1.]))
    """

    def __init__(
        self,
        encoded: EncodedMatrix,
        y: NDArray[np.integer],
        sample_weight: Array,
        n_classes: int = 2,
        max_depth: int = 1,
        criterion: str = "gini",
        leaf: str = "vote",
    ) -> None:
        codes = encoded.codes
        if encoded.group is not None:
            # one row per (distinct row, class) that occurs
            cell = encoded.group.astype(np.int64) * n_classes + y
            total = np.bincount(cell, sample_weight, minlength=codes.shape[1] * n_classes)
            present = np.flatnonzero(total > 0)
            codes, y, sample_weight = codes[:, present // n_classes], present % n_classes, total[present].astype(float)
        self.encoded = encoded
        self.y = y
        self.sample_weight = sample_weight
        self.n_classes, self.max_depth = n_classes, min(max_depth, DEEPEST)
        self.by_error, self.mean_leaf = criterion == "error", leaf == "mean"
        self.n_bins = encoded.n_bins
        self._codes = codes

    @property
    def _n_codes(self) -> int:
        return self.n_classes * int(self.n_bins.max(initial=1))

    @cached_property
    def coded(self) -> NDArray[np.unsignedinteger]:
        """Bin and class of each value in one number; stumps on ±1 features do without."""
        largest = self._n_codes
        dtype = np.uint8 if largest <= 256 else np.uint16 if largest <= 65536 else np.uint32
        coded = np.multiply(self._codes, self.n_classes, dtype=dtype, casting="unsafe")
        coded += self.y.astype(dtype)
        return coded

    @cached_property
    def ranked(self) -> NDArray[np.uint32] | None:
        """Rows in the order of each feature; none where histograms are the shorter way."""
        # about as many bins as rows: lists of rows in their order are shorter than histograms
        if self.n_classes == 2 and self._n_codes > len(self.y) and self._n_codes > 256:
            return np.argsort(self.coded, axis=1, kind="stable").astype(np.uint32)
        return None

    @property
    def recipe(self) -> tuple[Any, ...]:
        """All that :func:`~marginloss.boosting.grow.grow` takes, beside the ranks, and that no round changes."""
        data = self.coded, self.y, self.n_bins, self.encoded.cuts, self.encoded.start, self.n_classes
        return *data, self.max_depth, self.by_error, self.mean_leaf

    def fit(self, weight: Array) -> tuple[Tree, Array]:
        """Tree for these weights, and the margin it gives to each row."""
        nodes = new_nodes(min(2 ** (self.max_depth + 1) - 1, 2 * len(weight) - 1))
        output = np.empty(len(weight))
        size = grow(self.recipe, self.ranked, weight, nodes, 0, output)
        return Tree(*(part[:size] for part in nodes)), self.margin(output)

    def signs(self) -> NDArray[np.int8]:
        """The features as ±1, for data with two values a feature."""
        return 2 * self._codes.astype(np.int8) - np.int8(1)

    def margin(self, output: Array) -> Array:
        """Margin of each row per unit of step: ``y h`` for two classes, else by the coding of SAMME."""
        if self.n_classes == 2:
            return np.where(self.y == 1, output, -output)
        return margin_of_classes(output, self.y, self.n_classes)
