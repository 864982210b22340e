"""Many questions at once: a CSV of conditions in, a CSV of answers out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from splu_desktop.core.progress import Progress
from splu_desktop.core.query.condition import Condition
from splu_desktop.core.query.reader import DEFAULT, Answer, Method, sentence
from splu_desktop.files.questions.batch import Questions, read_questions, write_answers
from splu_desktop.files.tables.sheets import Sheet, write_sheets
from splu_desktop.frozen import dataclass
from splu_desktop.gui.base.models import Field, RowsModel
from splu_desktop.gui.base.tasks import Job, Tasks
from splu_desktop.gui.base.widgets import Empty, Folding, asked_file, button, label, margins, put
from splu_desktop.gui.base.words import filled, number, t, tip, told
from splu_desktop.gui.query.question import AskedView
from splu_desktop.gui.query.tab import WorkingTab, answer_fields, in_short, truth_switch
from splu_desktop.gui.query.work import Asker

_LEAST = 100  # pixels of a question, which breaks over lines: no figure beside it is to be scrolled for


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
    release: str  # its id


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
    return Answered(given, answers, rows, asker.release.facts["id"] or "")


def save(answered: Answered, path: Path, progress: Progress) -> None:
    """Write the answers. Raises CannotWrite."""
    progress.report("Writing the answers", 0.0)
    write_answers(answered.given.questions, answered.answers, answered.release, path, overwrite=True)


def template(asker: Asker, path: Path, progress: Progress) -> None:
    """Write a file that names every column and asks one question, to be filled in. Raises CannotWrite."""
    table = asker.published.table
    first = [str(column.labels[0]) if column.m else "" for column in table.columns]
    write_sheets([Sheet("Questions", table.names, [first])], path, progress)


class ManyTab(WorkingTab):
    """The third tab."""

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(tasks, parent)
        self._given: Given | None = None
        self._answered: Answered | None = None
        self._rows: tuple[Row, ...] = ()
        self.method = DEFAULT
        column = margins(QVBoxLayout(self), 0, 8, 0, 0, spacing=8)
        start = Empty(
            "file-spreadsheet",
            t("A list of questions"),
            t(
                "A CSV file or a workbook: its first row names columns of the release, each further row is a question."
                " A cell holds a value, several with | between them (A|B), or a range (30..39); an empty cell is no"
                " condition, and (empty) means records without a value. You can also drop the file here."
            ).replace("A|B", "A\N{WORD JOINER}|\N{WORD JOINER}B"),  # in one line
        )
        self.file_button = button(t("&Choose a file…"), self.ask_file, picture="folder-open")
        for made in (
            self.file_button,
            button(t("&Save an empty form…"), self._ask_template, picture="download"),
        ):
            start.buttons.addWidget(made)
        self.table = self._build_table()
        column.addWidget(self.use_parts(start, "", self.table), 1)

    def _build_table(self) -> QWidget:
        table = QWidget()
        column = margins(QVBoxLayout(table), 0, spacing=6)
        tools = QWidget()
        bar = margins(QHBoxLayout(tools), 0, spacing=8)
        self.title = label("", "strong", wrap=True, live=True)
        self.repeat = QCheckBox(t("Repeat &draws"))
        tip(
            self.repeat,
            t(
                "Where theory gives out, take the interval from repetitions of the draw on paper. Takes a tenth of a"
                " second for each such question."
            ),
        )
        self.truth_switch = truth_switch(t("True &counts"))
        self.truth_switch.toggled.connect(self._truth_switched)
        for switch in (self.repeat, self.truth_switch):
            switch.setMinimumWidth(switch.sizeHint().width() + 8)
        put(bar, self.repeat, self.truth_switch)
        self.other_button = button(t("&Another file…"), self.ask_file, picture="folder-open")
        self.save_button = button(t("&Save the answers…"), self._ask_save, picture="download")
        put(bar, self.other_button, self.save_button)
        head = Folding(self.title, tools)
        head.row.setStretch(0, 1)
        column.addWidget(head)
        self.model: RowsModel[Row] = RowsModel(
            [
                Field(t("No."), lambda r: number(r.number), right=True),
                Field(
                    t("Records with"),
                    lambda r: told(r.fault) or in_short(r.conditions),
                    tip=lambda r: told(r.fault or sentence(r.conditions)),
                ),
                *answer_fields(lambda r: r.answer, lambda r: r.fault),
                Field(t("True (internal)"), lambda r: "" if r.true is None else number(r.true), right=True),
            ],
            self,
        )
        self.view = AskedView(t("Questions of the file"))
        self.view.setModel(self.model)
        self.view.secret = self.model.columnCount() - 1
        self.view.setColumnHidden(self.view.secret, True)
        self.view.horizontalHeader().moveSection(self.view.secret, 3)  # beside the answer, where it is compared
        column.addWidget(self.view, 1)
        return table

    def first(self) -> QWidget:
        return self.file_button if self._given is None else self.other_button

    # -- the page asks -------------------------------------------------------------------------------------------

    def take(self, asker: Asker | None) -> None:
        self.asker = asker
        self.forget("questions", "true answers")
        self.truth_switch.setChecked(False)
        self.truth_switch.setVisible(asker is not None and asker.knows_truth)
        self._given = self._answered = None
        self._show_rows(())

    def offer(self) -> tuple[str, bool, str]:
        if self._given is None:
            return t("Answer the questions"), False, t("Choose a file of questions first.")
        understood = len(self._given.rows) - len(self._given.questions.faults)
        words = t("Answer {n} questions", n=number(understood))
        why = "" if understood else t("None of the questions can be understood: the list says why.")
        return words, self._job is None and understood > 0, why

    def act(self) -> None:
        self.answer_all()

    def ask_file(self) -> None:
        """Let the user choose a file of questions."""
        path = asked_file(
            self,
            t("Choose a file of questions"),
            t("CSV files and workbooks (*.csv *.tsv *.txt *.xlsx);;All files (*)"),
        )
        if path is not None:
            self.open_file(path)

    def open_file(self, path: Path) -> Job | None:
        """Read a file of questions in the worker."""
        asker = self.asker
        if asker is None:
            return None
        words = t("Reading “{name}”", name=path.name)
        return self.work("questions", lambda progress: read(asker, path, progress), self._read, words)

    def answer_all(self) -> Job | None:
        """Answer the questions in the worker."""
        asker, given, repeat = self.asker, self._given, self.repeat.isChecked()
        if asker is None or given is None:
            return None
        return self.work(
            "questions",
            lambda progress: answer(asker, given, self.method, progress, repeat=repeat),
            self._all_answered,
            t("Answering {n} questions", n=number(len(given.rows))),
        )

    def save(self, path: Path) -> Job | None:
        """Write the answers in the worker."""
        answered = self._answered
        if answered is None:
            return None
        return self.write(path, lambda progress: save(answered, path, progress))

    def save_template(self, path: Path) -> Job | None:
        """Write a form for questions in the worker."""
        asker = self.asker
        if asker is None:
            return None
        return self.write(path, lambda progress: template(asker, path, progress))

    # -- inside --------------------------------------------------------------------------------------------------

    def _read(self, given: Given) -> None:
        self._given, self._answered = given, None
        self._show(given.rows)
        self._entitle(t("{name}: {n} questions", name=given.path.name, n=number(len(given.rows))), given)

    def _all_answered(self, answered: Answered) -> None:
        self._answered = answered
        self._show(answered.rows)
        name, n = answered.given.path.name, number(len(answered.answers))
        self._entitle(t("{name}: {n} questions answered", name=name, n=n), answered.given)
        self.answered.emit()

    def _entitle(self, words: str, given: Given) -> None:
        bad = len(given.questions.faults)
        told_too = t("{words}; {n} can't be understood")
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
            self.view.fit_columns(300, filling=1, least=_LEAST)

    def _show_rows(self, rows: tuple[Row, ...]) -> None:
        self._rows = rows
        self.model.show(())
        self.model.show(rows)

    def _show(self, rows: tuple[Row, ...]) -> None:
        self._show_rows(rows)
        self._truth_switched(self.truth_switch.isChecked())
        self.view.fit_columns(300, filling=1, least=_LEAST)
        self.save_button.setEnabled(self._answered is not None)
        self.show_result(self.view)

    def _ask_save(self) -> None:
        if self._given is None:
            return
        kinds = [("csv", t("CSV (*.csv)")), ("xlsx", t("Excel workbook (*.xlsx)"))]
        if self._given.path.suffix.lower() == ".xlsx":
            kinds.reverse()
        start = self._given.path.with_name(f"{self._given.path.stem}-answers.{kinds[0][0]}")
        if path := self.ask_where(t("Save the answers"), str(start), kinds):
            self.save(path)

    def _ask_template(self) -> None:
        if path := self.ask_where(t("Save a form"), "questions.csv", [("csv", "CSV (*.csv)")]):
            self.save_template(path)

    def help_text(self) -> str:
        return t(
            "<p>For studies that need hundreds of counts: write the questions in a spreadsheet, and get one answer per "
            "row, in the same order.</p><p>The answers carry the published count, the estimate, both ends of the 95 % "
            "interval and how far to trust it.</p><p>A sensitive value that no published record shows is no mistake: "
            "rare values can vanish in the draw. Its answer says how many records may have had it.</p><p>The same "
            "works on the command line: <b>splu queries</b>.</p>"
        )
