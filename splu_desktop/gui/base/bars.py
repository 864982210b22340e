"""Ranges as bars in a table: what recipients will read, with the true count as a tick."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from splu_desktop.gui.base import theme
from splu_desktop.gui.base.models import BAR

_HIGH = 12  # pixels of a bar


@dataclass(frozen=True)
class Range:
    """A range on a scale from 0 to `top`.

    Attributes
    ----------
    truth : the true count, None where it is not shown.
    colour : name of a colour of the scheme with a soft ground; "" while it is being worked out, drawn grey.
    """

    low: float
    high: float
    top: float
    truth: float | None = None
    colour: str = "answerable"


def paint_range(painter: QPainter, where: QRectF, what: Range) -> None:
    """Draw a range with its groove."""
    c = theme.colours()
    middle, top = where.center().y(), max(what.top, 1e-9)

    def place(value: float) -> float:
        return where.left() + where.width() * min(max(value / top, 0.0), 1.0)

    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(c.sunken))
    painter.drawRoundedRect(QRectF(where.left(), middle - 2, where.width(), 4), 2, 2)
    colour = what.colour or "between"
    painter.setPen(QPen(QColor(getattr(c, colour)), 1))
    painter.setBrush(QColor(getattr(c, f"{colour}_soft")))
    low, high = place(what.low), place(what.high)
    painter.drawRoundedRect(QRectF(low, middle - _HIGH / 2, max(high - low, 3.0), _HIGH), 3, 3)
    if what.truth is not None:
        at = place(what.truth)
        painter.setPen(QPen(QColor(c.text), 2))
        painter.drawLine(int(at), int(middle - _HIGH / 2 - 3), int(at), int(middle + _HIGH / 2 + 3))
    painter.restore()


class RangeDelegate(QStyledItemDelegate):
    """Draws the `Range` that a field's `bar` gives, None for nothing."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        what = index.data(BAR)
        if isinstance(what, Range):
            paint_range(painter, QRectF(option.rect).adjusted(10, 0, -10, 0), what)

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(210, super().sizeHint(option, index).height())
