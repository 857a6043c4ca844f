"""What a page may say, also where a data set is missing."""

from __future__ import annotations

from typing import Any

from marginloss.companion.ledger import entries
from marginloss.companion.results import Recorded
from marginloss.datasets import available


class Told(Recorded):
    """What the chapters recorded; a number that needs a data set which is not here is a dash."""

    def __missing__(self, name: str) -> Any:
        try:
            return super().__missing__(name)
        except KeyError:
            for entry in entries():
                from_here = name.startswith((f"{entry.id.replace(':', '.')}.", f"{entry.chapter}/"))
                if from_here and not all(available(needed) for needed in entry.needs):
                    return "\N{EN DASH}"
            raise
