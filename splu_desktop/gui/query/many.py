"""Many questions at once: a CSV of conditions in, a CSV of answers out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QCheckBox, QFileDialog, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from splu_desktop.core.progress import Progress
from splu_desktop.core.query.condition import Condition
from splu_desktop.core.query.reader import DEFAULT, Answer, Method, sentence
from splu_desktop.files.questions.batch import Questions, read_questions, write_answers
from splu_desktop.files.tables.sheets import Sheet, write_sheets
from splu_desktop.gui.base.models import Field, RowsModel
from splu_desktop.gui.base.tasks import Job, Tasks, Work
from splu_desktop.gui.base.widgets import Busy, Empty, asked_file, button, label, margins, put
from splu_desktop.gui.base.words import filled, number, tip, told
from splu_desktop.gui.query.answer_card import LOOKS
from splu_desktop.gui.query.question import AskedView, interval
from splu_desktop.gui.query.tab import Tab, in_short
from splu_desktop.gui.query.work import Asker


@dataclass(frozen=True)
class Row:
    """One question of a file, with its answer once there is one; `fault` says why it can't be understood."""

    number: int
    conditions: tuple[Condition, ...]
    fault: str = ""
    answer: Answer | None = None
    true: int | None = None


@dataclass(frozen=True, eq=False)
class Given:
    """A file of questions, read."""

    path: Path
    questions: Questions
    rows: tuple[Row, ...]


@dataclass(frozen=True, eq=False)
class Answered:
    """A file of questions with all its answers."""

    given: Given
    answers: Sequence[Answer]
    rows: tuple[Row, ...]


def read(asker: Asker, path: Path, progress: Progress) -> Given:
    """Read a file of questions; a row that can't be understood is told, the others go on. Raises BadQuestions."""
    progress.report("Reading the questions", 0.0)
    questions = read_questions(path, asker.published, strict=False)
    faults = questions.faults
    rows = tuple(Row(at + 1, asked, faults.get(at, "")) for at, asked in enumerate(questions.conditions))
    return Given(path, questions, rows)


def answer(asker: Asker, given: Given, method: Method, progress: Progress, *, repeat: bool = False) -> Answered:
    """Answer all of them; with `repeat` the draw is repeated where theory gives out. Raises BadQuestion; Cancelled."""
    with asker.lock:
        bootstrap = None if repeat else False
        answers = given.questions.answered(asker.reader, method, progress, bootstrap=bootstrap)
    rest = iter(answers)
    rows = tuple(row if row.fault else replace(row, answer=next(rest)) for row in given.rows)
    return Answered(given, answers, rows)


def save(answered: Answered, path: Path, progress: Progress) -> None:
    """Write the answers. Raises CannotWrite."""
    progress.report("Writing the answers", 0.0)
    write_answers(answered.given.questions, answered.answers, path, overwrite=True)


def template(asker: Asker, path: Path, progress: Progress) -> None:
    """Write a file that names every column and asks one question, to be filled in. Raises CannotWrite."""
    table = asker.published.table
    first = [str(column.labels[0]) if column.m else "" for column in table.columns]
    write_sheets([Sheet("Questions", table.names, [first])], path, progress)


