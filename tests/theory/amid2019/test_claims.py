"""Evidence against the specification's numbers, and checks that can fail."""

from itertools import islice

import numpy as np
import pytest

from marginloss.losses import TwoTemperatureLoss, tempered
from marginloss.theory.amid2019 import consistency, functions, iterations, loss, shape, training, tsallis
from marginloss.theory.amid2019.fixed_point import (
    fixed_point_excess,
    fixed_point_log_partition,
    fixed_point_log_partition_margin,
)


def test_evidence_of_the_specification(found):
    def evidence(claim):
        return found(f"amid2019:{claim}").evidence

    assert evidence("c7")["ratio"] == pytest.approx(7, abs=1e-6)
    assert evidence("c20")["printed_at_5"] == pytest.approx(2.9533, abs=5e-5)
    assert evidence("c20")["exact_at_5"] == pytest.approx(2.5848, abs=5e-5)
    assert [evidence("c21")[f"updates_t{t}"] for t in ("1.12", "1.3", "1.5", "1.9")] == [6, 8, 9, 12]
    assert evidence("c22")["rise_at_a_10"] == pytest.approx(0.675, abs=1e-3)
    assert evidence("c18")["slope_near_the_edge"] == pytest.approx(-6034, rel=1e-3)
    assert evidence("c26")["risk_on_the_plateau"] == pytest.approx(1.143, abs=5e-4)
    assert evidence("c26")["smallest_risk_there"] == pytest.approx(0.669, abs=5e-4)
    # what the repaired statements leave
    assert evidence("c16")["error_repaired"] < 1e-12
    assert evidence("c17")["error_repaired"] < 1e-12
    assert evidence("c24")["error_repaired"] < 1e-12
    assert evidence("c22")["smallest_step_of_the_iteration"] >= 0
    assert evidence("c22")["rise_below_threshold"] == 0 < evidence("c22")["rise_above_threshold"]
    assert evidence("c7")["error_with_1_over_n"] < 1e-9
    assert evidence("c17")["sign_is_right"] == 1
    assert evidence("c18")["value_at_0.8_0.5"] == pytest.approx(5, rel=1e-14)
    assert evidence("c18")["smallest_curvature_beyond"] > 0
    assert evidence("c20")["error_with_factor"] < 1e-9
    assert evidence("c20")["printed_error_at_1"] < 1e-12
    assert evidence("c10")["supremum_at_t1_0"] == 1
    assert evidence("c19")["updates_c1000_t2"] == pytest.approx(374, abs=2)


def test_curvature_counterexample_of_the_specification():
    bends = [TwoTemperatureLoss(1.5, t2).derivative(6.0, 2) for t2 in (1.5, 1.4)]
    assert bends == pytest.approx([0.006326, 0.005994], abs=1e-6)


