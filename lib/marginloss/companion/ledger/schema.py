"""One entry of the ledger, and one condition on what a chapter records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["DATA", "FILLED", "KINDS", "VERDICTS", "Condition", "Entry", "LedgerError"]

VERDICTS = {
    "claim": ("holds", "holds with a caveat", "fails as printed", "not attempted"),
    "exhibit": ("reproduced", "reproduced with a caveat", "not reproduced", "not attempted"),
    "erratum": ("confirmed", "reading", "not attempted"),
}
"""The verdicts that an entry of each kind can have."""

KINDS = tuple(VERDICTS)
FILLED = ("reason", "repair", "affects")
"""Fields of an entry whose text may ask for computed numbers."""

DATA = ("original", "sample", "stand-in", "simulated", "none")


class LedgerError(ValueError):
    """A malformed entry of the ledger; the message names the file and the entry."""


@dataclass(frozen=True)
class Condition:
    """One test on a recorded value: ``at_least``, ``at_most``, or ``near`` with ``tol``.

    A condition with ``scale`` is tested at that scale only. Booleans count as 0 and 1. Comparisons allow for 1e-12 of
    rounding: what is recorded are often differences of means, and two equal accuracies can differ by 1e-17 as
    doubles, while one example of any test set weighs more than 1e-6.

    Examples
    --------
    >>> gain = Condition(value="gain", at_least=0.2)
    >>> gain.met(0.25), str(gain)
    (True, 'gain at least 0.2')
    >>> 0.3 - 0.2 >= 0.1, Condition(value="gain", at_least=0.1).met(0.3 - 0.2)
    (False, True)
    """

    value: str
    at_least: float | None = None
    at_most: float | None = None
    near: float | None = None
    tol: float | None = None
    scale: str | None = None

    def met(self, number: float) -> bool:
        """Whether a recorded number meets the condition; NaN meets none."""
        rounding = 1e-12
        return (
            (self.at_least is None or number >= self.at_least - rounding)
            and (self.at_most is None or number <= self.at_most + rounding)
            and (self.near is None or abs(number - self.near) <= (self.tol or 0.0) + rounding)
        )

    def __str__(self) -> str:
        parts = [f"at least {self.at_least:g}"] if self.at_least is not None else []
        parts += [f"at most {self.at_most:g}"] if self.at_most is not None else []
        parts += [f"within {self.tol:g} of {self.near:.6g}"] if self.near is not None else []
        return f"{self.value} {' and '.join(parts)}" + (f" ({self.scale} scale)" if self.scale else "")


@dataclass(frozen=True)
class Entry:
    """One claim, exhibit or erratum of a paper.

    Attributes
    ----------
    id : str
        ``<key>:<item>``, for instance ``sypherd2023:lemma-2.6``.
    kind : str
        ``claim``, ``exhibit`` or ``erratum``.
    place : str
        Where it is in the paper.
    statement : str
        What the paper says there, in our words. An erratum that may be an artefact of the text is worded as a question.
    expected : str
        The verdict that we expect, one of ``VERDICTS`` for the kind.
    reason : str
        One line; required unless the verdict is ``holds``, ``reproduced``, ``confirmed`` or ``reading``. What was
        measured stands in it as a field, ``{gain:.3f}``, which :meth:`filled` replaces by the number.
    chapter : str
        Chapter of the book that treats it, ``""`` for an erratum that none mentions.
    section : str
        Anchor in the chapter; found by the id if it is not given.
    published : dict
        Numbers printed in the paper.
    data : str
        What the numbers rest on: ``original``, ``sample``, ``stand-in``, ``simulated`` or ``none``.
    needs : tuple of str
        Names of data sets without which an exhibit or a claim cannot be attempted.
    conditions : tuple of Condition
        Tests on the values that the chapter records, exhibits only.
    repair : str
        What to print in the place of what is there, errata only.
    affects : str
        What an erratum touches, and what stands all the same.
    certain : bool
        False for an erratum that may be an artefact of the text we had.
    confirmed_by : str
        Id of the claim whose check confirms an erratum.
    """

    id: str
    kind: str
    place: str
    statement: str
    expected: str
    reason: str = ""
    chapter: str = ""
    section: str = ""
    published: dict[str, Any] = field(default_factory=dict)
    data: str = "none"
    needs: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    repair: str = ""
    affects: str = ""
    certain: bool = True
    confirmed_by: str = ""

    @property
    def key(self) -> str:
        """Key of the paper, the part of the id before the colon."""
        return self.id.partition(":")[0]

    @property
    def item(self) -> str:
        """Name within the paper, the part of the id after the colon."""
        return self.id.partition(":")[2]

    def filled(self, name: str, values: Mapping[str, Any]) -> str:
        """The text of one of ``FILLED``, its fields replaced by numbers that were computed.

        Parameters
        ----------
        name : str
            ``reason``, ``repair`` or ``affects``.
        values : mapping of str to number
            What an exhibit's chapter recorded, or the evidence of the claim; of an erratum, that of the claim which
            confirms it.

        Examples
        --------
        >>> found = Entry("a:b", "claim", "Lemma 1", "x > 0", "fails as printed", "Not at x = {least:.2f}.")
        >>> found.filled("reason", {"least": -0.125})
        'Not at x = -0.12.'
        """
        text: str = getattr(self, name)
        try:
            return text.format_map(values)
        except KeyError as error:
            known = ", ".join(values) or "nothing"
            raise LedgerError(
                f"{self.id}: the {name} asks for {error}, which was not computed; there is {known}"
            ) from None
