"""The bench: what reaches a learner, interruptions and clusters, ranks and decisions on made-up numbers."""

from itertools import combinations
from typing import ClassVar

import joblib
import numpy as np
import pandas as pd
import pytest

from marginloss.companion.bench import (
    CORRUPTIONS,
    KNOWN,
    LEARNERS,
    MADE_OF,
    TABLES,
    Contender,
    advice,
    against_peers,
    broken_promises,
    compare,
    contest,
    contests,
    critical_difference,
    groups,
    judge,
    mean_ranks,
    purpose,
    results,
    run_bench,
    runs,
    sides,
    tables,
)
from marginloss.companion.bench.learners import Corrected
from marginloss.companion.bench.tables import encoder, split
from marginloss.companion.command import main
from marginloss.datasets.folders import data_folder
from marginloss.noise import flip_labels

QUICK = ("AdaBoost.α", "logistic tuned", "cleanlab + logistic tuned")
TINY = {"tables": ("compas",), "corruptions": ("none", "symmetric 20 %"), "rows": 60, "learners": QUICK}
SCORES = ["table", "corruption", "draw", "learner", "accuracy", "log_loss", "worst_tenth"]


@pytest.fixture
def own_cache(tmp_path, monkeypatch, need):
    need("compas")
    monkeypatch.setenv("MARGINLOSS_CACHE", str(tmp_path))
    monkeypatch.delenv("MARGINLOSS_JOBS", raising=False)
    return tmp_path


# --------------------------------------------------------------------------------------------------------- one contest


def test_every_learner_gets_a_row_of_sane_scores(need):
    need("compas")
    rows = contest("compas", "one-sided 40 %", 100, tuple(LEARNERS), np.random.default_rng(0))
    assert [row["learner"] for row in rows] == list(range(len(LEARNERS)))
    for row in rows:
        assert 0.4 < row["accuracy"] < 0.8 and 0.5 < row["log_loss"] < 14
        assert 0.5 < row["worst_tenth"] <= 1 and 0 < row["seconds"] < 60


def test_a_learner_is_tuned_over_six_settings_or_taken_as_it_comes():
    for name, learner in LEARNERS.items():
        tuned = LEARNERS[learner.like].settings if learner.like else learner.settings
        assert len(tuned) == (6 if name.endswith("tuned") else 1), name
        for setting in tuned:
            learner.build(setting, seed=0)  # parameters of that name exist
        assert name.removesuffix(" tuned") == name or learner.name == name
    ours = [learner.ours for learner in LEARNERS.values()]
    assert sum(ours) == len(ours) // 2


class Spy:
    """A learner that is good at 0.2 only, and remembers what it was shown."""

    shown: ClassVar[list] = []

    def __init__(self, quality=0.0):
        self.quality = quality

    def get_params(self):
        return {"quality": self.quality}

    def set_params(self):
        return self

    def fit(self, X, y):
        self.shown.append((X, y))
        self.constant = int(self.quality == 0.2) ^ int(np.mean(y) < 0.5)
        return self

    def predict(self, X):
        return np.full(len(X), self.constant)

    def predict_proba(self, X):
        return np.tile([1 - self.constant, self.constant], (len(X), 1))


@pytest.mark.parametrize("like", ["", "judge"])
def test_settings_are_chosen_on_the_corrupted_labels_only(like, need, monkeypatch):
    need("compas")
    settings = ({"quality": 0.1}, {"quality": 0.2}, {"quality": 0.2})
    spies = {"judge": Contender("judge", Spy, settings, True)}
    spies["spy"] = Contender("spy", Spy, settings[:1] if like else settings, True, like)
    monkeypatch.setattr(contests, "LEARNERS", spies)
    labels = {}
    for corruption in ("none", "symmetric 40 %"):
        Spy.shown = []
        contest("compas", corruption, 300, ["spy"], np.random.default_rng(0))
        folds, (X, labels[corruption]) = Spy.shown[:-1], Spy.shown[-1]
        assert len(folds) == 9 and {len(y) for _, y in folds} == {200} and len(X) == 300
        # the folds hold the rows of the training set, with its labels as they are given
        given = {(*x, y) for x, y in zip(X.tolist(), labels[corruption], strict=True)}
        assert all((*x, y) in given for A, b in folds for x, y in zip(A.tolist(), b, strict=True))
    assert 0.3 < np.mean(labels["none"] != labels["symmetric 40 %"]) < 0.5


def test_the_best_setting_is_taken_and_of_equals_the_first():
    X, y = np.zeros((30, 1)), np.repeat([0, 1], [10, 20])
    settings = ({"quality": 0.1}, {"quality": 0.2, "first": True}, {"quality": 0.2})
    learner = Contender("spy", lambda quality, first=False: Spy(quality), settings, True)
    setting, seconds = contests._choose(learner, X, y, seed=0)
    assert setting == settings[1] and seconds > 0


