"""Claims about the margin α-loss itself: special cases, shape, derivatives."""

from __future__ import annotations

import numpy as np

from marginalia.losses import LogisticLoss, SigmoidLoss
from marginalia.theory import Outcome, claim, outcome


@claim("sypherd2023:lemma-3")
def lemma_3() -> Outcome:
    """The logistic loss is at least as curved as the sigmoid loss at every margin."""
    z = np.linspace(-30, 30, 6001)
    gap = np.abs(LogisticLoss().derivative(z, 2)) - np.abs(SigmoidLoss().derivative(z, 2))
    return outcome(gap.min(), evidence={"largest_gap": gap.max()})
