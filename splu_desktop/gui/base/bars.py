"""Bars of a column's values, with labels and counts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from splu_desktop.core.messages import isolated
from splu_desktop.core.table import Column
from splu_desktop.frozen import dataclass
from splu_desktop.gui.base import theme
from splu_desktop.gui.base.words import joined, number, show_tip, t

_ROWS = 14


@dataclass(frozen=True)
class Bars:
    """A column as bars.

    Attributes
    ----------
    labels, counts : in the column's order where all are shown, else the most frequent first.
    values : how many values the column has, shown or not.
    """

    labels: tuple[str, ...]
    counts: tuple[int, ...]
    values: int

    @classmethod
    def of(cls, column: Column, most: int = _ROWS, *, in_order: bool = False) -> Bars:
        """Return the bars of a column, `most` of them at most; `in_order` keeps the column's order even so."""
        counts = column.counts()
        used = np.flatnonzero(counts > 0)
        order = used if in_order or len(used) <= _ROWS else used[np.argsort(-counts[used], kind="stable")]
        order = order[:most]
        return cls(tuple(str(column.labels[i]) for i in order), tuple(int(counts[i]) for i in order), len(used))

    @classmethod
    def of_counts(
        cls, labels: Sequence[str], before: NDArray[np.int64], after: NDArray[np.int64], most: int = _ROWS
    ) -> tuple[Bars, Bars]:
        """Return the bars of two counts of the same values, `most` of them at most, chosen by the first."""
        used = np.flatnonzero((before > 0) | (after > 0))
        order = used if len(used) <= most else used[np.argsort(-before[used], kind="stable")][:most]
        names = tuple(str(labels[i]) for i in order)
        first, second = (
            cls(names, tuple(int(counts[i]) for i in order), int(np.count_nonzero(counts)))
            for counts in (before, after)
        )
        return first, second

    def beside(self, column: Column) -> Bars:
        """Return the bars of another column for the same labels, 0 where it has none."""
        counts = column.counts()
        place = {str(label): code for code, label in enumerate(column.labels.tolist())}
        found = tuple(int(counts[place[label]]) if label in place else 0 for label in self.labels)
        return Bars(self.labels, found, int(np.count_nonzero(counts)))


class BarsView(QWidget):
    """Bars with their labels and counts, one under the other."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name, self._bars, self._hue, self._top = name, Bars((), (), 0), "between", 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_bars(self, bars: Bars, hue: str, top: int = 0) -> None:
        """Show other bars in a colour of the scheme, the longest standing for `top` (0: the largest of them)."""
        self._bars, self._hue, self._top = bars, hue, top
        pairs = zip(map(isolated, bars.labels), map(number, bars.counts), strict=True)
        said = joined(joined(pair, ":") for pair in pairs)
        self.setAccessibleName(f"{self._name}. {said}")
        self.updateGeometry()
        self.update()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            row = event.pos().y() // self._line()
            if row < self._fitting():  # its label may end in dots
                said = (self._bars.labels[row] or t("(empty)"), number(self._bars.counts[row]))
                show_tip(self, event.globalPos(), joined(said, ":"))
                return True
        return super().event(event)

    def _line(self) -> int:
        return QFontMetrics(theme.small_font(self.font())).height() + 6

    def _fitting(self) -> int:
        more = self._bars.values > len(self._bars.labels)
        return min(len(self._bars.labels), max(1, self.height() // self._line() - more))

    def wanted_height(self, most: int | None = None) -> int:
        """Return the height that shows every bar there is, or `most` lines of them, if not known yet of as many."""
        lines = len(self._bars.labels) + (1 if self._bars.values > len(self._bars.labels) else 0)
        if most is not None:
            lines = min(lines or most, most)
        return (self.fontMetrics().height() + 6) * max(1, lines)

    def sizeHint(self) -> QSize:
        return QSize(270, self.wanted_height(_ROWS + 1))

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self.wanted_height(8))

    def paintEvent(self, event: QPaintEvent) -> None:
        c = theme.colours()
        painter = QPainter(self)
        painter.setFont(theme.small_font(self.font()))
        metrics, line = painter.fontMetrics(), self._line()
        top = max(self._top, max(self._bars.counts, default=1))
        wide = metrics.horizontalAdvance(number(top)) + 8
        texts = [label or t("(empty)") for label in self._bars.labels]
        text_room = min(self.width() * 0.42, max(map(metrics.horizontalAdvance, texts), default=0))
        text_room = max(text_room + 6, 40.0)
        room = max(10.0, self.width() - text_room - wide - 12)
        shown = list(zip(texts, self._bars.counts, strict=True))[: self._fitting()]
        middle = int(Qt.AlignmentFlag.AlignVCenter)
        for row, (text, count) in enumerate(shown):
            y = row * line
            painter.setPen(QColor(c.text))
            cut = metrics.elidedText(text, Qt.TextElideMode.ElideRight, int(text_room))
            painter.drawText(QRectF(0, y, text_room, line), middle, cut)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(getattr(c, self._hue)))
            painter.drawRect(QRectF(text_room + 8, y + 3, max(1.0, room * count / top), line - 6))
            painter.setPen(QColor(c.quiet))
            right = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight)
            painter.drawText(QRectF(self.width() - wide, y, wide, line), right, number(count))
        more = self._bars.values - len(shown)
        if more > 0:
            painter.setPen(QColor(c.quiet))
            painter.drawText(
                QRectF(0, len(shown) * line, self.width(), line), middle, t("and {n} more values", n=number(more))
            )
