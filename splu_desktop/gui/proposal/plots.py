"""The two live plots, drawn by pyqtgraph: from which count on a figure is good, and how surely a small count is wrong.

They are given finished figures and only draw. Each can be read with the mouse or the arrow keys, copied or saved from
its menu, and tells the whole of it as its accessible description.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QPointF, QSize, Qt
from PySide6.QtGui import (
    QFocusEvent,
    QFont,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QVBoxLayout, QWidget

from splu_desktop.core.errors import SpluError
from splu_desktop.core.table import unique
from splu_desktop.files.disk.whole_files import whole_file
from splu_desktop.gui.base import theme
from splu_desktop.gui.base.dialogs import asked_target
from splu_desktop.gui.base.widgets import announce, margins, shortcut
from splu_desktop.gui.base.words import number, percent, show_tip, t, translate

Floats = NDArray[np.float64]
Marks = Sequence[tuple[float, str]]  # where on an axis, and words

_MARKS = (0.01, 0.05, 0.2)  # tolerances that are named below the first plot
_SHARES = (0.0, 0.5, 1.0)
_RUG = 0.03, 0.07  # shares of the width, behind the curve, for the table's own counts
_APART = 6  # pixels between two marks of an axis
_LOW = 70  # pixels of height below which the words of its axis would leave a curve no room

pg.setConfigOptions(antialias=True)


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
    whose : what is counted, in words: persons where they are drawn.
    """

    t_e: Floats
    t_f: NDArray[np.int64]
    at: tuple[float, int]
    top: float
    counts: Floats
    epsilon: float
    whose: str


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


def at_least(share: float) -> str:
    """Return a chance in whole per cent, rounded down: it is a promise."""
    return percent(math.floor(100 * share + 1e-9) / 100, 0)


def nice_top(value: float) -> float:
    """Return an end of an axis, at two or four steps of 1, 2, 2.5 or 5 times a power of ten, above a value."""
    size = 10.0 ** math.floor(math.log10(max(value, 1.0)))
    return next(step * size for step in (1, 2, 3, 4, 5, 6, 8, 10) if step * size >= value)