class ManyTab(Tab):
    """The third tab."""

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(tasks, parent)
        self._given: Given | None = None
        self._answered: Answered | None = None
        self._rows: tuple[Row, ...] = ()
        self._job: Job | None = None
        self.method = DEFAULT
        column = margins(QVBoxLayout(self), 0, 8, 0, 0, spacing=8)
        self.stack = QStackedWidget()
        self.start = Empty(
            "file-spreadsheet",
            self.tr("A list of questions"),
            self.tr(
                "A CSV file or a workbook: its first row names columns of the release, each further row is a question."
                " A cell holds a value, several with | between them (A|B), or a range (30..39); an empty cell is no"
                " condition, and (empty) means records without a value. You can also drop the file here."
            ),
        )
        self.file_button = button(self.tr("&Choose a file…"), self.ask_file, picture="folder-open")
        for made in (
            self.file_button,
            button(self.tr("&Save an empty form…"), self._ask_template, picture="download"),
        ):
            self.start.buttons.addWidget(made)
        self.busy = Busy("", self.tr("Cancel"))
        self.busy.cancelled.connect(self._cancel)
        self.table = self._build_table()
        for part in (self.start, self.busy, self.table):
            self.stack.addWidget(part)
        column.addWidget(self.stack, 1)

    def _build_table(self) -> QWidget:
        table = QWidget()
        column = margins(QVBoxLayout(table), 0, spacing=6)
        bar = margins(QHBoxLayout(), spacing=8)
        self.title = label("", "strong", wrap=True)
        bar.addWidget(self.title, 1)
        self.repeat = QCheckBox(self.tr("Repeat &draws"))
        tip(
            self.repeat,
            self.tr(
                "Where theory gives out, take the interval from repetitions of the draw on paper. Takes a tenth of a"
                " second for each such question."
            ),
        )
        self.truth_switch = QCheckBox(self.tr("True &counts"))
        tip(
            self.truth_switch,
            self.tr("From the source that is open here. For the custodian only: no file and no copy ever holds them."),
        )
        self.truth_switch.toggled.connect(self._truth_switched)
        for switch in (self.repeat, self.truth_switch):
            switch.setMinimumWidth(switch.sizeHint().width() + 8)
        put(bar, self.repeat, self.truth_switch)
        self.other_button = button(self.tr("&Another file…"), self.ask_file, picture="folder-open")
        self.save_button = button(self.tr("&Save the answers…"), self._ask_save, picture="download")
        put(bar, self.other_button, self.save_button)
        column.addLayout(bar)
        bad = self.tr("bad")
        self.model: RowsModel[Row] = RowsModel(
            [
                Field(self.tr("No."), lambda r: number(r.number), right=True),
                Field(
                    self.tr("Records with"),
                    lambda r: told(r.fault) or in_short(r.conditions),
                    tip=lambda r: told(r.fault or sentence(r.conditions)),
                ),
                Field(self.tr("Answer"), lambda r: told(r.answer.shown) if r.answer else "", right=True),
                Field(
                    self.tr("Trust"),
                    lambda r: told(r.answer.badge_text).partition(":")[0] if r.answer else bad if r.fault else "",
                    colour=lambda r: LOOKS[r.answer.badge][1] if r.answer else "fault" if r.fault else None,
                    picture=lambda r: LOOKS[r.answer.badge][0] if r.answer else "circle-alert" if r.fault else None,
                    tip=lambda r: told(r.answer.badge_text if r.answer else r.fault),
                ),
                Field(self.tr("95 % interval"), lambda r: interval(r.answer) if r.answer else "", right=True),
                Field(self.tr("Published"), lambda r: number(r.answer.published) if r.answer else "", right=True),
                Field(self.tr("Selected"), lambda r: number(r.answer.n_p) if r.answer else "", right=True),
                Field(self.tr("True (custodian only)"), lambda r: "" if r.true is None else number(r.true), right=True),
            ],
            self,
        )
        self.view = AskedView(self.tr("Questions of the file"))
        self.view.setModel(self.model)
        self.view.secret = self.model.columnCount() - 1
        self.view.setColumnHidden(self.view.secret, True)
        self.view.horizontalHeader().moveSection(self.view.secret, 3)  # beside the answer, where it is compared
        column.addWidget(self.view, 1)
        return table

    def first(self) -> QWidget:
        return self.file_button

    # -- the page asks -------------------------------------------------------------------------------------------

    def take(self, asker: Asker | None) -> None:
        self.asker = asker
        self.tasks.drop("questions")
        self.tasks.drop("true answers")
        self.truth_switch.setChecked(False)
        self.truth_switch.setVisible(asker is not None and asker.knows_truth)
        self._job = self._given = self._answered = None
        self._show_rows(())
        self.stack.setCurrentWidget(self.start)

    def offer(self) -> tuple[str, bool, str]:
        if self._given is None:
            return self.tr("Answer the questions"), False, ""
        understood = len(self._given.rows) - len(self._given.questions.faults)
        words = filled(self.tr("Answer {n} questions"), n=number(understood))
        return words, self._job is None and understood > 0, ""

    def act(self) -> None:
        self.answer_all()

    def ask_file(self) -> None:
        """Let the user choose a file of questions."""
        path = asked_file(
            self,
            self.tr("Choose a file of questions"),
            self.tr("CSV files and workbooks (*.csv *.tsv *.txt *.xlsx);;All files (*)"),
        )
        if path is not None:
            self.open_file(path)

    def open_file(self, path: Path) -> Job | None:
        """Read a file of questions in the worker."""
        asker = self.asker
        if asker is None:
            return None
        job = self._begin(
            filled(self.tr("Reading “{name}”"), name=path.name), lambda progress: read(asker, path, progress)
        )
        job.done.connect(partial(self._read, asker))
        return job

    def answer_all(self) -> Job | None:
        """Answer the questions in the worker."""
        asker, given, repeat = self.asker, self._given, self.repeat.isChecked()
        if asker is None or given is None:
            return None
        job = self._begin(
            filled(self.tr("Answering {n} questions"), n=number(len(given.rows))),
            lambda progress: answer(asker, given, self.method, progress, repeat=repeat),
        )
        job.done.connect(partial(self._all_answered, asker))
        return job

    def save(self, path: Path) -> Job | None:
        """Write the answers in the worker."""
        answered = self._answered
        if answered is None:
            return None
        return self._write(path, lambda progress: save(answered, path, progress))

    def save_template(self, path: Path) -> Job | None:
        """Write a form for questions in the worker."""
        asker = self.asker
        if asker is None:
            return None
        return self._write(path, lambda progress: template(asker, path, progress))

    # -- inside --------------------------------------------------------------------------------------------------

    def _begin(self, words: str, work: Work) -> Job:
        self.failed.emit("")
        self.busy.begin(words)
        self.stack.setCurrentWidget(self.busy)
        self.hold_focus(self.busy)
        job = self.tasks.run("questions", work)
        self._job = job
        job.progressed.connect(self.busy.show_progress)
        job.failed.connect(self._not_done)
        job.stopped.connect(lambda: self._not_done(""))
        self.offered.emit()
        return job

    def _write(self, path: Path, work: Work) -> Job:
        self.failed.emit("")
        job = self.tasks.run("export", work)
        job.done.connect(lambda _: self.told.emit(filled(self.tr("Saved as “{path}”."), path=path)))
        job.failed.connect(self.failed)
        return job

    def _cancel(self) -> None:
        if self._job is not None:
            self._job.cancel()

    def _read(self, asker: Asker, given: Given) -> None:
        if not self.still(asker):
            return
        self._given, self._answered = given, None
        self._show(given.rows)
        self._entitle(filled(self.tr("{name}: {n} questions"), name=given.path.name, n=number(len(given.rows))), given)

    def _all_answered(self, asker: Asker, answered: Answered) -> None:
        if not self.still(asker):
            return
        self._answered = answered
        self._show(answered.rows)
        name, n = answered.given.path.name, number(len(answered.answers))
        self._entitle(filled(self.tr("{name}: {n} questions answered"), name=name, n=n), answered.given)
        self.answered.emit()

    def _entitle(self, words: str, given: Given) -> None:
        bad = len(given.questions.faults)
        told_too = self.tr("{words}; {n} can't be understood")
        self.title.setText(filled(told_too, words=words, n=number(bad)) if bad else words)

    def _truth_switched(self, on: bool) -> None:
        """Count the true answers in the worker, or forget them."""
        self.tasks.drop("true answers")
        self.view.setColumnHidden(self.view.secret, True)
        if any(row.true is not None for row in self._rows):
            self._show_rows(tuple(replace(row, true=None) for row in self._rows))
        asker, rows = self.asker, self._rows
        if on and asker is not None and rows:
            asked = [row.conditions for row in rows if not row.fault]
            job = self.tasks.run("true answers", lambda progress: asker.true_counts(asked, progress))
            job.done.connect(partial(self._truth_counted, rows))
            job.failed.connect(self.failed)

    def _truth_counted(self, rows: tuple[Row, ...], counts: list[int]) -> None:
        if self._rows is rows and self.truth_switch.isChecked():
            rest = iter(counts)
            self._show_rows(tuple(row if row.fault else replace(row, true=next(rest)) for row in rows))
            self.view.setColumnHidden(self.view.secret, False)
            self.view.fit_columns(300, filling=1)

    def _show_rows(self, rows: tuple[Row, ...]) -> None:
        self._rows = rows
        self.model.show(())
        self.model.show(rows)

    def _show(self, rows: tuple[Row, ...]) -> None:
        self._job = None
        self._show_rows(rows)
        self._truth_switched(self.truth_switch.isChecked())
        self.view.fit_columns(300, filling=1)
        self.save_button.setEnabled(self._answered is not None)
        self.after_busy(self.busy, self.stack, self.table, self.view)
        self.offered.emit()

    def _not_done(self, text: str) -> None:
        self._job = None
        part, focus = (self.table, self.other_button) if self._given is not None else (self.start, self.file_button)
        self.after_busy(self.busy, self.stack, part, focus)
        if text:
            self.failed.emit(text)
        self.offered.emit()

    def _ask_save(self) -> None:
        if self._given is None:
            return
        endings = ("xlsx", "csv") if self._given.path.suffix.lower() == ".xlsx" else ("csv", "xlsx")
        start = self._given.path.with_name(f"{self._given.path.stem}-answers.{endings[0]}")
        kinds = {"csv": self.tr("CSV (*.csv)"), "xlsx": self.tr("Excel workbook (*.xlsx)")}
        name, kind = QFileDialog.getSaveFileName(
            self, self.tr("Save the answers"), str(start), ";;".join(kinds[ending] for ending in endings)
        )
        if name:
            ending = next((each for each, words in kinds.items() if words == kind), endings[0])
            self.save(Path(name) if Path(name).suffix else Path(f"{name}.{ending}"))

    def _ask_template(self) -> None:
        name, _ = QFileDialog.getSaveFileName(self, self.tr("Save a form"), "questions.csv", "CSV (*.csv)")
        if name:
            self.save_template(Path(name) if Path(name).suffix else Path(f"{name}.csv"))

    def help_text(self) -> str:
        return self.tr(
            "<p>For studies that need hundreds of counts: write the questions in a spreadsheet, and get one answer per "
            "row, in the same order.</p><p>The answers carry the published count, the estimate, both ends of the 95 % "
            "interval and how far to trust it.</p><p>A sensitive value that no published record shows is no mistake: "
            "rare values can vanish in the draw. Its answer says how many records may have had it.</p><p>The same "
            "works on the command line: <b>splu queries</b>.</p>"
        )