@pytest.mark.parametrize("name", CORRUPTIONS)
def test_corruptions_leave_the_clean_rows_alone(name, need):
    need("adult")
    X, y, _, _, words = split("adult", 600, 0)
    before = X.copy(), y.copy()
    X_bad, y_bad = CORRUPTIONS[name](X, y, words, np.random.default_rng(0))
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(y, before[1])
    changed = np.mean(((X_bad != X) & ~(np.isnan(X) & np.isnan(X_bad))).any(axis=1) | (y_bad != y))
    expected = {"none": 0, "symmetric 20 %": 0.2, "symmetric 40 %": 0.4, "surest 10 %": 0.1, "features": 0.5}
    assert changed == pytest.approx(expected.get(name, 0.4 * np.mean(y > 0)), abs=0.05)
    if name == "one-sided 40 %":
        assert (y_bad <= y).all()


def test_training_and_test_rows_are_apart_and_words_become_indicators(need):
    need("adult")
    X, y, X_test, y_test, words = split("adult", 1000, 3)
    assert len(X) == 1000 and len(X_test) == tables.TEST_ROWS and len(words) == 8
    assert np.mean(y > 0) == pytest.approx(np.mean(y_test > 0), abs=2e-3)
    seen = encoder(X, words).transform(X_test)
    assert np.isfinite(seen).all() and seen.shape[1] > 40
    indicator = encoder(X, words)[0].transform(X)[:, : seen.shape[1] - 6]
    assert set(np.unique(indicator)) == {0, 1}
    again = split("adult", 1000, 4)
    assert not np.array_equal(X, again.X)


def test_correction_undoes_one_sided_flips():
    rng = np.random.default_rng(0)
    y = rng.choice([-1, 1], 3000)
    X = rng.normal(size=(3000, 2)) + 1.2 * y[:, None]
    given = flip_labels(y, {1: 0.4}, rng)
    plain = LEARNERS["XGBoost shallow"]
    scores = [
        np.mean(model.fit(X[:1000], given[:1000] > 0).predict(X[1000:]) == (y[1000:] > 0))
        for model in (Corrected(), plain.build(plain.settings[0], 0))
    ]
    assert scores[0] > scores[1] + 0.02


# ---------------------------------------------------------------------------------------------------- the complete run


def test_an_interrupted_bench_goes_on_and_gives_the_same_file(own_cache, monkeypatch):
    whole = run_bench(**TINY, draws=3, out=own_cache / "whole.csv")
    monkeypatch.setenv("MARGINLOSS_CACHE", str(own_cache / "again"))
    calls, original = [], contests.split

    def interrupted(*arguments):
        calls.append(arguments)
        if len(calls) == 4:  # the first contest but one of six
            raise KeyboardInterrupt
        return original(*arguments)

    monkeypatch.setattr(contests, "split", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_bench(**TINY, draws=3, out=own_cache / "again.csv", n_jobs=1)
    first = results(own_cache / "again.csv")
    assert first.draw.unique().tolist() == [0] and "--draws 1" in first.attrs["command"]  # complete draws only
    resumed = run_bench(**TINY, draws=3, out=own_cache / "again.csv", n_jobs=1)
    assert len(calls) == 7  # six contests, and the one that was cut short
    for frame in (resumed, results(own_cache / "again.csv"), results(own_cache / "whole.csv")):
        pd.testing.assert_frame_equal(frame[SCORES], whole[SCORES], check_exact=True)
        assert frame.attrs == whole.attrs
    assert whole.draw.tolist() == np.repeat([0, 1, 2], 6).tolist()


@pytest.mark.cluster
def test_two_workers_of_a_cluster_give_the_same_rows(own_cache, monkeypatch):
    distributed = pytest.importorskip("distributed", reason="needs the extra 'cluster'")
    serial = run_bench(**TINY, draws=2, n_jobs=1)
    monkeypatch.setenv("MARGINLOSS_CACHE", str(own_cache / "cluster"))
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config(backend="dask"),
    ):
        spread = run_bench(**TINY, draws=2)
    pd.testing.assert_frame_equal(spread[SCORES], serial[SCORES], check_exact=True)
    assert len(list((own_cache / "cluster").rglob("*.json"))) == 4


def test_the_command_writes_a_file_that_says_how_it_was_made(own_cache, capsys):
    out = own_cache / "mine.csv"
    words = ["--tables", "compas", "--corruptions", "none", "--draws", "1", "--rows", "60", "--learners", "logistic"]
    assert main(["bench", *words, "--out", str(out)]) == 0
    assert "draw 1 of 1 is there" in capsys.readouterr().out
    made = results(out)
    assert made.learner.tolist() == ["logistic"]
    expected = "marginloss bench --draws 1 --rows 60 --tables compas --corruptions none --learners logistic"
    assert made.attrs["command"] == expected


