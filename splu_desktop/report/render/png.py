"""Drawings as PNG, by Pillow, for documents that take no SVG."""

from __future__ import annotations

import io
import itertools

from PIL import Image, ImageDraw, ImageFont

from splu_desktop.files.disk.resources import resource_path
from splu_desktop.report.scene import Box, Dot, Item, Path, Scene, Words

_SCALE = 3  # pixels per point
_ANCHOR = {"start": "ls", "middle": "ms", "end": "rs"}


def as_png(scene: Scene) -> bytes:
    """Return the drawing as the bytes of a PNG file, three pixels to a point, on white."""
    image = Image.new("RGB", (round(scene.width * _SCALE), round(scene.height * _SCALE)), "#ffffff")
    for item in scene.items:
        _draw(image, item)
    made = io.BytesIO()
    image.save(made, "PNG", optimize=True)
    return made.getvalue()


def _draw(image: Image.Image, item: Item) -> None:
    draw = ImageDraw.Draw(image)
    if isinstance(item, Path):
        points = [(x * _SCALE, y * _SCALE) for x, y in item.points]
        width = max(1, round(item.width * _SCALE))
        if not item.dash:
            draw.line(points, fill=item.colour, width=width, joint="curve")
            return
        for (x, y), (to_x, to_y) in itertools.pairwise(points):
            _dashed(draw, (x, y, to_x, to_y), item.dash * _SCALE, item.colour, width)
    elif isinstance(item, Box):
        corner = (item.x * _SCALE, item.y * _SCALE)
        draw.rectangle([*corner, corner[0] + item.width * _SCALE, corner[1] + item.height * _SCALE], fill=item.colour)
    elif isinstance(item, Dot):
        x, y, size = item.x * _SCALE, item.y * _SCALE, item.size * _SCALE
        shape = draw.rectangle if item.square else draw.ellipse
        shape([x - size, y - size, x + size, y + size], fill=item.colour)
    else:
        _write(image, item)


def _dashed(
    draw: ImageDraw.ImageDraw, line: tuple[float, float, float, float], dash: float, colour: str, width: int
) -> None:
    x, y, to_x, to_y = line
    length = ((to_x - x) ** 2 + (to_y - y) ** 2) ** 0.5
    for number in range(0, int(length / dash) + 1, 2):
        start, end = number * dash / max(length, 1e-9), min((number + 1) * dash / max(length, 1e-9), 1.0)
        part = [(x + (to_x - x) * share, y + (to_y - y) * share) for share in (start, end)]
        draw.line(part, fill=colour, width=width)


def _write(image: Image.Image, words: Words) -> None:
    with resource_path("fonts/DejaVuSans.ttf").open("rb") as file:
        font = ImageFont.truetype(io.BytesIO(file.read()), round(words.size * _SCALE))
    x, y = words.x * _SCALE, words.y * _SCALE
    anchor = _ANCHOR[words.anchor]
    if not words.up:
        ImageDraw.Draw(image).text((x, y), words.text, fill=words.colour, font=font, anchor=anchor)
        return
    left, top, right, bottom = font.getbbox(words.text, anchor=anchor)
    width, height = round(right - left) + 4, round(bottom - top) + 4
    sheet = Image.new("L", (width, height), 0)
    ImageDraw.Draw(sheet).text((2 - left, 2 - top), words.text, fill=255, font=font, anchor=anchor)
    turned = sheet.rotate(90, expand=True)
    # What stood `left` of the anchor stands below it now, what stood above it stands left of it.
    place = round(x + top - 2), round(y - right - 2)
    image.paste(words.colour, place, turned)
