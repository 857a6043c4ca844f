import base64
import json
import re
from pathlib import Path

import numpy as np
import pytest

from marginloss.companion.explorer import Control, Curve, CurvePanel, Explorer, ImagePanel
from marginloss.losses import AlphaLoss

ALPHA = Control("alpha", "α", [0.5, 1.0, 2.0], start=1.0)
SHIFT = Control("shift", "shift", [0.0, 1.0], start=0.5)


def panel(curves):
    return CurvePanel("loss", "margin", "loss", np.linspace(-3, 3, 7), (0, 4), curves)


def test_tables_hold_the_functions_at_every_node_with_the_last_control_fastest():
    page = Explorer(
        [ALPHA, SHIFT],
        [[panel([Curve("l", ["alpha", "shift"], lambda z, alpha, shift: AlphaLoss(alpha).value(z) + shift)])]],
        label="losses",
    )
    table = np.array(page.data["groups"][0][0]["curves"][0]["table"])
    assert table.shape == (6, 7)
    z = np.linspace(-3, 3, 7)
    np.testing.assert_allclose(table[5], np.clip(AlphaLoss(2).value(z) + 1, None, 16), rtol=5e-4)
    np.testing.assert_allclose(table[1], np.clip(AlphaLoss(0.5).value(z) + 1, None, 16), rtol=5e-4)


def test_infinities_are_clipped_outside_the_frame():
    page = Explorer([], [[panel([Curve("inf", [], lambda z: np.full_like(z, np.inf))])]], label="")
    assert set(page.data["groups"][0][0]["curves"][0]["table"][0]) == {16.0}


def test_maps_are_bytes_row_by_row():
    plane = ImagePanel("map", "x", "y", [0.0, 1.0, 2.0], [0.0, 1.0], ["shift"], lambda x, y, shift: x + 10 * y + shift)
    data = Explorer([SHIFT], [[plane]], label="").data["groups"][0][0]
    pixels = np.frombuffer(base64.b64decode(data["bytes"]), np.uint8).reshape(2, *data["shape"])
    assert data["shape"] == [2, 3]
    np.testing.assert_array_equal(pixels[0], np.round(255 * np.array([[0, 1, 2], [10, 11, 12]]) / 12))


def test_the_page_is_one_element_with_its_numbers():
    page = Explorer(
        [ALPHA], [[panel([Curve("a < b", ["alpha"], lambda z, alpha: alpha * z)])]], label='say "so"'
    )._repr_html_()
    assert "&quot;so&quot;" in page
    assert page.count("</script>") == 1
    json.loads(re.search(r"json\">(.*)</script>", page).group(1))


def test_the_script_holds_no_formula():
    script = (Path(__file__).parents[2] / "chapters/_static/explorer.js").read_text("utf-8")
    assert "interpolates linearly" in script
    assert re.findall(r"Math\.(?!min|max|floor|round)\w+|\*\*", script) == []


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="'alpha' must increase"):
        Control("alpha", "α", [2.0, 1.0], start=1.5)
    with pytest.raises(ValueError, match="start of control 'alpha'"):
        Control("alpha", "α", [1.0, 2.0], start=3.0)
    with pytest.raises(ValueError, match="no control is called 'beta'"):
        Explorer([ALPHA], [[panel([Curve("l", ["beta"], lambda z, beta: z)])]], label="")
