import json
import re

import numpy as np
import pandas as pd
import pytest

from marginloss.companion.plotting import (
    METHODS,
    SliderFigure,
    band,
    figure,
    label_ends,
    method_style,
    quartiles,
    ramp,
)

plt = pytest.importorskip("matplotlib.pyplot")


def slider(**changes):
    arguments = {"name": "alpha", "xlabel": "margin", "ylim": (0, 1), "label": "weights <of> the loss"} | changes
    x = np.array([-1.0, 0.0, np.pi])
    return SliderFigure(x, [1, 2], {"w</script>": [x, x**2]}, fixed={"zero": 0 * x}, **arguments)


def test_slider_carries_its_numbers_and_cannot_break_out_of_the_script():
    page = slider()._repr_html_()
    assert page.count("</script>") == 1
    data = json.loads(re.search(r"json\">(.*)</script>", page).group(1))
    assert data["families"][0]["curves"][1] == [1.0, 0.0, round(np.pi**2, 4)]
    assert "weights &lt;of&gt; the loss" in page


def test_slider_shows_gaps_for_what_is_not_finite():
    figure = SliderFigure([0, 1], ["a"], [[np.inf, 2.0]], name="k", xlabel="x", ylim=(0, 1), label="gap")
    assert figure.data["families"][0]["curves"][0] == [None, 2.0]


def test_slider_refuses_a_missing_curve():
    with pytest.raises(ValueError, match="1 curves for 2 values of alpha"):
        SliderFigure([0, 1], [1, 2], [[0, 1]], name="alpha", xlabel="x", ylim=(0, 1), label="")


def test_no_two_methods_look_the_same_where_they_meet():
    boosters = [
        "AdaBoost",
        "AdaBoost.alpha",
        "PILBoost",
        "SmoothBoost",
        "MadaBoost",
        "LPBoost",
        "AdaLPBoost",
        "XGBoost",
    ]
    assert len({METHODS[name][:2] for name in boosters}) == len(boosters)
    assert len({METHODS[name][0] for name in boosters}) == len(boosters)


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="'nobody'"):
        method_style("nobody")
    with pytest.raises(ValueError, match="'huge'"):
        figure("huge")


def test_figures_share_one_width():
    fig, axes = figure("grid", 2, 3)
    assert axes.shape == (2, 3)
    assert fig.get_figwidth() <= 7.2
    plt.close(fig)
    assert len({(s["linestyle"], s["marker"]) for s in ramp(8)}) == 8


def test_band_is_the_mean_with_its_standard_error():
    table = pd.DataFrame({"x": [0.0, 0.0, 1.0, 1.0], "y": [1.0, 3.0, 2.0, 2.0]})
    fig, ax = figure("single")
    band(ax, table, "x", "y", color="black")
    np.testing.assert_allclose(ax.lines[0].get_ydata(), [2.0, 2.0])
    # the standard deviation of 1 and 3 is the square root of 2, over the root of two runs
    edges = ax.collections[0].get_paths()[0].vertices
    np.testing.assert_allclose([edges[:, 1].min(), edges[:, 1].max()], [2 - 1.96, 2 + 1.96])
    plt.close(fig)


def test_quartiles_are_the_median_and_the_middle_half_of_the_runs():
    table = pd.DataFrame({"depth": [5] * 5 + [1] * 5, "ours": [0.0, 1, 2, 3, 10, 4, 4, 4, 4, 4]})
    _, ax = figure()
    quartiles(ax, table, "depth", {"ours": {"color": "red"}})
    line, _, (bars,) = ax.containers[0]
    assert line.get_xydata().tolist() == [[0, 4], [1, 2]]
    assert bars.get_segments()[1].tolist() == [[1, 1], [1, 3]]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "5"]
    plt.close("all")


def test_labels_at_the_ends_keep_their_order_and_their_distance():
    fig, ax = figure("single")
    for name, end in {"low": 0.01, "high": 0.99, "top": 1.0, "lower": 0.0}.items():
        ax.plot([0, 1], [0, end], label=name)
    ax.axhline(0.5)
    ax.set_ylim(0, 1)
    label_ends(ax, gap=0.1)
    places = {text.get_text(): text.xy[1] for text in ax.texts}
    assert list(places) == ["lower", "low", "high", "top"]
    assert np.diff(list(places.values())).min() > 0.1 - 1e-12 and max(places.values()) <= 1
    plt.close(fig)
