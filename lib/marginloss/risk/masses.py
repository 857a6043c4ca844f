"""What every function of the tail checks first: the losses, the tail fraction and the mass of each sample."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from marginloss._validation import check_real, check_reals

__all__ = ["Array", "check_beta", "check_losses", "check_tail", "check_tails", "masses", "mix", "price", "spread"]

Array = NDArray[np.float64]

BLOCK = 2**16  # rows of a table of booleans that become numbers at a time


def check_tail(alpha: object) -> float:
    """Tail fraction as a float in (0, 1]."""
    return check_real("alpha", alpha, "(0, 1]")


def check_tails(alphas: ArrayLike) -> Array:
    """Tail fractions as a vector of numbers in (0, 1]."""
    return np.array(check_reals("alphas", alphas, "(0, 1]"))


def check_beta(beta: object) -> float:
    """Weight of the linear term against the entropy, a float in (0, inf)."""
    return check_real("beta", beta, "(0, inf)")


def check_losses(losses: ArrayLike, *, ndim: int, finite: bool = True) -> Array:
    """Losses as a ``float64`` array with ``ndim`` axes and no NaN; ``finite=False`` lets ``inf`` pass.

    Examples
    --------
    >>> check_losses([0, 1], ndim=2)
    Traceback (most recent call last):
        ...
    ValueError: losses must have 2 axes (samples, models), got an array of shape (2,)
    """
    try:
        values = np.asarray(losses, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"losses must be an array of numbers, got {losses!r}") from None
    if values.ndim != ndim:
        axes = "1 axis (samples)" if ndim == 1 else "2 axes (samples, models)"
        raise ValueError(f"losses must have {axes}, got an array of shape {values.shape}")
    if values.size == 0:
        raise ValueError(f"losses must not be empty, got an array of shape {values.shape}")
    # a minimum is NaN as soon as one value is, and needs no temporary array
    low, high = values.min(), values.max()
    if np.isnan(low) or low == -np.inf or (finite and high == np.inf):
        raise ValueError(f"losses must be {'finite' if finite else 'numbers above -inf'}, found {low} and {high}")
    return values


def masses(sample_weight: ArrayLike | None, n: int) -> Array:
    """Probability of each of ``n`` samples: ``sample_weight`` divided by its sum, or ``1 / n``.

    Examples
    --------
    >>> masses([1, 0, 3], 3)
    array([0.25, 0.  , 0.75])
    """
    if sample_weight is None:
        return np.full(n, 1.0 / n)
    weight = np.asarray(sample_weight, dtype=np.float64)
    if weight.shape != (n,):
        raise ValueError(f"sample_weight must have shape ({n},), got {weight.shape}")
    if not np.isfinite(weight).all() or (weight < 0).any():
        raise ValueError(f"sample_weight must be finite and not negative, found {weight.min()} and {weight.max()}")
    with np.errstate(over="ignore"):
        total = weight.sum()
    if total == 0:
        raise ValueError("sample_weight must not be all zero")
    if total == np.inf:
        raise ValueError(f"sample_weight must have a finite sum, found weights of up to {weight.max()}")
    return weight / total


def spread(weights: Array, present: NDArray[np.bool_]) -> Array:
    """Weights of the samples that are present, put back among zeros for those that are not."""
    full = np.zeros(len(present))
    full[present] = weights
    return full


def mix(losses: NDArray[Any], model_weights: Array) -> Array:
    """Loss of the mixture on each sample, ``losses @ model_weights``, with little memory for a table of booleans."""
    if losses.dtype != bool:
        return losses @ model_weights
    return np.concatenate([losses[first : first + BLOCK] @ model_weights for first in range(0, len(losses), BLOCK)])


def price(sample_weights: Array, losses: NDArray[Any]) -> Array:
    """Weighted loss of each model, ``sample_weights @ losses``, with little memory for a table of booleans."""
    if losses.dtype != bool:
        return sample_weights @ losses
    total = np.zeros(losses.shape[1])
    for first in range(0, len(losses), BLOCK):
        total += sample_weights[first : first + BLOCK] @ losses[first : first + BLOCK]
    return total
