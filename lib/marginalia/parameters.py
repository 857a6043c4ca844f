"""Checks of numbers given by a user; the message names the parameter, the value and the allowed interval."""

from __future__ import annotations

from numbers import Integral, Real

__all__ = ["check_integer", "check_real"]


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
    low, high = (float(end) for end in interval[1:-1].split(","))
    if isinstance(value, Real) and not isinstance(value, bool):
        number = float(value)  # NaN fails both comparisons
        above = number >= low if interval[0] == "[" else number > low
        below = number <= high if interval[-1] == "]" else number < high
        if above and below:
            return number
    raise ValueError(f"{name} must be a number in {interval}, got {value!r}")


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
