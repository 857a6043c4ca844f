"""Boosters under three twisters: the protocol of Section 6 of sypherd2022, one split and one method a call.

Seventy per cent of the data, stratified, are twisted and learned from; the rest stays clean and is tested on. Methods
that get the same ``rng`` see the same split and the same noise.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from marginloss._validation import check_choice
from marginloss.boosting import PILBoostClassifier
from marginloss.boosting.encode import encode
from marginloss.boosting.forest import Forest
from marginloss.boosting.loop import Round, boost
from marginloss.boosting.rules import GradientStep, LinkWeights, adaboost_step
from marginloss.boosting.trees import TreeLearner
from marginloss.datasets import load_breast_cancer, load_online_shoppers, load_pima, load_xd6
from marginloss.losses.proper import AlphaCPELoss
from marginloss.noise import flip_features, flip_labels, insider_twist

Array = NDArray[np.float64]

LOADERS: dict[str, Callable[..., Any]] = {
    "breast_cancer": load_breast_cancer,
    "xd6": load_xd6,
    "pima": load_pima,
    "online_shoppers": load_online_shoppers,
}
DEPTHS = {"breast_cancer": 1, "xd6": 3, "pima": 3, "online_shoppers": 3}
"""Depth of the trees in the paper's experiments (Pima: in the authors' code)."""

STEP_SIZES = {
    "breast_cancer": {1.1: 7.0, 2.0: 2.0, 4.0: 4.0},
    "xd6": {1.1: 8.0, 2.0: 8.0, 4.0: 8.0},
    "pima": {1.1: 0.1, 2.0: 0.1, 4.0: 0.1},
    "online_shoppers": {1.1: 7.0, 2.0: 7.0, 4.0: 7.0},
}
"""Step sizes of PILBoost by data set and α; for Pima, and for shoppers beyond α = 1.1, hints of the authors' code."""

HELD_OUT = 0.25  # share of the twisted training part on which a step is chosen
PATIENCE = 10  # rounds without improvement after which XGBoost stops early


@dataclass(frozen=True)
class Method:
    """A booster with its settings.

    Attributes
    ----------
    name : str
        For tables and figures.
    kind : {"AdaBoost", "PILBoost", "XGBoost"}
        ``"AdaBoost"`` is the paper's baseline: the same regression trees, weighted by the exponential loss, with steps
        by the error of their sign.
    alpha : float or "adaptive"
        Of PILBoost.
    step_size : float
        Step of PILBoost, shrinkage of the others; XGBoost's own default is 0.3.
    rounds : int
    link : {"pseudo", "exact"}
        Of PILBoost.
    early_stopping : bool
        Whether XGBoost stops when its loss on a held-out part of the twisted data no longer falls.
    depth : int, optional
        Of the trees, if it is not that of the paper for the data set.
    """

    name: str
    kind: str
    alpha: float | str = 1.1
    step_size: float = 1.0
    rounds: int = 1000
    link: str = "pseudo"
    early_stopping: bool = False
    depth: int | None = None

    def fit(self, X: Array, y: NDArray[np.int64], depth: int, seed: int = 0) -> Any:
        """A fitted model with ``predict``; ``depth`` is that of the paper."""
        check_choice("kind", self.kind, ("AdaBoost", "PILBoost", "XGBoost"))
        depth = self.depth or depth
        if self.kind == "PILBoost":
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # the adaptive rule cannot tell noise from overlap
                return PILBoostClassifier(self.alpha, self.step_size, self.rounds, depth, self.link).fit(X, y)
        if self.kind == "AdaBoost":
            return RealTreeAdaBoost(self.rounds, depth, self.step_size).fit(X, y)
        return _fit_xgboost(self, X, y, depth, seed)


class RealTreeAdaBoost:
    r"""The "AdaBoost" of the paper's experiments: regression trees :math:`h` on the labels, neither discrete nor real.

    .. math:: D_i \propto e^{-y_i H(x_i)},\qquad H \leftarrow H + \nu\,\tfrac12\log\tfrac{1-\epsilon}{\epsilon}\,h,

    :math:`\epsilon` being the weighted share of points at which the sign of :math:`h` is wrong or zero.
    """

    def __init__(self, rounds: int, depth: int, shrinkage: float = 1.0) -> None:
        self.rounds, self.depth, self.shrinkage = rounds, depth, shrinkage

    def fit(self, X: Array, y: NDArray[np.int64]) -> RealTreeAdaBoost:
        """Fit to two classes, the positive one above 0."""
        learner = TreeLearner(encode(X), (y > 0).astype(np.intp), np.ones(len(y)), 2, self.depth, leaf="mean")
        record = boost(learner, lambda margin, total: -margin, self._step, self.rounds)
        self.forest, self.steps = Forest.join(list(record.hypotheses)), record.steps
        return self

    def _step(self, now: Round) -> float:
        return self.shrinkage * adaboost_step(now.error, 2)

    def predict(self, X: Array) -> NDArray[np.int64]:
        """Labels 0 and 1."""
        return (self.forest.vote(X, self.steps) > 0).astype(int)


