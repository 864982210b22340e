"""The two live plots of the papers. They are given finished figures and only draw: few points, fixed ranges, no search.

Each plot can be read with the mouse or the arrow keys; `readout` tells the figures at the cursor in words, and the
plot's accessible description tells the whole of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyqtgraph as pg
import pyqtgraph.exporters
from numpy.typing import NDArray
from PySide6.QtCore import QBuffer, QEvent, QIODevice, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QFont, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFileDialog, QWidget

from splu_desktop.files.disk.whole import CannotWrite, whole_file
from splu_desktop.gui.base import theme
from splu_desktop.gui.base.widgets import IconButton
from splu_desktop.gui.base.words import as_html, number, percent, t, tip, told

LEAST = QSize(180, 90)
_SAVED = QSize(600, 360)
_HIGH = 110  # pixels from which there is room below the curve for words

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LargeCounts:
    """T_f against T_E at one strength, with the point chosen and the table's own counts.

    Attributes
    ----------
    t_e : (K,) rising tolerated probabilities.
    t_f : (K,) from which count on a figure fails no more often, rows.
    chosen : T_E as set, and its T_f.
    top : the upper end of the axis, which stays while the slider moves.
    counts : (V,) counts of the table in front.
    """

    t_e: Floats
    t_f: NDArray[Any]
    chosen: tuple[float, int]
    top: float
    counts: NDArray[Any]
    alpha: int
    epsilon: float


@dataclass(frozen=True, eq=False)
class SmallCounts:
    """Pr[|f' - f| > epsilon f] for f = 1..F, with alpha; T_P is its minimum over 1..alpha."""

    probability: Floats
    alpha: int
    epsilon: float

    @property
    def t_p(self) -> float:
        """The least probability up to alpha."""
        return float(self.probability[: self.alpha].min())

    @property
    def at(self) -> int:
        """The count at which it is reached."""
        return int(self.probability[: self.alpha].argmin()) + 1


class PercentAxis(pg.AxisItem):  # type: ignore[misc] # pyqtgraph has no types
    """An axis whose coordinates are log10 of a share (`log`), or the share itself, marked in per cent."""

    def __init__(self, orientation: str, marks: Sequence[float], *, log: bool) -> None:
        super().__init__(orientation)
        places = [(math.log10(mark) if log else mark, percent(mark)) for mark in marks]
        self.setTicks([places])


def promised(share: float) -> str:
    """Return T_P as the promise says it: rounded down, in whole per cent, and never 100 %."""
    return percent(min(math.floor(100 * share * (1 + 1e-9)) / 100, 0.99) if share >= 0.01 else share)


class Plot(pg.PlotWidget):  # type: ignore[misc]
    """What both plots share: colours of the scheme, no zooming by accident, cursor, export."""

    readout = Signal(str)

    def sizeHint(self) -> QSize:
        return QSize(self.minimumSize())  # pyqtgraph asks for 640 x 480

    def __init__(self, name: str, axes: dict[str, pg.AxisItem], parent: QWidget | None = None) -> None:
        super().__init__(parent, axisItems=axes, enableMenu=False)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(LEAST)
        self.setFrameShape(self.Shape.NoFrame)
        self.setAntialiasing(True)
        item = self.getPlotItem()
        item.hideButtons()
        item.setMouseEnabled(False, False)
        item.disableAutoRange()
        item.layout.setContentsMargins(0, 4, 8, 0)
        # pyqtgraph makes this menu without a parent, so it would outlive the plot.
        item.ctrlMenu.setParent(self, item.ctrlMenu.windowFlags())
        self.cursor_line = pg.InfiniteLine(angle=90)
        self.cursor_line.setZValue(5)
        self.cursor_line.hide()
        item.addItem(self.cursor_line, ignoreBounds=True)
        self.scene().sigMouseMoved.connect(self._mouse)
        self._place: int | None = None

    def recolour(self) -> None:
        """Take the colours of the scheme that is on."""
        c = theme.colours()
        self.setBackground(QColor(c.card))
        font = QFont(theme.small_font(self.font()))
        for side in ("left", "bottom"):
            axis = self.getPlotItem().getAxis(side)
            axis.setPen(pg.mkPen(c.line))
            axis.setTextPen(pg.mkPen(c.quiet))
            axis.setStyle(tickFont=font, tickLength=-4, hideOverlappingLabels=False)
            axis.label.setFont(font)
            axis.label.setDefaultTextColor(QColor(c.text))
        self.cursor_line.setPen(pg.mkPen(c.quiet, width=1, style=Qt.PenStyle.DotLine))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if hasattr(self, "cursor_line"):  # the base class resizes itself while it is made
            self._fit_labels()

    def _fit_labels(self) -> None:
        """Leave out an axis' words where there is no room for them, rather than cut them off."""
        left, bottom = (self.getPlotItem().getAxis(side) for side in ("left", "bottom"))
        for axis, wanted in (
            (left, left.label.boundingRect().width() <= self.height() - bottom.height()),
            (bottom, self.height() >= _HIGH),
        ):
            if axis.label.isVisible() != (wanted and bool(axis.labelText)):
                axis.showLabel(wanted and bool(axis.labelText))

    def label_axis(self, side: str, text: str) -> None:
        """Label an axis in words."""
        axis = self.getPlotItem().getAxis(side)
        axis.enableAutoSIPrefix(False)  # a label "(x0.001)" is not true of marks that are written in per cent
        axis.setLabel(as_html(text), color=theme.colours().text)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "cursor_line"):
            self.recolour()

    def places(self) -> Floats:
        """Return the x coordinates that the cursor can stand on."""
        raise NotImplementedError

    def words_at(self, place: int) -> str:
        """Return the figures at one of `places`, in words."""
        raise NotImplementedError

    def point_at(self, place: int | None) -> None:
        """Put the cursor on one of `places`, or take it away."""
        self._place = place
        if place is not None and place >= len(self.places()):
            place = None
        if place is None:
            self.cursor_line.hide()
            self.readout.emit("")
            return
        self.cursor_line.setPos(float(self.places()[place]))
        self.cursor_line.show()
        self.readout.emit(self.words_at(place))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.point_at(None)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.point_at(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        places = self.places()
        by = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1}.get(Qt.Key(event.key()))
        if by is None or not len(places):
            QWidget.keyPressEvent(self, event)
            return
        at = 0 if self._place is None else min(max(self._place + by, 0), len(places) - 1)
        self.point_at(at)

    def _mouse(self, where: QPointF) -> None:
        places = self.places()
        if not len(places) or not self.getPlotItem().vb.sceneBoundingRect().contains(where):
            return
        x = self.getPlotItem().vb.mapSceneToView(where).x()
        self.point_at(int(np.abs(places - x).argmin()))

    def save(self, path: Path) -> None:
        """Write the plot as a picture, SVG or PNG by the file's ending, whole or not at all. Raises CannotWrite."""
        self.point_at(None)
        shown = self.size()
        self.resize(shown.expandedTo(_SAVED))  # a page shows plots smaller than a picture of one should be
        try:
            content = self._picture(path.suffix.lower())
        finally:
            self.resize(shown)
        with whole_file(path, overwrite=True) as partial:
            partial.write_bytes(content)

    def _picture(self, ending: str) -> bytes:
        item = self.getPlotItem()
        if ending == ".svg":
            return bytes(pg.exporters.SVGExporter(item).export(toBytes=True))
        made = pg.exporters.ImageExporter(item)
        made.parameters()["width"] = max(1200, self.width() * 2)
        made.parameters()["background"] = QColor(theme.colours().card)
        buffer = QBuffer()
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        made.export(toBytes=True).save(buffer, "PNG")
        return bytes(buffer.data().data())


