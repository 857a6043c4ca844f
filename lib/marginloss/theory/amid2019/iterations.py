"""Claims about the paper's iterations for the log-partition (Algorithms 1 and 2, Appendix A, Section 7.3)."""

from __future__ import annotations

from itertools import islice

import numpy as np
from scipy.optimize import brentq

from marginloss.losses.log_partition import Array, log_exp_t
from marginloss.losses.tempered import exp_t, log_partition, log_partition_margin, log_t
from marginloss.theory import Finding, claim, outcome
from marginloss.theory.amid2019.fixed_point import (
    fixed_point_excess,
    fixed_point_log_partition,
    fixed_point_log_partition_margin,
    fixed_point_updates,
)

__all__ = ["hardest_rows", "one_against_many", "printed_algorithm_2", "totals_after"]

LIMIT = 5000  # a row that needs so many updates counts as one that does not converge


def one_against_many(classes: int, points: int = 60, low: float = 1e-2, high: float = 1e6) -> Array:
    """Rows of gaps: one largest activation, all others at one distance, from ``low`` to ``high``."""
    gaps = np.repeat(np.geomspace(low, high, points)[:, None], classes, axis=1)
    gaps[:, 0] = 0
    return gaps


def totals_after(updates: int, gaps: Array, t: float) -> Array:
    """Sum of the probabilities of each row after a fixed number of updates of Algorithm 1."""
    g = next(islice(fixed_point_excess(gaps, t), updates, None))
    return np.exp(log_exp_t(-(g[:, None] + gaps), t)).sum(axis=1)


def hardest_rows(classes: int, t: float, points: int = 80) -> Array:
    """Rows of :func:`one_against_many`, denser where Algorithm 1 is slowest and where five updates are farthest off."""
    gaps = one_against_many(classes, points)
    found = [gaps]
    for worst in (int(fixed_point_updates(gaps, t).argmax()), int(totals_after(5, gaps, t).argmax())):
        near = gaps[max(worst - 1, 0) : worst + 2, 1]
        found.append(one_against_many(classes, points // 2, near[0], near[-1]))
    return np.concatenate(found)


def printed_algorithm_2(margin: float, t: float, steps: int = 200) -> float:
    r"""Algorithm 2 as printed, its update :math:`\tilde a \leftarrow Z(\tilde a)^{1-t}` lacking :math:`a`."""
    scaled = margin
    for _ in range(steps):
        scaled = (1 + exp_t(-scaled, t)) ** (1 - t)
    return float(margin / 2 - log_t(1 / (1 + exp_t(-scaled, t)), t))


@claim("amid2019:c19")
def algorithm_1() -> Finding:
    """Fixed point against Newton; how many updates the worst of the rows needs, and that it needs finitely many."""
    rng = np.random.default_rng(0)
    error, most = 0.0, {}
    for classes in (2, 10, 100):
        rows = rng.normal(scale=4, size=(20, classes))
        for t in (1.12, 1.5, 2.0):
            result = fixed_point_log_partition(rows, t, tol=1e-12)
            error = max(error, np.abs(result.value - log_partition(rows, t)).max())
    for classes in (10, 1000):
        most[classes] = int(fixed_point_updates(hardest_rows(classes, 2.0), 2.0, max_iter=LIMIT).max())
    return outcome(
        -error,
        holds=error <= 1e-9 and most[1000] < LIMIT,
        caveat=most[1000] > 20,
        evidence={"largest_error": error, **{f"updates_c{c}_t2": n for c, n in most.items()}},
    )


@claim("amid2019:c20")
def algorithm_2() -> Finding:
    """The printed update at a = 5, where it is wrong, and at a = 1, where the missing factor is one."""
    exact = {a: float(log_partition_margin(a, 1.5)) for a in (1.0, 5.0)}
    printed = {a: printed_algorithm_2(a, 1.5) for a in exact}
    restored = float(fixed_point_log_partition_margin(5.0, 1.5, tol=1e-12).value)
    return outcome(
        -abs(printed[5.0] - exact[5.0]),
        tolerance=1e-9,
        certain=False,  # equation (A.1) has the factor: it may be lost in our text
        evidence={
            "printed_at_5": printed[5.0],
            "exact_at_5": exact[5.0],
            "error_with_factor": abs(restored - exact[5.0]),
            "printed_error_at_1": abs(printed[1.0] - exact[1.0]),
        },
    )


@claim("amid2019:c21")
def about_twenty_iterations() -> Finding:
    """Updates to 1e-10 in the paper's setting, two classes and temperatures up to 1.9; and beyond it."""
    inside = {t: int(fixed_point_updates(hardest_rows(2, t, 400), t).max()) for t in (1.12, 1.3, 1.5, 1.9)}
    most = max(inside.values())
    many = int(fixed_point_updates(hardest_rows(100, 1.9), 1.9).max())
    return outcome(
        20 - most,
        caveat=many > 20,
        evidence={
            "most_updates": most,
            **{f"updates_t{t:g}": n for t, n in inside.items()},
            "updates_t10": int(fixed_point_updates(hardest_rows(2, 10.0, 400), 10.0).max()),
            "updates_100_classes": many,
        },
    )


@claim("amid2019:footnote-7")
def against_a_root_finder() -> Finding:
    """Algorithms 1 and 2 against Brent's method on the sum of the probabilities, as the footnote reports of fzero."""
    rng = np.random.default_rng(0)
    error = 0.0
    for classes in (2, 5, 20):
        for row in rng.normal(scale=3, size=(6, classes)):
            for t in (1.12, 1.5, 1.9):

                def excess(g: float, row: Array = row, t: float = t) -> float:
                    return float(exp_t(row - g, t).sum()) - 1

                top = float(row.max())
                root = brentq(excess, top, top + (classes ** (t - 1) - 1) / (t - 1) + 1e-9, xtol=1e-13)
                error = max(error, abs(float(fixed_point_log_partition(row, t, tol=1e-12).value) - root))
                if classes == 2:
                    margin = fixed_point_log_partition_margin(row[0] - row[1], t, tol=1e-12).value
                    error = max(error, abs(float(margin) - (root - float(row.mean()))))
    return outcome(-error, tolerance=1e-9, evidence={"largest_difference": error})


@claim("amid2019:c22")
def monotone_function_of_appendix_a() -> Finding:
    r"""Whether :math:`Z(u)^{1-t} a - u` decreases on (0, a), on both sides of the threshold :math:`2^t/(t-1)`."""
    t = 2.0
    threshold = 2**t / (t - 1)

    def largest_rise(a: float) -> float:
        u = np.linspace(0, a, 20001)
        values = (1 + exp_t(-u, t)) ** (1 - t) * a - u
        return float((values - np.minimum.accumulate(values)).max())

    # the excess rises as the scaled activation falls: monotone to the root all the same
    path = np.array([g[0] for g in islice(fixed_point_excess(np.array([[0.0, 10.0]]), t), 60)])
    return outcome(
        -largest_rise(10.0),
        tolerance=1e-12,
        evidence={
            "threshold": threshold,
            "rise_at_a_10": largest_rise(10.0),
            "rise_below_threshold": largest_rise(0.9 * threshold),
            "rise_above_threshold": largest_rise(1.1 * threshold),
            "smallest_step_of_the_iteration": float(np.diff(path).min()),
        },
    )
