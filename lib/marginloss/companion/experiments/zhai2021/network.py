"""A small network trained by minibatches drawn by weight, tuned again and again from one warm start (zhai2021, B)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted, validate_data

from marginloss._validation import MarginlossClassifier, check_integer

__all__ = ["NetworkClassifier"]

Array = NDArray[np.float64]
Single = NDArray[np.float32]


class _Network:
    """Fully connected layers with ReLU between them; all parameters in one vector, each layer a view of it."""

    def __init__(self, sizes: Sequence[int], random: np.random.RandomState) -> None:
        self.sizes = tuple(sizes)
        bound = np.concatenate([np.full((d + 1) * h, 1 / np.sqrt(d)) for d, h in pairwise(sizes)])
        self.parameters: Single = random.uniform(-bound, bound).astype(np.float32)
        self.velocity: Single = np.zeros_like(self.parameters)
        self._gradient: Single = np.zeros_like(self.parameters)

    def layers(self, vector: Single) -> list[tuple[Single, Single]]:
        """Weights and biases of each layer, as views of a vector of parameters."""
        found, start = [], 0
        for d, h in pairwise(self.sizes):
            found.append((vector[start : start + d * h].reshape(d, h), vector[start + d * h : start + (d + 1) * h]))
            start += (d + 1) * h
        return found

    def copy(self) -> _Network:
        """Same parameters and momentum, to be trained on its own."""
        twin = _Network.__new__(_Network)
        twin.sizes = self.sizes
        twin.parameters, twin.velocity = self.parameters.copy(), self.velocity.copy()
        twin._gradient = np.zeros_like(self.parameters)
        return twin

    def scores(self, X: Single) -> Single:
        """Output of the last layer."""
        *hidden, (weights, bias) = self.layers(self.parameters)
        for inner, shift in hidden:
            X = np.maximum(X @ inner + shift, 0)
        return X @ weights + bias

    def train(
        self, batches: Iterable[tuple[Single, NDArray[np.intp]]], rates: Iterable[float], momentum: float, l2: float
    ) -> None:
        """Momentum descent of the cross-entropy, one step a batch."""
        layers, slopes = self.layers(self.parameters), self.layers(self._gradient)
        outputs = back = self._room(0)
        for (X, y), rate in zip(batches, rates, strict=False):
            if len(X) != len(outputs[0]):
                outputs, back = self._room(len(X)), self._room(len(X))
            inputs = [X, *outputs]
            for (weights, bias), given, hidden in zip(layers, inputs, outputs, strict=False):
                np.matmul(given, weights, out=hidden)
                hidden += bias
                if hidden is not outputs[-1]:
                    np.maximum(hidden, 0, out=hidden)
            error = outputs[-1]  # turned into the gradient of the mean cross-entropy, (p - [class = y]) / n
            error -= error.max(axis=1, keepdims=True)
            np.exp(error, out=error)
            error /= error.sum(axis=1, keepdims=True)
            error[np.arange(len(y)), y] -= 1
            error /= len(y)
            for depth in range(len(layers) - 1, -1, -1):
                np.sum(error, axis=0, out=slopes[depth][1])
                np.matmul(inputs[depth].T, error, out=slopes[depth][0])
                if depth:
                    error = np.matmul(error, layers[depth][0].T, out=back[depth - 1])
                    error *= inputs[depth] > 0  # a product and not a choice: infinity in a silent unit must show
            self.velocity *= momentum
            self.velocity += self._gradient + l2 * self.parameters if l2 else self._gradient
            self.parameters -= rate * self.velocity

    def _room(self, n: int) -> list[Single]:
        """Arrays for what each layer gives for ``n`` rows, to be written again at every step."""
        return [np.empty((n, width), dtype=self.parameters.dtype) for width in self.sizes[1:]]


class NetworkClassifier(MarginlossClassifier):
    r"""Network whose sample weights are probabilities of being drawn into a minibatch.

    First some epochs over all samples, then a fixed number of steps on minibatches drawn by ``sample_weight``. A
    booster calls :meth:`warm_up` once and :meth:`tuned` in every round, so that all its models start from the same
    parameters and momentum: the recipe of Appendix B of zhai2021, in single precision, without a deep-learning library.
    The defaults are those for COMPAS; without a hidden layer it is a linear head on given features.

    Parameters
    ----------
    hidden_layer_sizes : tuple of int, default=(100, 100)
    step_size : float, default=0.01
        Rate of the descent, divided by ten at each of ``decay_at``.
    momentum : float, default=0.9
    l2 : float, default=0.0
        Weight decay.
    batch_size : int, default=128
    warmup_epochs : int, default=3
    n_iterations : int, default=500
        Steps after the warm-up.
    decay_at : tuple of int, default=(400,)
    random_state : int, RandomState or None

    Attributes
    ----------
    classes_ : ndarray
    start_ : NetworkClassifier
        Of a tuned network: the one that was warmed up.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> bool(NetworkClassifier(hidden_layer_sizes=(20,), random_state=0).fit(X, y).score(X, y) > 0.9)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "step_size": [Interval(Real, 0, None, closed="neither")],
        "momentum": [Interval(Real, 0, 1, closed="left")],
        "l2": [Interval(Real, 0, None, closed="left")],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "warmup_epochs": [Interval(Integral, 0, None, closed="left")],
        "n_iterations": [Interval(Integral, 0, None, closed="left")],
        "random_state": ["random_state"],
    }
    network_: _Network
    start_: NetworkClassifier

    def __init__(
        self,
        hidden_layer_sizes: tuple[int, ...] = (100, 100),
        step_size: float = 0.01,
        momentum: float = 0.9,
        l2: float = 0.0,
        batch_size: int = 128,
        warmup_epochs: int = 3,
        n_iterations: int = 500,
        decay_at: tuple[int, ...] = (400,),
        random_state: Any = None,
    ) -> None:
        self.hidden_layer_sizes = hidden_layer_sizes
        self.step_size = step_size
        self.momentum = momentum
        self.l2 = l2
        self.batch_size = batch_size
        self.warmup_epochs = warmup_epochs
        self.n_iterations = n_iterations
        self.decay_at = decay_at
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> NetworkClassifier:
        """Warm up on all samples alike, then train on minibatches drawn by ``sample_weight``."""
        X, codes, weight = self._check_training(X, y, sample_weight, dtype=np.float32)
        random = check_random_state(self.random_state)
        self.warm_up(X, codes, len(self.classes_), random)
        self.network_ = self.tuned(X, codes, weight / weight.sum(), random).network_
        return self

    def warm_up(self, X: Any, codes: NDArray[np.intp], n_classes: int, random: np.random.RandomState) -> None:
        """New parameters, trained for some epochs over all samples; the start of every model that follows."""
        self._check_parameters()
        X = np.ascontiguousarray(X, dtype=np.float32)
        if not hasattr(self, "classes_"):
            self.classes_ = np.arange(n_classes)
            self.n_features_in_ = X.shape[1]
        self.network_ = _Network([X.shape[1], *self.hidden_layer_sizes, n_classes], random)
        for _ in range(self.warmup_epochs):
            order = random.permutation(len(X))
            parts = [order[i : i + self.batch_size] for i in range(0, len(X), self.batch_size)]
            self._train(self.network_, X, codes, parts, [self.step_size] * len(parts))

    def tuned(self, X: Any, codes: NDArray[np.intp], weight: Array, random: np.random.RandomState) -> NetworkClassifier:
        """Copy of this network, trained further on minibatches drawn with the probabilities ``weight``."""
        X = np.ascontiguousarray(X, dtype=np.float32)
        model = type(self)(**self.get_params())
        model.classes_, model.n_features_in_, model.network_ = self.classes_, self.n_features_in_, self.network_.copy()
        model.start_ = self
        reached = np.cumsum(weight)
        uniform = random.random_sample((self.n_iterations, self.batch_size)) * reached[-1]
        drawn = np.minimum(np.searchsorted(reached, uniform, side="right"), len(X) - 1)
        decays = np.searchsorted(np.sort(self.decay_at), np.arange(self.n_iterations), side="right")
        rates = (self.step_size * 0.1**decays).tolist()
        self._train(model.network_, X, codes, drawn, rates)
        return model

    def _train(
        self, network: _Network, X: Single, codes: NDArray[np.intp], parts: Iterable[Any], rates: list[float]
    ) -> None:
        """One step on each part of the rows, all parts being copied to the same place."""
        batch = np.empty((self.batch_size, X.shape[1]), dtype=np.float32)
        # "clip" as no index is out of range, and a check would copy twice
        batches = ((X.take(part, axis=0, out=batch[: len(part)], mode="clip"), codes[part]) for part in parts)
        network.train(batches, rates, self.momentum, self.l2)

    def predict_proba(self, X: Any) -> Array:
        """Softmax of the network's scores."""
        scores = self._scores(X).astype(np.float64)
        scores = np.exp(scores - scores.max(axis=1, keepdims=True))
        return scores / scores.sum(axis=1, keepdims=True)

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of the largest score."""
        best = self._scores(X).argmax(axis=1)
        return self.classes_[best]

    def _scores(self, X: Any) -> Single:
        check_is_fitted(self)
        scores = self.network_.scores(validate_data(self, X, reset=False, dtype=np.float32))
        # parameters that diverged must not become a confident answer
        if not np.isfinite(scores).all():
            raise ValueError(f"the network diverged: try a step_size below {self.step_size!r}, or scale the features")
        return scores

    def _check_parameters(self) -> None:
        for name, low in (("hidden_layer_sizes", 1), ("decay_at", 0)):
            numbers = getattr(self, name)
            if np.ndim(numbers) != 1:
                raise ValueError(f"{name} must be a tuple of whole numbers, got {numbers!r}")
            for number in numbers:
                check_integer(name, number, low)
        self._validate_params()
