"""Loaders: shapes, class counts and the facts that the papers and publishers print."""

import hashlib
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import sklearn

from marginloss import datasets
from marginloss.datasets import xd6_rule
from marginloss.datasets.registry import dataset, names

LOADERS = {name.removeprefix("load_"): getattr(datasets, name) for name in datasets.__all__ if name.startswith("load_")}
LOADERS["keel"] = partial(datasets.load_keel, "banana")
LETTERS = [789, 766, 736, 805, 768, 775, 773, 734, 755, 747, 739, 761, 792, 783, 753, 803, 783, 758, 748, 796, 813, 764]

# shape of data, and class counts by target
EXPECTED = {
    "breast_cancer": ((569, 30), {-1: 212, 1: 357}),
    "xd6": ((973, 9), {-1: 651, 1: 322}),
    "pima": ((768, 8), {-1: 500, 1: 268}),
    "online_shoppers": ((12_330, 17), {-1: 10_422, 1: 1_908}),
    "compas": ((7_214, 8), {-1: 3_743, 1: 3_471}),
    "covid_carbon": ((71_035, 7), {-1: 69_929, 1: 1_106}),
    "covid_israel": ((255_668, 4), {-1: 242_136, 1: 13_532}),
    "fashion_mnist": ((70_000, 784), dict.fromkeys(range(10), 7_000)),
    "cifar10": ((12_000, 1_024), {-1: 6_000, 1: 6_000}),
    "cifar10n": ((50_000, 5), dict.fromkeys(range(10), 5_000)),
    "adult": ((48_842, 14), {-1: 37_155, 1: 11_687}),
    "letter": ((20_000, 16), dict(enumerate([*LETTERS, 752, 787, 786, 734]))),
    "mushroom": ((8_124, 22), {-1: 4_208, 1: 3_916}),
    "keel": ((5_300, 2), {-1: 2_924, 1: 2_376}),
    "covertype": ((24_744, 54), dict(enumerate([9_104, 12_022, 1_503, 107, 393, 786, 829]))),
}


def test_one_loader_for_each_set_of_the_registry():
    assert set(LOADERS) == set(names()) == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_shape_and_classes(name, need):
    need(name)
    bunch = LOADERS[name]()
    shape, counts = EXPECTED[name]
    if getattr(bunch, "part", None) == "full":
        shape = (581_012, 54)
        counts = dict(enumerate([211_840, 283_301, 35_754, 2_747, 9_493, 17_367, 20_510]))
    assert bunch.data.shape == shape
    values, sizes = np.unique(bunch.target, return_counts=True)
    assert dict(zip(values.tolist(), sizes.tolist(), strict=True)) == counts
    assert len(bunch.feature_names) == shape[1] and len(bunch.target_names) == len(counts)
    entry = dataset(name)
    assert bunch.licence == entry.licence and bunch.source == entry.source and entry.licence in bunch.DESCR
    assert bunch.data.dtype == np.uint8 or np.isfinite(bunch.data).all() or name in ("adult", "mushroom")
    if bunch.data.size < 1e7:  # reading pictures twice takes seconds
        X, y = LOADERS[name](return_X_y=True)
        np.testing.assert_array_equal(X, bunch.data)
        np.testing.assert_array_equal(y, bunch.target)


def test_breast_cancer_is_the_published_copy():
    file = Path(sklearn.__file__).parent / "datasets" / "data" / "breast_cancer.csv"
    published = "fed3eb72d0575ef6192293f5093c6e801b1476b577d0386bf4455504522172ed"
    assert hashlib.sha256(file.read_bytes()).hexdigest() == published
    np.testing.assert_allclose(datasets.load_breast_cancer().data.mean(axis=0)[:3], [14.127, 19.290, 91.969], atol=5e-4)


def test_xd6_follows_its_rule():
    X, y = datasets.load_xd6(return_X_y=True)
    np.testing.assert_array_equal(xd6_rule(X), y)
    assert round(0.7 * len(y)) == 681  # the paper's training part


