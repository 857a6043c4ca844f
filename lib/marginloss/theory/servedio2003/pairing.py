r"""The pairing proof of Lemma 3, Appendix A, carried out on paths in exact rational numbers.

A path :math:`N_0 = 0, N_1, \dots, N_T` is cut at the heights of its own vertices. Segments over the same interval of
heights, one rising and one falling, are paired; what is left over runs in one direction.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np

from marginloss.boosting.bounds import theta_of
from marginloss.theory import Finding, claim, outcome

__all__ = ["Pairing", "Segment", "pair_segments"]


@dataclass(frozen=True)
class Segment:
    """A piece of the path between two neighbouring heights.

    Attributes
    ----------
    step : int
        The step t (from 1) that it lies in, so that its measure is :math:`M_t`.
    start, end : Fraction
        Its ends on the time axis, :math:`e_{i-1}` and :math:`e_i`.
    rise : Fraction
        Change of height, negative for a falling segment.
    """

    step: int
    start: Fraction
    end: Fraction
    rise: Fraction


@dataclass(frozen=True)
class Pairing:
    """Segments of a path in order of time, pairs (rising, falling) as positions in that list, and what is left."""

    segments: list[Segment]
    pairs: list[tuple[int, int]]
    unpaired: list[int]


def pair_segments(path: list[Fraction]) -> Pairing:
    """Cut a path with no level step at the heights of its vertices, and pair what matches.

    Examples
    --------
    >>> found = pair_segments([Fraction(n, 10) for n in (0, 3, 11, 5, 8)])
    >>> [float(s.end) for s in found.segments], found.pairs, found.unpaired
    ([1.0, 1.25, 1.625, 2.0, 2.5, 3.0, 4.0], [(3, 4), (2, 5)], [0, 1, 6])
    """
    levels = sorted(set(path))
    segments: list[Segment] = []
    waiting: dict[Fraction, list[int]] = defaultdict(list)  # lower end of an interval -> segments not yet paired
    pairs: list[tuple[int, int]] = []
    for step, (low, high) in enumerate(pairwise(path), start=1):
        rising = high > low
        inside = [level for level in levels if min(low, high) <= level <= max(low, high)]
        stops = inside if rising else inside[::-1]
        for start, end in pairwise(stops):
            place = len(segments)
            begin, stop = (step - 1 + (height - low) / (high - low) for height in (start, end))
            segments.append(Segment(step, begin, stop, end - start))
            others = waiting[min(start, end)]
            if others and (segments[others[-1]].rise > 0) != rising:
                other = others.pop()
                pairs.append((place, other) if rising else (other, place))
            else:
                others.append(place)
    return Pairing(segments, pairs, sorted(place for group in waiting.values() for place in group))


@dataclass(frozen=True)
class _Case:
    gamma: float
    theta: float
    path: list[Fraction]
    measure: list[float]  # measure[t - 1] is M_t
    found: Pairing


@cache
def _cases() -> list[_Case]:
    """Random paths whose steps are those of the algorithm: y h in [-1, 1], minus theta, on a grid of rationals."""
    rng = np.random.default_rng(0)
    cases = []
    for k in range(240):
        gamma = Fraction(int(rng.integers(2, 49)), 100)
        theta = theta_of(gamma)
        drift = (0, 15, 35)[k % 3]
        path = [Fraction(0)]
        for answer in np.clip(rng.integers(-40, 41, int(rng.integers(3, 16))) + drift, -40, 40):
            step = Fraction(int(answer), 40) - theta
            if step:
                path.append(path[-1] + step)
        cases.append(_case(gamma, path))
    return cases


def _case(gamma: Fraction, path: list[Fraction]) -> _Case:
    measure = [min(1.0, float(1 - gamma) ** float(n / 2)) for n in path[:-1]]
    return _Case(float(gamma), float(theta_of(gamma)), path, measure, pair_segments(path))


def _built() -> list[_Case]:
    """Paths that come near the bounds: one that only rises, and one that goes up and down beyond 0, at small gamma."""
    gamma = Fraction(1, 50)
    theta = theta_of(gamma)
    rising = [k * (1 - theta) for k in range(600)]
    zigzag = [(20 + k % 2) * (1 - theta) for k in range(40)]
    return [_case(gamma, rising), _case(gamma, rising[:20] + zigzag)]


def _sum(case: _Case, places: list[int]) -> float:
    return math.fsum(case.measure[s.step - 1] * float(s.rise) for s in (case.found.segments[i] for i in places))


@claim("servedio2003:appendix-a")
def appendix_a() -> Finding:
    """The two bounds of the proof, the direction of what is left, and the smallest ratio of the measures of a pair."""
    paired, unpaired, mixed, ratio = 0.0, 0.0, 0, 0.0
    for case in [*_cases(), *_built()]:
        found = case.found
        bound_of_pairs = (case.gamma - case.theta) * math.fsum(case.measure)
        bound_of_rest = 2 / (case.gamma * math.sqrt(1 - case.gamma))
        paired = max(paired, _sum(case, [i for pair in found.pairs for i in pair]) / bound_of_pairs)
        unpaired = max(unpaired, _sum(case, found.unpaired) / bound_of_rest)
        mixed += len({found.segments[i].rise > 0 for i in found.unpaired}) > 1
        for up, down in found.pairs:
            a, b = (case.measure[found.segments[i].step - 1] for i in (up, down))
            ratio = max(ratio, (1 - case.gamma) * a / b)
    worst = max(paired, unpaired, ratio)
    evidence = {
        "pairs_over_bound": paired,
        "rest_over_bound": unpaired,
        "paths_with_two_directions": mixed,
        "largest_ratio_of_measures": ratio,
        "paths": len(_cases()),
    }
    return outcome(1 - worst, holds=max(paired, unpaired) < 1 and ratio <= 1 + 1e-12 and mixed == 0, evidence=evidence)


@claim("servedio2003:eq-9")
def eq_9() -> Finding:
    """(9) and (10) for every pair of the paths: as printed, and with the length of the falling segment turned round."""
    nine, ten, repaired = math.inf, math.inf, math.inf
    for case in _cases():
        g, theta = case.gamma, case.theta
        for up, down in case.found.pairs:
            rising, falling = case.found.segments[up], case.found.segments[down]
            a, b = case.measure[rising.step - 1], case.measure[falling.step - 1]
            contribution = (a - b) * float(rising.rise)
            # the two right sides as functions of the length: (9), and (10) with its part of the rising segment
            of_length = g / (1 - g) * (1 + theta) * b, g * (1 + g) / (2 + g) * b
            of_rising = 0.0, g * (1 + g) / (2 + g) * a * float(rising.end - rising.start)
            length = float(falling.start - falling.end)  # e_(b-1) - e_b, as printed
            as_printed = [f * length + r - contribution for f, r in zip(of_length, of_rising, strict=True)]
            turned = [f * -length + r - contribution for f, r in zip(of_length, of_rising, strict=True)]
            nine, ten = min(nine, as_printed[0]), min(ten, as_printed[1])
            repaired = min(repaired, *turned)
    evidence = {"worst_as_printed": min(nine, ten), "worst_of_9": nine, "worst_of_10": ten}
    return outcome(min(nine, ten), evidence=evidence | {"worst_with_the_length": repaired})


@claim("servedio2003:eq-10")
def eq_10() -> Finding:
    """The coefficient of (10): from (8) and (9), as printed, and as gamma - theta."""
    worst = 0.0
    for g in np.linspace(1e-3, 0.499, 500):
        theta = theta_of(g)
        a, b = 1 - theta, (1 + theta) / (1 - g)
        values = (g * a * b / (a + b), g * (1 + g) / (2 + g), g - theta)
        worst = max(worst, max(values) - min(values))
    return outcome(-worst, tolerance=1e-15, evidence={"largest_difference": worst})


@claim("servedio2003:appendix-a-u")
def appendix_a_u() -> Finding:
    """The sum over unpaired rising segments against the expression that the proof calls equal to it."""
    apart, below, broken = 0.0, math.inf, 0
    for case in _cases():
        rising = [s for s in (case.found.segments[i] for i in case.found.unpaired) if s.rise > 0]
        true = math.fsum(case.measure[s.step - 1] * float(s.rise) for s in rising)
        stated = math.fsum((1 - case.gamma) ** float(case.path[s.step - 1] / 2) * float(s.rise) for s in rising)
        broken += abs(stated - true) > 1e-12
        apart, below = max(apart, abs(stated - true)), min(below, stated - true)
    evidence = {"paths_with_inequality": broken, "largest_difference": apart, "smallest_excess": below}
    return outcome(-apart, holds=apart <= 1e-12, evidence=evidence)


@claim("servedio2003:appendix-a-last")
def appendix_a_last() -> Finding:
    """The last inequality, relative to its right side: one minus gamma over -ln(1 - gamma)."""
    g = np.linspace(1e-6, 1 - 1e-6, 2001)
    slack = 1 + g / np.log1p(-g)
    return outcome(slack.min(), holds=(slack > 0).all(), evidence={"smallest_relative_slack": slack.min()})
