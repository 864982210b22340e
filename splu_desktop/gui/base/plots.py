"""The live plots of the plan page. They are given finished figures and only draw: few points, fixed ranges, no search.

Each plot can be read with the mouse or the arrow keys; `readout` tells the figures at the cursor in words, and the
plot's accessible description tells the whole of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyqtgraph as pg
import pyqtgraph.exporters
from numpy.typing import NDArray
from PySide6.QtCore import QBuffer, QEvent, QIODevice, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QFont, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from splu_desktop.files.disk.whole import whole_file
from splu_desktop.frozen import dataclass
from splu_desktop.gui.base import theme
from splu_desktop.gui.base.words import as_html, decimal, number, percent, t

_RUG = (math.log10(0.5) + 0.07, math.log10(0.5) + 0.17)  # where the marks of the values stand, right of the curves

LEAST = QSize(180, 90)
_SAVED = QSize(600, 360)
_HIGH = 110  # pixels from which there is room below the curve for words

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LargeCounts:
    """T_f against T_E for one gamma and epsilon, with the point chosen and the SA's own counts.

    Attributes
    ----------
    t_e : (K,) rising tolerated probabilities.
    exact, chebyshev, as_published : (K,) T_f, records.
    chosen : T_E as set, and its exact T_f.
    top : the upper end of the axis, which stays while the slider moves: the largest T_f any gamma can need here, or the
        counts, where they are larger.
    counts : (V,) distinct counts of the SA's values, alpha their largest small one.
    """

    t_e: Floats
    exact: NDArray[Any]
    chebyshev: NDArray[Any]
    as_published: Floats
    chosen: tuple[float, int]
    top: float
    counts: NDArray[Any]
    alpha: int
    epsilon: float


@dataclass(frozen=True, eq=False)
class SmallCounts:
    """Pr[|f' - f| > epsilon f] for f = 1..F, with alpha and T_P, its minimum over 1..alpha."""

    probability: Floats
    alpha: int
    epsilon: float
    told: bool = False  # by public figures alone, so that the draw protects nothing

    @property
    def t_p(self) -> float:
        """The least probability up to alpha; 0 where public figures tell the counts."""
        return 0.0 if self.told else float(self.probability[: self.alpha].min())

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


class ShareAxis(pg.AxisItem):  # type: ignore[misc]
    """An axis of shares, marked in per cent wherever pyqtgraph puts its marks."""

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        return [percent(value, 0 if spacing >= 0.01 else 1) for value in values]


class CountAxis(pg.AxisItem):  # type: ignore[misc]
    """An axis whose coordinates are log10 of a number of records."""

    def tickValues(self, least: float, most: float, size: float) -> list[tuple[float, list[float]]]:
        decades = [float(d) for d in range(math.ceil(least - 1e-9), math.floor(most + 1e-9) + 1)]
        fine = [d + math.log10(k) for d in range(math.floor(least), math.ceil(most)) for k in range(2, 10)]
        return [(1.0, decades), (0.1, [place for place in fine if least <= place <= most])]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        return [number(10**value) if spacing == 1.0 else "" for value in values]


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
        self.getPlotItem().getAxis(side).setLabel(as_html(text), color=theme.colours().text)

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


class LargeCountsPlot(Plot):
    """From which count on a figure can be relied on (T_f), against how often it may fail (T_E)."""

    def __init__(self, parent: QWidget | None = None) -> None:
        bottom = PercentAxis("bottom", (0.001, 0.01, 0.05, 0.2, 0.5), log=True)
        super().__init__(t("Large counts"), {"bottom": bottom, "left": CountAxis("left")}, parent)
        item = self.getPlotItem()
        item.vb.setRange(xRange=(-3.03, _RUG[1] + 0.03), padding=0)
        self._chebyshev, self._published, self._exact = (_added(item, pg.PlotCurveItem()) for _ in range(3))
        names = ("protected", "between", "answerable")
        self._rugs = {name: _added(item, pg.PlotCurveItem(connect="pairs")) for name in names}
        self._guide = _added(item, pg.PlotCurveItem())
        self._dot = _added(item, pg.ScatterPlotItem(size=9))
        self._tag = pg.TextItem(anchor=(0, 1))
        item.addItem(self._tag, ignoreBounds=True)
        self._chebyshev.setZValue(-2)  # the words' ground covers it, and nothing else
        self._tag.setZValue(-1)
        self._shown: LargeCounts | None = None
        self.show_bounds(False)
        self._top = 0.0
        self._rug_key: tuple[object, ...] = ()
        self.label_axis("bottom", t("tolerated probability of failing (T_E)"))
        self.label_axis("left", t("records (T_f)"))
        self.recolour()

    def recolour(self) -> None:
        super().recolour()
        c = theme.colours()
        self._exact.setPen(pg.mkPen(c.answerable, width=2))
        self._chebyshev.setPen(pg.mkPen(c.quiet, width=1))
        self._published.setPen(pg.mkPen(c.fault, width=1, style=Qt.PenStyle.DashLine))
        self._guide.setPen(pg.mkPen(c.answerable, width=1, style=Qt.PenStyle.DashLine))
        self._dot.setBrush(QColor(c.answerable))
        self._dot.setPen(pg.mkPen(c.card, width=1.5))
        self._tag.setColor(QColor(c.answerable))
        self._tag.fill = pg.mkBrush(c.card)
        for name, rug in self._rugs.items():
            rug.setPen(pg.mkPen(getattr(c, name), width=1))

    def show_bounds(self, on: bool) -> None:
        """Show Chebyshev's bound and the papers' printed curve, which is not valid, beside the exact one."""
        self._published.setVisible(on)
        self._chebyshev.setVisible(on)
        if self._shown is not None:
            self._draw_bounds(self._shown)

    def _draw_bounds(self, what: LargeCounts) -> None:
        """Draw the two curves that are rarely shown, where they are."""
        if self._published.isVisible():
            x = np.log10(what.t_e)
            self._chebyshev.setData(x, np.log10(what.chebyshev))
            self._published.setData(x, np.log10(what.as_published))

    def draw(self, what: LargeCounts) -> None:
        """Draw finished figures."""
        self._exact.setData(np.log10(what.t_e), np.log10(what.exact))
        self._draw_bounds(what)
        top = math.log10(what.top) * 1.03 + 0.05
        if top != self._top:
            self._top = top
            self.getPlotItem().vb.setRange(yRange=(-0.04 * top, top), padding=0.0)
        t_e, t_f = what.chosen
        at, height = math.log10(t_e), math.log10(t_f)
        self._guide.setData(np.array([-4.0, at, at]), np.array([height, height, -1.0]))
        self._dot.setData([at], [height])
        # The words stand where the curve, which falls to the right, leaves room: above it, or below it near the edge.
        self._tag.setAnchor((0.0, 1.0) if at < -0.95 else (1.0, 0.0))
        self._tag.setPos(at, height)
        self._tag.setText(t("{count} or more", count=number(t_f)))
        self._draw_rug(what)
        self._shown = what
        self.setAccessibleDescription(
            t(
                "Dot: a count of {t_f} or more of the whole table is wrong by {epsilon} or more in at most {t_e} of the"
                " releases. Strokes at the right: your values.",
                t_f=number(t_f),
                epsilon=percent(what.epsilon),
                t_e=percent(t_e),
            )
        )

    def _draw_rug(self, what: LargeCounts) -> None:
        t_f = what.chosen[1]
        key = (id(what.counts), what.alpha, t_f, what.top)
        if key == self._rug_key:
            return
        self._rug_key = key
        counts = what.counts
        small, large = counts <= what.alpha, counts >= t_f
        for name, chosen in (
            ("protected", small),
            ("between", ~small & ~large),
            ("answerable", large & ~small),
        ):
            shown = np.minimum(counts[chosen], what.top)  # what lies beyond the axis is marked at its end
            y = np.log10(np.repeat(shown.astype(np.float64), 2))
            x = np.tile(_RUG, int(chosen.sum()))
            self._rugs[name].setData(x, y)

    def places(self) -> Floats:
        return np.log10(self._shown.t_e) if self._shown else np.zeros(0)

    def words_at(self, place: int) -> str:
        what = self._shown
        if what is None:
            return ""
        words = t(
            "Failing in {t_e} (T_E): {exact} records or more (T_f)",
            t_e=percent(float(what.t_e[place])),
            exact=number(float(what.exact[place])),
        )
        if self._published.isVisible():
            words += t(
                "; by Chebyshev {chebyshev}; as published, not valid: {count}",
                chebyshev=number(float(what.chebyshev[place])),
                count=decimal(float(what.as_published[place])),
            )
        return words


class SmallCountsPlot(Plot):
    """How surely a small count is shown wrong, count by count, with the least of it (T_P)."""

    def __init__(self, parent: QWidget | None = None) -> None:
        left = PercentAxis("left", (0.0, 0.25, 0.5, 0.75, 1.0), log=False)
        super().__init__(t("Small counts"), {"bottom": pg.AxisItem("bottom"), "left": left}, parent)
        item = self.getPlotItem()
        self._zone = pg.LinearRegionItem(movable=False)
        self._zone.setZValue(-10)
        item.addItem(self._zone, ignoreBounds=True)
        self._line = _added(item, pg.PlotCurveItem())
        self._rest = _added(item, pg.ScatterPlotItem(size=5))
        self._small = _added(item, pg.ScatterPlotItem(size=7))
        self._guide = _added(item, pg.PlotCurveItem())
        self._least = _added(item, pg.ScatterPlotItem(size=12))
        self._tag = pg.TextItem(anchor=(0, 1))
        item.addItem(self._tag, ignoreBounds=True)
        item.vb.setRange(yRange=(0.0, 1.0), padding=0.03)
        self._shown: SmallCounts | None = None
        self._most = 0
        self.label_axis("bottom", t("true count, records (f)"))
        self.label_axis("left", t("shown wrong"))
        self.recolour()

    def recolour(self) -> None:
        super().recolour()
        c = theme.colours()
        self._zone.setBrush(QColor(c.protected_soft))
        for line in self._zone.lines:
            line.setPen(pg.mkPen(None))
        self._line.setPen(pg.mkPen(c.between, width=1))
        for dots, colour in ((self._rest, c.between), (self._small, c.protected)):
            dots.setBrush(QColor(colour))
            dots.setPen(pg.mkPen(None))
        self._least.setBrush(None)
        self._least.setPen(pg.mkPen(c.protected, width=2))
        self._guide.setPen(pg.mkPen(c.protected, width=1, style=Qt.PenStyle.DashLine))
        self._tag.setColor(QColor(c.protected))

    def draw(self, what: SmallCounts) -> None:
        """Draw finished figures."""
        most = len(what.probability)
        f = np.arange(1, most + 1, dtype=np.float64)
        if most != self._most:
            self._most = most
            self.getPlotItem().vb.setRange(xRange=(0.3, most + 0.7), padding=0.0)
        self._line.setData(f, what.probability)
        self._rest.setData(f[what.alpha :], what.probability[what.alpha :])
        self._small.setData(f[: what.alpha], what.probability[: what.alpha])
        self._zone.setRegion((0.0, what.alpha + 0.5))
        self._guide.setData(np.array([0.0, most + 1.0]), np.array([what.t_p, what.t_p]))
        self._least.setData([what.at], [what.t_p])
        # Words stand at the right edge, clear of the dots of the small counts, on the side of the line that has room.
        low = what.t_p < 0.8
        self._tag.setAnchor((1.0, 1.0) if low else (1.0, 0.0))
        self._tag.setPos(most + 0.7, what.t_p)
        self._tag.setText(t("at least {share} up to {alpha}", share=promised(what.t_p), alpha=what.alpha))
        self._shown = what
        self.setAccessibleDescription(
            t(
                "Ring: counts from 1 to {alpha} are shown wrong by more than {epsilon} in at least {t_p} of the"
                " releases, least often a count of {at}.",
                alpha=what.alpha,
                epsilon=percent(what.epsilon),
                t_p=promised(what.t_p),
                at=what.at,
            )
        )

    def places(self) -> Floats:
        return np.arange(1, len(self._shown.probability) + 1, dtype=np.float64) if self._shown else np.zeros(0)

    def words_at(self, place: int) -> str:
        what = self._shown
        if what is None:
            return ""
        return t(
            "Count {f}: wrong by more than {epsilon} with probability {share}",
            f=place + 1,
            epsilon=percent(what.epsilon),
            share=percent(float(what.probability[place])),
        )