def _fit_xgboost(method: Method, X: Array, y: NDArray[np.int64], depth: int, seed: int) -> Any:
    try:
        from xgboost import XGBClassifier
    except ImportError as error:
        raise ImportError("this comparison needs XGBoost: pip install '.[bench]' in a clone") from error
    model = XGBClassifier(
        n_estimators=method.rounds,
        max_depth=depth,
        learning_rate=method.step_size,
        n_jobs=1,
        random_state=0,
        early_stopping_rounds=PATIENCE if method.early_stopping else None,
    )
    if not method.early_stopping:
        return model.fit(X, y)
    parts = train_test_split(X, y, test_size=HELD_OUT, stratify=y, random_state=seed)
    return model.fit(parts[0], parts[2], eval_set=[(parts[1], parts[3])], verbose=False)


def paper_methods(data: str, rounds: int = 1000, depth: int | None = None) -> list[Method]:
    """The five methods of Figure 1 and Table 1 with the step sizes for a data set, and its trees or others.

    Examples
    --------
    >>> [method.name for method in paper_methods("xd6")]
    ['AdaBoost', 'PILBoost 1.1', 'PILBoost 2', 'PILBoost 4', 'XGBoost']
    """
    steps = STEP_SIZES[data].items()
    return [
        Method("AdaBoost", "AdaBoost", rounds=rounds, depth=depth),
        *(Method(f"PILBoost {a:g}", "PILBoost", a, step, rounds, depth=depth) for a, step in steps),
        Method("XGBoost", "XGBoost", step_size=0.3, rounds=rounds, depth=depth),
    ]


def majority_share(data: str) -> float:
    """Accuracy of always naming the larger class of a data set.

    Examples
    --------
    >>> round(majority_share("xd6"), 3)
    0.669
    """
    _, y = LOADERS[data](return_X_y=True)
    return float(max(np.mean(y > 0), np.mean(y < 0)))


def _twisted_split(data: str, twister: str, level: float, rng: np.random.Generator) -> tuple[Any, Any, Any, Any]:
    """Twisted training part and clean test part: X, y, X_test, y_test."""
    check_choice("twister", twister, ("none", "labels", "features", "insider"))
    X, y = LOADERS[data](return_X_y=True)
    y = (y > 0).astype(int)  # which XGBoost asks for
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=int(rng.integers(2**31)))
    if twister == "labels":
        y = flip_labels(y, level, rng, kind="count")
    elif twister == "features":
        X = flip_features(X, level, level, rng)
    elif twister == "insider":
        X = insider_twist(X, rng)
    return X, y, X_test, y_test


def accuracy(data: str, twister: str, level: float, method: Method, rng: np.random.Generator) -> dict[str, float]:
    """Accuracy on the clean test part after learning from the twisted training part.

    Parameters
    ----------
    data : {"breast_cancer", "xd6", "pima", "online_shoppers"}
    twister : {"none", "labels", "features", "insider"}
        Flip a share of the labels; select examples and flip their Boolean features, both with probability ``level``;
        spoil the three best columns of online shoppers.
    level : float
        Strength of the twist.
    method : Method
    rng : Generator

    Returns
    -------
    dict
        ``accuracy``; for PILBoost also ``alpha``, and for ``alpha="adaptive"`` the estimated noise ``rate``.

    Examples
    --------
    >>> method = Method("PILBoost 2", "PILBoost", 2.0, 2.0, rounds=20)
    >>> accuracy("breast_cancer", "labels", 0.1, method, np.random.default_rng(0))["accuracy"] > 0.85
    True
    """
    X, y, X_test, y_test = _twisted_split(data, twister, level, rng)
    model = method.fit(X, y, DEPTHS[data], seed=int(rng.integers(2**31)))
    found = {"accuracy": float(np.mean(model.predict(X_test) == y_test))}
    if method.kind == "PILBoost":
        found["alpha"] = float(model.alpha_)
        if method.alpha == "adaptive":
            found["rate"] = float(model.noise_.rate)
    return found


