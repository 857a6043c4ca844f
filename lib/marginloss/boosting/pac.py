r"""What the complete halfspace learner is promised: parameters and noise rate (servedio2003, Section 3.4).

Everything depends on the data through :math:`A = R \|u\|_q / \xi` only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from marginloss._validation import check_real
from marginloss.boosting.bounds import smoothboost_rounds, theta_of

__all__ = ["HalfspaceGuarantee", "halfspace_guarantee"]


@dataclass(frozen=True)
class HalfspaceGuarantee:
    r"""Parameters of Section 3.4 and what they promise.

    Attributes
    ----------
    epsilon, delta, difficulty : float
        Accuracy, confidence and :math:`A`.
    kappa, gamma, theta : float
        :math:`\epsilon/4`, :math:`1/(4A)` and :math:`\gamma/(2+\gamma)`, the parameters of SmoothBoost.
    noise_rate : float
        Malicious rate :math:`\epsilon/(32A)` that is tolerated.
    dirty_fraction : float
        Fraction :math:`\epsilon/(16A)` of dirty examples that the sample stays below.
    n_samples_noise : int
        Sample size from which that holds with probability :math:`1 - \delta/2`.
    n_rounds : float
        The bound of Theorem 2.
    """

    epsilon: float
    delta: float
    difficulty: float
    kappa: float
    gamma: float
    theta: float
    noise_rate: float
    dirty_fraction: float
    n_samples_noise: int
    n_rounds: float


def halfspace_guarantee(epsilon: float, difficulty: float, delta: float = 0.05) -> HalfspaceGuarantee:
    r"""Parameters of the complete learner for accuracy :math:`\epsilon` and difficulty :math:`A = R\|u\|_q/\xi`.

    Examples
    --------
    >>> guarantee = halfspace_guarantee(epsilon=0.2, difficulty=3)
    >>> round(guarantee.kappa, 4), round(guarantee.gamma, 4), round(guarantee.theta, 4), round(guarantee.noise_rate, 4)
    (0.05, 0.0833, 0.04, 0.0021)
    """
    epsilon = check_real("epsilon", epsilon, "(0, 1)")
    delta = check_real("delta", delta, "(0, 1)")
    difficulty = check_real("difficulty", difficulty, "[1, inf)")
    kappa, gamma = epsilon / 4, 1 / (4 * difficulty)
    return HalfspaceGuarantee(
        epsilon=epsilon,
        delta=delta,
        difficulty=difficulty,
        kappa=kappa,
        gamma=gamma,
        theta=theta_of(gamma),
        noise_rate=epsilon / (32 * difficulty),
        dirty_fraction=epsilon / (16 * difficulty),
        n_samples_noise=math.ceil(96 * difficulty / epsilon * math.log(2 / delta)),
        n_rounds=smoothboost_rounds(kappa, gamma),
    )