def _added(plot: Any, item: Any) -> Any:
    """Add a curve or dots to a plot and return them; what `plot.plot()` makes of both takes three times as long."""
    plot.addItem(item)
    return item


_LEFT, _RIGHT = math.log10(0.004), math.log10(0.5)  # of T_E
_RUG = (_RIGHT + 0.03, _RIGHT + 0.1)  # where the marks of the counts stand, right of the curve


class LargeCountsPlot(Plot):
    """From which count on a figure can be relied on (T_f), against how often it may fail (T_E)."""

    def __init__(self, parent: QWidget | None = None) -> None:
        bottom = PercentAxis("bottom", (0.01, 0.05, 0.2, 0.5), log=True)
        super().__init__(t("Large counts stay readable"), {"bottom": bottom}, parent)
        item = self.getPlotItem()
        item.vb.setRange(xRange=(_LEFT, _RUG[1] + 0.02), padding=0)
        self._line, self._guide = _added(item, pg.PlotCurveItem()), _added(item, pg.PlotCurveItem())
        self._rugs = {name: _added(item, pg.PlotCurveItem(connect="pairs")) for name in ("protected", "answerable")}
        self._dot = _added(item, pg.ScatterPlotItem(size=9))
        self._tag = pg.TextItem(anchor=(0, 1))
        item.addItem(self._tag, ignoreBounds=True)
        self._shown: LargeCounts | None = None
        self._top = 0.0
        self.recolour()

    def recolour(self) -> None:
        super().recolour()
        c = theme.colours()
        self._line.setPen(pg.mkPen(c.answerable, width=2))
        self._guide.setPen(pg.mkPen(c.answerable, width=1, style=Qt.PenStyle.DashLine))
        self._dot.setBrush(QColor(c.answerable))
        self._dot.setPen(pg.mkPen(c.card, width=1.5))
        self._tag.setColor(QColor(c.answerable))
        for name, rug in self._rugs.items():
            rug.setPen(pg.mkPen(getattr(c, name), width=1.5))

    def draw(self, what: LargeCounts) -> None:
        """Draw finished figures."""
        if what.top != self._top:
            self._top = what.top
            self.getPlotItem().vb.setRange(yRange=(0, what.top * 1.05), padding=0.0)
        self._line.setData(np.log10(what.t_e), what.t_f.astype(np.float64))
        t_e, t_f = what.chosen
        at = math.log10(t_e)
        self._guide.setData(np.array([_LEFT, at, at]), np.array([t_f, t_f, 0.0]))
        self._dot.setData([at], [float(t_f)])
        self._tag.setAnchor((0.0, 1.0) if at < -0.8 else (1.0, 1.0))
        self._tag.setPos(at, min(float(t_f), what.top * 0.85))
        self._tag.setHtml(f"<b>{as_html(t('{count} or more', count=number(t_f)))}</b>")
        small = what.counts < t_f
        for name, chosen in (("protected", small), ("answerable", ~small)):
            y = np.minimum(np.repeat(what.counts[chosen].astype(np.float64), 2), what.top * 1.03)
            self._rugs[name].setData(np.tile(_RUG, int(chosen.sum())), y)
        axis = t("chance to be wrong by > {epsilon}  (T_E)", epsilon=percent(what.epsilon))
        if self._shown is None or self._shown.epsilon != what.epsilon:
            self.label_axis("bottom", axis)
        self._shown = what
        self.setAccessibleDescription(
            t(
                "Counts of {count} and more are good to {epsilon} in {share} of 100 releases.",
                count=number(t_f),
                epsilon=percent(what.epsilon),
                share=number(math.floor(100 * (1 - t_e) + 1e-9)),
            )
        )

    def places(self) -> Floats:
        return np.log10(self._shown.t_e) if self._shown else np.zeros(0)

    def words_at(self, place: int) -> str:
        what = self._shown
        if what is None:
            return ""
        return t(
            "Wrong in {t_e} of the releases (T_E): counts of {count} and more (T_f).",
            t_e=percent(float(what.t_e[place])),
            count=number(float(what.t_f[place])),
        )


