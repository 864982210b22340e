"""The trade-off over all group sizes: what each protects, what error it leaves, and the one that is recommended."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from splu_desktop.core.guarantees import planning, sentences
from splu_desktop.core.plan import Thresholds
from splu_desktop.core.progress import Progress
from splu_desktop.frozen import dataclass
from splu_desktop.gui.base import theme
from splu_desktop.gui.base.plot_saving import SavePlotButton
from splu_desktop.gui.base.plots import Floats, PercentAxis, Plot, promised
from splu_desktop.gui.base.widgets import Card, button, label, margins, put
from splu_desktop.gui.base.words import number, percent, t, told

_FEW = 12  # gammas up to which each is marked with a dot


@dataclass(frozen=True, eq=False)
class Advice:
    """What is found for one column and its thresholds.

    Attributes
    ----------
    curve : T_P, errors and signal over the feasible gammas.
    alpha : the largest small count.
    gamma : the recommended gamma; None where no T_P is asked for, or none meets it.
    words : the recommendation, or what would help, in a sentence; "" where no T_P is asked for.
    """

    curve: planning.TradeOff
    alpha: int
    gamma: int | None
    words: str


def advise(counts: NDArray[np.int64], n: int, thresholds: Thresholds, column: str, progress: Progress) -> Advice:
    """Return the trade-off and the recommendation. Runs in a worker. Raises SpluError."""
    progress.report("Comparing group sizes", 0.0)
    curve = planning.trade_off(counts, n, thresholds)
    if thresholds.t_p is None:
        return Advice(curve, thresholds.alpha, None, "")
    found = planning.recommend(counts, n, thresholds)
    words = told(sentences.recommendation(found, thresholds, column=column))
    return Advice(curve, thresholds.alpha, found.gamma, words)


def _marks(gammas: Floats) -> list[float]:
    """Return some eight of the gammas, for the axis."""
    if len(gammas) < 2:
        return [float(gamma) for gamma in gammas]
    step = next(
        step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 20_000) if step * 9 >= gammas[-1]
    )
    return [float(gamma) for gamma in np.arange(step if step > 1 else 2, gammas[-1] + 1, step)]


class TradeOffPlot(Plot):
    """T_P and the error left in large counts, against gamma."""

    def __init__(self, parent: QWidget | None = None) -> None:
        left = PercentAxis("left", (0.0, 0.25, 0.5, 0.75, 1.0), log=False)
        super().__init__(t("Trade-off"), {"bottom": pg.AxisItem("bottom"), "left": left}, parent)
        item = self.getPlotItem()
        self._t_p, self._error, self._subgroup = (item.plot() for _ in range(3))
        self._now = pg.InfiniteLine(angle=90)
        item.addItem(self._now, ignoreBounds=True)
        self._advised = item.plot(pen=None, symbol="o", symbolSize=12)
        item.vb.setRange(yRange=(0.0, 1.0), padding=0.03)
        self.setMinimumSize(200, 80)
        self._shown: Advice | None = None
        self.label_axis("bottom", t("group size gamma"))
        self.label_axis("left", t("share"))
        self.recolour()

    def recolour(self) -> None:
        super().recolour()
        c = theme.colours()
        self._t_p.setPen(pg.mkPen(c.protected, width=2))
        self._error.setPen(pg.mkPen(c.answerable, width=1))
        self._subgroup.setPen(pg.mkPen(c.answerable, width=1, style=Qt.PenStyle.DashLine))
        for line, colour in ((self._t_p, c.protected), (self._error, c.answerable), (self._subgroup, c.answerable)):
            line.setSymbolBrush(QColor(colour))
            line.setSymbolPen(None)
        self._now.setPen(pg.mkPen(c.accent, width=1))
        self._advised.setSymbolBrush(None)
        self._advised.setSymbolPen(pg.mkPen(QColor(c.protected), width=2))

    def draw(self, advice: Advice, gamma: int) -> None:
        """Draw finished figures, with the gamma chosen now."""
        curve = advice.curve
        x = curve.gammas.astype(np.float64)
        if advice is not self._shown:
            self._shown = advice
            self.getPlotItem().vb.setRange(xRange=(1.5, float(x.max(initial=3.0)) + 0.5), padding=0.0)
            few = len(x) <= _FEW  # a line through one point is none
            for line, y, shape in (
                (self._t_p, curve.t_p, "o"),
                (self._error, curve.large_error, "s"),
                (self._subgroup, curve.subgroup_error, "t"),
            ):
                line.setData(x, y, symbol=shape if few else None, symbolSize=6)
            self.getPlotItem().getAxis("bottom").setTicks([[(gamma, number(gamma)) for gamma in _marks(x)]])
            at = np.flatnonzero(curve.gammas == advice.gamma) if advice.gamma is not None else np.zeros(0, np.intp)
            self._advised.setData(x[at], curve.t_p[at])
        self._now.setPos(gamma)
        self.setAccessibleDescription(advice.words or self.words_at(max(0, min(gamma - 2, len(x) - 1))))

    def places(self) -> Floats:
        return self._shown.curve.gammas.astype(np.float64) if self._shown else np.zeros(0)

    def words_at(self, place: int) -> str:
        if self._shown is None or not len(self._shown.curve.gammas):
            return ""
        curve = self._shown.curve
        return t(
            "Gamma {gamma}: counts up to {alpha} are shown wrong in at least {t_p} of the releases; larger ones are"
            " usually off by {error}, in a tenth of the table by {subgroup}; signal left {signal}",
            gamma=number(int(curve.gammas[place])),
            alpha=self._shown.alpha,
            t_p=promised(float(curve.t_p[place])),
            error=percent(float(curve.large_error[place])),
            subgroup=percent(float(curve.subgroup_error[place])),
            signal=percent(float(curve.signal[place])),
        )


class TradeOffTab(QWidget):
    """The plot with its legend in words, the recommendation, and a button that takes it."""

    take = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = margins(QHBoxLayout(self), 0, 8, 0, 0, spacing=16)
        self.plot = TradeOffPlot()
        card = Card()
        margins(card.body, 8, 4, 4, 4, spacing=0)
        self.save = SavePlotButton(self.plot, t("Trade-off"))
        inside = put(margins(QHBoxLayout(), spacing=0), (self.plot, 1), (self.save, 0, Qt.AlignmentFlag.AlignTop))
        card.body.addLayout(inside)
        row.addWidget(card, 3)
        side = margins(QVBoxLayout(), spacing=6)
        self.words = label("", wrap=True, selectable=True)
        self.use = button("", self._use, picture="check")
        self.legend = label("", "quiet", wrap=True)
        self.readout = label("", "quiet", wrap=True)
        self.plot.readout.connect(self._read)
        put(side, self.words, (self.use, 0, Qt.AlignmentFlag.AlignLeft), self.legend, self.readout, 1)
        row.addLayout(side, 2)
        self._advice: Advice | None = None

    def _read(self, text: str) -> None:
        self.readout.setText(text)
        self.legend.setVisible(not text)

    def show_advice(self, advice: Advice, gamma: int) -> None:
        """Show another trade-off, or another gamma in it."""
        self._advice = advice
        self.plot.draw(advice, gamma)
        self.legend.setText(
            t(
                "Thick line, dots: how often counts up to {alpha} are shown wrong. Thin line, squares: how far larger"
                " ones are usually off. Dashed, triangles: the same in a tenth of the table, such as one ward.",
                alpha=advice.alpha,
            )
        )
        self.words.setText(
            advice.words
            or t("Set above in how many cases small counts must be shown wrong, and a group size is recommended.")
        )
        wanted = advice.gamma if advice.gamma != gamma else None
        self.use.setVisible(wanted is not None)
        if wanted is not None:
            self.use.setText(t("&Use gamma {gamma}", gamma=number(wanted)))

    def _use(self) -> None:
        if self._advice is not None and self._advice.gamma is not None:
            self.take.emit(self._advice.gamma)


class TradeOffRoom(QWidget):
    """Room for the tab, which is made when it is first looked at: its plot takes a fifth of what the whole page takes.

    Signals
    -------
    take (int) : the group size recommended is to be taken.
    failed (str) : a sentence on why the plot could not be saved.
    made : the tab is there now.
    """

    take = Signal(int)
    failed = Signal(str)
    made = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._room = margins(QHBoxLayout(self), 0)
        self._advice: tuple[Advice, int] | None = None

    @cached_property
    def tab(self) -> TradeOffTab:
        """The tab; it is made if need be."""
        tab = TradeOffTab()
        tab.save.failed.connect(self.failed)
        tab.take.connect(self.take)
        self._room.addWidget(tab)
        if self._advice is not None:
            tab.show_advice(*self._advice)
        self.made.emit()
        return tab

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        _ = self.tab

    def show_advice(self, advice: Advice, gamma: int) -> None:
        """Show figures, with the gamma chosen now; at once where the tab is there."""
        self._advice = advice, gamma
        if "tab" in self.__dict__:
            self.tab.show_advice(advice, gamma)
