"""A page that speaks of a data set which is not here still builds."""

import pytest

from marginloss.companion import results
from marginloss.companion.results import Recorded


def test_a_number_of_a_missing_data_set_is_a_dash(monkeypatch):
    monkeypatch.setattr(results, "available", lambda name: name != "compas")
    monkeypatch.setattr(results, "results", lambda scale: {})
    page = Recorded("index", "quick")
    assert page["zhai2021.fig-1a.gain_to_30"] == page["53_adalpboost/anything"] == "\N{EN DASH}"
    with pytest.raises(KeyError):
        page["sypherd2023.fig-5.gain"]  # its data are simulated
    with pytest.raises(KeyError):
        page["no_such.number"]
