"""Drawings as PNG: what is filled has the area and the place that the drawing says."""

from __future__ import annotations

import math
import struct
import zlib

import numpy as np
import pytest

from splu_desktop.report.render.png import as_png
from splu_desktop.report.scene import Box, Dot, Item, Path, Scene, Words

PIXELS = 3  # to the point


def ink(*items: Item) -> np.ndarray:
    """How dark each pixel of a white drawing of 60 x 40 points is, 0 to 1, read back from the file."""
    scene = Scene(60, 40)
    scene.add(*items)
    data = as_png(scene)
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    parts, at = {}, 8
    while at < len(data):
        (size,), name = struct.unpack(">I", data[at : at + 4]), data[at + 4 : at + 8]
        parts[name] = data[at + 8 : at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size : at + 12 + size])[0] == zlib.crc32(name + parts[name])
        at += 12 + size
    wide, tall, depth, kind = struct.unpack(">IIBB", parts[b"IHDR"][:10])
    assert (wide, tall, depth, kind) == (60 * PIXELS, 40 * PIXELS, 8, 2)
    rows = np.frombuffer(zlib.decompress(parts[b"IDAT"]), np.uint8).reshape(tall, 1 + 3 * wide)
    assert not rows[:, 0].any()
    return 1 - rows[:, 1:].reshape(tall, wide, 3).mean(axis=2) / 255


@pytest.mark.parametrize(
    ("item", "area"),
    [
        (Box(5, 5, 20, 10.5, "#000000"), 210.0),
        (Box(-10, 30, 20, 20, "#000000"), 100.0),  # as far as it is on the paper
        (Dot(30, 20, 6, "#000000"), 36 * math.pi),
        (Dot(30, 20, 6, "#000000", square=True), 144.0),
        (Path(((5, 5), (45, 35)), "#000000", 2.0), 100.0),
        (Path(((5, 5), (5, 35)), "#000000", 2.0, 5.0), 30.0),
    ],
)
def test_a_shape_fills_its_area(item: Item, area: float) -> None:
    assert ink(item).sum() / PIXELS**2 == pytest.approx(area, rel=0.02)


def test_colours_cover_and_blend_by_the_share_of_a_pixel() -> None:
    drawn = ink(Box(0, 0, 60, 40, "#000000"), Box(10, 10, 10, 10.5, "#ffffff"))
    assert drawn[29, 45] == 1.0
    assert drawn[40, 45] == 0.0
    assert drawn[61, 45] == pytest.approx(0.5, abs=0.01)  # half of it


def test_letters_stand_at_their_baseline_and_anchor_and_turn() -> None:
    across = ink(Words(30, 20, "oo", "middle", 12.0, "#000000"))
    rows, columns = np.flatnonzero(across.any(axis=1)), np.flatnonzero(across.any(axis=0))
    assert rows.max() / PIXELS == pytest.approx(20, abs=0.7)
    assert columns.min() + columns.max() == pytest.approx(2 * 30 * PIXELS, abs=4)
    middle = (rows.min() + rows.max()) // 2
    inked = across[middle] > 0.5
    assert np.count_nonzero(np.diff(inked.astype(int)) == 1) == 4  # two letters, each with a hole
    up = ink(Words(30, 20, "oo", "middle", 12.0, "#000000", up=True))
    assert up.sum() == pytest.approx(across.sum(), rel=0.02)
    assert np.ptp(np.flatnonzero(up.any(axis=1))) == pytest.approx(np.ptp(columns), abs=1)
    other = ink(Words(5, 20, "\U0001f9a0", size=12.0, colour="#000000"))  # no letter of the font's
    assert other.any()
