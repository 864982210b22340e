"""The heat map of a cross-table as a picture. Runs in the worker."""

from __future__ import annotations

import math
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgGenerator

from splu_desktop.core.progress import Progress
from splu_desktop.core.query.crosstab_grid import CrosstabGrid
from splu_desktop.core.query.reader import sentence
from splu_desktop.files.disk.whole import CannotWrite, whole_file
from splu_desktop.frozen import dataclass
from splu_desktop.gui.base import theme
from splu_desktop.gui.base.words import beside, filled, t, told
from splu_desktop.gui.query.crosstab.model import Heat

_SCALE = 2.0  # pixels of a PNG for each unit
_MOST_PIXELS = 12_000  # along one side
_PAD = 8.0


@dataclass(frozen=True, eq=False)
class CrosstabPicture:
    """A heat map to be drawn, frozen on the window's thread; what costs time is made in the worker.

    Attributes
    ----------
    title : above the map.
    across, down : headers.
    heat : the cells.
    note : below the map.
    font : of the window.
    """

    title: str
    across: tuple[str, ...]
    down: tuple[str, ...]
    heat: Heat
    note: str
    font: QFont


def title_of(grid: CrosstabGrid, *, share: bool = False) -> str:
    """Return what a cross-table shows, in words."""
    columns = [side.column for side in grid.wanted.sides] + [grid.wanted.sa]
    words = filled(
        t("Estimated shares of records by {columns}") if share else t("Estimated records by {columns}"),
        columns=beside(columns, " × "),
    )
    return f"{words}. {told(sentence(grid.wanted.within))}" if grid.wanted.within else words


def write_picture(picture: CrosstabPicture, path: Path, progress: Progress) -> None:
    """Write a heat map as PNG or SVG, by the file's ending. Raises CannotWrite; Cancelled."""
    progress.report("Drawing", 0.0)
    rows = picture.heat.rows()
    texts = [[picture.heat.text(*place) for place in row] for row in rows]
    metrics = QFontMetricsF(picture.font)
    height = metrics.height() + 8
    first = min(300.0, max(map(metrics.horizontalAdvance, ("", *picture.down))) + 2 * _PAD)
    wide = [
        min(
            220.0,
            max(metrics.horizontalAdvance(text) for text in (name, *(row[at] for row in texts))) + 2 * _PAD,
        )
        for at, name in enumerate(picture.across)
    ]
    size = QSize(
        math.ceil(max(first + sum(wide), metrics.horizontalAdvance(picture.title)) + 2 * _PAD),
        math.ceil(height * (len(picture.down) + 3.5) + 2 * _PAD),
    )
    buffer = QBuffer()  # Qt itself does not say that a disk was full
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if path.suffix.lower() == ".svg":
        drawn = QSvgGenerator()
        drawn.setOutputDevice(buffer)
        drawn.setSize(size)
        drawn.setViewBox(QRectF(0, 0, size.width(), size.height()))
        drawn.setTitle(picture.title)
        painter = QPainter(drawn)
        _draw(painter, picture, texts, size, height, first, wide, progress)
        painter.end()
    else:
        scale = min(_SCALE, _MOST_PIXELS / max(size.width(), size.height()))
        if scale < 1.0:
            raise CannotWrite(t("The table is too large for a PNG; save it as SVG, or show fewer cells."))
        image = QImage(size * scale, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(scale)
        painter = QPainter(image)
        _draw(painter, picture, texts, size, height, first, wide, progress)
        painter.end()
        QImageWriter(buffer, QByteArray(b"png")).write(image)
    with whole_file(path, overwrite=True) as partial:
        partial.write_bytes(buffer.data().data())


def _draw(
    painter: QPainter,
    picture: CrosstabPicture,
    texts: list[list[str]],
    size: QSize,
    height: float,
    first: float,
    wide: list[float],
    progress: Progress,
) -> None:
    light = theme.LIGHT  # always the light colours, which print
    metrics = QFontMetricsF(picture.font)
    painter.fillRect(QRectF(0, 0, size.width(), size.height()), QColor("#ffffff"))
    painter.setFont(picture.font)

    def write(x: float, y: float, width: float, text: str, colour: str, right: bool) -> None:
        painter.setPen(QColor(colour))
        side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, width)
        painter.drawText(QRectF(x, y, width, height), int(side | Qt.AlignmentFlag.AlignVCenter), shown)

    top = _PAD
    write(_PAD, top, size.width() - 2 * _PAD, picture.title, "#1b252f", False)
    top += height * 1.2
    x = _PAD + first
    for width, name in zip(wide, picture.across, strict=True):
        write(x + _PAD / 2, top, width - _PAD, name, "#52606d", True)
        x += width
    for row, (name, places) in enumerate(zip(picture.down, picture.heat.rows(), strict=True)):
        progress.report("Drawing", row / len(picture.down))
        top += height
        write(_PAD, top, first - _PAD, name, "#1b252f", False)
        x = _PAD + first
        for place, width, text in zip(places, wide, texts[row], strict=True):
            painter.fillRect(QRectF(x, top, width - 1, height - 1), picture.heat.ground(*place, light))
            ink = light.protected if picture.heat.protected(*place) else light.text
            write(x + _PAD / 2, top, width - _PAD, text, ink, True)
            x += width
    write(_PAD, top + height * 1.2, size.width() - 2 * _PAD, picture.note, "#52606d", False)
