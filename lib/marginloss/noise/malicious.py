r"""Malicious noise: distributions on which a halfspace has a margin, adversaries, and the oracle that joins them.

Section 3.2 of servedio2003. A fraction of the examples is not merely mislabelled: an adversary who knows the target
replaces point and label by whatever hurts most, inside the ball :math:`B_p(R)`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marginloss._norms import dual_exponent, p_norm
from marginloss._validation import check_integer, check_real, check_rng

__all__ = ["ADVERSARIES", "DenseHalfspace", "GoodDistribution", "MaliciousOracle", "SparseMajority", "TwoTargets"]

Array = NDArray[np.float64]
Rng = np.random.Generator | int
Rows = tuple[Array, Array]


class GoodDistribution(ABC):
    r"""A distribution on :math:`B_p(R)` that is :math:`\xi`-good: :math:`|u \cdot x| \ge \xi` for every point.

    Attributes
    ----------
    p, R, xi : float
        Norm, radius of the ball and margin.
    target : ndarray of shape (d,)
        The normal vector :math:`u`; clean labels are :math:`\operatorname{sign}(u \cdot x)`.
    """

    p: float
    R: float
    xi: float

    @property
    @abstractmethod
    def target(self) -> Array:
        """Normal vector of the halfspace."""

    @property
    def difficulty(self) -> float:
        r"""The number :math:`A = R \|u\|_q / \xi \ge 1` on which all guarantees of the paper depend."""
        return float(self.R * p_norm(self.target, dual_exponent(self.p)) / self.xi)

    def draw(self, n: int, rng: Rng) -> Rows:
        """Draw ``n`` clean examples: points and their labels −1/+1."""
        X = self._points(check_integer("n", n, 1), check_rng(rng))
        return X, np.sign(X @ self.target)

    @abstractmethod
    def _points(self, n: int, rng: np.random.Generator) -> Array: ...

    # What the adversaries below need to know about the geometry. `X` are the clean points that get replaced.
    @abstractmethod
    def _against(self, X: Array, y: Array) -> Rows:
        """Points as far as possible on the wrong side of the target for their new labels ``y``."""

    @abstractmethod
    def _decoy(self, X: Array, y: Array) -> Rows:
        """Points against the target that also agree on one false direction."""

    @abstractmethod
    def _contrary(self, X: Array, y: Array) -> Rows:
        """Points whose every direction speaks against their label."""


@dataclass(frozen=True)
class SparseMajority(GoodDistribution):
    r"""Uniform signs in ``n_features`` coordinates; the label is the majority of the first ``k``.

    :math:`p = \infty`, :math:`R = \xi = 1`, :math:`A = \|u\|_1 = k`: few relevant features among many.

    Examples
    --------
    >>> X, y = SparseMajority(10, 3).draw(4, rng=0)
    >>> bool((y == np.sign(X[:, :3].sum(axis=1))).all())
    True
    """

    n_features: int = 100
    k: int = 3
    p = math.inf
    R = 1.0
    xi = 1.0

    def __post_init__(self) -> None:
        check_integer("n_features", self.n_features, 1)
        check_integer("k", self.k, 1)
        if self.k % 2 == 0 or self.k > self.n_features:
            raise ValueError(f"k must be odd and at most n_features = {self.n_features}, got {self.k!r}")

    @property
    def target(self) -> Array:
        """Ones on the relevant coordinates."""
        return (np.arange(self.n_features) < self.k).astype(np.float64)

    def _points(self, n: int, rng: np.random.Generator) -> Array:
        bits = rng.integers(0, 2, size=(n, self.n_features), dtype=np.int8)
        return (2 * bits - 1).astype(np.float64)

    def _against(self, X: Array, y: Array) -> Rows:
        X = X.copy()
        X[:, : self.k] = -y[:, None]
        return X, y

    def _decoy(self, X: Array, y: Array) -> Rows:
        X, y = self._against(X, y)
        X[:, self.k : 2 * self.k] = y[:, None]
        return X, y

    def _contrary(self, X: Array, y: Array) -> Rows:
        return np.repeat(-y[:, None], self.n_features, axis=1), y


@dataclass(frozen=True)
class DenseHalfspace(GoodDistribution):
    r"""Uniform on the unit sphere outside the band :math:`|u \cdot x| < \xi`; all coordinates of u alike.

    :math:`p = 2`, :math:`R = 1`, :math:`A = 1/\xi`: every feature matters a little.

    Examples
    --------
    >>> source = DenseHalfspace(40, xi=0.1)
    >>> X, y = source.draw(50, rng=0)
    >>> bool((y * (X @ source.target) >= 0.1).all()), round(source.difficulty, 9)
    (True, 10.0)
    """

    n_features: int = 40
    xi: float = 0.1
    p = 2.0
    R = 1.0

    def __post_init__(self) -> None:
        check_integer("n_features", self.n_features, 2)
        check_real("xi", self.xi, "(0, 1)")

    @property
    def target(self) -> Array:
        """Unit vector along the diagonal."""
        return np.full(self.n_features, self.n_features**-0.5)

    @property
    def _false_direction(self) -> Array:
        """A unit vector orthogonal to the target: alternating signs, with a zero if there is an odd one out."""
        pairs = self.n_features // 2
        return np.concatenate([np.tile([1.0, -1.0], pairs), np.zeros(self.n_features % 2)]) / math.sqrt(2 * pairs)

    def _points(self, n: int, rng: np.random.Generator) -> Array:
        kept, found = [np.empty((0, self.n_features))], 0
        while found < n:  # rejection keeps the distribution uniform outside the band
            X = rng.standard_normal((n, self.n_features))
            X /= np.linalg.norm(X, axis=1, keepdims=True)
            kept.append(X[np.abs(X @ self.target) >= self.xi])
            found += len(kept[-1])
        return np.concatenate(kept)[:n]

    def _against(self, X: Array, y: Array) -> Rows:
        return -y[:, None] * self.target, y

    def _decoy(self, X: Array, y: Array) -> Rows:
        return y[:, None] * (0.8 * self._false_direction - 0.6 * self.target), y

    def _contrary(self, X: Array, y: Array) -> Rows:
        side = np.sign(X @ self.target)
        X = X + side[:, None] * self.target
        return X / np.linalg.norm(X, axis=1, keepdims=True), -side


@dataclass(frozen=True)
class TwoTargets(GoodDistribution):
    r"""The problem of Section 5 of servedio2003: (1, 1) with probability :math:`1-\epsilon`, else (1, −1).

    The target is one of two coordinates, which agree on the first point and differ on the second.

    Examples
    --------
    >>> TwoTargets(0.1, coordinate=1).target
    array([0., 1.])
    """

    epsilon: float = 0.1
    coordinate: int = 0
    p = math.inf
    R = 1.0
    xi = 1.0

    def __post_init__(self) -> None:
        check_real("epsilon", self.epsilon, "(0, 1)")
        if self.coordinate not in (0, 1):
            raise ValueError(f"coordinate must be 0 or 1, got {self.coordinate!r}")

    @property
    def target(self) -> Array:
        """First or second unit vector."""
        return np.eye(2)[self.coordinate]

    def _points(self, n: int, rng: np.random.Generator) -> Array:
        return np.column_stack([np.ones(n), np.where(rng.random(n) < self.epsilon, -1.0, 1.0)])

    def _against(self, X: Array, y: Array) -> Rows:
        hard = np.array([1.0, -1.0])
        return np.repeat(hard[None, :], len(X), axis=0), np.full(len(X), -np.sign(hard @ self.target))

    _decoy = _against
    _contrary = _against


Adversary = Callable[[GoodDistribution, Array, Array, np.random.Generator], Rows]


def _coin(rows: int, rng: np.random.Generator) -> Array:
    return np.where(rng.random(rows) < 0.5, -1.0, 1.0)


def flip(source: GoodDistribution, X: Array, y: Array, rng: np.random.Generator) -> Rows:
    """Keep the point, flip its label: classification noise."""
    return X, -y


def maxmargin(source: GoodDistribution, X: Array, y: Array, rng: np.random.Generator) -> Rows:
    """Put the points where the target is most certain, with the opposite label."""
    return source._against(X, _coin(len(X), rng))


def fake(source: GoodDistribution, X: Array, y: Array, rng: np.random.Generator) -> Rows:
    """Like ``maxmargin``, and let all dirty points agree on one false direction."""
    return source._decoy(X, _coin(len(X), rng))


def anti(source: GoodDistribution, X: Array, y: Array, rng: np.random.Generator) -> Rows:
    """Let every coordinate, or a strong shift, speak against the label."""
    return source._contrary(X, _coin(len(X), rng))


class adaptive:
    r"""Pull the average :math:`z = \sum y x` of what was seen straight towards zero.

    The p-norm learner's advantage is the norm of that average, and no point of the ball lowers it by more than
    :math:`R`: this one, :math:`-y x = -R z / \|z\|_p`, does. The adversary sees the draws before its own, or the whole
    sample under the strong variant of the oracle.
    """

    def choose(self, source: GoodDistribution, X: Array, y: Array, rng: np.random.Generator) -> tuple[Array, float]:
        """Pick one dirty example, given the examples seen."""
        average = X.T @ y
        if not average.any():
            average = source.target
        return source.R * average / p_norm(average, source.p), -1.0


ADVERSARIES: dict[str, Any] = {each.__name__: each for each in (flip, maxmargin, fake, anti)} | {"adaptive": adaptive()}


@dataclass(frozen=True)
class MaliciousOracle:
    r"""Examples of which each is, with probability ``rate``, replaced by an adversary's choice.

    :math:`EX^\eta_{MAL}(u, \mathcal D)` of Section 3.2 of servedio2003.

    Parameters
    ----------
    adversary : str or callable
        A name in ``ADVERSARIES`` (``"flip"``, ``"maxmargin"``, ``"fake"``, ``"anti"``, ``"adaptive"``); or
        ``adversary(source, X, y, rng) -> X, y``, which gets the clean rows that it replaces; or an object with
        ``choose(source, X, y, rng) -> x, y``, which gets the examples it has seen and picks one.
    rate : float
        Probability :math:`\eta` in [0, 1] of a dirty example.
    source : GoodDistribution
        Where clean examples come from; its ball also binds the adversary.
    strong : bool
        The stronger model of the same section: the clean sample is drawn first, positions are marked at random, and
        an adversary with ``choose`` sees the whole clean sample instead of the draws before its own.

    Examples
    --------
    >>> X, y, dirty = MaliciousOracle("maxmargin", 0.2, SparseMajority(10, 3)).draw(1000, rng=0)
    >>> bool((y[dirty] * X[dirty, :3].sum(axis=1) == -3).all()), bool((y[~dirty] * X[~dirty, :3].sum(axis=1) > 0).all())
    (True, True)
    """

    adversary: str | Adversary | Any
    rate: float
    source: GoodDistribution = SparseMajority()
    strong: bool = False

    def __post_init__(self) -> None:
        check_real("rate", self.rate, "[0, 1]")
        if isinstance(self.adversary, str) and self.adversary not in ADVERSARIES:
            raise ValueError(f"adversary must be one of {sorted(ADVERSARIES)} or callable, got {self.adversary!r}")
        if not (isinstance(self.adversary, str) or callable(self.adversary) or hasattr(self.adversary, "choose")):
            raise ValueError(f"adversary must be a name, a callable or have choose(), got {self.adversary!r}")
        if not isinstance(self.source, GoodDistribution):
            raise ValueError(f"source must be a distribution such as SparseMajority(), got {self.source!r}")

    def draw(self, n: int, rng: Rng) -> tuple[Array, Array, NDArray[np.bool_]]:
        """Draw ``n`` examples.

        Returns
        -------
        X : ndarray of shape (n, d)
        y : ndarray of shape (n,)
            Labels −1/+1.
        dirty : ndarray of shape (n,)
            Which examples the adversary chose.
        """
        rng = check_rng(rng)
        X, y = self.source.draw(n, rng)
        dirty = rng.random(n) < self.rate
        adversary = ADVERSARIES[self.adversary] if isinstance(self.adversary, str) else self.adversary
        if hasattr(adversary, "choose"):
            self._choose_in_turn(adversary, X, y, dirty, rng)
        elif dirty.any():
            X[dirty], y[dirty] = adversary(self.source, X[dirty], y[dirty], rng)
        self._check_rules(X[dirty], y[dirty])
        return X, y, dirty

    def _choose_in_turn(
        self, adversary: Any, X: Array, y: Array, dirty: NDArray[np.bool_], rng: np.random.Generator
    ) -> None:
        known = X[~dirty], y[~dirty]
        for done, j in enumerate(np.flatnonzero(dirty)):
            if self.strong:  # the clean rest of the sample, and its own earlier choices
                own = np.flatnonzero(dirty)[:done]
                seen = np.concatenate([known[0], X[own]]), np.concatenate([known[1], y[own]])
            else:
                seen = X[:j], y[:j]
            X[j], y[j] = adversary.choose(self.source, *seen, rng)

    def _check_rules(self, X: Array, y: Array) -> None:
        largest = p_norm(X, self.source.p).max(initial=0.0)
        if largest > self.source.R * (1 + 1e-9):
            raise ValueError(f"adversary must stay in the ball of radius {self.source.R}, got a norm of {largest}")
        if not np.isin(y, (-1.0, 1.0)).all():
            raise ValueError("adversary must give labels -1 or +1")
