"""Each split of a tree against all splits there are, and the encoding against the columns that it encodes."""

import numpy as np
import pytest

from marginloss.boosting.encode import encode
from marginloss.boosting.forest import Forest
from marginloss.boosting.trees import TreeLearner


def purity(y, weight, criterion):
    """What a split makes large, summed over its two sides: read off the definition."""
    total = np.array([weight[y == 0].sum(), weight[y == 1].sum()])
    if criterion == "error":
        return total.max()
    return (total**2).sum() / total.sum() if total.sum() > 0 else 0.0


def best_split(X, y, weight, criterion):
    """The largest purity over every feature and every threshold between two values."""
    best = purity(y, weight, criterion)
    for column in X.T:
        for threshold in np.unique(column)[:-1]:
            below = column <= threshold
            parts = purity(y[below], weight[below], criterion) + purity(y[~below], weight[~below], criterion)
            best = max(best, parts)
    return best


def nodes_of(tree, X):
    """Inner nodes with the rows that reach them."""
    waiting = [(0, np.arange(len(X)))]
    while waiting:
        node, rows = waiting.pop()
        if tree.feature[node] < 0:
            continue
        yield node, rows
        below = X[rows, tree.feature[node]] <= tree.threshold[node]
        waiting += [(tree.left[node], rows[below]), (tree.left[node] + 1, rows[~below])]


def problem(kind, seed, n=60):
    rng = np.random.default_rng(seed)
    X = {
        "real": rng.normal(size=(n, 4)),
        "few values": rng.integers(0, 4, size=(n, 5)).astype(float),
        "signs": rng.choice([-1.0, 1.0], size=(n, 6)),
    }[kind]
    return X, rng.integers(0, 2, n), rng.dirichlet(np.ones(n))


@pytest.mark.parametrize("criterion", ["gini", "error"])
@pytest.mark.parametrize("kind", ["real", "few values", "signs"])
@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_every_split_is_a_brute_force_optimum(criterion, kind, depth, seed):
    X, y, weight = problem(kind, seed)
    tree, _ = TreeLearner(encode(X, merge=False), y, np.ones(len(y)), max_depth=depth, criterion=criterion).fit(weight)
    splits = 0
    for node, rows in nodes_of(tree, X):
        below = X[rows, tree.feature[node]] <= tree.threshold[node]
        chosen = sum(purity(y[rows[side]], weight[rows[side]], criterion) for side in (below, ~below))
        assert chosen == pytest.approx(best_split(X[rows], y[rows], weight[rows], criterion), rel=1e-12)
        splits += 1
    assert splits >= 1


@pytest.mark.parametrize("criterion", ["gini", "error"])
@pytest.mark.parametrize("spread", [0.0, 1.0, 12.0])
@pytest.mark.parametrize("classes", [2, 3])
def test_histograms_by_subtraction_are_as_good(criterion, spread, classes):
    """Enough rows for siblings to share a histogram; weights up to 1e30 apart, as in the late rounds of a booster."""
    rng = np.random.default_rng(5)
    X = rng.integers(0, 6, size=(1500, 5)).astype(float)
    y = (X[:, 0] + X[:, 1] * X[:, 2] + 3 * rng.normal(size=len(X)) > 8).astype(int) + (classes - 2) * (X[:, 3] > 4)
    weight = np.exp(spread * rng.normal(size=len(X)))
    weight /= weight.sum()
    learner = TreeLearner(encode(X, merge=False), y, np.ones(len(y)), classes, max_depth=4, criterion=criterion)
    tree, _ = learner.fit(weight)
    assert len(tree.feature) > 15

    def pure(rows):
        total = np.bincount(y[rows], weight[rows], minlength=classes)
        return total.max() if criterion == "error" else (total**2).sum() / total.sum()

    for node, rows in nodes_of(tree, X):
        best = max(
            pure(rows[X[rows, f] <= cut]) + pure(rows[X[rows, f] > cut])
            for f in range(X.shape[1])
            for cut in np.unique(X[rows, f])[:-1]
        )
        below = X[rows, tree.feature[node]] <= tree.threshold[node]
        assert pure(rows[below]) + pure(rows[~below]) == pytest.approx(best, rel=1e-11)


@pytest.mark.parametrize("first", [0, 3])
def test_a_forest_votes_as_its_trees_do(first):
    X, y, _ = problem("real", 2, n=700)  # more than one block of rows
    rng = np.random.default_rng(9)
    learner = TreeLearner(encode(X, merge=False), y, np.ones(len(y)), max_depth=3)
    trees = [learner.fit(rng.dirichlet(np.ones(len(y))))[0] for _ in range(5)]
    steps = rng.normal(size=5 - first)
    X[::7, 1] = np.nan  # not below any cut
    expected = sum(step * tree.predict(X) for step, tree in zip(steps, trees[first:], strict=True))
    np.testing.assert_allclose(Forest.join(trees).vote(X, steps, first), expected, atol=1e-15)


@pytest.mark.parametrize("kind", ["real", "few values", "signs"])
def test_leaves_answer_the_heaviest_class_or_the_mean(kind):
    X, y, weight = problem(kind, 7)
    vote, _ = TreeLearner(encode(X, merge=False), y, np.ones(len(y)), max_depth=2).fit(weight)
    mean, _ = TreeLearner(encode(X, merge=False), y, np.ones(len(y)), max_depth=2, leaf="mean").fit(weight)
    sign = 2.0 * y - 1
    for tree in (vote, mean):
        answers = tree.predict(X)
        for value in np.unique(answers):
            rows = answers == value
            average = np.average(sign[rows], weights=weight[rows])
            assert value == pytest.approx(average if tree is mean else np.sign(average))


def test_the_margin_is_label_times_answer():
    X, y, weight = problem("real", 3)
    tree, margin = TreeLearner(encode(X, merge=False), y, np.ones(len(y)), max_depth=2).fit(weight)
    np.testing.assert_array_equal(margin, (2 * y - 1) * tree.predict(X))


def test_merged_rows_give_the_tree_of_all_rows():
    X, y, _ = problem("signs", 1, n=400)  # 64 different rows
    encoded = encode(X)
    assert encoded.group is not None
    merged = TreeLearner(encoded, y, np.ones(len(y)), max_depth=3)
    apart = TreeLearner(encode(X, merge=False), y, np.ones(len(y)), max_depth=3)
    assert merged.sample_weight.sum() == len(y)
    one, _ = merged.fit(merged.sample_weight / len(y))
    other, _ = apart.fit(np.full(len(y), 1 / len(y)))
    np.testing.assert_array_equal(one.predict(X), other.predict(X))


def test_exact_encoding_keeps_the_order_of_every_column():
    X = np.random.default_rng(0).normal(size=(300, 3)).round(2)
    encoded = encode(X, merge=False)
    for column, codes in zip(X.T, encoded.codes, strict=True):
        values, ranks = np.unique(column, return_inverse=True)
        np.testing.assert_array_equal(codes, ranks)
        assert len(values) == codes.max() + 1


def test_long_columns_get_bins_of_about_equal_mass():
    X = np.random.default_rng(0).exponential(size=(20_000, 1))
    encoded = encode(X, max_bins=50, merge=False)
    counts = np.bincount(encoded.codes[0])
    assert len(counts) == 50
    assert counts.min() > 300 and counts.max() < 500
    # a value is below the cut of its bin and above the one before
    cuts = np.concatenate([[-np.inf], encoded.cuts, [np.inf]])
    assert (X[:, 0] <= cuts[encoded.codes[0] + 1]).all()
    assert (X[:, 0] > cuts[encoded.codes[0]]).all()
