"""Two Gaussian classes whose Bayes classifier is a known line."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logit

from marginloss._validation import check_integer, check_real, check_rng

__all__ = ["gaussian_mixture_bayes", "make_gaussian_mixture"]

_MEAN = (1.0, 1.0)
_PRIOR = 0.14


def make_gaussian_mixture(
    n: int, rng: Any, *, mean: ArrayLike = _MEAN, prior: float = _PRIOR
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    r"""Draw :math:`X \mid Y = \pm 1 \sim N(\pm\mu, I)` with :math:`P(Y = 1) = \pi`.

    The defaults are those of Figures 7 and 29 of sypherd2023.

    Parameters
    ----------
    n : int
        Number of rows.
    rng : numpy.random.Generator or int
        Generator or seed.
    mean : array-like of shape (d,), default=(1, 1)
        Centre :math:`\mu` of the class +1.
    prior : float, default=0.14
        Share :math:`\pi` of the class +1, in [0, 1].

    Returns
    -------
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,)
        Labels −1/+1.

    Examples
    --------
    >>> X, y = make_gaussian_mixture(5, rng=0)
    >>> X.shape, sorted(set(y.tolist()))
    ((5, 2), [-1, 1])
    """
    n, generator = check_integer("n", n, 1), check_rng(rng)
    centre = _check_mean(mean)
    y = np.where(generator.random(n) < check_real("prior", prior, "[0, 1]"), 1, -1)
    return y[:, None] * centre + generator.standard_normal((n, len(centre))), y


def gaussian_mixture_bayes(mean: ArrayLike = _MEAN, prior: float = _PRIOR) -> tuple[float, NDArray[np.float64]]:
    r"""Intercept and slopes of the Bayes score :math:`\log\frac{\pi}{1-\pi} + 2\langle\mu, x\rangle`.

    Examples
    --------
    >>> intercept, slopes = gaussian_mixture_bayes()
    >>> round(intercept, 4), slopes.tolist()
    (-1.8153, [2.0, 2.0])
    """
    return float(logit(check_real("prior", prior, "[0, 1]"))), 2 * _check_mean(mean)


def _check_mean(mean: ArrayLike) -> NDArray[np.float64]:
    centre = np.asarray(mean, dtype=np.float64)
    if centre.ndim != 1 or centre.size == 0 or not np.isfinite(centre).all():
        raise ValueError(f"mean must be a vector of finite numbers, got {mean!r}")
    return centre
