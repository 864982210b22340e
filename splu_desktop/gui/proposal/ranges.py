"""The recipient's own tables: true counts, and the range that recipients will read as a bar."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from splu_desktop.core.answer.answer import EXACT, HIDDEN, READABLE, ROUGH
from splu_desktop.gui.base import theme
from splu_desktop.gui.base.models import ROW, Field, Index, RowsModel, TableView
from splu_desktop.gui.base.words import decimal, number, t
from splu_desktop.gui.proposal.preview import RangeLine

TRUST = {
    EXACT: ("circle-check", "answerable", "answerable_soft"),
    READABLE: ("circle-check", "answerable", "answerable_soft"),
    ROUGH: ("circle", "between", "between_soft"),
    HIDDEN: ("shield", "protected", "protected_soft"),
}
_BAR, _FIGURES = 2, (1, 3, 4)  # the columns that have it and them
_MEASURED = 200  # lines for whose figures there is room
_LEAST_GROUP = 150  # pixels of a group’s name that a bar leaves it; a longer one stands in two lines


def trust_words(trust: str) -> str:
    """Return how far a figure may be trusted, in words."""
    return {EXACT: t("exact"), READABLE: t("readable"), ROUGH: t("too rough"), HIDDEN: t("hidden")}[trust]


def figure_words(value: float) -> str:
    """Return a count, or an average with its digits."""
    return number(value) if abs(value) >= 100 or value == round(value) else decimal(value)


def range_words(low: float, high: float, *, mean: bool = False) -> str:
    """Return a range as people say it: ends of counts rounded outwards."""
    if mean:
        return t("{low} and {high}", low=decimal(low), high=decimal(high))
    return t("{low} and {high}", low=number(int(low + 1e-9)), high=number(-int(-(high - 1e-9) // 1)))


class RangeBar(QStyledItemDelegate):
    """Draws a range as a bar on a common scale, with the true figure as a tick."""

    def __init__(self, view: TableView) -> None:
        super().__init__(view)
        self.low, self.high, self.waits = 0.0, 1.0, False

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        line = index.data(ROW)
        super().paint(painter, option, index)
        # The line of all has no bar: the scale is that of the groups, of which it is the sum.
        if not isinstance(line, RangeLine) or line.total:
            return
        box = QRectF(option.rect).adjusted(8, 0, -8, 0)

        def place(value: float) -> float:
            share = (value - self.low) / ((self.high - self.low) or 1.0)
            return box.left() + min(max(share, 0.0), 1.0) * box.width()

        trust, truth = (ROUGH, None) if self.waits else (line.trust, line.truth)
        draw_range(painter, box, place, (line.low, line.high), trust, truth=truth)


class GroupName(QStyledItemDelegate):
    """Writes a value and where it is counted, which stays whole: neighbours have the same value."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        value, mark, where = option.text.rpartition("; ")
        room = round(1.7 * (option.rect.width() - 24)) - option.fontMetrics.horizontalAdvance(mark + where)
        value = option.fontMetrics.elidedText(value, Qt.TextElideMode.ElideMiddle, max(room, 40))
        option.text = value + mark + where


def draw_range(
    painter: QPainter,
    box: QRectF,
    place: Callable[[float], float],
    ends: tuple[float, float],
    trust: str,
    *,
    truth: float | None = None,
    point: float | None = None,
) -> None:
    """Draw a groove along a box with a range on it; a tick where the truth is, a point where the estimate is."""
    c, middle = theme.colours(), box.center().y()
    _, strong, soft = TRUST[trust]
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(c.sunken))
    painter.drawRoundedRect(QRectF(box.left(), middle - 2, box.width(), 4), 2, 2)
    painter.setPen(QPen(QColor(getattr(c, strong)), 1.2))
    painter.setBrush(QColor(getattr(c, soft)))
    left, right = map(place, ends)
    painter.drawRoundedRect(QRectF(left, middle - 6, max(right - left, 3.0), 12), 3, 3)
    if point is not None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(getattr(c, strong)))
        painter.drawEllipse(QPointF(place(point), middle), 4, 4)
    if truth is not None:
        painter.setPen(QPen(QColor(c.text), 2))
        painter.drawLine(QPointF(place(truth), middle - 9), QPointF(place(truth), middle + 9))
    painter.restore()


