"""One boosting loop for the whole library: a weight function, a step rule and a weak learner.

Every booster of the five papers repeats the same four lines: weigh the examples by the margin they have so far, fit a
weak learner to these weights, choose a step, add. They differ in the weight function and in the step only, so these are
the arguments of :func:`boost`.

Sums and products of the plain loop are NumPy's: the same bits in every process on one machine, and up to rounding on
processors for which NumPy or its BLAS has other code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from marginloss._validation import check_choice

__all__ = ["BoostRecord", "Round", "Stop", "WeakLearner", "boost", "normalise"]

Array = NDArray[np.float64]


class WeakLearner(Protocol):
    """A learner that already holds its data; the loop only tells it the weights.

    Attributes
    ----------
    sample_weight : ndarray of shape (n,)
        Multiplicity of each row. Rows may be merged duplicates, so n can be smaller than the number of examples.
    """

    sample_weight: Array

    def fit(self, weight: Array) -> tuple[Any, Array]:
        """Fit to weights that sum to one; return the hypothesis and the margin ``y * h(x)`` it gives to each row."""


Watch = Callable[["Round", list[Any], list[float]], None]


class Stop(Exception):
    """Raised by a step rule or a watcher to end the loop; ``reason`` says why.

    The round under way is dropped, or is the last one if its ``step`` is given.
    """

    def __init__(self, reason: str, step: float | None = None) -> None:
        super().__init__(reason)
        self.reason, self.step = reason, step


@dataclass
class Round:
    """What a step rule sees of the round under way.

    Attributes
    ----------
    number : int
        Rounds already done: 0 in the first round.
    total : float
        Sum of the steps so far.
    margin : ndarray of shape (n,)
        Margins before this round.
    weight : ndarray of shape (n,)
        The distribution D of this round, multiplicities included; sums to one.
    density : float
        Mean of the weights before they were normalised.
    kappa : float
        Smoothness: mean weight over largest weight, so that no example has more than ``1 / (kappa n)`` of D.
    gain : ndarray of shape (n,)
        Margin that the new hypothesis gives to each row per unit of step (empty before it is fitted).
    edge, error : float
        Mean of ``gain`` under D, and share of D on which it is not positive (NaN before the fit).
    """

    number: int
    total: float
    margin: Array
    weight: Array
    density: float
    kappa: float
    gain: Array = field(default_factory=lambda: np.empty(0))
    edge: float = np.nan
    error: float = np.nan


@dataclass
class BoostRecord:
    """What the loop did, one entry per round; the names are those of :class:`Round`.

    ``margin`` holds the final margins of the rows, ``stop_reason`` is ``"n_rounds"`` or the reason of :class:`Stop`.
    """

    hypotheses: Sequence[Any]
    steps: Array
    errors: Array
    edges: Array
    densities: Array
    kappas: Array
    margin: Array
    stop_reason: str


def normalise(log_weight: Array, sample_weight: Array) -> tuple[Array, float, float]:
    """Distribution, density and smoothness that belong to log-weights; safe for every infinity.

    All ``-inf`` gives the uniform distribution (with density 0); where some are ``+inf`` these share the distribution.

    Returns
    -------
    weight : ndarray
        Proportional to ``sample_weight * exp(log_weight)``, sums to one.
    density : float
        Mean of ``exp(log_weight)``, every row counted ``sample_weight`` times.
    kappa : float
        Mean over maximum of ``exp(log_weight)``, in (0, 1].

    Examples
    --------
    >>> weight, density, kappa = normalise(np.log([0.5, 0.25, 0.25]), np.ones(3))
    >>> weight, round(density, 3), round(kappa, 3)
    (array([0.5 , 0.25, 0.25]), 0.333, 0.667)
    """
    largest = log_weight.max()
    relative = np.exp(log_weight - largest) if np.isfinite(largest) else (log_weight == largest).astype(float)
    relative *= sample_weight
    total, count = relative.sum(), sample_weight.sum()
    with np.errstate(over="ignore"):
        density = float(np.exp(largest) * (total / count))
    relative /= total
    return relative, density, float(total / count)


def boost(
    learner: WeakLearner,
    weigh: Callable[[Array, float], Array],
    step: Callable[[Round], float],
    n_rounds: int,
    watch: Watch | None = None,
    engine: str = "auto",
) -> BoostRecord:
    r"""Run the loop shared by all boosters.

    Round :math:`t` computes :math:`D_t \propto \exp(\mathrm{weigh}(z, \sum_{s<t}\theta_s))` from the margins
    :math:`z`, fits the learner and adds :math:`\theta_t\, y h_t(x)` to the margins, :math:`\theta_t` being the step.

    Parameters
    ----------
    learner : WeakLearner
        Holds the data and the multiplicities of its rows.
    weigh : callable
        ``weigh(margin, total)`` gives the *logarithm* of the unnormalised weights, ``total`` being the sum of the steps
        so far; ``-inf`` for no weight. Only their ratios matter to the learner; their mean is the ``density`` a step
        rule or a watcher may use.
    step : callable
        ``step(round)`` gives the number by which the new hypothesis is multiplied. May raise :class:`Stop`.
    n_rounds : int
        Largest number of rounds.
    watch : callable, optional
        ``watch(round, hypotheses, steps)`` is called before each fit with all earlier rounds. May raise :class:`Stop`.
    engine : {"auto", "python"}
        ``"auto"`` takes the compiled loop that a learner has for these rules, if ``learner.compiled_loop(weigh, step)``
        returns one; ``"python"`` always runs the loop below.

    Returns
    -------
    BoostRecord

    Examples
    --------
    AdaBoost on three points with one fixed hypothesis, which is wrong on the last point:

    >>> class Fixed:
    ...     sample_weight = np.ones(3)
    ...     def fit(self, weight):
    ...         return "h", np.array([1.0, 1.0, -1.0])
    >>> record = boost(Fixed(), lambda margin, total: -margin, lambda now: 0.5 * np.log(1 / now.error - 1), n_rounds=2)
    >>> record.steps.round(4), record.errors.round(4)
    (array([0.3466, 0.    ]), array([0.3333, 0.5   ]))
    """
    check_choice("engine", engine, ("auto", "python"))
    if engine == "auto" and hasattr(learner, "compiled_loop"):
        compiled = learner.compiled_loop(weigh, step)
        if compiled is not None:
            return compiled(n_rounds, watch)
    margin, total = np.zeros(len(learner.sample_weight)), 0.0
    hypotheses: list[Any] = []
    steps: list[float] = []
    record: list[tuple[float, float, float, float]] = []
    stop_reason = "n_rounds"
    for number in range(n_rounds):
        now = Round(number, total, margin, *normalise(weigh(margin, total), learner.sample_weight))
        try:
            if watch is not None:
                watch(now, hypotheses, steps)
            hypothesis, now.gain = learner.fit(now.weight)
            now.edge = float(now.weight @ now.gain)
            now.error = float(now.weight @ (now.gain <= 0))
            theta = float(step(now))
        except Stop as stop:
            stop_reason = stop.reason
            if stop.step is None:
                break
            theta = stop.step
        margin, total = margin + theta * now.gain, total + theta
        hypotheses.append(hypothesis)
        steps.append(theta)
        record.append((now.error, now.edge, now.density, now.kappa))
        if stop_reason != "n_rounds":
            break
    errors, edges, densities, kappas = np.array(record, dtype=float).reshape(-1, 4).T.copy()
    return BoostRecord(hypotheses, np.array(steps), errors, edges, densities, kappas, margin, stop_reason)