def test_a_wrong_name_and_a_missing_table_are_said(empty_machine, capsys):
    assert main(["bench", "--tables", "compass"]) == 2
    assert "did you mean 'compas'" in capsys.readouterr().err
    assert main(["bench", "--tables", "bupa"]) == 1
    assert "not here: bupa; see marginloss data --fetch" in capsys.readouterr().err


def test_the_shipped_results_are_complete():
    found = results()
    cells = found.groupby(["table", "corruption", "draw", "learner"]).size()
    n_draws = found.draw.nunique()
    assert len(cells) == len(found) == len(TABLES) * len(CORRUPTIONS) * n_draws * len(LEARNERS)
    assert set(found.learner) == set(LEARNERS) and set(found.table) == set(TABLES)
    assert np.isfinite(found.select_dtypes("number")).all(axis=None)
    assert found.accuracy.between(0, 1).all() and found.worst_tenth.between(0, 1).all()
    rows = found.attrs["command"].split("--rows ")[1]
    assert found.attrs["command"] == runs._command(TABLES, CORRUPTIONS, n_draws, int(rows), LEARNERS)
    assert (data_folder() / "bench" / "results.csv").stat().st_size < 1_000_000


# --------------------------------------------------------------------------------------------------------------- ranks


def test_ranks_share_ties_and_the_difference_is_the_published_one():
    np.testing.assert_allclose(mean_ranks([[0.5, 0.5, 0.1], [0.3, 0.2, 0.9]]), [1.75, 2.25, 2.0])
    # Demsar's table of the studentised range over the root of two: 2.569 for four classifiers
    assert critical_difference(4, 14) == pytest.approx(2.569 * np.sqrt(4 * 5 / (6 * 14)), abs=2e-3)


def test_bars_join_exactly_what_cannot_be_told_apart():
    ranks = np.random.default_rng(0).uniform(1, 16, 16)
    ordered, bars = np.sort(ranks), groups(ranks, 4.0)
    for i, j in combinations(range(16), 2):
        joined = any(first <= i and j <= last for first, last in bars)
        assert joined == (ordered[j] - ordered[i] <= 4.0)
    assert all(not (a[0] <= b[0] and b[1] <= a[1]) for a, b in combinations(bars, 2))


# ------------------------------------------------------------------------------------------------------------ decisions


@pytest.mark.parametrize(
    ("differences", "verdict"),
    [
        ([0.03, 0.04, 0.05, 0.04], "ahead"),
        ([-0.03, -0.04, -0.05, -0.04], "behind"),
        ([0.004, 0.005, 0.004, 0.005], "equivalent"),  # surely better, and by less than anybody notices
        ([0.009, 0.011, 0.010, 0.012], "undecided"),
        ([-0.10, 0.00, 0.00, 0.00], "undecided"),  # five points on average would be called level no more
        ([0.0, 0.0, 0.0], "equivalent"),
    ],
)
def test_decisions_on_made_up_differences(differences, verdict):
    assert judge(differences).verdict == verdict


def test_the_interval_is_students():
    found = judge([0.01, 0.03])
    assert found.lead == pytest.approx(0.02)
    assert (found.high - found.low) / 2 == pytest.approx(6.314 * 0.01, rel=1e-3)  # t of 1 degree of freedom at 95 %
    assert judge([0.5, 0.6, 0.55], rope=1.0).verdict == "equivalent"
    for wrong in ([0.1], [0.1, np.nan]):
        with pytest.raises(ValueError, match="differences must be finite numbers of at least two tables"):
            judge(wrong)


OURS, OTHER, PEER, RIVAL = "PILBoost", "SmoothBoost", "XGBoost", "logistic"


def made_up(score="accuracy", corruption="none", **columns):
    lines = [
        {"table": f"t{i}", "corruption": corruption, "draw": draw, "learner": name, score: value + shift}
        for name, values in columns.items()
        for i, value in enumerate(values)
        for draw, shift in ((0, -0.001), (1, 0.001))
    ]
    return pd.DataFrame(lines)


def test_tables_are_the_sample_and_draws_are_averaged():
    frame = made_up(**{OURS: [0.9, 0.8, 0.7], PEER: [0.85, 0.75, 0.65]})
    found = compare(frame, OURS, PEER)
    assert found.verdict == "ahead" and found.lead == pytest.approx(0.05)
    assert compare(frame, PEER, OURS).verdict == "behind"
    costs = compare(frame.rename(columns={"accuracy": "log_loss"}), OURS, PEER, "log_loss")
    assert costs.verdict == "behind" and costs.lead == pytest.approx(-0.05)


