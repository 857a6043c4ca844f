"""Every claim of the five papers as a function with a verdict.

One package per paper, named after its key and loaded when a claim of that paper is first checked.

How to add a claim
------------------
1. Write its entry in ``data/ledger/<key>.yml`` with ``kind: claim`` and the verdict that you expect.
2. Write a function without arguments in the package ``theory/<key>`` and decorate it with the id::

       from marginloss.theory import Finding, claim, outcome

       @claim("sypherd2023:lemma-3")
       def lemma_3() -> Finding:
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
from dataclasses import dataclass, replace
from difflib import get_close_matches
from importlib import import_module
from pkgutil import iter_modules

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "Finding", "check", "claim", "function_of", "outcome"]

Array = NDArray[np.float64]
CheckFunction = Callable[[], "Finding"]
CHECKS: dict[str, CheckFunction] = {}


@dataclass(frozen=True)
class Finding:
    """The result of checking one claim; made by :func:`outcome`.

    Attributes
    ----------
    id : str
        Of the claim, filled in by :func:`check`.
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
) -> Finding:
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
    Finding(id='', verdict='holds', slack=0.25, evidence={'at': 3.0})
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
    failed, held = "fails as printed" if certain else "undecided", "holds with a caveat" if caveat else "holds"
    return Finding(
        "", held if holds else failed, slack, {name: float(value) for name, value in (evidence or {}).items()}
    )


def claim(claim_id: str) -> Callable[[CheckFunction], CheckFunction]:
    """Register the decorated function as the check of a claim."""

    def register(function: CheckFunction) -> CheckFunction:
        previous = CHECKS.setdefault(claim_id, function)
        if (previous.__module__, previous.__qualname__) != (function.__module__, function.__qualname__):
            raise ValueError(f"{claim_id} is checked twice: by {previous.__qualname__} and {function.__qualname__}")
        CHECKS[claim_id] = function
        return function

    return register


def function_of(claim_id: str) -> CheckFunction | None:
    """The function that checks a claim, or None if there is none; loads the paper's package."""
    key = claim_id.partition(":")[0]
    if key in _papers():
        import_module(f"{__name__}.{key}")
    return CHECKS.get(claim_id)


def check(claim_id: str) -> Finding:
    """Check one claim by computation.

    Parameters
    ----------
    claim_id : str
        For instance ``"sypherd2023:lemma-2.6"``.

    Raises
    ------
    KeyError
        If no check of that id is registered; the message lists the closest ids.

    Examples
    --------
    >>> check("sypherd2023:lemma-3").verdict
    'holds'
    """
    function = function_of(claim_id)
    if function is None:
        for key in _papers():
            import_module(f"{__name__}.{key}")
        close = get_close_matches(claim_id, CHECKS, n=3, cutoff=0.5)
        raise KeyError(f"no claim {claim_id!r} has a check" + (f"; close: {', '.join(close)}" if close else ""))
    return replace(function(), id=claim_id)


def _papers() -> list[str]:
    """Keys of the papers: the packages of this room."""
    return [module.name for module in iter_modules(__path__) if module.ispkg]
