"""The compiled functions that each live figure calls; imported for a build, or by tests."""

from __future__ import annotations

from marginloss._compiled import Kernel
from marginloss.boosting.stump_rounds import stump_rounds, weigh_odds
from marginloss.companion.live.landscape import anneal, roll, surface
from marginloss.companion.live.lines import fit_line, loss_curve
from marginloss.companion.live.rounds import boost_plane, replay

__all__ = ["FIGURES"]

_F, _ROW, _TABLE = "float64", "float64[::1]", "float64[:, ::1]"
_LOSS = f"int64, {_F}, {_F}"

#: What each figure calls, and the signature of each.
FIGURES: dict[str, dict[str, tuple[Kernel, str]]] = {
    "drag": {
        "fit_line": (fit_line, f"({_TABLE}, {_ROW}, {_LOSS}, {_F}, {_TABLE}, {_ROW}, {_ROW}, {_ROW}, {_TABLE})"),
        "loss_curve": (loss_curve, f"({_ROW}, {_LOSS}, {_ROW}, {_ROW})"),
    },
    "boost": {
        "weigh_odds": (weigh_odds, f"({_F}, {_ROW}, {_ROW}, {_ROW}, {_ROW}, {_TABLE}, int64)"),
        "stump_rounds": (
            stump_rounds,
            f"(int8[:, ::1], int64, {_ROW}, boolean, {_F}, {_F}, int64, int64, {_TABLE}, {_ROW}, {_ROW}, {_ROW})",
        ),
        "replay": (
            replay,
            f"(int8[:, ::1], {_ROW}, {_ROW}, uint8[::1], {_TABLE}, int64, int64, {_F}, {_ROW}, {_ROW}, {_TABLE})",
        ),
    },
    "roll": {
        "surface": (surface, f"({_F}, {_F}, {_F}, {_ROW}, {_ROW}, {_TABLE})"),
        "roll": (roll, f"({_F}, {_F}, {_F}, {_TABLE}, {_ROW})"),
        "anneal": (anneal, f"({_ROW}, {_F}, {_F}, {_TABLE}, {_TABLE}, {_ROW})"),
    },
    "poison": {
        "boost_plane": (
            boost_plane,
            f"({_TABLE}, {_ROW}, {_F}, {_F}, {_F}, {_F}, int64, {_ROW}, {_ROW}, {_ROW}, {_TABLE})",
        ),
    },
}
