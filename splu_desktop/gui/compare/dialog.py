"""Beside other methods: what each would make of the custodian's own table. It writes nothing unless asked."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFileDialog, QHBoxLayout, QSpinBox, QStackedWidget, QVBoxLayout, QWidget

from splu_desktop.compare.runner import LIMIT, Comparison
from splu_desktop.core.errors import SpluError
from splu_desktop.core.plan import Plan
from splu_desktop.core.table import Table
from splu_desktop.files.language import language
from splu_desktop.gui.base.languages import in_force
from splu_desktop.gui.base.models import ROW, Field, RowsModel, SortFilter, TableView
from splu_desktop.gui.base.plot_saving import SavePlotButton
from splu_desktop.gui.base.tasks import Job, Tasks
from splu_desktop.gui.base.widgets import (
    Banner,
    Busy,
    Card,
    Choice,
    Dialog,
    Empty,
    asked_file,
    button,
    called,
    label,
    margins,
    put,
    scrolled,
)
from splu_desktop.gui.base.words import decimal, joined, number, percent, t, tip, told
from splu_desktop.gui.compare.figures import MethodShown, compared, methods, share, whole
from splu_desktop.gui.compare.plot import ProtectionPlot
from splu_desktop.report.alternatives import alternatives_of
from splu_desktop.report.comparison import ENDINGS, save_comparison

QUESTIONS = 3_000
_ONLY_BEARER = 5  # the table's column, empty where every value has several bearers


class BesideDialog(Dialog):
    """One table, one picture and sentences on each method; those weighed first, all others when asked for.

    Signals
    -------
    compared (tuple[Alternative, ...]) : a comparison was made, for the report.
    """

    compared = Signal(tuple)

    def __init__(self, table: Table, plan: Plan, column: str, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(t("Beside other methods"), (1120, 720), parent)
        self.resize(min(self.width(), self.screen().availableGeometry().width() - 40), self.height())
        self._table, self._plan, self._tasks = table, plan, tasks
        self._comparison: Comparison | None = None
        self._job: Job | None = None
        self._shown = column, False  # what the comparison shown is of
        self._own: Path | None = None
        self.banner = Banner()
        put(margins(self.parts, spacing=8), self._build_head(column), self.banner)
        self.stack = QStackedWidget()
        self.start = Empty(
            "search",
            t("Why not another method?"),
            t(
                "Every method publishes your table on paper, is asked the same questions and read by the same readers."
                " Nothing is written."
            ),
        )
        self.start.buttons.addWidget(button(t("&Compare"), self.run, look="primary"))
        self.busy = Busy(t("Publishing your table on paper by every method"), t("Cancel"))
        self.busy.cancelled.connect(self._cancel)
        self.results = self._build_results()
        for part in (self.start, self.busy, self.results):
            self.stack.addWidget(part)
        put(self.parts, (self.stack, 1), self._build_foot())
        self.more.toggled.connect(lambda _: self.run())
        self.column.currentIndexChanged.connect(lambda _: self.run())
        self.limit.valueChanged.connect(lambda _: self.run())
        self.run()

    # -- parts ---------------------------------------------------------------------------------------------------

    def _build_head(self, column: str) -> QHBoxLayout:
        row = margins(QHBoxLayout(), spacing=12)
        self.lead = label("", wrap=True, live=True)
        row.addWidget(self.lead, 1)
        self.column = Choice(t("Sensitive column compared"))
        self.column.addItems(list(self._plan.sensitive))
        self.column.setCurrentText(column)
        self.column.setVisible(self.column.count() > 1)
        note = label(t("From true counts: custodian only"), "warning")
        note.setContentsMargins(6, 3, 6, 3)
        put(row, (self.column, 0, Qt.AlignmentFlag.AlignTop), (note, 0, Qt.AlignmentFlag.AlignTop))
        return row

    def _build_results(self) -> QWidget:
        made = QWidget()
        body = margins(QVBoxLayout(made), 0, spacing=8)
        upper = margins(QHBoxLayout(), spacing=8)
        card = Card(spacing=4)
        margins(card.body, 8, 6, 6, 6, spacing=2)
        self.plot = ProtectionPlot()
        self.plot.picked.connect(self.choose)
        self.save_picture = SavePlotButton(self.plot, t("Protection against answerability"))
        self.save_picture.failed.connect(lambda text: self.banner.say("fault", text))
        beside = put(
            margins(QHBoxLayout(), spacing=0), (self.plot, 1), (self.save_picture, 0, Qt.AlignmentFlag.AlignTop)
        )
        card.body.addLayout(beside, 1)
        self.readout = label("", "quiet", wrap=True)
        self.readout.setMinimumHeight(2 * self.readout.fontMetrics().lineSpacing())
        self.plot.readout.connect(self._read)
        card.body.addWidget(self.readout)
        upper.addWidget(card, 3)
        words = Card(spacing=6)
        margins(words.body, 12, 8, 8, 8, spacing=6)
        self.heading = label("", "strong", wrap=True)
        words.body.addWidget(self.heading)
        said = QWidget()
        column = margins(QVBoxLayout(said), 0)
        self.sentences = label("", wrap=True, selectable=True)
        self.sentences.setAlignment(Qt.AlignmentFlag.AlignTop)
        put(column, self.sentences, 1)
        room = scrolled(said)
        room.viewport().setAutoFillBackground(False)  # on the card's ground
        said.setAutoFillBackground(False)
        words.body.addWidget(room, 1)
        upper.addWidget(words, 2)
        body.addLayout(upper, 5)
        self.model: RowsModel[MethodShown] = RowsModel(self._fields(), self)
        self.ordered = SortFilter(self)
        self.ordered.setSourceModel(self.model)
        self.table = TableView(t("Methods and their figures"))
        self.table.setModel(self.ordered)
        self.table.setSortingEnabled(True)
        self.table.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._show_chosen())
        self.table.setMinimumHeight(5 * self.table.verticalHeader().defaultSectionSize())
        body.addWidget(self.table, 4)
        return made

    def _fields(self) -> list[Field[MethodShown]]:
        def figure(title: str, name: str, hint: str, text: Callable[[float | None], str] = share) -> Field[MethodShown]:
            def value(each: MethodShown) -> float | None:
                found: float | None = None if each.achieved is None else getattr(each.achieved, name)
                return found

            return Field(title, lambda each: text(value(each)), key=value, right=True, hint=hint)

        def in_short(value: float | None) -> str:
            return "–" if value is None else decimal(value, 2)

        not_possible = t("not possible")  # the setting stands beside, with the reason
        return [
            Field(
                t("Method"),
                lambda each: f"{each.letter}  {each.title}" if each.letter else each.title,
                key=lambda each: each.place,
                tip=lambda each: each.sentences[0],
                colour=lambda each: None if each.achieved is not None else "quiet",
            ),
            Field(
                t("Setting"),
                lambda each: each.setting if each.achieved is not None else not_possible,
                key=lambda each: each.place,
                colour=lambda each: None if each.achieved is not None else "warning",
                tip=lambda each: each.setting if each.achieved is not None else each.sentences[-1],
            ),
            figure(
                t("Large right"),
                "answerable",
                t("Share of the questions with a large count (0.5 % of the records) that are answered rightly"),
            ),
            figure(
                t("Small wrong"),
                "small_wrong",
                t("Share of the questions with a small count that are answered wrong or not at all, as wished"),
            ),
            figure(
                t("Colleague"),
                "colleague",
                t("How often who knows the person's other columns, and learns from the answers, is right"),
            ),
            figure(
                t("Only bearer"),
                "insider_sole",
                t("How sure who knows all other records is of persons whose value nobody else has"),
            ),
            figure(
                t("Insider"),
                "insider",
                t("How sure who knows all other records is on average, at least; surer of values that few have"),
            ),
            figure(
                t("Row alone"),
                "stranger",
                t(
                    "How often who finds a person's row is right by it and by the shares in the table; on “Plan”, by it"
                    " alone"
                ),
            ),
            figure(
                t("Range holds"),
                "covered",
                t("Share of the 95 % ranges that hold the true count; a dash: the method gives none"),
            ),
            figure(t("Unique"), "uniques", t("Rows that stand out by their unchanged columns as published"), whole),
            figure(t("Lost"), "lost", t("Records that are not published"), whole),
            figure(
                t("Classifier"),
                "classifier",
                t("How often a classifier learnt from the answers is right by a person's other columns"),
            ),
            figure(
                t("pMSE"),
                "pmse",
                t("How well published records can be told from the original ones: 1 as little as chance"),
                in_short,
            ),
            figure(t("Seconds"), "seconds", t("To publish and to answer"), in_short),
            figure(t("MB"), "megabytes", t("Memory beyond what the table took"), whole),
        ]

    def _build_foot(self) -> QHBoxLayout:
        row = margins(QHBoxLayout(), spacing=8)
        self.more = QCheckBox(t("&More methods"))
        tip(self.more, t("All methods of the literature; this takes a few times as long"))
        row.addWidget(self.more)
        self.limit = QSpinBox()
        self.limit.setRange(5, 3_600)
        self.limit.setValue(round(LIMIT))
        self.limit.setSuffix(t(" s"))
        self.limit.setKeyboardTracking(False)
        self.limit.setAccessibleName(t("Seconds for each method"))
        tip(self.limit, t("A method that takes longer with all its settings is listed as not finished"))
        caption = label(t("&Time for each:"))
        caption.setBuddy(self.limit)
        called(self.limit, caption.text().rstrip(" :\u00a0"))
        put(row, caption, self.limit, 1)
        self.questions = button(
            t("Your &questions…"),
            self.ask_questions,
            hint=t("Ask every method the questions of a file too, one per row, as on the page “Query”"),
        )
        row.addWidget(self.questions)
        self.save_button = button(t("&Save…"), self.ask, picture="download", hint=t("As a page, a table or a picture"))
        put(row, self.save_button, button(t("Close"), self.reject))
        return row

    # -- what the user does --------------------------------------------------------------------------------------

    def run(self) -> Job:
        """Compare, in the worker."""
        table, plan, name, more = self._table, self._plan, self.column.currentText(), self.more.isChecked()
        own, limit = self._own, float(self.limit.value())
        self.banner.hide()
        self.save_button.setEnabled(False)
        self.lead.setText(t("“{name}” by the plan and by other methods", name=name))
        self.busy.begin()
        self.stack.setCurrentWidget(self.busy)
        self.busy.cancel.setFocus()
        job = self._tasks.run(
            "beside", lambda progress: compared(table, plan, name, own, more, QUESTIONS, limit, progress)
        )
        self._job = job
        job.progressed.connect(self.busy.show_progress)
        job.done.connect(partial(self._show, name, more))
        job.failed.connect(self._failed)
        job.stopped.connect(lambda: self._failed(""))
        return job

    def drop_work(self) -> None:
        self._tasks.drop("beside")

    def choose(self, place: int) -> None:
        """Select the method at a place of the comparison."""
        for row in range(self.ordered.rowCount()):
            if self.ordered.index(row, 0).data(ROW).place == place:
                self.table.selectRow(row)
                self.table.scrollTo(self.ordered.index(row, 0))

    def ask_questions(self) -> None:
        """Let the user choose a file of questions, and ask them too."""
        path = asked_file(
            self,
            t("Choose a file of questions"),
            t("CSV files and workbooks (*.csv *.tsv *.txt *.xlsx);;All files (*)"),
        )
        if path is not None:
            self._own = path
            self.run()

    def ask(self) -> None:
        """Let the user choose where the comparison is saved."""
        kinds = {
            ".html": t("Page with everything (*.html)"),
            ".csv": t("Table of figures (*.csv)"),
            ".json": t("Data (*.json)"),
            ".svg": t("Picture (*.svg)"),
            ".png": t("Picture (*.png)"),
        }
        name, kind = QFileDialog.getSaveFileName(
            self, t("Save the comparison"), "comparison.html", ";;".join(kinds.values())
        )
        if name:
            path = Path(name)
            chosen = next((ending for ending, text in kinds.items() if text == kind), ".html")
            self.save(path if path.suffix.lower() in ENDINGS else path.with_name(path.name + chosen))

    def save(self, path: Path) -> None:
        """Write the comparison, as the file's ending says."""
        if self._comparison is None:
            return
        try:
            save_comparison(self._comparison, path, language(in_force()))
        except SpluError as fault:
            self.banner.say("fault", str(fault))
            return
        self.banner.say(
            "done", t("Saved as “{name}”. It comes from the original table: keep it inside.", name=path.name)
        )

    # -- showing -------------------------------------------------------------------------------------------------

    def _cancel(self) -> None:
        if self._job is not None:
            self._job.cancel()

    def _lead(self) -> str:
        found = self._comparison
        if found is None:
            return ""
        lead = t(
            "“{name}” in {records} records, asked {questions} counts of every method. Who guesses the most frequent"
            " value is right about {guess} of the persons; who learns from the original, about {learnt}.",
            name=found.source.sensitive.name,
            records=number(found.source.n),
            questions=number(sum(found.asked)),
            guess=percent(found.guess, 0),
            learnt=percent(found.classifier, 0),
        )
        return told(lead)

    def _show(self, name: str, more: bool, found: Comparison) -> None:
        self._job, self._comparison, self._shown = None, found, (name, more)
        self.lead.setText(self._lead())
        shown = methods(found)
        self.table.clearSelection()
        self.model.show(())
        self.model.show(shown)
        self.plot.draw(shown, found.guess)
        self.compared.emit(alternatives_of(found))
        nobody = all(each.achieved is None or each.achieved.insider_sole is None for each in shown)
        self.table.setColumnHidden(_ONLY_BEARER, nobody)
        self.table.fit_columns(300, filling=1, least=120)
        self.save_button.setEnabled(True)
        self.stack.setCurrentWidget(self.results)
        self._read("")
        self.choose(0)
        self.table.setFocus()

    def _failed(self, text: str) -> None:
        self._job = self._own = None
        there = self._comparison is not None
        with QSignalBlocker(self.column), QSignalBlocker(self.more):
            self.column.setCurrentText(self._shown[0])
            self.more.setChecked(self._shown[1])
        self.lead.setText(self._lead())
        self.stack.setCurrentWidget(self.results if there else self.start)
        self.save_button.setEnabled(there)
        if text:
            self.banner.say("fault", text)

    def _show_chosen(self) -> None:
        rows = self.table.rows_chosen()
        if not rows:
            return
        each: MethodShown = self.ordered.index(rows[0], 0).data(ROW)
        self.plot.mark(each.place)
        self.heading.setText(f"{each.letter}  {joined((each.title, each.setting), ':')}".strip())
        self.sentences.setText("\n\n".join(each.sentences))

    def _read(self, text: str) -> None:
        # What the comparison is not about has no square.
        square = any(each.planned and each.achieved is not None for each in self.model.rows)
        both = t("Square: this plan. Dashed: what guessing reaches. A curve per method, over its setting.")
        self.readout.setText(
            text or (both if square else t("Dashed: what guessing reaches. A curve per method, over its setting."))
        )
