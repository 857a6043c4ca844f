"""A page with live controls: tables computed here, interpolated and drawn by a script that holds no formula."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise, product, zip_longest
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from marginloss.companion.pictures import still
from marginloss.companion.plotting import METHODS, figure

__all__ = ["Control", "Curve", "CurvePanel", "Explorer", "ImagePanel"]

TONES = [("logistic", "-"), ("AdaBoost", "--"), ("alpha-loss", ":"), ("two-temperature", "-.")]
"""Colour and dash of each tone; the pages' style sheet has the same."""


@dataclass(frozen=True)
class Control:
    """A slider: a parameter tabulated at ``values``; between two of them the page interpolates linearly.

    It stops at these values and at round numbers between them, one press of an arrow key apart.

    Parameters
    ----------
    key : str
        Name by which curves and images ask for the parameter.
    label : str
        What the reader sees.
    values : sequence of float
        Increasing nodes of the table, at least two.
    start : float
        Value shown first.
    """

    key: str
    label: str
    values: Sequence[float]
    start: float

    def __post_init__(self) -> None:
        if len(self.values) < 2 or not np.all(np.diff(self.values) > 0):
            raise ValueError(f"values of control {self.key!r} must increase and be at least two, got {self.values}")
        if not self.values[0] <= self.start <= self.values[-1]:
            raise ValueError(f"start of control {self.key!r} must lie in its values, got {self.start}")

    @property
    def stops(self) -> list[float]:
        """Where the slider stops, with two decimals, so that what the address says is what the slider had.

        Examples
        --------
        >>> Control("a", "slope", [1.0, 1.5, 3.0], start=1.0).stops
        [1.0, 1.12, 1.25, 1.38, 1.5, 1.88, 2.25, 2.62, 3.0]
        """
        parts = [np.linspace(a, b, 5) for a, b in pairwise(self.values)]
        between = {round(float(stop), 2) for part in parts for stop in part[1:-1]}
        return sorted(between | {float(value) for value in self.values} | {float(self.start)})


@dataclass(frozen=True)
class Curve:
    """A function of the abscissa that depends on some controls.

    Parameters
    ----------
    label : str
        Name in the legend.
    by : sequence of str
        Keys of the controls on which the curve depends; none for a curve that stays.
    function : callable
        Called as ``function(x, **parameters)`` with an array; returns an array of that shape.
    tone : int, default 0
        Which of the four colours and dashes: the same curve looks the same in every panel.
    """

    label: str
    by: Sequence[str]
    function: Callable[..., ArrayLike]
    tone: int = 0


@dataclass(frozen=True)
class CurvePanel:
    """Curves over one abscissa.

    Parameters
    ----------
    title, xlabel, ylabel : str
    x : array of shape (k,)
    ylim : (float, float)
        Range of the ordinate; curves are clipped to it.
    curves : sequence of Curve
    """

    title: str
    xlabel: str
    ylabel: str
    x: ArrayLike
    ylim: tuple[float, float]
    curves: Sequence[Curve]

    def draw(self, ax: Any, start: Mapping[str, float]) -> None:
        """The curves at the start of their controls."""
        for curve in self.curves:
            name, dash = TONES[curve.tone]
            values = curve.function(np.asarray(self.x), **{key: start[key] for key in curve.by})
            ax.plot(self.x, values, color=METHODS[name][0], linestyle=dash, label=curve.label)
        ax.set(ylim=self.ylim, title=self.title, xlabel=self.xlabel, ylabel=self.ylabel)
        ax.legend(fontsize=7)

    def table(self, controls: Mapping[str, Control]) -> dict[str, Any]:
        """The numbers that the script needs to draw this panel."""
        x = np.asarray(self.x, dtype=float)
        return {
            "kind": "curves",
            "title": self.title,
            "xlabel": self.xlabel,
            "ylabel": self.ylabel,
            "x": _short(x),
            "ylim": list(map(float, self.ylim)),
            "curves": [
                {
                    "label": curve.label,
                    "by": list(curve.by),
                    "tone": curve.tone,
                    # clipped just outside the frame, so that interpolation never meets an infinity
                    "table": [
                        _short(np.clip(np.asarray(curve.function(x, **point), dtype=float), *self._clip))
                        for point in _grid(curve.by, controls)
                    ],
                }
                for curve in self.curves
            ],
        }

    @property
    def _clip(self) -> tuple[float, float]:
        room = 3 * (self.ylim[1] - self.ylim[0])
        return self.ylim[0] - room, self.ylim[1] + room


