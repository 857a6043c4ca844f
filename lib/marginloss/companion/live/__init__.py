"""Live figures: the library's compiled functions train in the page, without a server and without a request.

:mod:`~marginloss.companion.live.kernels` lists what the figures call, :mod:`~marginloss.companion.live.lower` makes
WebAssembly of it, :mod:`~marginloss.companion.live.figures` puts it into a page together with data and a picture for
readers without scripts. Scripts in ``chapters/_static`` draw.
"""

from marginloss.companion.live.figure import LiveFigure

__all__ = ["LiveFigure"]
