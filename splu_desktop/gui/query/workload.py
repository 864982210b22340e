"""How well the release answers, measured: for the custodian, who alone has the true counts to compare with."""

from __future__ import annotations

import math
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from splu_desktop.gui.base.models import Field, RowsModel, TableView
from splu_desktop.gui.base.plot_saving import SavePlotButton
from splu_desktop.gui.base.tasks import Job, Tasks
from splu_desktop.gui.base.widgets import Card, Choice, Empty, Folding, label, margins, put, scrolled
from splu_desktop.gui.base.words import number, percent, t, tip
from splu_desktop.gui.query.tab import WorkingTab
from splu_desktop.gui.query.work import Asker
from splu_desktop.gui.query.workload_plots import BandsPlot, SmallPlot
from splu_desktop.gui.query.workload_work import Accuracy, judge

Band = tuple[str, int, float, float, float]  # name, questions, error, error as published, coverage


def _share(value: float) -> str:
    return "–" if math.isnan(value) else percent(value, 0)


class WorkloadTab(WorkingTab):
    """The fourth tab; shown only where the source is open."""

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(tasks, parent)
        self._accuracy: Accuracy | None = None
        column = margins(QVBoxLayout(self), 0, 8, 0, 0, spacing=8)
        asked = QWidget()
        row = margins(QHBoxLayout(asked), 0, spacing=8)
        self.sensitive, self.amount = Choice(t("Sensitive column to ask about")), Choice(t("Number of questions"))
        self.sensitive.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.amount.offer(((t("{n} questions", n=number(size)), size) for size in (1_000, 3_000, 6_000)), 3_000)
        self.sets = QCheckBox(t("&Sets of values"))
        tip(self.sets, t("Ask for two to five values together, not for one"))
        put(row, label(t("Ask about"), "quiet"), self.sensitive, self.amount, self.sets, 1)
        warning = label(t("From true counts: custodian only"), "warning")
        warning.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Maximum)
        column.addWidget(Folding(asked, warning))
        for box in (self.sensitive, self.amount):
            box.currentIndexChanged.connect(lambda _: self.offered.emit())
        start = Empty(
            "shield-check",
            t("How good are the answers?"),
            t(
                "Random questions are asked of the release, and each answer is compared with the true count in your"
                " table. The audit report shows the same measure."
            ),
        )
        self.results = scrolled(self._build_results())
        column.addWidget(self.use_parts(start, t("Asking test questions"), self.results), 1)

    def _build_results(self) -> QWidget:
        made = QWidget()
        grid = QGridLayout(made)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(12)
        self.measured = label("", "quiet", wrap=True, live=True)
        grid.addWidget(self.measured, 0, 0, 1, 2)
        self.bands_plot, self.small_plot = BandsPlot(), SmallPlot()
        self.readouts: list[QLabel] = []
        self._notes: list[str] = []
        for at, (plot, heading, note) in enumerate(
            (
                (
                    self.bands_plot,
                    t("The larger the count, the better the answer"),
                    t("Left of each pair: estimate. Right: the papers' estimate, for comparison."),
                ),
                (
                    self.small_plot,
                    t("Small counts come out wrong"),
                    t("Dashed: what is promised for the small ones."),
                ),
            )
        ):
            card = Card(heading, spacing=4)
            card.heading.setWordWrap(True)
            # In large writing the axes take as much room as the bars: rather scroll than draw one over the other.
            plot.setMinimumHeight(max(120, 8 * self.fontMetrics().height()))
            card.body.addWidget(plot, 1)
            readout = label(note, "quiet", wrap=True)
            plot.readout.connect(lambda text, at=at: self._read(at, text))
            self.readouts.append(readout)
            self._notes.append(note)
            row = put(QHBoxLayout(), (readout, 1))
            saving = SavePlotButton(plot, heading)
            saving.failed.connect(self.failed)
            row.addWidget(saving, 0, Qt.AlignmentFlag.AlignBottom)
            card.body.addLayout(row)
            grid.addWidget(card, 1, at)
            grid.setColumnStretch(at, 1)
        self.model: RowsModel[Band] = RowsModel(
            [
                Field(t("True count"), lambda b: b[0]),
                Field(t("Questions"), lambda b: number(b[1]), right=True),
                Field(t("Estimate off by"), lambda b: _share(b[2]), right=True),
                Field(t("The papers' off by"), lambda b: _share(b[3]), right=True),
                Field(t("Interval holds the truth"), lambda b: _share(b[4]), right=True),
            ],
            self,
        )
        self.table = TableView(t("Measured errors by size of the count"))
        self.table.setModel(self.model)
        grid.addWidget(self.table, 2, 0, 1, 2)
        grid.setRowStretch(1, 1)
        return made

    def first(self) -> QWidget:
        return self.sensitive

    # -- the page asks -------------------------------------------------------------------------------------------

    def take(self, asker: Asker | None) -> None:
        self.asker = asker
        self.forget("workload")
        sas = asker.published.sensitive if asker is not None else ()
        together = [(t("all of them together"), sas)] if len(sas) > 1 else []
        self.sensitive.offer([*((name, (name,)) for name in sas), *together])
        self.measured.setText("")

    def offer(self) -> tuple[str, bool, str]:
        words = t("Ask {n} test questions", n=number(self.amount.currentData()))
        if self.asker is None or not self.asker.published.nsas:
            return words, False, t("No column is published as it is, so there are no groups to ask about.")
        return words, self.asker.knows_truth and self._job is None, ""

    def act(self) -> None:
        self.measure()

    def measure(self) -> Job | None:
        """Ask the questions in the worker."""
        asker, sas = self.asker, self.sensitive.currentData()
        if asker is None or not asker.knows_truth or not sas:
            return None
        size, sets = int(self.amount.currentData()), self.sets.isChecked()
        work = partial(judge, asker, tuple(sas), size, sets)
        return self.work("workload", work, partial(self._measured, self.sensitive.currentText(), size))

    # -- inside --------------------------------------------------------------------------------------------------

    def _read(self, at: int, text: str) -> None:
        if not text and at == 1 and self._accuracy is not None and self._accuracy.t_p is None:
            return self.readouts[at].setText(t("Of several columns together, nothing is promised."))
        return self.readouts[at].setText(text or self._notes[at])

    def _measured(self, name: str, wanted: int, accuracy: Accuracy) -> None:
        self._accuracy = accuracy
        n = number(accuracy.total)
        self.measured.setText(
            t("Measured with {n} questions about “{name}”.", n=n, name=name)
            if accuracy.total >= wanted
            else t("Measured with {n} questions about “{name}”: a table of this size has no more.", n=n, name=name)
        )
        for plot in (self.bands_plot, self.small_plot):
            plot.draw(accuracy)
            plot.point_at(None)  # what stood under the cursor were other figures
        figures = (accuracy.queries, accuracy.error, accuracy.error_published, accuracy.coverage)
        self.model.show(())
        self.model.show(
            tuple(
                (name, int(n), float(error), float(published), float(held))
                for name, n, error, published, held in zip(accuracy.bands, *figures, strict=True)
            )
        )
        names = [str(self.model.index(row, 0).data()) for row in range(self.model.rowCount())]
        self.table.fit_columns(260, filling=0, least=max(map(self.table.fontMetrics().horizontalAdvance, names)) + 28)
        self.table.setFixedHeight(self.table.height_of_rows(len(accuracy.bands)))
        self.show_result(self.table)

    def help_text(self) -> str:
        return t(
            "<p>Random questions combine one to three columns with a sensitive value. The true counts come from your "
            "own table, so only you can do this.</p><p><b>Left</b>: how far answers are off, by size of the true count "
            "(in per cent of all records).</p><p><b>Right</b>: small counts should come out wrong; that is their "
            "protection.</p><p><b>What should I see?</b></p><p>Short bars of the estimate at the right, tall ones "
            "at the left, and intervals that hold the truth in about 95 of 100 cases.</p>"
        )
