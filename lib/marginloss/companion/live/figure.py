"""A figure that computes in the page: kernels, data and a picture for readers who cannot run it, in one element."""

from __future__ import annotations

import base64
import html
import json
import os
import warnings
import zlib
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from marginloss.companion.closure import closure_digest
from marginloss.companion.digest import combine
from marginloss.companion.folders import build_folder
from marginloss.companion.live.link import KernelError
from marginloss.companion.live.lower import compile_kernels
from marginloss.companion.pictures import still

__all__ = ["LiveFigure", "module"]

KERNELS = "marginloss.companion.live.kernels:FIGURES"


def module(name: str) -> tuple[bytes, dict[str, Any]]:
    """The WebAssembly module of a figure and what its page must know; compiled once for all figures, then kept.

    Raises
    ------
    KernelError
        If the kernels cannot be compiled for a page.
    """
    source = closure_digest("marginloss.companion.live.kernels", "marginloss.companion.live.lower")
    digest = combine([source, version("numba"), version("llvmlite")])
    kept = build_folder() / "live" / f"{digest}.json"
    if not kept.is_file():
        found = {
            figure: (base64.b64encode(code).decode(), about)
            for figure, (code, about) in compile_kernels(KERNELS).items()
        }
        kept.parent.mkdir(parents=True, exist_ok=True)
        fresh = kept.with_suffix(f".{os.getpid()}")  # two chapters may compile at once: the file is there whole or not
        fresh.write_text(json.dumps(found), encoding="utf-8")
        fresh.replace(kept)
    code, about = json.loads(kept.read_text(encoding="utf-8"))[name]
    return base64.b64decode(code), about


class LiveFigure:
    """A figure that trains in the page.

    Parameters
    ----------
    name : str
        Which kernels, and which script draws: ``live_<name>.js``.
    data : mapping
        What the script gets beside the kernels; plain values.
    picture : matplotlib figure
        Shown where scripts or WebAssembly are missing.
    label : str
        What the figure shows, for readers who cannot see it.
    """

    def __init__(self, name: str, data: Mapping[str, Any], picture: Any, *, label: str) -> None:
        self.name, self.label = name, label
        self.data = dict(data)
        self._still = still(picture, label)
        try:
            code, about = module(name)
            packed = base64.b64encode(zlib.compress(code, 9)).decode()  # a quarter of the bytes
            self.data["kernels"] = {"module": packed, **about}
        except KernelError as error:
            warnings.warn(f"live figure {name!r} is a picture only: {error}", UserWarning, stacklevel=2)
            self.data["missing"] = str(error)

    def _repr_html_(self) -> str:
        label, numbers = html.escape(self.label), json.dumps(self.data, separators=(",", ":")).replace("</", "<\\/")
        return (
            f'<div class="live" data-live="{self.name}" role="group" aria-label="{label}">'
            f"{self._still}"
            '<p class="live-missing"><noscript>With scripts switched on, this figure computes.</noscript></p>'
            f'<script type="application/json">{numbers}</script></div>'
        )
