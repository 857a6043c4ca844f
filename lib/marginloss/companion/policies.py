"""The picture of the whole book, in its prologue: how much an example counts, loss by loss."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np

from marginloss.companion.plotting import figure, method_style
from marginloss.losses import (
    AlphaLoss,
    ExponentialLoss,
    LogisticLoss,
    MarginLoss,
    SigmoidLoss,
    SmoothBoostLoss,
    TwoTemperatureLoss,
)

POLICIES: dict[str, MarginLoss] = {
    "exponential": ExponentialLoss(),
    "logistic": LogisticLoss(),
    "SmoothBoost": SmoothBoostLoss(0.4),
    "alpha-loss": AlphaLoss(2),
    "two-temperature": TwoTemperatureLoss(0.5, 1.5),
    "sigmoid": SigmoidLoss(),
}
"""Losses by the name of their style in figures."""

LABELS = {
    "exponential": "exponential (AdaBoost)",
    "SmoothBoost": "SmoothBoost, γ = 0.4",
    "alpha-loss": "α-loss, α = 2",
    "two-temperature": "two-temperature, ½ and 1½",
}


def draw_policies(n_points: int = 401) -> Any:
    """Weight functions of the margin, each divided by its value at margin 0.

    Parameters
    ----------
    n_points : int

    Returns
    -------
    matplotlib.figure.Figure
    """
    margin = np.linspace(-6, 6, n_points)
    fig, ax = figure("single")
    for name, loss in POLICIES.items():
        style = method_style(name) | {"markevery": n_points // 12, "label": LABELS.get(name, name)}
        ax.plot(margin, loss.weight(margin) / loss.weight(0.0), **style)
    ax.set(xlabel="margin $z$", ylabel="weight $w(z)\\,/\\,w(0)$", ylim=(0, 4.2))
    ax.axvline(0, color="0.6", linewidth=1)
    ax.text(-5.9, 3.85, "wrong", color="0.35")
    ax.text(0.2, 3.85, "right", color="0.35")
    ax.legend(loc="upper right", bbox_to_anchor=(1, 0.92))
    return fig


def as_svg(fig: Any) -> str:
    """A figure as text: the same bytes from the same figure, so that a committed picture can be kept in step."""
    from matplotlib import pyplot, rc_context

    file = io.StringIO()
    with rc_context({"svg.hashsalt": "marginloss"}):
        fig.savefig(file, format="svg", metadata={"Date": None})
    pyplot.close(fig)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"


def draw_social(target: Path) -> None:
    """The same picture as other sites show it beside a link to the book: 1200 × 630 pixels."""
    from matplotlib import pyplot

    fig = draw_policies()
    fig.set_size_inches(6, 3.15)
    fig.suptitle("Which examples should a learner listen to?")
    fig.savefig(target, dpi=200)
    pyplot.close(fig)