@dataclass(frozen=True)
class Strip:
    """A range on a line.

    Attributes
    ----------
    ends : of the range.
    trust : which colour it has.
    point : the estimate; None for none.
    truth : the true figure; None for none.
    nothing : where no difference is, which a dashed line shows by name; the line begins at 0 where it is None.
    ratio : whether equal ratios are equally far apart.
    words : what stands at the ends, and at the truth; None for none.
    """

    ends: tuple[float, float]
    trust: str
    point: float | None = None
    truth: float | None = None
    nothing: float | None = None
    ratio: bool = False
    words: Callable[[float], str] | None = None


class RangeStrip(QWidget):
    """Draws a range on a line."""

    def __init__(self, height: int) -> None:
        super().__init__()
        self._strip: Strip | None = None
        self.setMinimumHeight(height)

    def show_strip(self, strip: Strip | None) -> None:
        """Show a range, or none."""
        self._strip = strip
        if strip is not None and strip.words is not None:
            low, high = map(strip.words, strip.ends)
            self.setAccessibleName(t("between {low} and {high}", low=low, high=high))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        strip = self._strip
        if strip is None:
            return
        values = [each for each in (*strip.ends, strip.point, strip.truth, strip.nothing) if each is not None]
        # Neither 0 nor infinity has a place on a line of logarithms.
        if not all(map(math.isfinite, values)) or (strip.ratio and min(values) <= 0):
            return
        scale = math.log if strip.ratio else float
        low, high = 0.0, 1.25 * max(*values, 1)
        if strip.nothing is not None:
            low, high = scale(min(values)), scale(max(values))
            room = 0.15 * (high - low or 1.0)
            low, high = low - room, high + room
        box = QRectF(6, 0, self.width() - 12, self.height())

        def place(value: float) -> float:
            return box.left() + (scale(value) - low) / (high - low) * box.width()

        painter = QPainter(self)
        if strip.nothing is not None:
            painter.setPen(QPen(QColor(theme.colours().quiet), 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(place(strip.nothing), 16), QPointF(place(strip.nothing), self.height() - 2))
        draw_range(painter, box, place, strip.ends, strip.trust, truth=strip.truth, point=strip.point)
        if strip.words is not None:
            self._write(painter, strip, strip.words, place)
        painter.end()

    def _write(
        self, painter: QPainter, strip: Strip, words: Callable[[float], str], place: Callable[[float], float]
    ) -> None:
        painter.setFont(theme.small_font(self.font()))
        painter.setPen(QColor(theme.colours().text))
        metrics, texts = painter.fontMetrics(), [words(each) for each in strip.ends]
        widths = [metrics.horizontalAdvance(text) for text in texts]
        lefts = [place(end) - wide / 2 for end, wide in zip(strip.ends, widths, strict=True)]
        over = max(0.0, lefts[0] + widths[0] + 10 - lefts[1])  # the ends lie closer than their words are wide
        shift = max(0.0, over / 2 - lefts[0])
        for text, left, wide in zip(texts, (lefts[0] - over / 2, lefts[1] + over / 2), widths, strict=True):
            x = min(left + shift, self.width() - wide)
            painter.drawText(QPointF(x, self.height() / 2 + 12 + metrics.ascent()), text)
        at, text = strip.nothing, t("no difference")
        if strip.truth is not None:
            at, text = strip.truth, t("true: {n}", n=words(strip.truth))
        if at is not None:
            wide = metrics.horizontalAdvance(text)
            painter.drawText(QPointF(min(max(place(at) - wide / 2, 0), self.width() - wide), 12), text)


class RangeTable(TableView):
    """Group, true count, bar, range and trust of each line."""

    def __init__(self) -> None:
        super().__init__(t("Your tables"))
        self._mean = False
        self.most = 10  # lines that are shown at once
        self.lines_model: RowsModel[RangeLine] = self.hold(self._fields(), bare=True)
        self.bar = RangeBar(self)
        self.setItemDelegateForColumn(0, GroupName(self))
        self.setItemDelegateForColumn(_BAR, self.bar)
        header = self.horizontalHeader()
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(40)

    def _fields(self) -> list[Field[RangeLine]]:
        return [
            Field(t("Group"), lambda line: line.group or t("All")),
            Field(t("True count"), lambda line: figure_words(line.truth), right=True),
            Field(
                t("Recipients read"),
                lambda line: "",
                hint=t("In 95 of 100 releases the range holds the true count."),
            ),
            Field(t("between"), lambda line: range_words(line.low, line.high, mean=self._mean), right=True),
            Field(
                t("How good"),
                lambda line: trust_words(line.trust),
                colour=lambda line: TRUST[line.trust][1],
                picture=lambda line: TRUST[line.trust][0],
            ),
        ]

    def show_lines(self, lines: Sequence[RangeLine], *, mean: bool, waits: bool = False) -> None:
        """Show the lines of a table; `waits` draws bars grey, as long as their figures are not final."""
        if (lines, mean, waits) == (self.lines_model.rows, self._mean, self.bar.waits):
            return
        self._mean = mean
        parts = [line for line in lines if not line.total]
        self.bar.high = max((max(line.high, line.truth) for line in parts), default=1.0) * 1.04
        lowest = min((min(line.low, line.truth) for line in parts), default=0.0)
        self.bar.low = lowest - 0.1 * (self.bar.high - lowest) if mean else 0.0
        self.bar.waits = waits
        fresh = [line.group for line in lines] != [line.group for line in self.lines_model.rows]
        self.lines_model.show(lines)
        # With the same groups columns keep their widths, which would jump with the figures as the slider moves.
        if fresh or any(self._measure(at) > self.columnWidth(at) for at in _FIGURES):
            self.share_room()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.share_room()

    def share_room(self) -> None:
        """Be `most` lines high; give figures what they need, and group and bar, where both have room, the rest."""
        header, metrics, room = self.horizontalHeader(), self.fontMetrics(), self.viewport().width()
        for at in _FIGURES:
            header.resizeSection(at, self._measure(at))
            room -= self.columnWidth(at)
        wanted = max([60, *(metrics.horizontalAdvance(line.group) for line in self.lines_model.rows[:_MEASURED])]) + 24
        bar = metrics.horizontalAdvance(self.lines_model.fields[_BAR].title) + 28  # no header is cut
        without = room < bar + min(wanted, _LEAST_GROUP)
        self.setColumnHidden(_BAR, without)
        header.resizeSection(0, max(70, room) if without else min(wanted, room - bar))
        header.resizeSection(_BAR, room - header.sectionSize(0))
        self._show_height(header.sectionSize(0) - 24)

    def _measure(self, at: int) -> int:
        """Return how wide a column of figures has to be."""
        field = self.lines_model.fields[at]
        texts = map(trust_words, TRUST) if field.picture else map(field.text, self.lines_model.rows[:_MEASURED])
        wide = max(map(self.fontMetrics().horizontalAdvance, (field.title, *texts)))
        return wide + (46 if field.picture else 24)

    def _show_height(self, wide: int) -> None:
        """Give two lines of writing to groups longer than so many pixels, which may differ in the middle alone."""
        rows, metrics = self.verticalHeader(), self.fontMetrics()
        lines = [1 + (metrics.horizontalAdvance(line.group) > wide) for line in self.lines_model.rows]
        self.setWordWrap(2 in lines)
        for at, each in enumerate(lines):
            rows.resizeSection(at, each * metrics.height() + self.air)
        ends = np.cumsum([each * metrics.height() + self.air for each in lines or [1]])
        most = max(1, int(np.searchsorted(ends, self.most * (metrics.height() + self.air), "right")))
        slack = 4 if most == len(ends) else 0  # else a strip of the next line would peep out
        self.setFixedHeight(self.horizontalHeader().sizeHint().height() + slack + int(ends[most - 1]))
