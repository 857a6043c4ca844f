import math

import numpy as np
import pytest

from marginalia.boosting import PNormLearner
from marginalia.boosting.fused import CappedExponential, FusedRows
from marginalia.boosting.loop import Rows, boost
from marginalia.losses import SmoothBoostLoss
from marginalia.noise import DenseHalfspace, MaliciousOracle


def run(rows, X, y, weight, p, weigh, step):
    learner = PNormLearner(p=p, R=1.0).weak_learner(X, (y > 0).astype(int), weight)
    return boost(learner, weigh(), step, 60, rows=rows)


@pytest.mark.parametrize("p", [2.0, 4.0, math.inf])
@pytest.mark.parametrize("fixed", [True, False])
def test_one_pass_gives_what_two_passes_give(p, fixed):
    rng = np.random.default_rng(3)
    X, y, _ = MaliciousOracle("fake", 0.05, DenseHalfspace(12, 0.1)).draw(300, rng)
    weight = rng.random(300) + 0.5

    def weigh():
        return CappedExponential(0.3, lambda number: 0.01 * number)

    def step(now):
        return 1.0 if fixed else 2 * now.edge

    plain, fused = (run(rows, X, y, weight, p, weigh, step) for rows in (Rows, FusedRows))
    for name in ("steps", "errors", "edges", "densities", "kappas", "margin"):
        np.testing.assert_allclose(getattr(fused, name), getattr(plain, name), rtol=1e-9, atol=1e-12, err_msg=name)
    np.testing.assert_allclose(
        [h.coef for h in fused.hypotheses], [h.coef for h in plain.hypotheses], rtol=1e-8, atol=1e-10
    )


def test_single_precision_stays_close():
    X, y, _ = MaliciousOracle("fake", 0.05, DenseHalfspace(12, 0.1)).draw(5000, 3)
    results = [
        run(
            FusedRows,
            X.astype(kind),
            y,
            np.ones(5000),
            2.0,
            lambda: CappedExponential(0.3, lambda t: 0.01 * t),
            lambda now: 1.0,
        )
        for kind in (np.float64, np.float32)
    ]
    np.testing.assert_allclose(results[1].edges, results[0].edges, atol=1e-5)
    np.testing.assert_allclose(results[1].margin, results[0].margin, atol=1e-3)


def test_weights_are_those_of_the_loss():
    margin = np.linspace(-5, 50, 23)
    loss = SmoothBoostLoss(0.2)
    weigh = CappedExponential(loss.decay, lambda number: 0.1 * number)
    np.testing.assert_allclose(weigh(margin, 7), loss.log_weight(margin - 0.7), atol=1e-15)
