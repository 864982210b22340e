"""A part of a page that is as high as the page, whatever its words ask for; what has no room scrolls inside it."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget


class Fitted(QWidget):
    """Fills the page from a least height on; with `least` 0 it is as high as its parts, and the page scrolls."""

    def __init__(self) -> None:
        super().__init__()
        self._least = 0

    def set_least(self, least: int) -> None:
        """Fill the page from so many pixels on."""
        self._least = least
        self.updateGeometry()

    def hasHeightForWidth(self) -> bool:
        return not self._least and super().hasHeightForWidth()

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        return QSize(hint.width(), self._least) if self._least else hint

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self._least or super().minimumSizeHint().height())
