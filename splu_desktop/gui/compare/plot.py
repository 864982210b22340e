"""Protection against answerability: each method a curve over its setting, the plan marked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import QWidget

from splu_desktop.gui.base import theme
from splu_desktop.gui.base.plots import Floats, PercentAxis, Plot
from splu_desktop.gui.base.words import joined, t
from splu_desktop.gui.compare.figures import MethodShown, share

_MARKS = (0.0, 0.25, 0.5, 0.75, 1.0)
# Places of a letter around its point, in sizes of a letter: the first free one is taken, the nearest first.
_AROUND = [(x, y) for far in (0.75, 1.75) for y in (0.7, -0.7) for x in (far, -far)]
_PLACES = np.array([*_AROUND, (0.75, -1.7), (-0.75, -1.7), (2.75, 0.7), (-2.75, 0.7)])
_LETTER = np.array([0.05, 0.08])  # of the axes
_POINT = 0.65 * _LETTER  # from a letter's middle to a point beside it
_BOTTOM, _TOP = -0.04, 1.1
_SHAPES = ("o", "t", "d", "t1", "p", "h", "star")
# Hues that mean nothing elsewhere in the program, with 4.5:1 on the card of a light and of a dark scheme.
_LIGHT = ("#00629b", "#8a5300", "#6a51a3", "#a1345c", "#1f737a", "#6f6200")
_DARK = ("#5eb8ea", "#f2b950", "#b9a6ea", "#ff9d73", "#6fd0d6", "#d6c650")


class ProtectionPlot(Plot):
    """Up is more answers, right is more protection.

    Signals
    -------
    picked (int) : the user points at a method: its place in the comparison.
    """

    picked = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        axes = {side: PercentAxis(side, _MARKS, log=False) for side in ("bottom", "left")}
        super().__init__(t("Protection against answerability"), axes, parent)
        self._shown: tuple[MethodShown, ...] = ()
        self._guess = 0.0
        self._parts: list[pg.GraphicsObject] = []
        self._ring = self.getPlotItem().plot(pen=None, symbol="o", symbolSize=17)
        self._ring.setZValue(4)
        self.getPlotItem().vb.setRange(xRange=(-0.03, 1.05), yRange=(_BOTTOM, _TOP), padding=0.0)
        self.setMinimumSize(240, 150)
        self.label_axis("bottom", t("protected: a colleague is wrong"))
        self.label_axis("left", t("large counts right"))
        self.scene().sigMouseClicked.connect(lambda _: self._pick())
        self.recolour()

    def recolour(self) -> None:
        super().recolour()
        self._ring.setSymbolBrush(None)
        self._ring.setSymbolPen(pg.mkPen(theme.colours().accent, width=2))
        self._draw()

    def draw(self, shown: Sequence[MethodShown], guess: float) -> None:
        """Draw the methods that were possible; `guess` is how often guessing alone is right."""
        self._shown = tuple(each for each in shown if each.achieved is not None)
        self._guess = guess
        self._draw()
        self.setAccessibleDescription(joined(self.words_at(at) for at in range(len(self._shown))))

    def mark(self, place: int | None) -> None:
        """Put a ring around the method at a place of the comparison."""
        points = [_point(each) for each in self._shown if each.place == place]
        self._ring.setData(*np.array(points).reshape(-1, 2).T)

    def _draw(self) -> None:
        item, c = self.getPlotItem(), theme.colours()
        for part in self._parts:
            item.removeItem(part)
        self._parts = []
        if not self._shown:
            return
        hues = _DARK if c.dark else _LIGHT
        line = pg.InfiniteLine(1 - self._guess, 90, pg.mkPen(c.quiet, width=1, style=Qt.PenStyle.DashLine))
        self._add(line)
        first = 0
        named: list[Floats] = []  # places of letters, none of which is to lie on another
        every = np.array([_point(each) for each in self._shown])
        for _, group in groupby(self._shown, key=lambda each: each.name):
            some = list(group)
            planned, weighed = some[0].planned, some[0].first
            colour, shape = QColor(c.between), "x"
            if planned:
                colour, shape = QColor(c.text), "s"
            elif weighed:
                colour, shape = QColor(hues[first % len(hues)]), _SHAPES[first % len(_SHAPES)]
                first += 1
            points = np.array([_point(each) for each in some])
            curve = pg.PlotDataItem(
                points,
                pen=pg.mkPen(colour, width=2 if weighed else 1),
                symbol=shape,
                symbolSize=12 if planned else 8 if weighed else 5,
                symbolBrush=colour,
                symbolPen=pg.mkPen(None) if shape != "x" else pg.mkPen(colour),
            )
            curve.setZValue(3 if planned else 2 if weighed else 1)
            self._add(curve)
            name = pg.TextItem(some[-1].letter, color=colour, anchor=(0.5, 0.5))
            named.append(_free(points[-1], named, every))
            name.setFont(theme.small_font(self.font()))
            name.setPos(*named[-1])
            self._add(name)

    def _add(self, part: pg.GraphicsObject) -> None:
        self.getPlotItem().addItem(part, ignoreBounds=True)
        self._parts.append(part)

    def places(self) -> Floats:
        return np.array([_point(each)[0] for each in self._shown])

    def words_at(self, place: int) -> str:
        each = self._shown[place]
        x, y = _point(each)
        return t(
            "{letter} {title}, {setting}: a colleague is wrong about {protected}; large counts right {right}",
            letter=each.letter,
            title=each.title,
            setting=each.setting,
            protected=share(x),
            right=share(y),
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        super().keyPressEvent(event)
        if event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Space):
            self._pick()

    def _pick(self) -> None:
        if self._place is not None and self._place < len(self._shown):
            self.picked.emit(self._shown[self._place].place)

    def _mouse(self, where: QPointF) -> None:
        # The nearest point on the screen: many stand above each other.
        box = self.getPlotItem().vb
        if not self._shown or not box.sceneBoundingRect().contains(where):
            return
        seen = [box.mapViewToScene(QPointF(*_point(each))) for each in self._shown]
        far = [(point.x() - where.x()) ** 2 + (point.y() - where.y()) ** 2 for point in seen]
        self.point_at(int(np.argmin(far)))


def _free(point: Floats, taken: Sequence[Floats], points: Floats) -> Floats:
    """Return where a letter stands that names a point: where it lies on no other and no point, or the least."""
    places = point + _PLACES * _LETTER
    places = places[(places[:, 1] <= _TOP - _LETTER[1] / 2) & (places[:, 1] >= _BOTTOM + _LETTER[1] / 2)]
    gap = np.ones(len(places))
    for others, size in ((np.array(taken).reshape(-1, 2), _LETTER), (points, _POINT)):
        gap = np.minimum(gap, (np.abs(places[:, None] - others) / size).max(axis=2).min(axis=1, initial=1.0))
    return np.asarray(places[gap.argmax()])


def _point(each: MethodShown) -> tuple[float, float]:
    """Return protection and answerability; a table without large counts answers none."""
    achieved = each.achieved
    assert achieved is not None
    return achieved.protection, achieved.answerable or 0.0
