"""Query: ask a release for counts, with honest error bars. Needs nothing but the release."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox, QFileDialog, QHBoxLayout, QVBoxLayout, QWidget

from splu_desktop.core.condition import Condition
from splu_desktop.core.progress import Progress
from splu_desktop.core.published import Published
from splu_desktop.core.query import DEFAULT, Answer, Method, Reader, sentence
from splu_desktop.files.release import OpenRelease, read_release
from splu_desktop.gui.answer_card import LOOKS, AnswerCard
from splu_desktop.gui.models import Field, RowsModel, TableView
from splu_desktop.gui.page import Page
from splu_desktop.gui.question_builder import QuestionBuilder
from splu_desktop.gui.session import Release, Session, State, Step
from splu_desktop.gui.tasks import Job, Tasks
from splu_desktop.gui.widgets import Busy, Empty, IconButton, button, label, margins
from splu_desktop.gui.words import number


class Asker:
    """A reader that several workers may ask: one at a time."""

    def __init__(self, published: Published) -> None:
        self._reader = Reader(published)
        self._lock = threading.Lock()

    def ask(self, conditions: tuple[Condition, ...], method: Method, progress: Progress) -> Answer:
        """Answer one question. Raises BadQuestion."""
        with self._lock:
            progress.report("Counting", 0.0)
            return self._reader.answer(conditions, method)


class QueryPage(Page):
    """The fifth page."""

    step = Step.QUERY

    def __init__(self, session: Session, tasks: Tasks) -> None:
        super().__init__(session, tasks)
        self.set_title(
            self.tr("Query"), self.tr("Ask the release for counts. Each answer says how far it can be trusted.")
        )
        empty = Empty(
            "search",
            self.tr("No release is open"),
            self.tr("Publish a table, or open a release that you were given. A release needs no source."),
        )
        empty.buttons.addWidget(
            button(self.tr("&Open a release…"), self.ask_release, look="primary", picture="folder-open")
        )
        self.use_empty(empty)
        self._build_stale()
        busy = Busy("", self.tr("Cancel opening"))
        busy.cancelled.connect(self._cancel_opening)
        self.use_busy(busy)
        self._opening: Job | None = None
        self._asker: tuple[Release, Asker] | None = None
        self._asked: list[Answer] = []
        self._build()
        self.refresh()

    # -- parts ---------------------------------------------------------------------------------------------------

    def _build_stale(self) -> None:
        self.stale_panel = Empty(
            "refresh-cw",
            self.tr("The release is out of date"),
            self.tr(
                "Table, roles or group sizes have changed since it was published, so its answers were dropped here. The"
                " folder itself stays as it is."
            ),
        )
        for made in (
            button(self.tr("&Publish again"), lambda: self.go.emit(Step.PUBLISH), look="primary"),
            button(self.tr("&Undo the change"), self.session.undo_stack.undo, picture="undo-2"),
            button(self.tr("&Open it as it is"), self._open_dropped),
        ):
            self.stale_panel.buttons.addWidget(made)
        self.stack.addWidget(self.stale_panel)

    def _build(self) -> None:
        bar = QHBoxLayout()
        bar.setSpacing(8)
        self.question = label("", "strong", wrap=True, selectable=True)
        bar.addWidget(self.question, 1)
        self.copy_button = button(
            "", self.copy_question, look="flat", picture="copy", hint=self.tr("Copy the question")
        )
        self.copy_button.setAccessibleName(self.tr("Copy the question"))
        bar.addWidget(self.copy_button)
        self.clear_button = button(self.tr("C&lear"), self._clear, picture="x")
        bar.addWidget(self.clear_button)
        self.open_button = button(self.tr("&Open a release…"), self.ask_release, picture="folder-open")
        bar.addWidget(self.open_button)
        self.body.addLayout(bar)

        middle = QHBoxLayout()
        middle.setSpacing(12)
        self.builder = QuestionBuilder()
        self.builder.changed.connect(self._question_changed)
        middle.addWidget(self.builder, 5)
        self.answer_card = AnswerCard()
        self.answer_card.setMinimumWidth(240)
        self._build_advanced()
        middle.addWidget(self.answer_card, 3)
        self.body.addLayout(middle, 3)

        self.asked_title = label(self.tr("Asked in this session"), "quiet")
        self.body.addWidget(self.asked_title)
        self.asked_model: RowsModel[Answer] = RowsModel(
            [
                Field(self.tr("Question"), lambda a: sentence(a.conditions)),
                Field(self.tr("Answer"), lambda a: a.shown, right=True),
                Field(
                    self.tr("Trust"),
                    lambda a: a.badge_text.partition(":")[0],
                    colour=lambda a: LOOKS[a.badge][1],
                    picture=lambda a: LOOKS[a.badge][0],
                    tip=lambda a: a.badge_text,
                ),
                Field(
                    self.tr("95 % interval"),
                    lambda a: "–" if a.exact else f"{number(a.low)} – {number(a.high)}",
                    right=True,
                ),
                Field(self.tr("Published"), lambda a: number(a.published), right=True),
                Field(self.tr("Selected"), lambda a: number(a.n_p), right=True),
            ]
        )
        self.asked = TableView(self.tr("Questions asked in this session"))
        self.asked.setModel(self.asked_model)
        self.asked.setToolTip(self.tr("Double-click or press Enter to take a question up again"))
        self.asked.activated.connect(lambda index: self.builder.set_conditions(self._asked[index.row()].conditions))
        self.asked.setMinimumHeight(90)
        self.body.addWidget(self.asked, 1)

    def _build_advanced(self) -> None:
        self.advanced = IconButton(self.tr("Ad&vanced"), "sliders-horizontal", "flat")
        self.advanced.setCheckable(True)
        self.advanced_part = QWidget()
        column = QVBoxLayout(self.advanced_part)
        margins(column, 0, spacing=4)
        self.method = QComboBox()
        self.method.setAccessibleName(self.tr("Estimator"))
        for method, name in (
            (Method.SHRUNK, self.tr("Shrunk (recommended)")),
            (Method.UNBIASED, self.tr("Unbiased")),
            (Method.BAYES, self.tr("Iterative Bayes")),
            (Method.AS_PUBLISHED, self.tr("As published (biased)")),
        ):
            self.method.addItem(name, method)
        self.method.setCurrentIndex(self.method.findData(DEFAULT))
        note = label(
            self.tr("Shrunk pulls uncertain counts towards what is usual, and has the smallest error on most tables."),
            "quiet",
            wrap=True,
        )
        column.addWidget(self.method)
        column.addWidget(note)
        self.advanced_part.hide()
        self.advanced.toggled.connect(self.advanced_part.setVisible)
        self.answer_card.body.addWidget(self.advanced_part)
        row = QHBoxLayout()
        row.addWidget(self.advanced)
        row.addStretch(1)
        self.answer_card.body.addLayout(row)

    # -- what the user does --------------------------------------------------------------------------------------

    def ask_release(self) -> None:
        """Let the user choose a release folder, and open it."""
        name = QFileDialog.getExistingDirectory(self, self.tr("Choose the folder of a release"))
        if name:
            self.open_release(Path(name))

    def open_release(self, folder: Path) -> Job:
        """Open a release folder in the worker."""
        self.banner.hide()
        assert self.busy is not None
        self.busy.begin(self.tr("Opening “{name}”").format(name=folder.name))
        self.show_part(self.busy)
        self.set_primary(self.tr("Count"), False)
        job = self.tasks.run("open", lambda progress: read_release(folder, progress=progress))
        self._opening = job
        job.progressed.connect(self.busy.show_progress)
        job.done.connect(self._opened)
        job.failed.connect(self._not_opened)
        job.stopped.connect(lambda: self._not_opened(""))
        return job

    def _open_dropped(self) -> None:
        if self.session.dropped is not None:
            self.open_release(self.session.dropped.folder)

    def _cancel_opening(self) -> None:
        if self._opening is not None:
            self._opening.cancel()

    def _clear(self) -> None:
        self.builder.clear()
        self.answer_card.show_answer(None)

    def copy_question(self) -> None:
        """Copy the question in words."""
        QGuiApplication.clipboard().setText(self.question.text())

    def act(self) -> None:
        self.ask()

    def ask(self) -> Job | None:
        """Answer the question in the worker; the newest question wins."""
        if self._asker is None:
            return None
        asker, conditions = self._asker[1], self.builder.conditions()
        method = self.method.currentData()
        self.banner.hide()
        job = self.tasks.run("query", lambda progress: asker.ask(conditions, method, progress))
        job.done.connect(partial(self._answered, self._asker[0]))
        job.failed.connect(self.fault)
        return job

    # -- what comes back -----------------------------------------------------------------------------------------

    def _opened(self, opened: OpenRelease) -> None:
        self._opening = None
        self.session.take_release(Release(opened.published, opened.facts, opened.folder))

    def _not_opened(self, text: str) -> None:
        self._opening = None
        self.refresh()
        if text:
            self.fault(text)

    def _answered(self, release: Release, answer: Answer) -> None:
        if self.session.release is not release:
            return
        self.answer_card.show_answer(answer)
        if not self._asked or self._asked[0] != answer:
            first = not self._asked
            self._asked.insert(0, answer)
            self.asked_model.show(())
            self.asked_model.show(tuple(self._asked))
            if first:
                self.asked.fit_columns(380)
        if self.session.state(Step.QUERY) is not State.DONE:
            self.session.confirm(Step.QUERY)

    # -- showing -------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        if self._opening is not None:
            return
        release = self.session.release
        if release is None:
            self.show_part(self.stale_panel if self.session.stale else self.empty)
            self.set_primary(self.tr("Count"), False, "")
            return
        self.show_part(None)
        if self._asker is None or self._asker[0] is not release:
            self._asker = (release, Asker(release.published))
            self._asked = []
            self.asked_model.show(())
            self.answer_card.show_answer(None)
            self.builder.show_release(release.published)
        self._question_changed()

    def _question_changed(self) -> None:
        conditions = self.builder.conditions()
        self.question.setText(sentence(conditions))
        self.clear_button.setEnabled(bool(conditions))
        if self.session.release is None:
            return
        self.set_primary(self.tr("Count these records") if conditions else self.tr("Count all records"), True)

    def help_text(self) -> str:
        return self.tr(
            "<p>Choose values of any columns; several values of one column mean “any of these”. The counts beside the"
            " values are those of the published table.</p>"
            "<p>The true counts are not in the release. What you get is the best estimate and a range that holds the"
            " true count in 95 of 100 cases.</p>"
            "<p><span class='a'>Reliable</span>: use it. <b>Uncertain</b>: use the range. <span"
            " class='p'>Protected</span>: the count is small, and unreliable on purpose.</p>"
            "<p>Questions without a sensitive column are exact, because those columns are published unchanged.</p>"
            "<p><b>What should I ask?</b></p><p>Larger selections give sharper answers.</p>"
        )
