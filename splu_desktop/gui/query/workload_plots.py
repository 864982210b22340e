"""Two plots of a workload: the error by size of the count, and how surely small counts come out wrong."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QColor
from PySide6.QtWidgets import QWidget

from splu_desktop.gui.base import theme
from splu_desktop.gui.base.plots import Floats, PercentAxis, Plot, ShareAxis
from splu_desktop.gui.base.words import joined, number, percent, t
from splu_desktop.gui.query.workload_work import Accuracy

_WIDTH = 0.36  # of a bar, where bands are 1 apart


def _hatched(colour: str) -> QBrush:
    """Return what fills the second of two kinds of bars, which differ in more than their hue."""
    return QBrush(QColor(colour), Qt.BrushStyle.BDiagPattern)


class BandsPlot(Plot):
    """Mean relative error in each band of true counts: the estimate beside the published count."""

    def __init__(self, parent: QWidget | None = None) -> None:
        bottom = pg.AxisItem("bottom")
        super().__init__(t("Error by size of the count"), {"bottom": bottom, "left": ShareAxis("left")}, parent)
        item = self.getPlotItem()
        self._bars = {name: pg.BarGraphItem(x=[0.0], height=[0.0], width=_WIDTH) for name in ("published", "estimate")}
        for bars in self._bars.values():
            item.addItem(bars)
        self._shown: Accuracy | None = None
        self.label_axis("bottom", t("true count up to (records, share of all)"))
        self.label_axis("left", t("off by, on average"))
        self.recolour()

    def recolour(self) -> None:
        super().recolour()
        c = theme.colours()
        self._bars["published"].setOpts(brush=_hatched(c.between), pen=pg.mkPen(c.between))
        self._bars["estimate"].setOpts(brush=QColor(c.accent), pen=pg.mkPen(None))

    def draw(self, what: Accuracy) -> None:
        """Draw finished figures."""
        self._shown = what
        x = np.arange(len(what.bands), dtype=float)
        highest = 0.0
        for name, figures, side in (("estimate", what.error, -0.5), ("published", what.error_published, 0.5)):
            heights = np.nan_to_num(figures)
            highest = max(highest, float(heights.max()))
            self._bars[name].setOpts(x=x + side * _WIDTH, height=heights, width=_WIDTH)
        axis = self.getPlotItem().getAxis("bottom")
        # The ends of the bands, since their whole names would run into each other.
        axis.setTicks([[(at, name) for at, name in enumerate(what.ends)]])
        self.getPlotItem().vb.setRange(
            xRange=(-0.6, len(what.bands) - 0.4), yRange=(0.0, max(highest, 0.05) * 1.05), padding=0.0
        )
        self.setAccessibleDescription(joined(self.words_at(at) for at in range(len(what.bands))))

    def places(self) -> Floats:
        return np.arange(len(self._shown.bands), dtype=float) if self._shown else np.zeros(0)

    def words_at(self, place: int) -> str:
        what = self._shown
        if what is None:
            return ""
        return t(
            "{band}: estimate off by {error} on average, the papers' by {published}; {n} questions",
            band=what.bands[place],
            error=percent(float(what.error[place]), 0),
            published=percent(float(what.error_published[place]), 0),
            n=number(int(what.queries[place])),
        )


class SmallPlot(Plot):
    """The share of answers to each small true count that are wrong by more than epsilon."""

    def __init__(self, parent: QWidget | None = None) -> None:
        left = PercentAxis("left", (0.0, 0.25, 0.5, 0.75, 1.0), log=False)
        super().__init__(t("Small counts"), {"bottom": pg.AxisItem("bottom"), "left": left}, parent)
        item = self.getPlotItem()
        self._bars = {name: pg.BarGraphItem(x=[0.0], height=[0.0], width=0.7) for name in ("rest", "small")}
        for bars in self._bars.values():
            item.addItem(bars)
        self._promise = pg.InfiniteLine(angle=0)
        item.addItem(self._promise, ignoreBounds=True)
        self._shown: Accuracy | None = None
        self.label_axis("bottom", t("true count, records"))
        self.label_axis("left", t("answered wrong"))
        self.recolour()

    def recolour(self) -> None:
        super().recolour()
        c = theme.colours()
        self._bars["rest"].setOpts(brush=_hatched(c.between), pen=pg.mkPen(c.between))
        self._bars["small"].setOpts(brush=QColor(c.protected), pen=pg.mkPen(None))
        self._promise.setPen(pg.mkPen(c.protected, width=1, style=pg.QtCore.Qt.PenStyle.DashLine))

    def draw(self, what: Accuracy) -> None:
        """Draw finished figures."""
        self._shown = what
        counts: NDArray[Any] = np.arange(1, len(what.wrong) + 1)
        for name, chosen in (("small", counts <= what.alpha), ("rest", counts > what.alpha)):
            self._bars[name].setOpts(
                x=counts[chosen].astype(float), height=np.nan_to_num(what.wrong[chosen]), width=0.7
            )
        self._promise.setVisible(what.t_p is not None)
        if what.t_p is not None:
            self._promise.setPos(what.t_p)
        self.getPlotItem().vb.setRange(xRange=(0.4, len(what.wrong) + 0.6), yRange=(0.0, 1.0), padding=0.02)
        self.setAccessibleDescription(joined(self.words_at(at) for at in range(len(what.wrong))))

    def places(self) -> Floats:
        return np.arange(1, len(self._shown.wrong) + 1, dtype=float) if self._shown else np.zeros(0)

    def words_at(self, place: int) -> str:
        what = self._shown
        if what is None:
            return ""
        share = float(what.wrong[place])
        if math.isnan(share):
            return t("A true count of {f}: no question", f=place + 1)
        return t(
            "A true count of {f}: {share} of {n} answers wrong by more than {epsilon}",
            f=place + 1,
            share=percent(share, 0),
            n=number(int(what.asked[place])),
            epsilon=percent(what.epsilon),
        )
