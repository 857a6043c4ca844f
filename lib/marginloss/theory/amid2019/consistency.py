"""Claims about the minimiser of the expected loss: properness through the escort, Bayes consistency (Sections 5, 6)."""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from marginloss.losses import TwoTemperatureLoss
from marginloss.losses.tempered import escort, log_t, softmax_t, two_temperature_hessian, two_temperature_loss
from marginloss.theory import Array, Finding, claim, outcome

__all__ = ["conditional_risk", "optimal_activations"]

P = np.array([0.5, 0.3, 0.2])
PAIRS = [*product((0.2, 0.4, 0.6, 0.8, 1.0, 1.5, 2.0), (0.5, 0.8, 1.0, 1.12, 1.4, 1.7, 2.0))]


def conditional_risk(activations: Array, p: Array, t1: float, t2: float) -> tuple[float, Array]:
    """Expected loss under the class probabilities ``p``, with its gradient in the activations."""
    rows = np.tile(activations, (len(p), 1))
    losses, slopes = two_temperature_loss(rows, np.arange(len(p)), t1, t2, gradient=True)
    return float(p @ losses), p @ slopes


def optimal_activations(p: Array, t1: float, t2: float) -> Array:
    r"""Activations whose probabilities are proportional to :math:`p^{1/t_1}`, centred."""
    a = log_t(escort(p, 1 / t1), t2)
    return a - a.mean()


@claim("amid2019:c25")
def proper_through_the_escort() -> Finding:
    """Gradient and curvature of the expected loss at the claimed point, p recovered by the escort, and not without."""
    slope, recovered, curvature, bias = 0.0, 0.0, np.inf, np.inf
    for t1, t2 in PAIRS:
        a = optimal_activations(P, t1, t2)
        slope = max(slope, np.abs(conditional_risk(a, P, t1, t2)[1]).max())
        hessian = np.tensordot(P, two_temperature_hessian(np.tile(a, (3, 1)), np.arange(3), t1, t2), axes=1)
        # one eigenvalue is zero, for the constant shift; the others must be positive
        curvature = min(curvature, np.linalg.eigvalsh(hessian)[1])
        model = softmax_t(a, t2)
        recovered = max(recovered, np.abs(escort(model, t1) - P).max())
        if t1 != 1:
            bias = min(bias, np.abs(model - P).max())
    return outcome(
        min(curvature, 1e-12 - slope, 1e-12 - recovered, bias - 1e-2),
        evidence={
            "gradient": slope,
            "escort_error": recovered,
            "smallest_curvature": curvature,
            "smallest_bias_of_the_model": bias,
            "pairs": len(PAIRS),
        },
    )


@claim("amid2019:c26")
def bayes_consistent() -> Finding:
    """Minimisers from random starts for positive p; the zero-probability and finite-support cases as caveats."""
    rng = np.random.default_rng(0)
    spread, right = 0.0, True
    for t1, t2 in ((0.5, 1.0), (0.6, 1.6), (0.9, 1.3), (1.0, 2.0), (0.4, 1.12)):
        goal = optimal_activations(P, t1, t2)
        for _ in range(3):
            result = minimize(
                conditional_risk, rng.normal(size=3), args=(P, t1, t2), jac=True, method="BFGS", options={"gtol": 1e-10}
            )
            found = result.x - result.x.mean()
            spread = max(spread, np.abs(found - goal).max())
            right &= bool(found.argmax() == P.argmax())
    certain = np.array([0.6, 0.4, 0.0])
    ladder = [conditional_risk(np.array([0.4, 0.0, -depth]), certain, 0.6, 1.6)[0] for depth in (10.0, 1e3, 1e5)]
    # below 1 the third class is outside the support from some depth on, and all that matters is the other two
    pair = optimal_activations(certain[:2], 0.6, 0.5)
    continuum = [conditional_risk(np.append(pair, -depth), certain, 0.6, 0.5) for depth in (10.0, 1e3)]
    many = continuum[0][0] == continuum[1][0] and max(np.abs(slope).max() for _, slope in continuum) < 1e-12
    stuck = np.array([0.2, 0.5, 0.3])
    value, slope = conditional_risk(np.array([10.0, 0.0, 0.0]), stuck, 0.3, 0.5)
    best = conditional_risk(optimal_activations(stuck, 0.3, 0.5), stuck, 0.3, 0.5)[0]
    plateau = bool(np.abs(slope).max() == 0 and value > best)
    return outcome(
        1e-5 - spread,
        holds=spread <= 1e-5 and right,
        caveat=bool(np.diff(ladder).max() < 0) and many and plateau,
        evidence={
            "largest_distance_to_the_minimiser": spread,
            "risk_falls_for_ever_by": ladder[1] - ladder[2],
            "change_along_the_continuum": continuum[1][0] - continuum[0][0],
            "risk_on_the_plateau": value,
            "smallest_risk_there": best,
        },
    )


