"""Numbers as people say them: what a chapter recorded, in the words of its prose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from marginloss._validation import check_name

COUNTS = ["none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
MULTIPLES = {1.0: "once", 2.0: "twice"}


def say(number: Any, form: str = "") -> str:
    """A number in words or in digits.

    Parameters
    ----------
    number : float, int or str
    form : str
        ``percent``, ``share`` (1 is "all", 0 is "none"), ``at least`` and ``at most`` (a share that bounds others:
        "all" at 1, "none" at 0), ``points`` (a difference of shares), ``lead`` ("leads by 3.4 points"), ``times``,
        ``count``; any other text is a format specification of Python; three significant digits if empty.

    Examples
    --------
    >>> say(0.2513, "points"), say(1.0, "at least"), say(-0.034, "lead"), say(0.8182)
    ('25 points', 'all', 'trails by 3.4 points', '0.818')
    """
    if isinstance(number, str):
        return number
    if form in FORMS:
        return FORMS[form](number)
    if not form:
        form = "," if isinstance(number, int) else ".3g"
    return format(number, form).replace("-", "\N{MINUS SIGN}")


def find(name: str, values: Mapping[str, Any]) -> Any:
    """A recorded value by its name, or by the end of it that tells it from the others of its chapter.

    Examples
    --------
    >>> find("fig-5.gain", {"sypherd2023.fig-5.gain": 0.25})
    0.25
    """
    ends = [name] if name in values else [full for full in values if full.endswith(f".{name}")]
    if len(ends) > 1:
        raise KeyError(f"{name} could be any of {', '.join(ends)}: write more of it")
    try:
        return values[ends[0] if ends else name]  # another chapter's by its full name, where values know them
    except KeyError:
        return check_name("recorded value", name, values)


def sentence_part(text: str, values: Mapping[str, Any]) -> str:
    """What the role ``{n}`` shows: ``name`` or ``name:form``; ``one, other:both`` says one word where two are alike.

    Examples
    --------
    >>> values = {"half": 0.745, "two": 0.996, "three": 0.9957, "runs": 4}
    >>> sentence_part("half", values), sentence_part("runs:count", values)
    ('0.745', 'four')
    >>> print(sentence_part("two, three:both", values), "or", sentence_part("half, two:both", values))  # doctest: +SKIP
    both 99.6 % or 74 % and 99.6 %
    """
    names, _, form = text.partition(":")
    numbers = [find(name.strip(), values) for name in names.split(",")]
    if form == "both":
        first, second = (_percent(number) for number in numbers)
        return f"both {first}" if first == second else f"{first} and {second}"
    (number,) = numbers
    return say(number, form)


def _percent(share: float) -> str:
    """Two significant digits, more where they would say 100 % of what is not all, and no decimals beyond need."""
    for digits in range(0 if 0.1 <= share < 0.995 else 1, 6):
        shown = f"{100 * share:.{digits}f}"
        if float(shown) not in (0.0, 100.0) or share in (0.0, 1.0):
            break
    shown = shown.rstrip("0").rstrip(".") if "." in shown else shown
    return shown.replace("-", "\N{MINUS SIGN}") + "\N{NO-BREAK SPACE}%"


def _share(share: float) -> str:
    return {0.0: "none", 1.0: "all"}.get(share) or _percent(share)


def _bound(words: str) -> Any:
    return lambda share: _share(share) if share in (0.0, 1.0) else f"{words} {_percent(share)}"


def _points(difference: float) -> str:
    points = abs(100 * difference)
    shown = f"{points:.0f}" if points >= 9.95 else f"{points:.1f}".removesuffix(".0")
    if float(shown) == 0:
        return "nothing" if points == 0 else "less than 0.1 points"
    sign = "\N{MINUS SIGN}" if difference < 0 else ""
    return f"{sign}{shown} point{'' if shown == '1' else 's'}"


def _lead(difference: float) -> str:
    if abs(difference) < 5e-4:
        return "is level"
    return f"{'leads' if difference > 0 else 'trails'} by {_points(abs(difference))}"


def _times(factor: float) -> str:
    shown = f"{factor:.2g}" if factor < 100 else f"{factor:,.0f}"
    return MULTIPLES.get(float(shown.replace(",", "")), f"{shown} times")


def _count(number: int) -> str:
    return COUNTS[number] if 0 <= number < len(COUNTS) else f"{number:,}"


FORMS = {
    "percent": _percent,
    "share": _share,
    "at least": _bound("at least"),
    "at most": _bound("at most"),
    "points": _points,
    "lead": _lead,
    "times": _times,
    "count": _count,
}
