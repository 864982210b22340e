"""Analyses beyond counts: shares, ratios, means, trends and regressions, each with its interval."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QMenu, QVBoxLayout, QWidget

from splu_desktop.core.analyse.analysis import Analysis, AnalysisKind, columns_of_numbers, columns_of_time
from splu_desktop.core.analyse.figures import Analysed
from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.messages import Said
from splu_desktop.core.progress import Progress
from splu_desktop.files.questions.figures_file import write_figures
from splu_desktop.gui.base import theme
from splu_desktop.gui.base.models import AT_ONCE, Field, RowsModel, TableView
from splu_desktop.gui.base.plot_saving import SavePlotButton
from splu_desktop.gui.base.tasks import Job, Tasks
from splu_desktop.gui.base.widgets import Card, Empty, announce, button, label, margins, put, scrolled
from splu_desktop.gui.base.words import decimal, joined, number, percent_within, spanned, t, told
from splu_desktop.gui.query.analyse.condition_edit import Counts
from splu_desktop.gui.query.analyse.form import AnalysisForm
from splu_desktop.gui.query.analyse.trend_plot import TrendPlot
from splu_desktop.gui.query.tab import WorkingTab
from splu_desktop.gui.query.work import Asker

_NOTHING = {  # what a figure is where there is no link
    AnalysisKind.DIFFERENCE: 0.0,
    AnalysisKind.RATIO: 1.0,
    AnalysisKind.ODDS_RATIO: 1.0,
    AnalysisKind.TREND: 0.0,
}
_REGRESSIONS = (AnalysisKind.LOGIT, AnalysisKind.POISSON)
_NARROWEST = 80  # pixels of a column
Offered = tuple[tuple[str, ...], dict[str, tuple[str, ...]], Counts]


class AnalysisTab(WorkingTab):
    """The third tab."""

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(tasks, parent)
        self.shown: tuple[Analysis, Analysed] | None = None
        row = margins(QHBoxLayout(self), 0, 8, 0, 0, spacing=12)
        self.form = AnalysisForm()
        self.form.changed.connect(self._form_changed)
        row.addWidget(scrolled(self.form), 5)
        start = Empty(
            "chart-column",
            t("More than counts"),
            t("Choose an analysis at the left. Each figure gets its 95 % interval about the original table."),
        )
        self.answer = self._build_answer()
        row.addWidget(self.use_parts(start, t("Calculating"), self.answer), 8)

    def _build_answer(self) -> QWidget:
        card, read = Card("", spacing=6), QWidget()
        column = margins(QVBoxLayout(read), 0, spacing=6)  # scrolls: nothing is pushed into the chart in a low window
        self.what = label("", "strong", wrap=True, selectable=True)
        self.figure = label("", selectable=True)
        self.figure.setFont(theme.title_font(self.font()))
        self.interval = label("", wrap=True, selectable=True)
        self.link = label("", "quiet", wrap=True)
        self.notes = label("", wrap=True, selectable=True)
        self.old = label("", "warning", wrap=True, live=True)
        self.old.hide()
        for part in (self.old, self.what, self.figure, self.interval, self.link, self.notes):
            column.addWidget(part)
        self.plot = TrendPlot()
        self.plot.setMinimumHeight(max(110, 8 * self.fontMetrics().height()))
        column.addWidget(self.plot, 3)
        self.readout = label("", "quiet", wrap=True)
        self.plot.readout.connect(self._read)
        column.addWidget(self.readout)
        self.model: RowsModel[Analysed] = RowsModel(
            [
                Field("", lambda one: told(one.what) if isinstance(one.what, Said) else one.what),
                Field(t("Estimate"), lambda one: self._texts(one)[0], right=True),
                Field(
                    t("95 % CI"),
                    lambda one: spanned(*self._texts(one)[1:], possible=one.possible),
                    right=True,
                    hint=t("95 % interval"),
                ),
                Field(
                    t("Factor"),
                    lambda one: decimal(math.exp(one.estimate)) if abs(one.estimate) < 100 else "–",
                    right=True,
                    hint=t("By how many times one more, or this value, changes the odds or the rate"),
                ),
                Field(t("Records"), lambda one: "" if one.selected is None else number(one.selected), right=True),
            ],
            self,
        )
        self.table = TableView(t("Figures of the analysis"))
        self.table.setModel(self.model)
        self.table.setShowGrid(False)
        header = self.table.horizontalHeader()
        header.setMinimumSectionSize(_NARROWEST)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        column.addWidget(self.table, 2)
        self.filler = QWidget()
        column.addWidget(self.filler, 1)
        foot = QHBoxLayout()
        self.note = label(
            t("Right on average over many releases; “One question” leans on all columns and may differ."),
            "quiet",
            wrap=True,
        )
        foot.addWidget(self.note, 1)
        self.save_plot = SavePlotButton(self.plot, self.plot.accessibleName())
        self.save_plot.failed.connect(self.failed)
        self.export_button = button(t("E&xport…"), lambda: None, picture="download")
        menu = QMenu(self.export_button)
        for words, ending in (
            (t("Figures as &CSV…"), "csv"),
            (t("Figures as &Excel workbook…"), "xlsx"),
        ):
            menu.addAction(words).triggered.connect(partial(self._ask_export, ending))
        self.export_button.setMenu(menu)
        put(foot, self.save_plot, self.export_button)
        room = scrolled(read)
        for ground in (room.viewport(), read):
            ground.setAutoFillBackground(False)  # the card's shows
        put(card.body, (room, 1), foot)
        return card

    def first(self) -> QWidget:
        return self.form.kind

    # -- the page asks -------------------------------------------------------------------------------------------

    def take(self, asker: Asker | None) -> None:
        self.asker = asker
        self.forget("analysis", "analysis columns")
        self.shown = None
        self.form.show_release(asker.published if asker is not None else None)
        if asker is not None:
            job = self.tasks.run("analysis columns", partial(_offered, asker))
            job.done.connect(partial(self._offered, asker))
            job.failed.connect(self.failed)

    def offer(self) -> tuple[str, bool, str]:
        words = t("Calculate")
        if self.asker is None or self._job is not None:
            return words, False, ""
        missing = self.form.missing()
        return words, not missing, missing

    def act(self) -> None:
        self.calculate()

    def calculate(self) -> Job | None:
        """Calculate in the worker."""
        asker = self.asker
        if asker is None:
            return None
        self.failed.emit("")
        try:
            asked = self.form.analysis()
        except BadQuestion as fault:
            self.failed.emit(told(str(fault)))
            return None
        return self.work("analysis", partial(_answered, asker, asked), partial(self._calculated, asked))

    def export(self, path: Path) -> Job | None:
        """Write the figures in the worker, as the file's ending says."""
        if self.shown is None or self.asker is None:
            return None
        return self.write(path, partial(write_figures, self.shown[1], str(self.asker.release.facts["id"]), path))

    # -- inside --------------------------------------------------------------------------------------------------

    def _offered(self, asker: Asker, offered: Offered) -> None:
        if self.still(asker):
            numbers, times, counts = offered
            self.form.offer_columns(numbers, times)
            self.form.take_counts(counts)

    def _calculated(self, asked: Analysis, found: Analysed) -> None:
        self.shown = (asked, found)
        self._show(asked, found)
        self.show_result(self.export_button)
        self.answered.emit()
        announce(self.figure, f"{joined((self.what.text(), self.figure.text()), ':')}. {self.interval.text()}")
        for part in (self.link, self.notes):
            announce(part, part.text())

    def _show(self, asked: Analysis, found: Analysed) -> None:
        what = told(found.what)
        self.what.setText(what[:1].upper() + what[1:])
        regression, trend = asked.kind in _REGRESSIONS, asked.kind is AnalysisKind.TREND
        estimate, low, high = self._main_texts(asked.kind, found)
        self.figure.setVisible(not regression)
        self.interval.setVisible(not regression)
        self.figure.setText(estimate)
        self.interval.setText(
            t("Possible: {low} to {high}", low=low, high=high)
            if found.possible
            else t("95 % interval: {low} to {high}", low=low, high=high)
        )
        self.link.setText(self._linked(asked.kind, found))
        self.link.setVisible(bool(self.link.text()))
        self.notes.setText("\n".join(map(told, found.notes)))
        self.notes.setVisible(bool(found.notes))
        drawn: tuple[QWidget, ...] = (self.plot, self.readout, self.save_plot)
        for part in drawn:
            part.setVisible(trend)
        self.old.hide()
        parts = tuple(found.parts.values())
        self.table.setVisible(bool(parts))
        self.filler.setVisible(not parts)
        self.model.show(())
        self.model.show(parts)
        self.table.setMinimumHeight(self.table.height_of_rows(len(parts) if len(parts) <= AT_ONCE else 3))
        self.table.setColumnHidden(3, not regression)
        self.table.setColumnHidden(4, not trend)
        if trend:
            self.plot.draw(parts, asked.columns[0])
            self._read("")

    def _linked(self, kind: AnalysisKind, found: Analysed) -> str:
        """Return in words whether the release shows a link at all."""
        if kind in _REGRESSIONS:
            return t("A coefficient whose interval holds 0 shows no link; above 0 raises, below 0 lowers.")
        none = _NOTHING.get(kind)
        if none is None:
            return ""
        if found.low <= none <= found.high:
            return t("The interval holds {none}: the release shows no link.", none=number(none))
        return t("The interval does not hold {none}: there is a link in the original table.", none=number(none))

    def _main_texts(self, kind: AnalysisKind, found: Analysed) -> tuple[str, ...]:
        width = found.high - found.low
        ends = (found.estimate, found.low, found.high)
        if kind is AnalysisKind.SHARE:
            return tuple(percent_within(end, width) for end in ends)
        if kind in (AnalysisKind.DIFFERENCE, AnalysisKind.TREND):
            estimate, low, high = (100 * end for end in ends)
            shown = Analysed(found.what, estimate, low, high).shown
            return t("{n} percentage points", n=told(shown[0])), *map(told, shown[1:])
        return tuple(map(told, found.shown))

    def _texts(self, one: Analysed) -> tuple[str, ...]:
        if self.shown is not None and self.shown[0].kind is AnalysisKind.TREND:
            return tuple(percent_within(end, one.high - one.low) for end in (one.estimate, one.low, one.high))
        return tuple(map(told, one.shown))

    def _read(self, text: str) -> None:
        self.readout.setText(text or t("Point at a period to read it, or use the arrow keys."))

    def _form_changed(self) -> None:
        """Say so where the answer shown is not to what is chosen now."""
        if self.shown is not None:
            try:
                old = self.form.analysis() != self.shown[0]
            except BadQuestion:
                old = True
            self.old.setVisible(old)
            self.old.setText(t("Below is still the answer to what was chosen before."))
        self.offered.emit()

    def _ask_export(self, ending: str) -> None:
        if self.shown is None:
            return
        kinds = [(ending, f"{ending.upper()} (*.{ending})")]
        if path := self.ask_where(t("Save the figures"), f"{self.shown[0].kind.value}.{ending}", kinds):
            self.export(path)

    def help_text(self) -> str:
        return t(
            "<p>Figures that counts alone can't give: how much more often something happens in one group, a mean, a "
            "trend, what an outcome hangs on.</p><p>Never count rows of a sensitive column within a group yourself: "
            "the figures would lean towards no difference. These go back through the chances of the "
            "draw.</p><p><b>What does the interval say?</b></p><p>In 95 of 100 releases it holds what the original "
            "table says. It says nothing about other patients than those in the table.</p>"
        )


def _offered(asker: Asker, progress: Progress) -> Offered:
    with asker.lock:
        return columns_of_numbers(asker.reader), columns_of_time(asker.reader), asker.counts(progress)


def _answered(asker: Asker, asked: Analysis, progress: Progress) -> Analysed:
    with asker.lock:
        progress.report("Calculating", 0.0)
        return asked.answer(asker.reader)
