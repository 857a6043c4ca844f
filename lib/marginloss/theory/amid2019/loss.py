"""Claims about the gradient, the bound and the special cases of the loss (Sections 3 and 4)."""

from __future__ import annotations

from itertools import product

import numpy as np

from marginloss.losses import AlphaLoss, GeneralizedCrossEntropyLoss, LogisticLoss, TLogisticLoss, TwoTemperatureLoss
from marginloss.losses.tempered import escort, log_t, softmax_t, two_temperature_loss
from marginloss.theory import Array, Finding, claim, outcome


@claim("amid2019:c7")
def gradient_of_the_mean() -> Finding:
    """Sum of the gradients of N = 7 examples, as (14) prints it, over the gradient of their mean loss (13)."""
    rng = np.random.default_rng(0)
    n, h = 7, 1e-5
    X, labels, W = rng.normal(size=(n, 3)), rng.integers(0, 4, n), rng.normal(size=(3, 4))
    p = softmax_t(X @ W, 1.6)
    importance = p[np.arange(n), labels] ** (1.6 - 0.6)
    printed = X.T @ (importance[:, None] * (escort(p, 1.6) - np.eye(4)[labels]))

    def mean_loss(weights: Array) -> float:
        return float(two_temperature_loss(X @ weights, labels, 0.6, 1.6).mean())

    steps = h * np.eye(W.size).reshape(-1, *W.shape)
    numeric = np.reshape([(mean_loss(W + step) - mean_loss(W - step)) / (2 * h) for step in steps], W.shape)
    ratio = float((printed * numeric).sum() / (numeric**2).sum())
    repaired = np.abs(printed / n - numeric).max()
    return outcome(
        -np.abs(printed - numeric).max(),
        tolerance=1e-8,
        evidence={"ratio": ratio, "examples": n, "error_with_1_over_n": repaired},
    )


@claim("amid2019:c8")
def gradient_of_the_binary_loss() -> Finding:
    """Differences of (16) against the printed gradient, from probabilities and escorts of the two activations."""
    a, h = np.linspace(-8, 8, 161), 1e-5
    worst = 0.0
    for t1, t2 in ((0.1, 1.12), (0.6, 1.6), (0.9, 1.3), (1.0, 2.0), (1.4, 1.2)):
        loss = TwoTemperatureLoss(t1, t2)
        p = softmax_t(np.stack([a / 2, -a / 2], axis=1), t2)
        q = escort(p, t2)
        printed = -0.5 * p[:, 0] ** (t2 - t1) * (1 - (q[:, 0] - q[:, 1]))
        worst = max(worst, np.abs((loss.value(a + h) - loss.value(a - h)) / (2 * h) - printed).max())
    return outcome(-worst, tolerance=1e-8, evidence={"largest_difference": worst})


@claim("amid2019:c9")
def cap_of_the_loss() -> Finding:
    """Largest loss over margins down to -1e300 and over rows of four classes, over the cap 1/(1-t1)."""
    margins = -np.geomspace(1e-2, 1e300, 400)
    rows, labels = np.zeros((len(margins), 4)), np.zeros(len(margins), dtype=int)
    rows[:, 0] = margins
    ratios = []
    for t1, t2 in product((0.1, 0.5, 0.9), (0.5, 1.0, 1.12, 1.6, 2.0)):
        binary, several = TwoTemperatureLoss(t1, t2).value(margins), two_temperature_loss(rows, labels, t1, t2)
        ratios += [(1 - t1) * binary.max(), (1 - t1) * several.max()]
    # the cap is the supremum: nothing above it, and nothing smaller would do
    return outcome(
        min(1 - max(ratios), min(ratios) - 1),
        tolerance=1e-14,
        evidence={"largest_ratio": max(ratios), "smallest_ratio": min(ratios)},
    )


