"""Our losses as objectives of XGBoost and LightGBM: for their own interfaces, and for training on a cluster.

Neither library is imported here: an objective is a function that they call.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, softmax

from marginloss.losses import MarginLoss
from marginloss.losses.tempered import two_temperature_hessian, two_temperature_loss
from marginloss.losses.two_temperature import TemperedMarginLoss

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
        Any loss of the margin; for more than two classes a :class:`~marginloss.losses.TwoTemperatureLoss`, whose
        curvature is twice the diagonal of its Hessian, mended in the same way: at temperatures (1, 1) that of XGBoost.
    """

    loss: MarginLoss

    def __post_init__(self) -> None:
        if not isinstance(self.loss, MarginLoss):
            raise ValueError(f"loss must be a loss of the margin such as AlphaLoss(2), got {self.loss!r}")

    def derivatives(
        self, labels: ArrayLike, scores: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Gradient and curvature at each score.

        Labels are 0/1 or −1/+1; for scores of shape (n, C), from 0 to C − 1.

        Examples
        --------
        >>> from marginloss.losses import LogisticLoss
        >>> gradient, curvature = MarginObjective(LogisticLoss()).derivatives([0, 1], [0.0, 0.0])
        >>> gradient, curvature
        (array([ 0.5, -0.5]), array([0.25, 0.25]))
        """
        labels, scores = np.asarray(labels), np.asarray(scores, dtype=np.float64)
        if scores.ndim == 2 and scores.shape[1] > 1:
            gradient, curvature = self._of_classes(labels, scores)
        else:
            sign = _signed(labels, scores)
            margin, loss = sign * scores, self.loss.on_label(sign)
            gradient = -sign * loss.weight(margin)
            with np.errstate(invalid="ignore"):  # an infinite weight times zero: there the loss is curved enough
                curvature = np.fmax(loss.derivative(margin, 2), np.abs(gradient) * expit(margin))
        if sample_weight is not None:
            repeated = np.asarray(sample_weight, dtype=np.float64).reshape((-1,) + (1,) * (scores.ndim - 1))
            return gradient * repeated, curvature * repeated
        return gradient, curvature

    def mean_loss(self, labels: ArrayLike, scores: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Mean loss of raw scores, a metric for early stopping.

        Examples
        --------
        >>> from marginloss.losses import LogisticLoss
        >>> round(MarginObjective(LogisticLoss()).mean_loss([0, 1], [0.0, 0.0]), 6)
        0.693147
        """
        labels, scores = np.asarray(labels), np.asarray(scores, dtype=np.float64)
        if scores.ndim == 2 and scores.shape[1] > 1:
            losses = two_temperature_loss(scores, labels, *temperatures(self.loss))
        else:
            sign = _signed(labels, scores)
            losses = self.loss.on_label(sign).value(sign * scores)
        return float(np.average(losses, weights=None if sample_weight is None else np.asarray(sample_weight)))

    def _of_classes(self, labels: Any, scores: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        pair = temperatures(self.loss)
        _, gradient = two_temperature_loss(scores, labels, *pair, gradient=True)
        towards = softmax(scores, axis=1)
        own = labels.astype(np.intp)[:, None] == np.arange(scores.shape[1])
        shortest = np.abs(gradient) * np.where(own, towards, 1 - towards)
        return gradient, 2 * np.fmax(two_temperature_hessian(scores, labels, *pair, diagonal=True), shortest)

    def __call__(self, first: Any, second: Any, sample_weight: Any = None) -> Any:
        """Serve both calling conventions: ``(scores, data set)`` and scikit-learn's ``(labels, scores, weight)``."""
        if hasattr(second, "get_label"):
            weight = second.get_weight()
            weight = None if weight is None or len(weight) == 0 else weight
            return self.derivatives(second.get_label(), first, weight)
        return self.derivatives(first, second, sample_weight)


def temperatures(loss: MarginLoss) -> tuple[float, float]:
    """Temperatures of a loss of several classes, else ``ValueError``."""
    if not isinstance(loss, TemperedMarginLoss):
        raise ValueError(
            "Only binary classification is supported. The type of the target is multiclass; for more than two classes "
            f"loss must be one such as TwoTemperatureLoss(0.8, 1.2), got {loss!r}"
        )
    return loss.temperatures


def xgboost_objective(loss: MarginLoss) -> MarginObjective:
    r"""Objective for ``xgboost.train(…, obj=…)``, ``xgboost.dask.train(…, obj=…)`` and ``XGBClassifier(objective=…)``.

    On one machine :class:`RobustXGBClassifier` takes care of all that follows. ``loss.posterior(score)`` is the class
    probability of a raw score, :math:`\sigma(z/\alpha)` for the α-loss.

    * ``train`` starts at the raw score 0.5, in favour of the positive class: give ``"base_score": 0.0``. Its boosters
      predict raw scores.
    * ``XGBClassifier`` starts at 0, and puts scores through :math:`\sigma(z)` in ``predict_proba``, whatever the loss:
      ask ``predict(X, output_margin=True)`` for them. Its ``predict`` is right.

    Examples
    --------
    >>> from marginloss.losses import AlphaLoss
    >>> xgboost_objective(AlphaLoss(2))
    MarginObjective(loss=AlphaLoss(alpha=2.0))
    """
    return MarginObjective(loss)


def lightgbm_objective(loss: MarginLoss) -> MarginObjective:
    r"""Objective for ``lightgbm.train({"objective": …})``, ``LGBMClassifier(objective=…)`` and its Dask sibling.

    On one machine :class:`RobustLGBMClassifier` takes care of all that follows. Scores start at 0. With an objective of
    ours LightGBM returns raw scores everywhere: ``predict_proba`` and even ``predict`` of ``LGBMClassifier``, which
    gives no labels. ``loss.posterior(score)`` is the class probability of a score, :math:`\sigma(z/\alpha)` for the
    α-loss; a positive score is ``classes_[1]``.

    Examples
    --------
    >>> from marginloss.losses import LogisticLoss
    >>> lightgbm_objective(LogisticLoss())
    MarginObjective(loss=LogisticLoss())
    """
    return MarginObjective(loss)


def _signed(labels: NDArray[Any], scores: NDArray[np.float64]) -> NDArray[np.float64]:
    if scores.shape != labels.shape:
        raise ValueError(f"scores must have the shape {labels.shape} of the labels, got {scores.shape}")
    known = np.unique(labels)
    if not (np.isin(known, (0, 1)).all() or np.isin(known, (-1, 1)).all()):
        raise ValueError(f"labels must be 0/1 or -1/+1, got {known[:5]}")
    return np.where(labels > 0, 1.0, -1.0)