def test_xd6_file_with_other_rows_is_refused(need, monkeypatch):
    need("xd6")
    from marginloss.datasets import tables

    if datasets.available()["xd6"] == dataset("xd6").built_in:
        pytest.skip("the file of xd6 is not here; its rule needs none")
    frame = tables.table_of("xd6")
    frame.iloc[0, 0] = 1 - frame.iloc[0, 0]
    monkeypatch.setattr(tables, "table_of", lambda *_, **__: frame)
    with pytest.raises(ValueError, match="does not hold the rows"):
        datasets.load_xd6()


def test_pima_keeps_the_first_patient_and_the_zeros(need):
    need("pima")
    bunch = datasets.load_pima()
    assert bunch.data[0].tolist() == [6, 148, 72, 35, 0, 33.6, 0.627, 50] and bunch.target[0] == 1
    zeros = dict(zip(bunch.feature_names, (bunch.data == 0).sum(axis=0).tolist(), strict=True))
    assert [zeros[k] for k in ("glucose", "pressure", "triceps", "insulin", "mass")] == [5, 35, 227, 374, 11]


def test_online_shoppers_is_coded_alphabetically(need):
    need("online_shoppers")
    bunch = datasets.load_online_shoppers()
    assert bunch.codes["Month"] == ["Aug", "Dec", "Feb", "Jul", "June", "Mar", "May", "Nov", "Oct", "Sep"]
    assert bunch.codes["VisitorType"] == ["New_Visitor", "Other", "Returning_Visitor"]
    assert [bunch.feature_names[i] for i in (8, 10, 15)] == ["PageValues", "Month", "VisitorType"]
    assert np.isclose(bunch.data[:, 8].max(), 361.76, atol=0.01) and bunch.data[:, 8].min() == 0
    assert bunch.frame.duplicated().sum() == 125


def test_compas_is_prepared_as_by_the_authors(need):
    need("compas")
    bunch = datasets.load_compas()
    assert len(bunch.train) == 5_049 and len(bunch.test) == 2_165
    assert not set(bunch.train) & set(bunch.test)
    assert bunch.feature_names[4:] == ["age", "c_charge_degree", "sex", "race"]
    assert bunch.data[0].tolist() == [0, 0, 0, 0, 6.9, 0, 1, 1]  # 69 years, felony, male, other
    assert bunch.data[:, 6].sum() == 5_819 and (bunch.data[:, 7] == 0).sum() == 2_454
    assert bunch.frame["two_year_recid"].sum() == 3_251
    assert not {"name", "first", "last", "dob", "c_case_number"} & set(bunch.frame.columns)


def test_covid_carbon_counts(need):
    need("covid_carbon")
    bunch = datasets.load_covid_carbon()
    assert len(bunch.frame) == 93_995 and bunch.frame["positive"].sum() == 1_313
    smell = bunch.data[:, bunch.feature_names.index("LossOfSmellTaste")]
    assert set(np.unique(bunch.data[:, 1:])) == {0.0, 1.0} and smell[bunch.target == 1].mean() > 5 * smell.mean()
    whole = bunch.frame.dropna(subset=["loss_of_smell"])
    table = np.array([[((whole.loss_of_smell == a) & (whole.positive == b)).sum() for b in (0, 1)] for a in (0, 1)])
    odds = table[1, 1] * table[0, 0] / (table[1, 0] * table[0, 1])
    assert abs(odds - 25.0) < 0.1


def test_covid_israel_periods_and_articles_split(need):
    need("covid_israel")
    bunch = datasets.load_covid_israel()
    assert bunch.frame["count"].sum() == 278_848
    known = bunch.frame[(bunch.frame["gender"] != "") & bunch.frame["corona_result"].isin(["positive", "negative"])]
    for first, last, tests, positive in [
        ("2020-03-22", "2020-03-31", 51_831, 4_769),
        ("2020-04-01", "2020-04-07", 47_401, 3_624),
    ]:
        rows = known[known["test_date"].between(first, last)]
        assert rows["count"].sum() == tests
        assert rows.loc[rows["corona_result"] == "positive", "count"].sum() == positive
        part = datasets.load_covid_israel(first=first, last=last)
        assert 0.99 * tests < len(part.target) <= tests  # a few lack cough or fever
    assert datasets.load_covid_israel(features="all").data.shape[1] == 8
    for wrong in ({"period": "may"}, {"features": "some"}):
        with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be .* got '{next(iter(wrong.values()))}'"):
            datasets.load_covid_israel(**wrong)


