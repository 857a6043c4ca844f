"""Which learner, when: one source for the pages that give advice and for what docstrings promise."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import Any

import pandas as pd

from marginloss.boosting import AdaBoostAlphaClassifier, PILBoostClassifier, SmoothBoostClassifier
from marginloss.companion.bench.judgement import compare, sides
from marginloss.companion.bench.learners import LEARNERS
from marginloss.interop import RobustXGBClassifier
from marginloss.linear import MarginClassifier, TwoTemperatureClassifier
from marginloss.losses import CorrectedLoss

__all__ = ["KNOWN", "MADE_OF", "USUAL", "advice", "broken_promises", "purpose"]

#: What many would take without thinking of wrong labels.
USUAL = "XGBoost"

KNOWN: Mapping[str, str] = {
    "none": "labels are right",
    "symmetric 20 %": "some labels wrong at random",
    "symmetric 40 %": "many labels wrong at random",
    "one-sided 40 %": "wrong labels in one class only",
    "surest 10 %": "wrong labels where a model is sure",
    "features": "wrong entries, right labels",
}
"""What is known of the noise, in the words of pages and docstrings, for each corruption of the bench."""

MADE_OF: Mapping[str, Any] = {
    "AdaBoost.α": AdaBoostAlphaClassifier,
    "PILBoost": PILBoostClassifier,
    "SmoothBoost": SmoothBoostClassifier,
    "XGBoost with α": RobustXGBClassifier,
    "linear α": MarginClassifier,
    "two temperatures": TwoTemperatureClassifier,
    "corrected α": CorrectedLoss,
}
"""What a learner of this library on the bench is made of, by the beginning of its name."""


def purpose(made_of: Any) -> str:
    """The sentence of a docstring that says when to use it.

    Examples
    --------
    >>> purpose(CorrectedLoss)[:41]
    'Use it for wrong labels in one class only'
    """
    text = " ".join((inspect.getdoc(made_of) or "").split())
    found = re.search(r"Use it .*?[.;:](?= )", text)
    return found[0].rstrip(".;:") if found else ""


def advice(runs: pd.DataFrame) -> pd.DataFrame:
    """The guide: for each corruption the best of this library and the best peer.

    Returns
    -------
    DataFrame
        By corruption, for each ``side`` (``"ours"``, ``"peer"``): the ``learner`` with the best mean rank, its ``gain``
        over :data:`USUAL` at its defaults, a :class:`Judgement` on tables that did not make the pick, the median
        ``seconds`` of choice and fit; and ``lead``, the judgement of ours against the peer.
    """
    rows = []
    for corruption, part in runs.groupby("corruption", sort=False):
        lead = sides(part)[0]
        seconds = part.groupby("learner").seconds.median()
        for side in ("ours", "peer"):
            team = [name for name in seconds.index if LEARNERS[name].ours is (side == "ours") and name != USUAL]
            gain, learner, _ = sides(part, team, [USUAL])
            rows.append((corruption, side, learner, gain, float(seconds[learner]), lead))
    columns = ["corruption", "side", "learner", "gain", "seconds", "lead"]
    return pd.DataFrame(rows, columns=columns).set_index(["corruption", "side"])


def broken_promises(runs: pd.DataFrame, made_of: Mapping[str, Any] = MADE_OF) -> list[str]:
    """Where docstrings and bench disagree; empty if they agree.

    A docstring that names a situation of :data:`KNOWN` promises that its learner, as it comes or tuned, is ahead of
    :data:`USUAL` there by more than a point. And where ours is ahead of the best peer, some docstring says so.
    """
    found = []
    for corruption, part in runs.groupby("corruption", sort=False):
        known = KNOWN[str(corruption)]
        promised = {name for name, made in made_of.items() if known in purpose(made)}
        for name in promised:
            forms = [form for form in LEARNERS if form.startswith(name)]
            if all(compare(part, form, USUAL).verdict != "ahead" for form in forms):
                found.append(f"{name}: {known!r} is promised, but it is not ahead of {USUAL} there")
        lead, ours, _ = sides(part)
        if lead.verdict == "ahead" and not any(ours.startswith(name) for name in promised):
            found.append(f"{ours}: ahead of the best peer for {known!r}, and its docstring does not say so")
    return found
