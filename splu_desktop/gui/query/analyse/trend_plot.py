"""The share in each period with its interval."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtGui import QColor, QFontMetrics
from PySide6.QtWidgets import QWidget

from splu_desktop.core.analyse.figures import Analysed
from splu_desktop.gui.base import theme
from splu_desktop.gui.base.plots import Floats, Plot, ShareAxis
from splu_desktop.gui.base.words import joined, percent_within, t

_NAMES = 8  # of periods at most, in a wide window
_BESIDE = 12  # pixels between two of them


class TrendPlot(Plot):
    """Shares by period. An unbiased estimate may lie outside what can be; its point stands at the nearest end."""

    _found: tuple[Analysed, ...] = ()

    def __init__(self, parent: QWidget | None = None) -> None:
        axes = {"bottom": pg.AxisItem("bottom"), "left": ShareAxis("left")}
        super().__init__(t("Share by period"), axes, parent)
        item = self.getPlotItem()
        self._arms = pg.ErrorBarItem(x=np.zeros(1), y=np.zeros(1), top=np.zeros(1), bottom=np.zeros(1), beam=0.0)
        self._points = pg.ScatterPlotItem(size=7)
        for drawn in (self._arms, self._points):
            item.addItem(drawn)
        self.recolour()

    def recolour(self) -> None:
        super().recolour()
        c = theme.colours()
        self._arms.setData(pen=pg.mkPen(QColor(c.accent), width=1.5))
        self._points.setPen(pg.mkPen(None))
        self._points.setBrush(QColor(c.accent))

    def draw(self, parts: tuple[Analysed, ...], by: str) -> None:
        """Draw finished figures, one per period."""
        self._found = parts
        x = self.places()
        y, low, high = (np.array([getattr(part, name) for part in parts]) for name in ("estimate", "low", "high"))
        y = np.clip(y, 0.0, 1.0)
        self._arms.setData(x=x, height=None, y=y, top=np.maximum(high - y, 0.0), bottom=np.maximum(y - low, 0.0))
        self._points.setData(x, y)
        item = self.getPlotItem()
        self.label_axis("bottom", by)
        top = max(float(high.max()), float(y.max()), 0.01)
        item.vb.setRange(xRange=(-0.6, len(parts) - 0.4), yRange=(0.0, top * 1.05), padding=0.0)
        self.setAccessibleDescription(joined(map(self.words_at, range(len(parts)))))
        self._fit_labels()

    def _fit_labels(self) -> None:
        """Name as many periods as the axis has room for."""
        super()._fit_labels()
        metrics = QFontMetrics(theme.small_font(self.font()))
        names = [str(part.what) for part in self._found]
        room = max(map(metrics.horizontalAdvance, names), default=0) + _BESIDE
        most = min(_NAMES, max(1, int(self.getPlotItem().vb.width() / room)))
        step = max(1, -(-len(names) // most))
        self.getPlotItem().getAxis("bottom").setTicks([[(float(at), names[at]) for at in range(0, len(names), step)]])

    def places(self) -> Floats:
        return np.arange(len(self._found), dtype=float)

    def words_at(self, place: int) -> str:
        part = self._found[place]
        width = part.high - part.low
        names, figures = ("share", "low", "high"), (part.estimate, part.low, part.high)
        said = {name: percent_within(figure, width) for name, figure in zip(names, figures, strict=True)}
        if part.possible:
            return t("{period}: {share}, {low} to {high} possible", period=part.what, **said)
        return t("{period}: {share}, 95 % interval {low} to {high}", period=part.what, **said)
