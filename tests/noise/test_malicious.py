import math

import numpy as np
import pytest

from marginloss._norms import p_norm
from marginloss.noise import ADVERSARIES, DenseHalfspace, MaliciousOracle, SparseMajority, TwoTargets

SOURCES = [SparseMajority(20, 5), DenseHalfspace(7, 0.2), DenseHalfspace(8, 0.1), TwoTargets(0.2, 1)]


@pytest.mark.parametrize("source", SOURCES, ids=repr)
def test_clean_points_are_good(source):
    X, y = source.draw(500, rng=3)
    assert (y * (X @ source.target) >= source.xi - 1e-12).all()
    assert p_norm(X, source.p).max() <= source.R + 1e-12
    assert source.difficulty >= 1


@pytest.mark.parametrize("strong", [False, True])
@pytest.mark.parametrize("adversary", sorted(ADVERSARIES))
@pytest.mark.parametrize("source", SOURCES, ids=repr)
def test_rate_rules_and_untouched_rest(source, adversary, strong):
    oracle = MaliciousOracle(adversary, 0.2, source, strong=strong)
    X, y, dirty = oracle.draw(1000, rng=5)
    assert abs(dirty.mean() - 0.2) < 5 * math.sqrt(0.16 / 1000)
    clean = ~dirty
    assert (y[clean] == np.sign(X[clean] @ source.target)).all()
    assert set(np.unique(y)) <= {-1.0, 1.0}
    assert p_norm(X, source.p).max() <= source.R + 1e-9
    again = oracle.draw(1000, rng=5)
    np.testing.assert_array_equal(X, again[0])


@pytest.mark.parametrize("adversary", ["flip", "maxmargin", "fake", "anti"])
@pytest.mark.parametrize("source", SOURCES[:3], ids=repr)
def test_dirty_examples_are_on_the_wrong_side(source, adversary):
    X, y, dirty = MaliciousOracle(adversary, 0.5, source).draw(400, rng=1)
    assert (y[dirty] * (X[dirty] @ source.target) < 0).all()


@pytest.mark.parametrize("source", SOURCES[:3], ids=repr)
def test_maxmargin_attains_the_worst_margin(source):
    X, y, dirty = MaliciousOracle("maxmargin", 0.5, source).draw(400, rng=1)
    np.testing.assert_allclose(y[dirty] * (X[dirty] @ source.target), -source.difficulty * source.xi)


def test_fakes_share_a_false_direction():
    sparse, dense = SparseMajority(20, 3), DenseHalfspace(9, 0.1)
    X, y, dirty = MaliciousOracle("fake", 0.5, sparse).draw(100, rng=1)
    assert (X[dirty, 3:6] == y[dirty, None]).all()
    X, y, dirty = MaliciousOracle("fake", 0.5, dense).draw(100, rng=1)
    false = dense._false_direction
    np.testing.assert_allclose([false @ dense.target, false @ false], [0, 1], atol=1e-12)
    np.testing.assert_allclose(y[dirty] * (X[dirty] @ false), 0.8)
    np.testing.assert_allclose(y[dirty] * (X[dirty] @ dense.target), -0.6)


@pytest.mark.parametrize("source", [SparseMajority(20, 3), DenseHalfspace(40, 0.1)], ids=repr)
def test_knowledge_makes_the_adaptive_adversary_stronger(source):
    """The advantage of the p-norm learner is the norm of the average; no adversary lowers it further."""

    def average_norm(adversary, **options):
        X, y, _ = MaliciousOracle(adversary, 0.2, source, **options).draw(2000, rng=4)
        return float(p_norm(X.T @ y / len(y), source.p))

    strong = average_norm("adaptive", strong=True)
    for adversary in ("flip", "maxmargin", "anti"):
        assert strong <= average_norm(adversary) + 0.02


def test_own_adversaries():
    def outlier(source, X, y, rng):
        return 50 * X, y

    with pytest.raises(ValueError, match=r"stay in the ball of radius 1\.0, got a norm of 50"):
        MaliciousOracle(outlier, 0.5).draw(50, rng=0)
    with pytest.raises(ValueError, match="labels -1 or"):
        MaliciousOracle(lambda source, X, y, rng: (X, 2 * y), 0.5).draw(50, rng=0)


def test_weak_adversary_sees_only_the_past():
    class Spy:
        def choose(self, source, X, y, rng):
            self.seen = max(getattr(self, "seen", 0), len(X))
            return source.R * np.sign(source.target + 0.5), -1.0

    weak, strong = Spy(), Spy()
    dirty = MaliciousOracle(weak, 0.3).draw(60, rng=0)[2]
    MaliciousOracle(strong, 0.3, strong=True).draw(60, rng=0)
    assert weak.seen == np.flatnonzero(dirty).max()
    assert strong.seen == 59


def test_two_targets_cannot_be_told_apart_at_the_limit():
    """At the rate e/(1+e) both targets give the hard point either label equally often."""
    epsilon = 0.1
    rate = epsilon / (1 + epsilon)
    counts = []
    for coordinate in (0, 1):
        X, y, _ = MaliciousOracle("maxmargin", rate, TwoTargets(epsilon, coordinate)).draw(200_000, rng=8)
        counts.append(np.mean((X[:, 1] == -1) & (y == 1)))
    assert abs(counts[0] - counts[1]) < 0.004


@pytest.mark.parametrize(
    "make",
    [
        lambda: MaliciousOracle("sneaky", 0.1),
        lambda: MaliciousOracle(3, 0.1),
        lambda: MaliciousOracle("flip", 1.5),
        lambda: MaliciousOracle("flip", math.nan),
        lambda: SparseMajority(10, 4),
        lambda: SparseMajority(3, 5),
        lambda: DenseHalfspace(1, 0.1),
        lambda: DenseHalfspace(10, 1.0),
        lambda: TwoTargets(0.0),
        lambda: TwoTargets(0.1, 2),
        lambda: MaliciousOracle("flip", 0.1).draw(0, rng=0),
    ],
)
def test_bad_input(make):
    with pytest.raises(ValueError, match="must"):
        make()


def test_an_oracle_needs_a_distribution():
    with pytest.raises(ValueError, match="source must be a distribution such as SparseMajority"):
        MaliciousOracle("flip", 0.1, source=3)
