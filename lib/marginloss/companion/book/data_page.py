"""The page *Data*: a card of facts and a picture for each data set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from marginloss import datasets
from marginloss.companion.ledger import entries
from marginloss.companion.plotting import figure
from marginloss.datasets.registry import dataset

# two classes: never colour alone
_CLASSES = ({"color": "#0072B2", "marker": "o"}, {"color": "#D55E00", "marker": "^"})
_POINTS = 400  # of each class, in a scatter plot


def card(name: str) -> str:
    """Facts about a data set as a list in Markdown; which exhibits use it comes from the ledger.

    Examples
    --------
    >>> print(card("xd6").splitlines()[0])
    - **size**: 973 rows, 9 features
    """
    entry = dataset(name)
    total = sum(entry.classes.values())
    classes = [f"{label} {count:,} ({count / total:.1%})" for label, count in entry.classes.items()]
    kind = {"original": "original", "sample": "sample of the original", "stand-in": "**stand-in**"}[entry.status]
    used = [each.id for each in entries(kind="exhibit") if name in each.needs or each.id in entry.exhibits]
    facts = {
        "size": f"{entry.rows:,} rows, {entry.features:,} features",
        "classes": ", ".join(classes),
        "kind": kind + (f" for {entry.stands_for}" if entry.stands_for else ""),
        "source": f"{entry.source} ([page]({entry.homepage}))",
        "licence": entry.licence,
        "papers": ", ".join(f"{{cite:t}}`{key}`" for key in entry.papers),
        "exhibits": ", ".join(f"`{id_}`" for id_ in used) or "none",
        "loader": f"`marginloss.datasets.load_{name}({'name' if name == 'keel' else ''})`",
        "here": "yes" if datasets.available(name) else f"no: `marginloss data {name} --fetch`",
    }
    return "\n".join(f"- **{key}**: {value}" for key, value in facts.items())


def portrait(name: str) -> Any:
    """Picture of a data set or of what a generator draws; a sentence where a data set is not on this machine."""
    if datasets.available().get(name, "generated") is None:
        fig, axes = figure("grid")
        axes.text(0.5, 0.5, f"{name} is not on this machine", ha="center", va="center")
        axes.set_axis_off()
        return fig
    return _PORTRAITS[name]()


def _plane(X: NDArray[Any], y: ArrayLike, names: list[str]) -> Any:
    """The first two principal components of the standardised features."""
    from sklearn.decomposition import PCA
    from sklearn.preprocessing import StandardScaler

    scaled = StandardScaler().fit_transform(X)
    scores = PCA(2, random_state=0).fit(scaled[:20_000])
    fig, axes = figure("single")
    _scatter(axes, scores.transform(scaled), np.asarray(y), names)
    shares = scores.explained_variance_ratio_
    axes.set(xlabel=f"first component ({shares[0]:.0%})", ylabel=f"second component ({shares[1]:.0%})")
    return fig


def _scatter(axes: Any, points: NDArray[np.float64], y: NDArray[Any], names: list[str]) -> None:
    rng = np.random.default_rng(0)
    for label, text, style in zip(np.unique(y), names, _CLASSES, strict=False):
        rows = np.flatnonzero(y == label)
        rows = rng.permutation(rows)[:_POINTS]
        axes.scatter(*points[rows].T, s=12, alpha=0.5, linewidths=0, label=text, **style)
    axes.legend(markerscale=2)


def _pictures(groups: list[NDArray[Any]], labels: list[str], colour: bool = False) -> Any:
    """A row of pictures for each class, drawn as one image so that a phone shows them side by side."""
    fig, axes = figure("grid")
    fig.set_figheight(0.4 + 0.5 * len(groups))
    edges = ((0, 0), (1, 1), (1, 1), (0, 0))[: groups[0].ndim]
    border = [np.pad(group, edges, constant_values=255 if colour else 0) for group in groups]
    rows = [np.concatenate(list(g), axis=1) for g in border]
    axes.imshow(np.concatenate(rows), cmap=None if colour else "gray_r", vmin=0, vmax=255, aspect="equal")
    height = rows[0].shape[0]
    axes.set_yticks([(i + 0.5) * height for i in range(len(rows))], labels)
    axes.set_xticks([])
    axes.grid(False)
    for side in axes.spines.values():
        side.set_visible(False)
    return fig


def _rates(X: NDArray[np.float64], y: ArrayLike, features: list[str], names: list[str]) -> Any:
    """Share of each class in which a symptom is present."""
    fig, axes = figure("single")
    place = np.arange(len(features))
    for i, (label, text) in enumerate(zip(np.unique(y), names, strict=True)):
        share = X[np.asarray(y) == label].mean(axis=0)
        hatch = ("", "//")[i]
        axes.barh(place + 0.2 - 0.4 * i, share, 0.38, color=_CLASSES[i]["color"], hatch=hatch, alpha=0.85, label=text)
    axes.set_yticks(place, features)
    axes.set(xlabel="share with the symptom")
    axes.invert_yaxis()
    axes.legend(loc="lower right")
    return fig


def _table(name: str) -> Callable[[], Any]:
    def draw() -> Any:
        bunch = getattr(datasets, f"load_{name}")()
        return _plane(bunch.data, bunch.target, bunch.target_names)

    return draw


def _xd6() -> Any:
    X, y = datasets.load_xd6(return_X_y=True)
    fig, axes = figure("single")
    order = np.lexsort((X.sum(axis=1), y))
    axes.imshow(np.column_stack([X, np.full(len(X), 0.5), y == 1])[order].T, aspect="auto", interpolation="nearest")
    axes.set_yticks([*range(9), 10], [*(f"$x_{i}$" for i in range(1, 10)), "class"])
    axes.set(xlabel="row, sorted by class and number of ones")
    axes.grid(False)
    return fig


def _fashion() -> Any:
    bunch = datasets.load_fashion_mnist()
    shown = [bunch.data[bunch.target == k][:12].reshape(-1, 28, 28) for k in range(10)]
    return _pictures(shown, bunch.target_names)


def _cifar() -> Any:
    bunch = datasets.load_cifar10(part="colour")
    return _pictures([bunch.data[bunch.target == k][:12] for k in range(10)], bunch.target_names, colour=True)


def _fonts() -> Any:
    X, y = datasets.make_font_images(300, 0)
    return _pictures([X[y == label][:12].reshape(-1, 20, 20) for label in (-1, 1)], ["DejaVu Serif", "DejaVu Sans"])


def _covertype() -> Any:
    bunch = datasets.load_covertype(classes=(1, 2))
    return _plane(bunch.data[:, :10], bunch.target, bunch.target_names)


def _words(name: str) -> Callable[[], Any]:
    """A table of words and numbers: one column for each word."""

    def draw() -> Any:
        bunch = getattr(datasets, f"load_{name}")()
        features = bunch.frame[bunch.feature_names]
        return _plane(pd.get_dummies(features).to_numpy(float), bunch.target, bunch.target_names)

    return draw


def _letter() -> Any:
    bunch = datasets.load_letter()
    two = bunch.target < 2
    return _plane(bunch.data[two], bunch.target[two], bunch.target_names[:2])


def _keel() -> Any:
    fig, axes = figure("single")
    for name in dataset("keel").parts:
        y = datasets.load_keel(name).target
        place = len(y), min(float((y > 0).mean()), float((y < 0).mean()))
        axes.plot(*place, "o", color=_CLASSES[0]["color"])
        axes.annotate(name, place, xytext=(3, 3), textcoords="offset points", fontsize=7)
    axes.set(xscale="log", xlabel="rows", ylabel="share of the smaller class")
    return fig


def _cifar10n() -> Any:
    bunch = datasets.load_cifar10n()
    fig, axes = figure("grid", cols=2)
    for ax, answer in zip(axes.flat, ("aggre", "worst"), strict=True):
        given = bunch.data[:, bunch.feature_names.index(answer)]
        ax.imshow(np.log1p(np.bincount(10 * bunch.target + given, minlength=100).reshape(10, 10)), aspect="equal")
        ax.set(title=answer, xlabel="answer", yticks=range(10), yticklabels=bunch.target_names)
        ax.grid(False)
    return fig


def _covid_carbon() -> Any:
    bunch = datasets.load_covid_carbon()
    return _rates(bunch.data[:, 1:], bunch.target, bunch.feature_names[1:], bunch.target_names)


def _covid_israel() -> Any:
    bunch = datasets.load_covid_israel()
    return _rates(bunch.data, bunch.target, bunch.feature_names, bunch.target_names)


def _survey() -> Any:
    X, y = datasets.make_symptom_survey(40_000, 0)
    return _rates(X[:, 2:], y, list(datasets.SURVEY_FEATURES[2:]), ["negative", "positive"])


def _mixture() -> Any:
    X, y = datasets.make_gaussian_mixture(1_000, 0)
    intercept, slopes = datasets.gaussian_mixture_bayes()
    fig, axes = figure("single")
    _scatter(axes, X, y, ["class −1", "class +1"])
    across = np.array([-4.0, 4.0])
    axes.plot(across, -(intercept + slopes[0] * across) / slopes[1], color="black", linestyle="--", label="Bayes line")
    axes.set(xlabel="$x_1$", ylabel="$x_2$", xlim=(-4, 4), ylim=(-4, 4))
    axes.legend(markerscale=2)
    return fig


def _long_servedio() -> Any:
    X, y, kind = datasets.make_long_servedio(60, 0, return_kind=True)
    order = np.argsort(kind, kind="stable")
    fig, axes = figure("single")
    axes.imshow((X * y[:, None])[order].T, aspect="auto", interpolation="nearest")
    edges = np.cumsum(np.bincount(kind))
    axes.vlines(edges[:-1] - 0.5, -0.5, 20.5, color="white", linewidth=3)
    axes.hlines(10.5, -0.5, 59.5, color="white", linewidth=1)
    axes.set_xticks((np.r_[0, edges[:-1]] + edges) / 2 - 0.5, ["large margin", "pullers", "penalizers"])
    axes.set_yticks([0, 10, 11, 20], ["1", "11", "12", "21"])
    axes.set(ylabel="coordinate")
    axes.grid(False)
    return fig


_PORTRAITS: dict[str, Callable[[], Any]] = {
    **{name: _table(name) for name in ("breast_cancer", "pima", "online_shoppers", "compas")},
    **{name: _words(name) for name in ("adult", "mushroom")},
    "xd6": _xd6,
    "letter": _letter,
    "keel": _keel,
    "cifar10n": _cifar10n,
    "fashion_mnist": _fashion,
    "cifar10": _cifar,
    "covertype": _covertype,
    "covid_carbon": _covid_carbon,
    "covid_israel": _covid_israel,
    "long_servedio": _long_servedio,
    "gaussian_mixture": _mixture,
    "symptom_survey": _survey,
    "font_images": _fonts,
}