@dataclass(frozen=True)
class ImagePanel:
    """A function of the plane as a map in bands, with a marked point.

    Parameters
    ----------
    title, xlabel, ylabel : str
    x : array of shape (k,)
    y : array of shape (l,)
        Evenly spaced coordinates of the map.
    by : sequence of str
        Keys of the controls.
    function : callable
        Called as ``function(X, Y, **parameters)`` with two (l, k) arrays; returns such an array. Each map is stretched
        to its own range: dark is low.
    mark : callable, optional
        Called as ``mark(**parameters)``; returns the point to mark and a number to write beside it, ``(x, y, value)``.
    mark_label : str
        What the marked point is.
    """

    title: str
    xlabel: str
    ylabel: str
    x: ArrayLike
    y: ArrayLike
    by: Sequence[str]
    function: Callable[..., ArrayLike]
    mark: Callable[..., tuple[float, float, float]] | None = None
    mark_label: str = ""

    def draw(self, ax: Any, start: Mapping[str, float]) -> None:
        """The map and its mark at the start of the controls."""
        values = {key: start[key] for key in self.by}
        ax.contourf(self.x, self.y, self.function(*np.meshgrid(self.x, self.y), **values), 16)
        if self.mark:
            ax.plot(*self.mark(**values)[:2], "o", color=METHODS["AdaBoost"][0])
        ax.set(title=self.title, xlabel=self.xlabel, ylabel=self.ylabel)

    def table(self, controls: Mapping[str, Control]) -> dict[str, Any]:
        """The numbers that the script needs to draw this panel; one byte a pixel."""
        x, y = np.asarray(self.x, dtype=float), np.asarray(self.y, dtype=float)
        plane = np.meshgrid(x, y)
        points = list(_grid(self.by, controls))
        maps = np.stack([_stretched(np.asarray(self.function(*plane, **point), dtype=float)) for point in points])
        return {
            "kind": "image",
            "title": self.title,
            "xlabel": self.xlabel,
            "ylabel": self.ylabel,
            "xlim": [float(x[0]), float(x[-1])],
            "ylim": [float(y[0]), float(y[-1])],
            "shape": [len(y), len(x)],
            "by": list(self.by),
            "bytes": base64.b64encode(maps.tobytes()).decode(),
            "marks": None if self.mark is None else [_short(np.array(self.mark(**point))) for point in points],
            "markLabel": self.mark_label,
        }


class Explorer:
    """Controls and panels in one figure that needs neither a kernel nor another host.

    Parameters
    ----------
    controls : sequence of Control
    groups : sequence of sequences of CurvePanel or ImagePanel
        Panels that stand together below the controls that move them.
    label : str
        What the figure shows, for readers who cannot see it.

    Examples
    --------
    >>> page = Explorer(
    ...     [Control("a", "slope", [1.0, 2.0], start=1.0)],
    ...     [[CurvePanel("line", "x", "y", [0.0, 1.0], (0, 2), [Curve("ax", ["a"], lambda x, a: a * x)])]],
    ...     label="a line of variable slope",
    ... )
    >>> page.data["groups"][0][0]["curves"][0]["table"]
    [[0.0, 1.0], [0.0, 2.0]]
    """

    def __init__(
        self, controls: Sequence[Control], groups: Sequence[Sequence[CurvePanel | ImagePanel]], *, label: str
    ) -> None:
        known = {control.key: control for control in controls}
        self.label = label
        self._start = {control.key: control.start for control in controls}
        self._panels = [panel for panels in groups for panel in panels]
        self.data = {
            "controls": [
                asdict(c) | {"values": list(map(float, c.values)), "stops": c.stops, "start": float(c.start)}
                for c in controls
            ],
            "groups": [[panel.table(known) for panel in panels] for panels in groups],
        }

    def _repr_html_(self) -> str:
        numbers = json.dumps(self.data, separators=(",", ":")).replace("</", "<\\/")
        return (
            f'<div class="explorer" role="group" aria-label="{html.escape(self.label)}">'
            f"{still(self._drawn(), self.label)}"
            f'<script type="application/json">{numbers}</script></div>'
        )

    def _drawn(self) -> Any:
        """All panels with their controls at the start, for pages without scripts."""
        rows = -(-len(self._panels) // 2)
        fig, axes = figure("wide", rows=rows, cols=2, squeeze=False)
        for ax, panel in zip_longest(axes.flat, self._panels):
            if panel is None:
                ax.remove()
            else:
                panel.draw(ax, self._start)
        return fig


def _grid(by: Sequence[str], controls: Mapping[str, Control]) -> list[dict[str, float]]:
    """All combinations of the values of some controls, the last one changing fastest."""
    for key in by:
        if key not in controls:
            raise ValueError(f"no control is called {key!r}; there are {sorted(controls)}")
    return [dict(zip(by, point, strict=True)) for point in product(*(controls[key].values for key in by))]


def _short(values: NDArray[np.float64]) -> list[float]:
    """Four significant digits: less than a pixel."""
    return [float(f"{value:.4g}") for value in values]


def _stretched(values: NDArray[np.float64]) -> NDArray[np.uint8]:
    low, high = values.min(), values.max()
    return np.round(255 * (values - low) / (high - low if high > low else 1.0)).astype(np.uint8)
