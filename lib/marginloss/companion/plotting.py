"""One look for all figures: sizes by name, a fixed colour and marker for each method, and the slider figure.

Matplotlib comes with the extra ``book``; it is imported where it is used, so that the library works without it.
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from marginloss._validation import check_name
from marginloss.companion.glueing import glue, is_recording
from marginloss.companion.pictures import Picture, still

__all__ = ["METHODS", "SliderFigure", "band", "figure", "label_ends", "method_style", "quartiles", "ramp", "show"]

# Okabe and Ito's palette, safe for colour-blind readers; never colour alone: each method has its own marker and dash
METHODS: dict[str, tuple[str, str, str]] = {
    "AdaBoost": ("#D55E00", "o", "-"),
    "exponential": ("#D55E00", "o", "-"),
    "logistic": ("#0072B2", "s", "--"),
    "AdaBoost.alpha": ("#009E73", "^", "-"),
    "alpha-loss": ("#009E73", "^", "-"),
    "sigmoid": ("#332288", "v", ":"),
    "hinge": ("#7F7F7F", "x", "-."),
    "two-temperature": ("#CC79A7", "D", "-"),
    "t-logistic": ("#882255", "d", "--"),
    "PILBoost": ("#E69F00", "P", "-"),
    "SmoothBoost": ("#56B4E9", "h", "-"),
    "MadaBoost": ("#0072B2", "<", "-."),
    "BregmanBoost": ("#882255", ">", "-"),
    "perceptron": ("#7F7F7F", "1", "--"),
    "ERM": ("#7F7F7F", "x", "--"),
    "LPBoost": ("#882255", "*", "-"),
    "AdaLPBoost": ("#332288", "X", "-"),
    "XGBoost": ("#4D4D4D", "+", "-."),
    "LightGBM": ("#999933", "2", "-."),
    "coin": ("#000000", "", ":"),
    "theory": ("#7F7F7F", "", "--"),
}

# of the first four families of a slider, and of lines that do not move; the pages' style sheet has the same
_FAMILIES = ["logistic", "AdaBoost", "two-temperature", "alpha-loss"]
_DASHES = ["--", ":", "-.", (0, (8, 3))]

# inches; type of 9-10 pt at 6 in stays readable on a phone
_SIZES = {"single": (6.0, 3.6), "wide": (7.2, 3.4), "grid": (7.2, 2.6)}


def figure(size: str = "single", rows: int = 1, cols: int = 1, **subplots: Any) -> tuple[Any, Any]:
    """Make a figure of a named size with ``rows`` × ``cols`` axes.

    Parameters
    ----------
    size : {"single", "wide", "grid"}
        Size of one row; more rows make the figure taller, never wider.
    rows, cols : int
        Grid of axes, as in ``matplotlib.pyplot.subplots``.
    **subplots
        Passed on to ``matplotlib.pyplot.subplots``, such as ``sharey=True``.

    Returns
    -------
    fig, axes
        As from ``matplotlib.pyplot.subplots``.
    """
    _use_style()
    width, height = _SIZES[check_name("size", size, _SIZES)]
    return _pyplot().subplots(rows, cols, figsize=(width, height * rows), **subplots)


def method_style(method: str, *, marker: bool = True) -> dict[str, Any]:
    """Keyword arguments for ``Axes.plot`` that are the same for a method in the whole book.

    Examples
    --------
    >>> method_style("PILBoost")["color"]
    '#E69F00'
    """
    colour, symbol, dash = METHODS[check_name("method", method, METHODS)]
    return {"color": colour, "linestyle": dash, "marker": symbol if marker else "", "label": method}


def ramp(n: int) -> list[dict[str, Any]]:
    """Styles for ``n`` values of one ordered parameter: dark to light, each with its own dash and marker.

    Examples
    --------
    >>> len(ramp(4))
    4
    """
    colours = _pyplot().get_cmap("viridis")(np.linspace(0.0, 0.75, n))
    dashes, symbols = ["-", "--", "-.", ":"], ["o", "s", "^", "D", "v", "P", "X", "<", ">", "h"]
    return [
        {"color": colours[i], "linestyle": dashes[i % len(dashes)], "marker": symbols[i % len(symbols)]}
        for i in range(n)
    ]


def band(ax: Any, table: Any, x: str, column: str, **style: Any) -> None:
    """Mean of a column of a sweep at each value of ``x``, with a band of 1.96 standard errors over its runs.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    table : pandas.DataFrame
        One row for each run and value of ``x``.
    x, column : str
        Names of columns.
    **style
        For the line, as from :func:`method_style`; the band takes its colour.
    """
    groups = table.groupby(x)[column]
    mean, half = groups.mean(), 1.96 * groups.std(ddof=1).fillna(0.0) / np.sqrt(groups.count())
    ax.plot(mean.index, mean, **style)
    ax.fill_between(mean.index, mean - half, mean + half, color=style.get("color"), alpha=0.2, linewidth=0)


def quartiles(ax: Any, table: Any, x: str, styles: Mapping[str, Mapping[str, Any]]) -> None:
    """Median of some columns of a sweep at each value of ``x``, with bars for the middle half of its runs.

    Values of ``x`` are spaced evenly, and the lines are shifted a little so that their bars do not hide each other.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    table : pandas.DataFrame
        One row for each run and value of ``x``.
    x : str
        Name of a column, also the label of the axis.
    styles : mapping from column to style
        The columns to draw, with arguments for the line of each.
    """
    ticks = sorted(table[x].unique())
    for k, (column, style) in enumerate(styles.items()):
        low, middle, high = table.groupby(x)[column].quantile([0.25, 0.5, 0.75]).unstack().to_numpy().T
        at = np.arange(len(ticks)) + 0.08 * (k - (len(styles) - 1) / 2)
        ax.errorbar(at, middle, [middle - low, high - middle], **{**style, "label": column})
    ax.set(xlabel=x, xticks=range(len(ticks)), xticklabels=ticks)


def label_ends(ax: Any, gap: float = 0.075) -> None:
    """Write the label of each line at its right end, in its colour, instead of a legend.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        With its final limits.
    gap : float, default 0.075
        Least distance between two labels, as a share of the height.
    """
    lines = [line for line in ax.lines if not str(line.get_label()).startswith("_")]
    to_axes = ax.transData + ax.transAxes.inverted()
    height = [to_axes.transform((line.get_xdata()[-1], line.get_ydata()[-1]))[1] for line in lines]
    order = np.argsort(height, kind="stable")
    places = np.asarray(height)[order]
    for i in range(1, len(places)):
        places[i] = max(places[i], places[i - 1] + gap)
    places[-1] = min(places[-1], 1.0)
    for i in range(len(places) - 2, -1, -1):
        places[i] = min(places[i], places[i + 1] - gap)
    for line, place in zip([lines[i] for i in order], places, strict=True):
        ax.annotate(
            line.get_label(),
            (1.01, place),
            xycoords="axes fraction",
            color=line.get_color(),
            fontsize=9,
            verticalalignment="center",
        )


def show(fig: Any, name: str) -> None:
    """Hand a figure, one of Matplotlib or a live one, to the page under ``name``, for a ``glue:figure`` there.

    Where a reader runs the cell by hand it is shown below the cell.
    """
    if is_recording():
        drawn = hasattr(fig, "savefig")
        glue(name, Picture(fig) if drawn else fig)
        if drawn:
            _pyplot().close(fig)  # or the cell would show it once more
    elif not hasattr(fig, "savefig"):
        from IPython.display import display

        display(fig)


class SliderFigure:
    """Curves with one slider, for static pages: the numbers come from Python, a small script draws them.

    Parameters
    ----------
    x : array of shape (k,)
        Abscissa shared by all curves.
    values : sequence of length v
        Positions of the slider, shown beside it.
    curves : sequence of v arrays, or mapping from label to such a sequence
        One curve for each position of the slider; several families with their labels in a mapping.
    name : str
        Name of the parameter on the slider.
    xlabel, ylabel : str
        Labels of the axes.
    ylim : (float, float)
        Range of the ordinate; curves are clipped to it.
    label : str
        What the figure shows, for readers who cannot see it.
    fixed : mapping from label to array of shape (k,), optional
        Reference curves that do not move, drawn in grey.
    start : int, optional
        First position of the slider; the middle if not given.
    """

    def __init__(
        self,
        x: ArrayLike,
        values: Sequence[Any],
        curves: Sequence[ArrayLike] | Mapping[str, Sequence[ArrayLike]],
        *,
        name: str,
        xlabel: str,
        ylim: tuple[float, float],
        label: str,
        ylabel: str = "",
        fixed: Mapping[str, ArrayLike] | None = None,
        start: int | None = None,
    ) -> None:
        abscissa = np.asarray(x, dtype=float)
        families = curves if isinstance(curves, Mapping) else {"": curves}
        for family, members in families.items():
            if len(members) != len(values):
                raise ValueError(f"curves[{family!r}] has {len(members)} curves for {len(values)} values of {name}")
        self.start = len(values) // 2 if start is None else start
        self.label = label
        self.data: dict[str, Any] = {
            "x": _rounded(abscissa),
            "values": [str(value) for value in values],
            "families": [
                {"label": family, "curves": [_rounded(np.asarray(member, dtype=float)) for member in members]}
                for family, members in families.items()
            ],
            "fixed": [
                {"label": text, "curve": _rounded(np.asarray(curve, dtype=float))}
                for text, curve in (fixed or {}).items()
            ],
            "name": name,
            "xlabel": xlabel,
            "ylabel": ylabel,
            "xlim": [float(abscissa[0]), float(abscissa[-1])],
            "ylim": [float(ylim[0]), float(ylim[1])],
        }

    def _repr_html_(self) -> str:
        last = len(self.data["values"]) - 1
        # "</" would end the script element early
        numbers = json.dumps(self.data).replace("</", "<\\/")
        return (
            f'<div class="sliderfig">{still(self._drawn(), self.label)}'
            f'<label hidden><input type="range" min="0" max="{last}" value="{self.start}" step="1" '
            f'aria-label="{html.escape(str(self.data["name"]))}"> <output></output></label>'
            f'<script type="application/json">{numbers}</script></div>'
        )

    def _drawn(self) -> Any:
        """The first position, for pages without scripts."""
        fig, ax = figure("single")
        data = self.data
        for k, fixed in enumerate(data["fixed"]):
            ax.plot(data["x"], _gaps(fixed["curve"]), color="0.45", linestyle=_DASHES[k % 4], label=fixed["label"])
        for k, family in enumerate(data["families"]):
            colour = METHODS[_FAMILIES[k % 4]][0]
            ax.plot(data["x"], _gaps(family["curves"][self.start]), color=colour, label=family["label"])
        title = f"{data['name']} = {data['values'][self.start]}"
        ax.set(xlabel=data["xlabel"], ylabel=data["ylabel"], xlim=data["xlim"], ylim=data["ylim"], title=title)
        if any(line.get_label()[0] != "_" for line in ax.lines):
            ax.legend()
        return fig


def _gaps(values: Sequence[float | None]) -> NDArray[np.float64]:
    return np.array(values, dtype=float)


def _rounded(values: NDArray[np.float64]) -> list[float | None]:
    """Four significant decimals are below a pixel; what is not finite becomes a gap."""
    return [round(float(v), 4) if np.isfinite(v) else None for v in values]


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:  # pragma: no cover
        raise ImportError("figures need matplotlib: pip install '.[book]' in a clone") from error
    return plt


def _use_style() -> None:
    """Set matplotlib's defaults for the book."""
    _pyplot().rcParams.update(
        {
            "figure.facecolor": "white",
            "savefig.facecolor": "white",
            "figure.dpi": 110,
            "savefig.dpi": 160,
            "figure.constrained_layout.use": True,
            "font.size": 10,
            "axes.titlesize": 10,
            "axes.labelsize": 10,
            "legend.fontsize": 9,
            "legend.frameon": False,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "grid.alpha": 0.25,
            "lines.linewidth": 1.8,
            "lines.markersize": 5,
            "image.cmap": "cividis",
        }
    )