@claim("amid2019:c27")
def single_minimum() -> Finding:
    """The derivative of the binary conditional risk is negative, then positive, and changes its sign once."""
    x = np.linspace(-30, 30, 3001)  # log-odds of the model; a minimiser is at logit(eta) / t1, inside
    fewest, most = np.inf, 0
    for t1, t2, eta in product((0.2, 0.5, 0.8, 1.0), (1.0, 1.12, 1.6, 2.0), (0.55, 0.7, 0.9, 0.99, 0.3)):
        loss = TwoTemperatureLoss(t1, t2)
        a = log_t(expit(x), t2) - log_t(expit(-x), t2)
        signs = np.sign(eta * loss.derivative(a) - (1 - eta) * loss.derivative(-a))
        changes = int((np.diff(signs) != 0).sum()) if signs[0] < 0 < signs[-1] else 0
        fewest, most = min(fewest, changes), max(most, changes)
    return outcome(
        min(1 - most, fewest - 1), evidence={"most_sign_changes": most, "fewest_sign_changes": fewest, "cases": 80}
    )


@claim("amid2019:c28")
def posterior_by_gradient_methods() -> Finding:
    """Error of the escort posterior that L-BFGS reaches from zero at its usual tolerance, for several t1."""
    errors = dict.fromkeys((0.1, 0.5, 1.0), 0.0)
    for t1, p in product(errors, (P, np.array([0.7, 0.2, 0.1]), np.array([0.4, 0.35, 0.25]))):
        result = minimize(conditional_risk, np.zeros(3), args=(p, t1, 1.12), jac=True, method="L-BFGS-B")
        errors[t1] = max(errors[t1], float(np.abs(escort(softmax_t(result.x, 1.12), t1) - p).max()))
    return outcome(
        1e-2 - max(errors[0.5], errors[1.0]),
        caveat=errors[0.1] > 1e-2,
        evidence={
            "error_at_the_smallest_t1": errors[0.1],
            **{f"error_at_t1_{t1:g}": error for t1, error in errors.items()},
        },
    )


@claim("amid2019:c29")
def binary_consistency() -> Finding:
    """Sign of the best margin, a minimum by the slopes around it; and what [a, -a] for [a/2, -a/2] would change."""
    worst, imbalance = np.inf, 0.0
    for (t1, t2), eta in product(((0.1, 1.12), (0.6, 1.6), (0.9, 1.3), (1.0, 2.0), (0.5, 0.8)), (0.51, 0.6, 0.8, 0.95)):
        p = escort(np.array([eta, 1 - eta]), 1 / t1)
        best = float(log_t(p[0], t2) - log_t(p[1], t2))
        loss = TwoTemperatureLoss(t1, t2)
        near = best * np.array([0.99, 1.0, 1.01])
        # the two pulls, of label +1 and of label -1; relative, since both are tiny where the model is sure
        right, left = eta * loss.weight(near), (1 - eta) * loss.weight(-near)
        balance = (right - left) / (right + left)
        imbalance = max(imbalance, abs(balance[1]))
        worst = min(worst, best if balance[0] > 0 > balance[2] else -np.inf)
    halves, wholes = (float(TwoTemperatureLoss(1, 1.6).value(a)) for a in (1.0, 2.0))
    return outcome(
        worst,
        holds=worst > 0 and imbalance <= 1e-9,
        evidence={
            "smallest_margin": worst,
            "largest_imbalance": imbalance,
            "loss_with_halves": halves,
            "loss_with_wholes": wholes,
        },
    )
