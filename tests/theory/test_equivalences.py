import pytest

from marginloss.losses import AlphaLoss, TwoTemperatureLoss
from marginloss.theory import equivalences as module
from marginloss.theory.equivalences import equivalences


@pytest.mark.parametrize("line", equivalences(), ids=lambda line: f"{line.left} = {line.right}")
def test_the_two_sides_are_one(line):
    assert line.holds, f"gap {line.gap}"


def test_a_wrong_temperature_is_noticed():
    assert module._same_losses(AlphaLoss, lambda a: TwoTemperatureLoss(a, 1)) > 0.1


def test_a_wrong_cap_is_noticed(monkeypatch):
    project = module.project_capped_simplex
    monkeypatch.setattr(module, "project_capped_simplex", lambda s, cap: project(s, 1.5 * cap))
    assert module._smoothboost_gap() > 0.1
