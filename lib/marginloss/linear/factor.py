"""Second moments of a design matrix, factored once: the change of variables that makes L-BFGS fast for every loss."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.linalg import cholesky, solve_triangular
from sklearn.utils import gen_batches
from sklearn.utils.validation import _check_sample_weight, check_array

__all__ = ["DesignFactor", "Whitening"]

Array = NDArray[np.float64]

#: Features up to which the full matrix of second moments is used; beyond, only its diagonal.
MAX_FEATURES = 3000
CHUNK = 4096
#: Evaluations of an objective, counted in operations, that the full matrix may cost; its own take less time each.
WORTH = 3000
#: Rows looked at to see whether columns go together, and the columns for which the full matrix costs nothing anyway.
PROBE, FEW = 1000, 50
#: Penalties whose change of variables is kept: those of a usual grid.
KEPT = 4


class Whitening:
    """Variables in which the logistic loss at zero, with its penalty, has the identity as Hessian."""

    def __init__(self, mean: Array, root: Array) -> None:
        self.mean, self.root = mean, root

    def expand(self, v: Array) -> tuple[Array, Array]:
        """Coefficients and intercepts of whitened variables of shape (d + 1, K)."""
        coef = v[:-1] / self.root[:, None] if self.root.ndim == 1 else self._solve(v[:-1], trans="T")
        return coef, 2 * v[-1] - self.mean @ coef

    def whiten(self, coef: Array, intercept: Array) -> Array:
        """Inverse of ``expand``."""
        v = self.root[:, None] * coef if self.root.ndim == 1 else self.root.T @ coef
        return np.vstack([v, (intercept + self.mean @ coef) / 2])

    def pull(self, coef: Array, intercept: Array) -> Array:
        """Gradient in the whitened variables, from that in coefficients and intercepts."""
        centred = coef - np.outer(self.mean, intercept)
        v = centred / self.root[:, None] if self.root.ndim == 1 else self._solve(centred)
        return np.vstack([v, 2 * intercept])

    def _solve(self, right: Array, trans: str = "N") -> Array:
        return solve_triangular(self.root, right, lower=True, trans=trans, check_finite=False)


class DesignFactor:
    """Centred second moments of ``X``, made once and shared by all fits on (almost) the same rows.

    Only the speed of a fit depends on it, never its result: a factor of all rows serves every fold, noise level,
    label vector, loss and penalty.

    Parameters
    ----------
    X : array_like or sparse matrix of shape (n, d)
    sample_weight : array_like of shape (n,), optional

    Examples
    --------
    >>> from marginloss.linear import DesignFactor, MarginClassifier
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> factor = DesignFactor(X)
    >>> [MarginClassifier(l2=l2).fit(X, X[:, 0] > 0, factor=factor).n_iter_ < 20 for l2 in (0.1, 0.01)]
    [True, True]
    """

    def __init__(self, X: Any, sample_weight: ArrayLike | None = None) -> None:
        X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        weight = weight / weight.sum()
        self.n_features = X.shape[1]
        with np.errstate(over="ignore", invalid="ignore"):
            self.mean = np.asarray(X.T @ weight).ravel()
            self.moments = self._moments(X, weight)
        if not np.isfinite(self.moments).all():
            column = int(np.argmin(np.isfinite(self.moments if self.moments.ndim == 1 else np.diag(self.moments))))
            raise ValueError(
                f"X must have columns whose squares are finite; scale column {column}, of mean {self.mean[column]:g}"
            )
        self._known: dict[tuple[float, bool], Whitening] = {}

    def _moments(self, X: Any, weight: Array) -> Array:
        """Centred second moments, or their diagonal where the matrix would not pay."""
        if self.n_features > MAX_FEATURES or not _pays(X):
            squares = X.multiply(X) if sparse.issparse(X) else X**2
            return np.asarray(squares.T @ weight).ravel() - self.mean**2
        moments = np.zeros((self.n_features, self.n_features))
        for rows in gen_batches(X.shape[0], CHUNK):
            # less the mean before the product, or large offsets would leave nothing but rounding; double precision
            part = (X[rows].toarray() if sparse.issparse(X) else X[rows]) - self.mean
            part *= np.sqrt(weight[rows])[:, None]
            moments += part.T @ part
        return moments

    def largest_curvature(self) -> float:
        """Largest eigenvalue of the Hessian of the logistic loss at zero, intercept included."""
        if self.moments.ndim == 1:
            return float((self.moments.sum() + self.mean @ self.mean + 1) / 4)
        corner = np.concatenate([self.mean, [1.0]])
        full = np.outer(corner, corner)
        full[:-1, :-1] += self.moments
        return float(np.linalg.norm(full, 2) / 4)

    def whitening(self, l2: float, centred: bool = True) -> Whitening:
        """Change of variables for the penalty ``l2``, around the mean if ``centred``; the last few are kept."""
        if (l2, centred) not in self._known:
            full = self.moments.ndim == 2
            mean = self.mean if centred else np.zeros_like(self.mean)
            moments = self.moments
            if not centred:
                moments = moments + (np.outer(self.mean, self.mean) if full else self.mean**2)
            spread = np.maximum(np.diag(moments) if full else moments, 0.0)
            # a floor far below what can matter, so that repeated columns do not stop the factorisation; a column that
            # varies by rounding alone, or whose squares vanish, is a constant, whose coefficient has nothing to do
            ridge = l2 + np.where(spread > np.maximum((1e-12 * self.mean) ** 2, 1e-290), 1e-9 * spread, 1.0)
            if full:
                root = cholesky(moments / 4 + np.diag(ridge), lower=True, check_finite=False)
            else:
                root = np.sqrt(spread / 4 + ridge)
            if len(self._known) >= KEPT:
                del self._known[next(iter(self._known))]  # the oldest
            self._known[l2, centred] = Whitening(mean, root)
        return self._known[l2, centred]


def _pays(X: Any) -> bool:
    """Whether the full matrix of second moments and its factor cost less than what they save."""
    n, d = X.shape
    return n * d**2 + d**3 / 3 <= WORTH * (X.nnz if sparse.issparse(X) else n * d) and _is_correlated(X)


def _is_correlated(X: Any) -> bool:
    """Whether the largest eigenvalue of the correlations of some rows is beyond twice what independent columns have."""
    part = X[:: max(1, X.shape[0] // PROBE)]
    part = part.toarray() if sparse.issparse(part) else part
    part = part - part.mean(axis=0)
    part /= np.maximum(np.linalg.norm(part, axis=0), np.finfo(part.dtype).tiny)
    rows, d = part.shape
    direction = np.random.default_rng(0).normal(size=d).astype(part.dtype)
    for _ in range(10):
        direction = part.T @ (part @ (direction / max(np.linalg.norm(direction), np.finfo(part.dtype).tiny)))
    return bool(np.linalg.norm(direction) > 2 * (1 + np.sqrt(d / rows)) ** 2) or d <= FEW
