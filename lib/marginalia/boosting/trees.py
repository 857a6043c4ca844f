"""Small trees on encoded columns: one histogram pass serves Gini, weighted error and weighted least squares.

A sample of class y in bin b has the code ``K b + y``. Summing the weights by code gives the class weights of every bin,
and with them every criterion. For labels ±1 the Gini index and squared error choose the same splits, so a tree for
classification and one for least squares differ in what their leaves say only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numba import njit
from numpy.typing import NDArray

from marginalia.boosting.encode import EncodedMatrix
from marginalia.boosting.learners import margin_of_classes

__all__ = ["Forest", "Tree", "TreeLearner"]

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

    def predict(self, X: NDArray[np.floating]) -> Array:
        """Value of the leaf that each row of ``X`` falls into."""
        return _apply(X, self.feature, self.threshold, self.left, self.value)

    def importances(self, n_features: int) -> Array:
        """Share of each feature in the decrease of the criterion; zeros for a tree without split."""
        inner = self.feature >= 0
        total: Array = np.bincount(self.feature[inner], self.gain[inner], minlength=n_features).astype(float)
        return total / total.sum() if total.sum() > 0 else total


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

    def vote(self, X: NDArray[np.floating], steps: Array) -> Array:
        """Sum of ``steps[t] * tree_t(x)`` for each row of ``X``."""
        nodes = self.nodes
        return _vote(X, self.start, nodes.feature, nodes.threshold, nodes.left, nodes.value, steps)


class TreeLearner:
    """Weak learner for :func:`marginalia.boosting.loop.boost`: trees of small depth on an encoded matrix.

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
    >>> from marginalia.boosting.encode import encode
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
        self.n_classes, self.max_depth = n_classes, max_depth
        self.by_error, self.mean_leaf = criterion == "error", leaf == "mean"
        self.n_bins = encoded.n_bins
        largest = n_classes * int(self.n_bins.max(initial=1))
        dtype = np.uint8 if largest <= 256 else np.uint16 if largest <= 65536 else np.uint32
        self.coded = np.multiply(codes, n_classes, dtype=dtype, casting="unsafe")
        self.coded += y.astype(dtype)

    def fit(self, weight: Array) -> tuple[Tree, Array]:
        """Tree for these weights, and the margin it gives to each row."""
        n = len(weight)
        room = min(2 ** (self.max_depth + 1) - 1, 2 * n - 1)
        nodes = (np.empty(room, np.int32), np.empty(room), np.empty(room, np.int32), np.empty(room), np.empty(room))
        output = np.empty(n)
        size = grow(self.coded, self.n_bins, self.encoded.cuts, self.encoded.start, self.n_classes, weight,
                    self.max_depth, self.by_error, self.mean_leaf, nodes, 0, output)  # fmt: skip
        return Tree(*(part[:size] for part in nodes)), self.margin(output)

    def signs(self) -> NDArray[np.int8]:
        """The features as ±1, for data with two values a feature and labels of two classes."""
        return (self.coded & 2).astype(np.int8) - np.int8(1)  # the code is 2 bin + class

    def margin(self, output: Array) -> Array:
        """Margin of each row per unit of step: ``y h`` for two classes, else by the coding of SAMME."""
        if self.n_classes == 2:
            return np.where(self.y == 1, output, -output)
        return margin_of_classes(output, self.y, self.n_classes)


@njit(nogil=True, cache=True)
def grow(coded, n_bins, cuts, start, k, weight, max_depth, by_error, mean_leaf, nodes, first, output):  # type: ignore[no-untyped-def]
    """Grow one tree into ``nodes`` from position ``first`` on; write the answer for each row; return the tree's size.

    Children are numbered from the root of their own tree. Among equal splits the first feature and the lowest cut win.
    """
    feature, threshold, left, value, gain = nodes
    n_features, n = coded.shape
    order = np.arange(n, dtype=np.int32) if max_depth > 1 else np.empty(0, dtype=np.int32)
    spare = np.empty(n if max_depth > 1 else 0, dtype=np.int32)
    room = min(2 ** (max_depth + 1) - 1, 2 * n - 1)
    begin, end, depth = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    begin[0], end[0], depth[0] = 0, n, 0
    histogram = np.zeros(k * n_bins.max())
    total, side = np.empty(k), np.empty((2, k))
    size, node = 1, 0
    while node < size:
        b, e = begin[node], end[node]
        if b == e:  # a leaf that was filled together with its parent
            node += 1
            continue
        whole = e - b == n
        total[:] = 0.0
        for i in range(b, e):
            row = i if whole else order[i]
            total[coded[0, row] % k] += weight[row]
        here = first + node
        feature[here], threshold[here], left[here], gain[here] = -1, 0.0, 0, 0.0
        value[here] = _leaf(total, mean_leaf)
        best_feature, best_bin, best = -1, 0, -np.inf
        if depth[node] < max_depth and (total > 0).sum() > 1:
            for f in range(n_features):
                if n_bins[f] == 1:
                    continue
                column = coded[f]
                if whole:
                    for i in range(n):
                        histogram[column[i]] += weight[i]
                else:
                    for i in range(b, e):
                        row = order[i]
                        histogram[column[row]] += weight[row]
                score, split = _best_split(histogram, n_bins[f], total, by_error, best, side[0])
                if score > best:
                    best, best_feature, best_bin = score, f, split
        if best_feature < 0:
            _fill(output, order, b, e, whole, value[here])
            node += 1
            continue
        column, bound = coded[best_feature], k * (best_bin + 1)
        feature[here], threshold[here] = best_feature, cuts[start[best_feature] + best_bin]
        left[here] = size
        gain[here] = best - _purity(total, by_error)
        if depth[node] + 1 == max_depth:  # both children are leaves: no need to sort the rows
            side[:] = 0.0
            for i in range(b, e):
                row = i if whole else order[i]
                code = column[row]
                side[0 if code < bound else 1, code % k] += weight[row]
            for child in range(2):
                there = here - node + size + child
                feature[there], threshold[there], left[there], gain[there] = -1, 0.0, 0, 0.0
                value[there] = _leaf(side[child], mean_leaf)
            low, high = value[first + size], value[first + size + 1]
            for i in range(b, e):
                row = i if whole else order[i]
                output[row] = low if column[row] < bound else high
            begin[size] = end[size] = begin[size + 1] = end[size + 1] = e  # done: an empty range is not visited
        else:
            below, above = b, 0
            for i in range(b, e):
                row = order[i]
                if column[row] < bound:
                    order[below] = row
                    below += 1
                else:
                    spare[above] = row
                    above += 1
            order[below:e] = spare[:above]
            begin[size], end[size], depth[size] = b, below, depth[node] + 1
            begin[size + 1], end[size + 1], depth[size + 1] = below, e, depth[node] + 1
        size += 2
        node += 1
    return size


