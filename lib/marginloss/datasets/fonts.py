"""Pictures of letters in two fonts: the stand-in for the Character Font Images of UCI."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marginloss._validation import check_integer, check_rng

__all__ = ["FONTS", "make_font_images"]

#: Fonts that matplotlib carries in four styles each (regular, bold, slanted, bold slanted).
FONTS = {
    "DejaVu Sans": ("DejaVuSans", "DejaVuSans-Bold", "DejaVuSans-Oblique", "DejaVuSans-BoldOblique"),
    "DejaVu Serif": ("DejaVuSerif", "DejaVuSerif-Bold", "DejaVuSerif-Italic", "DejaVuSerif-BoldItalic"),
    "DejaVu Sans Mono": (
        *("DejaVuSansMono", "DejaVuSansMono-Bold"),
        *("DejaVuSansMono-Oblique", "DejaVuSansMono-BoldOblique"),
    ),
    "STIX": ("STIXGeneral", "STIXGeneralBol", "STIXGeneralItalic", "STIXGeneralBolIta"),
}

# digits, Latin letters with accents, Greek and Cyrillic: characters that all four fonts have
_CHARACTERS = "".join(
    chr(code)
    for low, high in ((0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A), (0xC0, 0xD6), (0xD8, 0xF6), (0xF8, 0xFF))
    for code in range(low, high + 1)
) + "".join(chr(code) for low, high in ((0x3B1, 0x3C9), (0x410, 0x44F)) for code in range(low, high + 1))

_SIDE = 20
_TURN = 6.0  # largest rotation in degrees


def make_font_images(
    n: int, rng: Any, *, fonts: Sequence[str] = ("DejaVu Serif", "DejaVu Sans")
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Render letters in two fonts as grey pictures of 20 × 20 pixels; the class is the font.

    A stand-in for the Character Font Images of UCI (used by amid2019), made the same way: characters of many
    alphabets in several strengths and slants, cropped to the ink and scaled to 20 × 20. Every picture draws its
    character, its style, its size and a slight rotation.

    Needs Pillow and the fonts that matplotlib carries: the extra ``book``.

    Parameters
    ----------
    n : int
        Number of pictures.
    rng : numpy.random.Generator or int
        Generator or seed.
    fonts : sequence of two names, default=("DejaVu Serif", "DejaVu Sans")
        Fonts of the classes −1 and +1, from ``FONTS``.

    Returns
    -------
    X : ndarray of shape (n, 400)
        Ink from 0 to 255, row by row.
    y : ndarray of shape (n,)
        Labels −1/+1.
    """
    n, generator = check_integer("n", n, 1), check_rng(rng)
    if isinstance(fonts, str) or len(fonts) != 2 or any(name not in FONTS for name in fonts) or len(set(fonts)) != 2:
        raise ValueError(f"fonts must be two different names of {list(FONTS)}, got {fonts!r}")
    try:
        from matplotlib import get_data_path
        from PIL import Image, ImageDraw, ImageFont
    except ImportError as error:
        raise ImportError("make_font_images needs matplotlib: pip install '.[book]' in a clone") from error

    folder = Path(get_data_path(), "fonts", "ttf")
    sizes = (32, 40, 48)
    faces = {
        (name, style, size): ImageFont.truetype(str(folder / f"{file}.ttf"), size)
        for name in fonts
        for style, file in enumerate(FONTS[name])
        for size in sizes
    }
    y = 2 * generator.integers(0, 2, n) - 1
    characters = generator.integers(0, len(_CHARACTERS), n)
    styles, chosen = generator.integers(0, 4, n), generator.integers(0, len(sizes), n)
    turns = generator.uniform(-_TURN, _TURN, n)
    X = np.empty((n, _SIDE * _SIDE), dtype=np.uint8)
    for i in range(n):
        face = faces[fonts[(y[i] + 1) // 2], int(styles[i]), sizes[chosen[i]]]
        canvas = Image.new("L", (112, 112))
        ImageDraw.Draw(canvas).text((56, 56), _CHARACTERS[characters[i]], fill=255, font=face, anchor="mm")
        turned = canvas.rotate(turns[i], resample=Image.Resampling.BILINEAR)
        glyph = turned.crop(turned.getbbox()).resize((_SIDE, _SIDE), Image.Resampling.BOX)
        X[i] = np.asarray(glyph, dtype=np.uint8).ravel()
    return X, y
