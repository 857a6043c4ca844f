"""Everything that only the book needs: ledger, exhibits, sweeps, experiments, plotting, runner, pages, command line."""

from marginloss.companion.exhibits import record, status
from marginloss.companion.ledger import entries
from marginloss.companion.numbers import mean_and_error
from marginloss.companion.scale import SCALES, current_scale, scaled
from marginloss.companion.sweeps import sweep

__all__ = ["SCALES", "current_scale", "entries", "mean_and_error", "record", "scaled", "status", "sweep"]
