"""Small trees on encoded columns: one histogram pass serves Gini, weighted error and weighted least squares.

A sample of class y in bin b has the code ``K b + y``. Summing the weights by code gives the class weights of every bin,
and with them every criterion. For labels ±1 the Gini index and squared error choose the same splits, so a tree for
classification and one for least squares differ in what their leaves say only.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marginloss.boosting.compiled_loop import Rule, run
from marginloss.boosting.encode import EncodedMatrix
from marginloss.boosting.forest import Tree
from marginloss.boosting.grow import grow_by_histograms, grow_by_lists
from marginloss.boosting.learners import margin_of_classes
from marginloss.boosting.loop import BoostRecord
from marginloss.boosting.rules import ErrorStep, GradientStep, LinkWeights, LossWeights
from marginloss.losses.margin import SigmoidPowerLoss

__all__ = ["TreeLearner"]

Array = NDArray[np.float64]

DEEPEST = 60  # the number of nodes of a deeper tree would not fit into 64 bits


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
        """All that :mod:`marginloss.boosting.grow` takes and that no round changes."""
        data = self.coded, self.y, self.n_bins, self.encoded.cuts, self.encoded.start, self.n_classes
        return *data, self.max_depth, self.by_error, self.mean_leaf, self.ranked

    def fit(self, weight: Array) -> tuple[Tree, Array]:
        """Tree for these weights, and the margin it gives to each row."""
        nodes, output = np.empty((5, self.room)), np.empty(len(weight))
        grow = grow_by_histograms if self.ranked is None else grow_by_lists
        size = grow(self.recipe, weight, nodes, 0, output)
        return Tree.of(nodes[:, :size], self.encoded), self.margin(output)

    def compiled_loop(self, weigh: Any, step: Any) -> Callable[..., BoostRecord] | None:
        """The rounds of :func:`~marginloss.boosting.loop.boost` as machine code, if there is any for these rules."""
        if isinstance(weigh, LossWeights) and isinstance(step, ErrorStep):
            if isinstance(weigh.loss, SigmoidPowerLoss) and weigh.theta == 0 and not self.mean_leaf:
                return partial(run, self, Rule(False, float(weigh.loss.exponent), float(step.factor)))
        elif isinstance(weigh, LinkWeights) and isinstance(step, GradientStep) and weigh.link == "pseudo":  # noqa: SIM102
            if np.isfinite(weigh.loss.alpha):
                return partial(run, self, Rule(True, float(weigh.loss.beta), float(step.factor)))
        return None

    @property
    def room(self) -> int:
        """Largest number of nodes of a tree."""
        return min(2 ** (self.max_depth + 1) - 1, 2 * len(self.y) - 1)

    def signs(self) -> NDArray[np.int8]:
        """The features as ±1, for data with two values a feature."""
        return 2 * self._codes.astype(np.int8) - np.int8(1)

    def margin(self, output: Array) -> Array:
        """Margin of each row per unit of step: ``y h`` for two classes, else by the coding of SAMME."""
        if self.n_classes == 2:
            return np.where(self.y == 1, output, -output)
        return margin_of_classes(output, self.y, self.n_classes)