@pytest.mark.parametrize(
    ("module", "name", "wrong", "claim"),
    [
        (functions, "log_t", lambda x, t: 1.001 * tempered.log_t(x, t), functions.inverse_functions),
        (functions, "escort", lambda p, t: p, functions.gradient_is_the_escort),
        (functions, "log_partition", lambda a, t: -np.abs(a).sum(axis=-1), functions.convex_and_shift),
        (functions, "log_partition_margin", lambda a, t: np.abs(a) / 2, functions.closed_form_at_two),
        (functions, "tsallis_entropy", lambda p, t: p.sum(axis=-1), functions.entropy_and_divergence),
        (iterations, "log_partition", lambda a, t: tempered.log_partition(a, t) + 1e-6, iterations.algorithm_1),
        (iterations, "fixed_point_updates", lambda gaps, t: np.array([21]), iterations.about_twenty_iterations),
        (
            functions,
            "tsallis_divergence",
            lambda p, q, t: 0.9 * tempered.tsallis_divergence(p, q, t),
            functions.entropy_and_divergence,
        ),
        (functions, "exp_t", lambda x, t: np.exp(x), functions.inverse_functions),
        (functions, "log_t", lambda x, t: np.log(x), functions.no_product_rule),
        (
            iterations,
            "fixed_point_updates",
            lambda gaps, t, max_iter=5000: np.array([max_iter]),
            iterations.algorithm_1,
        ),
        (loss, "escort", lambda p, t: p, loss.gradient_of_the_binary_loss),
        (loss, "softmax_t", lambda a, t: tempered.softmax_t(a, 1.0), loss.special_cases),
        (
            loss,
            "TwoTemperatureLoss",
            lambda t1, t2: TwoTemperatureLoss(0.9 * t1, max(t2, 1.1)),
            loss.bounded_only_below_one,
        ),
        (
            consistency,
            "optimal_activations",
            lambda p, t1, t2, best=consistency.optimal_activations: best(p, 1.01 * t1, t2),
            consistency.bayes_consistent,
        ),
        (shape, "softmax_t", lambda a, t: tempered.softmax_t(a, 1.0), shape.single_inflection),
        (consistency, "escort", lambda p, t: p, consistency.proper_through_the_escort),
        (tsallis, "escort", lambda p, t: p, tsallis.exponential_family),
        (tsallis, "log_partition", lambda a, t: np.max(a, axis=-1), tsallis.exponential_family),
        (tsallis, "tsallis_divergence", lambda p, q, t: tempered.tsallis_divergence(q, p, t), tsallis.chain_of_18),
        (tsallis, "tsallis_entropy", lambda p, t: tempered.tsallis_entropy(p, 1.0), tsallis.chain_of_18),
        (
            tsallis,
            "two_temperature_loss",
            lambda a, c, t1, t2: tempered.two_temperature_loss(a, c, t1, t1),
            tsallis.loss_from_divergence,
        ),
        (
            iterations,
            "fixed_point_log_partition",
            lambda a, t, tol: fixed_point_log_partition(a, t, max_iter=5),
            iterations.against_a_root_finder,
        ),
    ],
)
def test_a_wrong_formula_is_found_out(monkeypatch, module, name, wrong, claim):
    monkeypatch.setattr(module, name, wrong)
    assert claim().verdict == "fails as printed"


def test_a_true_statement_would_hold(monkeypatch):
    # no closed form but that at 2; the gradient of (14) for a sum of losses; (18) of its factor
    monkeypatch.setattr(functions, "_closed_form", lambda size, t: size + 1)
    assert functions.closed_forms().verdict == "holds"
    mean = loss.two_temperature_loss
    monkeypatch.setattr(loss, "two_temperature_loss", lambda *args: 7 * mean(*args))
    assert loss.gradient_of_the_mean().verdict == "holds"
    monkeypatch.setattr(functions, "log_t", lambda x, t: np.zeros_like(x))
    assert functions.logarithm_of_a_quotient().verdict == "holds"


def test_algorithm_2_and_appendix_a_would_hold(monkeypatch):
    # with the factor that our text lacks, and for a function that does decrease
    monkeypatch.setattr(iterations, "printed_algorithm_2", lambda a, t: float(tempered.log_partition_margin(a, t)))
    assert iterations.algorithm_2().verdict == "holds"
    monkeypatch.setattr(iterations, "exp_t", lambda x, t: np.zeros_like(x))
    assert iterations.monotone_function_of_appendix_a().verdict == "holds"


def test_appendix_b_would_hold(monkeypatch):
    # (B.1) with the derivative of G; a loss of negative values; a second derivative that is the printed form in λ
    def slope(a, t):
        q = tempered.escort(tempered.softmax_t(np.stack([a / 2, -a / 2], axis=1), t), t)
        return (q[:, 0] - q[:, 1]) / 2

    class Negative(TwoTemperatureLoss):
        def _value(self, z):
            return -super()._value(z)

    def pieces(a, t1, t2, true=shape._pieces):
        p, *rest, _ = true(a, t1, t2)
        ratio = (1 - p) / p
        bracket = t2 * (1 + 1 / ratio) / (1 + ratio**t2) - (t2 - t1)
        return p, *rest, p ** (t2 - 1) / (1 + ratio**t2) ** 2 * bracket

    monkeypatch.setattr(shape, "log_partition_margin", slope)
    assert shape.second_derivative_b1().verdict == "holds"
    monkeypatch.setattr(shape, "TwoTemperatureLoss", Negative)
    assert shape.finite_support().verdict == "holds"
    monkeypatch.setattr(shape, "_pieces", pieces)
    assert shape.second_derivative_in_lambda().verdict == "holds"


@pytest.mark.parametrize("factor", [0.99, 1.01])
def test_another_cap_is_found_out(monkeypatch, factor):
    monkeypatch.setattr(loss, "two_temperature_loss", lambda *args: factor * tempered.two_temperature_loss(*args))
    assert loss.cap_of_the_loss().verdict == "fails as printed"