class SmallCountsPlot(Plot):
    """How surely a small count is shown wrong, count by count, with the least of it (T_P)."""

    def __init__(self, parent: QWidget | None = None) -> None:
        left = PercentAxis("left", (0.0, 0.5, 1.0), log=False)
        bottom = pg.AxisItem("bottom")
        bottom.setTicks([[(float(each), str(each)) for each in range(1, 12, 2)]])
        super().__init__(t("Small counts stay hidden"), {"bottom": bottom, "left": left}, parent)
        item = self.getPlotItem()
        self._zone = pg.LinearRegionItem(movable=False)
        self._zone.setZValue(-10)
        item.addItem(self._zone, ignoreBounds=True)
        self._line = _added(item, pg.PlotCurveItem(stepMode="center"))
        self._dot = _added(item, pg.ScatterPlotItem(size=9))
        self._tag = pg.TextItem(anchor=(0, 0))
        item.addItem(self._tag, ignoreBounds=True)
        item.vb.setRange(yRange=(0.0, 1.0), padding=0.05)
        self._shown: SmallCounts | None = None
        self.recolour()

    def recolour(self) -> None:
        super().recolour()
        c = theme.colours()
        self._zone.setBrush(QColor(c.protected_soft))
        for line in self._zone.lines:
            line.setPen(pg.mkPen(None))
        self._line.setPen(pg.mkPen(c.protected, width=2))
        self._dot.setBrush(QColor(c.protected))
        self._dot.setPen(pg.mkPen(c.card, width=1.5))
        self._tag.setColor(QColor(c.protected))

    def draw(self, what: SmallCounts) -> None:
        """Draw finished figures."""
        most = len(what.probability)
        self.getPlotItem().vb.setRange(xRange=(0.4, most + 0.6), padding=0.0)
        self._line.setData(np.arange(most + 1) + 0.5, what.probability)
        self._zone.setRegion((0.0, what.alpha + 0.5))
        self._dot.setData([what.at], [what.t_p])
        # The words stand clear of the line: below it where it is high, else above.
        self._tag.setPos(min(what.alpha + 0.6, most * 0.45), 0.72 if what.t_p > 0.8 else 1.04)
        self._tag.setHtml(f"<b>{as_html(t('at least {share}  (T_P)', share=promised(what.t_p)))}</b>")
        axis = t("true count  (up to {alpha} counts as small)", alpha=what.alpha)
        if self._shown is None or self._shown.alpha != what.alpha:
            self.label_axis("bottom", axis)
        self._shown = what
        self.setAccessibleDescription(
            t(
                "Counts of 1 to {alpha} are wrong in at least {share} of 100 releases.",
                alpha=what.alpha,
                share=number(math.floor(100 * what.t_p + 1e-9)),
            )
        )

    def places(self) -> Floats:
        return np.arange(1, len(self._shown.probability) + 1, dtype=np.float64) if self._shown else np.zeros(0)

    def words_at(self, place: int) -> str:
        what = self._shown
        if what is None:
            return ""
        return t(
            "A count of {f} is wrong by more than {epsilon} in {share} of the releases.",
            f=place + 1,
            epsilon=percent(what.epsilon),
            share=percent(float(what.probability[place])),
        )


class SavePlotButton(IconButton):
    """Asks where to, then writes SVG or PNG by the file's ending.

    Signals
    -------
    failed (str) : a sentence on why it could not be written.
    """

    failed = Signal(str)

    def __init__(self, plot: Plot, title: str, parent: QWidget | None = None) -> None:
        super().__init__("", "download", "flat", parent)
        self.plot = plot
        self.setAutoDefault(False)
        tip(self, t("Save this plot as a picture (SVG or PNG)"))
        self.setAccessibleName(t("Save the plot “{title}” as a picture", title=title))
        self.clicked.connect(lambda: self.ask())

    def ask(self) -> None:
        """Let the user choose where the plot is saved."""
        name, _ = QFileDialog.getSaveFileName(
            self, t("Save the plot"), f"{self.plot.accessibleName()}.svg", t("Pictures (*.svg *.png)")
        )
        if not name:
            return
        path = Path(name)
        try:
            self.plot.save(path if path.suffix.lower() in (".svg", ".png") else path.with_suffix(".svg"))
        except CannotWrite as fault:
            self.failed.emit(told(str(fault)))
