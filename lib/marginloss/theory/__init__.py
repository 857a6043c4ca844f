"""Every claim of the five papers as a function with a verdict.

One module (or package) per paper, named after its key and loaded when a claim of that paper is first checked.

How to add a claim
------------------
1. Write its entry in ``data/ledger/<key>.yml`` with ``kind: claim`` and the verdict that you expect.
2. Write a function without arguments in ``theory/<key>.py`` and decorate it with the id::

       from marginloss.theory import Outcome, claim, outcome

       @claim("sypherd2023:lemma-3")
       def lemma_3() -> Outcome:
           r"The logistic loss is at least as curved as the sigmoid loss, (44)."
           z = np.linspace(-20, 20, 4001)
           gap = np.abs(LogisticLoss().derivative(z, 2)) - np.abs(SigmoidLoss().derivative(z, 2))
           return outcome(gap.min(), evidence={"smallest_gap": gap.min(), "largest_gap": gap.max()})

``outcome`` turns numbers into the verdict, so that no check can state its own result:

* ``slack`` is the worst margin by which the *printed* statement holds; negative means violated. ``tolerance`` is the
  rounding error that the computation itself can make, nothing more.
* ``holds`` overrides ``slack >= -tolerance`` where the statement is not an inequality; pass a computed boolean.
* ``caveat`` is a computed boolean as well: the statement holds as it was meant, and something that the text also says
  (an end of the range, a sub-case, the size of an effect) does not.
* ``evidence`` maps names to numbers that a reader can check: where the worst case is, the counterexample, how far the
  repaired statement holds.

For a claim that fails, compute the printed statement, let ``slack`` be its violation, and put the counterexample and
the slack of the repair into the evidence. A test then shows that the check can fail: hand it a wrong formula.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec

import numpy as np

from marginloss.companion.ledger import PAPERS, Entry, entries, unknown_id

__all__ = ["Finding", "Outcome", "check", "claim", "confirm", "function_of", "outcome"]

CheckFunction = Callable[[], "Outcome"]
_CHECKS: dict[str, CheckFunction] = {}


@dataclass(frozen=True)
class Outcome:
    """What a check returns: verdict, worst slack and evidence. Made by :func:`outcome`."""

    verdict: str
    slack: float | None
    evidence: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Finding:
    """The result of checking one claim.

    Attributes
    ----------
    id : str
    verdict : str
        ``holds``, ``holds with a caveat``, ``fails as printed``, ``undecided`` or ``not attempted``.
    slack : float or None
        Worst margin by which the printed statement holds; negative if it is violated.
    evidence : dict of str to float
        The numbers behind the verdict.
    """

    id: str
    verdict: str
    slack: float | None
    evidence: dict[str, float]


def outcome(
    slack: float,
    holds: bool | np.bool_ | None = None,
    caveat: bool | np.bool_ = False,
    evidence: Mapping[str, float] | None = None,
    tolerance: float = 0.0,
    certain: bool = True,
) -> Outcome:
    """Turn the numbers of a check into its verdict.

    Parameters
    ----------
    slack : float
        Worst margin by which the printed statement holds; negative if it is violated.
    holds : bool, optional
        Whether it holds; ``slack >= -tolerance`` if left out.
    caveat : bool, default False
        Whether something that the text also says, and that the verdict does not rest on, was found not to hold.
    evidence : mapping of str to number, optional
        Numbers behind the verdict; booleans count as 0 and 1.
    tolerance : float, default 0
        Rounding error of the check itself; a slack within it is given as 0.
    certain : bool, default True
        False where the text that we have, or the statement, allows no decision: what would fail is then ``undecided``.

    Examples
    --------
    >>> outcome(0.25, evidence={"at": 3.0})
    Outcome(verdict='holds', slack=0.25, evidence={'at': 3.0})
    >>> outcome(-0.1).verdict, outcome(0.1, caveat=True).verdict
    ('fails as printed', 'holds with a caveat')
    >>> outcome(-1e-12, tolerance=1e-9).slack, outcome(-0.1, certain=False).verdict
    (0.0, 'undecided')
    """
    slack = float(slack) + 0.0  # a slack of minus zero is zero
    if math.isnan(slack):
        raise ValueError("slack must be a number, got nan")
    holds = slack >= -tolerance if holds is None else bool(holds)
    slack = 0.0 if abs(slack) <= tolerance else slack
    verdict = (
        ("fails as printed" if certain else "undecided") if not holds else "holds with a caveat" if caveat else "holds"
    )
    return Outcome(verdict, slack, {name: float(value) for name, value in (evidence or {}).items()})


def claim(claim_id: str) -> Callable[[CheckFunction], CheckFunction]:
    """Register the decorated function as the check of a claim."""

    def register(function: CheckFunction) -> CheckFunction:
        previous = _CHECKS.get(claim_id)
        if previous is not None and (previous.__module__, previous.__qualname__) != (
            function.__module__,
            function.__qualname__,
        ):
            raise ValueError(f"{claim_id} is checked twice: by {previous.__qualname__} and {function.__qualname__}")
        _CHECKS[claim_id] = function
        return function

    return register


def function_of(claim_id: str) -> CheckFunction | None:
    """The function that checks a claim, or None if there is none yet; loads the paper's module."""
    key = claim_id.partition(":")[0]
    if key in PAPERS and find_spec(f"{__name__}.{key}") is not None:
        import_module(f"{__name__}.{key}")
    return _CHECKS.get(claim_id)


def check(claim_id: str) -> Finding:
    """Check one claim of the ledger by computation.

    Parameters
    ----------
    claim_id : str
        For instance ``"sypherd2023:lemma-2.6"``.

    Returns
    -------
    Finding
        With the verdict ``not attempted`` if the claim has no computation yet.

    Raises
    ------
    KeyError
        If the ledger has no such claim; the message lists the closest ids.

    Examples
    --------
    >>> check("sypherd2023:lemma-3").verdict
    'holds'
    """
    function = function_of(claim_id)
    if function is not None:
        result = function()
        return Finding(claim_id, result.verdict, result.slack, dict(result.evidence))
    key = claim_id.partition(":")[0]
    known = {found.id: found for found in entries(key if key in PAPERS else None, "claim")}
    if claim_id not in known:
        raise KeyError(unknown_id(claim_id, known, "claim"))
    return Finding(claim_id, "not attempted", None, {})


def confirm(erratum: Entry, finding: Finding | None = None) -> str:
    """Verdict on an erratum: ``confirmed`` if the check of the claim it names comes out as the ledger expects.

    Parameters
    ----------
    erratum : Entry
    finding : Finding, optional
        Of the claim in ``confirmed_by``, if it has been checked already.
    """
    if not erratum.confirmed_by:
        return "reading" if erratum.expected == "reading" else "not attempted"
    finding = finding or check(erratum.confirmed_by)
    expected = {found.id: found.expected for found in entries(erratum.key, "claim")}[erratum.confirmed_by]
    return "confirmed" if finding.verdict == expected != "not attempted" else "not attempted"
