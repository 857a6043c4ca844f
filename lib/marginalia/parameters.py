"""Checks of numbers given by a user; the message names the parameter, the value and the allowed interval."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from functools import cache
from numbers import Integral, Real

import numpy as np

__all__ = ["UnknownName", "check_choice", "check_integer", "check_name", "check_real", "check_reals", "check_rng"]


class UnknownName(ValueError):
    """A name that is not in the list; the message suggests those that look like it."""


def check_name(kind: str, name: str, allowed: Iterable[str]) -> str:
    """Return ``name`` if it is among ``allowed``, else raise ``UnknownName`` with close matches.

    Examples
    --------
    >>> check_name("chapter", "alfa_loss", ["alpha_loss", "smoothboost"])
    Traceback (most recent call last):
        ...
    marginalia.parameters.UnknownName: unknown chapter 'alfa_loss'; did you mean 'alpha_loss'?
    """
    names = list(allowed)
    if name in names:
        return name
    close = get_close_matches(name, names)
    hint = f"did you mean {' or '.join(map(repr, close))}?" if close else f"there are {', '.join(names) or 'none'}"
    raise UnknownName(f"unknown {kind} {name!r}; {hint}")


def check_real(name: str, value: object, interval: str) -> float:
    """Return ``value`` as a float if it lies in ``interval``, else raise ``ValueError``.

    Parameters
    ----------
    name : str
        Name of the parameter, for the message.
    value : object
        What the user gave. Booleans, strings and NaN are refused.
    interval : str
        Mathematical interval such as ``"(0, inf]"`` or ``"[0, 1)"``.

    Examples
    --------
    >>> check_real("alpha", 2, "(0, inf]")
    2.0
    >>> check_real("alpha", -1, "(0, inf]")
    Traceback (most recent call last):
        ...
    ValueError: alpha must be a number in (0, inf], got -1
    """
    low, high = _ends(interval)
    if isinstance(value, Real) and not isinstance(value, bool):
        number = float(value)  # NaN fails both comparisons
        above = number >= low if interval[0] == "[" else number > low
        below = number <= high if interval[-1] == "]" else number < high
        if above and below:
            return number
    raise ValueError(f"{name} must be a number in {interval}, got {value!r}")


@cache
def _ends(interval: str) -> tuple[float, float]:
    low, high = interval[1:-1].split(",")
    return float(low), float(high)


def check_reals(name: str, values: object, interval: str) -> list[float]:
    """Return ``values``, a sequence or array that is not empty, as floats that all lie in ``interval``.

    Examples
    --------
    >>> check_reals("alphas", np.array([1, 2]), "(0, inf]")
    [1.0, 2.0]
    >>> check_reals("alphas", 3, "(0, inf]")
    Traceback (most recent call last):
        ...
    ValueError: alphas must be a sequence of numbers in (0, inf], got 3
    """
    numbers = list(values) if isinstance(values, Iterable) and not isinstance(values, str) else []
    if not numbers:
        raise ValueError(f"{name} must be a sequence of numbers in {interval}, got {values!r}")
    return [check_real(name, number, interval) for number in numbers]


def check_integer(name: str, value: object, low: int) -> int:
    """Return ``value`` as an int if it is a whole number of at least ``low``, else raise ``ValueError``.

    Examples
    --------
    >>> check_integer("n", 0, 1)
    Traceback (most recent call last):
        ...
    ValueError: n must be a whole number of at least 1, got 0
    """
    if isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= low:
        return int(value)
    raise ValueError(f"{name} must be a whole number of at least {low}, got {value!r}")


def check_rng(rng: object) -> np.random.Generator:
    """Return a generator for ``rng``; nothing is ever drawn from a hidden default.

    Parameters
    ----------
    rng : numpy.random.Generator, numpy.random.SeedSequence or int
        A generator is returned as it is and goes on from where it stands; a seed starts a new one.

    Examples
    --------
    >>> float(check_rng(0).random()) == float(check_rng(0).random())
    True
    >>> check_rng(None)
    Traceback (most recent call last):
        ...
    ValueError: rng must be a numpy.random.Generator or a seed, got None
    """
    if isinstance(rng, np.random.Generator | np.random.SeedSequence | np.random.BitGenerator):
        return np.random.default_rng(rng)
    if isinstance(rng, Integral) and not isinstance(rng, bool) and int(rng) >= 0:
        return np.random.default_rng(int(rng))
    raise ValueError(f"rng must be a numpy.random.Generator or a seed, got {rng!r}")


def check_choice(name: str, value: object, choices: Sequence[str]) -> str:
    """Return ``value`` if it is one of ``choices``, else raise ``ValueError``.

    Examples
    --------
    >>> check_choice("step", "newton", ("adaboost", "line"))
    Traceback (most recent call last):
        ...
    ValueError: step must be one of 'adaboost', 'line', got 'newton'
    """
    if isinstance(value, str) and value in choices:
        return value
    raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}")
