"""Peak memory of one call, in a process of its own."""

from __future__ import annotations

from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from typing import Any

__all__ = ["peak_bytes"]


def peak_bytes(make: Callable[[int], Callable[[], Any]], size: int) -> int | None:
    """Bytes that ``make(size)()`` adds to the process at its peak, input not counted; ``None`` outside Linux."""
    if not Path("/proc/self/clear_refs").exists():
        return None
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(_peak, (make, size))


def _peak(make: Callable[[int], Callable[[], Any]], size: int) -> int:
    make(max(size // 100, 50))()  # compile, import, and let the allocator grow, on a small case
    call = make(size)
    Path("/proc/self/clear_refs").write_text("5")  # the high-water mark starts again from what is in use now
    before = _status("VmRSS")
    call()
    return _status("VmHWM") - before


def _status(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024
    raise LookupError(field)