class Plot(QWidget):
    """What both share: axes, a curve with a point and its words, a cursor for keys and mouse, a menu.

    pyqtgraph only draws: keys, mouse and menu are this widget's, so that the page scrolls under a wheel. Heights are
    0..1 whatever they show.
    """

    def __init__(self, name: str, colour: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self._places, self._first, self._axis, self._colour = np.zeros(0), 0, "", colour
        self._marks: tuple[Marks, Marks] = (), ()
        self._words_at: Callable[[int], str] = str  # the figures at one of the places
        self._place: int | None = None
        self._small, self._right = QFont(), 0
        self._named: str | None = None  # what stands below
        self._view = pg.GraphicsLayoutWidget()
        for part in (self._view, self._view.viewport()):
            part.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._view.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        margins(QVBoxLayout(self), 3).addWidget(self._view)
        self._view.ci.setSpacing(0)
        self._box = self._view.addViewBox(0, 1, enableMouse=False, enableMenu=False, defaultPadding=0)
        self._box.setFlag(self._box.GraphicsItemFlag.ItemClipsChildrenToShape, False)  # a point on the edge is whole
        self._left, self._below = (pg.AxisItem(side, linkView=self._box) for side in ("left", "bottom"))
        self._below.enableAutoSIPrefix(False)  # for which it would set its name anew each time
        self._view.addItem(self._left, 0, 0)
        self._view.addItem(self._below, 1, 1)
        self._lines: list[tuple[Any, str, float, Qt.PenStyle]] = []
        self._grid = self._add_line("sunken", 1, connect="pairs")
        self._curve = self._add_line(colour, 2.2)
        self._cursor = self._add_line("quiet", 1, Qt.PenStyle.DotLine)
        self._inside: tuple[Any, ...] = ()  # what only the custodian sees, and no picture shows
        self._words, self._point = pg.TextItem(), pg.ScatterPlotItem(size=11, useCache=False)
        self._words.textItem.document().setDocumentMargin(2)
        for above, each in enumerate((self._words, self._point), 20):
            each.setZValue(above)
            self._box.addItem(each)
        self._box.sigResized.connect(self._fit_in)
        shortcut(self, t("&Copy"), QKeySequence.StandardKey.Copy, self.copy_picture)
        shortcut(self, t("&Save the picture…"), "", self.ask_where)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    # --- drawing

    def _add_line(self, colour: str, width: float, style: Qt.PenStyle = Qt.PenStyle.SolidLine, **kind: Any) -> Any:
        line = pg.PlotCurveItem(**kind)
        line.setZValue(10 + len(self._lines))
        self._box.addItem(line)
        self._lines.append((line, colour, width, style))
        return line

    def _set_axes(self, ends: tuple[float, float], left: Marks, below: Marks, axis: str) -> None:
        # Each step of the slider comes here, and colours, fonts and marks set anew made its steps slow.
        if (left, below, axis) == (*self._marks, self._axis):
            return
        self._marks, self._axis = (left, below), axis
        self._box.setRange(xRange=ends, yRange=(0, 1), padding=0)
        across, up = [x for x, _ in below], [y for y, _ in left]
        xs, ys = (np.repeat(across, 2), np.tile(ends, len(up))), (np.tile((0, 1), len(across)), np.repeat(up, 2))
        self._grid.setData(np.concatenate(xs), np.concatenate(ys))
        self._dress()

    def _fit_in(self) -> None:
        """Name as many marks as stand apart, and keep the point's words inside."""
        metrics, (ends, up) = QFontMetrics(self._small), self._box.viewRange()
        for axis, marks, (low, high), room in zip(
            (self._left, self._below), self._marks, (up, ends), (self._box.height(), self._box.width()), strict=True
        ):
            named: list[tuple[float, str]] = []
            free = -math.inf
            for value, words in marks:
                long = metrics.height() if axis is self._left else metrics.horizontalAdvance(words)
                middle = (value - low) / (high - low) * room
                if middle - long / 2 >= free:
                    named.append((value, words))
                    free = middle + long / 2 + (0 if axis is self._left else _APART)
            axis.setTicks([named])
        self._place_words()

    def _point_out(self, x: float, y: float, words: str, at: tuple[float, float]) -> None:
        """Put the point on the curve, and its words above and right of a place."""
        self._point.setData([x], [y])
        self._words.setPlainText(words)
        self._words.setPos(*at)
        self._place_words()

    def _place_words(self) -> None:
        """Move the words to the left and down as far as they would leave the plot."""
        at, (ends, _), text = self._words.pos(), self._box.viewRange(), self._words.textItem.boundingRect()
        left = (at.x() - ends[0]) / (ends[1] - ends[0]) * self._box.width()
        beside = max(-4.0, left + text.width() - self._box.width() - self._right)
        above = (1 - at.y()) * self._box.height()
        self._words.setAnchor((min(beside, left + self._left.width()) / text.width(), min(1.2, above / text.height())))

    def _dress(self) -> None:
        """Take colours, fonts and room from the scheme and the window as they are now."""
        c, small, bold = theme.colours(), QFont(self.font()), theme.small_font(self.font())
        small.setPointSizeF(small.pointSizeF() * 0.8)
        bold.setBold(True)
        metrics = QFontMetrics(small)
        for axis in (self._left, self._below):
            # pyqtgraph leaves out marks that reach beyond the axis, as ours do at its ends; there is room left.
            axis.setStyle(tickFont=small, tickLength=0, hideOverlappingLabels=99)
            axis.setTextPen(c.quiet)
        widths = [[metrics.horizontalAdvance(words) for _, words in marks] for marks in self._marks]
        left, below = (max(each, default=0) for each in widths)
        self._left.setPen(None)
        # pyqtgraph would fit the axis to the marks that it draws, and the plot's edge would move with them.
        self._left.setWidth(left + 8)
        self._below.setPen(c.edge, width=1.5)
        self._right = max(6, below // 2)
        self._view.ci.setContentsMargins(
            0, metrics.height() // 2 + 1, self._right, 5
        )  # pyqtgraph names an axis 5 too low
        # None differs from any text, so that the axis is named anew in this font and colour.
        self._small, self._named = small, None
        self._view.setBackground(c.card)
        for line, colour, width, style in self._lines:
            line.setPen(getattr(c, colour), width=width, style=style)
        self._point.setPen(c.card, width=1.5)
        self._point.setBrush(getattr(c, self._colour))
        self._words.setColor(getattr(c, self._colour))
        self._words.setFont(bold)
        self._words.fill = pg.mkBrush(f"{c.card}d7")
        self._name_axis()
        self._fit_in()

    def _name_axis(self) -> None:
        """Say below what the axis is; the slider moves the plot's edges by a few pixels."""
        metrics, named = QFontMetrics(self._small), self.height() >= _LOW
        room = self.width() - round(self._left.minimumWidth()) + self._right - 6  # it stands in the axis's middle
        words = metrics.elidedText(self._axis, Qt.TextElideMode.ElideRight, room) if named else ""
        if words != self._named:
            self._named = words
            style = {"font-size": f"{self._small.pointSizeF():g}pt", "color": theme.colours().quiet}
            self._below.setLabel(words, **style)
            self._below.setHeight((2 if named else 1) * metrics.height() + 4)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self._dress()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._name_axis()

    def sizeHint(self) -> QSize:
        return QSize(210, 150)

    def minimumSizeHint(self) -> QSize:
        return QSize(150, 84)

    # --- reading

    def point_at(self, place: int | None, at: QPoint | None = None) -> None:
        """Put the cursor on one of the places and say what stands there, at a point of the screen; or take it away."""
        if place is None or not len(self._places):
            self._place = None
            self._cursor.setData([], [])
            return
        self._place = min(max(place, 0), len(self._places) - 1)
        x = self._places[self._place]
        self._cursor.setData([x, x], [0.0, 1.0])
        words = self._words_at(self._place)
        middle = self._view.mapFromScene(self._box.mapViewToScene(QPointF(x, 0.5)))
        show_tip(self, at or self.mapToGlobal(middle), words)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        by = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1}.get(Qt.Key(event.key()))
        if by is None or not len(self._places):
            super().keyPressEvent(event)
            return
        self.point_at(self._first if self._place is None else self._place + by)
        if self._place is not None:
            announce(self, self._words_at(self._place))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        scene = self._view.mapToScene(event.position().toPoint())
        if not self._box.sceneBoundingRect().adjusted(-4, -4, 4, 4).contains(scene):
            self.point_at(None)
        elif len(self._places):
            x = self._box.mapSceneToView(scene).x()
            self.point_at(int(np.abs(self._places - x).argmin()), event.globalPosition().toPoint())

    def leaveEvent(self, event: QEvent) -> None:
        self.point_at(None)
        super().leaveEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.point_at(None)
        super().focusOutEvent(event)

    # --- taking the picture along

    @contextmanager
    def _without_counts(self) -> Iterator[None]:
        self.point_at(None)
        (left, below), ends = self._marks, self._box.viewRange()[0]
        for each in self._inside:
            each.hide()
            self._set_axes(ends, left, below[:-1], self._axis)  # the last mark names what is hidden
        yield
        self._set_axes(ends, left, below, self._axis)
        for each in self._inside:
            each.show()

    def copy_picture(self) -> None:
        """Copy the plot as a picture."""
        with self._without_counts():  # no QMimeData: PySide crashes at the end over one that the clipboard still holds
            QGuiApplication.clipboard().setImage(self.grab().toImage())

    def ask_where(self) -> None:
        """Let the user choose where the picture is saved; a fault is said beside it."""
        path = asked_target(self, t("&Save the picture…"), f"{self.accessibleName()}.png", ".png")
        if path is None:
            return
        try:
            with whole_file(path, overwrite=True) as partial, self._without_counts():
                # The file has no ending until it is whole, so that Qt is told the format.
                self.grab().save(str(partial), "PNG")
        except SpluError as fault:
            show_tip(self, self.mapToGlobal(QPoint()), translate(str(fault)))


class LargeCountsPlot(Plot):
    """From which count on a figure is good (T_f), against the chance that it is not (T_E)."""

    def __init__(self) -> None:
        super().__init__(t("Large counts stay readable"), "answerable")
        self._chosen = self._add_line("answerable", 1, Qt.PenStyle.DashLine)
        self._inside = tuple(self._add_line(colour, 1.5, connect="pairs") for colour in ("answerable", "between"))

    def show_figures(self, what: LargeCounts) -> None:
        """Draw finished figures."""
        error = percent(what.epsilon)
        self.setAccessibleDescription(
            t(
                "Counts of {n} {persons} and more (T_f) are wrong by {error} or more "
                "in at most {share} of releases (T_E).",
                persons=what.whose,
                n=number(what.at[1]),
                error=error,
                share=percent(what.at[0]),
            )
        )
        x, height = np.log10(what.t_e), np.minimum(what.t_f / what.top, 1.0)
        chosen, high = math.log10(what.at[0]), min(what.at[1] / what.top, 1.0)
        self._places, self._first = x, int(np.abs(x - chosen).argmin())
        self._words_at = lambda place: t(
            "In at most {share} of releases wrong by {error} or more: counts of {n} {persons} and more",
            persons=what.whose,
            share=percent(float(what.t_e[place])),
            error=error,
            n=number(float(what.t_f[place])),
        )
        wide = x[-1] - x[0]
        below = tuple((math.log10(e), percent(e)) for e in _MARKS if what.t_e[0] <= e <= what.t_e[-1] + 1e-9)
        below += ((x[-1] + wide * sum(_RUG) / 2, t("table")),)  # its own counts stand above
        left = tuple((y, number(y * what.top)) for y in _SHARES)
        axis = t("chance to be wrong by > {error} (T_E)", error=error)
        self._set_axes((x[0], x[-1] + _RUG[1] * wide), left, below, axis)
        self._curve.setData(x, height)
        self._chosen.setData([x[0], chosen, chosen], [high, high, 0.0])
        # A count above the axis is drawn at its end; beyond it would lie outside the box, which cuts nothing off.
        counts = unique(np.minimum(what.counts, what.top))
        rug = x[-1] + wide * np.array(_RUG)
        for line, those in zip(self._inside, (counts >= what.at[1], counts < what.at[1]), strict=True):
            line.setData(np.tile(rug, those.sum()), np.repeat(counts[those] / what.top, 2))
        self._point_out(chosen, high, t("{n} or more", n=number(what.at[1])), (chosen, high))


class SmallCountsPlot(Plot):
    """How surely a small count is wrong, count by count, with the least of it (T_P)."""

    def __init__(self) -> None:
        super().__init__(t("Small counts stay hidden"), "protected")
        self._soft = pg.BarGraphItem(x0=[0.5], x1=[0.5], y0=[0], y1=[1], pen=None)
        self._box.addItem(self._soft)

    def show_figures(self, what: SmallCounts) -> None:
        """Draw finished figures."""
        self.setAccessibleDescription(
            t(
                "Counts of 1 to {alpha} are wrong by more than {error} in at least {share} of releases (T_P).",
                alpha=what.alpha,
                error=percent(what.epsilon),
                share=at_least(what.t_p),
            )
        )
        most = len(what.chance)
        self._places = np.arange(1.0, most + 1)
        self._words_at = lambda place: t(
            "A count of {n} in the whole table is wrong in {share} of releases",
            n=place + 1,
            share=percent(float(what.chance[place]), 0),
        )
        left = tuple((y, percent(y)) for y in _SHARES)
        below = tuple((x, f"{x:g}") for x in self._places[::2])
        axis = t("true count (small up to {alpha})", alpha=what.alpha)
        self._set_axes((0.5, most + 0.5), left, below, axis)
        self._curve.setData(np.arange(most + 1) + 0.5, what.chance, stepMode="center")
        edge = what.alpha + 0.5
        self._soft.setOpts(x1=[edge])
        # The words stand right of what is shaded, where the curve leaves room.
        after = what.chance[what.alpha :].max(initial=0.0)
        at = edge, after if after < 0.7 else 0.4
        least = int(what.chance[: what.alpha].argmin()) + 1  # the count that has it
        self._point_out(least, what.t_p, t("at least {share} (T_P)", share=at_least(what.t_p)), at)

    def _dress(self) -> None:
        super()._dress()
        self._soft.setOpts(brush=theme.colours().protected_soft)
