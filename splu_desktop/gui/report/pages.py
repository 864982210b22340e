"""The pages of a report as they print: pictures of the same document that is saved."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QScrollArea, QWidget

from splu_desktop.gui.base import theme
from splu_desktop.gui.base.words import t

_GAP, _EDGE = 14, 14  # pixels between two pages, and around them
_WIDEST = 820


class _Sheets(QWidget):
    """All pages below one another; only those in sight are drawn."""

    def __init__(self) -> None:
        super().__init__()
        self._pages: Sequence[QImage] = ()
        self._wide = 0

    def show_pages(self, pages: Sequence[QImage], width: int) -> None:
        """Show pages as wide as there is room."""
        self._pages = pages
        self._wide = max(200, min(width - 2 * _EDGE, _WIDEST))
        high = _EDGE + sum(self._high(page) + _GAP for page in pages)
        self.setFixedSize(QSize(max(width, self._wide + 2 * _EDGE), high))
        self.update()

    def _high(self, page: QImage) -> int:
        return round(self._wide * page.height() / max(page.width(), 1))

    def page_at(self, y: int) -> int:
        """Return the number of the page at a height, from 1."""
        top = _EDGE
        for at, page in enumerate(self._pages):
            top += self._high(page) + _GAP
            if y < top:
                return at + 1
        return max(len(self._pages), 1)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        left, top = (self.width() - self._wide) / 2, float(_EDGE)
        for page in self._pages:
            box = QRectF(left, top, self._wide, self._high(page))
            top += self._high(page) + _GAP
            if not box.intersects(QRectF(event.rect())):
                continue
            fine = box.size().toSize() * self.devicePixelRatioF()
            mode = Qt.TransformationMode.SmoothTransformation
            painter.drawImage(box, page.scaled(fine, Qt.AspectRatioMode.IgnoreAspectRatio, mode))
            painter.setPen(QPen(QColor(theme.colours().line), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(box)
        painter.end()


class PagesView(QScrollArea):
    """The pages, scrolled. Signal `page_changed`: another page is in sight."""

    page_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(t("Report"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.pages: list[QImage] = []
        self.sheets = _Sheets()
        self.setWidget(self.sheets)
        self.sheets.setAutoFillBackground(False)
        self.verticalScrollBar().valueChanged.connect(lambda value: self.page_changed.emit())

    @property
    def page(self) -> int:
        """The number of the page in sight, from 1."""
        return self.sheets.page_at(self.verticalScrollBar().value() + self.viewport().height() // 2)

    def show_pages(self, pictures: Sequence[bytes], words: str) -> None:
        """Show pages from the bytes of their PNG; `words` is what a screen reader says of them."""
        at = self.verticalScrollBar().value()
        self.pages = [QImage.fromData(picture) for picture in pictures]
        self.sheets.show_pages(self.pages, self.viewport().width())
        self.setAccessibleDescription(words)
        self.verticalScrollBar().setValue(at)
        self.page_changed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.sheets.show_pages(self.pages, self.viewport().width())
