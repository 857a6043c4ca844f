"""All learners on one bench: the same tables, the same corruptions, the same choice among six settings."""

from marginloss.companion.bench.contests import contest
from marginloss.companion.bench.corruptions import CORRUPTIONS
from marginloss.companion.bench.drawing import listed, rank_figure
from marginloss.companion.bench.guide import KNOWN, MADE_OF, advice, broken_promises, purpose
from marginloss.companion.bench.judgement import (
    Judgement,
    against_peers,
    compare,
    critical_difference,
    groups,
    judge,
    mean_ranks,
    sides,
)
from marginloss.companion.bench.learners import LEARNERS, Contender
from marginloss.companion.bench.runs import results, run_bench
from marginloss.companion.bench.tables import TABLES, is_here

__all__ = [
    "CORRUPTIONS",
    "KNOWN",
    "LEARNERS",
    "MADE_OF",
    "TABLES",
    "Contender",
    "Judgement",
    "advice",
    "against_peers",
    "broken_promises",
    "compare",
    "contest",
    "critical_difference",
    "groups",
    "is_here",
    "judge",
    "listed",
    "mean_ranks",
    "purpose",
    "rank_figure",
    "results",
    "run_bench",
    "sides",
]
