"""The log-partition in 60 digits, written as plainly as possible: the oracle of the tests of tempered functions."""

import mpmath as mp

mp.mp.dps = 60


def log_exp_t(x, t):
    if t == 1:
        return x
    u = (1 - t) * x
    if u <= -1:
        return -mp.inf if t < 1 else mp.inf
    return mp.log1p(u) / (1 - t)


def excess(gaps, t):
    """Root of sum exp_t(-(g + d)) = 1 by bisection-free Newton from below, one gap being 0."""
    gaps, t = sorted(mp.mpf(d) for d in gaps), mp.mpf(t)
    assert gaps[0] == 0
    g = mp.mpf(0)
    for _ in range(300):
        logs = [log_exp_t(-(g + d), t) for d in gaps]
        delta = mp.expm1(logs[0]) + sum(mp.exp(v) for v in logs[1:])
        slope = sum(mp.exp(t * v) for v in logs if v > -mp.inf)
        height = mp.log1p(delta) if t == 1 else mp.expm1((t - 1) * mp.log1p(delta)) / (t - 1)
        step = (1 + delta) * height / slope
        g += step
        if abs(step) <= mp.mpf(10) ** -50 * g:
            return g
    raise AssertionError("the oracle did not converge")


def partition(activations, t):
    values = [mp.mpf(float(a)) for a in activations]
    top = max(values)
    return top + excess([top - a for a in values], t)


def log_probabilities(activations, t):
    values = [mp.mpf(float(a)) for a in activations]
    g = partition(activations, t)
    return [log_exp_t(a - g, mp.mpf(t)) for a in values]
