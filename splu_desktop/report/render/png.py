"""Drawings as PNG, for who asks from a command line: outlines filled by NumPy, letters from the bundled font. No Qt.

An outline is filled where it winds around a point (non-zero rule), told at 4 x 4 points of each pixel.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from fontTools.pens.basePen import BasePen
from fontTools.ttLib import TTFont
from numpy.typing import NDArray

from splu_desktop.files.disk.resources import resource_path
from splu_desktop.report.render import fonts
from splu_desktop.report.scene import Box, Dot, Item, Path, Scene, Words

_SCALE = 3.0  # pixels per point
_FINE = 4  # points of a pixel that are told along each side
_ROUND = np.exp(2j * np.pi * np.arange(32) / 32)
_BEND = np.array([0.25, 0.5, 0.75, 1.0])

Floats = NDArray[np.float64]
Outlines = Sequence[Floats]  # closed, each (K, 2)


def as_png(scene: Scene) -> bytes:
    """Return a drawing as the bytes of a PNG, `_SCALE` pixels to the point, white where nothing is drawn."""
    canvas = np.full((round(scene.height * _SCALE), round(scene.width * _SCALE), 3), 255.0)
    with TTFont(resource_path(f"fonts/{fonts.REGULAR}")) as font:
        letters = _Letters(font)
        for item in scene.items:
            outlines = letters.outlines(item) if isinstance(item, Words) else _outlines(item)
            _fill(canvas, [each * _SCALE for each in outlines], item.colour)
    rows = np.rint(canvas).astype(np.uint8).reshape(len(canvas), -1)
    data = np.pad(rows, ((0, 0), (1, 0))).tobytes()  # each row after a byte that says it is not filtered
    head = struct.pack(">IIBBBBB", canvas.shape[1], canvas.shape[0], 8, 2, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(data)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(part)) + name + part + struct.pack(">I", zlib.crc32(name + part)) for name, part in parts
    )


def _fill(canvas: Floats, outlines: Outlines, colour: str) -> None:
    outlines = [each for each in outlines if len(each) > 2]
    if not outlines:
        return
    every = np.concatenate(outlines)
    low = np.maximum(np.floor(every.min(axis=0)), 0).astype(int)
    high = np.minimum(np.ceil(every.max(axis=0)), canvas.shape[1::-1]).astype(int)
    if (high <= low).any():
        return
    wide, tall = (high - low) * _FINE
    start = (every - low) * _FINE
    end = (np.concatenate([np.roll(each, -1, axis=0) for each in outlines]) - low) * _FINE
    first, last = (np.clip(np.ceil(np.stack([start[:, 1], end[:, 1]]) - 0.5).astype(int), 0, tall)[at] for at in (0, 1))
    many = np.abs(last - first)
    edge = np.repeat(np.arange(len(every)), many)
    row = np.arange(len(edge)) - np.repeat(np.cumsum(many) - many, many) + np.minimum(first, last)[edge]
    (x, y), (along, down) = start[edge].T, (end - start)[edge].T
    column = np.clip(np.ceil(x + (row + 0.5 - y) * along / down - 0.5), 0, wide).astype(int)
    turns = np.zeros((tall, wide + 1), np.int16)
    np.add.at(turns, (row, column), np.sign(down).astype(np.int16))
    inside = turns.cumsum(axis=1, dtype=np.int16)[:, :wide] != 0
    share = inside.reshape(tall // _FINE, _FINE, wide // _FINE, _FINE).mean(axis=(1, 3))[:, :, None]
    part = canvas[low[1] : high[1], low[0] : high[0]]
    part += share * (np.array(list(bytes.fromhex(colour[1:]))) - part)


def _outlines(item: Item) -> Outlines:
    """Return what is to be filled of a shape, in points."""
    if isinstance(item, Box):
        return [_box(item.x, item.y, item.x + item.width, item.y + item.height)]
    if isinstance(item, Dot):
        s = item.size
        if item.square:
            return [_box(item.x - s, item.y - s, item.x + s, item.y + s)]
        return [np.column_stack([item.x + s * _ROUND.real, item.y + s * _ROUND.imag])]
    assert isinstance(item, Path)
    return [_stroke(start, end, item.width) for start, end in _dashes(np.array(item.points), item.dash)]


def _box(left: float, top: float, right: float, bottom: float) -> Floats:
    return np.array([(left, top), (right, top), (right, bottom), (left, bottom)])


def _dashes(points: Floats, dash: float) -> list[tuple[Floats, Floats]]:
    """Return the pieces of a line that are drawn; dashes begin anew in each of its parts."""
    pieces = []
    for start, end in pairwise(points):
        length = float(np.hypot(*(end - start)))
        for at in np.arange(0.0, length, 2 * dash) if dash else [0.0]:
            to = min(at + dash, length) if dash else length
            pieces.append((start + (end - start) * at / (length or 1.0), start + (end - start) * to / (length or 1.0)))
    return pieces


def _stroke(start: Floats, end: Floats, width: float) -> Floats:
    along = end - start
    along = along / (np.hypot(*along) or 1.0) * width / 2
    across = np.array([-along[1], along[0]])
    return np.array([start + across, end + across, end - across, start - across])


class _Contours(BasePen):  # type: ignore[misc]
    """Takes a letter's outlines, curves as short lines."""

    def __init__(self, letters: Any) -> None:
        super().__init__(letters)
        self.found: list[list[Any]] = []

    def _moveTo(self, pt: Any) -> None:  # noqa: N802 - fontTools' names
        self.found.append([pt])

    def _lineTo(self, pt: Any) -> None:  # noqa: N802
        self.found[-1].append(pt)

    def _qCurveToOne(self, pt1: Any, pt2: Any) -> None:  # noqa: N802
        start, middle, end = np.array(self.found[-1][-1]), np.array(pt1), np.array(pt2)
        t = _BEND[:, None]
        self.found[-1] += list((1 - t) ** 2 * start + 2 * t * (1 - t) * middle + t**2 * end)


class _Letters:
    """Writes in the bundled font, which has Latin, Greek and Cyrillic; another letter stands as its empty box."""

    def __init__(self, font: TTFont) -> None:
        self._names, self._glyphs = font.getBestCmap(), font.getGlyphSet()
        self._unit = float(font["head"].unitsPerEm)
        self._drawn: dict[str, tuple[Outlines, float]] = {}

    def _letter(self, letter: str) -> tuple[Outlines, float]:
        """Return the outlines of a letter of size 1, up being negative, and how far it goes on."""
        if letter not in self._drawn:
            glyph, pen = self._glyphs[self._names.get(ord(letter), ".notdef")], _Contours(self._glyphs)
            glyph.draw(pen)
            outlines = [np.array(each) * (1, -1) / self._unit for each in pen.found]
            self._drawn[letter] = outlines, glyph.width / self._unit
        return self._drawn[letter]

    def outlines(self, words: Words) -> Outlines:
        """Return the outlines of a line of text, in points."""
        found, at = [], 0.0
        for letter in words.text:
            outlines, width = self._letter(letter)
            found += [np.add(each, (at, 0.0)) for each in outlines]
            at += width
        start = {"start": 0.0, "middle": at / 2, "end": at}[words.anchor]
        placed = [np.subtract(each, (start, 0.0)) * words.size for each in found]
        if words.up:
            placed = [np.column_stack([each[:, 1], -each[:, 0]]) for each in placed]
        return [np.add(each, (words.x, words.y)) for each in placed]
