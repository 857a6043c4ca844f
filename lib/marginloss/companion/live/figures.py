"""The four live figures: what each starts from, and what it shows where it cannot compute."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from marginloss.boosting.bounds import theta_of
from marginloss.boosting.stump_rounds import stump_rounds, weigh_odds
from marginloss.companion.live import landscape, lines
from marginloss.companion.live import rounds as boosting
from marginloss.companion.live.figure import LiveFigure
from marginloss.companion.plotting import figure, method_style
from marginloss.datasets import make_long_servedio
from marginloss.datasets.long_servedio import KINDS

__all__ = ["boost_figure", "drag_figure", "draw_lines", "poison_figure", "roll_figure"]

Array = NDArray[np.float64]

LIM, L2 = 1.6, 1e-3  # half the side of the plane of points, penalty of its lines
LINES = {"alpha-loss": "α-loss", "two-temperature": "two temperatures"}
GAMMA = 0.05  # data margin of the landscape, as in the pictures of sypherd2023


def drag_start() -> tuple[Array, Array]:
    """Points of two classes, and three of the upper class that lie in the lower corner."""
    rng = np.random.default_rng(5)
    y = np.repeat([-1.0, 1.0], 20)
    X = rng.normal(0, 0.28, (40, 2)) + y[:, None] * [0.45, 0.3]
    return np.vstack([X, [[-1.2, -1.1], [-1.35, -0.8], [-1.05, -1.35]]]).round(3), np.append(y, [1.0] * 3)


def draw_lines() -> Any:
    """The figure as it opens, without its controls: lines of three losses; discs are the weights of the α-loss."""
    X, y = drag_start()
    names = {"logistic": (0, 1.0, 0.0), "alpha-loss": (0, 4.0, 0.0), "two-temperature": (1, 0.3, 1.8)}
    fig, ax = figure("single")
    for name, (family, first, second) in names.items():
        theta, weight = fit_line(X, y, family, first, second, L2)
        if name == "alpha-loss":
            ax.scatter(*X.T, s=2400 * weight / weight.sum(), color="0.85", zorder=0)
        style = method_style(name, marker=False) | {"label": LINES.get(name, name)}
        ax.axline((0, -theta[2] / theta[1]), slope=-theta[0] / theta[1], **style)
    for label, shape, colour in ((1, "o", "#0072B2"), (-1, "D", "#D55E00")):
        ax.plot(*X[y == label].T, shape, color=colour, label=f"label {label:+d}".replace("-", "−"))
    ax.set(xlim=(-LIM, LIM), ylim=(-LIM, LIM), aspect="equal")
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return fig


def drag_figure() -> LiveFigure:
    """Drag a point, flip a label: logistic, α-loss and two-temperature lines on points that the reader moves."""
    points = [[*row, label] for row, label in zip(*(part.tolist() for part in drag_start()), strict=True)]
    data = {
        "points": points,
        "chosen": len(points) - 3,
        "lim": LIM,
        "l2": L2,
        "alphas": [0.5, 0.6, 0.8, 1, 1.2, 1.5, 2, 3, 4, 6, 8],
        "names": ["logistic", *LINES.values()],
    }
    shows = "Lines of three losses on points in the plane that can be moved; discs show how much each point counts"
    return LiveFigure("drag", data, draw_lines(), label=shows)


def fit_line(X: ArrayLike, y: ArrayLike, family: int, first: float, second: float, l2: float) -> tuple[Array, Array]:
    """The line ``(w1, w2, b)`` of a loss and the weights of the points, by the kernel of the page."""
    columns, labels = np.ascontiguousarray(np.asarray(X, dtype=float).T), np.asarray(y, dtype=float)
    theta, (margin, value, weight) = np.zeros((2, 3)), np.zeros((3, len(labels)))
    lines.fit_line(columns, labels, family, first, second, l2, theta, margin, value, weight, np.zeros((8, 3)))
    return theta[0], weight


def boost_figure() -> LiveFigure:
    """Train AdaBoost.α on Long–Servedio data: accuracy by kind of example, and the weights round by round."""
    n, noise = 500, 0.1
    X, y, kind = make_long_servedio(n, rng=0, return_kind=True)
    turns = [np.random.default_rng(draw).permutation(n) for draw in (1, 2, 3)]
    alphas = [0.5, 0.6, 0.8, 1, 1.1, 1.2, 1.35, 1.5, 1.75, 2, 2.5, 3, 4, 5, 6.5, 8, 10, 14, 20]
    given = y.copy()
    given[turns[0][: round(noise * n)]] *= -1
    fig, axes = figure("wide", cols=2, sharey=True)
    for ax, alpha in zip(axes, (0.5, 2.0), strict=True):
        right, _ = train_stumps(X, y, given, kind, alpha, 500)
        for k, (name, style) in enumerate(zip(KINDS, ("-", "--", ":"), strict=True)):
            ax.plot(np.arange(1, 501), right[k] / np.sum(kind == k), style, label=name)
        ax.set(xscale="log", xlabel="rounds", title=f"α = {alpha:g}, 10 % of the labels flipped")
    axes[0].set_ylabel("accuracy on true labels")
    axes[1].legend(loc="lower right")
    data = {
        "n": n,
        "d": X.shape[1],
        "x": _packed(np.packbits(X.ravel() > 0, bitorder="little")),
        "y": _packed((y > 0).astype(np.uint8)),
        "kind": _packed(kind.astype(np.uint8)),
        "kinds": list(KINDS),
        "turns": [_packed(turn.astype("<u2")) for turn in turns],
        "alphas": alphas,
        "exponents": [1 - 1 / alpha for alpha in alphas],
        "factors": [2 * alpha for alpha in alphas],
        "rounds": [1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 400, 500],
    }
    shows = "Accuracy of AdaBoost.alpha by kind of example against rounds, and the weight of each example"
    return LiveFigure("boost", data, fig, label=shows)


def train_stumps(X: Array, y: Array, given: Array, kind: Array, alpha: float, rounds: int) -> tuple[Array, Array]:
    """Right examples of each kind after each round, and the last weights, by the kernels of the page."""
    order = np.argsort(given, kind="stable")
    n, exponent = len(order), 1 - 1 / alpha
    signs = np.ascontiguousarray(X[order].T).astype(np.int8)
    record, base, odds, (raw, weight) = np.zeros((10, rounds + 1)), np.ones(n), np.ones(n), np.zeros((2, n))
    weigh_odds(exponent, odds, base, raw, weight, record, 0)
    zeros = int(np.sum(given < 0))
    done = stump_rounds(signs, zeros, base, False, exponent, 1.0, 0, rounds, record, odds, raw, weight)
    right = np.zeros((3, rounds))
    labels, truth = given[order].astype(float), y[order].astype(float)
    kinds = kind[order].astype(np.uint8)
    boosting.replay(signs, labels, truth, kinds, record, 0, done, exponent, np.zeros(n), weight, right)
    return right, weight


def roll_figure() -> LiveFigure:
    """Roll down the risk surface: gradient flow on the Long–Servedio points, and annealing from either side."""
    rates = [0.2, 0.25, 1 / 3, 0.4]
    x, y, odds, ball = (-4.0, 46.0), (-8.0, 12.0), 2.0, [4.0, 8.0]
    alphas = np.round(np.arange(0.6, 3.21, 0.05), 2).tolist()
    across, up = np.linspace(*x, 200), np.linspace(*y, 120)
    risk = np.zeros((len(up) + 1, len(across)))
    landscape.surface(2.0, odds, GAMMA, across, up, risk)
    fig, ax = figure("single")
    ax.contourf(across, up, np.sqrt(risk[:-1] - risk[:-1].min()), 16)
    for start, style in ((ball, "-"), ([45.0, 0.0], "--")):
        path = roll(2.0, odds, start)
        ax.plot(*path, style, color="white")
        ax.plot(*path[:, -1], "o", color="#D55E00", markersize=8)
    ax.set(xlabel="$θ_1$", ylabel="$θ_2$", title="α = 2: two minima, the right one is perfect")
    data = {
        "gamma": GAMMA,
        "x": x,
        "y": y,
        "ball": ball,
        "alphas": alphas,
        "rates": rates,
        "odds": [1 / p - 1 for p in rates],
        "rate": 2,
    }
    shows = "The noisy risk over the plane of linear classifiers with its minima, and a ball that rolls down"
    return LiveFigure("roll", data, fig, label=shows)


def roll(alpha: float, odds: float, start: ArrayLike) -> Array:
    """Path of the gradient flow from a point, by the kernel of the page."""
    path = np.zeros((2, 3000))
    path[:, 0] = start
    return path[:, : landscape.roll(alpha, odds, GAMMA, path, np.zeros(5))]


def poison_figure() -> LiveFigure:
    """Poison: AdaBoost and SmoothBoost on points in the disc among which the reader places malicious ones."""
    target, xi, gamma, kappa = np.array([0.8, 0.6]), 0.15, 0.1, 0.2
    rng = np.random.default_rng(3)
    X = rng.uniform(-1, 1, (400, 2))
    X = X[(np.linalg.norm(X, axis=1) < 1) & (np.abs(X @ target) > xi)][:100].round(3)
    y = np.sign(X @ target)
    worst = np.array([0.985, -0.14])  # where the target is surest, turned a little
    poison = np.tile(worst, (10, 1))
    Xp, yp = np.vstack([X, poison]), np.append(y, -np.ones(10))
    aim = round(theta_of(gamma), 3)
    fig, ax = figure("single")
    for name, advantage in (("AdaBoost", 0.0), ("SmoothBoost", gamma)):
        w = boost_plane(Xp, yp, advantage, kappa, aim)
        ax.axline((0, 0), (-w[1], w[0]), **method_style(name, marker=False))
    ax.axline((0, 0), (-target[1], target[0]), **(method_style("theory") | {"label": "target"}))
    for label, shape, colour in ((1, "o", "#0072B2"), (-1, "D", "#D55E00")):
        ax.plot(*X[y == label].T, shape, color=colour, markersize=3, label=f"label {label:+d}")
    ax.plot(*worst, "D", color="#D55E00", fillstyle="none", markersize=10, label="10 malicious, -1")
    ax.set(xlim=(-1.05, 1.05), ylim=(-1.05, 1.05), aspect="equal")
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    data = {
        "clean": [[*row, label] for row, label in zip(X.tolist(), y.tolist(), strict=True)],
        "target": target.tolist(),
        "radius": 1.0,
        "gamma": gamma,
        "kappas": [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5],
        "aims": [0.0, 0.02, aim, 0.1, 0.15, 0.2],
        "aim": 2,
        "worst": worst.tolist(),
    }
    shows = "Points in a disc, the lines of AdaBoost and SmoothBoost, and malicious examples that the reader places"
    return LiveFigure("poison", data, fig, label=shows)


def boost_plane(X: Array, y: Array, gamma: float, kappa: float, aim: float, rounds: int = 500) -> Array:
    """The hypothesis of AdaBoost (``gamma=0``) or SmoothBoost in the plane, by the kernel of the page."""
    hypothesis, (margin, weight) = np.zeros(2), np.zeros((2, len(y)))
    columns = np.ascontiguousarray(X.T)
    boosting.boost_plane(columns, y, 1.0, gamma, kappa, aim, rounds, hypothesis, margin, weight, np.zeros((2, rounds)))
    return hypothesis


def _packed(values: NDArray[Any]) -> str:
    return base64.b64encode(values.tobytes()).decode()