def test_a_gradient_without_importance_is_found_out(monkeypatch):
    def plain(activations, labels, t1, t2, gradient):
        return tempered.two_temperature_loss(activations, labels, t2, t2, gradient=gradient)

    monkeypatch.setattr(loss, "two_temperature_loss", plain)
    assert loss.importance_factor().verdict == "fails as printed"


def test_a_curvature_without_t1_is_found_out(monkeypatch):
    monkeypatch.setattr(shape, "TwoTemperatureLoss", lambda t1, t2: TwoTemperatureLoss(2.0, t2))
    assert shape.curvature_and_the_gap().verdict == "fails as printed"


def test_a_risk_without_a_minimum_is_found_out(monkeypatch):
    class Linear(TwoTemperatureLoss):
        def derivative(self, margin, order=1):
            return np.full_like(margin, -1.0)

        def weight(self, margin):
            return np.ones_like(margin)

    monkeypatch.setattr(consistency, "TwoTemperatureLoss", Linear)
    assert consistency.single_minimum().verdict == "fails as printed"
    assert consistency.binary_consistency().verdict == "fails as printed"


def test_a_bump_is_not_quasi_convex(monkeypatch):
    class Bumpy(TwoTemperatureLoss):
        def _value(self, z):
            return super()._value(z) + 0.5 * np.exp(-((z - 5) ** 2))

    monkeypatch.setattr(shape, "TwoTemperatureLoss", Bumpy)
    assert shape.quasi_convex().verdict == "fails as printed"


def test_a_limit_is_not_reached_at_a_distance():
    assert tsallis.loss_from_divergence(rest=1e-6).verdict == "fails as printed"


def test_statements_about_training_can_be_wrong():
    # small starts that fail no less often; a deviation that no run has; more updates than two products take
    assert training.initial_weights((0.1, 0.001)).verdict == "undecided"
    assert training.consistent_over_starts(printed=-1e-9).verdict == "fails as printed"
    assert training.consistent_over_starts(0.1, printed=0.1).verdict == "holds with a caveat"
    assert training.cost_of_the_log_partition(updates=100).verdict == "fails as printed"


def test_totals_after_five_updates_of_the_specification():
    assert iterations.totals_after(5, iterations.hardest_rows(1000, 1.5), 1.5).max() == pytest.approx(1.29, abs=5e-3)


def test_rate_of_the_fixed_point():
    # the errors of Algorithm 1 shrink by (t - 1) sum d p^t in the end
    gaps, t = np.array([[0.0, 1.0, 2.0, 5.0]]), 1.7
    p = tempered.softmax_t(-gaps, t)
    root = tempered.log_partition(-gaps, t)[0]
    errors = root - np.array([g[0] for g in islice(fixed_point_excess(gaps, t), 12)])
    assert errors[-1] / errors[-2] == pytest.approx((t - 1) * (gaps * p**t).sum(), rel=1e-3)


def test_a_loss_with_two_bumps_is_found_out(monkeypatch):
    class Bumpy(TwoTemperatureLoss):
        def _derivative(self, z, order):
            return super()._derivative(z, order) + 1e-3 * np.sin(z)

    monkeypatch.setattr(shape, "TwoTemperatureLoss", Bumpy)
    assert shape.single_inflection().verdict == "fails as printed"
    assert shape.convex_region().verdict == "fails as printed"


def test_fixed_points_of_the_paper():
    a = np.random.default_rng(9).standard_normal((20, 10)) * 5
    for t in (1.12, 1.9):
        result = fixed_point_log_partition(a, t, tol=1e-12)
        assert result.converged.all()
        np.testing.assert_allclose(result.value, tempered.log_partition(a, t), atol=1e-10)
        assert not fixed_point_log_partition(a, t, tol=1e-12, max_iter=2).converged.all()
    margins = np.array([-8.0, 0.5, 5.0])
    np.testing.assert_allclose(
        fixed_point_log_partition_margin(margins, 1.5, tol=1e-13).value,
        tempered.log_partition_margin(margins, 1.5),
        atol=1e-11,
    )
    with pytest.raises(ValueError, match=r"t must be a number in \(1, inf\)"):
        fixed_point_log_partition([0.0, 1.0], 0.5)