def step_response(data: str, level: float, method: Method, rng: np.random.Generator) -> dict[str, float]:
    """Accuracy under label noise, with what a user could choose the step by.

    Returns
    -------
    dict
        ``test``, the accuracy on the clean test part; ``validation``, that on a held-out quarter of the noisy training
        part after learning from the rest.
    """
    X, y, X_test, y_test = _twisted_split(data, "labels", level, rng)
    seed = int(rng.integers(2**31))
    part, held, y_part, y_held = train_test_split(X, y, test_size=HELD_OUT, stratify=y, random_state=seed)
    depth = DEPTHS[data]
    return {
        "validation": float(np.mean(method.fit(part, y_part, depth).predict(held) == y_held)),
        "test": float(np.mean(method.fit(X, y, depth).predict(X_test) == y_test)),
    }


def clean_log_loss(data: str, level: float, alpha: float, rounds: int, rng: np.random.Generator) -> dict[str, float]:
    """Log-loss on clean labels of PILBoost's probabilities, ``twisted`` and ``untwisted``, after flipped labels.

    The step is the one of the paper for the data set.
    """
    X, y, X_test, y_test = _twisted_split(data, "labels", level, rng)
    model = Method("", "PILBoost", alpha, STEP_SIZES[data][alpha], rounds).fit(X, y, DEPTHS[data])
    return {kind: log_loss(y_test, model.predict_proba(X_test, kind=kind)) for kind in ("twisted", "untwisted")}


def link_contest(alpha: float, rounds: int, rng: np.random.Generator) -> dict[str, float]:
    """PILBoost with the pseudo-inverse and with the exact link on xd6 with a fifth of the labels flipped, step 8.

    Returns
    -------
    dict
        Clean test accuracy with each link, ``pseudo`` and ``exact``; ``time_ratio``, the CPU time of the exact fit over
        that of the other, both by the same loop; ``same_time``, the accuracy of the exact link after as many rounds as
        fit into the time of the other.
    """
    X, y, X_test, y_test = _twisted_split("xd6", "labels", 0.2, rng)
    learner = TreeLearner(encode(X), y.astype(np.intp), np.ones(len(y)), 2, DEPTHS["xd6"], leaf="mean")
    learner.fit(learner.sample_weight / len(y))  # a first fit also loads the compiled code
    trees, steps, seconds = {}, {}, {}
    for link in ("pseudo", "exact"):
        start = process_time()
        weights, rule = LinkWeights(AlphaCPELoss(alpha), link), GradientStep(8.0)
        record = boost(learner, weights, rule, rounds, engine="python")  # the other link has no compiled loop
        seconds[link] = process_time() - start
        trees[link], steps[link] = Forest.join(list(record.hypotheses)), record.steps

    def right(link: str, first: int = rounds) -> float:
        return float(np.mean((trees[link].vote(X_test, steps[link][:first]) > 0) == y_test))

    ratio = seconds["exact"] / seconds["pseudo"]
    return {
        "pseudo": right("pseudo"),
        "exact": right("exact"),
        "time_ratio": ratio,
        "same_time": right("exact", min(rounds, max(1, round(rounds / ratio)))),
    }


def importances(twister: str, method: Method, rng: np.random.Generator) -> list[Mapping[str, float]]:
    """Feature importances on online shoppers, one row per feature, each column summing to one.

    ``average`` is the mean gain of a feature's splits, XGBoost's default, and ``total`` the sum over its splits,
    PILBoost's own importance.
    """
    X, y, _, _ = _twisted_split("online_shoppers", twister, 0.0, rng)
    model = method.fit(X, y, DEPTHS["online_shoppers"])
    if method.kind == "PILBoost":
        nodes = model.estimators_.nodes
        splits = np.bincount(nodes.feature[nodes.feature >= 0], minlength=X.shape[1])
        average = model.feature_importances_ / np.maximum(splits, 1)
        columns = {"average": average / average.sum(), "total": model.feature_importances_}
    else:
        booster = model.get_booster()
        columns = {}
        for column, kind in (("average", "gain"), ("total", "total_gain")):
            score = booster.get_score(importance_type=kind)
            values = np.array([score.get(f"f{j}", 0.0) for j in range(X.shape[1])])
            columns[column] = values / values.sum()
    return [{"feature": j, **{name: float(column[j]) for name, column in columns.items()}} for j in range(X.shape[1])]


def profile_entropy(profile: ArrayLike) -> float:
    """Entropy of a profile of importances over that of the uniform one.

    Examples
    --------
    >>> profile_entropy([0.25, 0.25, 0.25, 0.25]), profile_entropy([1.0, 0.0])
    (1.0, 0.0)
    """
    p = np.asarray(profile, dtype=float)
    p = p / p.sum()
    return float(-(p[p > 0] * np.log(p[p > 0])).sum() / math.log(len(p))) + 0.0
