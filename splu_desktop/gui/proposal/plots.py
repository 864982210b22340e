"""The two live plots: from which count on a figure is good, and how surely a small count is wrong.

They are given finished figures and only draw. Each can be read with the mouse or the arrow keys, saved or copied from
its menu, and tells the whole of it as its accessible description.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QFont,
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QMenu, QWidget

from splu_desktop.core.table import unique
from splu_desktop.gui.base import theme
from splu_desktop.gui.base.widgets import announce
from splu_desktop.gui.base.words import number, percent, show_tip, t

Floats = NDArray[np.float64]

_MARKS = (0.01, 0.05, 0.2, 0.5)  # tolerances that are named below the first plot
_SHARES = (0.0, 0.5, 1.0)
_RUG = 12  # pixels at the right for the table's own counts
_LOW = 118  # pixels of height below which a plot has no room for the words of its axis


@dataclass(frozen=True, eq=False)
class LargeCounts:
    """T_f against T_E at one strength.

    Attributes
    ----------
    t_e, t_f : (K,) rising chances of an error, and from which count on it is no larger.
    at : T_E as chosen, and its T_f.
    top : end of the axis, which stays while the slider moves.
    counts : true counts of the table in front.
    epsilon : the error.
    """

    t_e: Floats
    t_f: NDArray[np.int64]
    at: tuple[float, int]
    top: float
    counts: Floats
    epsilon: float


@dataclass(frozen=True, eq=False)
class SmallCounts:
    """Chances that counts of 1, 2, ... are wrong by more than epsilon, with the largest small count alpha."""

    chance: Floats
    alpha: int
    epsilon: float

    @property
    def t_p(self) -> float:
        """The least chance of a small count."""
        return float(self.chance[: self.alpha].min())

    @property
    def least_at(self) -> int:
        """The count that has it."""
        return int(self.chance[: self.alpha].argmin()) + 1


def at_least(share: float) -> str:
    """Return a chance in whole per cent, rounded down: it is a promise."""
    return percent(math.floor(100 * share + 1e-9) / 100, 0)


def nice_top(value: float) -> float:
    """Return an end of an axis, at two or four steps of 1, 2, 2.5 or 5 times a power of ten, above a value."""
    size = 10.0 ** math.floor(math.log10(max(value, 1.0)))
    return next(step * size for step in (1, 2, 3, 4, 5, 6, 8, 10) if step * size >= value)


class Plot(QWidget):
    """What both share: axes, a cursor that keys and mouse move, and a menu to take the picture along."""

    readout = Signal(str)

    def __init__(self, name: str, axis: str, left: int) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self._axis, self._left = axis, left
        self._place: int | None = None

    # --- what a plot says of itself

    def places(self) -> Sequence[float]:
        """Return the x at which figures can be read."""
        raise NotImplementedError

    def words_at(self, place: int) -> str:
        """Return the figures at one of `places`, in words."""
        raise NotImplementedError

    def marks(self) -> Iterator[tuple[float, str]]:
        """Give the marks below: x and words."""
        raise NotImplementedError

    def heights(self) -> Iterator[tuple[float, str]]:
        """Give the marks at the left: y in 0..1 and words."""
        raise NotImplementedError

    def draw(self, painter: QPainter, box: QRectF) -> None:
        """Draw curve, dot and words into a box."""
        raise NotImplementedError

    def across(self, x: float) -> float:
        """Return where in 0..1 an x stands."""
        raise NotImplementedError

    # --- reading

    def point_at(self, place: int | None) -> None:
        """Put the cursor on one of `places`, or take it away."""
        if place is not None:
            place = min(max(place, 0), len(self.places()) - 1) if len(self.places()) else None
        if place != self._place:
            self._place = place
            self.readout.emit("" if place is None else self.words_at(place))
            self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        by = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1}.get(Qt.Key(event.key()))
        if by is None or not len(self.places()):
            super().keyPressEvent(event)
            return
        self.point_at(self._first() if self._place is None else self._place + by)
        if self._place is not None:
            words = self.words_at(self._place)
            show_tip(self, self.mapToGlobal(self._at(self._place)), words)
            announce(self, words)

    def _first(self) -> int:
        return 0

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        box, places = self._box(), self.places()
        if not len(places) or not box.adjusted(-4, -4, 4, 4).contains(event.position()):
            self.point_at(None)
            return
        wanted = (event.position().x() - box.left()) / box.width()
        self.point_at(int(np.argmin([abs(self.across(x) - wanted) for x in places])))
        if self._place is not None:
            show_tip(self, event.globalPosition().toPoint(), self.words_at(self._place))

    def leaveEvent(self, event: QEvent) -> None:
        self.point_at(None)
        super().leaveEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.point_at(None)
        super().focusOutEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(t("&Copy the picture"), self.copy_picture)
        menu.popup(event.globalPos())

    def copy_picture(self) -> None:
        """Copy the plot as a picture, with what it says as text."""
        self.point_at(None)
        copied = QMimeData()
        copied.setImageData(self.grab().toImage())
        copied.setText(self.accessibleDescription())
        QGuiApplication.clipboard().setMimeData(copied)

    # --- drawing

    def sizeHint(self) -> QSize:
        return QSize(210, 150)

    def minimumSizeHint(self) -> QSize:
        return QSize(150, 84)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self.update()

    def _font(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * 0.8)
        return font

    def _box(self) -> QRectF:
        """Return the room of the curve."""
        font = self.fontMetrics().height() * 0.8
        below = font + 4 + (font + 3 if self.height() >= _LOW else 0)
        return QRectF(self._left, font / 2 + 1, self.width() - self._left - 6, self.height() - below - font / 2 - 2)

    def _at(self, place: int) -> QPoint:
        box = self._box()
        return QPointF(box.left() + box.width() * self.across(self.places()[place]), box.center().y()).toPoint()

    def paintEvent(self, event: QPaintEvent) -> None:
        c, painter, box = theme.colours(), QPainter(self), self._box()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._font())
        high = painter.fontMetrics().height()
        grid = QPen(QColor(c.sunken), 1)
        for height, words in self.heights():
            y = box.bottom() - height * box.height()
            painter.setPen(grid)
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
            painter.setPen(QColor(c.quiet))
            room = QRectF(0, y - high / 2, box.left() - 5, high)
            painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, words)
        for x, words in self.marks():
            place = box.left() + self.across(x) * box.width()
            painter.setPen(grid)
            painter.drawLine(QPointF(place, box.top()), QPointF(place, box.bottom()))
            painter.setPen(QColor(c.quiet))
            wide = painter.fontMetrics().horizontalAdvance(words) + 2
            left = min(max(0.0, place - wide / 2), self.width() - wide)
            painter.drawText(QRectF(left, box.bottom() + 3, wide, high), Qt.AlignmentFlag.AlignCenter, words)
        painter.setPen(QPen(QColor(c.edge), 1.5))
        painter.drawLine(box.bottomLeft(), box.bottomRight())
        if self.height() >= _LOW:
            painter.setPen(QColor(c.quiet))
            below = QRectF(0, box.bottom() + high + 4, self.width(), high + 2)
            words = painter.fontMetrics().elidedText(self._axis, Qt.TextElideMode.ElideRight, self.width())
            painter.drawText(below, Qt.AlignmentFlag.AlignHCenter, words)
        if len(self.places()):
            self.draw(painter, box)
            if self._place is not None:
                painter.setPen(QPen(QColor(c.quiet), 1, Qt.PenStyle.DotLine))
                x = box.left() + self.across(self.places()[self._place]) * box.width()
                painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
        painter.end()

    def _say(self, painter: QPainter, words: str, at: QPointF, box: QRectF, colour: str) -> None:
        """Write words in bold to the right of a point, or where there is room beside it, on a ground of their own."""
        c = theme.colours()
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * 0.92)
        font.setBold(True)
        painter.setFont(font)
        metrics = painter.fontMetrics()
        wide, high = metrics.horizontalAdvance(words) + 4, metrics.height()
        left = min(at.x() + 5, self.width() - wide)
        room = QRectF(max(0.0, left), min(max(0.0, at.y()), box.bottom() - high - 1), wide, high)
        ground = QColor(c.card)
        ground.setAlpha(215)
        painter.fillRect(room, ground)
        painter.setPen(QColor(colour))
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter, words)


class LargeCountsPlot(Plot):
    """From which count on a figure is good (T_f), against the chance that it is not (T_E)."""

    def __init__(self) -> None:
        super().__init__(t("Large counts stay readable"), t("chance to be wrong (T_E)"), 34)
        self._shown: LargeCounts | None = None

    def show_figures(self, what: LargeCounts) -> None:
        """Draw finished figures."""
        self._shown = what
        self._axis = t("chance to be wrong by > {error} (T_E)", error=percent(what.epsilon))
        self.setAccessibleDescription(
            t(
                "Counts of {n} and more (T_f) are wrong by {error} or more in at most {share} of releases (T_E).",
                n=number(what.at[1]),
                error=percent(what.epsilon),
                share=percent(what.at[0]),
            )
        )
        self.update()

    def places(self) -> Sequence[float]:
        return [] if self._shown is None else self._shown.t_e.tolist()

    def _first(self) -> int:
        assert self._shown is not None
        return int(np.abs(self._shown.t_e - self._shown.at[0]).argmin())

    def words_at(self, place: int) -> str:
        assert self._shown is not None
        return t(
            "In at most {share} of releases wrong by {error} or more: counts of {n} and more",
            share=percent(float(self._shown.t_e[place])),
            error=percent(self._shown.epsilon),
            n=number(float(self._shown.t_f[place])),
        )

    def across(self, x: float) -> float:
        assert self._shown is not None
        low, high = math.log10(self._shown.t_e[0]), math.log10(self._shown.t_e[-1])
        return (math.log10(x) - low) / (high - low)

    def marks(self) -> Iterator[tuple[float, str]]:
        if self._shown is not None:
            yield from ((x, percent(x)) for x in _MARKS if self._shown.t_e[0] <= x <= self._shown.t_e[-1] + 1e-9)

    def heights(self) -> Iterator[tuple[float, str]]:
        top = self._shown.top if self._shown is not None else 1.0
        yield from ((y, number(y * top)) for y in _SHARES)

    def _box(self) -> QRectF:
        return super()._box().adjusted(0, 0, -_RUG, 0)

    def draw(self, painter: QPainter, box: QRectF) -> None:
        c, what = theme.colours(), self._shown
        assert what is not None

        def point(x: float, y: float) -> QPointF:
            return QPointF(
                box.left() + self.across(x) * box.width(), box.bottom() - min(y / what.top, 1.0) * box.height()
            )

        chosen = point(*what.at)
        painter.setPen(QPen(QColor(c.answerable), 1, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(box.left(), chosen.y()), chosen)
        painter.drawLine(QPointF(chosen.x(), box.bottom()), chosen)
        painter.setPen(QPen(QColor(c.answerable), 2.2))
        painter.drawPolyline(QPolygonF([point(x, y) for x, y in zip(what.t_e, what.t_f, strict=True)]))
        painter.setPen(QPen(QColor(c.card), 1.5))
        painter.setBrush(QColor(c.answerable))
        painter.drawEllipse(chosen, 5, 5)
        for count in unique(np.minimum(what.counts, what.top)):
            painter.setPen(QPen(QColor(c.answerable if count >= what.at[1] else c.between), 1.5))
            y = box.bottom() - count / what.top * box.height()
            painter.drawLine(QPointF(box.right() + 6, y), QPointF(box.right() + _RUG, y))
        high = self.fontMetrics().height()
        self._say(painter, t("{n} or more", n=number(what.at[1])), chosen - QPointF(0, high + 3), box, c.answerable)


class SmallCountsPlot(Plot):
    """How surely a small count is wrong, count by count, with the least of it (T_P)."""

    def __init__(self) -> None:
        super().__init__(t("Small counts stay hidden"), t("true count"), 42)
        self._shown: SmallCounts | None = None

    def show_figures(self, what: SmallCounts) -> None:
        """Draw finished figures."""
        self._shown = what
        self._axis = t("true count (up to {alpha} counts as small)", alpha=what.alpha)
        self.setAccessibleDescription(
            t(
                "Counts of 1 to {alpha} are wrong by more than {error} in at least {share} of releases (T_P).",
                alpha=what.alpha,
                error=percent(what.epsilon),
                share=at_least(what.t_p),
            )
        )
        self.update()

    def places(self) -> Sequence[float]:
        return [] if self._shown is None else list(range(1, len(self._shown.chance) + 1))

    def words_at(self, place: int) -> str:
        assert self._shown is not None
        return t(
            "A count of {n} in the whole table is wrong in {share} of releases",
            n=place + 1,
            share=percent(float(self._shown.chance[place]), 0),
        )

    def across(self, x: float) -> float:
        return (x - 0.5) / max(len(self.places()), 1)

    def marks(self) -> Iterator[tuple[float, str]]:
        yield from ((x, str(int(x))) for x in list(self.places())[::2])

    def heights(self) -> Iterator[tuple[float, str]]:
        yield from ((y, percent(y)) for y in _SHARES)

    def draw(self, painter: QPainter, box: QRectF) -> None:
        c, what = theme.colours(), self._shown
        assert what is not None
        step = box.width() / len(what.chance)
        painter.fillRect(QRectF(box.left(), box.top(), step * what.alpha, box.height()), QColor(c.protected_soft))
        line: list[QPointF] = []
        for at, chance in enumerate(what.chance):
            y = box.bottom() - chance * box.height()
            line += [QPointF(box.left() + at * step, y), QPointF(box.left() + (at + 1) * step, y)]
        painter.setPen(QPen(QColor(c.protected), 2.2))
        painter.drawPolyline(QPolygonF(line))
        least = QPointF(box.left() + (what.least_at - 0.5) * step, box.bottom() - what.t_p * box.height())
        painter.setPen(QPen(QColor(c.card), 1.5))
        painter.setBrush(QColor(c.protected))
        painter.drawEllipse(least, 5, 5)
        # The words stand right of what is shaded, where the curve leaves room.
        after = what.chance[what.alpha :].max(initial=0.0)
        high = self.fontMetrics().height()
        y = box.bottom() - after * box.height() - high - 4 if after < 0.7 else box.center().y() + 2
        place = QPointF(box.left() + step * what.alpha, y)
        self._say(painter, t("at least {share} (T_P)", share=at_least(what.t_p)), place, box, c.protected)