def test_a_pick_is_tested_on_data_that_did_not_make_it():
    # each of ours shines on one table only: who picks by the other gets the one that fails here
    found, ours, peer = sides(made_up(**{OURS: [0.9, 0.5], OTHER: [0.5, 0.9], PEER: [0.6, 0.6], RIVAL: [0.1, 0.1]}))
    assert found.lead == pytest.approx(-0.1) and (ours, peer) == (OURS, PEER)


def test_every_pair_is_judged_under_every_corruption():
    names = {OURS: [0.8, 0.7, 0.6], OTHER: [0.9, 0.8, 0.7], PEER: [0.85, 0.75, 0.65], RIVAL: [0.8, 0.7, 0.6]}
    found = against_peers(pd.concat([made_up(**names), made_up(corruption="all", **names)]))
    assert len(found) == 8 and found.lead.is_monotonic_increasing
    cell = found.set_index(["corruption", "ours", "peer"]).verdict
    assert cell["none", OURS, PEER] == "behind" and cell["all", OTHER, RIVAL] == "ahead"
    assert cell["none", OURS, RIVAL] == "equivalent"


# ----------------------------------------------------------------------------------------------------------- the guide


def test_docstrings_promise_what_the_bench_found():
    assert broken_promises(results()) == []
    assert {known for known in KNOWN.values() for made in MADE_OF.values() if known in purpose(made)} >= {
        KNOWN["symmetric 20 %"],
        KNOWN["symmetric 40 %"],
        KNOWN["one-sided 40 %"],
    }


def test_a_docstring_and_a_bench_that_disagree_are_named():
    class Boaster:
        """Use it where labels are right. It is modest otherwise."""

    one, other, peer, usual = "PILBoost", "PILBoost tuned", "logistic", "XGBoost"
    flat, high = [0.7, 0.7, 0.7], [0.9, 0.9, 0.9]
    level = made_up(**{one: flat, other: flat, peer: flat, usual: flat})
    (unkept,) = broken_promises(level, {"PILBoost": Boaster})
    assert unkept == "PILBoost: 'labels are right' is promised, but it is not ahead of XGBoost there"
    assert broken_promises(level, {"PILBoost": Spy}) == []
    better = made_up(**{one: high, other: flat, peer: flat, usual: flat})
    assert broken_promises(better, {"PILBoost": Boaster}) == []
    (unsaid,) = broken_promises(better, {"PILBoost": Spy})
    assert unsaid == "PILBoost: ahead of the best peer for 'labels are right', and its docstring does not say so"


def test_the_guide_has_the_best_of_each_side_with_its_price():
    frame = made_up(**{OURS: [0.8, 0.8, 0.8], OTHER: [0.7, 0.7, 0.7], PEER: [0.6, 0.6, 0.6], RIVAL: [0.75, 0.75, 0.75]})
    frame["seconds"] = frame.learner.map({OURS: 3.0, OTHER: 1.0, PEER: 2.0, RIVAL: 0.5})
    found = advice(frame)
    ours, peer = found.loc[("none", "ours")], found.loc[("none", "peer")]
    assert (ours.learner, ours.seconds, peer.learner, peer.seconds) == (OURS, 3.0, RIVAL, 0.5)
    assert (ours.gain.lead, peer.gain.lead, ours.lead.lead) == pytest.approx((0.2, 0.15, 0.05))
    assert set(KNOWN) == set(CORRUPTIONS)
    begun = {name for name in LEARNERS if name.startswith(tuple(MADE_OF))}
    assert begun == {name for name, learner in LEARNERS.items() if learner.ours}


def test_what_the_page_says_in_words_follows_from_the_file():
    found = results()
    at_40, one_sided = (found[found.corruption == name] for name in ("symmetric 40 %", "one-sided 40 %"))
    for giving_up in ("AdaBoost.α", "AdaBoost.α tuned", "PILBoost tuned", "XGBoost tuned"):
        assert compare(at_40, giving_up, "XGBoost").verdict == "ahead", giving_up  # not boosted trees at their defaults
    mean = one_sided.groupby("learner").accuracy.mean()
    asking = mean.index.str.contains("cleanlab|corrected")
    assert set(mean.nlargest(4).index) <= set(mean[asking].index)  # nothing else comes near
    verdicts = against_peers(found).verdict
    assert verdicts.isin(["equivalent", "undecided"]).mean() > 0.5
    gain = {
        name: compare(at_40, f"{name} tuned", name) for name in ("XGBoost", "random forest", "AdaBoost.α", "logistic")
    }
    assert gain["XGBoost"].verdict == gain["random forest"].verdict == "ahead"
    assert max(gain["AdaBoost.α"].lead, gain["logistic"].lead) < min(gain["XGBoost"].lead, gain["random forest"].lead)
