"""What all classifiers check alike: the weights of classes, and logarithms of probabilities."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from marginloss._validation import MarginlossClassifier


class Weighed(MarginlossClassifier, BaseEstimator):
    def __init__(self, class_weight=None):
        self.class_weight = class_weight

    def fit(self, X, y, sample_weight=None):
        _, self.codes_, self.weight_ = self._check_training(X, y, sample_weight)
        return self


X = np.arange(5.0)[:, None]
Y = np.array(["a", "b", "b", "c", "c"])


@pytest.mark.parametrize("sample_weight", [None, [1.0, 0.0, 2.0, 3.0, 0.5]])
def test_balanced_classes_weigh_the_same_and_the_sum_stays(sample_weight):
    model = Weighed("balanced").fit(X, Y, sample_weight)
    sums = np.bincount(model.codes_, model.weight_)
    np.testing.assert_allclose(sums, (5 if sample_weight is None else 6.5) / 3)


def test_a_dict_multiplies_the_weights_of_its_classes():
    np.testing.assert_array_equal(Weighed({"b": 3.0}).fit(X, Y, [1, 2, 1, 1, 1]).weight_, [1, 6, 3, 1, 1])


@pytest.mark.parametrize("given", ["even", 2.0, {"a": -1.0}, {"a": 0.0}, {"a": np.nan}, {"z": 2.0}], ids=repr)
def test_other_weights_of_classes_are_refused(given):
    with pytest.raises(ValueError, match="class_weight"):
        Weighed(given).fit(X, Y)


def test_logarithms_of_probabilities_exist_where_probabilities_do():
    class Certain(Weighed):
        def predict_proba(self, X):
            return np.tile([1.0, 0.0], (len(X), 1))

    assert not hasattr(Weighed(), "predict_log_proba")
    np.testing.assert_array_equal(Certain().predict_log_proba(X[:1]), [[0.0, -np.inf]])
