"""A Matplotlib figure as a picture in a page: lines and letters as vectors, and pixels where vectors would be heavy."""

from __future__ import annotations

import base64
import html
import io
from typing import Any

HEAVY = 250_000
"""Bytes from which a drawing is kept as pixels: some thousand points, which no phone needs as vectors."""


class Picture:
    """What Jupyter shows, and the page gets, in the place of a figure of Matplotlib.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    """

    def __init__(self, figure: Any) -> None:
        from matplotlib import rc_context

        # the same file from the same figure
        with rc_context({"svg.hashsalt": "marginloss", "svg.fonttype": "path"}):
            drawn = _saved(figure, format="svg", metadata={"Date": None, "Creator": None})
        self.data = {"text/plain": repr(figure), "image/svg+xml": drawn.decode("utf-8")}
        if len(drawn) > HEAVY:
            self.data["image/png"] = base64.b64encode(_saved(figure, format="png")).decode()
            del self.data["image/svg+xml"]

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        return self.data


def still(figure: Any, label: str) -> str:
    """An image element with the figure within it, for readers whose browser runs no scripts; the figure is closed."""
    from matplotlib import pyplot

    options = {"quality": 70, "method": 6}
    packed = base64.b64encode(_saved(figure, format="webp", dpi=100, pil_kwargs=options)).decode()
    pyplot.close(figure)  # or the cell would show it once more
    return f'<img class="still" src="data:image/webp;base64,{packed}" alt="{html.escape(label)}">'


def _saved(figure: Any, **options: Any) -> bytes:
    file = io.BytesIO()
    figure.savefig(file, bbox_inches="tight", **options)
    return file.getvalue()