@claim("amid2019:c10")
def bounded_only_below_one() -> Finding:
    """For t1 at least 1 the loss keeps growing; inside (0, 1) it stays below its cap."""

    def growth(t1: float, t2: float) -> float:
        """Gain of the loss over a doubling of the margin, over that of the doubling before: 1 or more without bound."""
        steps = np.diff(TwoTemperatureLoss(t1, t2).value([-150.0, -300.0, -600.0]))
        return float(steps[1] / steps[0])

    unbounded = min(growth(t1, t2) for t1, t2 in product((1.0, 1.1, 1.5), (1.0, 1.12, 1.6, 2.0)))
    below = min(1 / (1 - t1) - float(TwoTemperatureLoss(t1, 1.6).value(-1e200)) for t1 in (0.1, 0.5, 0.9))
    return outcome(
        min(unbounded - 1, below),
        tolerance=1e-12,
        evidence={
            "smallest_growth_from_1_on": unbounded,
            "largest_growth_below_1": max(growth(t1, 1.6) for t1 in (0.1, 0.5, 0.9)),
            "supremum_at_t1_0": float(TwoTemperatureLoss(0, 1.6).value(-1e200)),
        },
    )


@claim("amid2019:c11")
def importance_factor() -> Finding:
    """The gradient over the escort: it rises with p, up to one, for t2 > t1, and is one for equal temperatures."""
    p = np.random.default_rng(0).dirichlet(np.ones(3), size=300)
    p = p[p[:, 0].argsort()]
    temperatures = (0.2, 0.5, 0.8, 1.0, 1.12, 1.5, 2.0)
    rise, largest, flat = np.inf, 0.0, 0.0
    for t1, t2 in product(temperatures, temperatures):
        _, slopes = two_temperature_loss(log_t(p, t2), np.zeros(len(p), dtype=int), t1, t2, gradient=True)
        factor = slopes[:, 1] / escort(p, t2)[:, 1]
        if t1 < t2:
            rise, largest = min(rise, (np.diff(factor) / factor[1:]).min()), max(largest, factor.max())
        elif t1 == t2:
            flat = max(flat, np.abs(factor - 1).max())
    return outcome(
        min(rise, 1 - largest, 1e-11 - flat),
        holds=rise > 0 and largest <= 1 and flat <= 1e-11,
        evidence={"smallest_rise": rise, "largest_factor": largest, "deviation_when_equal": flat},
    )


@claim("amid2019:c30")
def special_cases() -> Finding:
    """Logistic, t-logistic, generalised cross entropy and α-loss as pairs of temperatures; entmax below one."""
    a = np.linspace(-30, 30, 601)
    logistic = np.abs(TwoTemperatureLoss(1, 1).value(a) / LogisticLoss().value(a) - 1).max()
    tempered = np.abs(TwoTemperatureLoss(1, 1.6).value(a) - TLogisticLoss(1.6).value(a)).max()
    # the definition of the t-logistic loss, from the probabilities themselves
    direct = -np.log(softmax_t(np.stack([a / 2, -a / 2], axis=1), 1.6)[:, 0])
    tempered = max(tempered, np.abs(TLogisticLoss(1.6).value(a) / direct - 1).max())
    crossed = max(
        np.abs(TwoTemperatureLoss(1 - q, 1).value(a) / GeneralizedCrossEntropyLoss(q).value(a) - 1).max()
        for q in (0.1, 0.5, 0.9, 1.0)
    )
    tilted = max(
        np.abs(TwoTemperatureLoss(1 / alpha, 1).value(a) / AlphaLoss(alpha).value(a) - 1).max()
        for alpha in (0.5, 1, 1.44, 2, 10)
    )
    sparse = max(_entmax_gap(t) for t in (0.0, 0.3, 0.5, 0.8))
    return outcome(
        -max(logistic, tempered, crossed, tilted, sparse),
        tolerance=1e-11,
        evidence={
            "logistic": logistic,
            "t_logistic": tempered,
            "generalised_cross_entropy": crossed,
            "alpha_loss": tilted,
            "entmax_gap": sparse,
        },
    )


def _entmax_gap(t: float) -> float:
    r"""How far :math:`\hat p` is from the maximiser of :math:`\langle p, a\rangle + H_\alpha(p)`, with α = 2 - t.

    That maximiser defines α-entmax, sparsemax at α = 2. The largest entry of the gradient minus its mean under
    :math:`\hat p` bounds what any other distribution could gain.
    """
    activations = 3 * np.random.default_rng(0).normal(size=(50, 6))
    p = softmax_t(activations, t)
    gradient = activations - p ** (1 - t) / (1 - t)
    return float((gradient.max(axis=1) - (p * gradient).sum(axis=1)).max())
