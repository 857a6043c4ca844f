"""One list of losses drives all property tests; a new loss is tested by adding an instance here."""

import math

import pytest

from marginloss.losses import (
    AlphaLoss,
    ExponentialLoss,
    GeneralizedCrossEntropyLoss,
    HingeLoss,
    LogisticLoss,
    SigmoidLoss,
    SmoothBoostLoss,
    TLogisticLoss,
    TwoTemperatureLoss,
)
from marginloss.losses.smoothboost import CappedExponentialLoss

LOSSES = [
    *(AlphaLoss(a) for a in (0.3, 0.5, 0.77, 1, 1.0000001, 1.44, 2, 8, math.inf)),
    ExponentialLoss(),
    LogisticLoss(),
    SigmoidLoss(),
    HingeLoss(),
    *(GeneralizedCrossEntropyLoss(q) for q in (0, 0.3, 0.7, 1)),
    *(SmoothBoostLoss(g) for g in (0.01, 0.1, 0.49)),
    CappedExponentialLoss(),
    *(
        TwoTemperatureLoss(*t)
        for t in ((0, 1.3), (0.4, 1.12), (0.5, 1), (0.6, 1.6), (1, 1.0001), (1.5, 1.5), (1.9, 1.2))
    ),
    TLogisticLoss(1.6),
]


def pytest_generate_tests(metafunc):
    if "loss" in metafunc.fixturenames:
        metafunc.parametrize("loss", LOSSES, ids=repr)


@pytest.fixture
def kinks():
    """Margins at which a derivative jumps, for the losses that have one."""
    return {HingeLoss: [1.0], SmoothBoostLoss: [0.0], CappedExponentialLoss: [0.0]}
