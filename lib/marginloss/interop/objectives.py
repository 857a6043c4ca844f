"""Our losses as objectives of XGBoost and LightGBM, for whoever outgrows one machine and trains on their engines.

Neither library is imported here: an objective is a function that they call.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from marginloss.losses import MarginLoss

__all__ = ["MarginObjective", "lightgbm_objective", "xgboost_objective"]


@dataclass(frozen=True)
class MarginObjective:
    r"""Gradient and safe curvature of a margin loss with respect to the raw score :math:`H`.

    With labels :math:`y = \pm1` and margin :math:`z = yH` the gradient is :math:`-y\,w(z)`. The curvature is

    .. math:: h(z) = \max\{\ell''(z),\; w(z)\,\sigma(z)\},

    which is :math:`\ell''` for every loss that is at least as curved as the logistic loss of the same weight. Where a
    loss is flatter or concave, the second term keeps the Newton step :math:`w/h` at the length that the logistic loss
    would take: a raw :math:`\ell''` would be zero or negative there, and the step endless or uphill.

    An instance can be pickled and compared, so that it travels to the workers of a cluster.

    Parameters
    ----------
    loss : MarginLoss
        Any loss of the margin.
    """

    loss: MarginLoss

    def __post_init__(self) -> None:
        if not isinstance(self.loss, MarginLoss):
            raise ValueError(f"loss must be a loss of the margin such as AlphaLoss(2), got {self.loss!r}")

    def derivatives(
        self, labels: ArrayLike, scores: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Gradient and curvature at each score; labels are 0/1 or −1/+1.

        Examples
        --------
        >>> from marginloss.losses import LogisticLoss
        >>> gradient, curvature = MarginObjective(LogisticLoss()).derivatives([0, 1], [0.0, 0.0])
        >>> gradient, curvature
        (array([ 0.5, -0.5]), array([0.25, 0.25]))
        """
        sign = _signed(np.asarray(labels))
        scores = np.asarray(scores, dtype=np.float64)
        if scores.shape != sign.shape:
            raise ValueError(f"scores must have the shape {sign.shape} of the labels, got {scores.shape}")
        margin = sign * scores
        weight = self.loss.weight(margin)
        with np.errstate(invalid="ignore"):  # an infinite weight times zero: there the loss is curved enough
            curvature = np.fmax(self.loss.derivative(margin, 2), weight * expit(margin))
        repeated = 1.0 if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        return -sign * weight * repeated, curvature * repeated

    def __call__(self, first: Any, second: Any, sample_weight: Any = None) -> Any:
        """Serve both calling conventions: ``(scores, data set)`` and scikit-learn's ``(labels, scores, weight)``."""
        if hasattr(second, "get_label"):
            weight = second.get_weight()
            weight = None if weight is None or len(weight) == 0 else weight
            return self.derivatives(second.get_label(), first, weight)
        return self.derivatives(first, second, sample_weight)


def xgboost_objective(loss: MarginLoss) -> MarginObjective:
    """Objective for ``xgboost.train(…, obj=…)`` and ``XGBClassifier(objective=…)``.

    ``loss.posterior(score)`` is the class probability. ``train`` returns these raw scores; ``XGBClassifier`` puts them
    through the logistic function in ``predict_proba``, whatever the loss: ask ``predict(X, output_margin=True)``.

    Examples
    --------
    >>> from marginloss.losses import AlphaLoss
    >>> xgboost_objective(AlphaLoss(2))
    MarginObjective(loss=AlphaLoss(alpha=2.0))
    """
    return MarginObjective(loss)


def lightgbm_objective(loss: MarginLoss) -> MarginObjective:
    """Objective for ``lightgbm.train({"objective": …})`` and ``LGBMClassifier(objective=…)``.

    LightGBM then returns raw scores: ``loss.posterior(score)`` is the class probability.

    Examples
    --------
    >>> from marginloss.losses import LogisticLoss
    >>> lightgbm_objective(LogisticLoss())
    MarginObjective(loss=LogisticLoss())
    """
    return MarginObjective(loss)


def _signed(labels: NDArray[Any]) -> NDArray[np.float64]:
    known = np.unique(labels)
    if not (np.isin(known, (0, 1)).all() or np.isin(known, (-1, 1)).all()):
        raise ValueError(f"labels must be 0/1 or -1/+1, got {known[:5]}")
    return np.where(labels > 0, 1.0, -1.0)
