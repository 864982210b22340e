"""Compare groups: rates or averages of two groups, as a difference or a ratio, and by several columns at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from splu_desktop.core.answer.analyses import Analysis, Estimate, Result
from splu_desktop.core.answer.answer import EXACT
from splu_desktop.gui.ask.asking import Opened
from splu_desktop.gui.base import theme
from splu_desktop.gui.base.models import Field, RowsModel, TableView
from splu_desktop.gui.base.page import Fold
from splu_desktop.gui.base.parts import Card
from splu_desktop.gui.base.widgets import Choice, TickList, label, margins, put
from splu_desktop.gui.base.words import bare, decimal, t, told
from splu_desktop.gui.proposal.ranges import draw_range

_MOST = 400  # values offered in a box


class Interval(QWidget):
    """A figure with its range on a line, and where no difference would be."""

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[Estimate, float | None, bool] | None = None
        self.setMinimumHeight(40)

    def show_estimate(self, estimate: Estimate | None, nothing: float | None, *, ratio: bool) -> None:
        """Show a figure; `nothing` is the value at which the groups are alike, None for none."""
        self._shown = None if estimate is None else (estimate, nothing, ratio)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(240, 40)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._shown is None:
            return
        estimate, nothing, ratio = self._shown
        values = [estimate.low, estimate.estimate, estimate.high, *([] if nothing is None else [nothing])]
        if not all(map(math.isfinite, values)) or (ratio and min(values) <= 0):
            return
        scale = math.log if ratio else float
        low, high = scale(min(values)), scale(max(values))
        room = 0.15 * (high - low or 1.0)
        low, high = low - room, high + room

        def place(value: float) -> float:
            return 6 + (scale(value) - low) / (high - low) * (self.width() - 12)

        painter = QPainter(self)
        if nothing is not None:
            painter.setPen(QPen(QColor(theme.colours().quiet), 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(place(nothing), 2), QPointF(place(nothing), self.height() - 2))
        box = QRectF(6, 0, self.width() - 12, self.height())
        draw_range(painter, box, place, (estimate.low, estimate.high), EXACT, point=estimate.estimate)
        painter.end()


class ComparePanel(QWidget):
    """The panel; `ask` starts the work for an analysis."""

    def __init__(self, ask: Callable[[Analysis], None]) -> None:
        super().__init__()
        self._ask = ask
        self._opened: Opened | None = None
        self.kind = Choice(bare(t("&Compare")))
        self.outcome, self.value = Choice(t("Column")), Choice(t("Value"))
        self.exposure, self.one, self.other = (
            Choice(t("between groups by")),
            Choice(t("Group")),
            Choice(t("all others")),
        )
        for each in (self.outcome, self.value, self.exposure, self.one, self.other):
            each.keep_short(12)
        self.adjusted = TickList(t("adjusted for"))
        card = Card(spacing=6)
        grid = QGridLayout()
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(8)
        for row, (name, parts) in enumerate(
            (
                (bare(t("&Compare")), (self.kind,)),
                (t("of"), (self.outcome, self.value)),
                (t("between groups by"), (self.exposure,)),
                (t("namely"), (self.one, self.other)),
            )
        ):
            grid.addWidget(label(name, "strong"), row, 0)
            line = margins(QHBoxLayout(), 0, spacing=8)
            put(line, *((part, 1) for part in parts))
            grid.addLayout(line, row, 1)
        self.adjusted_name = label(t("adjusted for"), "strong")
        grid.addWidget(self.adjusted_name, 4, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(self.adjusted, 4, 1)
        grid.setRowStretch(4, 1)
        grid.setColumnStretch(1, 1)
        card.body.addLayout(grid, 1)
        self.result = self._make_result()
        self.row = margins(QHBoxLayout(), 0, spacing=14)
        put(self.row, (card, 5), (self.result, 4))
        outer = margins(QVBoxLayout(self), 0, spacing=12)
        outer.addLayout(self.row, 1)
        self.kind.currentIndexChanged.connect(lambda at: self._fill())
        self.outcome.currentIndexChanged.connect(lambda at: self._fill_values())
        self.exposure.currentIndexChanged.connect(lambda at: self._fill_groups())
        for box in (self.value, self.one, self.other):
            box.currentIndexChanged.connect(lambda at: self._changed())
        self.adjusted.itemChanged.connect(lambda item: self._changed())

    def _make_result(self) -> Card:
        card = Card(spacing=8)
        self.what = label("", "quiet", fitting=True)
        self.figure = label("", live=True, fitting=True)
        font = self.font()
        font.setPointSizeF(font.pointSizeF() * 2.0)
        font.setBold(True)
        self.figure.setFont(font)
        self.interval = Interval()
        self.sentence, self.alike = label("", fitting=True), label("", "quiet", fitting=True)
        self.notes, self.fault = label("", "quiet", fitting=True), label("", "problem", fitting=True)
        self.table = TableView(t("Answer"))
        self.model: RowsModel[Estimate] = RowsModel(
            [
                Field(t("Column"), lambda each: each.name),
                Field(t("Figure"), lambda each: decimal(each.estimate), lambda each: each.estimate, right=True),
                Field(
                    t("between"),
                    lambda each: t("{low} and {high}", low=decimal(each.low), high=decimal(each.high)),
                    right=True,
                ),
            ],
            self,
        )
        self.table.setModel(self.model)
        put(card.body, self.what, self.figure, self.interval, self.sentence, self.alike, self.fault, self.notes)
        put(card.body, (self.table, 5), 1)
        return card

    def fold(self, fold: Fold) -> None:
        """Lay it out for so much room."""
        one = fold is Fold.NARROW
        self.row.setDirection(QHBoxLayout.Direction.TopToBottom if one else QHBoxLayout.Direction.LeftToRight)
        self.adjusted.setMinimumHeight(70)
        self.adjusted.setMaximumHeight(120 if fold is not Fold.WIDE else 260)

    def show_release(self, opened: Opened) -> None:
        """Ask another release."""
        self._opened = opened
        self.kind.offer(
            [
                (t("rates, as a ratio"), "risk ratio"),
                (t("rates, as a difference"), "difference"),
                (t("odds, as a ratio"), "odds ratio"),
                (t("averages, as a difference"), "mean"),
                (t("odds, adjusted for other columns"), "logistic"),
            ]
        )
        self._fill()

    def ask_for(self, outcome: str, value: str | None, by: Sequence[str]) -> None:
        """Choose what is compared first."""
        for box, name in ((self.outcome, outcome), (self.value, value), (self.exposure, by[0] if by else None)):
            at = box.findData(name)
            if at >= 0:
                box.setCurrentIndex(at)

    # --- boxes

    @property
    def _kind(self) -> str:
        return str(self.kind.currentData())

    def _fill(self) -> None:
        opened = self._opened
        if opened is None:
            return
        published = opened.published
        mean = self._kind == "mean"
        outcomes = [*published.sensitive, *published.nsas]
        if mean:
            outcomes = [name for name in outcomes if published.numbers(name) is not None]
        kept = self.outcome.currentData()
        self.outcome.offer([(name, name) for name in outcomes], kept)
        self.value.setVisible(not mean)
        adjusts = self._kind == "logistic"
        for part in (self.adjusted, self.adjusted_name):
            part.setVisible(adjusts)
        for box in (self.one, self.other):
            box.setVisible(not adjusts)
        self._fill_values()

    def _fill_values(self) -> None:
        opened, name = self._opened, self.outcome.currentData()
        if opened is None or name is None:
            self._show_fault(t("No column of this release holds numbers."))
            return
        self.value.offer(_values(opened, str(name)), self.value.currentData())
        names = [each for each in opened.columns if each != name]
        names.sort(key=lambda each: opened.published.is_sensitive(each))
        self.exposure.offer([(each, each) for each in names], self.exposure.currentData())
        self._fill_groups()

    def _fill_groups(self) -> None:
        opened, name = self._opened, self.exposure.currentData()
        if opened is None or name is None:
            return
        values = _values(opened, str(name))
        self.one.offer(values, self.one.currentData())
        self.other.offer([(t("all others"), None), *values], self.other.currentData())
        free = [each for each in opened.columns if each not in (name, self.outcome.currentData())]
        held = self.adjusted.blockSignals(True)
        self.adjusted.offer(free, ())
        self.adjusted.blockSignals(held)
        self._changed()

    def _changed(self) -> None:
        opened, outcome = self._opened, self.outcome.currentData()
        if opened is None or outcome is None or self.exposure.currentData() is None:
            return
        kind, value = self._kind, self.value.currentData()
        one, other = self.one.currentData(), self.other.currentData()
        if kind == "logistic":
            covariates = (str(self.exposure.currentData()), *self.adjusted.ticked())
            self._ask(Analysis("logistic", str(outcome), value, covariates=covariates))
            return
        if one == other:
            self._show_fault(t("Choose two different groups."))
            return
        shape = "difference" if kind == "mean" else kind
        exposure = str(self.exposure.currentData())
        self._ask(Analysis(shape, str(outcome), None if kind == "mean" else value, exposure, one, other))

    # --- the result

    def take_result(self, found: Result) -> None:
        """Show what came out."""
        analysis, first = found.analysis, found.first
        ratio = analysis.kind in ("risk ratio", "odds ratio")
        several = analysis.kind == "logistic"
        self.fault.setText("")
        self.model.show(found.estimates if several else ())
        self.table.setVisible(several)
        self.table.resizeColumnsToContents()
        for part in (self.figure, self.interval):
            part.setVisible(not several)
        self.interval.show_estimate(first, 1.0 if ratio else 0.0, ratio=ratio)
        as_share = analysis.kind == "difference" and analysis.value is not None

        def words(value: float) -> str:
            if not as_share:
                return decimal(value)
            return t("{n} points", n=decimal(100 * value))

        self.figure.setText(t("about {n}", n=words(first.estimate)))
        self.what.setText(_title(analysis))
        self.sentence.setText(
            t("Odds ratios with their ranges; the first values are what they are compared with.")
            if several
            else t(
                "Between {low} and {high} for these rows, in 95 of 100 releases.",
                low=words(first.low),
                high=words(first.high),
            )
        )
        self.alike.setText(
            ""
            if several
            else t(
                "About persons like these: between {low} and {high}.",
                low=words(first.low_alike),
                high=words(first.high_alike),
            )
        )
        self.notes.setText(" ".join(told(each) for each in found.notes))

    def _show_fault(self, sentence: str) -> None:
        self.show_fault(sentence)

    def show_fault(self, sentence: str) -> None:
        """Show why there is no result."""
        for part in (self.what, self.figure, self.sentence, self.alike, self.notes):
            part.setText("")
        self.interval.show_estimate(None, None, ratio=False)
        self.table.hide()
        self.fault.setText(sentence)


def _values(opened: Opened, name: str) -> list[tuple[str, str]]:
    """Return values to choose from, the frequent ones first where they are published as they are."""
    column = opened.published.table[name]
    labels = [str(each) for at, each in enumerate(column.labels) if not column.missing[at]][:_MOST]
    return [(each or t("(empty)"), each) for each in labels]


def _title(analysis: Analysis) -> str:
    what = str(analysis.value) if analysis.value is not None else analysis.outcome
    if analysis.kind == "logistic":
        return t("Odds of {what}, adjusted", what=what)
    other = t("all others") if analysis.unexposed is None else str(analysis.unexposed)
    return t("{what}: {one} against {other}", what=what, one=str(analysis.exposed), other=other)
