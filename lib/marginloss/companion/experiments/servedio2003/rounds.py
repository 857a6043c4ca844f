"""SmoothBoost watched: weights, margins and rounds against their guarantees, and the picture of the proof."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marginloss.boosting import BregmanBoostClassifier, MadaBoostClassifier, PNormLearner
from marginloss.boosting.bounds import bregman_rounds, impagliazzo_rounds, smoothboost_rounds, theta_of
from marginloss.companion.experiments.servedio2003.setting import (
    KAPPA,
    LONG_SERVEDIO_GAMMA,
    SOURCES,
    boosters,
    fit_quietly,
    impagliazzo,
    smoothboost,
)
from marginloss.datasets import make_long_servedio
from marginloss.losses import AlphaLoss, SmoothBoostLoss
from marginloss.noise import MaliciousOracle
from marginloss.theory.servedio2003.pairing import pair_segments
from marginloss.theory.servedio2003.plays import friendly, nested_sinker, play_smoothboost, sinker

Array = NDArray[np.float64]
Numbers = dict[str, float]


def smoothness_by_round(rate: float, rng: np.random.Generator) -> list[Numbers]:
    """Largest weight times m in each round, of four boosters on the sparse target with concentrated fakes."""
    source = SOURCES["sparse"]
    X, y, dirty = MaliciousOracle("fake", rate, source).draw(1000, rng)
    models = boosters(source.p, source.R, 1 / (4 * source.difficulty))
    models["bregman"] = BregmanBoostClassifier(KAPPA, 500, estimator=PNormLearner(p=source.p, R=source.R))
    smoothness = {name: 1 / fit_quietly(model, X, y).kappa_ for name, model in models.items()}
    largest = {f"{name}_largest": float(series.max()) for name, series in smoothness.items()}
    smooth = models["smooth"]
    largest["density"] = smooth.certified_fraction_
    largest["dirty"] = float(dirty.mean())
    largest["stopped"] = smooth.stop_reason_ == "converged"
    rounds = np.unique(np.geomspace(1, 500, 40).round().astype(int))
    return [
        {"round": t, **{name: float(series[min(t, len(series)) - 1]) for name, series in smoothness.items()}, **largest}
        for t in rounds
    ]


def margins_by_theta(share: float | None, rng: np.random.Generator) -> list[Numbers]:
    """Rounds and margins of SmoothBoost on clean Long–Servedio data for a margin ``share * gamma``.

    One row for each of some levels: ``margin`` is that quantile of the margins, in units of the best possible 2γ; the
    other numbers belong to the run.
    """
    X, y = make_long_servedio(600, rng)
    gamma = LONG_SERVEDIO_GAMMA
    weak = PNormLearner(p=math.inf, R=1.0, ties="first")
    theta = theta_of(gamma) if share is None else share * gamma
    model = smoothboost(weak, gamma, theta=theta, on_failure="warn").fit(X, y)
    run = {
        "rounds": model.n_estimators_,
        "bound": model.bound_,
        "rounds_over_bound": model.n_estimators_ / model.bound_,
        "fraction": float(np.mean(model.margins_ <= model.target_margin_)),
        "quantile": float(np.quantile(model.margins_, KAPPA) / (2 * gamma)),
        "stopped": model.stop_reason_ == "converged",
    }
    levels = np.linspace(0, 1, 41)
    margins = np.quantile(model.margins_, levels) / (2 * gamma)
    return [{"level": level, "margin": margin, **run} for level, margin in zip(levels, margins, strict=True)]


def heaviest_by_round(rate: float, rounds: list[int], rank: int, rng: np.random.Generator) -> dict[str, Array]:
    """Weights times m of the heaviest examples after some rounds, in rows, of SmoothBoost and AdaBoost under fakes."""
    source = SOURCES["sparse"]
    X, y, _ = MaliciousOracle("fake", rate, source).draw(1000, rng)
    models = boosters(source.p, source.R, 1 / (4 * source.difficulty))
    smooth, ada = (fit_quietly(models[name], X, y) for name in ("smooth", "ada"))
    ahead = np.array(rounds)[:, None] * (y * smooth.decision_at(X, rounds) - smooth.target_margin_)
    weights = {
        "SmoothBoost": SmoothBoostLoss(smooth.gamma_).weight(ahead),
        "AdaBoost": AlphaLoss(0.5).weight(y * ada.decision_at(X, rounds)),
    }
    return {name: -np.sort(-w / w.mean(axis=1)[:, None], axis=1)[:, :rank] for name, w in weights.items()}


def relatives(rng: np.random.Generator) -> Numbers:
    """Rounds of three boosters with the same cap on clean Long–Servedio data, and the margins that they reach.

    The margin is the quantile at κ, in units of the best possible minimum 2γ.
    """
    X, y = make_long_servedio(600, rng)
    gamma = LONG_SERVEDIO_GAMMA
    weak = PNormLearner(p=math.inf, R=1.0, ties="first")
    smooth = smoothboost(weak, gamma, on_failure="warn").fit(X, y)
    mada = MadaBoostClassifier(KAPPA, n_estimators=20_000, estimator=weak).fit(X, y)
    additive, coef = impagliazzo(weak, gamma, X, y, math.ceil(impagliazzo_rounds(KAPPA, gamma)))
    margins = {"smooth": smooth.margins_, "mada": mada.margins_, "additive": y * (X @ coef)}
    rounds = {"smooth": smooth.n_estimators_, "mada": mada.n_estimators_, "additive": len(additive.steps)}
    return {f"{name}_rounds": float(number) for name, number in rounds.items()} | {
        f"{name}_quantile": float(np.quantile(margin, KAPPA) / (2 * gamma)) for name, margin in margins.items()
    }


def friendly_rounds(kappa: float, gamma: float, m: int = 400) -> int:
    """Rounds against a learner with exactly the advantage asked for everywhere."""
    return int(play_smoothboost(friendly(gamma), m, kappa, gamma).n_estimators_)


@cache
def sinker_rounds(kappa: float, gamma: float, m: int = 400, nested: bool = False) -> Numbers:
    """Rounds against a learner that is wrong on a fixed set as long as it can, and their share of the bound."""
    size = round(kappa * m)
    sizes = [round(m * 0.5**i) for i in range(1, 40) if m * 0.5**i > size] if nested else []
    play = nested_sinker(gamma, [*sizes, size]) if nested else sinker(gamma, size)
    rounds = int(play_smoothboost(play, m, kappa, gamma).n_estimators_)
    return {"rounds": rounds, "over_bound": rounds / smoothboost_rounds(kappa, gamma)}


def paired_path(path: list[float]) -> list[Numbers]:
    """Segments of a path as in Figure 3: ends in time and height, and the number of their pair, 0 if there is none."""
    heights = [Fraction(height).limit_denominator(1000) for height in path]
    found = pair_segments(heights)
    number = {place: k for k, pair in enumerate(found.pairs, start=1) for place in pair}
    pieces = []
    for place, s in enumerate(found.segments):
        slope = heights[s.step] - heights[s.step - 1]
        low = heights[s.step - 1] + slope * (s.start - s.step + 1)
        pieces.append(
            {
                "start": float(s.start),
                "end": float(s.end),
                "low": float(low),
                "high": float(low + s.rise),
                "rise": float(s.rise),
                "pair": number.get(place, 0),
            }
        )
    return pieces


def rounds_of_variants(rng: np.random.Generator) -> Numbers:
    """Rounds of SmoothBoost, of the adaptive and of the Bregman form for the same cap and margin."""
    X, y = make_long_servedio(600, rng)
    gamma = LONG_SERVEDIO_GAMMA
    theta = theta_of(gamma)
    weak = PNormLearner(p=math.inf, R=1.0, ties="first")
    smooth, smooth_early, adaptive, adaptive_early = (
        smoothboost(weak, gamma, adaptive=adaptive, early_stop=early, on_failure="warn").fit(X, y)
        for adaptive in (False, True)
        for early in (False, True)
    )
    rounds = math.ceil(bregman_rounds(KAPPA, gamma, theta))
    bregman = BregmanBoostClassifier(KAPPA, rounds, 2 * gamma - theta, estimator=weak).fit(X, y)
    coefs: Any = bregman.estimators_
    votes = X @ np.cumsum(coefs.coefs, axis=0).T / np.arange(1, rounds + 1)
    behind = np.mean(y[:, None] * votes <= theta, axis=0)
    return {
        "smooth": smooth.n_estimators_,
        "adaptive": adaptive.n_estimators_,
        "bregman": rounds,
        "smooth_first": smooth_early.n_estimators_,
        "adaptive_first": adaptive_early.n_estimators_,
        "bregman_first": int(np.argmax(behind < KAPPA)) + 1,
        "bregman_fraction": float(behind[-1]),
        "certificate": bregman.certificate_ / (2 * gamma),
        "quantile": float(np.quantile(bregman.margins_, KAPPA) / (2 * gamma)),
    }
