"""Generators: exactly repeatable, and distributed as they say."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from marginloss.datasets import (
    SURVEY_FEATURES,
    gaussian_mixture_bayes,
    long_servedio_points,
    make_font_images,
    make_gaussian_mixture,
    make_long_servedio,
    make_symptom_survey,
    make_xd6,
    xd6_rule,
    xd6_table,
)

GENERATORS = [make_long_servedio, make_gaussian_mixture, make_xd6, make_symptom_survey, make_font_images]


def near(share, expected, n):
    """Within five standard deviations of a binomial share."""
    return abs(share - expected) < 5 * np.sqrt(expected * (1 - expected) / n)


@pytest.mark.parametrize("make", GENERATORS, ids=lambda f: f.__name__)
def test_repeatable_labels_and_bad_input(make):
    if make is make_font_images:
        pytest.importorskip("matplotlib", reason="fonts come with the extra 'book'")
    X, y = make(60, 7)
    assert len(X) == len(y) == 60 and set(np.unique(y)) <= {-1, 1}
    for again in (make(60, 7), make(60, np.random.default_rng(7))):
        np.testing.assert_array_equal(X, again[0])
        np.testing.assert_array_equal(y, again[1])
    assert (make(60, 8)[0] != X).any()
    for n in (-1, 0, 2.5, True, "ten"):
        with pytest.raises(ValueError, match=f"n must be a whole number of at least 1, got {n!r}"):
            make(n, 0)
    for rng in (None, -1, 1.5, "seed", True):
        with pytest.raises(ValueError, match="rng must be"):
            make(5, rng)


def test_long_servedio_rows():
    n = 40_000
    X, y, kind = make_long_servedio(n, 0, return_kind=True)
    assert X.shape == (n, 21) and set(np.unique(X)) == {-1.0, 1.0}
    agree = X * y[:, None] == 1
    first, last = agree[:, :11].sum(axis=1), agree[:, 11:].sum(axis=1)
    for number, (expected_first, expected_last, share) in enumerate([(11, 10, 0.25), (11, 0, 0.25), (5, 6, 0.5)]):
        rows = kind == number
        assert (first[rows] == expected_first).all() and (last[rows] == expected_last).all()
        assert near(rows.mean(), share, n)
    assert near((y == 1).mean(), 0.5, n)
    assert (y * X.sum(axis=1) >= 1).all()  # the vote is right by at least 1/21
    for j, expected in [(0, 8 / 11), (10, 8 / 11), (11, 0.55), (20, 0.55)]:
        assert near(agree[:, j].mean(), expected, n)


def test_long_servedio_in_the_plane():
    points, y, multiplicity = long_servedio_points(0.05)
    assert y.tolist() == [1, 1, 1] and multiplicity.tolist() == [1, 1, 2]
    np.testing.assert_allclose(points, [[1, 0], [0.05, 0.25], [0.05, -0.05]])
    X, y, kind = make_long_servedio(20_000, 1, gamma=0.05, return_kind=True)
    np.testing.assert_allclose(X * y[:, None], points[kind])
    assert near((kind == 2).mean(), 0.5, len(y))
    for gamma in (0, 1 / 6, -1, "x", None, float("nan")):
        with pytest.raises(ValueError, match="gamma must be a number in"):
            long_servedio_points(gamma)


def test_gaussian_mixture_moments_and_bayes_line():
    n = 100_000
    X, y = make_gaussian_mixture(n, 0)
    assert near((y == 1).mean(), 0.14, n)
    for label in (-1, 1):
        part = X[y == label]
        np.testing.assert_allclose(part.mean(axis=0), [label, label], atol=5 / np.sqrt(len(part)))
        np.testing.assert_allclose(np.cov(part.T), np.eye(2), atol=8 / np.sqrt(len(part)))
    intercept, slopes = gaussian_mixture_bayes()
    np.testing.assert_allclose([intercept, *slopes], [np.log(0.14 / 0.86), 2, 2])
    fit = LogisticRegression(C=np.inf).fit(X, y)
    np.testing.assert_allclose([fit.intercept_[0], *fit.coef_[0]], [intercept, *slopes], atol=0.08)
    assert make_gaussian_mixture(3, 0, mean=[1, 2, 3])[0].shape == (3, 3)
    for call, message in [
        (lambda: make_gaussian_mixture(3, 0, prior=1.5), "prior must be"),
        (lambda: make_gaussian_mixture(3, 0, mean=[[1.0]]), "mean must be a vector"),
        (lambda: make_gaussian_mixture(3, 0, mean=[np.nan]), "mean must be a vector"),
    ]:
        with pytest.raises(ValueError, match=message):
            call()


def test_xd6_is_the_rule():
    X, y = make_xd6(20_000, 0)
    a = X.astype(bool)
    rule = a[:, :3].all(1) | a[:, 3:6].all(1) | a[:, 6:].all(1)
    np.testing.assert_array_equal(y == 1, rule)
    assert near((y == 1).mean(), 1 - (7 / 8) ** 3, len(y))
    np.testing.assert_allclose(X.mean(axis=0), 0.5, atol=5 * 0.5 / np.sqrt(len(y)))
    table, labels = xd6_table()
    rows, copies = np.unique(table, axis=0, return_counts=True)
    assert len(rows) == 512 and np.bincount(copies).tolist() == [0, 51, 461] and (labels == 1).sum() == 322
    with pytest.raises(ValueError, match="nine columns"):
        xd6_rule([[1, 2, 3]])


def test_symptom_survey_matches_its_description():
    X, y = make_symptom_survey(40_000, 0)
    assert X.shape[1] == len(SURVEY_FEATURES) == 8 and near((y == 1).mean(), 0.14, len(y))
    band = X[:, 0] * 6
    np.testing.assert_allclose(band, np.rint(band))
    assert abs(band[y == -1].mean() - 3.6) < 0.06 and abs(band[y == 1].mean() - 3.35) < 0.1
    fit = LogisticRegression(C=np.inf, max_iter=1000).fit(X, y)
    right = fit.predict(X) == y
    # the specification's prototype: accuracy .904, sensitivity .421, specificity .982, area .791
    assert abs(right.mean() - 0.904) < 0.01
    assert abs(right[y == 1].mean() - 0.421) < 0.04
    assert abs(right[y == -1].mean() - 0.982) < 0.006
    assert abs(roc_auc_score(y, fit.decision_function(X)) - 0.791) < 0.02
    assert np.argmax(fit.coef_[0]) == SURVEY_FEATURES.index("LossOfSmellTaste")


def test_font_images_are_learnable_and_varied():
    pytest.importorskip("matplotlib", reason="fonts come with the extra 'book'")
    X, y = make_font_images(1200, 0)
    assert X.shape == (1200, 400) and X.dtype == np.uint8
    assert len(np.unique(X, axis=0)) > 1190
    assert (X.max(axis=1) > 128).all()  # ink everywhere
    score = LogisticRegression(C=0.01, max_iter=500).fit(X[:900] / 255, y[:900]).score(X[900:] / 255, y[900:])
    assert 0.6 < score < 1  # two fonts differ, but not in every letter
    for fonts in [("Papyrus", "DejaVu Sans"), ("STIX", "STIX"), ("STIX",), "STIX"]:
        with pytest.raises(ValueError, match="fonts must be two different names"):
            make_font_images(3, 0, fonts=fonts)