@njit(nogil=True, cache=True, inline="always")
def _fill(output, order, b, e, whole, value):  # type: ignore[no-untyped-def]
    if whole:
        output[:] = value
    else:
        for i in range(b, e):
            output[order[i]] = value


@njit(nogil=True, cache=True)
def _leaf(total, mean_leaf):  # type: ignore[no-untyped-def]
    """Answer of a leaf with these class weights; ties go to the lower class."""
    if mean_leaf:
        weight = total[0] + total[1]
        return (total[1] - total[0]) / weight if weight > 0 else 0.0
    heaviest = np.argmax(total)
    return 2.0 * heaviest - 1.0 if len(total) == 2 else float(heaviest)


@njit(nogil=True, cache=True)
def _purity(total, by_error):  # type: ignore[no-untyped-def]
    """What a split makes large, summed over its sides: heaviest class, or squared class weights over weight."""
    weight = total.sum()
    if by_error:
        return total.max()
    return (total**2).sum() / weight if weight > 0 else 0.0


@njit(nogil=True, cache=True)
def _best_split(histogram, n_bins, total, by_error, best, below):  # type: ignore[no-untyped-def]
    """Best cut of one feature, if better than ``best``; clears the histogram on the way.

    Better means by more than rounding: ties must not be broken by the order in which weights were added.
    Between two occupied bins with empty ones in between, the boundary halfway is taken.
    """
    k, split, last, rounding = len(total), -1, -1, 1e-12 * total.sum()
    if k == 2:
        weight, first, second = total[0] + total[1], 0.0, 0.0
        for bin_ in range(n_bins):
            more_first, more_second = histogram[2 * bin_], histogram[2 * bin_ + 1]
            if more_first == 0.0 and more_second == 0.0:
                continue
            histogram[2 * bin_] = histogram[2 * bin_ + 1] = 0.0
            if last >= 0:
                rest_first, rest_second = total[0] - first, total[1] - second
                if by_error:
                    score = max(first, second) + max(rest_first, rest_second)
                else:
                    inside = first + second
                    outside = weight - inside
                    score = -np.inf
                    if outside > 0:
                        score = (first * first + second * second) / inside
                        score += (rest_first * rest_first + rest_second * rest_second) / outside
                if score > best + rounding:
                    best, split = score, (last + bin_ - 1) // 2
            first += more_first
            second += more_second
            last = bin_
        return best if split >= 0 else -np.inf, split
    below[:] = 0.0
    for bin_ in range(n_bins):
        occupied = False
        for c in range(k):
            occupied = occupied or histogram[k * bin_ + c] != 0.0
        if not occupied:
            continue
        if last >= 0:
            score = _purity(below, by_error) + _purity(total - below, by_error)
            if score > best + rounding:
                best, split = score, (last + bin_ - 1) // 2
        for c in range(k):
            below[c] += histogram[k * bin_ + c]
            histogram[k * bin_ + c] = 0.0
        last = bin_
    return best if split >= 0 else -np.inf, split


@njit(nogil=True, cache=True)
def _apply(X, feature, threshold, left, value):  # type: ignore[no-untyped-def]
    out = np.empty(len(X))
    for i in range(len(X)):
        node = 0
        while feature[node] >= 0:
            node = left[node] if X[i, feature[node]] <= threshold[node] else left[node] + 1
        out[i] = value[node]
    return out


@njit(nogil=True, cache=True)
def _vote(X, start, feature, threshold, left, value, steps):  # type: ignore[no-untyped-def]
    out = np.zeros(len(X))
    for i in range(len(X)):
        for t in range(len(steps)):
            root = start[t]
            node = root
            while feature[node] >= 0:
                node = root + left[node] + (0 if X[i, feature[node]] <= threshold[node] else 1)
            out[i] += steps[t] * value[node]
    return out
