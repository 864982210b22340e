"""A part of a page that is as high as the page, whatever its words ask for; what has no room scrolls inside it."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget


class FillingBox(QWidget):
    """Fills the page from a least height on; with `least` 0 it is as high as its parts, and the page scrolls.

    A stack is as high as its highest page, the hidden ones too, so that those ask for nothing.
    """

    def __init__(self) -> None:
        super().__init__()
        self._least = 0

    def set_least(self, least: int) -> None:
        """Fill the page from so many pixels on."""
        self._least = least
        self.updateGeometry()

    def hasHeightForWidth(self) -> bool:
        # Where this is true a layout asks heightForWidth in place of sizeHint, and the least height would go unheard.
        return not self._least and super().hasHeightForWidth()

    def heightForWidth(self, width: int) -> int:
        # Qt's answer is what the parts prefer, which may be less than they need.
        layout = self.layout()
        least = layout.totalMinimumHeightForWidth(width) if layout is not None else 0
        return 0 if self.isHidden() else max(super().heightForWidth(width), least)

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        if self.isHidden():
            return QSize(0, 0)
        return QSize(hint.width(), self._least or hint.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0 if self.isHidden() else self._least or super().minimumSizeHint().height())
