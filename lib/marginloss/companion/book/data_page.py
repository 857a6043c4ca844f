"""The page *Data*: a card of facts and a picture for each data set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Bunch

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
    if name in _DRAWN:
        return _DRAWN[name]()
    draw, options = _LOADED[name]
    return draw(getattr(datasets, f"load_{name}")(**options))


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


def _image(values: NDArray[Any], ticks: Mapping[int, str], **labels: str) -> Any:
    """A table as a picture, rows named by ``ticks``."""
    fig, axes = figure("single")
    axes.imshow(values, aspect="auto", interpolation="nearest")
    axes.set_yticks(list(ticks), list(ticks.values()))
    axes.set(**labels)
    axes.grid(False)
    return fig


def _table(bunch: Any) -> Any:
    """Principal components of the first two classes; words become a column each."""
    words = bunch.frame[bunch.feature_names] if "codes" in bunch else None
    X = bunch.data if words is None else pd.get_dummies(words).to_numpy(float)
    two = np.isin(bunch.target, np.unique(bunch.target)[:2])
    return _plane(X[two], bunch.target[two], bunch.target_names[:2])


def _of_each_class(bunch: Any, shape: tuple[int, ...], colour: bool = False) -> Any:
    """Twelve pictures of each class."""
    groups = [bunch.data[bunch.target == label][:12].reshape(-1, *shape) for label in np.unique(bunch.target)]
    return _pictures(groups, bunch.target_names, colour)


def _covertype(bunch: Any) -> Any:
    return _plane(bunch.data[:, :10], bunch.target, bunch.target_names)


def _xd6(bunch: Any) -> Any:
    X, y = bunch.data, bunch.target
    order = np.lexsort((X.sum(axis=1), y))
    table = np.column_stack([X, np.full(len(X), 0.5), y == 1])[order].T
    ticks = {i: f"$x_{i + 1}$" for i in range(9)} | {10: "class"}
    return _image(table, ticks, xlabel="row, sorted by class and number of ones")


def _keel() -> Any:
    fig, axes = figure("single")
    for name in dataset("keel").parts:
        y = datasets.load_keel(name).target
        place = len(y), min(float((y > 0).mean()), float((y < 0).mean()))
        axes.plot(*place, "o", color=_CLASSES[0]["color"])
        axes.annotate(name, place, xytext=(3, 3), textcoords="offset points", fontsize=7)
    axes.set(xscale="log", xlabel="rows", ylabel="share of the smaller class")
    return fig


def _cifar10n(bunch: Any) -> Any:
    fig, axes = figure("grid", cols=2)
    for ax, answer in zip(axes.flat, ("aggre", "worst"), strict=True):
        given = bunch.data[:, bunch.feature_names.index(answer)]
        ax.imshow(np.log1p(np.bincount(10 * bunch.target + given, minlength=100).reshape(10, 10)), aspect="equal")
        ax.set(title=answer, xlabel="answer", yticks=range(10), yticklabels=bunch.target_names)
        ax.grid(False)
    return fig


def _symptoms(bunch: Any, first: int) -> Any:
    return _rates(bunch.data[:, first:], bunch.target, bunch.feature_names[first:], bunch.target_names)


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
    order, edges = np.argsort(kind, kind="stable"), np.cumsum(np.bincount(kind))
    ticks = {i: str(i + 1) for i in (0, 10, 11, 20)}
    fig = _image((X * y[:, None])[order].T, ticks, ylabel="coordinate")
    (axes,) = fig.axes
    axes.vlines(edges[:-1] - 0.5, -0.5, 20.5, color="white", linewidth=3)
    axes.hlines(10.5, -0.5, 59.5, color="white", linewidth=1)
    axes.set_xticks((np.r_[0, edges[:-1]] + edges) / 2 - 0.5, ["large margin", "pullers", "penalizers"])
    return fig


def _fonts() -> Any:
    X, y = datasets.make_font_images(300, 0)
    return _of_each_class(Bunch(data=X, target=y, target_names=["DejaVu Serif", "DejaVu Sans"]), (20, 20))


# of what a loader gives, called with these options
_LOADED: dict[str, tuple[Callable[[Any], Any], dict[str, Any]]] = {
    **dict.fromkeys(
        ("breast_cancer", "pima", "online_shoppers", "compas", "adult", "mushroom", "letter"), (_table, {})
    ),
    "xd6": (_xd6, {}),
    "cifar10n": (_cifar10n, {}),
    "covertype": (_covertype, {"classes": (1, 2)}),
    "fashion_mnist": (partial(_of_each_class, shape=(28, 28)), {}),
    "cifar10": (partial(_of_each_class, shape=(32, 32, 3), colour=True), {"part": "colour"}),
    "covid_carbon": (partial(_symptoms, first=1), {}),
    "covid_israel": (partial(_symptoms, first=0), {}),
}
_DRAWN: dict[str, Callable[[], Any]] = {
    "keel": _keel,
    "long_servedio": _long_servedio,
    "gaussian_mixture": _mixture,
    "symptom_survey": _survey,
    "font_images": _fonts,
}
