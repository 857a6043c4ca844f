"""One entry of the ledger, and one part of what it says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from marginloss.companion.numbers import shown

VERDICTS = {
    "claim": ("holds", "holds with a caveat", "fails as printed", "undecided"),
    "exhibit": (
        "reproduced",
        "reproduced with a caveat",
        "partly reproduced",
        "not reproduced",
        "undecided at this scale",
    ),
    "erratum": ("confirmed", "reading"),
    "remark": (),
}
"""The verdicts that an entry of each kind can have; a remark has none."""

ABSENT = "not attempted"
"""What stands instead of a verdict where nothing was computed, for instance without the data."""

KINDS = tuple(VERDICTS)
ORIGINS = ("paper", "ours")
SOURCES = ("paper", "reading", "ours")
FILLED = ("reason", "repair", "affects")
"""Fields of an entry whose text may ask for computed numbers."""

DATA = ("original", "sample", "stand-in", "simulated", "none")
ROUNDING = 1e-12  # what is recorded are often differences of means: two equal accuracies can differ by 1e-17


class LedgerError(ValueError):
    """A malformed entry of the ledger; the message names the file, the line and the entry."""


@dataclass(frozen=True)
class Part:
    """One part of what an exhibit says, a sentence and a test on a recorded value.

    Attributes
    ----------
    says : str
        The sentence.
    value : str
        Name of the recorded value; a Boolean counts as 0 or 1.
    source : str
        ``from`` in the file. ``paper``: decided by a printed number, a sign or an order. ``reading``: a printed word
        with a number of ours. ``ours``: shown, and decides nothing but in an entry of ours.
    at_least, at_most, near, tol : float, optional
        The test: one of the first two, or ``near`` with ``tol``.
    words : str
        At most eight words of the paper.
    error : str
        Name of the recorded standard error of the value.
    scale : str, optional
        ``quick`` or ``paper``; both if left out.

    Examples
    --------
    >>> gain = Part("alpha = 2 gains about 25 points", "gain", "reading", near=0.25, tol=0.04, error="gain_se")
    >>> gain.outcome({"gain": 0.26, "gain_se": 0.001}), gain.outcome({"gain": 0.1, "gain_se": 0.001})
    ('met', 'missed')
    >>> gain.outcome({"gain": 0.26, "gain_se": 0.02})  # within two standard errors of the end
    'undecided'
    >>> gain.outcome({"gain": 0.28, "gain_se": 0.001})  # half of our tolerance would refuse it
    'undecided'
    >>> gain.asked
    '0.25 ± 0.04'
    """

    says: str
    value: str
    source: str
    at_least: float | None = None
    at_most: float | None = None
    near: float | None = None
    tol: float | None = None
    words: str = ""
    error: str = ""
    scale: str | None = None

    def outcome(self, values: Mapping[str, Any]) -> str:
        """``met``, ``missed`` or ``undecided``; the last where two standard errors, or half or double, matter."""
        factors = (0.5, 1, 2) if self.source == "reading" else (1,)
        error = 2 * values[self.error] if self.error else 0
        slacks = [self._slack(values[self.value], factor) for factor in factors]
        found = {"undecided" if error and abs(s) <= error + ROUNDING else s >= -ROUNDING for s in slacks}
        only = found.pop() if len(found) == 1 else "undecided"
        return only if isinstance(only, str) else "met" if only else "missed"

    def _slack(self, number: float, factor: float) -> float:
        """How far a number meets the test, negative if it does not, with our number taken ``factor`` times."""
        if self.at_least is not None:
            return number - factor * self.at_least
        if self.at_most is not None:
            return factor * self.at_most - number
        assert self.near is not None and self.tol is not None
        return factor * self.tol - abs(number - self.near)

    @property
    def asked(self) -> str:
        """The test in words."""
        if self.near is not None:
            return f"{shown(self.near)} ± {shown(self.tol)}" if self.tol else shown(self.near)
        least = self.at_least is not None
        return f"at {'least' if least else 'most'} {shown(self.at_least if least else self.at_most)}"


@dataclass(frozen=True)
class Entry:
    """One claim, exhibit, erratum or remark.

    Attributes
    ----------
    id : str
        ``<key>:<item>``, for instance ``sypherd2023:lemma-2.6``.
    kind : str
        ``claim``, ``exhibit``, ``erratum`` or ``remark``.
    origin : str
        ``paper`` or ``ours``; what is ours is shown apart and never counted among the papers' own.
    place : str
        Where it is in the paper.
    statement : str
        What the paper says there, in our words. An erratum that may be an artefact of the text is worded as a question.
    expected : str or dict
        The verdict that we expect, one of ``VERDICTS`` for the kind, or one for each scale; ``""`` for a remark.
    reason : str
        One line; required unless the verdict is ``holds``, ``reproduced``, ``confirmed`` or ``reading``. What was
        measured stands in it as a field, ``{gain:.3f}``, which :meth:`filled` replaces by the number.
    chapter : str
        Chapter of the book that treats it, ``""`` for an erratum or remark that none mentions.
    published, code : dict
        Numbers printed in the paper; numbers of the authors' notebooks, with ``repository``, ``commit`` and ``cell``.
    data : str
        What the numbers rest on: ``original``, ``sample``, ``stand-in``, ``simulated`` or ``none``.
    needs : tuple of str
        Names of data sets without which an exhibit or a claim cannot be attempted.
    parts : tuple of Part
        What an exhibit says, part by part.
    figure : str
        Label of the figure of the chapter that shows it.
    functions : tuple of str
        Names below ``marginloss`` of what computes it.
    repair, affects : str
        What to print instead of what is there; what an erratum touches, and what stands all the same.
    certain : bool
        False where the text that we have may be at fault.
    confirmed_by : str
        Id of the claim whose check confirms an erratum, or shows the numbers of a remark.
    reply : str
        What the authors say about it.
    """

    id: str
    kind: str
    origin: str
    place: str
    statement: str
    expected: str | dict[str, str] = ""
    reason: str = ""
    chapter: str = ""
    published: dict[str, Any] = field(default_factory=dict)
    code: dict[str, Any] = field(default_factory=dict)
    data: str = "none"
    needs: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    figure: str = ""
    functions: tuple[str, ...] = ()
    repair: str = ""
    affects: str = ""
    certain: bool = True
    confirmed_by: str = ""
    reply: str = ""

    @property
    def key(self) -> str:
        """Key of the paper, the part of the id before the colon."""
        return self.id.partition(":")[0]

    @property
    def item(self) -> str:
        """Name within the paper, the part of the id after the colon."""
        return self.id.partition(":")[2]

    @property
    def ours(self) -> bool:
        """Whether it is ours and not the paper's."""
        return self.origin == "ours"

    def expected_at(self, scale: str) -> str:
        """The verdict that we expect at a scale."""
        return self.expected if isinstance(self.expected, str) else self.expected[scale]

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
        >>> found = Entry("a:b", "claim", "paper", "Lemma 1", "x > 0", "fails as printed", "Not at x = {least:.2f}.")
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
