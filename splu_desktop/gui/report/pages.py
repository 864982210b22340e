"""The pages of a report as they print: pictures of the same document that is saved."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from splu_desktop.gui.base import theme
from splu_desktop.gui.base.widgets import ScrollArea, empty, margins, put
from splu_desktop.gui.base.words import t

_GAP = 14  # pixels between two pages, and around them
_WIDEST = 820


class _Sheet(QWidget):
    """One page, as wide as there is room; Qt draws it once it is in sight."""

    def __init__(self, page: QImage) -> None:
        super().__init__()
        self.page = page
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        # Without it no layout asks heightForWidth, and a sheet has no height.
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def heightForWidth(self, width: int) -> int:
        return round(min(width, _WIDEST) * self.page.height() / max(self.page.width(), 1))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, wide = QPainter(self), min(self.width(), _WIDEST)
        box = QRectF((self.width() - wide) / 2, 0, wide, self.height())
        # In pixels of the screen, of which a window at 200 % has two for each of its own.
        fine = box.size().toSize() * self.devicePixelRatioF()
        mode = Qt.TransformationMode.SmoothTransformation
        painter.drawImage(box, self.page.scaled(fine, Qt.AspectRatioMode.IgnoreAspectRatio, mode))
        painter.setPen(QPen(QColor(theme.colours().line), 1))
        # Qt draws the lines at the right and below one pixel outside a rectangle.
        painter.drawRect(box.adjusted(0, 0, -1, -1))
        painter.end()


class PagesView(ScrollArea):
    """The pages, scrolled. Signal `page_changed`: another page is in sight."""

    page_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(t("Report"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        inside = QWidget()
        self.above, self._column = QVBoxLayout(), margins(QVBoxLayout(), 0, spacing=_GAP)
        put(margins(QVBoxLayout(inside), _GAP, spacing=_GAP), self.above, (self._column, 1))
        self.setWidget(inside)
        self._sheets: list[_Sheet] = []
        self.verticalScrollBar().valueChanged.connect(lambda value: self.page_changed.emit())

    @property
    def pages(self) -> list[QImage]:
        """The pages."""
        return [sheet.page for sheet in self._sheets]

    @property
    def page(self) -> int:
        """The number of the page in sight, from 1."""
        middle = self.verticalScrollBar().value() + self.viewport().height() // 2
        return 1 + sum(sheet.geometry().bottom() + _GAP <= middle for sheet in self._sheets[:-1])

    def show_pages(self, pictures: Sequence[bytes], words: str) -> None:
        """Show pages from the bytes of their PNG; `words` is what a screen reader says of them."""
        at = self.verticalScrollBar().value()
        empty(self._column)
        self._sheets = [_Sheet(QImage.fromData(picture)) for picture in pictures]
        for sheet in self._sheets:
            self._column.addWidget(sheet)
        self._column.addStretch(1)
        self.setAccessibleDescription(words)
        self._column.activate()
        self.verticalScrollBar().setValue(at)
        self.page_changed.emit()