def test_fashion_mnist_pair_and_statistics(need):
    need("fashion_mnist")
    bunch = datasets.load_fashion_mnist(classes=(5, 0))
    assert bunch.target_names == ["Sandal", "T-shirt"] and bunch.data.shape == (14_000, 784)
    assert len(bunch.train) == 12_000 and len(bunch.test) == 2_000 and set(np.unique(bunch.target)) == {-1, 1}
    everything = datasets.load_fashion_mnist()
    train = everything.data[everything.train] / np.float32(255)
    assert abs(train.mean() - 0.2860) < 5e-5 and abs(train.std() - 0.3530) < 5e-5
    # the pair is the same pictures
    np.testing.assert_array_equal(bunch.data[bunch.target == 1], everything.data[everything.target == 0])


def test_classes_are_checked_before_anything_is_read(empty_machine):
    for load, count in ((datasets.load_fashion_mnist, 10), (datasets.load_covertype, 7)):
        for classes in ((3,), (1, 1), (0, count), (-1, 0)):
            with pytest.raises(ValueError, match=f"classes must be .* from 0 to {count - 1}"):
                load(classes=classes)


def test_cifar10_parts(need):
    need("cifar10")
    colour, pair = datasets.load_cifar10(part="colour"), datasets.load_cifar10()
    assert colour.data.shape == (6_000, 32, 32, 3) and np.bincount(colour.target).tolist() == [600] * 10
    assert len(colour.train) == 5_000 and len(pair.train) == 10_000
    # the first airplane of the sample is the first one of the pair, in grey
    first = colour.data[colour.train][colour.target[colour.train] == 0][0].reshape(-1, 3)
    grey = np.rint(first @ [0.299, 0.587, 0.114])
    np.testing.assert_array_equal(pair.data[pair.target == -1][0], grey)
    with pytest.raises(ValueError, match="part must be one of 'pair', 'colour', 'full', got 'grey'"):
        datasets.load_cifar10(part="grey")


