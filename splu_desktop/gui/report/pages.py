"""The pages of a report as they print, drawn from the same layout that is written to PDF."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPainter, QPaintEvent, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QScrollArea, QWidget

from splu_desktop.files.disk.resources import resource_path
from splu_desktop.gui.base import theme
from splu_desktop.gui.base.words import t
from splu_desktop.report.render import fonts
from splu_desktop.report.render.page import Drawing, Fill, PdfLayout, PdfPage, Text
from splu_desktop.report.scene import Box, Dot, Path, Scene, Words

_GAP, _EDGE = 14, 14  # pixels between two pages, and around them
_WIDEST = 820


@lru_cache(maxsize=2)
def _family(name: str) -> str:
    """Return the family of a font that came with the program, as Qt knows it; the window's own where it can't be."""
    number = QFontDatabase.addApplicationFont(str(resource_path(f"fonts/{name}")))
    families = QFontDatabase.applicationFontFamilies(number) if number >= 0 else []
    return families[0] if families else QFont().family()


def _font(size: float, bold: bool, scale: float) -> QFont:
    font = QFont(_family(fonts.BOLD if bold else fonts.REGULAR))
    font.setBold(bold)
    # A font has whole pixels on screen; drawn a hundred times larger, widths are those of the printed page.
    font.setPixelSize(max(1, round(size * scale)))
    return font


_FINE = 20.0  # by which letters are drawn larger and then scaled, so that their widths are those of the page


def paint_page(painter: QPainter, page: PdfPage) -> None:
    """Draw a page in points."""
    for op in page.ops:
        if isinstance(op, Fill):
            painter.fillRect(QRectF(op.x, op.y, op.width, op.height), QColor(op.colour))
        elif isinstance(op, Text):
            _write(painter, op.x, op.y, op.text, op.size, op.colour, bold=op.bold)
        elif isinstance(op, Drawing):
            painter.save()
            painter.translate(op.x, op.y)
            painter.scale(op.scale, op.scale)
            _paint_scene(painter, op.scene)
            painter.restore()


def _write(
    painter: QPainter,
    x: float,
    y: float,
    text: str,
    size: float,
    colour: str,
    *,
    bold: bool = False,
    anchor: str = "start",
) -> None:
    painter.save()
    painter.setPen(QColor(colour))
    painter.setFont(_font(size, bold, _FINE))
    wide = painter.fontMetrics().horizontalAdvance(text) / _FINE
    painter.translate(x - {"start": 0.0, "middle": wide / 2, "end": wide}.get(anchor, 0.0), y)
    painter.scale(1 / _FINE, 1 / _FINE)
    painter.drawText(QPointF(0, 0), text)
    painter.restore()


def _paint_scene(painter: QPainter, scene: Scene) -> None:
    for item in scene.items:
        if isinstance(item, Box):
            painter.fillRect(QRectF(item.x, item.y, item.width, item.height), QColor(item.colour))
        elif isinstance(item, Path):
            pen = QPen(QColor(item.colour), item.width)
            if item.dash:
                pen.setDashPattern([item.dash / item.width, item.dash / item.width])
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawPolyline(QPolygonF([QPointF(*point) for point in item.points]))
        elif isinstance(item, Dot):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(item.colour))
            box = QRectF(item.x - item.size, item.y - item.size, 2 * item.size, 2 * item.size)
            painter.drawRect(box) if item.square else painter.drawEllipse(box)
        elif isinstance(item, Words):
            painter.save()
            painter.translate(item.x, item.y)
            if item.up:
                painter.rotate(-90)
            _write(painter, 0, 0, item.text, item.size, item.colour, anchor=item.anchor)
            painter.restore()


class _Sheets(QWidget):
    """All pages below one another; only those in sight are drawn."""

    def __init__(self) -> None:
        super().__init__()
        self._layout: PdfLayout | None = None
        self.scale = 1.0

    def show_layout(self, layout: PdfLayout | None, width: int) -> None:
        self._layout = layout
        if layout is not None and layout.pages:
            wide = max(200, min(width - 2 * _EDGE, _WIDEST))
            self.scale = wide / layout.width
            high = _EDGE + len(layout.pages) * (round(layout.height * self.scale) + _GAP)
            self.setFixedSize(QSize(max(width, wide + 2 * _EDGE), high))
        self.update()

    def top_of(self, page: int) -> int:
        """Return where a page begins."""
        high = 0 if self._layout is None else round(self._layout.height * self.scale)
        return _EDGE + page * (high + _GAP)

    def paintEvent(self, event: QPaintEvent) -> None:
        layout = self._layout
        if layout is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        wide, high = layout.width * self.scale, layout.height * self.scale
        left = (self.width() - wide) / 2
        for at, page in enumerate(layout.pages):
            box = QRectF(left, self.top_of(at), wide, high)
            if not box.intersects(QRectF(event.rect())):
                continue
            painter.setPen(QPen(QColor(theme.colours().line), 1))
            painter.setBrush(QColor(theme.LIGHT.card))  # paper, in any scheme
            painter.drawRect(box)
            painter.save()
            painter.setClipRect(box)
            painter.translate(box.topLeft())
            painter.scale(self.scale, self.scale)
            paint_page(painter, page)
            painter.restore()
        painter.end()


class PagesView(QScrollArea):
    """The pages, scrolled. Signal `page_changed` (number of the page in sight, from 1)."""

    page_changed = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("look", "pages")
        self.setAccessibleName(t("The report as it prints"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._layout: PdfLayout | None = None
        self.sheets = _Sheets()
        self.setWidget(self.sheets)
        self.verticalScrollBar().valueChanged.connect(lambda value: self.page_changed.emit(self.page))

    @property
    def page(self) -> int:
        """The number of the page in sight, from 1."""
        if self._layout is None or not self._layout.pages:
            return 1
        step = self.sheets.top_of(1) - self.sheets.top_of(0)
        middle = self.verticalScrollBar().value() + self.viewport().height() // 2
        return min(max(1, 1 + (middle - _EDGE) // max(step, 1)), len(self._layout.pages))

    def show_pages(self, layout: PdfLayout | None, words: str) -> None:
        """Show pages; `words` is their text for a screen reader."""
        at = self.verticalScrollBar().value()
        self._layout = layout
        self.sheets.show_layout(layout, self.viewport().width())
        self.setAccessibleDescription(words)
        self.verticalScrollBar().setValue(at)
        self.page_changed.emit(self.page)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.sheets.show_layout(self._layout, self.viewport().width())


def words_of(layout: PdfLayout) -> str:
    """Return the text of the first two pages, which are those to be signed."""
    return " ".join(op.text for page in layout.pages[:2] for op in page.ops if isinstance(op, Text) and op.node)
