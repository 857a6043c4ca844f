"""A user's program, read by mypy: what the library returns is typed."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROGRAM = """
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

from marginloss.interop import RobustLGBMClassifier, RobustXGBClassifier
from marginloss.linear import MarginClassifier, TwoTemperatureClassifier
from marginloss.losses import AlphaLoss, CorrectedLoss, MarginLoss
from marginloss.noise import estimate_flip_rates

X, y = np.zeros((4, 2)), np.array([0, 1, 0, 1])
loss: MarginLoss = CorrectedLoss(AlphaLoss(2), *estimate_flip_rates(y, X[:, 0]))
assert_type(loss.value([0.0, 1.0]), NDArray[np.float64])
assert_type(loss.derivative(X, order=2), NDArray[np.float64])
assert_type(AlphaLoss(2).value_and_weight(X), tuple[NDArray[np.float64], NDArray[np.float64]])
assert_type(loss.on_label(1).posterior(0.5), NDArray[np.float64])
model = MarginClassifier(AlphaLoss(2), class_weight="balanced").fit(X, y)
assert_type(model, MarginClassifier)
assert_type(model.score(X, y), float)
assert_type(model.predict(X), NDArray[Any])
assert_type(model.decision_function(X), NDArray[np.float64])
assert_type(model.predict_proba(X), NDArray[np.float64])
assert_type(TwoTemperatureClassifier("cv", 1.3).fit(X, y).score(X, y), float)
assert_type(RobustXGBClassifier("cv", max_depth=3).fit(X, y).predict_proba(X), NDArray[np.float64])
assert_type(RobustLGBMClassifier().fit(X, y), RobustLGBMClassifier)
MarginClassifier("auto")  # wrong
RobustXGBClassifier("auto")  # wrong
MarginClassifier(class_weight="even")  # wrong
"""


def test_a_users_program_is_typed(tmp_path, monkeypatch):
    api = pytest.importorskip("mypy.api")
    (tmp_path / "program.py").write_text(PROGRAM)
    monkeypatch.chdir(ROOT)  # its settings, and its cache
    said, trouble, _ = api.run([str(tmp_path / "program.py"), "--follow-imports=silent", "--no-error-summary"])
    assert trouble == ""
    lines = said.strip().splitlines()
    wrong = [k for k, line in enumerate(PROGRAM.splitlines(), 1) if line.endswith("# wrong")]
    assert [line.split(":")[1] for line in lines] == [str(k) for k in wrong], said