def test_all_of_cifar10_is_the_published_set(need):
    need("cifar10", part="full")
    bunch = datasets.load_cifar10(part="full")
    assert bunch.data.shape == (60_000, 32, 32, 3) and bunch.train.tolist() == list(range(50_000))
    published = {
        "train": "47af8b02cfcfb6cdf3dbbd1969ad7f1b70f4413f6f80f437b020ee4e5bc8304a",
        "test": "f9b1e2130bab680db56eb06d886f7f1ad0f1183907ceff4659d1735c890f5b04",
    }
    for part, sha256 in published.items():
        assert hashlib.sha256(bunch.data[bunch[part]]).hexdigest() == sha256
        assert np.bincount(bunch.target[bunch[part]]).tolist() == [len(bunch[part]) // 10] * 10
    if datasets.available("cifar10n"):
        np.testing.assert_array_equal(datasets.load_cifar10n().target, bunch.target[:50_000])


def test_people_are_wrong_as_often_as_published(need):
    need("cifar10n")
    bunch = datasets.load_cifar10n()
    agree = (bunch.data == bunch.target[:, None]).mean(axis=0)
    assert bunch.feature_names == ["aggre", "random1", "random2", "random3", "worst"]
    np.testing.assert_allclose(agree, [0.9099, 0.8277, 0.8188, 0.8236, 0.5979], atol=5e-5)


def test_adult_has_words_gaps_and_groups(need):
    need("adult")
    bunch = datasets.load_adult()
    assert len(bunch.train) == 32_561 and len(bunch.test) == 16_281
    gaps = dict(zip(bunch.feature_names, np.isnan(bunch.data).sum(axis=0).tolist(), strict=True))
    assert {k: v for k, v in gaps.items() if v} == {"workclass": 2_799, "occupation": 2_809, "native_country": 857}
    assert bunch.codes["sex"] == ["Female", "Male"] and len(bunch.codes) == 8 and "?" not in bunch.codes["workclass"]
    words = [bunch.codes["race"][int(code)] for code in bunch.data[:50, bunch.feature_names.index("race")]]
    assert words == bunch.frame["race"][:50].tolist()


def test_mushroom_misses_stalk_roots_only(need):
    need("mushroom")
    bunch = datasets.load_mushroom()
    gaps = np.isnan(bunch.data).sum(axis=0)
    assert gaps[bunch.feature_names.index("stalk_root")] == gaps.sum() == 2_480
    # the one word that nearly tells the class: no smell (n), and the creosote, foul, … smells are poisonous
    odor = np.array(bunch.codes["odor"])[bunch.data[:, bunch.feature_names.index("odor")].astype(int)]
    assert (bunch.target[np.isin(odor, list("cfmpsy"))] == 1).all() and (
        bunch.target[np.isin(odor, list("al"))] == -1
    ).all()


def test_letters_keep_their_published_order(need):
    need("letter")
    bunch = datasets.load_letter()
    assert "".join(bunch.target_names[i] for i in bunch.target[:5]) == "TIDNG"
    assert bunch.data[0].tolist() == [2, 8, 3, 5, 1, 8, 13, 0, 6, 6, 10, 8, 0, 8, 0, 8]


def test_keel_tables(need):
    need("keel")
    for name in dataset("keel").parts:
        bunch = datasets.load_keel(name)
        assert set(np.unique(bunch.target)) == {-1, 1} and np.isfinite(bunch.data).all()
        assert bunch.data.shape == (len(bunch.target), len(bunch.feature_names))
    # the same women as in the other copy, in another order
    X, y = datasets.load_keel("pima", return_X_y=True)
    assert (y == 1).sum() == 268 and set(map(tuple, X[:, :6])) <= set(map(tuple, datasets.load_pima().data[:, :6]))
    assert datasets.load_keel("crx").codes["a1"] == ["a", "b"]


def test_unknown_keel_table_names_the_nearest(empty_machine):
    with pytest.raises(ValueError, match="unknown KEEL table 'bananas'; did you mean 'banana'"):
        datasets.load_keel("bananas")
    with pytest.raises(datasets.DatasetNotFound, match="keel/banana"):
        datasets.load_keel("banana")


def test_covertype_pair(need):
    need("covertype")
    bunch = datasets.load_covertype(classes=(1, 2))
    assert bunch.target_names == ["Lodgepole Pine", "Ponderosa Pine"] and set(np.unique(bunch.target)) == {-1, 1}
    if bunch.part == "sample":
        assert bunch.data.shape == (12_022 + 1_503, 54)
    assert (bunch.data[:, 10:14].sum(axis=1) == 1).all() and (bunch.data[:, 14:].sum(axis=1) == 1).all()
    with pytest.raises(ValueError, match=r"part must be .* got 'half'"):
        datasets.load_covertype(part="half")


@pytest.mark.parametrize("name", [name for name in EXPECTED if not dataset(name).built_in])
def test_missing_set_says_what_and_how(name, empty_machine):
    assert not datasets.available(name)
    with pytest.raises(datasets.DatasetNotFound) as error:
        LOADERS[name]()
    message = str(error.value)
    entry = dataset(name)
    assert repr(name) in message and "MARGINLOSS_DATA" in message and f"marginloss data {name} --fetch" in message
    assert f'from marginloss.companion.data import fetch; fetch("{name}")' in message
    assert any(file.path in message for part in entry.parts.values() for file in part)
    assert str(empty_machine) in message and isinstance(error.value, LookupError)


def test_built_in_sets_need_nothing(empty_machine):
    where = datasets.available()
    assert [name for name, place in where.items() if place] == ["breast_cancer", "xd6"]
    assert datasets.load_xd6().data.shape == (973, 9)
